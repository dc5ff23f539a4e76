//pass
//--block=64 --grid=1

__kernel void k(__global int *out) {
    float a = 1, b = 3;
    float third[2] = {a / b, a - b};
    __assert(as_int(third[0] * b) == as_int(1.0f));
    __assert(as_int(third[1] + b) == as_int(a));
    out[get_global_id(0)] = as_int(third[0]);
}
