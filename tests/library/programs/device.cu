// CUB's algorithms for the whole device, as a program: nothing is found in it, and it says itself whether the results
// are right. An argument is the number of elements.
#include <cub/cub.cuh>
#include <cstdio>
#include <cstdlib>
#include <vector>

template <class F> static void call(F f) {
    void *storage = nullptr;
    size_t bytes = 0;
    f(storage, bytes);
    cudaMalloc(&storage, bytes ? bytes : 1);
    f(storage, bytes);
    cudaDeviceSynchronize();
    cudaFree(storage);
}

static int *to_device(const std::vector<int> &v) {
    int *d;
    cudaMalloc(&d, v.size() * sizeof(int));
    cudaMemcpy(d, v.data(), v.size() * sizeof(int), cudaMemcpyHostToDevice);
    return d;
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 3000;
    std::vector<int> in(n), out(n);
    for (int i = 0; i < n; i++) in[i] = (i * 7919 + 13) % 1000;
    int *a = to_device(in), *b = to_device(out), good = 1;

    call([&](void *s, size_t &bytes) { cub::DeviceReduce::Sum(s, bytes, a, b, n); });
    cudaMemcpy(out.data(), b, sizeof(int), cudaMemcpyDeviceToHost);
    int sum = 0;
    for (int v : in) sum += v;
    good &= out[0] == sum;
    printf("reduce %s\n", out[0] == sum ? "right" : "wrong");

    call([&](void *s, size_t &bytes) { cub::DeviceScan::InclusiveSum(s, bytes, a, b, n); });
    cudaMemcpy(out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
    int so_far = 0, scan = 1;
    for (int i = 0; i < n; i++) scan &= out[i] == (so_far += in[i]);
    good &= scan;
    printf("scan %s\n", scan ? "right" : "wrong");

    call([&](void *s, size_t &bytes) { cub::DeviceHistogram::HistogramEven(s, bytes, a, b, 11, 0, 1000, n); });
    cudaMemcpy(out.data(), b, 10 * sizeof(int), cudaMemcpyDeviceToHost);
    std::vector<int> bins(10);
    for (int v : in) bins[v / 100]++;
    int histogram = 1;
    for (int i = 0; i < 10; i++) histogram &= out[i] == bins[i];
    good &= histogram;
    printf("histogram %s\n", histogram ? "right" : "wrong");

#ifdef SORT /* takes long to compile */
    call([&](void *s, size_t &bytes) { cub::DeviceRadixSort::SortKeys(s, bytes, a, b, n); });
    cudaMemcpy(out.data(), b, n * sizeof(int), cudaMemcpyDeviceToHost);
    int sorted = 1;
    for (int i = 1; i < n; i++) sorted &= out[i - 1] <= out[i];
    good &= sorted;
    printf("sort %s\n", sorted ? "right" : "wrong");
#endif
    cudaFree(a);
    cudaFree(b);
    return !good;
}
