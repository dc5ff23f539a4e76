/* Stores that could be merged or made unconditional stay where they are, each under its own condition. */
__global__ void branches(int *a, int *b, int c, int d) {
    int t = threadIdx.x;
    a[t] = 0;
    if (c) a[t] = 1;
    if (c > 5) b[t] = 1;
    if (d > 5) b[t] = 2;
    if (c > 7) { b[2 * t] = 3; } else { b[2 * t] = 4; }
    int v = 0;
    if (d > 9) v = a[t + 1];
    b[3 * t] = v;
}
