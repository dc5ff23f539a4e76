//unknown
//lockstep: verify --block 64 --grid 1
//.*write.* 'rows'
//
// Where all keys are smaller, the search ends behind the row: low <= 32 holds, low < 32 does not.
__kernel void mark(__global int *rows, __global const int *keys) {
    int t = get_global_id(0), low = 0, high = 32;
    while (low < high) {
        int middle = (low + high) / 2;
        if (keys[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    rows[32 * t + low] = t;
}
