//xfail:FOUND
//lockstep: verify --block 16,16 --grid 4,4
//error: write-write race on 'to'
//
// All threads of a row write its first element.
__kernel void rows(__write_only image2d_t to) {
    write_imagei(to, (int2)(0, get_global_id(1)), (int4)(get_global_id(0)));
}
