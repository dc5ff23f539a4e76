// Kernels that are launched again and again, and what the analysis of offsets must tell apart.
// again.ptx is made of it: nvcc -arch=sm_75 -lineinfo -ptx again.cu

// Elements by what is in memory; the barrier is left out where a number in memory says so.
extern "C" __global__ void sometimes(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[(t * 3 + in[0]) & 255] = t * 7 + 1;  // race where in[1] is not 0
    if (in[1] == 0) __syncthreads();
    out[blockIdx.x * 256 + t] = s[t];      // race where in[1] is not 0
}

// The same, with results that go where the input was.
extern "C" __global__ void sometimes_in_place(int *data, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    s[(t * 3 + in[0]) & 255] = data[i] * 5 + 1; // race where in[1] is not 0
    if (in[1] == 0) __syncthreads();
    data[i] = s[t];                             // race where in[1] is not 0
}

// Two warps write the same elements, each under a condition of its own.
extern "C" __global__ void two_warps(int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t / 32 == 0) s[t] = t + 1;        // race
    if (t / 32 == 1) s[t - 32] = t + 100; // race
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[t % 32];
}

// Bits of the thread's number in another order, as compilers of tensor languages do: every thread its own part.
extern "C" __global__ void bits(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x, low = t & 7, high = t >> 3 & 31;
    s[low << 5 | high] = in[blockIdx.x * 256 + t];
    __syncthreads();
    if ((t & 31) == 0) s[t >> 5] = s[t >> 5] + 1;
    __syncthreads();
    out[blockIdx.x << 8 | (t & 15) << 4 | t >> 4] = s[255 - t];
}

// The bits overlap: two threads each.
extern "C" __global__ void racy_bits(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x, low = t & 15, high = t >> 4 & 15;
    s[low << 3 | high] = in[t] + t; // race
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t & 127];
}

// Parts of one allocation, as an allocator of tensors hands them out.
extern "C" __global__ void parts(float *out, const float *a, const float *b) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = a[i] + b[threadIdx.x];
}

// The first element below the thread's: what is written begins where that ends.
extern "C" __global__ void below(int *out, const int *in) {
    __shared__ int s[512];
    int t = threadIdx.x;
    s[t + 256] = in[blockIdx.x * 256 + t];
    __syncthreads();
    int x = s[t + 256];
    if (t >= 16) x += s[t + 256 - 16];
    s[t] = x;
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[255 - t];
}

// How far a counter is from where it was given out, which is a number from memory: in steps of the block, each thread has its own
// elements; in steps of half of it, it has not.
template <int STEP> __device__ void counted(int *out, const int *starts) {
    __shared__ int tile[512];
    int t = threadIdx.x;
    unsigned first = starts[blockIdx.x], last = starts[blockIdx.x + 1];
    for (unsigned i = first + t; i < last && i - first < 512; i += STEP) tile[i - first] = t + i; // race
    __syncthreads();
    out[blockIdx.x * 128 + t] = tile[t];
}
extern "C" __global__ void beside(int *out, const int *starts) { counted<128>(out, starts); }
extern "C" __global__ void racy_beside(int *out, const int *starts) { counted<64>(out, starts); }
