//xfail:FOUND
//--block=64 --grid=1

__kernel void k(__global int *out) {
    float tenth[2] = {0.1f, 0.2f};
    __assert(as_int(tenth[0] + tenth[1]) == as_int(0.25f));
    out[get_global_id(0)] = as_int(tenth[0]);
}
