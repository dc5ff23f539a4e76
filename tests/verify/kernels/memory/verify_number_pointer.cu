//unknown
//lockstep: verify --as-written --block 64 --grid 4
//an integer is converted to a pointer here
//
// The address is computed as a number: what it then points to is not followed.
__global__ void computed(int *a) {
    size_t address = (size_t)a + 4 * (blockIdx.x * blockDim.x + threadIdx.x);
    *(int *)address = 1;
}
