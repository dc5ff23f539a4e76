//pass
//lockstep: verify --frontend clang
//
// A bitonic sort: the thread exchanges with the one at t ^ j, and the lower of the two does it.
__global__ void bitonic(int *a) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * 256 + t];
    for (int k = 2; k <= 256; k <<= 1)
        for (int j = k >> 1; j > 0; j >>= 1) {
            __syncthreads();
            int p = t ^ j;
            if (p > t && (s[t] > s[p]) == ((t & k) == 0)) {
                int x = s[t];
                s[t] = s[p];
                s[p] = x;
            }
        }
    __syncthreads();
    a[blockIdx.x * 256 + t] = s[t];
}
void go(int *a, int n) { bitonic<<<n, 256>>>(a); }
