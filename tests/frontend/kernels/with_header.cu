/* With the header included: nothing is left of it in an ordinary compilation. */
#include "lockstep.h"
__global__ void plain(int *a, int n) {
    __requires(n > 0);
    for (int i = 0; __invariant(i <= n), i < n; i++) a[i] = i;
    __assert(a[0] == 0);
}
