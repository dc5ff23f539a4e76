//unknown
//lockstep: verify
//proved if get_num_groups\(0\) == 1 && get_num_groups\(1\) == 1
//
// Without the number of groups the kernel does nothing wrong: it is written for one group.
__kernel void rotate_left(__global int *a, __local int *t) {
    int i = get_local_id(0), n = get_local_size(0);
    t[i] = a[i] + get_num_groups(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    a[i] = t[(i + 1) % n];
}
