/* The kernels of the emulator's benchmark: their launches and buffers, for the emulator (bench_emulate.c),
 * for OpenCL implementations beside it (opencl.c), and as plain C (plain.c). */
#ifndef LS_BENCH_EMULATE_JOBS_H
#define LS_BENCH_EMULATE_JOBS_H

#include <stdint.h>
#include <string.h>

enum { MOST_BUFFERS = 4 };

typedef struct {
    const char *name, *file; /* the kernel is called like its file */
    uint32_t grid[2], block[2];
    uint64_t buffers[MOST_BUFFERS]; /* bytes */
    uint32_t buffer_count;
    int32_t n;  /* a last scalar argument, where not 0 */
    int cuda;   /* a .cu file, which OpenCL has no words for; else .cl */
    int halves; /* the first so many buffers hold numbers of 16 bits */
} job;

static const job jobs[] = {
    {"vecadd 1M", "vecadd", {4096, 1}, {256, 1}, {4 << 20, 4 << 20, 4 << 20}, 3, 0},
    {"matmul 256", "matmul", {16, 16}, {16, 16}, {1 << 18, 1 << 18, 1 << 18}, 3, 256},
    {"matmul 512", "matmul", {32, 32}, {16, 16}, {1 << 20, 1 << 20, 1 << 20}, 3, 512},
    {"reduce 1M", "reduce", {4096, 1}, {256, 1}, {4 << 20, 4 << 12}, 2, 0},
    {"scan 1M", "scan", {4096, 1}, {256, 1}, {4 << 20, 4 << 20}, 2, 0},
    {"histogram 1M", "histogram", {4096, 1}, {256, 1}, {4 << 20, 1024}, 2, 0},
    {"nbody 4096", "nbody", {16, 1}, {256, 1}, {16 << 12, 16 << 12}, 2, 4096},
    {"transpose 1024", "transpose", {64, 64}, {16, 16}, {4 << 20, 4 << 20}, 2, 1024},
    {"collatz 256K", "collatz", {1024, 1}, {256, 1}, {1 << 20}, 1, 0},
    {"softmax 1024", "softmax", {1024, 1}, {256, 1}, {4 << 20, 4 << 20}, 2, 1024},
    {"layernorm 1024", "layernorm", {1024, 1}, {256, 1}, {4 << 20, 4 << 20}, 2, 1024},
    {"attention 512", "attention", {512, 1}, {64, 1}, {3 << 17, 1 << 17}, 2, 512},
    {"convolution 512", "convolution", {32, 32}, {16, 16}, {516 * 516 * 4, 128, 1 << 20}, 3, 512},
    {"spmv 64K", "spmv", {256, 1}, {256, 1}, {4 << 20, 4 << 20, 1 << 18, 1 << 18}, 4, 1 << 16},
    {"sort 256K", "sort", {512, 1}, {256, 1}, {1 << 20, 1 << 20}, 2, 0},
    {"fft 256K", "fft", {512, 1}, {256, 1}, {1 << 21, 1 << 11, 1 << 21}, 3, 0},
    {"shuffle 1M", "shuffle", {4096, 1}, {256, 1}, {4 << 20, 4 << 12}, 2, 0, 1},
    {"mma 256", "mma", {64, 1}, {256, 1}, {1 << 17, 1 << 17, 1 << 18}, 3, 256, 1, 2},
};
enum { JOB_COUNT = sizeof jobs / sizeof *jobs };

/* Launches that last long enough for many cores (bench_cores.c). */
static const job large_jobs[] = {
    {"matmul 1536", "matmul", {96, 96}, {16, 16}, {9 << 20, 9 << 20, 9 << 20}, 3, 1536},
    {"nbody 24K", "nbody", {96, 1}, {256, 1}, {24 << 14, 24 << 14}, 2, 24576},
    {"collatz 16M", "collatz", {65536, 1}, {256, 1}, {64 << 20}, 1, 0},
    {"attention 3072", "attention", {3072, 1}, {64, 1}, {3072 * 64 * 12, 3072 * 64 * 4}, 2, 3072},
    {"convolution 4096", "convolution", {256, 256}, {16, 16}, {4100 * 4100 * 4, 128, 64 << 20}, 3, 4096},
    {"sort 8M", "sort", {16384, 1}, {256, 1}, {32 << 20, 32 << 20}, 2, 0},
};
enum { LARGE_COUNT = sizeof large_jobs / sizeof *large_jobs };

/* A launch can be cut down to its first blocks: some of a row, or whole rows. */
static inline uint32_t job_blocks(const job *j) {
    return j->grid[0] * j->grid[1];
}

/* A buffer of the job: numbers from 0 to 1, of 32 bits or, two in a word, of 16. */
static inline void fill(const job *j, uint32_t buffer, void *at) {
    uint32_t *words = at, state = 1;
    for (uint64_t k = 0; k < j->buffers[buffer] / 4; k++) {
        state = state * 1664525 + 1013904223;
        float f = (float)(state >> 8) * 0x1p-24f;
        memcpy(&words[k], &f, 4);
        if ((int)buffer < j->halves) words[k] = (state >> 3 & 0x03ff03ff) | 0x38003400;
    }
}

#endif
