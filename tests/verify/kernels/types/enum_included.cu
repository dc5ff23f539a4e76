//pass
//lockstep: verify --block 64 --grid 1
//assumes that enum parameters have declared values
//
// The enum stands in a file that is included.
#include "include/mode.h"
__global__ void k(Mode mode, int *p) {
    if (mode > BOTH) p[0] = threadIdx.x;
}
