/* Stand-ins for the helper headers of NVIDIA's samples, for host code that includes them without the
 * samples' own folder on the include path. */
#ifndef LS_HELPER_CUDA_H
#define LS_HELPER_CUDA_H
#ifdef __clang__
#pragma clang system_header
#endif
#include <cuda_runtime.h>
#include "helper_functions.h"
#define checkCudaErrors(x) ((void)(x))
#define getLastCudaError(message) ((void)(message))
#define printLastCudaError(message) ((void)(message))
#define cutilSafeCall(x) ((void)(x))
#define cutilCheckMsg(message) ((void)(message))
#define DEVICE_RESET cudaDeviceReset();
template <class T> static inline const char *_cudaGetErrorEnum(T) { return ""; }
template <class T> static inline void check(T, const char *, const char *, int) {}
extern "C" int _ConvertSMVer2Cores(int major, int minor);
extern "C" const char *_ConvertSMVer2ArchName(int major, int minor);
extern "C" int gpuDeviceInit(int device);
extern "C" int gpuGetMaxGflopsDeviceId(void);
extern "C" int findCudaDevice(int argc, const char **argv);
extern "C" int findIntegratedGPU(void);
extern "C" bool checkCudaCapabilities(int major, int minor);
template <class T> static inline T ftoi(float value) { return (T)value; }
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#endif
