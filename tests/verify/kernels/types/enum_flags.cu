//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//flags = 5
//
// An enum with gaps is one of flags: combinations of them occur.
enum Flags { READ = 1 << 0, WRITE = 1 << 1, LOCKED = 1 << 2 };
__global__ void k(Flags flags, int *p) {
    if (flags == (READ | LOCKED)) p[0] = threadIdx.x;
}
