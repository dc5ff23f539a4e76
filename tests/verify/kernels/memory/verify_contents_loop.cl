//xfail:NOT_ALL_VERIFIED
//lockstep: verify --block 64 --grid 1
//assertion can fail
//
// An earlier iteration has stored something else.
__kernel void again(int n) {
    __requires(n > 2);
    int mine[2];
    mine[0] = 1;
    mine[1] = 1;
    for (int i = 0; i < n; i++) {
        __assert(mine[i & 1] == 1);
        mine[(i + 1) & 1] = i;
    }
}
