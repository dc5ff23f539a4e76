// 000, Figure 1b: the barrier is executed as often by each thread, but in different iterations.
__kernel void k(void) {
    int x = get_local_id(0) == 0 ? 4 : 1;
    int y = get_local_id(0) == 0 ? 1 : 4;
    for (int i = 0; i < x; i++)
        for (int j = 0; j < y; j++)
            barrier(CLK_LOCAL_MEM_FENCE);  // [b]
}

//: k --block 2 --grid 1 --source-shaped => barrier.divergence b
