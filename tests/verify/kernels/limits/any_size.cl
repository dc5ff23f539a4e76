//pass
//lockstep: verify --block 4096 --grid 2 --any-size
//
// Other devices than CUDA's may have more local memory, and larger work-groups.
__kernel void large(__global int *a) {
    __local int s[1024 * 1024];
    s[get_local_id(0)] = a[get_global_id(0)];
}
