/* A runtime that runs nothing and says what it is asked for: for tests of how programs are built. Memory is
 * the host's, and copies are copies. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned x, y, z;
} size;
static struct {
    size grid, block;
    size_t shared;
    void *stream;
} next;

void **__cudaRegisterFatBinary(const uint64_t *wrapper) {
    const uint32_t *data = (const uint32_t *)(uintptr_t)wrapper[1];
    printf("fat binary %x with PTX: %d\n", data[0], strstr((const char *)data + 80, ".entry") != NULL);
    return (void **)malloc(8);
}
void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}
void __cudaUnregisterFatBinary(void **handle) {
    free(handle);
}
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name) {
    (void)handle, (void)host, (void)device;
    printf("kernel %s\n", name);
}
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name) {
    (void)handle, (void)host, (void)device;
    printf("variable %s\n", name);
}
void __lockstepRegisterLinked(const char *images, const char *images_end, const char *entries,
                              const char *entries_end) {
    struct {
        void *host;
        const char *name;
        size_t size;
        int flags, data;
    } e;
    unsigned magic;
    memcpy(&magic, images, sizeof magic);
    printf("fat binary %x with PTX: %d\n", magic,
           memmem(images, (size_t)(images_end - images), ".entry", 6) != NULL);
    for (; entries < entries_end; entries += sizeof e) {
        memcpy(&e, entries, sizeof e);
        printf("%s %s\n", e.size ? "variable" : "kernel", e.name);
    }
}
unsigned __cudaPushCallConfiguration(size grid, size block, size_t shared, void *stream) {
    next.grid = grid, next.block = block, next.shared = shared, next.stream = stream;
    return 0;
}
unsigned __cudaPopCallConfiguration(size *grid, size *block, size_t *shared, void **stream) {
    *grid = next.grid, *block = next.block, *shared = next.shared, *stream = next.stream;
    return 0;
}
int cudaLaunchKernel(const void *kernel, size grid, size block, void **arguments, size_t shared,
                     void *stream) {
    (void)kernel, (void)shared, (void)stream;
    printf("launch %u %u %d\n", grid.x, block.x, *(int *)arguments[1]);
    return 0;
}
int cudaMalloc(void **p, size_t n) {
    return (*p = calloc(1, n)) == NULL;
}
int cudaFree(void *p) {
    return free(p), 0;
}
int cudaMemcpy(void *to, const void *from, size_t n, int kind) {
    return (void)kind, memcpy(to, from, n), 0;
}
int cudaMemcpyToSymbol(const void *symbol, const void *from, size_t n, size_t offset, int kind) {
    return (void)symbol, (void)from, (void)n, (void)offset, (void)kind, 0;
}
int cudaGetDeviceCount(int *n) {
    return *n = 3, 0;
}
