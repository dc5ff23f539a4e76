//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//race.global
//
// Bytes against words: thread 4's byte lies in thread 1's word.
__kernel void mixed(__global uint *w) {
    __global uchar *b = (__global uchar *)w;
    w[get_local_id(0)] = get_local_id(0);
    b[get_local_id(0)] = 1;
}
