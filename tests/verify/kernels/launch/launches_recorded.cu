//xfail:NOT_ALL_VERIFIED
//lockstep: verify -v --launches launches_recorded.json
//proved for block 16×16, grid 4×4 \(launch 1 of launches_recorded.json\)
//proved as well for every launch with gridDim.x == 4 && blockDim.x == 16 && width == 64
//refuted for block 16×16, grid 4×4 \(launch 7 of launches_recorded.json\)
//
// Launches that were recorded in a run of a program, which was ended by a signal, so that the list has no end. The
// first one is proved, and it is told which of its sizes and arguments matter; the other one races.
__global__ void rows(float *a, int width) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[y * width + x] = x;
}
