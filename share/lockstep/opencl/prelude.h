/* Included before every OpenCL file. In source form, what libclc would lose is kept as calls of functions
 * without a body, which the verifier knows and which do nothing by themselves:
 *   __lockstep_barrier(flags)                 just before the bar.sync of barrier(flags): the fence flags
 *   __lockstep_async_copy_to_local(…)         async_work_group_copy, global to local
 *   __lockstep_async_copy_to_global(…)        async_work_group_copy, local to global
 *   __lockstep_wait_event(e)                  wait_group_events of one event
 *   __lockstep_wait_events(n, list)           wait_group_events of several
 * In the form that runs, all of them are libclc's own. */
#ifndef LOCKSTEP_OPENCL_PRELUDE_H
#define LOCKSTEP_OPENCL_PRELUDE_H

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#ifndef CLK_LOCAL_MEM_FENCE
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#endif
#ifndef NULL
#define NULL ((void *)0)
#endif

#if __OPENCL_VERSION__ >= 200 /* libclc has barrier only */
#define LS_WORK_GROUP_BARRIER_1(flags) barrier(flags)
#define LS_WORK_GROUP_BARRIER_2(flags, scope) LS_WORK_GROUP_BARRIER_1(flags)
#define LS_PICK(A, B, NAME, ...) NAME
#define work_group_barrier(...) LS_PICK(__VA_ARGS__, LS_WORK_GROUP_BARRIER_2, LS_WORK_GROUP_BARRIER_1, 0)(__VA_ARGS__)
#endif

/* The hardware's own approximations, as NVIDIA's compiler takes them; libclc's native functions end in calls of
 * C functions that no GPU has. */
#ifdef __NVPTX__
#define LS_NATIVE static inline __attribute__((always_inline, overloadable, nodebug))
LS_NATIVE float __ls_sin(float x) { return __nvvm_sin_approx_f(x); }
LS_NATIVE float __ls_cos(float x) { return __nvvm_cos_approx_f(x); }
LS_NATIVE float __ls_tan(float x) { return __nvvm_div_approx_f(__nvvm_sin_approx_f(x), __nvvm_cos_approx_f(x)); }
LS_NATIVE float __ls_exp(float x) { return __nvvm_ex2_approx_f(x * 1.44269504088896340736f); }
LS_NATIVE float __ls_exp2(float x) { return __nvvm_ex2_approx_f(x); }
LS_NATIVE float __ls_exp10(float x) { return __nvvm_ex2_approx_f(x * 3.32192809488736234787f); }
LS_NATIVE float __ls_log(float x) { return __nvvm_lg2_approx_f(x) * 0.69314718055994530942f; }
LS_NATIVE float __ls_log2(float x) { return __nvvm_lg2_approx_f(x); }
LS_NATIVE float __ls_log10(float x) { return __nvvm_lg2_approx_f(x) * 0.30102999566398119521f; }
LS_NATIVE float __ls_powr(float x, float y) { return __nvvm_ex2_approx_f(y * __nvvm_lg2_approx_f(x)); }
#define LS_NATIVE_1(NAME)                                                                                    \
    LS_NATIVE float2 NAME(float2 x) { return (float2)(NAME(x.x), NAME(x.y)); }                               \
    LS_NATIVE float3 NAME(float3 x) { return (float3)(NAME(x.xy), NAME(x.z)); }                              \
    LS_NATIVE float4 NAME(float4 x) { return (float4)(NAME(x.lo), NAME(x.hi)); }                             \
    LS_NATIVE float8 NAME(float8 x) { return (float8)(NAME(x.lo), NAME(x.hi)); }                             \
    LS_NATIVE float16 NAME(float16 x) { return (float16)(NAME(x.lo), NAME(x.hi)); }
LS_NATIVE_1(__ls_sin)
LS_NATIVE_1(__ls_cos)
LS_NATIVE_1(__ls_tan)
LS_NATIVE_1(__ls_exp)
LS_NATIVE_1(__ls_exp2)
LS_NATIVE_1(__ls_exp10)
LS_NATIVE_1(__ls_log)
LS_NATIVE_1(__ls_log2)
LS_NATIVE_1(__ls_log10)
LS_NATIVE float2 __ls_powr(float2 x, float2 y) { return (float2)(__ls_powr(x.x, y.x), __ls_powr(x.y, y.y)); }
LS_NATIVE float3 __ls_powr(float3 x, float3 y) { return (float3)(__ls_powr(x.xy, y.xy), __ls_powr(x.z, y.z)); }
LS_NATIVE float4 __ls_powr(float4 x, float4 y) { return (float4)(__ls_powr(x.lo, y.lo), __ls_powr(x.hi, y.hi)); }
LS_NATIVE float8 __ls_powr(float8 x, float8 y) { return (float8)(__ls_powr(x.lo, y.lo), __ls_powr(x.hi, y.hi)); }
LS_NATIVE float16 __ls_powr(float16 x, float16 y) { return (float16)(__ls_powr(x.lo, y.lo), __ls_powr(x.hi, y.hi)); }
#define native_sin(x) __ls_sin(x)
#define native_cos(x) __ls_cos(x)
#define native_tan(x) __ls_tan(x)
#define native_exp(x) __ls_exp(x)
#define native_exp2(x) __ls_exp2(x)
#define native_exp10(x) __ls_exp10(x)
#define native_log(x) __ls_log(x)
#define native_log2(x) __ls_log2(x)
#define native_log10(x) __ls_log10(x)
#define native_powr(x, y) __ls_powr(x, y)
#define half_sin(x) __ls_sin(x)
#define half_cos(x) __ls_cos(x)
#define half_tan(x) __ls_tan(x)
#define half_exp(x) __ls_exp(x)
#define half_exp2(x) __ls_exp2(x)
#define half_exp10(x) __ls_exp10(x)
#define half_log(x) __ls_log(x)
#define half_log2(x) __ls_log2(x)
#define half_log10(x) __ls_log10(x)
#define half_powr(x, y) __ls_powr(x, y)
#endif

#if defined(__LOCKSTEP_SOURCE__) || defined(__LOCKSTEP_RUN__)
void __attribute__((convergent)) __lockstep_barrier(uint flags);
#define barrier(flags) (__lockstep_barrier(flags), barrier(flags))
#endif

#ifdef __LOCKSTEP_SOURCE__

/* Elements of `size` bytes; each side's stride counts elements. The result is the event waited for. */
event_t __attribute__((convergent)) __lockstep_async_copy_to_local(__local void *to, const __global void *from, size_t count,
                                                                   size_t size, size_t to_stride, size_t from_stride, event_t event);
event_t __attribute__((convergent)) __lockstep_async_copy_to_global(__global void *to, const __local void *from, size_t count,
                                                                    size_t size, size_t to_stride, size_t from_stride, event_t event);
void __attribute__((convergent)) __lockstep_wait_event(event_t event);
void __attribute__((convergent)) __lockstep_wait_events(int count, event_t *list);

static inline __attribute__((always_inline, overloadable, nodebug)) event_t
__ls_async_copy(__local void *to, const __global void *from, size_t count, size_t size, size_t to_stride, size_t from_stride, event_t event) {
    return __lockstep_async_copy_to_local(to, from, count, size, to_stride, from_stride, event);
}
static inline __attribute__((always_inline, overloadable, nodebug)) event_t
__ls_async_copy(__global void *to, const __local void *from, size_t count, size_t size, size_t to_stride, size_t from_stride, event_t event) {
    return __lockstep_async_copy_to_global(to, from, count, size, to_stride, from_stride, event);
}
#define async_work_group_copy(to, from, count, event) \
    __ls_async_copy((to), (from), (count), sizeof(*(to)), 1, 1, (event))
/* The stride is that of the side in global memory. */
#define LS_IN_GLOBAL(p) __ls_in_global(p)
static inline __attribute__((always_inline, overloadable, nodebug)) bool __ls_in_global(const __global void *p) { return true; }
static inline __attribute__((always_inline, overloadable, nodebug)) bool __ls_in_global(const __local void *p) { return false; }
#define async_work_group_strided_copy(to, from, count, stride, event)                                        \
    __ls_async_copy((to), (from), (count), sizeof(*(to)), LS_IN_GLOBAL(to) ? (stride) : 1,                   \
                    LS_IN_GLOBAL(from) ? (stride) : 1, (event))
#define wait_group_events(count, list) \
    ((count) == 1 ? __lockstep_wait_event(*(list)) : __lockstep_wait_events((count), (list)))

#endif

/* A whole program's launches with an offset, or in parts (src/opencl/launch.c): which part it is stands in
 * __lockstep_range, as the offset, the first work-group, the number of work-groups, the local size and the
 * global size, in three dimensions each, and how many dimensions there are. It is volatile so that nothing
 * takes its zeros for constants. */
#ifdef __LOCKSTEP_RANGE__
__constant volatile ulong __lockstep_range[16] = {0};
#define LS_RANGE static inline __attribute__((always_inline, nodebug)) size_t
LS_RANGE __ls_global_offset(uint d) { return d < 3 ? __lockstep_range[d] : 0; }
LS_RANGE __ls_group_id(uint d) { return d < 3 ? get_group_id(d) + __lockstep_range[3 + d] : 0; }
LS_RANGE __ls_num_groups(uint d) { return d < 3 ? __lockstep_range[6 + d] : 1; }
LS_RANGE __ls_enqueued_local_size(uint d) { return d < 3 ? __lockstep_range[9 + d] : 1; }
LS_RANGE __ls_global_size(uint d) { return d < 3 ? __lockstep_range[12 + d] : 1; }
LS_RANGE __ls_global_id(uint d) {
    return d < 3 ? __ls_global_offset(d) + __ls_group_id(d) * __ls_enqueued_local_size(d) + get_local_id(d) : 0;
}
#define get_global_offset(d) __ls_global_offset(d)
#define get_group_id(d) __ls_group_id(d)
#define get_num_groups(d) __ls_num_groups(d)
#define get_global_size(d) __ls_global_size(d)
#define get_global_id(d) __ls_global_id(d)
#define get_enqueued_local_size(d) __ls_enqueued_local_size(d)
#define get_work_dim() ((uint)__lockstep_range[15])
#elif defined(LOCKSTEP_GLOBAL_OFFSET) /* of a launch, as X or X,Y,Z: -D LOCKSTEP_GLOBAL_OFFSET=64 */
#define LS_OFFSET_OF(d, x, y, z, ...) ((size_t)((d) == 0 ? (x) : (d) == 1 ? (y) : (d) == 2 ? (z) : 0))
#define LS_APPLY(MACRO, ...) MACRO(__VA_ARGS__)
#define get_global_offset(d) LS_APPLY(LS_OFFSET_OF, d, LOCKSTEP_GLOBAL_OFFSET, 0, 0, 0)
#define get_global_id(d) (get_global_offset(d) + get_global_id(d))
#elif defined(__LOCKSTEP_PROGRAM__)
#define get_global_offset(d) ((size_t)0)
#define get_enqueued_local_size(d) get_local_size(d)
#endif

#include "../lockstep.h"

#endif
