//unknown
//lockstep: verify --block 64
//it is not known what memory is accessed here

// Pointers in a struct that the kernel is given by value: they are not null, as parameters are not, but where they
// point to is not modelled where code reads them through the struct's address.
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
