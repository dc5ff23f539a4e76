// Steps of the Collatz sequence: divergent loops.
__kernel void collatz(__global uint *steps) {
    uint i = get_global_id(0), n = i + 1, k = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        k++;
    }
    steps[i] = k;
}
