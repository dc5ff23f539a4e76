//pass
//lockstep: verify --block 64 --grid 2
//note: write-write race of equal values on 'flag' between work-items of one work-group \[race.global\]
//
// Every thread writes the same, from memory that nobody writes: shown, but no error.
__kernel void mark(__global int *flag, __global const int *value, int i) { flag[0] = value[i] + 1; }
