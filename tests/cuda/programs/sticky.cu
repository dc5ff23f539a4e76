// An error of a kernel stays with the context: calls that need it return the error until the device is reset;
// cudaGetLastError returns it once.
// Errors of a launch that never began do not stay.
//: output 700: malloc 700 stream 700 event 700 memset 700 free 700 last 700 0
//: output 0: malloc 0
//: output an error and then 0: malloc 0
//: finds memory.bounds
#include <cstdio>

__global__ void fill(int *p) {
    p[threadIdx.x] = 1;
}

int main() {
    int *before, *d = nullptr;
    cudaStream_t stream;
    cudaEvent_t event;
    cudaMalloc(&before, 128);
    fill<<<1, 32>>>((int *)8);
    int sync = cudaDeviceSynchronize(), malloc = cudaMalloc(&d, 4), made = cudaStreamCreate(&stream);
    int marked = cudaEventCreate(&event), set = cudaMemset(before, 0, 4), freed = cudaFree(before);
    int last = cudaGetLastError(), again = cudaGetLastError();
    printf("%d: malloc %d stream %d event %d memset %d free %d last %d %d\n", sync, malloc, made, marked, set,
           freed, last, again);
    int reset = cudaDeviceReset();
    malloc = cudaMalloc(&d, 128);
    printf("%d: malloc %d\n", reset, malloc);
    fill<<<1, 2048>>>(d);
    last = cudaGetLastError();
    again = cudaGetLastError();
    cudaFree(d);
    malloc = cudaMalloc(&d, 4);
    printf("%s and then %d: malloc %d\n", last ? "an error" : "none", again, malloc);
    cudaFree(d);
    return 0;
}
