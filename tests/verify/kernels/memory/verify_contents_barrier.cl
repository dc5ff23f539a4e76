//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//assertion can fail
//confirmed in the emulator
//
// Behind the barrier, another thread has stored there.
__kernel void passed_on(__local int *s) {
    int t = get_local_id(0);
    s[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[(t + 1) % 64] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    __assert(s[t] == 0);
}
