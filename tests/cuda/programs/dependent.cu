// Programmatic dependent launches: a kernel that may start before the one in front of it in the stream has ended reads what that
// one writes, before it waits (as cccl #11569, llama.cpp #23690), and behind the wait.
//: output early 256
//: output waited 512
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

int main() {
    printf("early %d\n", run(consume_early, 1));
    printf("waited %d\n", run(consume, 2));
    return 0;
}
