//pass
//lockstep: verify --block 64 --grid 8
//
// Two copies under way at once, each waited for, with the rest of the array written meanwhile; and one back.
__kernel void scale(__global float *a, __global const float *b) {
    __local float x[128], y[64];
    event_t under_way[2];
    int t = get_local_id(0);
    under_way[0] = async_work_group_copy(x, a + 64 * get_group_id(0), 64, 0);
    under_way[1] = async_work_group_strided_copy(y, b, 64, 2, 0);
    x[64 + t] = t;
    wait_group_events(2, under_way);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    x[t] = x[t] * y[(t + 1) % 64] + x[127 - t];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    event_t back = async_work_group_copy(a + 64 * get_group_id(0), x, 64, 0);
    wait_group_events(1, &back);
}
