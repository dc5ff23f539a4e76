//xfail:FOUND
//lockstep: verify --block 64 --grid 1 --null
//error: call through a pointer that is null or does not point to a function
//
// The function is a parameter, which may be null.
__device__ float twice(float v) { return 2 * v; }
__device__ float half(float v) { return v / 2; }
typedef float (*function)(float);
__global__ void apply(float *v, function f, int which) {
    function g = which == 1 ? twice : which == 2 ? half : f;
    v[threadIdx.x] = g(v[threadIdx.x]);
}
