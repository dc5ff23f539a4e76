// Eight kernels of the usual kinds in one file, for bench_check.c.
#define N 256

__global__ void copy(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i];
}

__global__ void transpose(const float *in, float *out) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * 1024 + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    out[y * 1024 + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void reduce(const float *in, float *out) {
    __shared__ float s[N];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * N + t];
    __syncthreads();
    for (int d = N / 2; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}

__global__ void scan(float *data) {
    __shared__ float s[2][N];
    int t = threadIdx.x, from = 0;
    s[0][t] = data[blockIdx.x * N + t];
    __syncthreads();
    for (int d = 1; d < N; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    data[blockIdx.x * N + t] = s[from][t];
}

__global__ void stencil(const float *in, float *out, int n) {
    __shared__ float s[N + 2];
    int i = blockIdx.x * N + threadIdx.x, t = threadIdx.x + 1;
    s[t] = i < n ? in[i] : 0;
    if (threadIdx.x == 0) s[0] = i > 0 ? in[i - 1] : 0;
    if (threadIdx.x == N - 1) s[N + 1] = i + 1 < n ? in[i + 1] : 0;
    __syncthreads();
    if (i < n) out[i] = s[t - 1] + s[t] + s[t + 1];
}

__global__ void multiply(const float *a, const float *b, float *c) {
    __shared__ float s[16][16], r[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 256; k += 16) {
        s[y][x] = a[(blockIdx.y * 16 + y) * 256 + k + x];
        r[y][x] = b[(k + y) * 256 + blockIdx.x * 16 + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += s[y][i] * r[i][x];
        __syncthreads();
    }
    c[(blockIdx.y * 16 + y) * 256 + blockIdx.x * 16 + x] = sum;
}

__global__ void histogram(const unsigned char *in, unsigned *bins, int n) {
    __shared__ unsigned s[N];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * N + threadIdx.x; i < n; i += gridDim.x * N) atomicAdd(&s[in[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

__global__ void columns(const float *in, float *out) {
    float sum = 0;
    for (int row = 0; row < 64; row++) sum += in[threadIdx.x * 64 + row];
    out[blockIdx.x * N + threadIdx.x] = sum;
}

int main() {
    float *a, *b, *c;
    unsigned char *bytes;
    unsigned *bins;
    cudaMalloc(&a, 1 << 22), cudaMalloc(&b, 1 << 22), cudaMalloc(&c, 1 << 22);
    cudaMalloc(&bytes, 1 << 20), cudaMalloc(&bins, 4 * N);
    copy<<<64, N>>>(a, b, 64 * N);
    transpose<<<dim3(32, 32), dim3(32, 32)>>>(a, b);
    reduce<<<64, N>>>(a, b);
    scan<<<64, N>>>(a);
    stencil<<<64, N>>>(a, b, 64 * N);
    multiply<<<dim3(16, 16), dim3(16, 16)>>>(a, b, c);
    histogram<<<64, N>>>(bytes, bins, 1 << 20);
    columns<<<64, N>>>(a, b);
}
