//pass
//lockstep: verify --block 64

// Pointers in a struct that the kernel is given by value are not null, as parameters are not.
struct arrays {
    float *x;
    int *y;
    float *z;
    int n;
};

__global__ void k(float *a, arrays s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.n) a[i] = s.z[i];
}
