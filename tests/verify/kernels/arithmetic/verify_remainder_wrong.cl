//xfail:FOUND
//--local_size=[5,8] --num_groups=2 --bounds

__kernel void k(__global int *out) {
    int table[5] = {10, 20, 30, 40, 50};
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[at] = table[get_global_id(1) % 7];
}
