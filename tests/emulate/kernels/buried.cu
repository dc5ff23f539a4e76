// A plain store under the same thread's atomic operations: what memory holds is not what was stored. Another thread
// that stores the same is a note, as everywhere; one that stores what memory holds by then is not.

__device__ void put(int *at, int value) { asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(at), "r"(value)); }

//: equal_under_add --grid 1 --block 64 --arg 's32[64]' => nothing
extern "C" __global__ void equal_under_add(int *p) {
    if (threadIdx.x == 2) {
        p[0] = 1;
        atomicAdd(p, 2);
        atomicAdd(p, 4);
    }
    if (threadIdx.x == 32) put(p, 1);
}

//: other_under_add --grid 1 --block 64 --arg 's32[64]' => race.global ow ox
extern "C" __global__ void other_under_add(int *p) {
    if (threadIdx.x == 2) {
        p[0] = 1; // [ow]
        atomicAdd(p, 2);
    }
    if (threadIdx.x == 32) asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(p), "r"(3)); // [ox]
}

// Stored again between the two: the later value counts.
//: stored_twice --grid 1 --block 64 --arg 's32[64]' => nothing
extern "C" __global__ void stored_twice(int *p) {
    if (threadIdx.x == 2)
        for (int i = 0; i < 2; i++) {
            *(volatile int *)p = 7 - i;
            p[0] = 5 + i;
            atomicAdd(p, 2);
        }
    if (threadIdx.x == 32) put(p, 6);
}

// The halves of a wide one.
//: wide_equal --grid 1 --block 64 --arg 'u64[64]' => nothing
extern "C" __global__ void wide_equal(unsigned long long *p) {
    if (threadIdx.x == 2) {
        p[0] = 0x100000001;
        atomicAdd(p, 0x700000001ull);
    }
    if (threadIdx.x == 32) asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(0x100000001));
}

//: wide_other --grid 1 --block 64 --arg 'u64[64]' => race.global ww wx
extern "C" __global__ void wide_other(unsigned long long *p) {
    if (threadIdx.x == 2) {
        p[0] = 0x100000001; // [ww]
        atomicAdd(p, 0x700000000ull);
    }
    if (threadIdx.x == 32) asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(0x800000001)); // [wx]
}

// In shared memory, and where bytes are told apart.
//: shared_equal --grid 2 --block 64 --arg 's8[64]' => nothing
extern "C" __global__ void shared_equal(signed char *out) {
    __shared__ int s[4];
    if (threadIdx.x == 2) {
        s[1] = 9;
        atomicMax(&s[1], 12);
    }
    if (threadIdx.x == 32)
        asm volatile("st.relaxed.cta.shared.s32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(&s[1])), "r"(9));
    __syncthreads();
    if (blockIdx.x == 0) out[threadIdx.x] = (signed char)s[1];
}

//: shared_other --grid 2 --block 64 --arg 's8[64]' => race.shared sw sx
extern "C" __global__ void shared_other(signed char *out) {
    __shared__ int s[4];
    if (threadIdx.x == 2) {
        s[1] = 9; // [sw]
        atomicMax(&s[1], 12);
    }
    if (threadIdx.x == 32)
        asm volatile("st.relaxed.cta.shared.s32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(&s[1])), "r"(12)); // [sx]
    __syncthreads();
    if (blockIdx.x == 0) out[threadIdx.x] = (signed char)s[1];
}
