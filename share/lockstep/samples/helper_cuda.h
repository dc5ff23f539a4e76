/* The helper headers of NVIDIA's samples, for host code that includes them without the samples' own folder on
 * the include path. Programs get functions that do what those of the samples do; where only launches are read from
 * host code, nothing is checked (helper_functions.h). */
#ifndef LS_HELPER_CUDA_H
#define LS_HELPER_CUDA_H
#ifdef __clang__
#pragma clang system_header
#endif
#include <cuda_runtime.h>
#include "helper_functions.h"
#define DEVICE_RESET cudaDeviceReset();
#ifdef LS_HELPERS_WHOLE
#include <cstdio>
#include <cstdlib>
inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }
template <class T> inline const char *_cudaGetErrorEnum(T) { return "<unknown>"; }
template <class T> inline void check(T result, const char *call, const char *file, int line) {
    if (!result) return;
    fprintf(stderr, "CUDA error at %s:%d code=%u(%s) \"%s\" \n", file, line, (unsigned)result,
            _cudaGetErrorEnum(result), call);
    exit(EXIT_FAILURE);
}
inline void ls_last_error(const char *message, const char *file, int line, bool leave) {
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s(%i) : CUDA error : %s : (%d) %s.\n", file, line, message, (int)error,
            cudaGetErrorString(error));
    if (leave) exit(EXIT_FAILURE);
}
#define checkCudaErrors(x) check((x), #x, __FILE__, __LINE__)
#define getLastCudaError(message) ls_last_error(message, __FILE__, __LINE__, true)
#define printLastCudaError(message) ls_last_error(message, __FILE__, __LINE__, false)
#define cutilSafeCall(x) check((x), #x, __FILE__, __LINE__)
#define cutilCheckMsg(message) ls_last_error(message, __FILE__, __LINE__, true)
struct ls_architecture {
    int version, cores; /* 0x90: 9.0; of a multiprocessor */
    const char *name;
};
inline ls_architecture ls_architecture_of(int major, int minor) {
    static const ls_architecture KNOWN[] = {
        {0x30, 192, "Kepler"},  {0x32, 192, "Kepler"},  {0x35, 192, "Kepler"},  {0x37, 192, "Kepler"},
        {0x50, 128, "Maxwell"}, {0x52, 128, "Maxwell"}, {0x53, 128, "Maxwell"}, {0x60, 64, "Pascal"},
        {0x61, 128, "Pascal"},  {0x62, 128, "Pascal"},  {0x70, 64, "Volta"},    {0x72, 64, "Xavier"},
        {0x75, 64, "Turing"},   {0x80, 64, "Ampere"},   {0x86, 128, "Ampere"},  {0x87, 128, "Ampere"},
        {0x89, 128, "Ada"},     {0x90, 128, "Hopper"},  {0xa0, 128, "Blackwell"}};
    ls_architecture found = KNOWN[0];
    for (const ls_architecture &a : KNOWN)
        if (a.version <= (major << 4) + minor) found = a;
    return found;
}
inline int _ConvertSMVer2Cores(int major, int minor) { return ls_architecture_of(major, minor).cores; }
inline const char *_ConvertSMVer2ArchName(int major, int minor) { return ls_architecture_of(major, minor).name; }
inline int gpuDeviceInit(int device) {
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    if (!count) fprintf(stderr, "gpuDeviceInit() CUDA error: no devices supporting CUDA.\n"), exit(EXIT_FAILURE);
    if (device < 0) device = 0;
    if (device >= count) {
        fprintf(stderr, ">> gpuDeviceInit (-device=%d) is not a valid GPU device. <<\n", device);
        return -device;
    }
    checkCudaErrors(cudaSetDevice(device));
    return device;
}
inline int gpuGetMaxGflopsDeviceId() {
    int count = 0, best = 0;
    double most = -1;
    checkCudaErrors(cudaGetDeviceCount(&count));
    for (int device = 0; device < count; device++) {
        int major = 0, minor = 0, clock = 1, multiprocessors = 0;
        checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
        checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
        checkCudaErrors(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
        checkCudaErrors(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, device));
        double power = (double)multiprocessors * _ConvertSMVer2Cores(major, minor) * clock;
        if (power > most) most = power, best = device;
    }
    return best;
}
inline int findCudaDevice(int argc, const char **argv) {
    bool named = checkCmdLineFlag(argc, argv, "device");
    int device = named ? gpuDeviceInit(getCmdLineArgumentInt(argc, argv, "device=")) : gpuGetMaxGflopsDeviceId();
    if (device < 0) printf("exiting...\n"), exit(EXIT_FAILURE);
    int major = 0, minor = 0;
    checkCudaErrors(cudaSetDevice(device));
    checkCudaErrors(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(major, minor),
           major, minor);
    return device;
}
inline int findIntegratedGPU() {
    int count = 0;
    checkCudaErrors(cudaGetDeviceCount(&count));
    for (int device = 0; device < count; device++) {
        int integrated = 0;
        checkCudaErrors(cudaDeviceGetAttribute(&integrated, cudaDevAttrIntegrated, device));
        if (integrated) return checkCudaErrors(cudaSetDevice(device)), device;
    }
    return -1;
}
inline bool checkCudaCapabilities(int major, int minor) {
    int device = 0, has_major = 0, has_minor = 0;
    checkCudaErrors(cudaGetDevice(&device));
    checkCudaErrors(cudaDeviceGetAttribute(&has_major, cudaDevAttrComputeCapabilityMajor, device));
    checkCudaErrors(cudaDeviceGetAttribute(&has_minor, cudaDevAttrComputeCapabilityMinor, device));
    return has_major > major || (has_major == major && has_minor >= minor);
}
#else
#define checkCudaErrors(x) ((void)(x))
#define getLastCudaError(message) ((void)(message))
#define printLastCudaError(message) ((void)(message))
#define cutilSafeCall(x) ((void)(x))
#define cutilCheckMsg(message) ((void)(message))
template <class T> static inline const char *_cudaGetErrorEnum(T) { return ""; }
template <class T> static inline void check(T, const char *, const char *, int) {}
extern "C" int _ConvertSMVer2Cores(int major, int minor);
extern "C" const char *_ConvertSMVer2ArchName(int major, int minor);
extern "C" int gpuDeviceInit(int device);
extern "C" int gpuGetMaxGflopsDeviceId(void);
extern "C" int findCudaDevice(int argc, const char **argv);
extern "C" int findIntegratedGPU(void);
extern "C" bool checkCudaCapabilities(int major, int minor);
#endif
template <class T> static inline T ftoi(float value) { return (T)value; }
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#endif
