//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//error: write-read race on 'y'|error: read-write race on 'y'
//
// Each thread reads its neighbour's element, which that one writes.
__kernel void saxpy(__global float *y, __global const float *x, float a, int n) {
    int i = get_global_id(0);
    if (i < n) y[i] = y[i + 1] + a * x[i];
}
