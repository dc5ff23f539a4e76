/* Types of pointers to the driver's functions, PFN_NAME: cuda.h has them beside the functions. Here are those with
 * the version of CUDA in their names that programs ask cuGetProcAddress for. */
#ifndef LS_CUDA_TYPEDEFS_H
#define LS_CUDA_TYPEDEFS_H
#include <cuda.h>
typedef PFN_cuTensorMapEncodeTiled PFN_cuTensorMapEncodeTiled_v12000;
#endif
