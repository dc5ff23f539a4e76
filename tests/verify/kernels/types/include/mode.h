// For enum_included.cu and enum_included_twice.cu.
#ifdef NARROW
enum Width { ONE, TWO };
#else
enum Width { ONE, TWO, FOUR };
#endif
enum Mode { ROWS, COLUMNS, BOTH };
