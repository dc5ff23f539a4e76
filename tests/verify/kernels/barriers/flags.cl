//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//error: write-read race on 'p'
//
// The work-item that writes passes no fence flag.
__kernel void flags(__local int *p, __global int *out) {
    int x = get_local_id(0) == 0 ? 0 : CLK_LOCAL_MEM_FENCE;
    if (get_local_id(0) == 0) p[0] = 1;
    barrier(x);
    out[get_global_id(0)] = p[0];
}
