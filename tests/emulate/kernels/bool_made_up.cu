//pass
//lockstep: run --block 32 --grid 1 -v
//made up: flag is u8=1
//made up: mode is u32=2
//
// What is made up is a value that the type has.
enum Mode { ROWS, COLUMNS, BOTH };
__global__ void k(bool flag, Mode mode, int *p) {
    if (threadIdx.x == 0) p[0] = flag + mode;
    if (mode > BOTH) p[1] = threadIdx.x;
}
