// What linked_names.cu and its other part share.
#pragma once
inline __device__ int tickets;
__device__ inline int once() {
    static __device__ int calls;
    return atomicAdd(&calls, 1);
}
__device__ int twice(int x);
extern __constant__ int coefficients[4];
extern __managed__ int shared_count;
extern __device__ int external;
void launch_other(int *p);
