//xfail:NOT_ALL_VERIFIED
//lockstep: verify
//kernel 'slots': proved if stride >= gridDim.x\*blockDim.x
//kernel 'packed': proved if .* with shape == 1, shape\+4 == 2, gridDim.x == \(shape\+8 \+ 255\) / 256
//kernel 'meet': refuted
//
// A single stride: the slots of different steps are apart if it is long enough, which is a contract. So it is for 'packed',
// whose launch passes a structure in parts: what is in them is known all the same. Threads that meet with every stride are an error.
__global__ void slots(float *state, const float *x, int steps, int stride) {
    for (int t = 0; t < steps; t++) state[t * stride + threadIdx.x] = x[t] + threadIdx.x;
}

__global__ void packed(char *out, uint3 shape, long long bytes) {
    long long i = blockIdx.x * 256 + threadIdx.x;
    if (i < shape.z) *(float *)(out + i * bytes) = i;
}

void run(char *out, int n, long long bytes) {
    uint3 shape = {1, 2, (unsigned)n};
    packed<<<(n + 255) / 256, 256>>>(out, shape, bytes);
}

__global__ void meet(float *state, int stride) {
    state[threadIdx.x / 2 * stride] = threadIdx.x;
}
