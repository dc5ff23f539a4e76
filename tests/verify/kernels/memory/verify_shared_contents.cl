//xfail:FOUND
//--block=8 --grid=2 --bounds
//
// Nobody has set the indices.

__kernel void k(__global int *out) {
    __local int table[64];
    __local int index[64];
    out[get_global_id(0)] = table[index[get_local_id(0)]];
}
