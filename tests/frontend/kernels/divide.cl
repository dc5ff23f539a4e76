// A division of floats, which NVIDIA's OpenCL compiler does not round correctly unless it is asked to.
kernel void divide(global float *a, float b) {
    a[get_global_id(0)] /= b;
}
