//unknown
//lockstep: verify --block 64 --grid 1
//no proof that the assertion holds
//
// Only some threads get there: nothing is known of what the others have in x.
__kernel void some(__local int *a) {
    int x = get_local_id(0);
    if (x < 8) {
        x = 5;
        __assert(__other_int(x) == 5);
    }
    a[get_local_id(0)] = x;
}
