// nvcc's built-in atomic functions (since CUDA 12.8), with the order and the scope as arguments.
//: output sums 64 32 -64, greatest 68, least 5, bits 63 0
//: output exchanged 64, the last one was 63, 1 store
#include <cstdio>

struct results {
    int added, taken, bits, both;
    float halves;
    unsigned long long greatest, least;
    unsigned chain, last, stored;
};

__global__ void all(results *r) {
    const unsigned i = threadIdx.x;
    __nv_atomic_fetch_add(&r->added, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_fetch_sub(&r->taken, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_add(&r->halves, 0.5f, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_max(&r->greatest, (unsigned long long)i + 5, __NV_ATOMIC_RELAXED);
    __nv_atomic_min(&r->least, (unsigned long long)i + 5, __NV_ATOMIC_RELAXED);
    __nv_atomic_or(&r->bits, (int)i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_and(&r->both, (int)i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    /* One after the other: each finds the number of the one before it. */
    unsigned expected;
    do {
        expected = i;
    } while (!__nv_atomic_compare_exchange_n(&r->chain, &expected, i + 1, false, __NV_ATOMIC_ACQ_REL,
                                             __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE));
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
    const unsigned links = __nv_atomic_load_n(&r->chain, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
    if (links == blockDim.x && i == links - 1) {
        __nv_atomic_exchange_n(&r->last, i, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
        __nv_atomic_store_n(&r->stored, 1u, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    }
}

int main() {
    results *r;
    cudaMallocManaged(&r, sizeof *r);
    *r = {};
    r->least = 1000;
    r->both = ~0;
    all<<<1, 64>>>(r);
    cudaDeviceSynchronize();
    printf("sums %d %g %d, greatest %llu, least %llu, bits %d %d\n", r->added, r->halves, r->taken, r->greatest,
           r->least, r->bits, r->both);
    printf("exchanged %u, the last one was %u, %u store\n", r->chain, r->last, r->stored);
    cudaFree(r);
    return 0;
}
