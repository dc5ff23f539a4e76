// pass
// --frontend=clang
// lockstep: verify --bounds -v
// kernel 'fill.*: proved for block 16×16.*gridDim.x == w / 16
// for 'a' of .* bytes \(allocated at line 36\): accesses stay inside
//
// Sizes and pointers that are members of objects: what a method reads twice is one value, as starting a kernel does not change
// it; what a constructor has set is known where the object is made in the same function; a class of the program's own that
// keeps memory, and std::unique_ptr, hand on what they were given;
// a vector has one size as long as nothing changes it.
#include <cuda_runtime.h>
#include <memory>
#include <vector>

__global__ void fill(float *a, int w, int h) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    a[y * w + x] = (float)x + (float)h;
}

__global__ void shift(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] += 1;
}

struct image {
    float *data;
    int w, h;
    void clear() const { fill<<<dim3(w / 16, h / 16), dim3(16, 16)>>>(data, w, h); }
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

struct release {
    void operator()(float *p) const { cudaFree(p); }
};

void of_image(const image *i) {
    i->clear();
}

void own(int n) {
    memory<float> v(n);
    shift<<<(n + 255) / 256, 256>>>(v.get(), (int)v.size());
}

void unique(int n) {
    float *raw = nullptr;
    cudaMalloc(&raw, n * sizeof *raw);
    std::unique_ptr<float, release> v(raw);
    shift<<<(n + 127) / 128, 128>>>(v.get(), n);
}

void vector(const std::vector<float> &host) {
    float *copy = nullptr;
    cudaMalloc(&copy, host.size() * sizeof *copy);
    cudaMemcpy(copy, host.data(), host.size() * sizeof *copy, cudaMemcpyHostToDevice);
    shift<<<(unsigned)((host.size() + 63) / 64), 64>>>(copy, (int)host.size());
    cudaFree(copy);
}
