// Classes of defects, each with a twin that is right. The line above a kernel says what verify, check, run and
// detect (in the emulator) answer; docs/detect.md says what detect leaves to the others.
#include <assert.h>
#include <cooperative_groups.h>

// 1. Scopes: atomics of two blocks need a scope that has both in it.
//= refuted refuted refuted unknown
__global__ void scope_block(unsigned *d) { atomicExch_block(d, blockIdx.x); }
//= proved proved nothing proved
__global__ void scope_device(unsigned *d) { atomicExch(d, blockIdx.x); }

// 2. Strong accesses do not race with each other.
//= proved proved nothing proved
__global__ void strong(unsigned *d) { asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(d), "r"(threadIdx.x) : "memory"); }
//= refuted refuted refuted refuted
__global__ void strong_and_plain(unsigned *d) {
    if (threadIdx.x == 0) d[0] = blockIdx.x;
    else asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(d), "r"(threadIdx.x) : "memory");
}

// 3. A write is seen behind a release and an acquire.
//= proved proved nothing proved
__global__ void message(int *data, volatile int *flag) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        data[0] = 1;
        __threadfence();
        *flag = 1;
    } else if (*flag == 1) {
        __threadfence();
        data[1] = data[0];
    }
}
//= refuted refuted refuted unknown
__global__ void message_late(int *data, volatile int *flag) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        __threadfence();
        *flag = 1;
        data[0] = 1;
    } else if (*flag == 1) {
        __threadfence();
        data[1] = data[0];
    }
}

// 4. Barriers that a part of a warp goes round.
//= refuted refuted refuted unknown
__global__ void half_warp(int *p) {
    if (threadIdx.x < 10) __syncthreads();
    p[blockIdx.x * 64 + threadIdx.x] = 1;
}
//= proved proved nothing proved
__global__ void left_before(int *p) {
    if (threadIdx.x >= 40) return;
    __syncthreads();
    p[blockIdx.x * 64 + threadIdx.x] = 1;
}

//= refuted refuted refuted unknown
__global__ void breaks(int *p) {
    for (int i = 0; i < 64; i++) {
        __syncthreads();
        if (threadIdx.x == i) break;
    }
}
//= refuted refuted refuted unknown
__global__ void turns(int *p) {
    for (int i = 0; i <= threadIdx.x; i++) __syncthreads();
}
//= proved proved nothing proved
__global__ void left_in_loop(int *p) {
    for (int i = 0; i < 4; i++) {
        __syncthreads();
        if (threadIdx.x == i) {
            p[blockIdx.x * 64 + threadIdx.x] = 7;
            return;
        }
    }
    p[blockIdx.x * 64 + threadIdx.x] = 1;
}
//= refuted refuted refuted unknown
__global__ void left_a_group(int *p) {
    if (threadIdx.x >= 40) return;
    cooperative_groups::this_thread_block().sync();
    p[blockIdx.x * 64 + threadIdx.x] = 1;
}

// 5. Assertions.
//= refuted refuted refuted unknown
__global__ void asserts(int *p) {
    assert(blockIdx.x < 1);
    p[blockIdx.x * 64 + threadIdx.x] = 1;
}
//= proved proved nothing proved
__global__ void asserts_right(int *p) {
    assert(blockIdx.x < 2);
    p[blockIdx.x * 64 + threadIdx.x] = 1;
}

// 6. Values that a parameter's type does not have.
//= proved proved nothing proved
__global__ void boolean(int *p, bool b) {
    if (*(unsigned char *)&b > 1) p[0] = threadIdx.x;
}
//= refuted refuted refuted refuted
__global__ void boolean_both(int *p, bool b) {
    if (*(unsigned char *)&b <= 1) p[0] = threadIdx.x;
}

// 7. A line that never runs. (Optimised code, where equal values are written, proves nothing of the code as written.)
//= unknown unknown nothing nothing
__global__ void never(float *x, float *y) {
    y[0] = 0;
    if (x[0] * x[0] < -1.0f) y[0] = threadIdx.x;
}

// 9. Bounds of arrays.
//= refuted refuted refuted unknown
__global__ void outside(int *p) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x + 1];
}
//= proved proved nothing proved
__global__ void inside(int *p) {
    __shared__ int s[65];
    s[threadIdx.x] = threadIdx.x;
    s[64] = 0;
    __syncthreads();
    p[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x + 1];
}

// 11. Arithmetic that wraps around by design.
//= refuted refuted refuted refuted
__global__ void hash(unsigned *table) { table[(threadIdx.x * 2654435761u) >> 28] = threadIdx.x; }
//= proved proved nothing proved
__global__ void permute(unsigned *table) { table[64 * blockIdx.x + (threadIdx.x * 2654435761u) % 64] = threadIdx.x; }

// 12. Operations of a warp that not all lanes of their mask come to.
//= refuted refuted refuted unknown
__global__ void shuffle(int *p) {
    int v = 0;
    if (threadIdx.x < 16) v = __shfl_sync(~0u, threadIdx.x, 0);
    p[blockIdx.x * 64 + threadIdx.x] = v;
}
//= proved proved nothing proved
__global__ void shuffle_half(int *p) {
    int v = 0;
    if (threadIdx.x < 16) v = __shfl_sync(0xffffu, threadIdx.x, 0);
    p[blockIdx.x * 64 + threadIdx.x] = v;
}

// 13. Atomics of two sizes; writes of equal values.
//= refuted refuted refuted unknown
__global__ void sizes(unsigned *d) {
    if (threadIdx.x == 0) atomicAdd(d, 1u);
    else atomicAdd((unsigned long long *)d, 1ull);
}
//= proved proved nothing proved
__global__ void equal(unsigned *d) { d[0] = 7; }

// 14. Positions out of range.
//= proved proved nothing proved
__global__ void fields(int *p) {
    unsigned narrow;
    unsigned long long wide;
    asm("bfe.u32 %0, %1, %2, 1;" : "=r"(narrow) : "r"(threadIdx.x), "r"(256));
    asm("bfe.u64 %0, %1, %2, 1;" : "=l"(wide) : "l"((unsigned long long)threadIdx.x), "r"(256));
    assert(narrow == (threadIdx.x & 1) && wide == 0);
    p[blockIdx.x * 64 + threadIdx.x] = narrow;
}
//= refuted refuted refuted unknown
__global__ void fields_wrong(int *p) {
    unsigned narrow;
    asm("bfe.u32 %0, %1, %2, 1;" : "=r"(narrow) : "r"(threadIdx.x), "r"(256));
    assert(narrow == 0);
    p[blockIdx.x * 64 + threadIdx.x] = narrow;
}

void launch(unsigned *d, int *p, float *x, bool b) {
    scope_block<<<2, 64>>>(d);
    scope_device<<<2, 64>>>(d);
    strong<<<2, 64>>>(d);
    strong_and_plain<<<2, 64>>>(d);
    message<<<2, 64>>>(p, (int *)d);
    message_late<<<2, 64>>>(p, (int *)d);
    half_warp<<<2, 64>>>(p);
    left_before<<<2, 64>>>(p);
    breaks<<<2, 64>>>(p);
    turns<<<2, 64>>>(p);
    left_in_loop<<<2, 64>>>(p);
    left_a_group<<<2, 64>>>(p);
    asserts<<<2, 64>>>(p);
    asserts_right<<<2, 64>>>(p);
    boolean<<<2, 64>>>(p, b);
    boolean_both<<<2, 64>>>(p, b);
    never<<<1, 64>>>(x, (float *)p);
    outside<<<2, 64>>>(p);
    inside<<<2, 64>>>(p);
    hash<<<1, 64>>>(d);
    permute<<<2, 64>>>(d);
    shuffle<<<2, 64>>>(p);
    shuffle_half<<<2, 64>>>(p);
    sizes<<<2, 64>>>(d);
    equal<<<2, 64>>>(d);
    fields<<<2, 64>>>(p);
    fields_wrong<<<2, 64>>>(p);
}
