// xfail:NOT_ALL_VERIFIED
// --frontend=clang
// lockstep: verify
// kernel 'fill': refuted
// kernel 'shift.*: refuted .*launched at line 51
// kernel 'shift.*: refuted .*launched at line 56
// write-write race on 'a' .*
// access out of bounds of 'a'
//
// What is wrong with launches of members is found: rows that are shorter than the grid is wide, as one of the two numbers was
// changed between; memory of an object that is smaller than what its launch asks for; a vector's size that is rounded up.
#include <cuda_runtime.h>
#include <vector>

__global__ void fill(float *a, int w) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    a[y * w + x] = (float)x;
}

__global__ void shift(float *a) {
    a[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

struct image {
    float *data;
    int w, h;
    void clear() {
        w = 32;
        fill<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(data, w - 1);
    }
};

template <class T> class memory {
    T *p = nullptr;
    size_t count;

  public:
    explicit memory(size_t n) : count(n) { cudaMalloc((void **)&p, n * sizeof(T)); }
    ~memory() { cudaFree(p); }
    T *get() const { return p; }
    size_t size() const { return count; }
};

void of_image(image *i) {
    i->h = 64;
    i->clear();
}

void own(int n) {
    memory<float> v(n);
    shift<<<(n + 255) / 256, 256>>>(v.get());
}

void vector(const std::vector<float> &host) {
    memory<float> v(host.size());
    shift<<<(unsigned)((host.size() + 255) / 256), 256>>>(v.get());
}
