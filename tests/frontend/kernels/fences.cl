/* OpenCL: fence flags, asynchronous copies and the required size are kept in source form. */
__attribute__((reqd_work_group_size(8, 4, 1))) __kernel void fences(__global float *a, __local float *l) {
    int t = get_local_id(0);
    l[t] = a[t];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[t] = l[t + 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
    event_t e = async_work_group_copy(l, a, 32, 0);
    wait_group_events(1, &e);
    e = async_work_group_strided_copy(a, l, 16, 3, 0);
    wait_group_events(1, &e);
    a[t + 5];
}
