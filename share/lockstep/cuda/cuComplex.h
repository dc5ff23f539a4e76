/* Complex numbers as CUDA has them. */
#ifndef LS_CUCOMPLEX_H
#define LS_CUCOMPLEX_H
#pragma GCC system_header
#include "lockstep_cuda.h"
#include <math.h>
typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;
#define LS_COMPLEX(C, T, F, D, ABS)                                                                          \
    LS_BOTH T cuCreal##F(C a) { return a.x; }                                                                \
    LS_BOTH T cuCimag##F(C a) { return a.y; }                                                                \
    LS_BOTH C cuConj##F(C a) { C r; r.x = a.x; r.y = -a.y; return r; }                                       \
    LS_BOTH C cuCadd##F(C a, C b) { C r; r.x = a.x + b.x; r.y = a.y + b.y; return r; }                       \
    LS_BOTH C cuCsub##F(C a, C b) { C r; r.x = a.x - b.x; r.y = a.y - b.y; return r; }                       \
    LS_BOTH C cuCmul##F(C a, C b) { C r; r.x = a.x * b.x - a.y * b.y; r.y = a.x * b.y + a.y * b.x; return r; } \
    LS_BOTH C cuCdiv##F(C a, C b) {                                                                          \
        T n = b.x * b.x + b.y * b.y;                                                                         \
        C r; r.x = (a.x * b.x + a.y * b.y) / n; r.y = (a.y * b.x - a.x * b.y) / n; return r;                 \
    }                                                                                                        \
    LS_BOTH C cuCfma##F(C a, C b, C c) { return cuCadd##F(cuCmul##F(a, b), c); }                             \
    LS_DEVICE T cuCabs##F(C a) { return ABS(a.x * a.x + a.y * a.y); }                                        \
    __host__ T cuCabs##F(C a);
LS_COMPLEX(cuFloatComplex, float, f, 0, sqrtf)
LS_COMPLEX(cuDoubleComplex, double, , 0, sqrt)
#undef LS_COMPLEX
LS_BOTH cuFloatComplex make_cuFloatComplex(float a, float b) { return make_float2(a, b); }
LS_BOTH cuComplex make_cuComplex(float a, float b) { return make_float2(a, b); }
LS_BOTH cuDoubleComplex make_cuDoubleComplex(double a, double b) { return make_double2(a, b); }
#endif
