// Clusters need sm_90. Their sizes before and behind __global__, in a declaration, in templates, and left to the launch.
constexpr int WIDTH = 2;
__global__ void __cluster_dims__(2, 1, 1) pair(int *p) { p[threadIdx.x] = blockIdx.x; }
__cluster_dims__(2 * WIDTH) __global__ void declared(int *p);
__global__ void __launch_bounds__(128) declared(int *p) { p[threadIdx.x] = blockIdx.x; }
template <int N> __global__ __cluster_dims__(N, 2) void of_template(int *p) { p[threadIdx.x] = blockIdx.x; }
template __global__ void of_template<3>(int *);
template __global__ void of_template<4>(int *);
namespace {
__cluster_dims__() __global__ void left_to_the_launch() {}
}
__block_size__((64, 2, 1), (2, 2, 1)) __global__ void grid_of_clusters(int *p) { p[threadIdx.x] = blockIdx.x; }
__global__ void alone(int *p) { p[threadIdx.x] = blockIdx.x; }
void host() { left_to_the_launch<<<2, 32>>>(); }
