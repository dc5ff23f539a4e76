//pass
//lockstep: verify --block 64
//
// Branches choose between pointers of one struct: each thread still has its own element of either.
struct pair {
    float *even, *odd;
};

__global__ void choose(const pair *p, int turn) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float *to;
    if (turn & 1)
        to = p->odd;
    else
        to = p->even + 16;
    to[i] = i;
    to[i] += 1;
}
