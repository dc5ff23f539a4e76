//unknown
//lockstep: verify --block 64 --grid 4
//__global_requires in code that not all work-items of a work-group reach
//
// Threads that do not call it still have 50 in z, which is not followed.
void is_hundred(int x) { __global_requires(x == 100); }
__kernel void memory(void) {
    volatile int z = 50;
    if (get_local_id(0) % 2 == 0) {
        z = 100;
        is_hundred(z);
    }
}
