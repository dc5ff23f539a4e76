//pass
//lockstep: verify --block 64 --grid 1
//
// … but no bits that none of its values has.
enum Flags { READ = 1 << 0, WRITE = 1 << 1, LOCKED = 1 << 2 };
__global__ void k(Flags flags, int *p) {
    if (flags > 7) p[0] = threadIdx.x;
}
