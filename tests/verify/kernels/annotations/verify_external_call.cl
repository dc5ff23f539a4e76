//unknown
//lockstep: verify --block 64 --grid 1
//call of 'elsewhere', which is not modelled
//
int elsewhere(int);
__kernel void calls(__global int *a) {
    a[get_local_id(0)] = elsewhere(1);
}
