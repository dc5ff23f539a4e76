//unknown
//lockstep: verify --as-written --no-replay --block 64 --grid 2
//kernel 'other_length': unknown
//kernel 'other_column': unknown
//kernel 'own_choice': unknown
//
// Digits of one number that are put together as those of another.
static __device__ int rest(int a, int b) {
    int r;
    asm("rem.s32 %0, %1, %2;" : "=r"(r) : "r"(a), "r"(b));
    return r;
}

__global__ void other_length(float *out, const float *in, int length, int other, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i / length * other + rest(i, length)] = in[i];
}

__global__ void other_column(float *out, const float *in, int length, int other, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i / length * length + rest(i, other)] = in[i];
}

// Looks like a division that looks after zero, but it is another condition.
__global__ void own_choice(float *out, const float *in, int length, int other, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int divisor = other == 0 ? 1 : length;
    int row = other == 0 ? n - i : i / divisor, column = other == 0 ? i : rest(i, divisor);
    out[row * length + column] = in[i];
}
