// What is not allowed while a stream captures: what each call answers, whether the capture is broken by it (2) or
// goes on (1), and how it ends, as on an H200; and clusters that no launch can have.
//: output malloc 900 2 901 | 900 2 901 | 0 1 0
//: output free 900 2 901 | 900 2 901 | 0 1 0
//: output pinned 900 2 901 | 900 2 901 | 0 1 0
//: output copy 906 2 901 | 906 2 901 | 906 2 901
//: output default 906 2 901 | 906 2 901 | 906 2 901
//: output pooled 906 2 901 | 906 2 901 | 906 2 901
//: output beside 0 1 0 | 0 1 0 | 0 1 0
//: output wait 900 2 901 | 900 2 901 | 900 2 901
//: output waitother 900 2 901 | 900 2 901 | 0 1 0
//: output device 900 2 901 | 900 2 901 | 900 2 901
//: output before 900 2 901 | 900 2 901 | 0 1 0
//: output captured 907 2 901 | 907 2 901 | 907 2 901
//: output time 907 1 0 | 907 1 0 | 907 1 0
//: output isolated 905 2 901 | 905 2 901 | 905 2 901
//: output external 0 1 0 | 0 1 0 | 0 1 0
//: output callback 900 2 901 | 900 2 901 | 900 2 901
//: output again 401 1 0 | 401 1 0 | 401 1 0
//: output host 0 1 0 | 0 1 0 | 0 1 0
//: output thread 900 0 0 | 0 0 0 | 0 0 0
//: output ended 908 401 401
//: output exchanged 0 0 2 0
//: output null 1 1 1 1 1
//: output clusters 0 912 912 0
#include <cstdio>
#include <functional>
#include <thread>

__global__ void add(int *p) {
    atomicAdd(p, 1);
}
static void called(void *) {}
static void called_back(cudaStream_t, cudaError_t, void *) {}

static cudaStream_t s, other;
static const cudaStreamCaptureMode modes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                              cudaStreamCaptureModeRelaxed};

static void look(const char *name, int *p, const std::function<cudaError_t()> &call) {
    printf("%s", name);
    for (int k = 0; k < 3; k++) {
        cudaStreamCaptureStatus status;
        cudaGraph_t graph;
        cudaStreamBeginCapture(s, modes[k]);
        add<<<1, 1, 0, s>>>(p);
        int answer = call();
        cudaStreamIsCapturing(s, &status);
        int end = cudaStreamEndCapture(s, &graph);
        if (graph) cudaGraphDestroy(graph);
        printf("%s %d %d %d", k ? " |" : "", answer, (int)status, end);
        cudaDeviceSynchronize();
    }
    printf("\n");
}

// Another thread's call, and the end in another thread.
static void threads() {
    cudaGraph_t graph;
    printf("thread");
    for (int k = 0; k < 3; k++) {
        int answer[3];
        for (int mode = 0; mode < 3; mode++) {
            cudaStreamBeginCapture(s, modes[k]);
            std::thread([&] {
                cudaStreamCaptureMode m = modes[mode];
                cudaThreadExchangeStreamCaptureMode(&m);
                answer[mode] = cudaFree(nullptr);
            }).join();
            cudaStreamEndCapture(s, &graph);
        }
        printf("%s %d %d %d", k ? " |" : "", answer[0], answer[1], answer[2]);
    }
    int error;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    std::thread([&] { error = cudaStreamEndCapture(s, &graph); }).join();
    printf("\nended %d %d", error, cudaStreamEndCapture(s, &graph));
    printf(" %d\n", cudaStreamEndCapture(other, &graph));
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    const int was = mode, freed = cudaFree(nullptr);
    cudaThreadExchangeStreamCaptureMode(&mode);
    printf("exchanged %d %d %d %d\n", was, freed, (int)mode, cudaStreamEndCapture(s, &graph));
}

static int launch(int *p, int grid, int cluster) {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = dim3(grid);
    config.blockDim = dim3(1);
    config.stream = s;
    config.attrs = &attribute;
    config.numAttrs = 1;
    void *args[] = {&p};
    return cudaLaunchKernelExC(&config, (const void *)add, args);
}

int main() {
    int *p, *pinned, value = 0;
    void *memory;
    float ms;
    cudaEvent_t event, before;
    cudaStreamCreate(&s);
    cudaStreamCreate(&other);
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    cudaMallocHost(&pinned, 4);
    cudaEventCreate(&event);
    cudaEventCreate(&before);
    cudaEventRecord(before, s);
    cudaDeviceSynchronize();
    look("malloc", p, [&] {
        cudaError_t error = cudaMalloc(&memory, 4);
        if (!error) cudaFree(memory);
        return error;
    });
    look("free", p, [&] { return cudaFree(nullptr); });
    look("pinned", p, [&] {
        cudaError_t error = cudaMallocHost(&memory, 4);
        if (!error) cudaFreeHost(memory);
        return error;
    });
    look("copy", p, [&] { return cudaMemcpy(p, &value, 4, cudaMemcpyHostToDevice); });
    look("default", p, [&] {
        add<<<1, 1>>>(p);
        return cudaGetLastError();
    });
    look("pooled", p, [&] { return cudaMallocAsync(&memory, 4, 0); });
    look("beside", p, [&] { return cudaMemcpyAsync(p, pinned, 4, cudaMemcpyHostToDevice, other); });
    look("wait", p, [&] { return cudaStreamSynchronize(s); });
    look("waitother", p, [&] { return cudaStreamSynchronize(other); });
    look("device", p, [&] { return cudaDeviceSynchronize(); });
    look("before", p, [&] { return cudaEventQuery(before); });
    look("captured", p, [&] {
        cudaEventRecord(event, s);
        return cudaEventQuery(event);
    });
    look("time", p, [&] {
        cudaEventRecord(event, s);
        return cudaEventElapsedTime(&ms, before, event);
    });
    look("isolated", p, [&] { return cudaStreamWaitEvent(s, before, 0); });
    look("external", p, [&] { return cudaStreamWaitEvent(s, before, cudaEventWaitExternal); });
    look("callback", p, [&] { return cudaStreamAddCallback(s, called_back, nullptr, 0); });
    look("again", p, [&] { return cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); });
    look("host", p, [&] { return cudaLaunchHostFunc(s, called, nullptr); });
    threads();
    printf("null %d", cudaGraphLaunch(nullptr, s));
    printf(" %d", cudaGraphDestroy(nullptr));
    printf(" %d", cudaGraphExecDestroy(nullptr));
    printf(" %d", cudaLaunchHostFunc(s, nullptr, nullptr));
    printf(" %d\n", cudaStreamCreate(nullptr));
    printf("clusters %d %d", launch(p, 8, 8), launch(p, 6, 4));
    printf(" %d", launch(p, 16, 16));
    cudaFuncSetAttribute(add, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    printf(" %d\n", launch(p, 16, 16));
    cudaDeviceSynchronize();
    cudaGetLastError();
    cudaFree(p);
    cudaFreeHost(pinned);
    return 0;
}
