//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//race on 'p'
//
// Of an enum whose values are more than plain numbers nothing is taken for granted.
enum Size { SMALL = sizeof(int), LARGE = 2 * SMALL };
__global__ void k(Size size, int *p) {
    if (size == 100) p[0] = threadIdx.x;
}
