// Programmatic dependent launches: a kernel that may start before the one in front of it in the stream has ended reads what that
// one writes, before it waits (as cccl #11569, llama.cpp #23690), and behind the wait; one that never waits, as CUTLASS's array
// and grouped products of Hopper (cutlass #2760), whose producer warp alone copies by bulk copies; and a sort in three steps
// that overwrites, before it waits, what the step in front of it still reads (cccl #3131).
//: output early 256
//: output waited 512
//: output never waited 768
//: output waited by the producer 1024
//: output merged too early 1
//: output merged 1
//: finds race.stream
//: flags -arch=sm_90
#include <cstdio>

__global__ void produce(int *data, int value) {
    data[threadIdx.x] = value;
    cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void consume_early(const int *data, int *sum) {
    int value = data[threadIdx.x]; // too early
    cudaGridDependencySynchronize();
    atomicAdd(sum, value);
}

__global__ void consume(const int *data, int *sum) {
    cudaGridDependencySynchronize();
    atomicAdd(sum, data[threadIdx.x]);
}

// A ring of one stage: thread 0 copies for all, with or without waiting for the previous launch.
template <bool WAITS> __global__ void product(const int *data, int *sum) {
    __shared__ __align__(128) int stage[256];
    __shared__ unsigned long long full;
    unsigned at = (unsigned)__cvta_generic_to_shared(&full), to = (unsigned)__cvta_generic_to_shared(stage), over = 0;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1; fence.mbarrier_init.release.cluster;" ::"r"(at) : "memory");
        if (WAITS) cudaGridDependencySynchronize();
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 1024;" ::"r"(at) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(to),
                     "l"(data), "r"(at)
                     : "memory");
    }
    __syncthreads();
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at)
                     : "memory");
    if (WAITS && threadIdx.x) cudaGridDependencySynchronize();
    atomicAdd(sum, stage[threadIdx.x]);
}

static int run(void (*kernel)(const int *, int *), int value) {
    int *data, *sum, result = 0;
    cudaMalloc(&data, 256 * sizeof *data);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 256;
    config.attrs = &attribute;
    config.numAttrs = 1;
    produce<<<1, 256>>>(data, value);
    cudaLaunchKernelEx(&config, kernel, (const int *)data, sum);
    cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(data);
    cudaFree(sum);
    return result;
}

// Keys are written, partitions are looked up in them, and the merge overwrites the keys: where it begins before its wait, the
// launch in front of it may still read them.
__global__ void look_up(const int *keys, int *partitions) {
    cudaGridDependencySynchronize();
    partitions[threadIdx.x] = keys[threadIdx.x] & 1;
    cudaTriggerProgrammaticLaunchCompletion();
}

template <bool EARLY> __global__ void merge(int *keys, const int *partitions) {
    int t = threadIdx.x;
    if (EARLY) keys[t] = t;
    cudaGridDependencySynchronize();
    keys[t] = t + partitions[t];
}

static int sort(void (*kernel)(int *, const int *)) {
    int *keys, *partitions, last[2];
    cudaMalloc(&keys, 256 * sizeof *keys);
    cudaMalloc(&partitions, 256 * sizeof *partitions);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = 1;
    config.blockDim = 256;
    config.attrs = &attribute;
    config.numAttrs = 1;
    produce<<<1, 256>>>(keys, 3);
    cudaLaunchKernelEx(&config, look_up, (const int *)keys, partitions);
    cudaLaunchKernelEx(&config, kernel, keys, (const int *)partitions);
    cudaMemcpy(last, keys, sizeof last, cudaMemcpyDeviceToHost);
    cudaFree(keys);
    cudaFree(partitions);
    return last[1] - last[0];
}

int main() {
    printf("early %d\n", run(consume_early, 1));
    printf("waited %d\n", run(consume, 2));
    printf("never waited %d\n", run(product<false>, 3));
    printf("waited by the producer %d\n", run(product<true>, 4));
    printf("merged too early %d\n", sort(merge<true>));
    printf("merged %d\n", sort(merge<false>));
    return 0;
}
