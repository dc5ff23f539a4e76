// Host code that does not compile: the launches are read from the text.
#define N 1024
static __global__ void first(int *p) { p[threadIdx.x] = 1; }
template <class T, int size> static __global__ void second(T *p, int n) { p[threadIdx.x] = n; }
const int THREADS = 64 * 2;
void go(int *p, int n) {
    dim3 grid(N / 16, 4);
    dim3 block = dim3(16, 16);
    first<<<N / 256, THREADS>>>(p); /* first<<<1, 1>>>(p); */
    second<int, 3><<<grid, block, 256>>>(p, 3);
    second<float, 3><<<n, 32>>>((float *)p, 3);
#ifndef __CUDA_ARCH__
    this_is_declared_nowhere(p);
#endif
}
