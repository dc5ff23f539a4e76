// Blackwell's matrix unit and tensor memory (tcgen05), by the PTX manual: none of it was compared with hardware. Each kernel
// as it was reported, and mended. A and B are tiles of 128 × 16 and 16 × 16 elements (bf16) of core matrices without a
// swizzle; the products are of small whole numbers. Four warps; thread 0 starts the products. (Compiled for sm_90a here, as
// not every clang knows sm_100a: the instructions are passed through. nvcc takes the file for sm_100a.)
//: verify load_not_awaited free_not_awaited product_not_awaited operand_reused_too_early store_not_awaited operand_no_fence pair_not_started never_given_back relaxed_without_fence --arch sm_90a --block 128 --grid 2 => refuted
//: verify load_awaited free_awaited product_awaited operand_reused_in_time store_awaited operand_fence pair_started given_back relaxed_with_fence --arch sm_90a --block 128 --grid 2 => unknown
#include "async.h"

typedef unsigned short bf16;

// start, leading and stride byte offsets of a tile without a swizzle, in units of 16 bytes; the version of the descriptor
#define DESCRIPTOR(tile, leading, stride)                                                                              \
    ((unsigned long long)((AT(tile) & 0x3ffff) >> 4) | (unsigned long long)(leading) << 12 |                           \
     (unsigned long long)(stride) << 28 | 1ull << 46)
// bf16 × bf16 into f32, 16 columns, 128 rows
#define WHAT (1u << 4 | 1u << 7 | 1u << 10 | (16u / 8) << 17 | (128u / 16) << 24)
#define ALLOCATE(to, columns)                                                                                          \
    PTX2("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1", AT(to), columns)
#define ALLOCATE_PAIR(to, columns)                                                                                     \
    PTX2("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1", AT(to), columns)
#define GIVE_BACK(from, columns)      PTX2("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1", from, columns)
#define GIVE_BACK_PAIR(from, columns) PTX2("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1", from, columns)
#define NO_MORE()                     PTX("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned")
#define MULTIPLY(d, a, b, adds)                                                                                        \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }" ::  \
                     "r"(d),                                                                                           \
                 "l"(DESCRIPTOR(a, 128, 256)), "l"(DESCRIPTOR(b, 128, 256)), "r"(WHAT), "r"(adds)                      \
                 : "memory")
#define COMMIT(b)                                                                                                      \
    PTX1("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0]", AT(b))
#define BEFORE()     PTX("tcgen05.fence::before_thread_sync")
#define AFTER()      PTX("tcgen05.fence::after_thread_sync")
#define WAIT_LOAD()  PTX("tcgen05.wait::ld.sync.aligned")
#define WAIT_STORE() PTX("tcgen05.wait::st.sync.aligned")
// Four columns of the warp's 32 lanes
#define GET(v, from)                                                                                                   \
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];"                                       \
                 : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])                                                      \
                 : "r"(from)                                                                                           \
                 : "memory")
#define PUT(to, v)                                                                                                     \
    asm volatile("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %2, %3, %4};" ::"r"(to), "f"(v[0]), "f"(v[1]),      \
                 "f"(v[2]), "f"(v[3])                                                                                  \
                 : "memory")
#define ARRIVE_RELAXED(b) PTX1("mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0]", AT(b))
#define WAIT_RELAXED(b, parity)                                                                                        \
    do {                                                                                                               \
        unsigned over;                                                                                                 \
        do asm volatile(                                                                                               \
            "{ .reg .pred p; mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" \
            : "=r"(over)                                                                                               \
            : "r"(AT(b)), "r"(parity)                                                                                  \
            : "memory");                                                                                               \
        while (!over);                                                                                                 \
    } while (0)

static __device__ __forceinline__ bf16 small(int n) { // a whole number below 256, exactly
    return (bf16)(__float_as_uint((float)n) >> 16);
}

// Operands, tensor memory for 32 columns, and two mbarriers: the products are over, the accumulator may be overwritten.
#define BEGIN()                                                                                                        \
    __shared__ __align__(128) bf16 a[128 * 16], b[16 * 16];                                                            \
    __shared__ unsigned place;                                                                                         \
    __shared__ mbarrier full, empty;                                                                                   \
    int t = threadIdx.x, warp = t / 32;                                                                                \
    for (int k = t; k < 128 * 16; k += 128) a[k] = small(in[k] * 7 >> 3 & 15);                                         \
    for (int k = t; k < 256; k += 128) b[k] = small(1 + (k & 1));                                                      \
    if (t == 0) {                                                                                                      \
        init(&full, 1);                                                                                                \
        init(&empty, 128);                                                                                             \
        fence_init();                                                                                                  \
    }                                                                                                                  \
    if (warp == 0) ALLOCATE(&place, 32);                                                                               \
    fence_proxy();                                                                                                     \
    BEFORE();                                                                                                          \
    __syncthreads();                                                                                                   \
    AFTER();                                                                                                           \
    unsigned d = place, mine = d + ((unsigned)warp << 21);                                                             \
    float v[4]
#define END()                                                                                                          \
    BEFORE();                                                                                                          \
    __syncthreads();                                                                                                   \
    AFTER();                                                                                                           \
    if (warp == 0) GIVE_BACK(d, 32)

// flashinfer #5334: the accumulator is released to the next product while tcgen05.ld still reads it.
//: load_not_awaited --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => race.shared ll lm
extern "C" __global__ void load_not_awaited(const int *in, int *out) {
    BEGIN();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            if (k) wait(&empty, 0);
            AFTER();
            MULTIPLY(d, a, b, 0); // [lm]
            COMMIT(&full);
        }
        wait(&full, k);
        AFTER();
        GET(v, mine); // [ll]
        BEFORE();
        arrive(&empty);
        WAIT_LOAD();
        for (int c = 0; c < 4; c++) out[512 * k + 4 * t + c] = (int)v[c];
    }
    END();
}

//: load_awaited --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void load_awaited(const int *in, int *out) {
    BEGIN();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            if (k) wait(&empty, 0);
            AFTER();
            MULTIPLY(d, a, b, 0);
            COMMIT(&full);
        }
        wait(&full, k);
        AFTER();
        GET(v, mine);
        WAIT_LOAD();
        BEFORE();
        arrive(&empty);
        WAIT_LOAD();
        for (int c = 0; c < 4; c++) out[512 * k + 4 * t + c] = (int)v[c];
    }
    END();
}

// cutlass #3652: lanes that do not use what they have loaded do not wait for it, and tensor memory is given back meanwhile.
//: free_not_awaited --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => race.shared fl ff
extern "C" __global__ void free_not_awaited(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        MULTIPLY(d, a, b, 0);
        COMMIT(&full);
    }
    wait(&full, 0);
    AFTER();
    GET(v, mine); // [fl]
    if (warp == 0) {
        WAIT_LOAD();
        for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    }
    BEFORE();
    __syncthreads();
    AFTER();
    if (warp == 0) GIVE_BACK(d, 32); // [ff]
}

//: free_awaited --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void free_awaited(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        MULTIPLY(d, a, b, 0);
        COMMIT(&full);
    }
    wait(&full, 0);
    AFTER();
    GET(v, mine);
    if (warp == 0) {
        WAIT_LOAD();
        for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    }
    WAIT_LOAD();
    BEFORE();
    __syncthreads();
    AFTER();
    if (warp == 0) GIVE_BACK(d, 32);
}

// The accumulator is read when the product was started, not when it is done: nobody waits for the commit.
//: product_not_awaited --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => race.shared pm pl
extern "C" __global__ void product_not_awaited(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        MULTIPLY(d, a, b, 0); // [pm]
        COMMIT(&full);
    }
    __syncthreads();
    AFTER();
    GET(v, mine); // [pl]
    WAIT_LOAD();
    for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    wait(&full, 0);
    END();
}

//: product_awaited --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void product_awaited(const int *in, int *out) {
    BEGIN();
    if (t == 0) {
        MULTIPLY(d, a, b, 0);
        COMMIT(&full);
    }
    __syncthreads();
    wait(&full, 0);
    AFTER();
    GET(v, mine);
    WAIT_LOAD();
    for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    wait(&full, 0);
    END();
}

// The operand in shared memory is overwritten while the matrix unit may still read it.
//: operand_reused_too_early --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => race.shared om ow
extern "C" __global__ void operand_reused_too_early(const int *in, int *out) {
    BEGIN();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            MULTIPLY(d, a, b, k); // [om]
            COMMIT(&full);
        }
        __syncthreads();
        if (k == 0) {
            for (int e = t; e < 256; e += 128) b[e] = small(3); // [ow]
            fence_proxy();
        }
        wait(&full, k);
        __syncthreads();
    }
    AFTER();
    GET(v, mine);
    WAIT_LOAD();
    for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    END();
}

//: operand_reused_in_time --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void operand_reused_in_time(const int *in, int *out) {
    BEGIN();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            MULTIPLY(d, a, b, k);
            COMMIT(&full);
        }
        wait(&full, k);
        __syncthreads();
        if (k == 0) {
            for (int e = t; e < 256; e += 128) b[e] = small(3);
            fence_proxy();
        }
        __syncthreads();
    }
    AFTER();
    GET(v, mine);
    WAIT_LOAD();
    for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    END();
}

// The accumulator is set by tcgen05.st, and the product is started before the store is done (tilelang #2644).
//: store_not_awaited --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => race.shared sp sm
extern "C" __global__ void store_not_awaited(const int *in, int *out) {
    BEGIN();
    for (int c = 0; c < 4; c++) v[c] = (float)(t + c);
    PUT(mine, v); // [sp]
    BEFORE();
    __syncthreads();
    AFTER();
    if (t == 0) {
        MULTIPLY(d, a, b, 1); // [sm]
        COMMIT(&full);
    }
    wait(&full, 0);
    AFTER();
    GET(v, mine);
    WAIT_LOAD();
    for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    END();
}

//: store_awaited --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void store_awaited(const int *in, int *out) {
    BEGIN();
    for (int c = 0; c < 4; c++) v[c] = (float)(t + c);
    PUT(mine, v);
    WAIT_STORE();
    BEFORE();
    __syncthreads();
    AFTER();
    if (t == 0) {
        MULTIPLY(d, a, b, 1);
        COMMIT(&full);
    }
    wait(&full, 0);
    AFTER();
    GET(v, mine);
    WAIT_LOAD();
    for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    END();
}

// The operands are written by ordinary stores, and the matrix unit need not see them (sglang #39124; as tilelang #2634
// with wgmma).
//: operand_no_fence --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => async.proxy nw nm
extern "C" __global__ void operand_no_fence(const int *in, int *out) {
    BEGIN();
    for (int e = t; e < 256; e += 128) b[e] = small(2); // [nw]
    __syncthreads();
    if (t == 0) {
        MULTIPLY(d, a, b, 0); // [nm]
        COMMIT(&full);
    }
    wait(&full, 0);
    AFTER();
    GET(v, mine);
    WAIT_LOAD();
    for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    END();
}

//: operand_fence --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void operand_fence(const int *in, int *out) {
    BEGIN();
    for (int e = t; e < 256; e += 128) b[e] = small(2);
    fence_proxy();
    __syncthreads();
    if (t == 0) {
        MULTIPLY(d, a, b, 0);
        COMMIT(&full);
    }
    wait(&full, 0);
    AFTER();
    GET(v, mine);
    WAIT_LOAD();
    for (int c = 0; c < 4; c++) out[4 * t + c] = (int)v[c];
    END();
}

// With relaxed arrivals and waits the fences of tcgen05 are what orders its operations (cutlass #2974).
//: relaxed_without_fence --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => race.shared xl xm
extern "C" __global__ void relaxed_without_fence(const int *in, int *out) {
    BEGIN();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            if (k) WAIT_RELAXED(&empty, 0);
            MULTIPLY(d, a, b, 0); // [xm]
            COMMIT(&full);
        }
        wait(&full, k);
        AFTER();
        GET(v, mine); // [xl]
        WAIT_LOAD();
        ARRIVE_RELAXED(&empty);
        for (int c = 0; c < 4; c++) out[512 * k + 4 * t + c] = (int)v[c];
    }
    END();
}

//: relaxed_with_fence --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void relaxed_with_fence(const int *in, int *out) {
    BEGIN();
#pragma unroll 1
    for (int k = 0; k < 2; k++) {
        if (t == 0) {
            if (k) WAIT_RELAXED(&empty, 0);
            AFTER();
            MULTIPLY(d, a, b, 0);
            COMMIT(&full);
        }
        wait(&full, k);
        AFTER();
        GET(v, mine);
        WAIT_LOAD();
        BEFORE();
        ARRIVE_RELAXED(&empty);
        for (int c = 0; c < 4; c++) out[512 * k + 4 * t + c] = (int)v[c];
    }
    END();
}

// cutlass #3316, tilelang #2644: tensor memory of a pair is allocated before it is known that the other block has started.
//: pair_not_started --arch sm_90a --cluster 2 --grid 2 --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => async.unfinished ua
extern "C" __global__ void pair_not_started(const int *in, int *out) {
    __shared__ unsigned place;
    int t = threadIdx.x, warp = t / 32;
    if (warp == 0) ALLOCATE_PAIR(&place, 32); // [ua]
    BEFORE();
    __syncthreads();
    AFTER();
    out[128 * blockIdx.x + t] = in[t] + (int)place;
    PTX("barrier.cluster.arrive.aligned");
    PTX("barrier.cluster.wait.aligned");
    if (warp == 0) GIVE_BACK_PAIR(place, 32);
}

//: pair_started --arch sm_90a --cluster 2 --grid 2 --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void pair_started(const int *in, int *out) {
    __shared__ unsigned place;
    int t = threadIdx.x, warp = t / 32;
    PTX("barrier.cluster.arrive.aligned");
    PTX("barrier.cluster.wait.aligned");
    if (warp == 0) ALLOCATE_PAIR(&place, 32);
    BEFORE();
    __syncthreads();
    AFTER();
    out[128 * blockIdx.x + t] = in[t] + (int)place;
    PTX("barrier.cluster.arrive.aligned");
    PTX("barrier.cluster.wait.aligned");
    if (warp == 0) GIVE_BACK_PAIR(place, 32);
}

// Tensor memory is not given back: later blocks on the same multiprocessor wait for it for ever.
//: never_given_back --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => async.unfinished ga
extern "C" __global__ void never_given_back(const int *in, int *out) {
    __shared__ unsigned place;
    int t = threadIdx.x;
    if (t < 32) {
        ALLOCATE(&place, 64); // [ga]
        NO_MORE();
    }
    __syncthreads();
    out[t] = in[t] + (int)place;
}

//: given_back --arch sm_90a --block 128 --arg 's32[2048]=iota' --arg 's32[1024]' => nothing
extern "C" __global__ void given_back(const int *in, int *out) {
    __shared__ unsigned place;
    int t = threadIdx.x;
    if (t < 32) {
        ALLOCATE(&place, 64);
        NO_MORE();
    }
    __syncthreads();
    out[t] = in[t] + (int)place;
    __syncthreads();
    if (t < 32) GIVE_BACK(place, 64);
}
