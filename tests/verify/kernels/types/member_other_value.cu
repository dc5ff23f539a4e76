//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//race
//
// The values that it does have count, and members beside it have any.
enum Mode { ROWS, COLUMNS, BOTH };
typedef struct {
    int before;
    Mode mode;
    int behind;
} Options;
__global__ void k(Options o, int *p) {
    if (o.mode == BOTH && o.before == 7 && o.behind == 1 << 20) p[0] = threadIdx.x;
}
