//xfail:FOUND
//lockstep: verify --block 64 --grid 2
//assertion can fail .assert.
//
// C's own assertions.
#include <assert.h>
__global__ void k(int *d, int n) { assert(n > 0); }
