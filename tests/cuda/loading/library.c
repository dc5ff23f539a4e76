/* A library as a module of Python may be: with a runtime linked in, which nobody outside can see, and with
 * code that runs when it is loaded (runtime.c). The library has the names of NVIDIA's
 * compiler as well, with functions for PTX and for machine code. */
#include <string.h>

__attribute__((visibility("hidden"))) int cudaGetDeviceCount(int *count);

static int when_loaded = -1;

__attribute__((constructor)) static void start(void) {
    int count = 0;
    when_loaded = cudaGetDeviceCount(&count) ? -1 : count;
}

int devices(int *early);
int devices(int *early) {
    int count = -1;
    *early = when_loaded;
    return cudaGetDeviceCount(&count) ? -1 : count;
}

__attribute__((noinline)) static int give(char *to, const char *text) {
    memcpy(to, text, strlen(text) + 1);
    return 0;
}
int nvrtcGetCUBIN(void *program, char *to);
int nvrtcGetCUBIN(void *program, char *to) {
    return program ? give(to, "machine code") : 1;
}
int nvrtcGetPTX(void *program, char *to);
int nvrtcGetPTX(void *program, char *to) {
    return program ? give(to, "PTX") : 1;
}
