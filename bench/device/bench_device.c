/* What whole programs pay on the emulated device besides their kernels: a thousand launches of an empty
 * kernel, copies beside memcpy, and the memory that the checkers keep for each word of 4 bytes that a kernel
 * touches. CPU time; the least of several rounds. */
#include "base/clock.h"
#include "device/device.h"
#include "lockstep/detect.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry empty()\n{\n  ret;\n}\n"
    ".visible .entry touch(.param .u64 p)\n{\n"
    "  .reg .u64 %d<4>; .reg .u32 %r<5>;\n"
    "  ld.param.u64 %d1, [p];\n"
    "  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;\n"
    "  mad.lo.u32 %r4, %r1, %r2, %r3; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2;\n"
    "  st.global.u32 [%d3], %r4;\n  ret;\n}\n";

enum { ROUNDS = 5, LAUNCHES = 1000, MEGABYTES = 64, WORDS = MEGABYTES << 18 };

typedef struct {
    ls_dev *dev;
    ls_stream *stream;
    ls_dev_kernel *empty, *touch;
} bench;

static bench open_device(uint32_t checks, const ls_emu_prover *prover, int report) {
    bench b = {.dev = ls_dev_new(&(ls_dev_options){.checks = checks, .prover = prover, .report = report})};
    ls_dev_module *module = NULL;
    if (!b.dev || ls_dev_load(b.dev, 0, ptx, sizeof ptx, &module) != LS_DEV_OK) {
        fprintf(stderr, "the device cannot be opened\n");
        exit(1);
    }
    b.stream = ls_dev_default_stream(b.dev, 0);
    b.empty = ls_dev_kernel_find(b.dev, module, "empty");
    b.touch = ls_dev_kernel_find(b.dev, module, "touch");
    return b;
}

static void launch(const bench *b, ls_dev_kernel *kernel, uint32_t blocks, uint32_t threads, uint64_t p) {
    ls_op op = {.kind = LS_OP_KERNEL,
                .what = "launch",
                .launch = {.kernel = kernel,
                           .grid = {blocks, 1, 1},
                           .block = {threads, 1, 1},
                           .params = &p,
                           .params_size = ls_dev_kernel_info(kernel)->params_size}};
    if (ls_dev_submit(b->stream, &op) != LS_DEV_OK) exit(1);
}

static double least(double a, double b) {
    return a < b ? a : b;
}

static double time_launches(const bench *b) {
    double best = 1e9;
    launch(b, b->empty, 1, 32, 0);
    for (int round = 0; round < ROUNDS; round++) {
        double start = ls_clock_seconds(LS_CLOCK_PROCESS);
        for (int k = 0; k < LAUNCHES; k++) launch(b, b->empty, 1, 32, 0);
        best = least(best, ls_clock_seconds(LS_CLOCK_PROCESS) - start);
    }
    return best;
}

static double time_copy(const bench *b, uint64_t to, uint64_t from) {
    double best = 1e9;
    ls_op op = {.kind = LS_OP_COPY,
                .what = "copy",
                .copy = {.to = {.address = to},
                         .from = {.address = from},
                         .width = (uint64_t)MEGABYTES << 20,
                         .height = 1,
                         .depth = 1,
                         .waits = true}};
    for (int round = 0; round < ROUNDS; round++) {
        double start = ls_clock_seconds(LS_CLOCK_PROCESS);
        if (ls_dev_submit(b->stream, &op) != LS_DEV_OK) exit(1);
        best = least(best, ls_clock_seconds(LS_CLOCK_PROCESS) - start);
    }
    return best;
}

static double time_memcpy(void *to, const void *from) {
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double start = ls_clock_seconds(LS_CLOCK_PROCESS);
        memcpy(to, from, (size_t)MEGABYTES << 20);
        __asm__ volatile("" ::"r"(to) : "memory");
        best = least(best, ls_clock_seconds(LS_CLOCK_PROCESS) - start);
    }
    return best;
}

/* Bytes that the process has in memory, or had at its peak since that was reset. */
static uint64_t resident(bool peak) {
    char line[256];
    unsigned long long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, peak ? "VmHWM: %llu" : "VmRSS: %llu", &kilobytes) == 1) break;
    if (file) fclose(file);
    return kilobytes << 10;
}

static void reset_peak(void) {
    int file = open("/proc/self/clear_refs", O_WRONLY);
    if (file >= 0 && write(file, "5", 1) != 1) fprintf(stderr, "the peak of memory cannot be reset\n");
    if (file >= 0) close(file);
}

/* Bytes that a checked launch needs at its peak, which writes so many words: the first one of a device, which
 * has nothing left over from others. */
static double memory_of_touch(const ls_emu_prover *prover, int report, const char *host, uint32_t words) {
    bench b = open_device(LS_CHECK_ALL, prover, report);
    uint64_t p = ls_dev_alloc(b.dev, LS_MEMORY_DEVICE, 0, (size_t)MEGABYTES << 20, "bench");
    time_copy(&b, p, (uint64_t)(uintptr_t)host);
    reset_peak();
    uint64_t before = resident(false);
    launch(&b, b.touch, words / 256, 256, p);
    double used = (double)(int64_t)(resident(true) - before);
    ls_dev_close(b.dev);
    return used;
}

static void tell_memory(const char *what, const ls_emu_prover *prover, int report, const char *host) {
    double whole = memory_of_touch(prover, report, host, WORDS),
           part = memory_of_touch(prover, report, host, WORDS / 4),
           each = (whole - part) / (double)(WORDS - WORDS / 4);
    printf("%-44s %20.2f bytes\n", what, each);
    printf("%-44s %23.1f MB\n", "and for the launch", (whole - each * (double)WORDS) / 1e6);
}

int main(void) {
    int report = open("/dev/null", O_WRONLY);
    size_t bytes = (size_t)MEGABYTES << 20;
    char *host = malloc(bytes), *other = malloc(bytes);
    if (!host || !other || report < 0) return 1;
    memset(host, 1, bytes);
    memset(other, 2, bytes);
    printf("%-44s %10s %10s\n", "", "no checks", "checked");
    bench plain = open_device(0, NULL, report);
    double launches = time_launches(&plain);
    ls_dev_close(plain.dev);
    bench b = open_device(LS_CHECK_ALL, ls_detect_prover(), report);
    printf("%-44s %7.1f ms %7.1f ms\n", "1000 launches of an empty kernel", launches * 1e3,
           time_launches(&b) * 1e3);

    uint64_t p = ls_dev_alloc(b.dev, LS_MEMORY_DEVICE, 0, bytes, "bench"),
             q = ls_dev_alloc(b.dev, LS_MEMORY_DEVICE, 0, bytes, "bench");
    double to = time_copy(&b, p, (uint64_t)(uintptr_t)host),
           from = time_copy(&b, (uint64_t)(uintptr_t)other, p), within = time_copy(&b, q, p),
           plainly = time_memcpy(other, host);
    printf("%-44s %21.1f GB/s\n", "memcpy of 64 MB", (double)bytes / plainly / 1e9);
    printf("%-44s %21.1f GB/s\n", "copy to the device", (double)bytes / to / 1e9);
    printf("%-44s %21.1f GB/s\n", "copy from the device", (double)bytes / from / 1e9);
    printf("%-44s %21.1f GB/s\n", "copy within the device", (double)bytes / within / 1e9);

    ls_dev_close(b.dev);

    tell_memory("checkers' memory for each word touched", ls_detect_prover(), report, host);
    tell_memory("the same where nothing is proved", NULL, report, host);
    free(host);
    free(other);
    return 0;
}
