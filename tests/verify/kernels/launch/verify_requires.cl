//pass
//lockstep: verify --block 64 --grid 4
//
// A precondition makes rows disjoint.
__kernel void rows(__global int *a, int pitch) {
    __requires(pitch >= 8);
    __requires(pitch < 1000);
    for (int i = 0; i < 8; i++) a[get_global_id(0) * pitch + i] = i;
}
