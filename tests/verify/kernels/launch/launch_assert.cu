// unknown
// --frontend=clang
// lockstep: verify
// kernel 'both': proved for block 256
// kernel 'either': proved if n >= 0 for block 256
// kernel 'changed': proved if n
// 1 proved, 2 proved if
//
// What an assertion of the host code says holds where the launch stands: of `a && b` both parts, of `a || b` none by
// itself, and nothing of what a variable is given afterwards.
#include <cassert>
#include <cuda_runtime.h>

__global__ void both(int *out, unsigned n) {
    __shared__ unsigned s[256];
    s[threadIdx.x] = n;
    if (n > 1024 || n < 4 || n == 77) s[0] = threadIdx.x;
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x];
}

__global__ void either(int *out, int n) {
    __shared__ int s[256];
    s[threadIdx.x] = n;
    if (n < 0) s[0] = threadIdx.x;
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x];
}

__global__ void changed(int *out, int n) {
    __shared__ int s[256];
    s[threadIdx.x] = n;
    if (n > 9) s[0] = threadIdx.x;
    out[blockIdx.x * 256 + threadIdx.x] = s[threadIdx.x];
}

void run(int *out, unsigned n, int m, int k) {
    assert(n >= 4 && n <= 1024 && n != 77);
    both<<<10, 256>>>(out, n);
    assert(m >= 0 || k >= 0);
    either<<<10, 256>>>(out, m);
}

void run_changed(int *out, int n, int m) {
    bool good = n >= 0 && n < 10;
    if (m > 3) n = m;
    if (good) changed<<<10, 256>>>(out, n);
}
