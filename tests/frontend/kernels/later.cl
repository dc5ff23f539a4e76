/* Needs OpenCL C 2.0: a generic pointer. */
__kernel void flat(__global int *a, __local int *l) {
    int *p = a;
    if (get_local_id(0)) p = l;
    *p = 1;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
}
