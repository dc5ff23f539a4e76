//unknown
//lockstep: verify
//a template that this file never instantiates: it was not checked
//
template <class T> __global__ void k(T *a) { a[0] = threadIdx.x; }
