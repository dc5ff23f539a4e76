//pass
//lockstep: verify --block 8,8 --grid 4,4
//
// The launch says how many dimensions it has.
__kernel void dimensions(__global int *a) {
    __assert(get_work_dim() == 2);
    a[get_global_id(1) * get_global_size(0) + get_global_id(0)] = 1;
}
