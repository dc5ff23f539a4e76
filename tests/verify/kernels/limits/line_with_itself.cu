//unknown
//lockstep: verify --as-written --block 64 --grid 1
//possible write-write race on 'y'
//
// The emulator sees the first line race with itself, which is not what is in question: the second never runs.
__global__ void k(float *y, const float *x) {
    y[0] = 0;
    if (x[0] * x[0] < -1.0f) y[0] = threadIdx.x;
}
