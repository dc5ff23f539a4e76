//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//race on 'p'
//
// Of an enum that is declared in two places nothing is taken for granted.
#include "include/mode.h"
__global__ void k(wide::Width width, int *p) {
    if (width > wide::FOUR) p[0] = threadIdx.x;
}
