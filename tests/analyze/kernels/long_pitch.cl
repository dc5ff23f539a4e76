// A 64-bit number that only pointers are indexed with is no pointer: nothing is known of its alignment, so that a row
// of 16 threads may start anywhere.
__kernel void rows(__global int *a, long pitch, __global const int *b) {
    a[get_local_id(0) + pitch * get_local_id(1)] = b[pitch];
}
