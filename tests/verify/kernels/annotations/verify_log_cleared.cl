//unknown
//lockstep: verify --block 64 --grid 1
//
// Whether the write is still in the log depends on a barrier that is passed or not.
__kernel void k(__global int *a, int n) {
    a[get_global_id(0)] = n;
    if (n > 5) barrier(CLK_GLOBAL_MEM_FENCE);
    __assert(!__write(a));
}
