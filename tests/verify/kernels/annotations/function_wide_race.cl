//: verify neighbours --block 32 --grid 32 => refuted
// A statement that is not modelled does not synchronise: the race is told, whatever becomes of the statement.
__kernel void neighbours(__global int *a) {
    unsigned n = get_global_size(0), t = get_global_id(0);
    for (int i = 0; i < 10; i++) a[t] += a[t + n];
    for (int j = 0; j < 10; j++) a[t + j * n + 1] += a[t + n];
    __function_wide_invariant(__write_implies(a, __write_offset_bytes(a) / sizeof(int) % n == t));
}
