//xfail:NOT_ALL_VERIFIED
//lockstep: verify
//write-write race on 'y'
//confirmed in the emulator
//1 kernel: 1 refuted; 1 error
//
// What two threads write to an element differs, unless the factor is 0, as it is in a witness that leaves it open: a run
// with another factor shows the race.
__global__ void spread(float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = a * x[i];
    if (i % 2) y[i + 1] = a * x[i];
}
