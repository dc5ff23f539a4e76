// Several threads of the host whose first launch is that of the program, at the same time, each with a stream of its
// own; callbacks of the streams start threads that go on with the results.
//: stripped
//: output right: 32 of 32
#include <atomic>
#include <cstdio>
#include <thread>
#include <vector>

enum { THREADS = 32, COUNT = 256 };

__global__ void add_one(int *data) {
    data[threadIdx.x]++;
}

struct work {
    int *host, *device;
    cudaStream_t stream;
    bool right;
    std::thread after;
};
static std::atomic<int> waiting(THREADS), done(0);

static void take_results(work *w) {
    w->right = true;
    for (int i = 0; i < COUNT; i++) w->right &= w->host[i] == i + 1;
    w->right &= cudaFree(w->device) == cudaSuccess && cudaFreeHost(w->host) == cudaSuccess;
    done++;
}

static void called_back(cudaStream_t, cudaError_t status, void *data) {
    work *w = (work *)data;
    if (status == cudaSuccess) w->after = std::thread(take_results, w);
}

static void launch(work *w) {
    cudaStreamCreate(&w->stream);
    cudaMalloc(&w->device, COUNT * sizeof(int));
    cudaHostAlloc(&w->host, COUNT * sizeof(int), cudaHostAllocPortable);
    for (int i = 0; i < COUNT; i++) w->host[i] = i;
    cudaMemcpyAsync(w->device, w->host, COUNT * sizeof(int), cudaMemcpyHostToDevice, w->stream);
    for (waiting--; waiting > 0;) std::this_thread::yield();
    add_one<<<1, COUNT, 0, w->stream>>>(w->device);
    cudaMemcpyAsync(w->host, w->device, COUNT * sizeof(int), cudaMemcpyDeviceToHost, w->stream);
    cudaStreamAddCallback(w->stream, called_back, w, 0);
}

int main() {
    static work all[THREADS];
    std::vector<std::thread> threads;
    for (work &w : all) threads.emplace_back(launch, &w);
    for (std::thread &t : threads) t.join();
    cudaDeviceSynchronize();
    int right = 0;
    for (work &w : all) {
        if (w.after.joinable()) w.after.join();
        right += w.right;
        cudaStreamDestroy(w.stream);
    }
    printf("right: %d of %d\n", right, (int)THREADS);
    return cudaGetLastError() != cudaSuccess;
}
