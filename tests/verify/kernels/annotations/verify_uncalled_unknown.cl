//unknown
//lockstep: verify --block 64 --grid 4 --uncalled unknown
//no kernel of the file calls this function
//
// Every thread would write the same element: nothing is said of a function that nobody calls.
void fill(__local int *a) {
    a[0] = get_local_id(0);
}

int twice(int n) {
    return 2 * n;
}

__kernel void empty(__global int *a) {
    a[get_global_id(0)] = 1;
}
