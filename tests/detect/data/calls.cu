// Kernels with functions that are not inlined, one of which calls the other; RACE: the lines that race.
__device__ __noinline__ float twice(const float *s, int i) {
    if (i == 77) return 0;
    return 2 * s[i]; // RACE calls_racy
}
__device__ __noinline__ void put(float *s, int i, float x) {
    float y = x + twice(s, i);
    s[i] = y; // RACE calls_racy
}
extern "C" __global__ void calls(float *out, int shift) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    put(s, t, 3);
    __syncthreads();
    out[blockIdx.x * 256 + t] = twice(s, (t + shift) & 255);
}
extern "C" __global__ void calls_racy(float *out, int shift) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    put(s, t, 3);
    out[blockIdx.x * 256 + t] = twice(s, (t + shift) & 255);
}
// It comes back to itself: it stays a call.
__device__ __noinline__ int deeper(int *s, int i) {
    s[i] += 1;
    return i > 3 ? deeper(s, i / 2) + deeper(s, i / 3) : i;
}
extern "C" __global__ void calls_itself(int *out) {
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    out[threadIdx.x] = deeper(s, threadIdx.x);
}
