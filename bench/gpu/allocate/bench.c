/* Times and compares kernels that were compiled from differently allocated PTX (bench/gpu/allocate), with the
 * CUDA driver alone.
 *
 *     bench check NAMES BLOCK N M REFERENCE.cubin VARIANT.cubin…
 *     bench time  NAMES BLOCK N M REFERENCE.cubin LABEL=VARIANT.cubin…
 *
 * NAMES is a file with one kernel name a line. `check` compares the outputs bit for bit with the reference's.
 * `time` does so, too, and prints for each kernel the median time of a launch in microseconds, registers and
 * local bytes a thread; then the geometric mean of the times relative to the first variant. */
#include <cuda.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KERNELS = 64, MOST_VARIANTS = 64, RUNS = 9 };

static void check(CUresult result, const char *what) {
    if (result == CUDA_SUCCESS) return;
    const char *text = "?";
    cuGetErrorString(result, &text);
    fprintf(stderr, "%s: %s\n", what, text);
    exit(2);
}

typedef struct {
    CUdeviceptr a, b, out;
    int n, m;
    float s;
    unsigned block, grid;
    float *host;
} setting;

static float input_at(uint32_t i, uint32_t which) {
    uint32_t x = (i + 1) * 2654435761u ^ which * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (float)(x & 0xffff) / 65536.0f;
}

static void make_setting(setting *s, unsigned block, int n, int m) {
    size_t bytes = 4 * (size_t)n * sizeof(float);
    *s = (setting){.n = n, .m = m, .s = 0.75f, .block = block, .grid = ((unsigned)n + block - 1) / block};
    s->host = malloc(bytes);
    check(cuMemAlloc(&s->a, bytes), "memory");
    check(cuMemAlloc(&s->b, bytes), "memory");
    check(cuMemAlloc(&s->out, bytes), "memory");
    for (int i = 0; i < 4 * n; i++) s->host[i] = input_at((uint32_t)i, 1);
    check(cuMemcpyHtoD(s->a, s->host, bytes), "copy");
    for (int i = 0; i < 4 * n; i++) s->host[i] = input_at((uint32_t)i, 2);
    check(cuMemcpyHtoD(s->b, s->host, bytes), "copy");
}

static CUresult launch(const setting *s, CUfunction f) {
    CUdeviceptr a = s->a, b = s->b, out = s->out;
    int n = s->n, m = s->m;
    float x = s->s;
    void *args[] = {&a, &b, &out, &n, &m, &x};
    return cuLaunchKernel(f, s->grid, 1, 1, s->block, 1, 1, 0, 0, args, NULL);
}

/* The output of one launch, as a checksum of its bits and in s->host. */
static uint64_t output_of(const setting *s, CUfunction f, bool *ran) {
    size_t bytes = 4 * (size_t)s->n * sizeof(float);
    check(cuMemsetD32(s->out, 0, 4 * (size_t)s->n), "clearing");
    CUresult result = launch(s, f);
    if (result == CUDA_SUCCESS) result = cuCtxSynchronize();
    *ran = result == CUDA_SUCCESS;
    if (!*ran) {
        const char *text = "?";
        cuGetErrorString(result, &text);
        printf("  launch: %s\n", text);
        return 0;
    }
    check(cuMemcpyDtoH(s->host, s->out, bytes), "copy");
    uint64_t sum = 1469598103934665603u;
    for (size_t i = 0; i < bytes / 4; i++) {
        uint32_t bits;
        memcpy(&bits, &s->host[i], 4);
        sum = (sum ^ bits) * 1099511628211u;
    }
    return sum;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Microseconds of a launch: the median of runs that each last at least a millisecond. */
static double time_of(const setting *s, CUfunction f) {
    CUevent start, stop;
    check(cuEventCreate(&start, 0), "event");
    check(cuEventCreate(&stop, 0), "event");
    double times[RUNS];
    int repeat = 1;
    for (int run = -2; run < RUNS; run++) {
        float ms;
        check(cuEventRecord(start, 0), "event");
        for (int i = 0; i < repeat; i++) check(launch(s, f), "launch");
        check(cuEventRecord(stop, 0), "event");
        check(cuEventSynchronize(stop), "run");
        check(cuEventElapsedTime(&ms, start, stop), "time");
        if (run == -2 && ms < 1) {
            repeat = ms > 0.001f ? (int)(1 / ms) + 1 : 1000;
            continue;
        }
        if (run >= 0) times[run] = ms * 1e3 / repeat;
    }
    qsort(times, RUNS, sizeof *times, by_value);
    cuEventDestroy(start);
    cuEventDestroy(stop);
    return times[RUNS / 2];
}

static int attribute(CUfunction f, CUfunction_attribute which) {
    int value = 0;
    check(cuFuncGetAttribute(&value, which, f), "attribute");
    return value;
}

int main(int argc, char **argv) {
    if (argc < 8) {
        fprintf(stderr, "usage: bench check|time NAMES BLOCK N M REFERENCE.cubin [LABEL=]VARIANT.cubin…\n");
        return 2;
    }
    bool timing = !strcmp(argv[1], "time");
    static char names[MOST_KERNELS][64];
    int kernels = 0, variants = argc - 7, wrong = 0, compared = 0;
    FILE *list = fopen(argv[2], "r");
    while (list && kernels < MOST_KERNELS && fscanf(list, "%63s", names[kernels]) == 1) kernels++;
    if (!kernels || variants > MOST_VARIANTS) return 2;
    fclose(list);

    CUdevice device;
    CUcontext context;
    check(cuInit(0), "CUDA");
    check(cuDeviceGet(&device, 0), "device");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    setting s;
    make_setting(&s, (unsigned)atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));

    CUmodule reference, modules[MOST_VARIANTS];
    const char *labels[MOST_VARIANTS];
    check(cuModuleLoad(&reference, argv[6]), argv[6]);
    for (int v = 0; v < variants; v++) {
        char *path = strchr(argv[7 + v], '=');
        labels[v] = argv[7 + v];
        if (path) *path = 0;
        check(cuModuleLoad(&modules[v], path ? path + 1 : argv[7 + v]), labels[v]);
    }
    double logs[MOST_VARIANTS] = {0};
    if (timing) {
        printf("%-22s", "kernel (us; regs/local)");
        for (int v = 0; v < variants; v++) printf(" %22s", labels[v]);
        printf("\n");
    }
    for (int k = 0; k < kernels; k++) {
        CUfunction f;
        bool ran;
        check(cuModuleGetFunction(&f, reference, names[k]), names[k]);
        uint64_t expected = output_of(&s, f, &ran);
        if (!ran) return 2;
        double first = 0;
        if (timing) printf("%-22s", names[k]);
        for (int v = 0; v < variants; v++) {
            check(cuModuleGetFunction(&f, modules[v], names[k]), names[k]);
            uint64_t sum = output_of(&s, f, &ran);
            bool same = ran && sum == expected;
            compared++;
            wrong += !same;
            if (!same) printf("  DIFFERENT: %s of %s\n", names[k], labels[v]);
            if (!ran) return 2;
            if (!timing) continue;
            double time = time_of(&s, f);
            if (!v) first = time;
            logs[v] += log(time / first);
            printf(" %10.2f %4.0f%% %3d/%-3d", time, 100 * time / first,
                   attribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS),
                   attribute(f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
        }
        if (timing) printf("\n");
        fflush(stdout);
    }
    if (timing) {
        printf("%-22s", "geometric mean");
        for (int v = 0; v < variants; v++) printf(" %21.1f%%", 100 * exp(logs[v] / kernels));
        printf("\n");
    }
    printf("%d outputs compared with the original's, %d different\n", compared, wrong);
    return wrong ? 1 : 0;
}
