// 10. OpenCL's fence flags (see classes.cu).
//= refuted refuted refuted unknown
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void orders_local(__global int *g, __global int *o) {
    int t = get_local_id(0), at = get_group_id(0) * 64;
    g[at + t] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[at + t] = g[at + 63 - t];
}
//= proved proved nothing proved
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void orders_global(__global int *g, __global int *o) {
    int t = get_local_id(0), at = get_group_id(0) * 64;
    g[at + t] = t;
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[at + t] = g[at + 63 - t];
}
