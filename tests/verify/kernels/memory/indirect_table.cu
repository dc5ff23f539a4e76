//unknown
//lockstep: verify --block 64 --grid 1
//call through a pointer to a function that is not known
//
// The host code fills the table: that an entry is null is not known.
__device__ float twice(float v) { return 2 * v; }
__device__ float half(float v) { return v / 2; }
typedef float (*function)(float);
__device__ function first = twice, second = half;
__device__ function table[2];
__global__ void apply(float *v, int which) {
    v[threadIdx.x] = table[which](v[threadIdx.x]);
}
