/* Device mathematics. What PTX has an instruction for is that instruction; the rest is libclc's, called by
 * its own names (accuracy as OpenCL asks for it: sin, cos, exp, log, pow within 4, 4, 3, 3 and 16 units in
 * the last place; libdevice's last bits may differ). Functions whose names start with two underscores are
 * the hardware's approximations, as in CUDA. */
#ifndef LS_MATH_H
#define LS_MATH_H
#pragma GCC system_header

template <bool condition, class T> struct ls_if {};
template <class T> struct ls_if<true, T> { typedef T type; };
template <class T> struct ls_number { static const bool value = __is_integral(T) || __is_floating_point(T); };

/* NAME##f, and NAME for float, double and the integers. */
#define LS_MATH_1(NAME, FLOAT, DOUBLE)                                                                       \
    LS_DEVICE float NAME##f(float x) { return FLOAT; }                                                       \
    LS_DEVICE float NAME(float x) { return FLOAT; }                                                          \
    LS_DEVICE double NAME(double x) { return DOUBLE; }                                                       \
    template <class T> LS_DEVICE typename ls_if<__is_integral(T), double>::type NAME(T x) { return NAME((double)x); }
#define LS_MATH_2(NAME, FLOAT, DOUBLE)                                                                       \
    LS_DEVICE float NAME##f(float x, float y) { return FLOAT; }                                              \
    LS_DEVICE float NAME(float x, float y) { return FLOAT; }                                                 \
    LS_DEVICE double NAME(double x, double y) { return DOUBLE; }                                             \
    template <class T, class U>                                                                              \
    LS_DEVICE typename ls_if<ls_number<T>::value && ls_number<U>::value &&                                   \
                                 !(__is_floating_point(T) && __is_same(T, U)), double>::type NAME(T x, U y) { \
        return NAME((double)x, (double)y);                                                                   \
    }
#define LS_CLC_1(NAME, FLOAT, DOUBLE)                                                                        \
    __device__ float ls_clc_##NAME(float) __asm__(FLOAT);                                                    \
    __device__ double ls_clc_##NAME(double) __asm__(DOUBLE);                                                 \
    LS_MATH_1(NAME, ls_clc_##NAME(x), ls_clc_##NAME(x))
#define LS_CLC_2(NAME, FLOAT, DOUBLE)                                                                        \
    __device__ float ls_clc_##NAME(float, float) __asm__(FLOAT);                                             \
    __device__ double ls_clc_##NAME(double, double) __asm__(DOUBLE);                                         \
    LS_MATH_2(NAME, ls_clc_##NAME(x, y), ls_clc_##NAME(x, y))

LS_CLC_1(sin, "_Z3sinf", "_Z3sind")
LS_CLC_1(cos, "_Z3cosf", "_Z3cosd")
LS_CLC_1(tan, "_Z3tanf", "_Z3tand")
LS_CLC_1(asin, "_Z4asinf", "_Z4asind")
LS_CLC_1(acos, "_Z4acosf", "_Z4acosd")
LS_CLC_1(atan, "_Z4atanf", "_Z4atand")
LS_CLC_1(sinh, "_Z4sinhf", "_Z4sinhd")
LS_CLC_1(cosh, "_Z4coshf", "_Z4coshd")
LS_CLC_1(tanh, "_Z4tanhf", "_Z4tanhd")
LS_CLC_1(asinh, "_Z5asinhf", "_Z5asinhd")
LS_CLC_1(acosh, "_Z5acoshf", "_Z5acoshd")
LS_CLC_1(atanh, "_Z5atanhf", "_Z5atanhd")
LS_CLC_1(exp, "_Z3expf", "_Z3expd")
LS_CLC_1(exp2, "_Z4exp2f", "_Z4exp2d")
LS_CLC_1(exp10, "_Z5exp10f", "_Z5exp10d")
LS_CLC_1(expm1, "_Z5expm1f", "_Z5expm1d")
LS_CLC_1(log, "_Z3logf", "_Z3logd")
LS_CLC_1(log2, "_Z4log2f", "_Z4log2d")
LS_CLC_1(log10, "_Z5log10f", "_Z5log10d")
LS_CLC_1(log1p, "_Z5log1pf", "_Z5log1pd")
LS_CLC_1(cbrt, "_Z4cbrtf", "_Z4cbrtd")
LS_CLC_1(erf, "_Z3erff", "_Z3erfd")
LS_CLC_1(erfc, "_Z4erfcf", "_Z4erfcd")
LS_CLC_1(tgamma, "_Z6tgammaf", "_Z6tgammad")
LS_CLC_1(lgamma, "_Z6lgammaf", "_Z6lgammad")
LS_CLC_1(sinpi, "_Z5sinpif", "_Z5sinpid")
LS_CLC_1(cospi, "_Z5cospif", "_Z5cospid")
LS_CLC_2(pow, "_Z3powff", "_Z3powdd")
LS_CLC_2(fmod, "_Z4fmodff", "_Z4fmoddd")
LS_CLC_2(atan2, "_Z5atan2ff", "_Z5atan2dd")
LS_CLC_2(hypot, "_Z5hypotff", "_Z5hypotdd")
LS_CLC_2(remainder, "_Z9remainderff", "_Z9remainderdd")
LS_CLC_2(nextafter, "_Z9nextafterff", "_Z9nextafterdd")

LS_MATH_1(sqrt, __nvvm_sqrt_rn_f(x), __nvvm_sqrt_rn_d(x))
LS_MATH_1(rsqrt, __nvvm_rsqrt_approx_f(x), __nvvm_rcp_rn_d(__nvvm_sqrt_rn_d(x)))
LS_MATH_1(fabs, __builtin_fabsf(x), __builtin_fabs(x))
LS_MATH_1(floor, __builtin_floorf(x), __builtin_floor(x))
LS_MATH_1(ceil, __builtin_ceilf(x), __builtin_ceil(x))
LS_MATH_1(trunc, __builtin_truncf(x), __builtin_trunc(x))
LS_MATH_1(rint, __builtin_rintf(x), __builtin_rint(x))
LS_MATH_1(nearbyint, __builtin_nearbyintf(x), __builtin_nearbyint(x))
LS_MATH_1(round, __builtin_roundf(x), __builtin_round(x))
LS_MATH_2(fmin, __builtin_fminf(x, y), __builtin_fmin(x, y))
LS_MATH_2(fmax, __builtin_fmaxf(x, y), __builtin_fmax(x, y))
LS_MATH_2(copysign, __builtin_copysignf(x, y), __builtin_copysign(x, y))
LS_MATH_2(fdim, x > y ? x - y : (x <= y ? 0.0f : x - y), x > y ? x - y : (x <= y ? 0.0 : x - y))
LS_MATH_1(rcbrt, 1.0f / ls_clc_cbrt(x), 1.0 / ls_clc_cbrt(x))
LS_MATH_2(rhypot, 1.0f / ls_clc_hypot(x, y), 1.0 / ls_clc_hypot(x, y))
LS_MATH_1(normcdf, 0.5f * ls_clc_erfc(-0.70710678118f * x), 0.5 * ls_clc_erfc(-0.70710678118654752440 * x))
LS_MATH_1(erfcx, ls_clc_exp(x * x) * ls_clc_erfc(x), ls_clc_exp(x * x) * ls_clc_erfc(x))
#undef LS_CLC_1
#undef LS_CLC_2

LS_DEVICE float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
LS_DEVICE float fma(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
LS_DEVICE double fma(double x, double y, double z) { return __builtin_fma(x, y, z); }
LS_DEVICE float fdividef(float x, float y) { return x / y; }
LS_DEVICE float norm3df(float x, float y, float z) { return __nvvm_sqrt_rn_f(x * x + y * y + z * z); }
LS_DEVICE double norm3d(double x, double y, double z) { return __nvvm_sqrt_rn_d(x * x + y * y + z * z); }
LS_DEVICE float rnorm3df(float x, float y, float z) { return __nvvm_rsqrt_approx_f(x * x + y * y + z * z); }
LS_DEVICE float norm4df(float x, float y, float z, float w) { return __nvvm_sqrt_rn_f(x * x + y * y + z * z + w * w); }

LS_DEVICE int abs(int x) { return x < 0 ? -x : x; }
LS_DEVICE long abs(long x) { return x < 0 ? -x : x; }
LS_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
LS_DEVICE float abs(float x) { return __builtin_fabsf(x); }
LS_DEVICE double abs(double x) { return __builtin_fabs(x); }
LS_DEVICE long labs(long x) { return x < 0 ? -x : x; }
LS_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }

LS_DEVICE bool isnan(float x) { return __builtin_isnan(x); }
LS_DEVICE bool isnan(double x) { return __builtin_isnan(x); }
LS_DEVICE bool isinf(float x) { return __builtin_isinf(x); }
LS_DEVICE bool isinf(double x) { return __builtin_isinf(x); }
LS_DEVICE bool isfinite(float x) { return __builtin_isfinite(x); }
LS_DEVICE bool isfinite(double x) { return __builtin_isfinite(x); }
LS_DEVICE bool signbit(float x) { return __builtin_signbitf(x); }
LS_DEVICE bool signbit(double x) { return __builtin_signbit(x); }
LS_DEVICE int finitef(float x) { return __builtin_isfinite(x); }
LS_DEVICE int __isnanf(float x) { return __builtin_isnan(x); }
LS_DEVICE int __isinff(float x) { return __builtin_isinf(x); }
LS_DEVICE int __finitef(float x) { return __builtin_isfinite(x); }
LS_DEVICE float nanf(const char *) { return __builtin_nanf(""); }
LS_DEVICE double nan(const char *) { return __builtin_nan(""); }

#define LS_ROUNDED(NAME, TO, HOW)                                                                            \
    LS_DEVICE TO NAME##f(float x) { return (TO)HOW(x); }                                                     \
    LS_DEVICE TO NAME(float x) { return (TO)HOW(x); }                                                        \
    LS_DEVICE TO NAME(double x) { return (TO)HOW(x); }
LS_ROUNDED(lrint, long, rint)
LS_ROUNDED(llrint, long long, rint)
LS_ROUNDED(lround, long, round)
LS_ROUNDED(llround, long long, round)
#undef LS_ROUNDED

__device__ float ls_clc_ldexp(float, int) __asm__("_Z5ldexpfi");
__device__ double ls_clc_ldexp(double, int) __asm__("_Z5ldexpdi");
__device__ float ls_clc_frexp(float, int *) __asm__("_Z5frexpfPi");
__device__ double ls_clc_frexp(double, int *) __asm__("_Z5frexpdPi");
__device__ float ls_clc_remquo(float, float, int *) __asm__("_Z6remquoffPi");
__device__ double ls_clc_remquo(double, double, int *) __asm__("_Z6remquoddPi");
__device__ int ls_clc_ilogb(float) __asm__("_Z5ilogbf");
__device__ int ls_clc_ilogb(double) __asm__("_Z5ilogbd");
__device__ float ls_clc_logb(float) __asm__("_Z4logbf");
__device__ double ls_clc_logb(double) __asm__("_Z4logbd");
LS_DEVICE float ldexpf(float x, int n) { return ls_clc_ldexp(x, n); }
LS_DEVICE float ldexp(float x, int n) { return ls_clc_ldexp(x, n); }
LS_DEVICE double ldexp(double x, int n) { return ls_clc_ldexp(x, n); }
LS_DEVICE float scalbnf(float x, int n) { return ls_clc_ldexp(x, n); }
LS_DEVICE float scalbn(float x, int n) { return ls_clc_ldexp(x, n); }
LS_DEVICE double scalbn(double x, int n) { return ls_clc_ldexp(x, n); }
LS_DEVICE float frexpf(float x, int *e) { return ls_clc_frexp(x, e); }
LS_DEVICE float frexp(float x, int *e) { return ls_clc_frexp(x, e); }
LS_DEVICE double frexp(double x, int *e) { return ls_clc_frexp(x, e); }
LS_DEVICE float remquof(float x, float y, int *q) { return ls_clc_remquo(x, y, q); }
LS_DEVICE float remquo(float x, float y, int *q) { return ls_clc_remquo(x, y, q); }
LS_DEVICE double remquo(double x, double y, int *q) { return ls_clc_remquo(x, y, q); }
LS_DEVICE int ilogbf(float x) { return ls_clc_ilogb(x); }
LS_DEVICE int ilogb(float x) { return ls_clc_ilogb(x); }
LS_DEVICE int ilogb(double x) { return ls_clc_ilogb(x); }
LS_DEVICE float logbf(float x) { return ls_clc_logb(x); }
LS_DEVICE float logb(float x) { return ls_clc_logb(x); }
LS_DEVICE double logb(double x) { return ls_clc_logb(x); }
LS_DEVICE float modff(float x, float *whole) { *whole = __builtin_truncf(x); return __builtin_copysignf(__builtin_isinf(x) ? 0.0f : x - *whole, x); }
LS_DEVICE float modf(float x, float *whole) { return modff(x, whole); }
LS_DEVICE double modf(double x, double *whole) { *whole = __builtin_trunc(x); return __builtin_copysign(__builtin_isinf(x) ? 0.0 : x - *whole, x); }
LS_DEVICE void sincosf(float x, float *s, float *c) { *s = ls_clc_sin(x); *c = ls_clc_cos(x); }
LS_DEVICE void sincos(float x, float *s, float *c) { *s = ls_clc_sin(x); *c = ls_clc_cos(x); }
LS_DEVICE void sincos(double x, double *s, double *c) { *s = ls_clc_sin(x); *c = ls_clc_cos(x); }
LS_DEVICE void sincospif(float x, float *s, float *c) { *s = ls_clc_sinpi(x); *c = ls_clc_cospi(x); }
LS_DEVICE void sincospi(double x, double *s, double *c) { *s = ls_clc_sinpi(x); *c = ls_clc_cospi(x); }

/* --- The hardware's own -------------------------------------------------------------------------------- */
LS_DEVICE float __sinf(float x) { return __nvvm_sin_approx_f(x); }
LS_DEVICE float __cosf(float x) { return __nvvm_cos_approx_f(x); }
LS_DEVICE float __tanf(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
LS_DEVICE void __sincosf(float x, float *s, float *c) { *s = __nvvm_sin_approx_f(x); *c = __nvvm_cos_approx_f(x); }
LS_DEVICE float __expf(float x) { return __nvvm_ex2_approx_f(x * 1.44269504088896340736f); }
LS_DEVICE float __exp10f(float x) { return __nvvm_ex2_approx_f(x * 3.32192809488736234787f); }
LS_DEVICE float __log2f(float x) { return __nvvm_lg2_approx_f(x); }
LS_DEVICE float __logf(float x) { return __nvvm_lg2_approx_f(x) * 0.69314718055994530942f; }
LS_DEVICE float __log10f(float x) { return __nvvm_lg2_approx_f(x) * 0.30102999566398119521f; }
LS_DEVICE float __powf(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
LS_DEVICE float __fdividef(float x, float y) { return __nvvm_div_approx_f(x, y); }
LS_DEVICE float __saturatef(float x) { return __nvvm_saturate_f(x); }
LS_DEVICE float saturate(float x) { return __nvvm_saturate_f(x); }
LS_DEVICE float __frsqrt_rn(float x) { return __nvvm_rsqrt_approx_f(x); }
#define LS_MODES(MODE, PTX)                                                                                  \
    LS_DEVICE float __fadd_##MODE(float x, float y) { return __nvvm_add_##PTX##_f(x, y); }                   \
    LS_DEVICE float __fsub_##MODE(float x, float y) { return __nvvm_add_##PTX##_f(x, -y); }                  \
    LS_DEVICE float __fmul_##MODE(float x, float y) { return __nvvm_mul_##PTX##_f(x, y); }                   \
    LS_DEVICE float __fdiv_##MODE(float x, float y) { return __nvvm_div_##PTX##_f(x, y); }                   \
    LS_DEVICE float __fmaf_##MODE(float x, float y, float z) { return __nvvm_fma_##PTX##_f(x, y, z); }       \
    LS_DEVICE float __frcp_##MODE(float x) { return __nvvm_rcp_##PTX##_f(x); }                               \
    LS_DEVICE float __fsqrt_##MODE(float x) { return __nvvm_sqrt_##PTX##_f(x); }                             \
    LS_DEVICE double __dadd_##MODE(double x, double y) { return __nvvm_add_##PTX##_d(x, y); }                \
    LS_DEVICE double __dsub_##MODE(double x, double y) { return __nvvm_add_##PTX##_d(x, -y); }               \
    LS_DEVICE double __dmul_##MODE(double x, double y) { return __nvvm_mul_##PTX##_d(x, y); }                \
    LS_DEVICE double __ddiv_##MODE(double x, double y) { return __nvvm_div_##PTX##_d(x, y); }                \
    LS_DEVICE double __fma_##MODE(double x, double y, double z) { return __nvvm_fma_##PTX##_d(x, y, z); }    \
    LS_DEVICE double __drcp_##MODE(double x) { return __nvvm_rcp_##PTX##_d(x); }                             \
    LS_DEVICE double __dsqrt_##MODE(double x) { return __nvvm_sqrt_##PTX##_d(x); }
LS_MODES(rn, rn)
LS_MODES(rz, rz)
LS_MODES(ru, rp)
LS_MODES(rd, rm)
#undef LS_MODES

/* --- Minimum and maximum, on both sides ---------------------------------------------------------------- */
#define LS_MINMAX(T)                                                                                         \
    LS_BOTH T min(T a, T b) { return b < a ? b : a; }                                                        \
    LS_BOTH T max(T a, T b) { return a < b ? b : a; }
LS_MINMAX(int)
LS_MINMAX(unsigned int)
LS_MINMAX(long)
LS_MINMAX(unsigned long)
LS_MINMAX(long long)
LS_MINMAX(unsigned long long)
#undef LS_MINMAX
LS_BOTH float min(float a, float b) { return __builtin_fminf(a, b); }
LS_BOTH float max(float a, float b) { return __builtin_fmaxf(a, b); }
LS_BOTH double min(double a, double b) { return __builtin_fmin(a, b); }
LS_BOTH double max(double a, double b) { return __builtin_fmax(a, b); }
#define LS_MINMAX_MIXED(T, A, B)                                                                             \
    LS_BOTH T min(A a, B b) { return min((T)a, (T)b); }                                                      \
    LS_BOTH T max(A a, B b) { return max((T)a, (T)b); }                                                      \
    LS_BOTH T min(B a, A b) { return min((T)a, (T)b); }                                                      \
    LS_BOTH T max(B a, A b) { return max((T)a, (T)b); }
LS_MINMAX_MIXED(unsigned int, int, unsigned int)
LS_MINMAX_MIXED(double, float, double)
LS_MINMAX_MIXED(long, int, long)
LS_MINMAX_MIXED(unsigned long, int, unsigned long)
LS_MINMAX_MIXED(unsigned long, unsigned int, unsigned long)
LS_MINMAX_MIXED(long long, int, long long)
LS_MINMAX_MIXED(float, int, float)
#undef LS_MINMAX_MIXED
LS_DEVICE unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
LS_DEVICE unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
LS_DEVICE long long llmin(long long a, long long b) { return min(a, b); }
LS_DEVICE long long llmax(long long a, long long b) { return max(a, b); }
#undef LS_MATH_1
#undef LS_MATH_2

/* The C++ library's functions of these names are then the host's alone. */
namespace std {
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::remainder;
using ::remquo;
using ::rint;
using ::round;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
}

#endif
