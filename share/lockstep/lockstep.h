/* Annotations for GPU kernels: what a kernel requires, promises and keeps invariant.
 *
 *     #include "lockstep.h"
 *     __global__ void scale(float *a, int n) {
 *         __requires(n == blockDim.x * gridDim.x);
 *         …
 *         for (int i = 1; __invariant(i > 0), i < n; i *= 2) …
 *     }
 *
 * In an ordinary compilation the names compile to nothing. When Lockstep compiles the file for a proof they
 * are functions without a body, whose calls say where each annotation stands. The vocabulary is GPUVerify's;
 * docs/frontend.md has the list with what each name means. */
#ifndef LOCKSTEP_H
#define LOCKSTEP_H

#if !defined(__OPENCL_VERSION__) && !defined(__CUDACC_RTC__)
#include <assert.h> /* declares another __assert, which must be there before ours */
#include <stddef.h>
#endif

/* __ite of three is a choice; a library may have a variable of that name (libstdc++ initialises one). */
#define LS_ITE(A, B, C, TAKEN, ...) TAKEN
#define LS_CHOICE(C, A, B) ((C) ? (A) : (B))
#define LS_NO_CHOICE(...) __ite(__VA_ARGS__)

#if defined(__LOCKSTEP_SOURCE__) && (defined(__OPENCL_VERSION__) || defined(__CUDA_ARCH__))

/* --- Lockstep's own compilation ------------------------------------------------------------------------ */
#ifdef __OPENCL_VERSION__
#define LS_SPEC
#define LS_INLINE static inline __attribute__((always_inline, overloadable))
#else
#define LS_SPEC __device__
#define LS_INLINE static inline __device__ __attribute__((always_inline, nodebug))
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Loads between the two belong to an annotation: they are no accesses of the kernel. */
LS_SPEC void __non_temporal_loads_begin(void);
LS_SPEC void __non_temporal_loads_end(void);
#define LS_BRACKET(call) (__non_temporal_loads_begin(), call, __non_temporal_loads_end())

/* Loops. */
LS_SPEC void __invariant(bool);
LS_SPEC void __global_invariant(bool);
LS_SPEC void __candidate_invariant(bool);
LS_SPEC void __candidate_global_invariant(bool);
LS_SPEC void __function_wide_invariant(bool);
LS_SPEC void __function_wide_candidate_invariant(bool);
#define __invariant(X) LS_BRACKET(__invariant(X))
#define __global_invariant(X) LS_BRACKET(__global_invariant(X))
#define __candidate_invariant(X) LS_BRACKET(__candidate_invariant(X))
#define __candidate_global_invariant(X) LS_BRACKET(__candidate_global_invariant(X))
#define __function_wide_invariant(X) LS_BRACKET(__function_wide_invariant(X))
#define __function_wide_candidate_invariant(X) LS_BRACKET(__function_wide_candidate_invariant(X))

/* Contracts. */
LS_SPEC void __requires(bool);
LS_SPEC void __global_requires(bool);
LS_SPEC void __ensures(bool);
LS_SPEC void __global_ensures(bool);
#define __requires(X) LS_BRACKET(__requires(X))
#define __global_requires(X) LS_BRACKET(__global_requires(X))
#define __ensures(X) LS_BRACKET(__ensures(X))
#define __global_ensures(X) LS_BRACKET(__global_ensures(X))
LS_SPEC void __requires_fresh_array_at(const volatile void *);
#ifdef __OPENCL_VERSION__
#define __requires_fresh_array(P) __requires_fresh_array_at((const volatile void *)(ulong)(P))
#else
#define __requires_fresh_array(P) __requires_fresh_array_at((const volatile void *)(P))
#endif
/* The array that a pointer points to has this many bytes. */
LS_SPEC void __requires_size_at(const volatile void *, size_t);
#ifdef __OPENCL_VERSION__
#define __requires_size(P, BYTES) LS_BRACKET(__requires_size_at((const volatile void *)(ulong)(P), (BYTES)))
#else
#define __requires_size(P, BYTES) LS_BRACKET(__requires_size_at((const volatile void *)(P), (BYTES)))
#endif
LS_SPEC int __return_val_int(void);
LS_SPEC bool __return_val_bool(void);
LS_SPEC void *__return_val_ptr(void);
LS_SPEC void *__return_val_function(void);
#define __return_val_funptr(TYPE) ((TYPE)__return_val_function())
#ifdef __OPENCL_VERSION__
LS_SPEC int4 __return_val_int4(void);
#endif
LS_SPEC int __old_int(int);
LS_SPEC bool __old_bool(bool);
LS_SPEC long __old_long(long);

/* Statements. An __assert's loads are the kernel's own; an __unsafe_assert's are not. */
#ifdef __NVCC__ /* nvcc sees the C library's __assert there; the front end renames ours in its PTX */
LS_SPEC void __lockstep_assert(bool);
#define __assert(X) __lockstep_assert(X)
#else
LS_SPEC void __assert(bool);
#endif
LS_SPEC void __global_assert(bool);
LS_SPEC void __candidate_assert(bool);
LS_SPEC void __candidate_global_assert(bool);
LS_SPEC void __assume(bool);
#define __unsafe_assert(X) LS_BRACKET(__assert(X))
#define __unsafe_global_assert(X) LS_BRACKET(__global_assert(X))
#define __unsafe_candidate_assert(X) LS_BRACKET(__candidate_assert(X))
#define __unsafe_candidate_global_assert(X) LS_BRACKET(__candidate_global_assert(X))
#define __assume(X) LS_BRACKET(__assume(X))

/* Control. */
LS_SPEC bool __enabled(void);
LS_SPEC bool __dominator_enabled(void);
#define __implies(A, B) ((bool)(!(bool)(A) | (bool)(B)))

/* Accesses made so far. */
#ifdef __OPENCL_VERSION__
#define LS_OF_POINTER_IN(NAME, TYPE, SPACE)                                                                  \
    TYPE __##NAME##_##SPACE(const volatile __##SPACE void *);                                                \
    LS_INLINE TYPE __##NAME(const volatile __##SPACE void *p) { return __##NAME##_##SPACE(p); }
#define LS_OF_POINTER(NAME, TYPE) LS_OF_POINTER_IN(NAME, TYPE, local) LS_OF_POINTER_IN(NAME, TYPE, global)
#else
#define LS_OF_POINTER(NAME, TYPE) LS_SPEC TYPE __##NAME(const volatile void *);
#endif
LS_OF_POINTER(read, bool)
LS_OF_POINTER(write, bool)
LS_OF_POINTER(read_offset_bytes, size_t)
LS_OF_POINTER(write_offset_bytes, size_t)
LS_OF_POINTER(ptr_base, int)
LS_OF_POINTER(ptr_offset_bytes, size_t)
LS_OF_POINTER(reads_from, void)
LS_OF_POINTER(writes_to, void)
#define __no_read(P) (!__read(P))
#define __no_write(P) (!__write(P))
#define __read_implies(P, E) __implies(__read(P), E)
#define __write_implies(P, E) __implies(__write(P), E)
#define __read_offset(P) (__read_offset_bytes(P) / sizeof(*(P)))
#define __write_offset(P) (__write_offset_bytes(P) / sizeof(*(P)))
/* An access that the kernel may make here, though it does not: for invariants about data. */
#define __read_permission(TYPE, X) LS_BRACKET((void)(TYPE)(X))
#define __write_permission(TYPE, X) ((void)0)
#ifdef __OPENCL_VERSION__
bool __atomic_has_taken_value_local(__local unsigned *, size_t, unsigned);
bool __atomic_has_taken_value_global(__global unsigned *, size_t, unsigned);
void __array_snapshot_local(__local void *, __local void *);
void __array_snapshot_global(__global void *, __global void *);
LS_INLINE bool __atomic_has_taken_value(__local unsigned *a, size_t i, unsigned v) { return __atomic_has_taken_value_local(a, i, v); }
LS_INLINE bool __atomic_has_taken_value(__global unsigned *a, size_t i, unsigned v) { return __atomic_has_taken_value_global(a, i, v); }
LS_INLINE void __array_snapshot(__local void *to, __local void *from) { __array_snapshot_local(to, from); }
LS_INLINE void __array_snapshot(__global void *to, __global void *from) { __array_snapshot_global(to, from); }
#else
LS_SPEC bool __atomic_has_taken_value(unsigned *, unsigned, unsigned);
LS_SPEC void __array_snapshot(void *, void *);
#endif

/* The other thread of a pair. */
LS_SPEC int __other_int(int);
LS_SPEC bool __other_bool(bool);
LS_SPEC long __other_long(long);
LS_SPEC int __other_ptr_base(int);
#define __uniform_int(X) ((X) == __other_int(X))
#define __uniform_bool(X) ((bool)(X) == __other_bool(X))
#define __uniform_long(X) ((X) == __other_long(X))
#define __uniform_ptr_base(X) ((X) == __other_ptr_base(X))
#define __distinct_int(X) ((X) != __other_int(X))
#define __distinct_bool(X) ((bool)(X) != __other_bool(X))
#define __distinct_long(X) ((X) != __other_long(X))
#define __distinct_ptr_base(X) ((X) != __other_ptr_base(X))
#if defined(__OPENCL_VERSION__) || defined(__LOCKSTEP_ANNOTATED__)
#define __all(X) ((bool)(X) & __other_bool(X)) /* in CUDA also a warp vote: taken only where annotations are used */
#endif
#define __exclusive(X) (!((bool)(X) & __other_bool(X)))
#ifdef __OPENCL_VERSION__
#define LS_GROUP(D) (get_group_id(D) == __other_int(get_group_id(D)))
#define __same_group (LS_GROUP(0) & LS_GROUP(1) & LS_GROUP(2))
#else
#define LS_GROUP(D) (blockIdx.D == __other_int(blockIdx.D))
#define __same_group (LS_GROUP(x) & LS_GROUP(y) & LS_GROUP(z))
#endif

/* Barriers. The further arguments are the threads (or pairs) for which the invariant is used. */
LS_SPEC void __barrier_invariant_0(bool);
LS_SPEC void __barrier_invariant_1(bool, size_t);
LS_SPEC void __barrier_invariant_2(bool, size_t, size_t);
LS_SPEC void __barrier_invariant_3(bool, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_4(bool, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_5(bool, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_6(bool, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_7(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_8(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_9(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_10(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_11(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_12(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_13(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_14(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_15(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_16(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_17(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_18(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_19(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_20(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_0(bool);
LS_SPEC void __barrier_invariant_binary_1(bool, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_2(bool, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_3(bool, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_4(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_5(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_6(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_7(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_8(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_9(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
LS_SPEC void __barrier_invariant_binary_10(bool, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t);
#define __barrier_invariant_0(...) LS_BRACKET(__barrier_invariant_0(__VA_ARGS__))
#define __barrier_invariant_1(...) LS_BRACKET(__barrier_invariant_1(__VA_ARGS__))
#define __barrier_invariant_2(...) LS_BRACKET(__barrier_invariant_2(__VA_ARGS__))
#define __barrier_invariant_3(...) LS_BRACKET(__barrier_invariant_3(__VA_ARGS__))
#define __barrier_invariant_4(...) LS_BRACKET(__barrier_invariant_4(__VA_ARGS__))
#define __barrier_invariant_5(...) LS_BRACKET(__barrier_invariant_5(__VA_ARGS__))
#define __barrier_invariant_6(...) LS_BRACKET(__barrier_invariant_6(__VA_ARGS__))
#define __barrier_invariant_7(...) LS_BRACKET(__barrier_invariant_7(__VA_ARGS__))
#define __barrier_invariant_8(...) LS_BRACKET(__barrier_invariant_8(__VA_ARGS__))
#define __barrier_invariant_9(...) LS_BRACKET(__barrier_invariant_9(__VA_ARGS__))
#define __barrier_invariant_10(...) LS_BRACKET(__barrier_invariant_10(__VA_ARGS__))
#define __barrier_invariant_11(...) LS_BRACKET(__barrier_invariant_11(__VA_ARGS__))
#define __barrier_invariant_12(...) LS_BRACKET(__barrier_invariant_12(__VA_ARGS__))
#define __barrier_invariant_13(...) LS_BRACKET(__barrier_invariant_13(__VA_ARGS__))
#define __barrier_invariant_14(...) LS_BRACKET(__barrier_invariant_14(__VA_ARGS__))
#define __barrier_invariant_15(...) LS_BRACKET(__barrier_invariant_15(__VA_ARGS__))
#define __barrier_invariant_16(...) LS_BRACKET(__barrier_invariant_16(__VA_ARGS__))
#define __barrier_invariant_17(...) LS_BRACKET(__barrier_invariant_17(__VA_ARGS__))
#define __barrier_invariant_18(...) LS_BRACKET(__barrier_invariant_18(__VA_ARGS__))
#define __barrier_invariant_19(...) LS_BRACKET(__barrier_invariant_19(__VA_ARGS__))
#define __barrier_invariant_20(...) LS_BRACKET(__barrier_invariant_20(__VA_ARGS__))
#define __barrier_invariant_binary_0(...) LS_BRACKET(__barrier_invariant_binary_0(__VA_ARGS__))
#define __barrier_invariant_binary_1(...) LS_BRACKET(__barrier_invariant_binary_1(__VA_ARGS__))
#define __barrier_invariant_binary_2(...) LS_BRACKET(__barrier_invariant_binary_2(__VA_ARGS__))
#define __barrier_invariant_binary_3(...) LS_BRACKET(__barrier_invariant_binary_3(__VA_ARGS__))
#define __barrier_invariant_binary_4(...) LS_BRACKET(__barrier_invariant_binary_4(__VA_ARGS__))
#define __barrier_invariant_binary_5(...) LS_BRACKET(__barrier_invariant_binary_5(__VA_ARGS__))
#define __barrier_invariant_binary_6(...) LS_BRACKET(__barrier_invariant_binary_6(__VA_ARGS__))
#define __barrier_invariant_binary_7(...) LS_BRACKET(__barrier_invariant_binary_7(__VA_ARGS__))
#define __barrier_invariant_binary_8(...) LS_BRACKET(__barrier_invariant_binary_8(__VA_ARGS__))
#define __barrier_invariant_binary_9(...) LS_BRACKET(__barrier_invariant_binary_9(__VA_ARGS__))
#define __barrier_invariant_binary_10(...) LS_BRACKET(__barrier_invariant_binary_10(__VA_ARGS__))
#define __barrier_invariant(X) __barrier_invariant_0(X)

/* Arithmetic. */
#define __is_pow2(X) (((X) & ((X) - 1)) == 0)
#define __mod_pow2(X, Y) (((Y) - 1) & (X))
#define LS_ARITHMETIC(NAME, TYPE)                                                                            \
    static inline LS_SPEC __attribute__((always_inline)) TYPE __add_noovfl_##NAME(TYPE a, TYPE b) {          \
        TYPE sum = (TYPE)(a + b);                                                                            \
        __assume((b >= 0) == (sum >= a));                                                                    \
        return sum;                                                                                          \
    }                                                                                                        \
    static inline LS_SPEC __attribute__((always_inline)) TYPE __ite_##NAME(bool c, TYPE a, TYPE b) {         \
        return c ? a : b;                                                                                    \
    }                                                                                                        \
    static inline LS_SPEC __attribute__((always_inline)) TYPE __add_##NAME(TYPE a, TYPE b) { return a + b; }
LS_ARITHMETIC(char, char)
LS_ARITHMETIC(short, short)
LS_ARITHMETIC(int, int)
LS_ARITHMETIC(long, long)
LS_ARITHMETIC(unsigned_char, unsigned char)
LS_ARITHMETIC(unsigned_short, unsigned short)
LS_ARITHMETIC(unsigned_int, unsigned int)
LS_ARITHMETIC(unsigned_long, unsigned long)
#define __ite(...) LS_ITE(__VA_ARGS__, LS_CHOICE, LS_NO_CHOICE, LS_NO_CHOICE, )(__VA_ARGS__)
#define __add(A, B) ((A) + (B))

/* Functions of which nothing is known but that equal arguments give equal values. */
#define DECLARE_UF_UNARY(NAME, A, RESULT)                                                                    \
    LS_SPEC RESULT __uninterpreted_function_##NAME(A);                                                       \
    static inline LS_SPEC RESULT NAME(A x) { return __uninterpreted_function_##NAME(x); }
#define DECLARE_UF_BINARY(NAME, A, B, RESULT)                                                                \
    LS_SPEC RESULT __uninterpreted_function_##NAME(A, B);                                                    \
    static inline LS_SPEC RESULT NAME(A x, B y) { return __uninterpreted_function_##NAME(x, y); }

/* A fact about the launch or the inputs, outside any kernel. */
#ifdef __cplusplus
#define LS_AXIOM_NAMED(EXPRESSION, NUMBER)                                                                   \
    extern "C" LS_SPEC __attribute__((used)) bool __axiom##NUMBER(void) { return EXPRESSION; }
#else
#define LS_AXIOM_NAMED(EXPRESSION, NUMBER)                                                                   \
    bool __axiom##NUMBER(void);                                                                              \
    __attribute__((used)) bool __axiom##NUMBER(void) { return EXPRESSION; }
#endif
#define LS_AXIOM(EXPRESSION, NUMBER) LS_AXIOM_NAMED(EXPRESSION, NUMBER)
#define __axiom(EXPRESSION) LS_AXIOM(EXPRESSION, __COUNTER__)

#ifdef __cplusplus
}
#endif

/* The sum of the arguments, taken without overflow, is what the type can hold. */
#ifdef __OPENCL_VERSION__
#define LS_WIDE long
#define LS_UWIDE ulong
#else
#define LS_WIDE long long
#define LS_UWIDE unsigned long long
#endif
#define LS_FITS(SUM) ((SUM) == (int)(SUM))
#define LS_UFITS(SUM) ((SUM) <= 0xffffffffu)
LS_INLINE bool __add_noovfl(int a, int b) { return LS_FITS((LS_WIDE)a + b); }
LS_INLINE bool __add_noovfl(int a, int b, int c) { return LS_FITS((LS_WIDE)a + b + c); }
LS_INLINE bool __add_noovfl(int a, int b, int c, int d) { return LS_FITS((LS_WIDE)a + b + c + d); }
LS_INLINE bool __add_noovfl(unsigned a, unsigned b) { return LS_UFITS((LS_UWIDE)a + b); }
LS_INLINE bool __add_noovfl(unsigned a, unsigned b, unsigned c) { return LS_UFITS((LS_UWIDE)a + b + c); }
LS_INLINE bool __add_noovfl(unsigned a, unsigned b, unsigned c, unsigned d) { return LS_UFITS((LS_UWIDE)a + b + c + d); }

#else

/* --- Any other compilation: nothing -------------------------------------------------------------------- */
#define LS_NOTHING ((void)0)
#define __non_temporal_loads_begin() LS_NOTHING
#define __non_temporal_loads_end() LS_NOTHING
#define __invariant(X) LS_NOTHING
#define __global_invariant(X) LS_NOTHING
#define __candidate_invariant(X) LS_NOTHING
#define __candidate_global_invariant(X) LS_NOTHING
#define __function_wide_invariant(X) LS_NOTHING
#define __function_wide_candidate_invariant(X) LS_NOTHING
#if defined(__LOCKSTEP_RUN__) && (defined(__OPENCL_VERSION__) || defined(__CUDA_ARCH__))
/* Lockstep executes the kernel: what is to hold in a thread is looked at. */
#ifdef __OPENCL_VERSION__
#define LS_CHECKED
#elif defined(__cplusplus)
#define LS_CHECKED extern "C" __device__
#else
#define LS_CHECKED __device__
#endif
LS_CHECKED void __lockstep_assert(bool);
LS_CHECKED void __requires(bool);
LS_CHECKED void __assume(bool);
#define __assert(X) __lockstep_assert(X)
#define __unsafe_assert(X) __lockstep_assert(X)
#else
#define __requires(X) LS_NOTHING
#define __assert(X) LS_NOTHING
#define __unsafe_assert(X) LS_NOTHING
#define __assume(X) LS_NOTHING
#endif
#define __global_requires(X) LS_NOTHING
#define __requires_fresh_array(P) LS_NOTHING
#define __requires_size(P, BYTES) LS_NOTHING
#define __ensures(X) LS_NOTHING
#define __global_ensures(X) LS_NOTHING
#define __global_assert(X) LS_NOTHING
#define __candidate_assert(X) LS_NOTHING
#define __candidate_global_assert(X) LS_NOTHING
#define __unsafe_global_assert(X) LS_NOTHING
#define __unsafe_candidate_assert(X) LS_NOTHING
#define __unsafe_candidate_global_assert(X) LS_NOTHING
#define __reads_from(P) LS_NOTHING
#define __writes_to(P) LS_NOTHING
#define __read_permission(TYPE, X) LS_NOTHING
#define __write_permission(TYPE, X) LS_NOTHING
#define __array_snapshot(TO, FROM) LS_NOTHING
#define __axiom(EXPRESSION)
#define __barrier_invariant_0(...) LS_NOTHING
#define __barrier_invariant_1(...) LS_NOTHING
#define __barrier_invariant_2(...) LS_NOTHING
#define __barrier_invariant_3(...) LS_NOTHING
#define __barrier_invariant_4(...) LS_NOTHING
#define __barrier_invariant_5(...) LS_NOTHING
#define __barrier_invariant_6(...) LS_NOTHING
#define __barrier_invariant_7(...) LS_NOTHING
#define __barrier_invariant_8(...) LS_NOTHING
#define __barrier_invariant_9(...) LS_NOTHING
#define __barrier_invariant_10(...) LS_NOTHING
#define __barrier_invariant_11(...) LS_NOTHING
#define __barrier_invariant_12(...) LS_NOTHING
#define __barrier_invariant_13(...) LS_NOTHING
#define __barrier_invariant_14(...) LS_NOTHING
#define __barrier_invariant_15(...) LS_NOTHING
#define __barrier_invariant_16(...) LS_NOTHING
#define __barrier_invariant_17(...) LS_NOTHING
#define __barrier_invariant_18(...) LS_NOTHING
#define __barrier_invariant_19(...) LS_NOTHING
#define __barrier_invariant_20(...) LS_NOTHING
#define __barrier_invariant_binary_0(...) LS_NOTHING
#define __barrier_invariant_binary_1(...) LS_NOTHING
#define __barrier_invariant_binary_2(...) LS_NOTHING
#define __barrier_invariant_binary_3(...) LS_NOTHING
#define __barrier_invariant_binary_4(...) LS_NOTHING
#define __barrier_invariant_binary_5(...) LS_NOTHING
#define __barrier_invariant_binary_6(...) LS_NOTHING
#define __barrier_invariant_binary_7(...) LS_NOTHING
#define __barrier_invariant_binary_8(...) LS_NOTHING
#define __barrier_invariant_binary_9(...) LS_NOTHING
#define __barrier_invariant_binary_10(...) LS_NOTHING
#define __barrier_invariant(X) LS_NOTHING
/* These have a value that a kernel may use outside an annotation. */
#define __enabled() (1)
#define __other_int(X) (X)
#define __other_bool(X) (X)
#define __old_int(X) (X)
#define __old_bool(X) (X)
#define __read_offset_bytes(P) ((size_t)0)
#define __write_offset_bytes(P) ((size_t)0)
#ifdef __OPENCL_VERSION__ /* elsewhere too short to take */
#define __read(P) (0)
#define __write(P) (0)
#endif
#define __implies(A, B) (!(A) || (B))
#define __is_pow2(X) (((X) & ((X) - 1)) == 0)
#define __mod_pow2(X, Y) (((Y) - 1) & (X))
#define __ite(...) LS_ITE(__VA_ARGS__, LS_CHOICE, LS_NO_CHOICE, LS_NO_CHOICE, )(__VA_ARGS__)
#define __add(A, B) ((A) + (B))
#define __add_noovfl_char(A, B) ((A) + (B))
#define __add_noovfl_short(A, B) ((A) + (B))
#define __add_noovfl_int(A, B) ((A) + (B))
#define __add_noovfl_long(A, B) ((A) + (B))
#define __add_noovfl_unsigned_char(A, B) ((A) + (B))
#define __add_noovfl_unsigned_short(A, B) ((A) + (B))
#define __add_noovfl_unsigned_int(A, B) ((A) + (B))
#define __add_noovfl_unsigned_long(A, B) ((A) + (B))
#ifdef __OPENCL_VERSION__
#define DECLARE_UF_UNARY(NAME, A, RESULT) static inline RESULT NAME(A x) { return (RESULT)0; }
#define DECLARE_UF_BINARY(NAME, A, B, RESULT) static inline RESULT NAME(A x, B y) { return (RESULT)0; }
#else
#define DECLARE_UF_UNARY(NAME, A, RESULT) static inline __host__ __device__ RESULT NAME(A) { return RESULT(); }
#define DECLARE_UF_BINARY(NAME, A, B, RESULT) static inline __host__ __device__ RESULT NAME(A, B) { return RESULT(); }
#endif
#endif

#endif
