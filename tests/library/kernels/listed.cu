//pass
//lockstep: verify --block 64 --grid 2
//1 kernel: 1 proved
//
// A kernel of a library is looked at where it is named only, wherever its headers lie: here in a copy that the source has
// with it, as it seems.
namespace cub {
namespace detail {
__global__ void library_kernel(int *a) { a[0] = threadIdx.x; }
} // namespace detail
} // namespace cub

__global__ void own(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
