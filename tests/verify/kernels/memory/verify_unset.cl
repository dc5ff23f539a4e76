//pass
//--block=64 --grid=1

__kernel void k(__global int *a, int n) {
    int x;
    if (n > 3) x = 1;
    if (n > 5) {
        a[get_global_id(0)] = x;
        __assert(x == 1);
    }
}
