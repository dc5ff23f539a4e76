//pass
//lockstep: verify --size 'a=4*n' --size 'b=4*n' --assume 'get_local_size(0) % 32 == 0' --assume 'n == get_global_size(0) && n > 0'
//for 'a' of 4\*n bytes
//assumes get_local_size\(0\) % 32 == 0
//
// No guard: the buffers are as long as the launch. The leader of each group of 32 writes what no other does.
__kernel void scale(__global int *a, __global int *b, int n) {
    int i = get_global_id(0);
    a[i] = 2 * i;
    b[i / 32 * 32 + i % 32] = i;
}
