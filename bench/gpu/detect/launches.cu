// Launches of all kinds, for `lockstep detect -- ./launches KIND correct|racy`: a scatter by indices from memory,
// which offsets tell nothing of, captured into a graph, a node of one that is built by hand, cooperative, in clusters,
// on two streams, overlapping with the launch before, or compiled at run time (NVRTC, as CuPy does). Prints the sum of
// what is left in memory, and the mean time of launch and wait. nvcc -O3 -std=c++17 -lineinfo launches.cu -o launches -lnvrtc -lcuda
#include <chrono>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>
#include <nvrtc.h>
#include <string>
#include <vector>

#define SCATTER                                                                                              \
    extern "C" __global__ void scatter(int *out, const int *where, int n) {                                  \
        __shared__ int s[256];                                                                               \
        int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;                                                \
        s[where[i] & 255] = i;                                                                               \
        __syncthreads();                                                                                     \
        if (i < n) out[where[i]] = s[t];                                                                     \
    }
#define TEXT(...)   #__VA_ARGS__
#define TEXT_OF(...) TEXT(__VA_ARGS__)
SCATTER

enum { N = 1 << 22, BLOCK = 256, TIMES = 20 };

static void launch(const char *kind, cudaStream_t stream, int *out, const int *where) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    config.gridDim = N / BLOCK, config.blockDim = BLOCK, config.stream = stream;
    config.attrs = &attribute, config.numAttrs = 1;
    attribute.id = cudaLaunchAttributePriority;
    if (!strcmp(kind, "cluster")) {
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = 2, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    } else if (!strcmp(kind, "overlap")) {
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    } else if (!strcmp(kind, "cooperative")) { // all blocks at once: fewer of them
        config.gridDim = 256;
        attribute.id = cudaLaunchAttributeCooperative;
        attribute.val.cooperative = 1;
    }
    cudaLaunchKernelEx(&config, scatter, out, where, (int)N);
}

static CUfunction compiled() {
    static const char source[] = TEXT_OF(SCATTER);
    nvrtcProgram program;
    CUmodule module;
    CUfunction function;
    size_t size;
    const char *options[] = {"-arch=sm_90", "-lineinfo"};
    nvrtcCreateProgram(&program, source, "scatter.cu", 0, nullptr, nullptr);
    nvrtcCompileProgram(program, 2, options);
    nvrtcGetCUBINSize(program, &size);
    std::vector<char> cubin(size);
    nvrtcGetCUBIN(program, cubin.data());
    cuModuleLoadData(&module, cubin.data());
    cuModuleGetFunction(&function, module, "scatter");
    return function;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "plain";
    bool racy = argc > 2 && !strcmp(argv[2], "racy");
    int *out, *where, n = N;
    std::vector<int> order(N), result(N);
    for (int i = 0; i < N; i++) order[i] = (int)((i * 37ll + 11) % N);
    if (racy) order[N / 300] = order[N / 300 + 1000]; // two blocks write one element
    cudaMalloc(&out, N * 4), cudaMalloc(&where, N * 4);
    cudaMemset(out, 0, N * 4);
    cudaMemcpy(where, order.data(), N * 4, cudaMemcpyHostToDevice);
    cudaStream_t one = nullptr, other = nullptr;
    cudaGraph_t graph;
    cudaGraphExec_t ready = nullptr;
    CUfunction function = nullptr;
    if (!strcmp(kind, "streams")) cudaStreamCreate(&one), cudaStreamCreate(&other);
    if (!strcmp(kind, "nvrtc")) function = compiled();
    if (!strcmp(kind, "graph")) {
        cudaStreamCreate(&one);
        cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
        launch(kind, one, out, where);
        cudaStreamEndCapture(one, &graph);
        cudaGraphInstantiate(&ready, graph, 0);
    }
    if (!strcmp(kind, "nodes")) {
        cudaGraphNode_t clear, node;
        int size = N;
        void *parameters[] = {&out, &where, &size};
        cudaMemsetParams fill = {};
        fill.dst = out, fill.elementSize = 4, fill.width = N, fill.height = 1;
        cudaKernelNodeParams kernel = {};
        kernel.func = (void *)scatter, kernel.gridDim = N / BLOCK, kernel.blockDim = BLOCK, kernel.kernelParams = parameters;
        cudaGraphCreate(&graph, 0);
        cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &fill);
        cudaGraphAddKernelNode(&node, graph, &clear, 1, &kernel);
        cudaGraphInstantiate(&ready, graph, 0);
    }
    double total = 0, least = 1e30;
    for (int i = 0; i < TIMES; i++) {
        auto start = std::chrono::steady_clock::now();
        void *parameters[] = {&out, &where, &n};
        if (ready)
            cudaGraphLaunch(ready, one);
        else if (function)
            cuLaunchKernel(function, N / BLOCK, 1, 1, BLOCK, 1, 1, 0, nullptr, parameters, nullptr);
        else
            launch(kind, i % 2 ? other : one, out, where);
        cudaDeviceSynchronize();
        double took = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
        if (i) total += took;
        if (i && took < least) least = took;
    }
    cudaMemcpy(result.data(), out, N * 4, cudaMemcpyDeviceToHost);
    unsigned long long sum = 0;
    for (int i = 0; i < N; i++) sum = sum * 31 + (unsigned)result[i];
    printf("%-12s %-7s %9.1f us in the mean, %9.1f at least; sum %016llx; %s\n", kind, racy ? "racy" : "correct",
           total / (TIMES - 1), least, sum, cudaGetErrorString(cudaGetLastError()));
}
