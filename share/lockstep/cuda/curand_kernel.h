/* cuRAND's device side: a real generator (xorwow seeded by a 64-bit mix), with cuRAND's functions and types
 * but not its sequence of numbers. */
#ifndef LS_CURAND_KERNEL_H
#define LS_CURAND_KERNEL_H
#pragma GCC system_header
#include "curand.h"

struct curandStateXORWOW { unsigned int d, v[5]; int boxmuller_flag, boxmuller_flag_double; float boxmuller_extra; double boxmuller_extra_double; };
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
struct curandStatePhilox4_32_10 : curandStateXORWOW {};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
struct curandStateMRG32k3a : curandStateXORWOW {};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
enum { LS_MTGP32_WORDS = 1024 };
struct curandStateMtgp32 { unsigned int s[LS_MTGP32_WORDS]; int offset; };
typedef curandStateMtgp32 curandStateMtgp32_t;
struct curandStateSobol32 : curandStateXORWOW {};
typedef curandStateSobol32 curandStateSobol32_t;
typedef curandStateSobol32 curandStateScrambledSobol32_t;
struct curandStateSobol64 : curandStateXORWOW {};
typedef curandStateSobol64 curandStateSobol64_t;


#define LS_RANDOM LS_DEVICE
LS_RANDOM unsigned long long ls_mix(unsigned long long z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
}
/* What a state holds is cuRAND's own matter, so it is not to follow from the seed alone: two threads that
 * initialise one state must not count as writing the same. They start from numbers in memory, each from its own. */
static __device__ unsigned long long ls_random_start[2] = {0x9e3779b97f4a7c15ull, 0x9e3779b97f4a7c15ull};
LS_RANDOM unsigned long long ls_random_number(void) { return ls_random_start[(threadIdx.x + threadIdx.y + threadIdx.z) & 1]; }
LS_RANDOM void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset, curandStateXORWOW *s) {
    unsigned long long a = ls_mix(seed + ls_random_number() * (sequence + 1)), b = ls_mix(a + offset), c = ls_mix(b + 1);
    s->d = (unsigned)(c >> 32);
    s->v[0] = (unsigned)a; s->v[1] = (unsigned)(a >> 32); s->v[2] = (unsigned)b; s->v[3] = (unsigned)(b >> 32); s->v[4] = (unsigned)c | 1;
    s->boxmuller_flag = s->boxmuller_flag_double = 0;
    s->boxmuller_extra = 0; s->boxmuller_extra_double = 0;
}
template <class D> LS_RANDOM void curand_init(D *, unsigned long long offset, curandStateSobol32 *s) { curand_init(0ull, 0ull, offset, (curandStateXORWOW *)s); }
template <class D> LS_RANDOM void curand_init(D *, unsigned long long offset, curandStateSobol64 *s) { curand_init(0ull, 0ull, offset, (curandStateXORWOW *)s); }
LS_RANDOM unsigned int curand(curandStateXORWOW *s) {
    unsigned int t = s->v[0] ^ (s->v[0] >> 2);
    s->v[0] = s->v[1]; s->v[1] = s->v[2]; s->v[2] = s->v[3]; s->v[3] = s->v[4];
    s->v[4] = (s->v[4] ^ (s->v[4] << 4)) ^ (t ^ (t << 1));
    s->d += 362437;
    return s->v[4] + s->d;
}
/* One state for a block of at most 256 threads, which all call it: each makes a new word 351 places on. */
LS_RANDOM unsigned int curand(curandStateMtgp32 *state) {
    int thread = (int)(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
    int at = state->offset;
    unsigned int old = state->s[(at + thread) & (LS_MTGP32_WORDS - 1)];
    unsigned int word = (unsigned int)ls_mix(old + ls_random_number() * (unsigned)(thread + 1));
    state->s[(at + thread + 351) & (LS_MTGP32_WORDS - 1)] = word;
    __syncthreads();
    if (thread == 0) state->offset = (at + (int)(blockDim.x * blockDim.y * blockDim.z)) & (LS_MTGP32_WORDS - 1);
    __syncthreads();
    return word;
}
LS_RANDOM float curand_uniform(curandStateMtgp32 *s) { return curand(s) * 2.3283064e-10f + 1.16415322e-10f; }
LS_RANDOM uint4 curand4(curandStatePhilox4_32_10 *s) { uint4 r; r.x = curand(s); r.y = curand(s); r.z = curand(s); r.w = curand(s); return r; }
LS_RANDOM float curand_uniform(curandStateXORWOW *s) { return curand(s) * 2.3283064e-10f + 1.16415322e-10f; }
LS_RANDOM double curand_uniform_double(curandStateXORWOW *s) {
    unsigned long long bits = ((unsigned long long)curand(s) << 21) ^ curand(s);
    return bits * 1.1102230246251565e-16 + 5.5511151231257827e-17;
}
LS_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10 *s) { return make_float4(curand_uniform(s), curand_uniform(s), curand_uniform(s), curand_uniform(s)); }
LS_RANDOM float2 curand_normal2(curandStateXORWOW *s) {
    float u = curand_uniform(s), v = curand_uniform(s) * 6.2831853f, r = sqrtf(-2.0f * logf(u));
    return make_float2(r * sinf(v), r * cosf(v));
}
LS_RANDOM double2 curand_normal2_double(curandStateXORWOW *s) {
    double u = curand_uniform_double(s), v = curand_uniform_double(s) * 6.283185307179586, r = sqrt(-2.0 * log(u));
    return make_double2(r * sin(v), r * cos(v));
}
LS_RANDOM float curand_normal(curandStateXORWOW *s) {
    if (s->boxmuller_flag) { s->boxmuller_flag = 0; return s->boxmuller_extra; }
    float2 n = curand_normal2(s);
    s->boxmuller_flag = 1; s->boxmuller_extra = n.y;
    return n.x;
}
LS_RANDOM double curand_normal_double(curandStateXORWOW *s) { return curand_normal2_double(s).x; }
LS_RANDOM float4 curand_normal4(curandStatePhilox4_32_10 *s) { float2 a = curand_normal2(s), b = curand_normal2(s); return make_float4(a.x, a.y, b.x, b.y); }
LS_RANDOM float curand_log_normal(curandStateXORWOW *s, float mean, float stddev) { return expf(mean + stddev * curand_normal(s)); }
LS_RANDOM unsigned int curand_poisson(curandStateXORWOW *s, double lambda) {
    double limit = exp(-lambda), p = 1.0;
    unsigned int n = 0;
    do { p *= curand_uniform_double(s); n++; } while (p > limit && n < 1u << 20);
    return n - 1;
}
LS_RANDOM void skipahead(unsigned long long n, curandStateXORWOW *s) { s->d += (unsigned)(362437ull * n); }
#endif
