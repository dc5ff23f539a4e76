// Clusters need sm_90.
__global__ void __cluster_dims__(2, 1, 1) pair(int *p) { p[threadIdx.x] = blockIdx.x; }
