// Surfaces with layers, written and read by 16, 4 and 1 bytes.
//: output 0 wrong
#include <cstdio>

enum { WIDTH = 8, HEIGHT = 4, LAYERS = 3, COUNT = WIDTH * HEIGHT * LAYERS };

__device__ float place(int x, int y, int layer) {
    return (float)((layer * HEIGHT + y) * WIDTH + x);
}

template <class T> __device__ T value(float f);
template <> __device__ float4 value(float f) {
    return make_float4(f, f + 1, f + 2, f + 3);
}
template <> __device__ float value(float f) {
    return f;
}
template <> __device__ unsigned char value(float f) {
    return (unsigned char)f;
}

template <class T> __global__ void write(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    surf2DLayeredwrite(value<T>(place(x, y, layer)), s, x * (int)sizeof(T), y, layer);
}

__device__ float sum(float4 v) {
    return v.x + v.y + v.z + v.w;
}
__device__ float sum(float v) {
    return v;
}
__device__ float sum(unsigned char v) {
    return v;
}

template <class T> __global__ void read(cudaSurfaceObject_t s, int *wrong) {
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    T v;
    surf2DLayeredread(&v, s, x * (int)sizeof(T), y, layer);
    if (sum(v) != sum(value<T>(place(x, y, layer)))) atomicAdd(wrong, 1);
    if (sum(surf2DLayeredread<T>(s, x * (int)sizeof(T), y, layer)) != sum(v)) atomicAdd(wrong, 1);
}

template <class T> void check(int *wrong) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaResourceDesc resource = {};
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, HEIGHT, LAYERS),
                      cudaArrayLayered | cudaArraySurfaceLoadStore);
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateSurfaceObject(&surface, &resource);
    write<T><<<LAYERS, dim3(WIDTH, HEIGHT)>>>(surface);
    read<T><<<LAYERS, dim3(WIDTH, HEIGHT)>>>(surface, wrong);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
}

int main() {
    int *wrong, count = -1;
    cudaMalloc(&wrong, sizeof *wrong);
    cudaMemset(wrong, 0, sizeof *wrong);
    check<float4>(wrong);
    check<float>(wrong);
    check<unsigned char>(wrong);
    cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost);
    printf("%d wrong\n", count);
    cudaFree(wrong);
    return count != 0;
}
