// unknown
// --frontend=clang
// lockstep: verify
// it depends on strides that the caller
//
// Strides in bytes, which the kernel divides by the size of an element: callers in other files give them, and there are
// layouts in which nothing overlaps.
__global__ void put(float *out, int row_bytes, int plane_bytes, int rows) {
    float *plane = (float *)((char *)out + blockIdx.x * plane_bytes);
    int stride = row_bytes / sizeof(float);
    for (int i = 0; i < rows; i++) plane[i * stride + threadIdx.x] = threadIdx.x + i;
}

struct tensor {
    float *data;
    int bytes[3];
};

void run(const tensor *t, int planes, int rows) {
    put<<<planes, 128>>>(t->data, t->bytes[1], t->bytes[2], rows);
}
