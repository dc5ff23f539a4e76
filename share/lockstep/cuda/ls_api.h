/* How functions of CUDA's libraries are declared for host code. LS_FN gives a function its real prototype;
 * with __LOCKSTEP_LOOSE__ it takes any arguments, so that code for another version of a library compiles
 * too, to be read and not to be run. LS_LOOSE is for functions that are only ever read. */
#ifndef LS_API_H
#define LS_API_H
#pragma GCC system_header
#ifdef __cplusplus
#define LS_C extern "C"
#define LS_DEFAULT(VALUE) = VALUE
#else
#define LS_C
#define LS_DEFAULT(VALUE)
#endif
#if defined(__LOCKSTEP_LOOSE__) && defined(__cplusplus)
#define LS_FN(RESULT, NAME, PARAMETERS) LS_C RESULT NAME(...);
#else
#define LS_FN(RESULT, NAME, PARAMETERS) LS_C RESULT NAME PARAMETERS;
#endif
#ifdef __cplusplus
#define LS_LOOSE(RESULT, NAME) LS_C RESULT NAME(...);
#else
#define LS_LOOSE(RESULT, NAME) RESULT NAME();
#endif
#endif
