//: verify holds --block 32 --grid 32 => proved
//: verify bounded --block 32 --grid 32 => proved
//: verify first_fails --block 32 --grid 32 => refuted
//: verify last_fails --block 32 --grid 32 => refuted
// What holds of the other thread of a pair wherever it takes part in the same iteration, in loops that threads
// leave at different times. GPUVerify's asymmetric_asserts/fail is `holds`: it is true of every execution, and
// fails there because --asymmetric-asserts assumes an assertion of one thread only.
#define tid ((int)get_local_id(0))

__kernel void holds(int x) {
    __requires(x > 32);
    for (int i = 0; __invariant(i >= 0), i < x - tid;) {
        i = i + 1;
        __assert(i >= 0);
        __assert(__other_bool(__implies(__enabled(), i >= 0)));
    }
}

__kernel void bounded(int x) {
    __requires(x > 32);
    for (int i = 0; __invariant(i >= 0), i < x - tid;) {
        i = i + 1;
        __assert(__other_bool(__implies(__enabled(), i <= x - tid)));
    }
}

__kernel void first_fails(int x) {
    __requires(x > 32);
    for (int i = 0; __invariant(i >= 0), i < x - tid;) {
        i = i + 1;
        __assert(__other_bool(__implies(__enabled(), i >= 2)));
    }
}

__kernel void last_fails(int x) {
    __requires(x > 32);
    for (int i = 0; __invariant(i >= 0), i < x - tid;) {
        i = i + 1;
        __assert(__other_bool(__implies(__enabled(), i < x - tid)));
    }
}
