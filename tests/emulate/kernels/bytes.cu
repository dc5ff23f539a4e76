// Accesses of bytes and halves, vectors, bits in words: neighbours in one word do not race.

//: char_rows --grid 2 --block 64 --arg 'u8[128]=random:1' --arg 'u8[128]' => nothing
extern "C" __global__ void char_rows(const unsigned char *in, unsigned char *out) {
    __shared__ unsigned char s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncthreads();
    out[i] = s[63 - t];
}

//: char_clash --block 64 --arg 'u8[64]=random:1' --arg 'u8[64]' => race.shared cw cr
extern "C" __global__ void char_clash(const unsigned char *in, unsigned char *out) {
    __shared__ unsigned char s[64];
    int t = threadIdx.x;
    s[t] = in[t]; // [cw]
    out[t] = s[t ^ 1]; // [cr]
}

// Threads of different warps, and of different blocks, in the bytes of one word.
//: interleaved --grid 2 --block 64 --arg 'u8[128]' => nothing
extern "C" __global__ void interleaved(unsigned char *out) {
    out[2 * threadIdx.x + blockIdx.x] = threadIdx.x;
}

//: halves --grid 1 --block 64 --arg 'u16[64]=iota' --arg 'u16[64]' => nothing
extern "C" __global__ void halves(const unsigned short *in, unsigned short *out) {
    __shared__ unsigned short s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[t ^ 1] + s[t];
}

//: halves_clash --grid 2 --block 64 --arg 'u16[65]' => race.global hw
extern "C" __global__ void halves_clash(unsigned short *out) {
    out[threadIdx.x + blockIdx.x] = (unsigned short)(threadIdx.x + 100 * blockIdx.x); // [hw]
}

// A word is written as a whole where its bytes are read in the next interval.
//: mixed_sizes --block 64 --arg 'u32[64]=random:2' --arg 'u8[256]' => nothing
extern "C" __global__ void mixed_sizes(const unsigned *in, unsigned char *out) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    const unsigned char *b = (const unsigned char *)s;
    for (int k = 0; k < 4; k++) out[64 * k + t] = b[64 * k + t];
}

//: mixed_clash --block 64 --arg 'u32[64]=random:2' --arg 'u8[64]' => race.shared mw mr
extern "C" __global__ void mixed_clash(const unsigned *in, unsigned char *out) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    s[t] = in[t]; // [mw]
    out[t] = ((volatile unsigned char *)s)[t]; // [mr]
}

//: flags --grid 4 --block 64 --arg 's32[256]=random:3' --arg 'u32[8]' => nothing
extern "C" __global__ void flags(const int *in, unsigned *bits) {
    int i = blockIdx.x * 64 + threadIdx.x;
    if (in[i] & 1) atomicOr(&bits[i / 32], 1u << (i & 31));
}

//: flags_plain --grid 1 --block 32 --arg 's32[32]=iota' --arg 'u32[1]' => race.global fp
extern "C" __global__ void flags_plain(const int *in, unsigned *bits) {
    bits[0] |= (unsigned)in[threadIdx.x] << 1; // [fp]
}

//: ballot_words --grid 2 --block 64 --arg 's32[128]=random:3' --arg 'u32[4]' => nothing
extern "C" __global__ void ballot_words(const int *in, unsigned *bits) {
    int i = blockIdx.x * 64 + threadIdx.x;
    unsigned word = __ballot_sync(~0u, in[i] & 1);
    if (i % 32 == 0) bits[i / 32] = word;
}

//: vectors --grid 2 --block 64 --arg 'f32[512]=iota' --arg 'f32[512]' => nothing
extern "C" __global__ void vectors(const float4 *in, float4 *out) {
    __shared__ float4 s[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    s[t] = in[i];
    __syncthreads();
    float4 v = s[63 - t];
    out[i] = make_float4(v.w, v.z, v.y, v.x);
}

// Each thread has every fourth word; no two have the same.
//: strided --block 64 --arg 'f32[256]' => nothing
extern "C" __global__ void strided(float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    for (int k = 0; k < 4; k++) s[4 * t + k] = t + k;
    float sum = 0;
    for (int k = 0; k < 4; k++) sum += s[4 * t + k];
    for (int k = 0; k < 4; k++) out[64 * k + t] = sum;
}

//: doubles --block 64 --arg 'f64[64]=iota' --arg 'f64[64]' => race.shared dw dr
extern "C" __global__ void doubles(const double *in, double *out) {
    __shared__ double s[64];
    int t = threadIdx.x;
    s[t] = in[t]; // [dw]
    out[t] = s[63 - t]; // [dr]
}

// A word that its own thread has read twice, at two places, was not read by several: it may be written. (The other
// access makes this a kernel whose bytes are told apart.)
//: read_twice --grid 2 --block 64 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void read_twice(const int *in, int *out) {
    __shared__ volatile int s[64];
    __shared__ unsigned char bytes[64];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    bytes[t] = (unsigned char)t;
    s[63 - t] = in[i];
    __syncthreads();
    int first = s[t], second = s[t];
    s[t] = first + second;
    __syncthreads();
    out[i] = s[63 - t] + bytes[63 - t];
}
