//pass
//lockstep: verify -v
//assumes that the pointers in 'g' are not null and point to memory that does not overlap
//
// Pointers in a struct that a parameter points to, in an array of pointers, in variables, and behind pointers to
// pointers: each is taken to point to memory of its own, as parameters are.
struct grid {
    float *in, *out;
    int n;
};

__global__ void members(const grid *g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < g->n - 1) g->out[i] = g->in[i - 1] + g->in[i + 1];
}

__global__ void rows(float **row, int width) {
    for (int x = threadIdx.x; x < width; x += blockDim.x) row[blockIdx.x][x] *= 2;
}

__device__ float *buffer;
__constant__ float *table[4];

__global__ void variables(int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) buffer[i] = table[i % 4][i / 4];
}

__global__ void planes(float ***cube) {
    cube[blockIdx.y][blockIdx.x][threadIdx.x] += 1;
}

struct tensors {
    float *data[8];
    int count;
};

__global__ void many(tensors t) {
    if (blockIdx.x < t.count) t.data[blockIdx.x][threadIdx.x] = 1;
}
