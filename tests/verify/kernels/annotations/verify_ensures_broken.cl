//xfail:FOUND
//lockstep: verify --block 64 --grid 4
//postcondition can fail
//
// The callers' arguments are fine, but 1 / 2 is not positive: a promise is made to every caller.
int half_of(int n) {
    __requires(n > 0);
    __ensures(__return_val_int() > 0);
    return n / 2;
}

__kernel void shrink(__global int *a) {
    a[get_global_id(0)] = half_of(8);
}
