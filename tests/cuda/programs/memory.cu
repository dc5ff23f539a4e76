// Memory of all kinds: copies in one to three dimensions, symbols, managed, pinned and mapped memory, arrays.
//: output linear 0
//: output pitched 0
//: output box 0
//: output symbols 0
//: output managed 0
//: output mapped 0
//: output managed variable 12
//: output texture 0
//: output surface 0
//: output async 0
//: output pool 1 1 0
#include <cstdio>
#include <cstdlib>
#include <cstring>

__constant__ int factors[4];
__device__ int results[64];
__device__ __managed__ int shared_counter = 7;

__global__ void scale(int *p, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] *= by;
}
__global__ void scale_rows(char *p, size_t pitch, int width, int height) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height) ((int *)(p + y * pitch))[x] += 1000 * y;
}
__global__ void use_symbols() {
    results[threadIdx.x] = factors[threadIdx.x % 4] * (int)threadIdx.x;
    if (threadIdx.x == 0) shared_counter += 5;
}
__global__ void sample(cudaTextureObject_t t, float *out, int width) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * width + x] = tex2D<float>(t, x + 0.5f, y + 0.5f);
}
__global__ void store(cudaSurfaceObject_t s) {
    surf2Dwrite((float)(threadIdx.x * 100 + blockIdx.x), s, threadIdx.x * 4, blockIdx.x);
}

int main() {
    enum { N = 1000 };
    int *h = (int *)malloc(N * 4), *d, bad = 0;
    for (int i = 0; i < N; i++) h[i] = i;
    cudaMalloc(&d, N * 4);
    cudaMemcpy(d, h, N * 4, cudaMemcpyHostToDevice);
    scale<<<(N + 127) / 128, 128>>>(d, N, 3);
    cudaMemcpy(h, d, N * 4, cudaMemcpyDefault);
    for (int i = 0; i < N; i++) bad += h[i] != 3 * i;
    printf("linear %d\n", bad);
    cudaFree(d);

    enum { W = 30, H = 20, Z = 3 };
    int rows[H][W], back[H][W];
    size_t pitch;
    char *p;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) rows[y][x] = x;
    cudaMallocPitch(&p, &pitch, W * 4, H);
    cudaMemset2D(p, pitch, 0, W * 4, H);
    cudaMemcpy2D(p, pitch, rows, W * 4, W * 4, H, cudaMemcpyHostToDevice);
    scale_rows<<<H, 32>>>(p, pitch, W, H);
    cudaMemcpy2D(back, W * 4, p, pitch, W * 4, H, cudaMemcpyDeviceToHost);
    bad = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) bad += back[y][x] != x + 1000 * y;
    printf("pitched %d\n", bad);
    cudaFree(p);

    static int box[Z][H][W], box_back[Z][H][W];
    for (int i = 0; i < Z * H * W; i++) (&box[0][0][0])[i] = i;
    cudaPitchedPtr volume;
    cudaMalloc3D(&volume, make_cudaExtent(W * 4, H, Z));
    cudaMemcpy3DParms c = {};
    c.srcPtr = make_cudaPitchedPtr(box, W * 4, W, H);
    c.dstPtr = volume;
    c.extent = make_cudaExtent(W * 4, H, Z);
    c.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&c);
    c.srcPtr = volume;
    c.dstPtr = make_cudaPitchedPtr(box_back, W * 4, W, H);
    c.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&c);
    printf("box %d\n", memcmp(box, box_back, sizeof box) != 0);
    cudaFree(volume.ptr);

    int f[4] = {2, 3, 5, 7}, r[64];
    cudaMemcpyToSymbol(factors, f, sizeof f);
    use_symbols<<<1, 64>>>();
    cudaMemcpyFromSymbol(r, results, sizeof r);
    bad = 0;
    for (int i = 0; i < 64; i++) bad += r[i] != f[i % 4] * i;
    printf("symbols %d\n", bad);

    int *m;
    cudaMallocManaged(&m, N * 4);
    for (int i = 0; i < N; i++) m[i] = i;
    scale<<<(N + 127) / 128, 128>>>(m, N, 2);
    cudaDeviceSynchronize();
    bad = 0;
    for (int i = 0; i < N; i++) bad += m[i] != 2 * i;
    printf("managed %d\n", bad);
    cudaFree(m);

    int *pinned, *mapped;
    cudaHostAlloc(&pinned, N * 4, cudaHostAllocMapped);
    for (int i = 0; i < N; i++) pinned[i] = i;
    cudaHostGetDevicePointer(&mapped, pinned, 0);
    scale<<<(N + 127) / 128, 128>>>(mapped, N, 4);
    cudaDeviceSynchronize();
    bad = 0;
    for (int i = 0; i < N; i++) bad += pinned[i] != 4 * i;
    printf("mapped %d\n", bad);
    cudaFreeHost(pinned);
    printf("managed variable %d\n", shared_counter);

    float image[H][W], sampled[H][W], *out;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) image[y][x] = 10 * y + x;
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMallocArray(&array, &format, W, H, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, image, W * 4, W * 4, H, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModePoint;
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    cudaMalloc(&out, sizeof image);
    sample<<<H, W>>>(texture, out, W);
    cudaMemcpy(sampled, out, sizeof image, cudaMemcpyDeviceToHost);
    printf("texture %d\n", memcmp(image, sampled, sizeof image) != 0);
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    store<<<H, W>>>(surface);
    cudaMemcpy2DFromArray(sampled, W * 4, array, 0, 0, W * 4, H, cudaMemcpyDeviceToHost);
    bad = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) bad += sampled[y][x] != (float)(x * 100 + y);
    printf("surface %d\n", bad);
    cudaDestroyTextureObject(texture);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFree(out);

    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocAsync(&d, N * 4, s);
    for (int i = 0; i < N; i++) h[i] = i;
    cudaMemcpyAsync(d, h, N * 4, cudaMemcpyHostToDevice, s);
    scale<<<(N + 127) / 128, 128, 0, s>>>(d, N, 5);
    cudaMemcpyAsync(h, d, N * 4, cudaMemcpyDeviceToHost, s);
    cudaMemPool_t pool;
    unsigned long long reserved[3];
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved[0]);
    cudaFreeAsync(d, s);
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved[1]);
    cudaStreamSynchronize(s); // gives back what the pool does not use, as its threshold is 0
    cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved[2]);
    bad = 0;
    for (int i = 0; i < N; i++) bad += h[i] != 5 * i;
    printf("async %d\n", bad);
    printf("pool %d %d %llu\n", reserved[0] > 0, reserved[1] == reserved[0], reserved[2]);
    cudaStreamDestroy(s);
    free(h);
    return cudaGetLastError() != cudaSuccess;
}
