// Texture references, as programs of CUDA 11 and before have them: to memory in a line and by rows, to an array, bound
// again, with coordinates beyond the edge (which are clamped where nothing else was said) and texels read as fractions.
//: clang only
//: output 0 wrong
#include <cstdio>

enum { WIDTH = 8, HEIGHT = 4, COUNT = WIDTH * HEIGHT };

texture<float, 1, cudaReadModeElementType> line;
texture<float, 2, cudaReadModeElementType> rows;
static texture<unsigned char, 2, cudaReadModeNormalizedFloat> bytes;

__global__ void read_line(float *out) {
    out[threadIdx.x] = tex1Dfetch(line, threadIdx.x);
}

__global__ void read_rows(float *out) {
    out[threadIdx.y * WIDTH + threadIdx.x] = tex2D(rows, threadIdx.x + 0.5f, threadIdx.y + 0.5f);
}

__global__ void read_beyond(float *out) {
    out[threadIdx.x] = tex2D(bytes, 1.0f + threadIdx.x, 0.1f);
}

static int wrong;

static void expect(const float *device, const float *expected, int n) {
    float got[COUNT];
    cudaMemcpy(got, device, n * sizeof *got, cudaMemcpyDeviceToHost);
    for (int k = 0; k < n; k++) wrong += got[k] != expected[k];
}

int main() {
    float values[COUNT], more[COUNT], fractions[4], *a, *b, *out;
    unsigned char texels[COUNT];
    for (int k = 0; k < COUNT; k++) values[k] = k * 1.5f, more[k] = 100 - k, texels[k] = (unsigned char)(5 * k);
    cudaMalloc((void **)&a, sizeof values);
    cudaMalloc((void **)&b, sizeof values);
    cudaMalloc((void **)&out, sizeof values);
    cudaMemcpy(a, values, sizeof values, cudaMemcpyHostToDevice);
    cudaMemcpy(b, more, sizeof more, cudaMemcpyHostToDevice);

    cudaBindTexture(0, line, a, sizeof values);
    read_line<<<1, COUNT>>>(out);
    expect(out, values, COUNT);
    cudaBindTexture(0, line, b);
    read_line<<<1, COUNT>>>(out);
    expect(out, more, COUNT);
    cudaUnbindTexture(line);

    cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
    cudaBindTexture2D(0, rows, a, desc, WIDTH, HEIGHT, WIDTH * sizeof(float));
    read_rows<<<1, dim3(WIDTH, HEIGHT)>>>(out);
    expect(out, values, COUNT);

    cudaArray *array;
    cudaChannelFormatDesc byte = cudaCreateChannelDesc<unsigned char>();
    cudaMallocArray(&array, &byte, WIDTH, HEIGHT);
    cudaMemcpy2DToArray(array, 0, 0, texels, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice);
    bytes.normalized = true;
    cudaBindTextureToArray(bytes, array);
    read_beyond<<<1, 4>>>(out);
    for (int k = 0; k < 4; k++) fractions[k] = texels[WIDTH - 1] / 255.0f;
    expect(out, fractions, 4);

    cudaFreeArray(array);
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
