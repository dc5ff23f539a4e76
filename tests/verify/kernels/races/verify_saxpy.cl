//pass
//lockstep: verify
//
// Any launch: two threads never have the same global id (mixed radix, with the launch bound of the scope).
__kernel void saxpy(__global float *y, __global const float *x, float a, int n) {
    int i = get_global_id(0);
    if (i < n) y[i] += a * x[i];
}
