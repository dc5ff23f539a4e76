//xfail:FOUND
//lockstep: verify
//assertion can fail
//
// The launch is not given: it may have more dimensions.
__kernel void dimensions(__global int *a) {
    __assert(get_work_dim() == 1);
    a[get_global_id(0)] = 1;
}
