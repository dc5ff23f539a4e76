//pass
//lockstep: verify --block 8,8 --grid 1
//
// What a thread has stored since the last barrier it finds again: in its own arrays, in pieces, and in local
// memory. Of one address two loads give the same: thread (y, k) below never writes what row y reads.
typedef union {
    int word;
    uchar bytes[4];
} pieces;

__kernel void own(__global int *a, int n, int k) {
    __requires(k >= 0 & k < 4);
    int mine[4] = {3, 1, 2, 0};
    int x = get_local_id(0), y = get_local_id(1);
    a[(y * 8 + x) * 4 + mine[k]] = n;
    pieces p;
    p.word = 0x01020304;
    p.bytes[1] = 7;
    __assert(p.word == 0x01020704);
    __assert(p.bytes[3] == 1);
}

__kernel void closure(__global int *a) {
    __local int reach[8][8];
    int x = get_local_id(0), y = get_local_id(1);
    reach[y][x] = a[y * 8 + x];
    __assert(reach[y][x] == a[y * 8 + x]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++) {
        if (reach[y][x] == 0 && reach[y][k] != 0 && reach[k][x] != 0) reach[y][x] = k + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    a[y * 8 + x] = reach[y][x];
}
