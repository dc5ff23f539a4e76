//pass
//lockstep: verify --block 64 --grid 1
//assumes that enum parameters have declared values
//
// Members of a structure have the values that their types leave, wherever they lie in it.
enum Mode { ROWS, COLUMNS, BOTH };
enum class Kind : unsigned char { A, B };
struct Inner {
    short s;
    bool on[2];
};
struct Options {
    char name[3];
    Mode mode;
    double scale, *table;
    Kind kind;
    Inner inner;
    bool last;
};
__global__ void k(Options o, int *p) {
    if (o.mode > BOTH) p[0] = threadIdx.x;
    if (o.kind != Kind::A && o.kind != Kind::B) p[1] = threadIdx.x;
    if ((int)o.inner.on[1] + (int)o.last > 2) p[2] = threadIdx.x;
}
