//xfail:FOUND
//--block=64 --grid=4
//
// A counter of each group gives the same numbers to several groups.

__kernel void k(__local uint *count, __global uint *out) {
    out[atomic_inc(count)] = get_global_id(0);
}
