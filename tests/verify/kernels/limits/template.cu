//unknown
//lockstep: verify
//a template that this file never instantiates: nothing was checked
//
template <class T> __global__ void k(T *a) { a[0] = threadIdx.x; }
