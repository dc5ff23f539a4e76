/* Functions that __half and __nv_bfloat16 share, for LS_T and LS_T2, which the including header defines along
 * with LS_BITS (the 16 bits of a number) and LS_FROM_BITS. Arithmetic goes through float and is rounded once
 * to the type; the comparisons are exact. No guard: this file is read once for each of the two types. */
LS_BOTH LS_T2 operator-(const LS_T2 &a) { return LS_T2(-a.x, -a.y); }
LS_BOTH LS_T operator+(const LS_T &a) { return a; }
LS_BOTH LS_T2 operator+(const LS_T2 &a) { return a; }
LS_BOTH LS_T &operator++(LS_T &a) { return a = LS_T((float)a + 1.0f); }
LS_BOTH LS_T &operator--(LS_T &a) { return a = LS_T((float)a - 1.0f); }
LS_BOTH LS_T operator++(LS_T &a, int) { LS_T old = a; ++a; return old; }
LS_BOTH LS_T operator--(LS_T &a, int) { LS_T old = a; --a; return old; }
#define LS_COMPARE(NAME, OP)                                                                                 \
    LS_BOTH bool operator OP(const LS_T &a, const LS_T &b) { return (float)a OP(float) b; }                  \
    LS_BOTH bool operator OP(const LS_T2 &a, const LS_T2 &b) { return (float)a.x OP(float) b.x && (float)a.y OP(float) b.y; } \
    LS_BOTH bool __h##NAME(LS_T a, LS_T b) { return (float)a OP(float) b; }                                  \
    LS_BOTH LS_T2 __h##NAME##2(LS_T2 a, LS_T2 b) { return LS_T2(LS_T((float)a.x OP(float) b.x ? 1.0f : 0.0f), LS_T((float)a.y OP(float) b.y ? 1.0f : 0.0f)); } \
    LS_BOTH bool __hb##NAME##2(LS_T2 a, LS_T2 b) { return (float)a.x OP(float) b.x && (float)a.y OP(float) b.y; } \
    LS_BOTH unsigned __h##NAME##2_mask(LS_T2 a, LS_T2 b) { return ((float)a.x OP(float) b.x ? 0xffffu : 0u) | ((float)a.y OP(float) b.y ? 0xffff0000u : 0u); }
LS_COMPARE(eq, ==)
LS_COMPARE(ne, !=)
LS_COMPARE(lt, <)
LS_COMPARE(le, <=)
LS_COMPARE(gt, >)
LS_COMPARE(ge, >=)
#undef LS_COMPARE
/* The unordered forms: true where an operand is no number. */
#define LS_UNORDERED(NAME, OPPOSITE)                                                                         \
    LS_BOTH bool __h##NAME##u(LS_T a, LS_T b) { return !((float)a OPPOSITE(float) b); }                      \
    LS_BOTH LS_T2 __h##NAME##u2(LS_T2 a, LS_T2 b) { return LS_T2(LS_T(__h##NAME##u(a.x, b.x) ? 1.0f : 0.0f), LS_T(__h##NAME##u(a.y, b.y) ? 1.0f : 0.0f)); } \
    LS_BOTH bool __hb##NAME##u2(LS_T2 a, LS_T2 b) { return __h##NAME##u(a.x, b.x) && __h##NAME##u(a.y, b.y); }
LS_UNORDERED(lt, >=)
LS_UNORDERED(le, >)
LS_UNORDERED(gt, <=)
LS_UNORDERED(ge, <)
#undef LS_UNORDERED

LS_BOTH bool __hisnan(LS_T a) { return (float)a != (float)a; }
LS_BOTH int __hisinf(LS_T a) { return __builtin_isinf((float)a) ? ((float)a < 0 ? -1 : 1) : 0; }
LS_BOTH LS_T2 __hisnan2(LS_T2 a) { return LS_T2(LS_T(__hisnan(a.x) ? 1.0f : 0.0f), LS_T(__hisnan(a.y) ? 1.0f : 0.0f)); }
#define LS_ARITHMETIC(NAME, OP)                                                                              \
    LS_BOTH LS_T NAME(LS_T a, LS_T b) { return a OP b; }                                                     \
    LS_BOTH LS_T2 NAME##2(LS_T2 a, LS_T2 b) { return a OP b; }                                               \
    LS_BOTH LS_T NAME##_rn(LS_T a, LS_T b) { return a OP b; }                                                \
    LS_BOTH LS_T2 NAME##2_rn(LS_T2 a, LS_T2 b) { return a OP b; }                                            \
    LS_BOTH LS_T NAME##_sat(LS_T a, LS_T b) { float r = (float)(a OP b); return LS_T(r > 0.0f ? (r < 1.0f ? r : 1.0f) : 0.0f); } \
    LS_BOTH LS_T2 NAME##2_sat(LS_T2 a, LS_T2 b) { return LS_T2(NAME##_sat(a.x, b.x), NAME##_sat(a.y, b.y)); }
LS_ARITHMETIC(__hadd, +)
LS_ARITHMETIC(__hsub, -)
LS_ARITHMETIC(__hmul, *)
#undef LS_ARITHMETIC
LS_BOTH LS_T __hdiv(LS_T a, LS_T b) { return a / b; }
LS_BOTH LS_T2 __h2div(LS_T2 a, LS_T2 b) { return a / b; }
LS_BOTH LS_T __hneg(LS_T a) { return -a; }
LS_BOTH LS_T2 __hneg2(LS_T2 a) { return -a; }
LS_BOTH LS_T __habs(LS_T a) { return LS_FROM_BITS((unsigned short)(LS_BITS(a) & 0x7fff)); }
LS_BOTH LS_T2 __habs2(LS_T2 a) { return LS_T2(__habs(a.x), __habs(a.y)); }
LS_BOTH LS_T __hmax(LS_T a, LS_T b) { return __hisnan(a) ? b : __hisnan(b) ? a : (float)a > (float)b ? a : b; }
LS_BOTH LS_T __hmin(LS_T a, LS_T b) { return __hisnan(a) ? b : __hisnan(b) ? a : (float)a < (float)b ? a : b; }
LS_BOTH LS_T __hmax_nan(LS_T a, LS_T b) { return __hisnan(a) ? a : __hisnan(b) ? b : (float)a > (float)b ? a : b; }
LS_BOTH LS_T __hmin_nan(LS_T a, LS_T b) { return __hisnan(a) ? a : __hisnan(b) ? b : (float)a < (float)b ? a : b; }
LS_BOTH LS_T2 __hmax2(LS_T2 a, LS_T2 b) { return LS_T2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
LS_BOTH LS_T2 __hmin2(LS_T2 a, LS_T2 b) { return LS_T2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
LS_BOTH LS_T2 __hmax2_nan(LS_T2 a, LS_T2 b) { return LS_T2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
LS_BOTH LS_T2 __hmin2_nan(LS_T2 a, LS_T2 b) { return LS_T2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
LS_DEVICE LS_T2 __hfma2(LS_T2 a, LS_T2 b, LS_T2 c) { return LS_T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
LS_DEVICE LS_T __hfma_relu(LS_T a, LS_T b, LS_T c) { LS_T r = __hfma(a, b, c); return (float)r > 0.0f ? r : LS_T(0.0f); }
LS_DEVICE LS_T2 __hfma2_relu(LS_T2 a, LS_T2 b, LS_T2 c) { return LS_T2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
LS_DEVICE LS_T __hfma_sat(LS_T a, LS_T b, LS_T c) { float r = (float)__hfma(a, b, c); return LS_T(r > 0.0f ? (r < 1.0f ? r : 1.0f) : 0.0f); }

/* The C library's functions of a float, where there are the device's. */
#ifdef __CUDA__
#define LS_FUNCTION(NAME)                                                                                    \
    LS_DEVICE LS_T h##NAME(LS_T a) { return LS_T(NAME##f((float)a)); }                                       \
    LS_DEVICE LS_T2 h2##NAME(LS_T2 a) { return LS_T2(h##NAME(a.x), h##NAME(a.y)); }
LS_FUNCTION(exp)
LS_FUNCTION(exp2)
LS_FUNCTION(exp10)
LS_FUNCTION(log)
LS_FUNCTION(log2)
LS_FUNCTION(log10)
LS_FUNCTION(sin)
LS_FUNCTION(cos)
LS_FUNCTION(tanh)
LS_FUNCTION(sqrt)
LS_FUNCTION(rsqrt)
LS_FUNCTION(floor)
LS_FUNCTION(ceil)
LS_FUNCTION(trunc)
LS_FUNCTION(rint)
#undef LS_FUNCTION
LS_DEVICE LS_T hrcp(LS_T a) { return LS_T(1.0f / (float)a); }
LS_DEVICE LS_T2 h2rcp(LS_T2 a) { return LS_T2(hrcp(a.x), hrcp(a.y)); }

#define LS_SHUFFLE(NAME)                                                                                     \
    LS_DEVICE LS_T NAME(unsigned mask, LS_T v, int lane, int width = 32) {                                   \
        return LS_FROM_BITS((unsigned short)NAME(mask, (unsigned)LS_BITS(v), lane, width));                  \
    }                                                                                                        \
    LS_DEVICE LS_T2 NAME(unsigned mask, LS_T2 v, int lane, int width = 32) {                                 \
        return __builtin_bit_cast(LS_T2, NAME(mask, __builtin_bit_cast(unsigned, v), lane, width));          \
    }
LS_SHUFFLE(__shfl_sync)
LS_SHUFFLE(__shfl_up_sync)
LS_SHUFFLE(__shfl_down_sync)
LS_SHUFFLE(__shfl_xor_sync)
#undef LS_SHUFFLE
#define LS_LOAD(NAME)                                                                                        \
    LS_DEVICE LS_T2 NAME(const LS_T2 *p) { return __builtin_bit_cast(LS_T2, NAME((const unsigned *)p)); }    \
    LS_DEVICE LS_T NAME(const LS_T *p) { return LS_FROM_BITS(NAME((const unsigned short *)p)); }
LS_LOAD(__ldg)
LS_LOAD(__ldcg)
LS_LOAD(__ldca)
LS_LOAD(__ldcs)
LS_LOAD(__ldlu)
LS_LOAD(__ldcv)
#undef LS_LOAD
#define LS_STORE(NAME)                                                                                       \
    LS_DEVICE void NAME(LS_T2 *p, LS_T2 v) { NAME((unsigned *)p, __builtin_bit_cast(unsigned, v)); }         \
    LS_DEVICE void NAME(LS_T *p, LS_T v) { NAME((unsigned short *)p, LS_BITS(v)); }
LS_STORE(__stcg)
LS_STORE(__stcs)
LS_STORE(__stwb)
LS_STORE(__stwt)
#undef LS_STORE
#endif
