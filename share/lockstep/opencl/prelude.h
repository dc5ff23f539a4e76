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

#include "../lockstep.h"

#endif
