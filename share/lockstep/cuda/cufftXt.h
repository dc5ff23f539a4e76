/* cuFFT over several devices and with callbacks. */
#ifndef LS_CUFFTXT_H
#define LS_CUFFTXT_H
#pragma GCC system_header
#include "cudalibxt.h"
#include "cufft.h"
typedef enum cufftXtSubFormat_t { CUFFT_XT_FORMAT_INPUT = 0, CUFFT_XT_FORMAT_OUTPUT = 1, CUFFT_XT_FORMAT_INPLACE = 2, CUFFT_XT_FORMAT_INPLACE_SHUFFLED = 3, CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED = 4 } cufftXtSubFormat;
typedef enum cufftXtCopyType_t { CUFFT_COPY_HOST_TO_DEVICE = 0, CUFFT_COPY_DEVICE_TO_HOST = 1, CUFFT_COPY_DEVICE_TO_DEVICE = 2, CUFFT_COPY_UNDEFINED = 3 } cufftXtCopyType;
typedef enum cufftXtCallbackType_t { CUFFT_CB_LD_COMPLEX = 0, CUFFT_CB_LD_COMPLEX_DOUBLE = 1, CUFFT_CB_LD_REAL = 2, CUFFT_CB_LD_REAL_DOUBLE = 3, CUFFT_CB_ST_COMPLEX = 4, CUFFT_CB_ST_COMPLEX_DOUBLE = 5, CUFFT_CB_ST_REAL = 6, CUFFT_CB_ST_REAL_DOUBLE = 7, CUFFT_CB_UNDEFINED = 8 } cufftXtCallbackType;
typedef cufftComplex (*cufftCallbackLoadC)(void *in, size_t offset, void *data, void *shared);
typedef cufftReal (*cufftCallbackLoadR)(void *in, size_t offset, void *data, void *shared);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void *in, size_t offset, void *data, void *shared);
typedef void (*cufftCallbackStoreC)(void *out, size_t offset, cufftComplex element, void *data, void *shared);
typedef void (*cufftCallbackStoreR)(void *out, size_t offset, cufftReal element, void *data, void *shared);
LS_LOOSE(cufftResult, cufftXtSetGPUs)
LS_LOOSE(cufftResult, cufftXtMalloc)
LS_LOOSE(cufftResult, cufftXtFree)
LS_LOOSE(cufftResult, cufftXtMemcpy)
LS_LOOSE(cufftResult, cufftXtMakePlanMany)
LS_LOOSE(cufftResult, cufftXtExec)
LS_LOOSE(cufftResult, cufftXtExecDescriptor)
LS_LOOSE(cufftResult, cufftXtExecDescriptorC2C)
LS_LOOSE(cufftResult, cufftXtExecDescriptorR2C)
LS_LOOSE(cufftResult, cufftXtExecDescriptorC2R)
LS_LOOSE(cufftResult, cufftXtSetCallback)
LS_LOOSE(cufftResult, cufftXtSetJITCallback)
#endif
