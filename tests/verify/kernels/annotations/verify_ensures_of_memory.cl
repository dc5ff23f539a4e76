//unknown
//lockstep: verify --block 64 --grid 4
//__ensures speaks of memory
//
// What memory holds when the function returns is not what it held at its start.
void raise(__global int *a) {
    __ensures(a[0] == 7);
    if (get_global_id(0) == 0) a[0] = 8;
}

__kernel void set(__global int *a) {
    __requires(a[0] == 7);
    raise(a);
}
