//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//assertion can fail
//
// The second store may go to the same element.
__kernel void twice(int i) {
    int mine[8];
    __requires(i >= 0 & i < 8);
    mine[3] = 1;
    mine[i] = 2;
    __assert(mine[3] == 1);
}
