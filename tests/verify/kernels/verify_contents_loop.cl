//unknown
//lockstep: verify --block 64 --grid 1
//no proof that the assertion holds
//
// An earlier iteration has stored something else.
__kernel void again(int n) {
    int mine[2];
    mine[0] = 1;
    mine[1] = 1;
    for (int i = 0; i < n; i++) {
        __assert(mine[i & 1] == 1);
        mine[(i + 1) & 1] = i;
    }
}
