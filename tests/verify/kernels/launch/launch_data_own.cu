//xfail:NOT_ALL_VERIFIED
//lockstep: verify
//kernel 'count': refuted
//kernel 'best': refuted
//kernel 'later': refuted
//kernel 'peek': refuted
//kernel 'rows': refuted
//5 kernels: 5 refuted
//
// What a thread has loaded for itself lets any thread pass that has such values: no data that a program keeps makes it one
// alone. So a place that all threads then change without an atomic operation is a race of the launch.
__global__ void count(const int *first, int *total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && first[i] < first[i + 1]) *total += 1;
}

__global__ void best(const int *x, int *most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && *most < x[i]) *most = x[i];
}

__global__ void later(const int *first, const int *next, int *most, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (first[i] < first[i + 1] && i < next[first[i]])
            if (*most < next[i]) *most = max(*most, next[i]);
}

// The plain read races with the atomic operation; another read in the same line has an index from memory.
__global__ void peek(const int *first, const int *next, int *most, const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = first[i]; j < first[i + 1]; j++)
            if (*most < x[next[j]]) atomicMax(most, x[next[j]]);
}

// A row for each block: where it begins and ends is the same for the block's threads, and differs between blocks.
__global__ void rows(const int *first, const int *next, int *most, const int *x, int n) {
    if (blockIdx.x >= n) return;
    __shared__ int best[1024];
    int value = 0;
    for (int j = first[blockIdx.x] + threadIdx.x; j < first[blockIdx.x + 1]; j += blockDim.x) value = max(value, x[next[j]]);
    best[threadIdx.x] = value;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (threadIdx.x < stride) best[threadIdx.x] = max(best[threadIdx.x], best[threadIdx.x + stride]);
        __syncthreads();
    }
    if (threadIdx.x == 0 && *most < value) atomicMax(most, best[0]);
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]), grid = atoi(argv[2]), block = atoi(argv[3]);
    int *a, *b, *c, *d;
    cudaMalloc(&a, (n + 1) * sizeof *a);
    cudaMalloc(&b, n * sizeof *b);
    cudaMalloc(&c, sizeof *c);
    cudaMalloc(&d, n * sizeof *d);
    count<<<(n + 255) / 256, 256>>>(a, c, n);
    best<<<(n + 255) / 256, 256>>>(b, c, n);
    later<<<64, 256>>>(a, b, c, n);
    peek<<<(n + 255) / 256, 256>>>(a, b, c, d, n);
    rows<<<grid, block>>>(a, b, c, d, n);
}
