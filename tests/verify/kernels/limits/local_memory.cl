//xfail:ERROR
//lockstep: verify --block 64 --grid 2
//'large_\$_s' has 4194304 bytes: there are at most
//
__kernel void large(__global int *a) {
    __local int s[1024 * 1024];
    s[get_local_id(0)] = a[get_global_id(0)];
}
