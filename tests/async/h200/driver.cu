// Runs one kernel of tests/async/kernels on a device: driver FILE.cubin KERNEL GRID BLOCK IN OUT. The kernels are
// (const int *in, int *out) with in[k] = k; prints out in one line, as `lockstep run --print` has it, or what went wrong,
// and to the standard error how many milliseconds the second of two launches took.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        CUresult status = (call);                                                                                      \
        const char *name = "";                                                                                         \
        if (status == CUDA_SUCCESS) break;                                                                             \
        cuGetErrorName(status, &name);                                                                                 \
        printf("%s: %s\n", #call, name);                                                                               \
        return 1;                                                                                                      \
    } while (0)

int main(int count, char **words) {
    if (count != 7) return 2;
    unsigned grid = atoi(words[3]), block = atoi(words[4]), in_count = atoi(words[5]), out_count = atoi(words[6]);
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr in, out;
    TRY(cuInit(0));
    TRY(cuDeviceGet(&device, 0));
    TRY(cuDevicePrimaryCtxRetain(&context, device));
    TRY(cuCtxSetCurrent(context));
    TRY(cuModuleLoad(&module, words[1]));
    TRY(cuModuleGetFunction(&kernel, module, words[2]));
    TRY(cuMemAlloc(&in, 4 * in_count));
    TRY(cuMemAlloc(&out, 4 * out_count));
    int *host = (int *)calloc(in_count > out_count ? in_count : out_count, 4);
    for (unsigned k = 0; k < in_count; k++) host[k] = k;
    void *params[] = {&in, &out};
    for (int launch = 0; launch < 2; launch++) {
        TRY(cuMemcpyHtoD(in, host, 4 * in_count));
        TRY(cuMemsetD32(out, 0, out_count));
        TRY(cuCtxSynchronize());
        auto begin = std::chrono::steady_clock::now();
        TRY(cuLaunchKernel(kernel, grid, 1, 1, block, 1, 1, 0, 0, params, 0));
        TRY(cuCtxSynchronize());
        std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        if (launch == 1) fprintf(stderr, "milliseconds: %.3f\n", took.count());
    }
    TRY(cuMemcpyDtoH(host, out, 4 * out_count));
    for (unsigned k = 0; k < out_count; k++) printf("%d%c", host[k], k + 1 < out_count ? ' ' : '\n');
    return 0;
}
