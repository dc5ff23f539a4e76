//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//race
//
// Which members there are hangs on a condition, which is not followed: nothing is known of them.
enum Mode { ROWS, COLUMNS, BOTH };
struct Options {
    int a;
#ifdef WITH_MODE
    char pad;
    Mode mode;
#else
    int number[2];
#endif
};
__global__ void k(Options o, int *p) {
    if (o.number[1] == 100000) p[0] = threadIdx.x;
}
