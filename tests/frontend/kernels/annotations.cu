/* Every kind of annotation, without including lockstep.h. */
__axiom(blockDim.x <= 1024);
__global__ void annotated(int *a, int n) {
    __requires(n > 0);
    __requires_size(a, 4 * n);
    __global_requires(n < 1000);
    __function_wide_invariant(__implies(__write(a), __write_offset_bytes(a) / sizeof(int) == threadIdx.x));
    int t = threadIdx.x;
    for (int i = 0; __global_invariant(__no_read(a)), __candidate_invariant(i <= n), i < n; i++) {
        __assume(__uniform_int(i));
        a[t] = i;
    }
    __barrier_invariant_1(a[t] == n, t);
    __syncthreads();
    __assert(__enabled() && __distinct_int(t));
    __global_assert(__other_int(t) != t);
    __assert(__all(t >= 0));
    __ensures(__old_int(n) == n);
    __assert(__is_pow2(64) && __write_implies(a, true) && __read_implies(a, __read_offset(a) < 4));
}
