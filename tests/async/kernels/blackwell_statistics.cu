// cutlass #3653: a group of warps hands the statistics of its rows to another one through tensor memory, tile by tile, and
// arrives at the mbarrier while tcgen05.st may still be writing them; and mended. The four warps of softmax write the old and
// the new maximum of a row, the four of the correction read them. (By the PTX manual, not compared with hardware; compiled
// for sm_90a as blackwell.cu is.)
//: verify statistics_published_early --arch sm_90a --block 256 --grid 1 => refuted
//: verify statistics_published --arch sm_90a --block 256 --grid 1 => unknown
#include "async.h"

#define TILES 3
#define ALLOCATE(to, columns)                                                                                          \
    PTX2("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1", AT(to), columns)
#define GIVE_BACK(from, columns) PTX2("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1", from, columns)
#define WAIT_LOAD()              PTX("tcgen05.wait::ld.sync.aligned")
#define WAIT_STORE()             PTX("tcgen05.wait::st.sync.aligned")
#define GET(v, from)                                                                                                   \
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%0, %1}, [%2];"                                               \
                 : "=r"(v[0]), "=r"(v[1])                                                                              \
                 : "r"(from)                                                                                           \
                 : "memory")
#define PUT(to, v)                                                                                                     \
    asm volatile("tcgen05.st.sync.aligned.32x32b.x2.b32 [%0], {%1, %2};" ::"r"(to), "r"(v[0]), "r"(v[1]) : "memory")

// Where a thread's row is: 32 lanes for each warp of a group.
#define BEGIN()                                                                                                        \
    __shared__ unsigned columns;                                                                                       \
    __shared__ mbarrier full, empty;                                                                                   \
    int t = threadIdx.x, row = t % 128, v[2];                                                                          \
    if (t < 32) ALLOCATE(&columns, 32);                                                                                \
    if (t == 0) {                                                                                                      \
        init(&full, 128);                                                                                              \
        init(&empty, 128);                                                                                             \
    }                                                                                                                  \
    __syncthreads();                                                                                                   \
    unsigned mine = columns + ((unsigned)(row / 32) << 21)
#define END()                                                                                                          \
    __syncthreads();                                                                                                   \
    if (t < 32) GIVE_BACK(columns, 32)

//: statistics_published_early --arch sm_90a --block 256 --arg 's32[512]=iota' --arg 's32[256]' => race.shared pe pg
extern "C" __global__ void statistics_published_early(const int *in, int *out) {
    BEGIN();
    if (t < 128) {
        for (int k = 0; k < TILES; k++) {
            if (k) wait(&empty, (k - 1) & 1);
            v[0] = in[row], v[1] = in[row + 128] + k;
            PUT(mine, v); // [pe]
            arrive(&full);
            WAIT_STORE(); // too late: the others were told already
        }
    } else {
        int sum = 0;
        for (int k = 0; k < TILES; k++) {
            wait(&full, k & 1);
            GET(v, mine); // [pg]
            WAIT_LOAD();
            sum += v[1] - v[0];
            arrive(&empty);
        }
        out[row] = sum;
    }
    END();
}

//: statistics_published --arch sm_90a --block 256 --arg 's32[512]=iota' --arg 's32[256]' => nothing
extern "C" __global__ void statistics_published(const int *in, int *out) {
    BEGIN();
    if (t < 128) {
        for (int k = 0; k < TILES; k++) {
            if (k) wait(&empty, (k - 1) & 1);
            v[0] = in[row], v[1] = in[row + 128] + k;
            PUT(mine, v);
            WAIT_STORE();
            arrive(&full);
        }
    } else {
        int sum = 0;
        for (int k = 0; k < TILES; k++) {
            wait(&full, k & 1);
            GET(v, mine);
            WAIT_LOAD();
            sum += v[1] - v[0];
            arrive(&empty);
        }
        out[row] = sum;
    }
    END();
}
