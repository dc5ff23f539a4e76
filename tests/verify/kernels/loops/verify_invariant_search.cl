//pass
//lockstep: verify --block 64 --grid 4 --stats
//stats: .*loop invariants found = [1-9]
//
// Binary search: which half is left depends on the data, but 0 <= low <= high <= 32 in every iteration, so each
// thread stays in its own row.
__kernel void mark(__global int *rows, __global const int *keys) {
    int t = get_global_id(0), low = 0, high = 32;
    while (low < high) {
        int middle = (low + high) / 2;
        if (keys[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < 32) rows[32 * t + low] = t;
}
