//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 2
//race on
//
// The two branches lead to one array, to elements of each other's threads.
struct pair {
    float *even, *odd;
};

__global__ void choose(const pair *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *to;
    if (threadIdx.x & 1)
        to = p->even + 1;
    else
        to = p->even;
    to[i] = i;
    to[i + 1] = -i;
}
