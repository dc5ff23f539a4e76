// What cannot be watched on a GPU, and runs in the emulator instead: a bulk copy that an mbarrier tells the end
// of, and a named barrier at which two warps hand over to the two others. Each also with a race.
template <bool RACY> __device__ void pull(float *out, const float *in) {
    __shared__ alignas(16) float tile[128];
    __shared__ alignas(8) unsigned long long full;
    unsigned t = threadIdx.x, bar = __cvta_generic_to_shared(&full), to = __cvta_generic_to_shared(tile);
    if (t == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    if (t == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 512;" ::"r"(bar) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 512, [%2];" ::"r"(to),
                     "l"(in + blockIdx.x * 128), "r"(bar)
                     : "memory");
    }
    for (unsigned done = RACY; !done;)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    out[blockIdx.x * 128 + t] = 2 * tile[t];
    __syncthreads();
    if (RACY && t == 0) asm volatile("{ .reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; @!p bra WAIT; }" ::"r"(bar) : "memory");
}

template <bool RACY> __device__ void hand(float *out, const float *in) {
    __shared__ float tile[64];
    unsigned t = threadIdx.x;
    if (t < 64) {
        tile[t] = in[blockIdx.x * 128 + t];
        asm volatile("barrier.cta.arrive 1, 128;" ::: "memory");
    } else {
        if (!RACY) asm volatile("barrier.cta.sync 1, 128;" ::: "memory");
        out[blockIdx.x * 128 + t] = tile[t - 64];
        if (RACY) asm volatile("barrier.cta.sync 1, 128;" ::: "memory");
    }
}

__device__ int early;

extern "C" __global__ void pulled(float *out, const float *in) { pull<false>(out, in); }
extern "C" __global__ void racy_pulled(float *out, const float *in) { pull<true>(out, in); }
extern "C" __global__ void handed(float *out, const float *in) { hand<false>(out, in); }
extern "C" __global__ void racy_handed(float *out, const float *in) { hand<true>(out, in); }
// Blocks of a cluster hand over at its barrier, and without it.
template <bool RACY> __device__ void meet(float *out, float *in) {
    out[blockIdx.x * 128 + threadIdx.x] = threadIdx.x;
    if (!RACY) asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
    in[blockIdx.x * 128 + threadIdx.x] = out[(blockIdx.x ^ 1) * 128 + threadIdx.x];
    if (RACY) asm volatile("barrier.cluster.arrive.release; barrier.cluster.wait.acquire;" ::: "memory");
}
extern "C" __global__ void __cluster_dims__(2) met(float *out, float *in) { meet<false>(out, in); }
extern "C" __global__ void __cluster_dims__(2) racy_met(float *out, float *in) { meet<true>(out, in); }
// The readers wait for each other alone.
extern "C" __global__ void racy_apart(float *out, const float *in) {
    __shared__ float tile[64];
    unsigned t = threadIdx.x;
    if (t < 64) {
        tile[t] = in[blockIdx.x * 128 + t];
    } else {
        asm volatile("barrier.cta.sync 1, 64;" ::: "memory");
        out[blockIdx.x * 128 + t] = tile[t - 64];
    }
}
// Whether it races is said by a variable of the program.
extern "C" __global__ void handed_early(float *out, const float *in) {
    if (early) hand<true>(out, in);
    else hand<false>(out, in);
}
