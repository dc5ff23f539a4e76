// For enum_included.cu and enum_included_twice.cu.
namespace narrow {
enum Width { ONE, TWO };
}
namespace wide {
enum Width { ONE, TWO, FOUR };
}
enum Mode { ROWS, COLUMNS, BOTH };
