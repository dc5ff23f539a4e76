//pass
//--local_size=[5,8] --num_groups=2 --bounds

__kernel void k(__global int *out) {
    int table[5] = {10, 20, 30, 40, 50};
    int other[7] = {1, 2, 3, 4, 5, 6, 7};
    size_t at = get_global_id(1) * get_global_size(0) + get_global_id(0);
    out[at] = table[get_global_id(1) % 5] + other[at % 7] + table[at / 20];
}
