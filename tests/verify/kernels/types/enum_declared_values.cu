//pass
//lockstep: verify --block 64 --grid 1
//assumes that enum parameters have declared values
//
// A parameter of an enum type has one of its values, which the scope says.
enum Mode { ROWS, COLUMNS, BOTH };
__global__ void k(Mode mode, int *p) {
    if (mode != ROWS && mode != COLUMNS && mode != BOTH) p[0] = threadIdx.x;
}
