// The helper headers of NVIDIA's samples, as they are bundled: arguments, timers, comparisons, pictures, and an error
// that ends the program.
//: clang only
//: output GPU Device 0: "Hopper" with compute capability 9.0
//: output 
//: output 96 numbers, timed, equal, kept
//: output the last call fails
#include <helper_string.h>
#include <helper_cuda.h>
#include <helper_functions.h>
#include <unistd.h>

__global__ void twice(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= 2;
}

static bool keeps(float *numbers, int n) {
    char name[] = "/tmp/lockstep-helpers-XXXXXX";
    int file = mkstemp(name);
    float *back = NULL;
    unsigned width = 0, height = 0;
    bool good = sdkSavePGM(name, numbers, n / 4, 4) && sdkLoadPGM<float>(name, &back, &width, &height);
    good = good && width == (unsigned)n / 4 && height == 4 && compareData(numbers, back, n, 1.0f / 255, 0.0f);
    good = good && !compareData(numbers, back, n, -1.0f, 0.0f) && sdkFindFilePath(name, "") && !sdkFindFilePath("lacking", "");
    free(back);
    close(file);
    unlink(name);
    return good;
}

int main() {
    const char *argv[] = {"helpers", "--count=96", "name=text", "-Flag"};
    const int argc = 4;
    StopWatchInterface *timer = NULL;
    char *text = NULL;
    sdkCreateTimer(&timer);
    sdkStartTimer(&timer);
    findCudaDevice(argc, argv);
    bool read = checkCmdLineFlag(argc, argv, "flag") && !checkCmdLineFlag(argc, argv, "fla") &&
                getCmdLineArgumentString(argc, argv, "name", &text) && !strcmp(text, "text");
    const int n = read ? getCmdLineArgumentInt(argc, argv, "count=") : 0;
    float h[128], twofold[128], *d;
    for (int i = 0; i < n; i++) h[i] = (float)i / 255, twofold[i] = 2 * h[i];
    checkCudaErrors(cudaMalloc(&d, sizeof h));
    checkCudaErrors(cudaMemcpy(d, h, n * sizeof(float), cudaMemcpyHostToDevice));
    twice<<<(n + 31) / 32, 32>>>(d, n);
    getLastCudaError("twice");
    checkCudaErrors(cudaMemcpy(h, d, n * sizeof(float), cudaMemcpyDeviceToHost));
    checkCudaErrors(cudaFree(d));
    sdkStopTimer(&timer);
    const bool timed = sdkGetTimerValue(&timer) > 0 && sdkGetAverageTimerValue(&timer) > 0;
    sdkDeleteTimer(&timer);
    printf("%d numbers, %s, %s, %s\n", n, timed ? "timed" : "not timed",
           compareData(twofold, h, n, 1e-6f, 0.0f) ? "equal" : "others", keeps(h, n) ? "kept" : "not kept");
    puts("the last call fails");
    fflush(stdout);
    atexit([] { _exit(0); }); /* the status of the program is looked at */
    checkCudaErrors(cudaSetDevice(77));
    puts("and is not the last one");
}
