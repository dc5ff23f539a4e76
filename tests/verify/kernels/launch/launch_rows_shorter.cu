//xfail:FOUND
//lockstep: verify --frontend clang
//error: write-write race on 'a'
//
// Grid and rows are computed from the same number, and the rows are one element shorter than the grid is wide: who
// calls the host code can do nothing about it but give a length that leaves a part of a block over.
__global__ void rows(int *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    a[y * width + x] = x;
}

void fill(int *a, int n) {
    rows<<<dim3(n / 128, 5), 128>>>(a, n - 1);
}
