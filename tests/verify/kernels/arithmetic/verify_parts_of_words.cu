//xfail:FOUND
//--block=2 --grid=1
//lockstep: verify
//the emulator may miss races between parts of a word
//
// Thread 0 writes the first byte of what thread 1 writes; other writes to that word lie between.

__global__ void k(unsigned char *out) {
    out[threadIdx.x * 4 + 4] = threadIdx.x;
    ((unsigned short *)out)[threadIdx.x * 2 + 1] = 5;
    ((unsigned short *)out)[threadIdx.x * 2] = 6;
}
