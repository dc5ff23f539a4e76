// Races in shared memory of today's inference kernels that have nothing asynchronous about them. Each kernel as it was
// reported, and mended.
//: verify ids_kept combine_behind_tile carry_behind_barrier --block 64 --grid 1 => proved
//: verify ids_reused combine_in_tile carry_in_round --block 64 --grid 1 => refuted
//: verify steps_apart lanes_met padding_left_out --block 32 --grid 1 => proved
//: verify steps_overlap lanes_not_met padding_overlaps --block 32 --grid 1 => refuted

// llama.cpp #13294: the list of destinations is filled anew for the next tile while other threads still use it.
//: ids_reused --block 64 --arg 's32[256]=iota' --arg 's32[256]' => race.shared iw ir
extern "C" __global__ void ids_reused(const int *in, int *out) {
    __shared__ int ids[64];
    int t = threadIdx.x;
    for (int tile = 0; tile < 4; tile++) {
        ids[t] = in[64 * tile + 63 - t]; // [iw]
        __syncthreads();
        out[ids[(t + 1) % 64]] = tile; // [ir]
    }
}

//: ids_kept --block 64 --arg 's32[256]=iota' --arg 's32[256]' => nothing
extern "C" __global__ void ids_kept(const int *in, int *out) {
    __shared__ int ids[64];
    int t = threadIdx.x;
    for (int tile = 0; tile < 4; tile++) {
        ids[t] = in[64 * tile + 63 - t];
        __syncthreads();
        out[ids[(t + 1) % 64]] = tile;
        __syncthreads();
    }
}

// llama.cpp #13438: the partial results of the warps are combined in memory that the last tile of keys is still read from.
//: combine_in_tile --block 64 --arg 's32[64]=iota' --arg 's32[64]' => race.shared cw cr
extern "C" __global__ void combine_in_tile(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 64; k++) sum += tile[(t + k) % 64] * (k & 3); // [cr]
    tile[t] = sum; // [cw]
    __syncthreads();
    out[t] = tile[t ^ 32];
}

//: combine_behind_tile --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void combine_behind_tile(const int *in, int *out) {
    __shared__ int tile[64];
    int t = threadIdx.x;
    tile[t] = in[t];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 64; k++) sum += tile[(t + k) % 64] * (k & 3);
    __syncthreads();
    tile[t] = sum;
    __syncthreads();
    out[t] = tile[t ^ 32];
}

// llama.cpp #24360: a scan over time reads the step's inputs from shared memory, and the next step overwrites them.
//: steps_overlap --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared sw sr
extern "C" __global__ void steps_overlap(const int *in, int *out) {
    __shared__ int b[32];
    int t = threadIdx.x, state = 0;
    for (int step = 0; step < 4; step++) {
        b[t] = in[32 * step + t]; // [sw]
        __syncthreads();
        state += b[31 - t]; // [sr]
        out[32 * step + t] = state;
    }
}

//: steps_apart --block 32 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void steps_apart(const int *in, int *out) {
    __shared__ int b[32];
    int t = threadIdx.x, state = 0;
    for (int step = 0; step < 4; step++) {
        b[t] = in[32 * step + t];
        __syncthreads();
        state += b[31 - t];
        out[32 * step + t] = state;
        __syncthreads();
    }
}

// llama.cpp #28475: lanes of one warp exchange values through shared memory without a barrier of the warp.
//: lanes_not_met --block 32 --arg 's32[32]=iota' --arg 's32[32]' => race.shared lw lr
extern "C" __global__ void lanes_not_met(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t]; // [lw]
    out[t] = s[t ^ 1]; // [lr]
}

//: lanes_met --block 32 --arg 's32[32]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void lanes_met(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    out[t] = s[t ^ 1];
}

// llama.cpp #28358: all lanes store their padding, and where the vector is shorter than the warp it lands on what other
// lanes store behind it.
//: padding_overlaps --block 32 --arg 's32[32]=iota' --arg 's32[32]' => race.shared pw pq
extern "C" __global__ void padding_overlaps(const int *in, int *out) {
    __shared__ int s[48];
    int t = threadIdx.x, n = 16;
    s[t] = t < n ? in[t] : -1; // [pq]
    if (t % 8 == 0) s[n + t / 8] = in[t]; // [pw]
    __syncwarp();
    out[t] = s[t];
}

//: padding_left_out --block 32 --arg 's32[32]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void padding_left_out(const int *in, int *out) {
    __shared__ int s[48];
    int t = threadIdx.x, n = 16;
    if (t < n) s[t] = in[t];
    if (t % 8 == 0) s[n + t / 8] = in[t];
    __syncwarp();
    out[t] = t < n + 4 ? s[t] : 0;
}

// llama.cpp #18448: a sum over a row goes from chunk to chunk with a carry in shared memory, which the last thread writes
// while others still add it.
//: carry_in_round --block 64 --arg 's32[256]=iota' --arg 's32[256]' => race.shared kw kr
extern "C" __global__ void carry_in_round(const int *in, int *out) {
    __shared__ int carry;
    int t = threadIdx.x;
    if (t == 0) carry = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        int sum = in[64 * k + t] + carry; // [kr]
        out[64 * k + t] = sum;
        if (t == 63) carry = sum; // [kw]
        __syncthreads();
    }
}

//: carry_behind_barrier --block 64 --arg 's32[256]=iota' --arg 's32[256]' => nothing
extern "C" __global__ void carry_behind_barrier(const int *in, int *out) {
    __shared__ int carry;
    int t = threadIdx.x;
    if (t == 0) carry = 0;
    __syncthreads();
    for (int k = 0; k < 4; k++) {
        int sum = in[64 * k + t] + carry;
        out[64 * k + t] = sum;
        __syncthreads();
        if (t == 63) carry = sum;
        __syncthreads();
    }
}
