//pass
//lockstep: verify --block 64 --grid 4 --stats
//stats: .*accesses = 2
//
// What answered the queries is in the text too.
__kernel void copy(__global int *to, __global const int *from) {
    to[get_global_id(0)] = from[get_global_id(0)];
}
