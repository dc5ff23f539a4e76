//: verify before --block 64 --grid 1 => refuted
//: verify behind --block 64 --grid 1 => unknown
//: verify in_loop --block 64 --grid 1 => unknown
//: verify on_one_path --block 64 --grid 1 => refuted
//: verify data --block 64 --grid 1 => unknown
// A function without a body may synchronise, but only once it is called: two accesses that no path reaches
// after such a call race whatever the function does.
void elsewhere(int);
int chosen(int);

__kernel void before(__local int *a) {
    int t = get_local_id(0);
    a[t] = t;
    elsewhere(a[t + 1]);
}

// It may be a barrier that lies between the two.
__kernel void behind(__local int *a) {
    int t = get_local_id(0);
    a[t] = t;
    elsewhere(t);
    a[64 + t] = a[t + 1];
}

// The read of the second iteration comes after the call of the first one, and so does the write.
__kernel void in_loop(__local int *a, int n) {
    int t = get_local_id(0);
    for (int i = 0; i < n; i++) {
        a[t + i] = t;
        elsewhere(i);
    }
}

// The call is on the other path.
__kernel void on_one_path(__local int *a, int n) {
    int t = get_local_id(0);
    if (n) {
        a[t / 2] = t;
        return;
    }
    elsewhere(t);
    a[t] = 0;
}

// Which element is written is the function's result.
__kernel void data(__local int *a) {
    int t = get_local_id(0);
    a[chosen(t)] = t;
}
