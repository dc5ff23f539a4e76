//pass
//lockstep: run --
//
// A file that asks to be built and run, with what its host code does: not without --trust.
#include <stdio.h>
__global__ void k(int *p) {
    p[threadIdx.x] = 1;
}
int main() {
    fclose(fopen("written.txt", "w"));
    return 0;
}
