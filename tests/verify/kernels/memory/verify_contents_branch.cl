//xfail:FOUND
//lockstep: verify --block 64 --grid 1
//assertion can fail
//
// Only some threads store.
__kernel void some(__local int *s) {
    int t = get_local_id(0);
    s[t] = 1;
    if (t > 60) s[t] = 2;
    __assert(s[t] == 1);
}
