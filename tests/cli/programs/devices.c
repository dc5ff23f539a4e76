#include "parts.h"
#include <cuda_runtime.h>
int devices(void) {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : -1;
}
