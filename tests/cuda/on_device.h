/* What the programs of NVIDIA's libraries share: memory of the device with the host's contents, and what is
 * expected. */
#ifndef LS_TESTS_CUDA_ON_DEVICE_H
#define LS_TESTS_CUDA_ON_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

int cudaMalloc(void **at, size_t size);
int cudaFree(void *at);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
enum { TO_DEVICE = 1, TO_HOST = 2 };

static int failures;

static void expect(bool good, const char *what) {
    if (good) return;
    printf("wrong: %s\n", what);
    failures++;
}
#define DONE(call) expect((call) == 0, #call)

static void *on_device(const void *from, size_t size) {
    void *at = NULL;
    DONE(cudaMalloc(&at, size));
    if (from) DONE(cudaMemcpy(at, from, size, TO_DEVICE));
    return at;
}
static void fetch(void *to, void *from, size_t size) {
    DONE(cudaMemcpy(to, from, size, TO_HOST));
    DONE(cudaFree(from));
}

static double value(int k) { /* something that is not regular */
    return (double)(k * 7919 % 101) / 50 - 1;
}
#endif
