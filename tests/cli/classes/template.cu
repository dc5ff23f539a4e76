// 8. A kernel that is never instantiated is not checked, and that is said.
//= unknown unknown unknown unknown
template <class T> __global__ void k(T *a) { a[0] = threadIdx.x; }
