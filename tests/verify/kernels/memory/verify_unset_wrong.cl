//xfail:FOUND
//--block=64 --grid=1
//lockstep: verify
//verify_unset_wrong.cl:9:.*assertion can fail

__kernel void k(__global int *a, int n) {
    int x;
    a[get_global_id(0)] = n;
    __assert(x == 0);
}
