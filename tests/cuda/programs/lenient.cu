// What nvcc and the host compiler accept with a warning at most: narrowing in braces, 'register', 'template' before a
// name without arguments. And a line that one lane begins and ends, and all lanes print.
//: output all: 0 1 2 3 4 5 6 7
//: output 28
#include <cstdio>

struct sums {
    template <class T> __host__ __device__ T add(T a, T b) const { return a + b; }
};

template <class S> __host__ __device__ int total(const S &s, int a, int b) {
    return s.template add(a, b);
}

__global__ void print(int *sum) {
    register int lane = threadIdx.x;
    if (lane == 0) printf("all:");
    printf(" %d", lane);
    if (lane == 0) printf("\n");
    atomicAdd(sum, total(sums(), lane, 0));
}

int main(int argc, char **) {
    int lanes = 7 + argc, *sum;
    dim3 block{lanes}, grid{argc};
    unsigned char bytes[] = {lanes};
    cudaMallocManaged(&sum, sizeof *sum);
    *sum = bytes[0] - block.x;
    print<<<grid, block>>>(sum);
    cudaDeviceSynchronize();
    printf("%d\n", *sum);
    cudaFree(sum);
}
