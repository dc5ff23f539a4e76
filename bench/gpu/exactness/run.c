/* Runs the kernels of generate.c on a GPU and compares every register of every thread with what the emulator
 * computed, bit for bit. Needs gcc and the CUDA toolkit alone:
 *
 *     gcc -O2 run.c -I/usr/local/cuda/include -lcuda -o run
 *     ./run [-O LEVEL] DIR [HASHES [DIFFERENT [FIRST COUNT]]]
 *
 * LEVEL is ptxas's, 0 if it is not given. With its optimiser on (1 to 4) kernels that DIR/hashes calls
 * doubtful are left out (doubt.c).
 *
 * HASHES: a file for what the GPU gave, in the form of DIR/hashes; DIFFERENT: a file for the results of the
 * kernels that differ, each behind its number (4 bytes). Where NNNN.want is missing the hashes are compared.
 */
#include "inputs.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check(CUresult r, const char *what) {
    if (r == CUDA_SUCCESS) return;
    const char *text = "?";
    cuGetErrorString(r, &text);
    fprintf(stderr, "run: %s: %s\n", what, text);
    exit(2);
}

static char *read_file(const char *dir, const char *name, size_t *size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", dir, name);
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

static void compare(unsigned n, const char *got, const char *want, unsigned shown) {
    unsigned wrong = 0;
    for (unsigned t = 0; t < EXACT_THREADS; t++)
        for (unsigned k = 0; k < EXACT_ROW / 8; k++) {
            uint64_t a, b;
            memcpy(&a, got + t * EXACT_ROW + 8 * k, 8);
            memcpy(&b, want + t * EXACT_ROW + 8 * k, 8);
            if (a == b) continue;
            if (!wrong++ && shown < 40)
                printf("%04u: thread %u, %%%c%u: GPU %016llx, emulator %016llx\n", n, t,
                       exact_letters[k / EXACT_REGISTERS], k % EXACT_REGISTERS, (unsigned long long)a,
                       (unsigned long long)b);
        }
}

/* False where the driver does not take the kernel. */
static int execute(unsigned n, const char *ptx, unsigned level, CUdeviceptr in, CUdeviceptr out, char *got) {
    CUmodule module;
    CUfunction function;
    char log[4096] = "";
    CUjit_option keys[] = {CU_JIT_OPTIMIZATION_LEVEL, CU_JIT_ERROR_LOG_BUFFER,
                           CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {(void *)(uintptr_t)level, log, (void *)(uintptr_t)sizeof log};
    memset(got, 0, EXACT_BYTES);
    if (cuModuleLoadDataEx(&module, ptx, 3, keys, values) != CUDA_SUCCESS) {
        printf("%04u: not accepted: %s\n", n, log);
        return 0;
    }
    check(cuModuleGetFunction(&function, module, "k"), "cuModuleGetFunction");
    check(cuMemsetD8(out, 0, EXACT_BYTES), "set");
    void *args[] = {&in, &out};
    check(cuLaunchKernel(function, 1, 1, 1, EXACT_THREADS, 1, 1, 0, NULL, args, NULL), "launch");
    check(cuCtxSynchronize(), "run");
    check(cuMemcpyDtoH(got, out, EXACT_BYTES), "copy");
    cuModuleUnload(module);
    return 1;
}

typedef struct {
    uint64_t hash; /* 0: there is none */
    int doubtful;
} wanted_result;

/* What the emulator gave, by number. */
static wanted_result *read_hashes(const char *dir, uint64_t *seed, unsigned *kind) {
    char path[4096];
    snprintf(path, sizeof path, "%s/hashes", dir);
    FILE *f = fopen(path, "r");
    unsigned long long s, text, result;
    unsigned n;
    int doubtful;
    wanted_result *out = calloc(10000, sizeof *out);
    if (!f || !out || fscanf(f, "seed %llu size %u", &s, kind) != 2) {
        fprintf(stderr, "run: %s cannot be read\n", path);
        exit(2);
    }
    while (fscanf(f, "%u %llx %llx %d", &n, &text, &result, &doubtful) == 4)
        if (n < 10000) out[n] = (wanted_result){result, doubtful};
    fclose(f);
    *seed = s;
    return out;
}

static FILE *open_output(int argc, char **argv, int k, const char *mode) {
    FILE *f = argc > k ? fopen(argv[k], mode) : NULL;
    if (argc > k && !f) fprintf(stderr, "run: %s cannot be written\n", argv[k]), exit(2);
    return f;
}

int main(int argc, char **argv) {
    unsigned level = 0;
    if (argc > 2 && !strcmp(argv[1], "-O")) {
        level = (unsigned)atoi(argv[2]);
        argc -= 2, argv += 2;
    }
    if (argc < 2) return fprintf(stderr, "usage: run [-O LEVEL] DIR [HASHES [DIFFERENT [FIRST COUNT]]]\n"), 2;
    CUdevice device;
    CUcontext context;
    CUdeviceptr in, out;
    check(cuInit(0), "cuInit");
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    check(cuDevicePrimaryCtxRetain(&context, device), "context");
    check(cuCtxSetCurrent(context), "context");
    check(cuMemAlloc(&in, EXACT_BYTES), "cuMemAlloc");
    check(cuMemAlloc(&out, EXACT_BYTES), "cuMemAlloc");
    unsigned kind;
    uint64_t seed;
    wanted_result *wanted = read_hashes(argv[1], &seed, &kind);
    static char got[EXACT_BYTES], input[EXACT_BYTES];
    FILE *hashes = open_output(argc, argv, 2, "w"), *kept = open_output(argc, argv, 3, "wb");
    unsigned first = argc > 5 ? (unsigned)atoi(argv[4]) : 0,
             count = argc > 5 ? (unsigned)atoi(argv[5]) : 10000;
    unsigned kernels = 0, different = 0, left_out = 0;
    if (hashes) fprintf(hashes, "seed %llu size %u\n", (unsigned long long)seed, kind);
    for (unsigned n = first; n < first + count && n < 10000; n++) {
        char name[32];
        size_t size, want_size = 0;
        snprintf(name, sizeof name, "%04u.ptx", n);
        char *ptx = read_file(argv[1], name, &size);
        if (!ptx) break;
        if (level && wanted[n].doubtful) {
            left_out++;
            free(ptx);
            continue;
        }
        kernels++;
        snprintf(name, sizeof name, "%04u.want", n);
        char *want = read_file(argv[1], name, &want_size);
        exact_inputs(seed, n, input);
        check(cuMemcpyHtoD(in, input, EXACT_BYTES), "copy");
        int accepted = execute(n, ptx, level, in, out, got);
        uint64_t hash = exact_hash(got, EXACT_BYTES);
        if (hashes && accepted)
            fprintf(hashes, "%u %016llx %016llx\n", n, (unsigned long long)exact_hash(ptx, strlen(ptx)),
                    (unsigned long long)hash);
        if (!accepted || hash != wanted[n].hash) {
            if (accepted && want_size == EXACT_BYTES)
                compare(n, got, want, different);
            else if (accepted && different < 40)
                printf("%04u differs\n", n);
            if (accepted && kept) fwrite(&n, 4, 1, kept), fwrite(got, 1, EXACT_BYTES, kept);
            different++;
        }
        free(ptx);
        free(want);
    }
    if (kept) fclose(kept);
    if (hashes) fclose(hashes);
    free(wanted);
    printf("%u kernels, %u differ", kernels, different);
    printf(left_out ? "; %u left out\n" : "\n", left_out);
    return different != 0;
}
