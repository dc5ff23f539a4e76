//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//race on 'p'
//
// Of an enum that is declared in two ways nothing is taken for granted.
#include "include/mode.h"
__global__ void k(Width width, int *p) {
    if (width > FOUR) p[0] = threadIdx.x;
}
