// The other part of linked_names.cu.
#include "linked_names.h"
#include <cstdio>

__device__ int external = 50;
__managed__ int shared_count = 7;
static __device__ int mine = 2;
__device__ int twice(int x) {
    return 2 * x * coefficients[x] + 1000 * mine;
}
static __global__ void work(int *p) {
    if (threadIdx.x == 0) printf("tickets %d once %d\n", tickets, once());
    p[threadIdx.x] = mine + threadIdx.x;
}
void launch_other(int *p) {
    work<<<1, 4>>>(p);
}
