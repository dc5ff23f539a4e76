/* Arithmetic on vectors of two, three and four numbers, by the names that code written beside NVIDIA's samples
 * uses, for files that include it without the samples' own folder on the include path. */
#ifndef HELPER_MATH_H
#define HELPER_MATH_H
#ifdef __clang__
#pragma clang system_header
#endif
#include <cuda_runtime.h>
#include <math.h>

typedef unsigned int uint;
typedef unsigned short ushort;

#define LS_MATH static inline __host__ __device__

#ifndef __CUDACC__
LS_MATH float fminf(float a, float b) { return a < b ? a : b; }
LS_MATH float fmaxf(float a, float b) { return a > b ? a : b; }
LS_MATH int max(int a, int b) { return a > b ? a : b; }
LS_MATH int min(int a, int b) { return a < b ? a : b; }
LS_MATH float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#endif

/* --- Making one from another ------------------------------------------------------------------------------ */

#define LS_MAKE(T, S)                                                                                        \
    LS_MATH T##2 make_##T##2(S s) { return make_##T##2(s, s); }                                              \
    LS_MATH T##2 make_##T##2(T##3 a) { return make_##T##2(a.x, a.y); }                                       \
    LS_MATH T##2 make_##T##2(T##4 a) { return make_##T##2(a.x, a.y); }                                       \
    LS_MATH T##3 make_##T##3(S s) { return make_##T##3(s, s, s); }                                           \
    LS_MATH T##3 make_##T##3(T##2 a) { return make_##T##3(a.x, a.y, 0); }                                    \
    LS_MATH T##3 make_##T##3(T##2 a, S s) { return make_##T##3(a.x, a.y, s); }                               \
    LS_MATH T##3 make_##T##3(T##4 a) { return make_##T##3(a.x, a.y, a.z); }                                  \
    LS_MATH T##4 make_##T##4(S s) { return make_##T##4(s, s, s, s); }                                        \
    LS_MATH T##4 make_##T##4(T##3 a) { return make_##T##4(a.x, a.y, a.z, 0); }                               \
    LS_MATH T##4 make_##T##4(T##3 a, S s) { return make_##T##4(a.x, a.y, a.z, s); }
LS_MAKE(float, float)
LS_MAKE(int, int)
LS_MAKE(uint, uint)

#define LS_CONVERT(T, S, F)                                                                                  \
    LS_MATH T##2 make_##T##2(F##2 a) { return make_##T##2((S)a.x, (S)a.y); }                                 \
    LS_MATH T##3 make_##T##3(F##3 a) { return make_##T##3((S)a.x, (S)a.y, (S)a.z); }                         \
    LS_MATH T##4 make_##T##4(F##4 a) { return make_##T##4((S)a.x, (S)a.y, (S)a.z, (S)a.w); }
LS_CONVERT(float, float, int)
LS_CONVERT(float, float, uint)
LS_CONVERT(int, int, float)
LS_CONVERT(int, int, uint)
LS_CONVERT(uint, uint, int)

/* --- Element by element ----------------------------------------------------------------------------------- */

/* One definition for each number of elements: EACH2(f) is "f(x), f(y)". */
#define LS_EACH2(f) f(x), f(y)
#define LS_EACH3(f) LS_EACH2(f), f(z)
#define LS_EACH4(f) LS_EACH3(f), f(w)

#define LS_BINARY(T, S, N, NAME, OP)                                                                         \
    LS_MATH T##N operator OP(T##N a, T##N b) { return make_##T##N(LS_EACH##N(LS_##NAME##_VV)); }             \
    LS_MATH T##N operator OP(T##N a, S b) { return make_##T##N(LS_EACH##N(LS_##NAME##_VS)); }                \
    LS_MATH T##N operator OP(S a, T##N b) { return make_##T##N(LS_EACH##N(LS_##NAME##_SV)); }                \
    LS_MATH void operator OP##=(T##N &a, T##N b) { a = a OP b; }                                             \
    LS_MATH void operator OP##=(T##N &a, S b) { a = a OP b; }
#define LS_ADD_VV(c) a.c + b.c
#define LS_ADD_VS(c) a.c + b
#define LS_ADD_SV(c) a + b.c
#define LS_SUB_VV(c) a.c - b.c
#define LS_SUB_VS(c) a.c - b
#define LS_SUB_SV(c) a - b.c
#define LS_MUL_VV(c) a.c * b.c
#define LS_MUL_VS(c) a.c * b
#define LS_MUL_SV(c) a * b.c
#define LS_DIV_VV(c) a.c / b.c
#define LS_DIV_VS(c) a.c / b
#define LS_DIV_SV(c) a / b.c

#define LS_LIMIT(T, S, N, LEAST, MOST, least, most)                                                          \
    LS_MATH T##N least(T##N a, T##N b) { return make_##T##N(LS_EACH##N(LEAST)); }                            \
    LS_MATH T##N most(T##N a, T##N b) { return make_##T##N(LS_EACH##N(MOST)); }                              \
    LS_MATH T##N clamp(T##N v, S a, S b) { return most(make_##T##N(a), least(v, make_##T##N(b))); }          \
    LS_MATH T##N clamp(T##N v, T##N a, T##N b) { return most(a, least(v, b)); }
#define LS_FMIN(c) fminf(a.c, b.c)
#define LS_FMAX(c) fmaxf(a.c, b.c)
#define LS_MIN(c) (a.c < b.c ? a.c : b.c)
#define LS_MAX(c) (a.c > b.c ? a.c : b.c)

#define LS_VECTORS(T, S, N)                                                                                  \
    LS_BINARY(T, S, N, ADD, +)                                                                               \
    LS_BINARY(T, S, N, SUB, -)                                                                               \
    LS_BINARY(T, S, N, MUL, *)
LS_VECTORS(float, float, 2)
LS_VECTORS(float, float, 3)
LS_VECTORS(float, float, 4)
LS_VECTORS(int, int, 2)
LS_VECTORS(int, int, 3)
LS_VECTORS(int, int, 4)
LS_VECTORS(uint, uint, 2)
LS_VECTORS(uint, uint, 3)
LS_VECTORS(uint, uint, 4)

LS_MATH float clamp(float v, float a, float b) { return fmaxf(a, fminf(v, b)); }
LS_MATH int clamp(int v, int a, int b) { return v < a ? a : v > b ? b : v; }
LS_MATH uint clamp(uint v, uint a, uint b) { return v < a ? a : v > b ? b : v; }
LS_MATH float lerp(float a, float b, float t) { return a + t * (b - a); }
LS_MATH float fracf(float v) { return v - floorf(v); }
LS_MATH float smoothstep(float a, float b, float v) {
    float t = clamp((v - a) / (b - a), 0.0f, 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

#define LS_NEGATED(c) -a.c
#define LS_FLOOR(c) floorf(a.c)
#define LS_FRACTION(c) fracf(a.c)
#define LS_REMAINDER(c) fmodf(a.c, b.c)
#define LS_MAGNITUDE(c) fabsf(a.c)
#define LS_INT_MAGNITUDE(c) (a.c < 0 ? -a.c : a.c)

#define LS_FLOATS(N)                                                                                         \
    LS_BINARY(float, float, N, DIV, /)                                                                       \
    LS_LIMIT(float, float, N, LS_FMIN, LS_FMAX, fminf, fmaxf)                                                \
    LS_MATH float##N operator-(const float##N &a) { return make_float##N(LS_EACH##N(LS_NEGATED)); }          \
    LS_MATH float##N lerp(float##N a, float##N b, float t) { return a + t * (b - a); }                       \
    LS_MATH float##N floorf(float##N a) { return make_float##N(LS_EACH##N(LS_FLOOR)); }                      \
    LS_MATH float##N fracf(float##N a) { return make_float##N(LS_EACH##N(LS_FRACTION)); }                    \
    LS_MATH float##N fmodf(float##N a, float##N b) { return make_float##N(LS_EACH##N(LS_REMAINDER)); }       \
    LS_MATH float##N fabs(float##N a) { return make_float##N(LS_EACH##N(LS_MAGNITUDE)); }                    \
    LS_MATH float length(float##N a) { return sqrtf(dot(a, a)); }                                            \
    LS_MATH float##N normalize(float##N a) { return a * rsqrtf(dot(a, a)); }                                 \
    LS_MATH float##N smoothstep(float##N a, float##N b, float##N v) {                                        \
        float##N t = clamp((v - a) / (b - a), 0.0f, 1.0f);                                                   \
        return t * t * (make_float##N(3.0f) - make_float##N(2.0f) * t);                                      \
    }
#define LS_INTS(N)                                                                                           \
    LS_LIMIT(int, int, N, LS_MIN, LS_MAX, min, max)                                                          \
    LS_LIMIT(uint, uint, N, LS_MIN, LS_MAX, min, max)                                                        \
    LS_MATH int##N operator-(const int##N &a) { return make_int##N(LS_EACH##N(LS_NEGATED)); }                \
    LS_MATH int##N abs(int##N a) { return make_int##N(LS_EACH##N(LS_INT_MAGNITUDE)); }

/* --- Products ------------------------------------------------------------------------------------------------ */

#define LS_DOTS(T, S)                                                                                        \
    LS_MATH S dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; }                                          \
    LS_MATH S dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                              \
    LS_MATH S dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
LS_DOTS(float, float)
LS_DOTS(int, int)
LS_DOTS(uint, uint)

LS_FLOATS(2)
LS_FLOATS(3)
LS_FLOATS(4)
LS_INTS(2)
LS_INTS(3)
LS_INTS(4)

LS_MATH float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
LS_MATH float3 reflect(float3 i, float3 n) {
    return i - 2.0f * n * dot(n, i);
}

#endif
