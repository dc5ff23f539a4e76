// A header of another kit, which is not installed.
#include <cudla.h>
__global__ void k(int *p) { *p = 1; }
