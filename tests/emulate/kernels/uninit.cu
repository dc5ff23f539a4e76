// Reads of what was never written: shared, local and global memory; copies are no reads.

//: shared_unwritten --block 32 --arg 's32[32]' => memory.uninitialized su
extern "C" __global__ void shared_unwritten(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x + 1]; // [su]
}

//: local_unwritten --block 32 --arg 's32[32]' --arg 3 => memory.uninitialized lu
extern "C" __global__ void local_unwritten(int *out, int n) {
    int a[8];
    for (int k = 0; k < n; k++) a[k] = k;
    out[threadIdx.x] = a[threadIdx.x & 7] + 1; // [lu]
}

//: local_written --block 32 --arg 's32[32]' --arg 8 => nothing
extern "C" __global__ void local_written(int *out, int n) {
    int a[8];
    for (int k = 0; k < n; k++) a[k] = k;
    out[threadIdx.x] = a[threadIdx.x & 7] + 1;
}

// A recursive function: each frame starts without contents.
__device__ __noinline__ int depth(int n, int i) {
    int a[4];
    if (n > 0) a[i & 3] = n;
    int below = n > 0 ? depth(n - 1, i) : 0;
    return a[n & 3] + below; // [fr]
}
//: frames --block 1 --arg 's32[1]' => memory.uninitialized fr
extern "C" __global__ void frames(int *out) {
    *out = depth(2, 1);
}

struct record {
    char kind;
    int value;
    double weight;
};
// Padding and members that were not set are copied with the rest.
//: padding --block 32 --arg 'u8[512]' --arg 5 => nothing
extern "C" __global__ void padding(record *out, int n) {
    record list[4];
    for (int k = 0; k < 4; k++) list[k].kind = (char)(n + k);
    out[threadIdx.x] = list[threadIdx.x & 3];
}

//: heap --block 32 --arg 's32[32]' => memory.uninitialized hp
extern "C" __global__ void heap(int *out) {
    int *p = (int *)malloc(8 * sizeof(int));
    p[0] = 1;
    out[threadIdx.x] = p[threadIdx.x & 1]; // [hp]
    free(p);
}

//: heap_written --block 32 --arg 's32[32]' => nothing
extern "C" __global__ void heap_written(int *out) {
    int *p = (int *)malloc(8 * sizeof(int));
    for (int k = 0; k < 8; k++) p[k] = k;
    out[threadIdx.x] = p[threadIdx.x & 7];
    free(p);
}

//: buffer --block 32 --arg 's32[64]=uninit' --arg 's32[32]' => memory.uninitialized bu
extern "C" __global__ void buffer(int *work, int *out) {
    if (threadIdx.x < 16) work[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = work[threadIdx.x]; // [bu]
}

//: buffer_written --block 32 --arg 's32[64]=uninit' --arg 's32[32]' => nothing
extern "C" __global__ void buffer_written(int *work, int *out) {
    work[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = work[31 - (int)threadIdx.x];
}

// Module variables are zero where they have no initialiser.
__device__ int counters[32];
//: zeroed --block 32 --arg 's32[32]' => nothing
extern "C" __global__ void zeroed(int *out) {
    out[threadIdx.x] = counters[threadIdx.x];
}

// Three of four elements are set; the store is of all of them.
//: three_of_four --block 32 --arg 'f32[32]=iota' --arg 'f32[128]' => nothing
extern "C" __global__ void three_of_four(const float *in, float4 *out) {
    float4 v;
    v.x = in[threadIdx.x];
    v.y = 2 * v.x;
    v.z = 3 * v.x;
    out[threadIdx.x] = v;
}

//: three_in_shared --block 32 --arg 'f32[32]=iota' --arg 'f32[128]' => nothing
extern "C" __global__ void three_in_shared(const float *in, float4 *out) {
    __shared__ float4 s[32];
    s[threadIdx.x].x = in[threadIdx.x];
    s[threadIdx.x].y = 1;
    s[threadIdx.x].z = 2;
    __syncthreads();
    out[threadIdx.x] = s[31 - (int)threadIdx.x];
}

// A variable that is set on one way only.
//: maybe_set --block 32 --arg 's32[32]' --arg 4 => nothing
extern "C" __global__ void maybe_set(int *out, int n) {
    int x;
    if ((int)threadIdx.x < n) x = 2 * n;
    if ((int)threadIdx.x < n) out[threadIdx.x] = x;
}
