//pass
//lockstep: verify --grid 1 --stats --assume '(blockDim.x & (blockDim.x - 1)) == 0'
//answered by cases of powers of two = [1-9]
//
// A block whose size is any power of two: the mask keeps the threads apart.
__global__ void turn(int *out, int shift) {
    out[(threadIdx.x * 5 + shift) & (blockDim.x - 1)] = threadIdx.x;
}
