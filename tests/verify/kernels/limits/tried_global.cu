// xfail:NOT_ALL_VERIFIED
// lockstep: verify
// error: write-write race on 'a'
//
// An index that no invariant describes: a run in the emulator, with numbers that are made up, shows that threads meet.
__global__ void scatter(int *a, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned h = i;
    for (int r = 0; r < rounds; r++) h = (h * 31 + 7) ^ (h >> 3);
    while (h > 500) h -= (h >> 2) + 1;
    a[h] = i;
}
