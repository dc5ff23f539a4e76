//unknown
//lockstep: verify --block 64 --grid 1
//possible write-write race on 'out' with line 13 by work-items of one work-group: it depends on values
//
// What the threads write was computed in shared memory: whether it is the same for all is not known (it is), so
// that no race is claimed.
__kernel void broadcast(__global int *out, __global const int *in) {
    __local int s[64];
    s[get_local_id(0)] = in[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    int mine = s[get_local_id(0)];

    out[0] = mine;
}
