/* Runs the kernels of generate.c on a GPU and compares every register of every thread with what the emulator
 * computed, bit for bit. Needs gcc and the CUDA toolkit alone:
 *
 *     gcc -O2 run.c -I/usr/local/cuda/include -lcuda -o run && ./run DIR [GOT]
 *
 * GOT: a file for the GPU's results, one kernel behind the other. */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, REGISTERS = 6, CLASSES = 6, ROW = 8 * REGISTERS * CLASSES };
static const char letters[] = "rqfdhp";

static void check(CUresult r, const char *what) {
    if (r == CUDA_SUCCESS) return;
    const char *text = "?";
    cuGetErrorString(r, &text);
    fprintf(stderr, "run: %s: %s\n", what, text);
    exit(2);
}

static char *read_file(const char *dir, unsigned n, const char *suffix, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%04u.%s", dir, n, suffix);
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *text = calloc(*size + 1, 1);
    if (!text || fread(text, 1, *size, f) != *size) exit(2);
    fclose(f);
    return text;
}

static unsigned compare(unsigned n, const char *got, const char *want, unsigned shown) {
    unsigned wrong = 0;
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned k = 0; k < ROW / 8; k++) {
            uint64_t a, b;
            memcpy(&a, got + t * ROW + 8 * k, 8);
            memcpy(&b, want + t * ROW + 8 * k, 8);
            if (a == b) continue;
            if (!wrong++ && shown < 20)
                printf("%04u: thread %u, %%%c%u: GPU %016llx, emulator %016llx\n", n, t,
                       letters[k / REGISTERS], k % REGISTERS, (unsigned long long)a, (unsigned long long)b);
        }
    return wrong;
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: run DIR\n"), 2;
    CUdevice device;
    CUcontext context;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    CUdeviceptr in, out;
    size_t bytes = (size_t)THREADS * ROW;
    check(cuMemAlloc(&in, bytes), "cuMemAlloc");
    check(cuMemAlloc(&out, bytes), "cuMemAlloc");
    unsigned kernels = 0, different = 0;
    char *got = malloc(bytes);
    FILE *kept = argc > 2 ? fopen(argv[2], "wb") : NULL;
    for (unsigned n = 0;; n++) {
        size_t size, input_size, want_size;
        char *ptx = read_file(argv[1], n, "ptx", &size);
        if (!ptx) break;
        char *input = read_file(argv[1], n, "in", &input_size),
             *want = read_file(argv[1], n, "want", &want_size);
        if (!input || !want || input_size != bytes || want_size != bytes) return 2;
        CUmodule module;
        CUfunction function;
        char log[4096] = "";
        CUjit_option keys[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
        void *values[] = {log, (void *)(uintptr_t)sizeof log};
        if (cuModuleLoadDataEx(&module, ptx, 2, keys, values) != CUDA_SUCCESS) {
            printf("%04u: not accepted: %s\n", n, log);
            different++;
            memset(got, 0, bytes);
            if (kept) fwrite(got, 1, bytes, kept);
            continue;
        }
        check(cuModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
        check(cuMemcpyHtoD(in, input, bytes), "copy");
        check(cuMemsetD8(out, 0, bytes), "set");
        void *args[] = {&in, &out};
        check(cuLaunchKernel(function, 1, 1, 1, THREADS, 1, 1, 0, NULL, args, NULL), "launch");
        check(cuCtxSynchronize(), "run");
        check(cuMemcpyDtoH(got, out, bytes), "copy");
        if (kept) fwrite(got, 1, bytes, kept);
        different += compare(n, got, want, different) != 0;
        kernels++;
        cuModuleUnload(module);
        free(ptx);
        free(input);
        free(want);
    }
    if (kept) fclose(kept);
    printf("%u kernels, %u differ\n", kernels, different);
    return different != 0;
}
