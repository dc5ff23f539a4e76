// Copies in the background (cp.async): what they read and write until they have been waited for.

#define COPY(to, from)                                                                                        \
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(to)),    \
                 "l"(from)                                                                                    \
                 : "memory")
#define COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)  asm volatile("cp.async.wait_group " #n ";" ::: "memory")

//: copied --grid 2 --block 64 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void copied(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[blockIdx.x * 64 + t]);
    COMMIT();
    WAIT(0);
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t];
}

//: not_waited --grid 2 --block 64 --arg 's32[128]=iota' --arg 's32[128]' => race.shared nc nr
extern "C" __global__ void not_waited(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[blockIdx.x * 64 + t]); // [nc]
    COMMIT();
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t]; // [nr]
}

// Its own element, but too early.
//: own_not_waited --block 64 --arg 's32[128]=iota' --arg 's32[128]' => race.shared oc or
extern "C" __global__ void own_not_waited(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // [oc]
    COMMIT();
    out[t] = s[t]; // [or]
}

//: own_waited --block 64 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void own_waited(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]);
    COMMIT();
    WAIT(0);
    out[t] = s[t];
}

// Waited for by each thread, but not by all before they read.
//: no_barrier --block 64 --arg 's32[128]=iota' --arg 's32[128]' => race.shared bc br
extern "C" __global__ void no_barrier(const int *in, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // [bc]
    COMMIT();
    WAIT(0);
    out[t] = s[63 - t]; // [br]
}

// Two tiles in flight: while one is used the next is on its way.
//: double_buffer --block 64 --arg 's32[512]=iota' --arg 's32[512]' => nothing
extern "C" __global__ void double_buffer(const int *in, int *out) {
    __shared__ int s[2][64];
    int t = threadIdx.x;
    COPY(&s[0][t], &in[t]);
    COMMIT();
    for (int k = 0; k < 8; k++) {
        if (k + 1 < 8) COPY(&s[(k + 1) & 1][t], &in[64 * (k + 1) + t]);
        COMMIT();
        WAIT(1);
        __syncthreads();
        out[64 * k + t] = s[k & 1][63 - t];
        __syncthreads();
    }
}

// The barrier behind the use is missing: the next copy overtakes it.
//: overtaken --block 64 --arg 's32[512]=iota' --arg 's32[512]' => race.shared vc vr
extern "C" __global__ void overtaken(const int *in, int *out) {
    __shared__ int s[2][64];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = -1; k < 8; k++) {
        if (k < 7) COPY(&s[(k + 1) & 1][t], &in[64 * (k + 1) + t]); // [vc]
        COMMIT();
        WAIT(1);
        __syncthreads();
        if (k >= 0) out[64 * k + t] = s[k & 1][63 - t]; // [vr]
    }
}

// One group too many is left in flight.
//: waits_too_little --block 32 --arg 's32[128]=iota' --arg 's32[128]' => race.shared tc tr
extern "C" __global__ void waits_too_little(const int *in, int *out) {
    __shared__ int s[3][32];
    int t = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < 3; k++) {
        COPY(&s[k][t], &in[32 * k + t]); // [tc]
        COMMIT();
    }
    WAIT(1);
    __syncthreads();
    out[t] = s[0][31 - t] + s[1][31 - t];
    out[t + 32] = s[2][31 - t]; // [tr]
}

// The source must stay as it is until the copy is done.
//: source_changed --block 32 --arg 's32[32]=iota' --arg 's32[32]' => race.global sc sw
extern "C" __global__ void source_changed(int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x;
    COPY(&s[t], &in[t]); // [sc]
    in[t] = 0; // [sw]
    COMMIT();
    WAIT(0);
    out[t] = s[t];
}

// Rows at the edge: less is read than is written, the rest becomes zero.
//: zero_fill --block 32 --arg 's32[24]=iota' --arg 's32[32]' => nothing
extern "C" __global__ void zero_fill(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x, size = t < 24 ? 4 : 0;
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"((unsigned)__cvta_generic_to_shared(&s[t])), "l"(&in[t]), "r"(size) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    out[t] = s[31 - t];
}

// Blocks with mbarriers: threads that write the same value to one place, as Triton's do, are a note …
#define INIT(b, n)                                                                                            \
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(b)), "r"(n)    \
                 : "memory")
#define ARRIVE(b)                                                                                             \
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(                                \
                     (unsigned)__cvta_generic_to_shared(b))                                                   \
                 : "memory")
//: equal_values --grid 1 --block 64 --arg 's32[64]=iota' --arg 's32[64]' => nothing
extern "C" __global__ void equal_values(const int *in, int *out) {
    __shared__ unsigned long long b;
    __shared__ int s[2];
    if (threadIdx.x == 0) INIT(&b, 64);
    __syncthreads();
    s[threadIdx.x & 1] = 5 + (threadIdx.x & 1);
    ARRIVE(&b);
    __syncthreads();
    out[threadIdx.x] = s[1];
}

// … and of different values an error.
//: other_values --grid 1 --block 64 --arg 's32[64]=iota' --arg 's32[64]' => race.shared ov ov
extern "C" __global__ void other_values(const int *in, int *out) {
    __shared__ unsigned long long b;
    __shared__ int s[2];
    if (threadIdx.x == 0) INIT(&b, 64);
    __syncthreads();
    s[threadIdx.x & 1] = threadIdx.x / 32; // [ov]
    ARRIVE(&b);
    __syncthreads();
    out[threadIdx.x] = s[1];
}
