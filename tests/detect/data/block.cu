// Kernels for races within a block. Those named racy_… have one, on the lines marked "race".
// block.ptx is made of it: nvcc -arch=sm_75 -lineinfo -ptx block.cu
#define N 256

extern "C" __global__ void scan(float *out, const float *in) {
    __shared__ float t[2][N];
    int i = threadIdx.x, now = 0;
    t[0][i] = in[blockIdx.x * N + i];
    __syncthreads();
#pragma unroll 1
    for (int d = 1; d < N; d *= 2) {
        t[1 - now][i] = t[now][i] + (i >= d ? t[now][i - d] : 0);
        now = 1 - now;
        __syncthreads();
    }
    out[blockIdx.x * N + i] = t[now][i];
}

extern "C" __global__ void racy_scan(float *out, const float *in) {
    __shared__ float t[N];
    int i = threadIdx.x;
    t[i] = in[blockIdx.x * N + i];
    __syncthreads();
#pragma unroll 1
    for (int d = 1; d < N; d *= 2) {
        float left = i >= d ? t[i - d] : 0; // race
        t[i] += left;                       // race: no barrier between the two
        __syncthreads();
    }
    out[blockIdx.x * N + i] = t[i];
}

extern "C" __global__ void racy_write(int *out) {
    __shared__ int s[64];
    if (threadIdx.x < 64) s[threadIdx.x] = 1000000;
    __syncthreads();
    s[threadIdx.x & 63] = threadIdx.x; // race: four warps write each element
    __syncthreads();
    if (threadIdx.x < 64) out[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

// Threads leave before the barrier; the barrier's own result is used.
extern "C" __global__ void early_exit(int *out, const int *in, int n) {
    __shared__ int s[N];
    int i = threadIdx.x;
    s[i] = 7;
    if (i >= n) return;
    s[i] = in[blockIdx.x * N + i];
    int positive = __syncthreads_count(in[i] > 0);
    int all = __syncthreads_and(in[i] > -100);
    out[blockIdx.x * N + i] = s[n - 1 - i] + 1000 * positive + 100000 * all;
}

// Global memory that is read and written in the interval: the second pass must find it as it was.
extern "C" __global__ void in_place(int *data, int *count) {
    __shared__ int s[N];
    int i = blockIdx.x * N + threadIdx.x;
    data[i] = data[i] * 3 + 1;
    data[i] += 5;
    s[threadIdx.x] = data[i];
    if (threadIdx.x % 2) atomicAdd(count, 1);
    __syncthreads();
    data[i] = s[N - 1 - threadIdx.x];
}

// Atomics on shared memory: excluded, but the rest of the interval is checked.
extern "C" __global__ void histogram(unsigned *bins, const unsigned char *in, int n) {
    __shared__ unsigned s[64];
    __shared__ unsigned last[N];
    if (threadIdx.x < 64) s[threadIdx.x] = 0;
    __syncthreads();
    last[threadIdx.x] = 0;
    for (int i = threadIdx.x; i < n; i += N) {
        atomicAdd(&s[in[i] & 63], 1);
        last[threadIdx.x] = in[i];
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], s[threadIdx.x] + last[N - 1 - threadIdx.x]);
}

struct point {
    float x, y, z;
    short tag;
};

// Dynamic shared memory, structs, a pointer that is chosen at run time, a barrier under a uniform condition.
extern "C" __global__ void mixed(float *out, const float *in, int flag) {
    extern __shared__ char dynamic[];
    __shared__ point fixed[N];
    point *moving = (point *)dynamic;
    int i = threadIdx.x;
    point *p = flag & 1 ? moving : fixed;
    p[i].x = in[i], p[i].y = in[i] * 2, p[i].z = 1, p[i].tag = (short)i;
    if (flag & 2) __syncthreads();
    float local[4];
    for (int k = 0; k < 4; k++) local[(i + k) & 3] = p[i].x * k;
    if (!(flag & 2)) __syncthreads();
    point q = p[(i + 37) % N];
    out[i] = q.x + q.y + q.z + q.tag + local[flag & 3];
}

// Lanes of one warp store different values to one address.
extern "C" __global__ void lanes(int *out) {
    __shared__ int s[N];
    s[threadIdx.x / 2] = threadIdx.x; // race
    __syncthreads();
    out[blockIdx.x * N + threadIdx.x] = s[threadIdx.x / 4];
}

// A tiled product: loops around two barriers.
extern "C" __global__ void product(float *c, const float *a, const float *b, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}

// The same with the second barrier missing.
extern "C" __global__ void racy_product(float *c, const float *a, const float *b, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int t = 0; t < n; t += 16) {
        ta[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
        tb[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x]; // race
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x]; // race
    }
    c[y * n + x] = sum;
}

// A function that accesses memory and is not inlined.
__device__ __noinline__ void put(int *where, int what) { *where = what; }

extern "C" __global__ void calls(int *out) {
    put(out + threadIdx.x, blockIdx.x);
}

// Lanes of the only warp store different values to one address.
extern "C" __global__ void one_warp(int *out) {
    __shared__ int s[32];
    s[threadIdx.x / 4] = threadIdx.x; // race
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x / 8];
}

// Intervals in which every thread plainly has its own part take turns with those in which it does not.
extern "C" __global__ void in_turns(int *out, const int *in) {
    __shared__ int s[N];
    int i = threadIdx.x;
    s[i] = in[blockIdx.x * N + i];
#pragma unroll 1
    for (int k = 0; k < 6; k++) {
        __syncthreads();
        int x = s[(i + 77 * k) % N];
        __syncthreads();
        s[(5 * i + in[k]) % N] = x + k; // a permutation, by what is in memory
        __syncthreads();
        s[i] = s[i] * 3 + 1;
    }
    __syncthreads();
    out[blockIdx.x * N + i] = s[N - 1 - i];
}

// A block hands values on in global memory; in the racy form it writes again before all have read.
extern "C" __global__ void handed_on(int *data, int shift) {
    int t = threadIdx.x, first = blockIdx.x * N;
    data[first + (t + shift) % N] = t;
    __syncthreads();
    int x = data[first + t];
    __syncthreads();
    data[first + (t + shift) % N] += x;
}

extern "C" __global__ void racy_handed_on(int *data, int shift) {
    int t = threadIdx.x, first = blockIdx.x * N;
    data[first + (t + shift) % N] = t;
    __syncthreads();
    int x = data[first + t];                   // race
    data[first + (t + shift) % N] = x + shift; // race
}
