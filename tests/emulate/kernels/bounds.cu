// Bad addresses, each on its line: past the end of buffers, shared variables and local arrays, null, freed,
// misaligned, constant.

//: buffer_end --grid 2 --block 64 --arg 's32[100]=iota' --arg 's32[128]' => memory.bounds be
extern "C" __global__ void buffer_end(const int *in, int *out) {
    int i = blockIdx.x * 64 + threadIdx.x;
    int v = in[i]; // [be]
    out[i] = v;
}

//: buffer_guarded --grid 2 --block 64 --arg 's32[100]=iota' --arg 's32[100]' --arg 100 => nothing
extern "C" __global__ void buffer_guarded(const int *in, int *out, int n) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n) out[i] = in[i];
}

//: before_buffer --block 32 --arg 's32[32]=iota' --arg 's32[32]' => memory.bounds bb
extern "C" __global__ void before_buffer(const int *in, int *out) {
    int v = in[(int)threadIdx.x - 1]; // [bb]
    out[threadIdx.x] = v;
}

// A vector of which only a part is in the buffer.
//: across_end --block 32 --arg 'f32[126]=iota' --arg 'f32[32]' => memory.bounds ae
extern "C" __global__ void across_end(const float4 *in, float *out) {
    float4 v = in[threadIdx.x]; // [ae]
    out[threadIdx.x] = v.x + v.w;
}

//: shared_end --block 32 --arg 's32[32]' => memory.bounds se
extern "C" __global__ void shared_end(int *out) {
    __shared__ int a[32];
    __shared__ int b[32];
    a[threadIdx.x] = b[threadIdx.x] = threadIdx.x;
    __syncthreads();
    a[threadIdx.x + 1] += 1; // [se]
    __syncthreads();
    out[threadIdx.x] = a[threadIdx.x] + b[31 - (int)threadIdx.x];
}

extern __shared__ int dynamic[];
//: dynamic_end --block 32 --shared 100 --arg 's32[32]' => memory.bounds de, memory.bounds df
extern "C" __global__ void dynamic_end(int *out) {
    dynamic[threadIdx.x] = threadIdx.x; // [de]
    __syncthreads();
    out[threadIdx.x] = dynamic[31 - (int)threadIdx.x]; // [df]
}
//: dynamic_fits --block 32 --shared 128 --arg 's32[32]' => nothing
extern "C" __global__ void dynamic_fits(int *out) {
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = dynamic[31 - (int)threadIdx.x];
}

//: local_end --block 32 --arg 's32[64]=iota' --arg 's32[32]' => memory.bounds le
extern "C" __global__ void local_end(const int *in, int *out) {
    int a[8];
    for (int k = 0; k < 8; k++) a[k] = k;
    a[in[threadIdx.x + 5]] = 1; // [le]
    out[threadIdx.x] = a[in[threadIdx.x] & 7] + a[3];
}

// From one local array into the other, and back.
//: local_neighbour --block 4 --arg 's32[64]=iota' --arg 's32[4]' => memory.bounds ln, memory.bounds lm
extern "C" __global__ void local_neighbour(const int *in, int *out) {
    int a[8], b[8];
    for (int k = 0; k < 8; k++) a[k] = b[k] = k + in[k];
    a[in[threadIdx.x + 6]] = 1; // [ln]
    int v = b[in[threadIdx.x] - 2]; // [lm]
    out[threadIdx.x] = a[in[threadIdx.x] & 7] + b[in[threadIdx.x + 1] & 7] + v;
}

// A pointer to the end of one array is where the other begins on the source's word only.
//: local_pointers --block 4 --arg 's32[64]=iota' --arg 's32[4]' --arg 8 => nothing
extern "C" __global__ void local_pointers(const int *in, int *out, int n) {
    int a[8], b[8], sum = 0;
    for (int k = 0; k < n; k++) a[k] = b[7 - k] = in[k];
    for (const int *p = a; p != a + n; p++) sum += *p;
    for (const int *p = b + n; p != b;) sum += 2 * *--p;
    out[threadIdx.x] = sum + a[in[threadIdx.x] & 7];
}

//: null_pointer --block 32 --arg u64=0 --arg 's32[32]' => memory.bounds np
extern "C" __global__ void null_pointer(const int *in, int *out) {
    int v = in[threadIdx.x]; // [np]
    out[threadIdx.x] = v;
}

//: after_free --block 32 --arg 's32[32]' => memory.bounds af
extern "C" __global__ void after_free(int *out) {
    int *p = (int *)malloc(4);
    *p = threadIdx.x;
    free(p);
    out[threadIdx.x] = *(volatile int *)p; // [af]
}

//: freed_twice --block 1 --arg 'u64[1]' => memory.bounds ft
extern "C" __global__ void freed_twice(int *volatile *out) {
    *out = (int *)malloc(4);
    free(*out);
    free(*out); // [ft]
}

//: misaligned --block 32 --arg 'u8[256]=iota' --arg 's32[32]' => memory.misaligned ma
extern "C" __global__ void misaligned(const char *in, int *out) {
    int v = *(const int *)(in + 4 * threadIdx.x + 1); // [ma]
    out[threadIdx.x] = v;
}

__constant__ int table[4] = {1, 2, 3, 4};
//: constant_written --block 32 => memory.bounds cw
extern "C" __global__ void constant_written() {
    *(volatile int *)&table[threadIdx.x & 3] = 0; // [cw]
}

//: constant_end --block 32 --arg 's32[32]' => memory.bounds ce
extern "C" __global__ void constant_end(int *out) {
    int v = table[threadIdx.x & 7]; // [ce]
    out[threadIdx.x] = v;
}

__device__ int global_table[16];
//: global_end --block 32 => memory.bounds ge
extern "C" __global__ void global_end() {
    global_table[threadIdx.x] = 1; // [ge]
}

// What is made up has no end to be crossed; a width is not the number of all threads.
//: made_up --grid 4 --block 64 => nothing
extern "C" __global__ void made_up(float *out, const float *in, int width, int height) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < height) out[i * width + 100000] = in[2 * i * width];
}
struct view {
    float *data;
    int n;
    const float *other;
};
//: made_up_struct --grid 4 --block 64 => nothing
extern "C" __global__ void made_up_struct(view v) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    v.data[i] = v.other[i];
}
extern __shared__ float scratch[];
//: made_up_shared --grid 4 --block 64 => nothing
extern "C" __global__ void made_up_shared(float *out) {
    scratch[threadIdx.x] = out[blockIdx.x * 64 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = scratch[63 - (int)threadIdx.x];
}
