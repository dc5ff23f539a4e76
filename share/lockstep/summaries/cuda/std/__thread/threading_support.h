/* The summary of how libcu++ waits for a phase of a cuda::barrier: it asks until the phase is over. How long it
 * sleeps in between is not looked at. Waits with a limit of time are the library's own. */
#ifndef LOCKSTEP_THREADING_SUPPORT
#define LOCKSTEP_THREADING_SUPPORT
#pragma GCC system_header
#include_next <cuda/std/__thread/threading_support.h>

#if defined(__CUDA_ARCH__) && defined(_LIBCUDACXX_BEGIN_NAMESPACE_STD) && defined(_LIBCUDACXX_HIDE_FROM_ABI)
extern "C" __device__ void __lockstep_summary_cuda__barrier(void);

_LIBCUDACXX_BEGIN_NAMESPACE_STD
template <class Tester> __device__ __forceinline__ bool lockstep_poll(Tester &&is_over) {
    __lockstep_summary_cuda__barrier();
#pragma unroll 1
    while (!is_over()) {
    }
    return true;
}
template <class Tester> __device__ __forceinline__ bool lockstep_poll(Tester &&is_over, chrono::nanoseconds most) {
    return __cccl_thread_poll_with_backoff(is_over, most);
}
_LIBCUDACXX_END_NAMESPACE_STD
#define __cccl_thread_poll_with_backoff lockstep_poll
#endif
#endif
