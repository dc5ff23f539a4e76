/* A device that is the host: what NVIDIA's libraries and their test programs need of one (cuda/work.h), so
 * that both are checked by the address sanitizer, which cannot be where `lockstep run` puts its own libraries
 * before a program's. Work is carried out at once, and operands are what malloc gave. */
#include "base/arena.h"
#include "cuda/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cudaMalloc(void **at, size_t size);
int cudaFree(void *at);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 int kind);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream);

int cudaMalloc(void **at, size_t size) {
    *at = malloc(size);
    return *at ? 0 : 2;
}

int cudaFree(void *at) {
    free(at);
    return 0;
}

int cudaMemcpy(void *to, const void *from, size_t size, int kind) {
    (void)kind;
    memcpy(to, from, size);
    return 0;
}

int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 int kind) {
    (void)kind;
    for (size_t row = 0; row < height; row++)
        memcpy((char *)to + row * to_pitch, (const char *)from + row * from_pitch, width);
    return 0;
}

int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream) {
    (void)stream;
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}

int lockstep_cuda_call(void (*call)(void *data, lockstep_memory *memory), void *data) {
    ls_arena memory;
    ls_arena_init(&memory);
    call(data, &memory);
    ls_arena_free(&memory);
    return 0;
}

/* All bytes that the call says it touches are looked at before it is made. */
static void touch(const lockstep_operand *operands, unsigned count) {
    for (unsigned k = 0; k < count; k++) {
        const volatile char *bytes = lockstep_cuda_host(operands[k].address);
        for (uint64_t n = 0; n < operands[k].size; n++) (void)bytes[n];
    }
}

int lockstep_cuda_work(void *stream, const char *what, const lockstep_operand *operands, unsigned count,
                       void (*call)(void *data, lockstep_memory *memory), const void *data, size_t size) {
    (void)stream, (void)what;
    touch(operands, count);
    void *copy = malloc(size + 1);
    if (!copy) return 2;
    memcpy(copy, data, size);
    const int status = lockstep_cuda_call(call, copy);
    free(copy);
    return status;
}

void *lockstep_cuda_memory(lockstep_memory *memory, size_t size) {
    return ls_arena_zalloc(memory, size);
}

void *lockstep_cuda_host(uint64_t address) {
    return (void *)(uintptr_t)address;
}

bool lockstep_cuda_reaches(uint64_t address) {
    return address != 0;
}

void lockstep_cuda_missing(const char *function) {
    printf("missing: %s\n", function);
}
