/* Asynchronous copies as CUDA 11 has them: __pipeline_… (see ls_device.h), and nvcuda::experimental::pipeline. */
#ifndef LS_CUDA_PIPELINE_H
#define LS_CUDA_PIPELINE_H
#pragma GCC system_header
#include "lockstep_cuda.h"
#ifdef __CUDA__
namespace nvcuda {
namespace experimental {
class pipeline {
    size_t committed = 0;
  public:
    LS_DEVICE_MEMBER size_t commit() { __pipeline_commit(); return committed++; }
    LS_DEVICE_MEMBER void commit_and_wait() { commit(); __pipeline_wait_prior(0); }
    LS_DEVICE_MEMBER void wait(size_t) { __pipeline_wait_prior(0); }
    template <unsigned N> LS_DEVICE_MEMBER void wait_prior() { __pipeline_wait_prior(N); }
};
template <class T> LS_DEVICE void memcpy_async(T &to, const T &from, pipeline &) { __pipeline_memcpy_async(&to, &from, sizeof(T)); }
}
}
#endif
#endif
