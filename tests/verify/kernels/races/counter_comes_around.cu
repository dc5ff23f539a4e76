//unknown
//lockstep: verify
//kernel 'chunks': unknown for block 1024, grid 4096
//kernel 'chunks': proved for block 1024, grid 64
//
// 65,536 places for each of four million threads are more than 32 bits can count: the places are given again. For
// 65,536 threads they are enough.
__global__ void chunks(unsigned *count, int *list) {
    unsigned at = atomicAdd(count, 65536u);
    list[at >> 16] = threadIdx.x;
}

int main() {
    unsigned *count;
    int *list;
    cudaMalloc(&count, sizeof *count);
    cudaMalloc(&list, sizeof *list << 16);
    cudaMemset(count, 0, sizeof *count);
    chunks<<<4096, 1024>>>(count, list);
    chunks<<<64, 1024>>>(count, list);
    return 0;
}
