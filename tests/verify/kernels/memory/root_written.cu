//unknown
//lockstep: verify
//it is not known what memory is accessed here
//
// The kernel changes the table that it takes pointers from: two threads may get the same pointer.
__global__ void rows(float **row, float *spare) {
    if (threadIdx.x == 0) row[blockIdx.x] = spare;
    __syncthreads();
    row[blockIdx.x][threadIdx.x] = blockIdx.x;
}
