/* Launch sizes: literals, dim3 variables, constants, helper functions; launches that agree and that do not. */
#define WIDTH 32
static const int THREADS = 128;
constexpr int blocks_for(int n) { return (n + THREADS - 1) / THREADS; }
static int divide_up(int a, int b) { return (a + b - 1) / b; }

__global__ void literal(float *a) { a[threadIdx.x] = 1; }
__global__ void variables(float *a) { a[threadIdx.y] = 1; }
__global__ void computed(float *a) { a[blockIdx.x] = 1; }
__global__ void disagree(float *a) { a[blockIdx.x] = 2; }
__global__ void agree(float *a) { a[blockIdx.x] = 3; }
__global__ void unknown(float *a) { a[blockIdx.x] = 4; }
__global__ void by_function(float *a) { a[blockIdx.x] = 5; }
__global__ void __launch_bounds__(256) bounded(float *a) { a[blockIdx.x] = 6; }
template <typename T, int N> __global__ void templated(T *a) { a[threadIdx.x] = N; }
template <typename T> __global__ void never(T *a) { a[0] = 1; }
__global__ void elsewhere(float *a);
#if 0
__global__ void left_out(float *a);
#endif

int main(int argc, char **argv) {
    float *a = 0;
    literal<<<4, 256>>>(a);
    dim3 grid(2, 3);
    dim3 block(WIDTH, WIDTH / 4);
    variables<<<grid, block, 1024>>>(a);
    computed<<<blocks_for(1000), THREADS>>>(a);
    for (int i = 0; i < argc; i++) disagree<<<1, 32>>>(a);
    disagree<<<1, 64>>>(a);
    agree<<<argc, 64>>>(a);
    agree<<<7, 64>>>(a);
    unknown<<<argc, argc>>>(a);
    by_function<<<divide_up(4096, 256), 256>>>(a);
    templated<float, 5><<<1, 96>>>(a);
    templated<int, 6><<<1, 33>>>((int *)a);
    elsewhere<<<1, 1>>>(a);
    void *arguments[] = {&a};
    cudaLaunchKernel((const void *)bounded, dim3(9), dim3(8, 8), arguments, 0, 0);
    return 0;
}
