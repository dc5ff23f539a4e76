//pass
//lockstep: verify --block 64 --grid 4
//
// What a function promises is checked on its own, for all arguments that it takes, and where it is called.
int half_of(int n) {
    __requires(n > 0);
    __ensures(__return_val_int() >= 0);
    __ensures(__return_val_int() < __old_int(n));
    if (n > 100) return n / 4;
    return n / 2;
}

int2 neighbours(int at) {
    __requires(at < 1000);
    __ensures(__implies(__enabled(), at + 1 == __return_val_int()));
    return (int2)(at + 1, at - 1);
}

__kernel void shrink(__global int *a) {
    int n = half_of(get_local_id(0) + 1);
    __assert(n <= get_local_id(0));
    a[get_global_id(0)] = neighbours(n).x;
}
