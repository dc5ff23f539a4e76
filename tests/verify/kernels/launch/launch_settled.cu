// xfail:FOUND
// --frontend=clang
// lockstep: verify
// access out of bounds of 'b'
// kernel 'copy': refuted for block 256
// kernel 'rows': refuted for block 256, grid 4×64.* with w == 1024 \|\| w == 512
//
// What the launch settles: the quotient of an unsigned size is computed from the size, so that memory for one element
// less is too little; and a loop that gives rows one of two lengths makes the launch with the shorter ones, too.
#include <cuda_runtime.h>
#include <stdlib.h>

template <class T> class buffer {
    T *memory = nullptr;
    size_t count = 0;

public:
    explicit buffer(size_t n) : count(n) { cudaMalloc((void **)&memory, n * sizeof(T)); }
    ~buffer() { cudaFree(memory); }
    buffer(const buffer &) = delete;
    T *data() { return memory; }
    size_t size() const { return count; }
};

__global__ void copy(float *a, const float *b, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) a[i] = b[i];
}
__global__ void rows(int *a, int w) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    a[blockIdx.y * w + x] = x + blockIdx.y;
}

int main(int count, char **words) {
    buffer<float> a(atoi(words[1])), b(a.size() - 1);
    copy<<<(a.size() + 255) / 256, 256>>>(a.data(), b.data(), a.size());
    int w = 1024, *c;
    cudaMalloc(&c, 1 << 24);
    for (int round = 0; round < 2; round++) {
        rows<<<dim3(4, 64), 256>>>(c, w);
        w = 512;
    }
}
