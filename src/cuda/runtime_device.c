/* The runtime's devices, errors, streams and events. */
#include "cuda/runtime.h"

#include <stdio.h>
#include <string.h>

static _Thread_local struct {
    int device;
    bool current; /* the device's context is */
    cudaError_t last;
    bool knows_sticky; /* cudaGetLastError has returned the error that stays: other calls still do */
} thread;

/* --- Errors --- */
static const struct {
    int number;
    const char *name, *text;
} errors[] = {
#define ERROR(number, runtime, driver, text) {number, runtime, text},
#include "cuda/errors.def"
#undef ERROR
};

cudaError_t rt_error(cudaError_t error) {
    if (error && error != LS_DEV_NOT_READY) thread.last = error;
    return error;
}

EXPORTED const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].number == error && *errors[k].name) return errors[k].name;
    return "unrecognized error code";
}
EXPORTED const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].number == error && *errors[k].name) return errors[k].text;
    return "unrecognized error code";
}

static cudaError_t last(void) {
    ls_dev_looked(cu_dev());
    cudaError_t sticky = ls_dev_sticky(cu_dev());
    if (!sticky) thread.knows_sticky = false;
    return sticky && !thread.knows_sticky ? sticky : thread.last;
}
RT(cudaGetLastError, void) {
    cudaError_t error = last();
    thread.last = CUDA_OK;
    thread.knows_sticky = ls_dev_sticky(cu_dev()) != LS_DEV_OK;
    return error;
}
RT(cudaPeekAtLastError, void) {
    return last();
}

/* --- Devices --- */
static cudaError_t make_current(void) {
    CUcontext context;
    CUresult result = cuInit(0);
    if (result == CU_OK) result = cuDevicePrimaryCtxRetain(&context, thread.device);
    if (result == CU_OK) result = cuCtxSetCurrent(context);
    thread.current = result == CU_OK;
    return result;
}

cudaError_t rt_ready(void) {
    return cu_current() ? CUDA_OK : make_current();
}

RT(cudaSetDevice, int device) {
    int count = 0;
    cuDeviceGetCount(&count);
    if (device < 0 || device >= count) return rt_error(CU_INVALID_DEVICE);
    thread.device = device;
    return rt_error(make_current());
}
RT(cudaInitDevice, int device, unsigned flags, unsigned more) {
    (void)flags, (void)more;
    return cudaSetDevice(device);
}
RT(cudaGetDevice, int *device) {
    if (!device) return rt_error(CUDA_INVALID_VALUE);
    *device = cu_current() ? cu_ordinal() : thread.device;
    return CUDA_OK;
}
RT(cudaGetDeviceCount, int *count) {
    if (!count) return rt_error(CUDA_INVALID_VALUE);
    return rt_error(cuDeviceGetCount(count));
}
RT(cudaSetValidDevices, int *devices, int count) {
    (void)devices, (void)count;
    return CUDA_OK;
}
RT(cudaChooseDevice, int *device, const void *wanted) {
    (void)wanted;
    *device = 0;
    return CUDA_OK;
}
RT(cudaSetDeviceFlags, unsigned flags) {
    return rt_error(cuDevicePrimaryCtxSetFlags_v2(thread.device, flags));
}
RT(cudaGetDeviceFlags, unsigned *flags) {
    int active;
    return rt_error(cuDevicePrimaryCtxGetState(thread.device, flags, &active));
}
RT(cudaDeviceReset, void) {
    cudaError_t error = rt_ready();
    return rt_error(error ? error : cuDevicePrimaryCtxReset_v2(cu_ordinal()));
}
RT(cudaThreadExit, void) {
    return cudaDeviceReset();
}
RT(cudaDeviceSynchronize, void) {
    CALL(cuCtxSynchronize());
}
RT(cudaThreadSynchronize, void) {
    return cudaDeviceSynchronize();
}
RT(cudaDeviceGetAttribute, int *value, int attribute, int device) {
    return rt_error(cuDeviceGetAttribute(value, attribute, device));
}
RT(cudaDeviceGetLimit, size_t *value, int limit) {
    CALL(cuCtxGetLimit(value, limit));
}
RT(cudaDeviceSetLimit, int limit, size_t value) {
    CALL(cuCtxSetLimit(limit, value));
}
RT(cudaDeviceGetCacheConfig, int *config) {
    CALL(cuCtxGetCacheConfig(config));
}
RT(cudaDeviceSetCacheConfig, int config) {
    CALL(cuCtxSetCacheConfig(config));
}
RT(cudaDeviceGetSharedMemConfig, int *config) {
    CALL(cuCtxGetSharedMemConfig(config));
}
RT(cudaDeviceSetSharedMemConfig, int config) {
    CALL(cuCtxSetSharedMemConfig(config));
}
RT(cudaDeviceGetStreamPriorityRange, int *least, int *greatest) {
    CALL(cuCtxGetStreamPriorityRange(least, greatest));
}
RT(cudaDeviceGetPCIBusId, char *text, int length, int device) {
    return rt_error(cuDeviceGetPCIBusId(text, length, device));
}
RT(cudaDeviceGetByPCIBusId, int *device, const char *text) {
    return rt_error(cuDeviceGetByPCIBusId(device, text));
}
RT(cudaDeviceGetP2PAttribute, int *value, int attribute, int device, int peer) {
    return rt_error(cuDeviceGetP2PAttribute(value, attribute, device, peer));
}
RT(cudaDeviceCanAccessPeer, int *can, int device, int peer) {
    return rt_error(cuDeviceCanAccessPeer(can, device, peer));
}
RT(cudaDeviceEnablePeerAccess, int peer, unsigned flags) {
    CUcontext context;
    cudaError_t error = rt_ready();
    if (!error) error = cuDevicePrimaryCtxRetain(&context, peer);
    return rt_error(error ? error : cuCtxEnablePeerAccess(context, flags));
}
RT(cudaDeviceDisablePeerAccess, int peer) {
    CUcontext context;
    cudaError_t error = rt_ready();
    if (!error) error = cuDevicePrimaryCtxRetain(&context, peer);
    return rt_error(error ? error : cuCtxDisablePeerAccess(context));
}
RT(cudaDeviceFlushGPUDirectRDMAWrites, int target, int scope) {
    (void)target, (void)scope;
    return CUDA_OK;
}
RT(cudaDeviceGetTexture1DLinearMaxWidth, size_t *width, const void *format, int device) {
    (void)format;
    return rt_error(cuDeviceGetTexture1DLinearMaxWidth(width, 0, 1, device));
}
RT(cudaCtxResetPersistingL2Cache, void) {
    return CUDA_OK;
}
RT(cudaDriverGetVersion, int *version) {
    return rt_error(cuDriverGetVersion(version));
}
RT(cudaRuntimeGetVersion, int *version) {
    *version = rt_version();
    return CUDA_OK;
}
RT(cudaProfilerStart, void) {
    return CUDA_OK;
}
RT(cudaProfilerStop, void) {
    return CUDA_OK;
}
RT(cudaGetDriverEntryPointByVersion, const char *name, void **function, unsigned version, uint64_t flags,
   int *status) {
    CUresult result = cuGetProcAddress_v2(name, function, (int)version, flags, status);
    return rt_error(result == CU_NOT_FOUND ? CUDA_OK : result);
}
RT(cudaGetDriverEntryPoint, const char *name, void **function, uint64_t flags, int *status) {
    return cudaGetDriverEntryPointByVersion(name, function, (unsigned)rt_version(), flags, status);
}
RT(cudaGetExportTable, const void **table, const unsigned char *id) {
    (void)id;
    *table = NULL;
    return CUDA_RUNTIME_NOT_SUPPORTED;
}

/* --- Properties: fields of the struct in order, each from an attribute of the driver --- */
/* The struct changed from CUDA 12 to 13: some fields are in one of them only. */
enum { IN_BOTH, IN_12 };
typedef enum { END, INT, SIZE, INTS2, INTS3, TEXT, UUID, LUID, MASK, MEMORY, ZERO } field_kind;
static const struct {
    uint8_t kind, where;
    int16_t attribute[3];
} fields[] = {
    {TEXT},
    {UUID},
    {LUID},
    {MASK},
    {MEMORY},
    {SIZE, 0, {8}},           /* sharedMemPerBlock */
    {INT, 0, {12}},           /* regsPerBlock */
    {INT, 0, {10}},           /* warpSize */
    {SIZE, 0, {11}},          /* memPitch */
    {INT, 0, {1}},            /* maxThreadsPerBlock */
    {INTS3, 0, {2, 3, 4}},    /* maxThreadsDim */
    {INTS3, 0, {5, 6, 7}},    /* maxGridSize */
    {INT, IN_12, {13}},       /* clockRate */
    {SIZE, 0, {9}},           /* totalConstMem */
    {INT, 0, {75}},           /* major */
    {INT, 0, {76}},           /* minor */
    {SIZE, 0, {14}},          /* textureAlignment */
    {SIZE, 0, {51}},          /* texturePitchAlignment */
    {INT, IN_12, {15}},       /* deviceOverlap */
    {INT, 0, {16}},           /* multiProcessorCount */
    {INT, IN_12, {17}},       /* kernelExecTimeoutEnabled */
    {INT, 0, {18}},           /* integrated */
    {INT, 0, {19}},           /* canMapHostMemory */
    {INT, IN_12, {20}},       /* computeMode */
    {INT, 0, {21}},           /* maxTexture1D */
    {INT, 0, {77}},           /* maxTexture1DMipmap */
    {INT, IN_12, {69}},       /* maxTexture1DLinear */
    {INTS2, 0, {22, 23}},     /* maxTexture2D */
    {INTS2, 0, {73, 74}},     /* maxTexture2DMipmap */
    {INTS3, 0, {70, 71, 72}}, /* maxTexture2DLinear */
    {INTS2, 0, {45, 46}},     /* maxTexture2DGather */
    {INTS3, 0, {24, 25, 26}}, /* maxTexture3D */
    {INTS3, 0, {47, 48, 49}}, /* maxTexture3DAlt */
    {INT, 0, {52}},           /* maxTextureCubemap */
    {INTS2, 0, {42, 43}},     /* maxTexture1DLayered */
    {INTS3, 0, {27, 28, 29}}, /* maxTexture2DLayered */
    {INTS2, 0, {53, 54}},     /* maxTextureCubemapLayered */
    {INT, 0, {55}},           /* maxSurface1D */
    {INTS2, 0, {56, 57}},     /* maxSurface2D */
    {INTS3, 0, {58, 59, 60}}, /* maxSurface3D */
    {INTS2, 0, {61, 62}},     /* maxSurface1DLayered */
    {INTS3, 0, {63, 64, 65}}, /* maxSurface2DLayered */
    {INT, 0, {66}},           /* maxSurfaceCubemap */
    {INTS2, 0, {67, 68}},     /* maxSurfaceCubemapLayered */
    {SIZE, 0, {30}},          /* surfaceAlignment */
    {INT, 0, {31}},           /* concurrentKernels */
    {INT, 0, {32}},           /* ECCEnabled */
    {INT, 0, {33}},           /* pciBusID */
    {INT, 0, {34}},           /* pciDeviceID */
    {INT, 0, {50}},           /* pciDomainID */
    {INT, 0, {35}},           /* tccDriver */
    {INT, 0, {40}},           /* asyncEngineCount */
    {INT, 0, {41}},           /* unifiedAddressing */
    {INT, IN_12, {36}},       /* memoryClockRate */
    {INT, 0, {37}},           /* memoryBusWidth */
    {INT, 0, {38}},           /* l2CacheSize */
    {INT, 0, {108}},          /* persistingL2CacheMaxSize */
    {INT, 0, {39}},           /* maxThreadsPerMultiProcessor */
    {INT, 0, {78}},           /* streamPrioritiesSupported */
    {INT, 0, {79}},           /* globalL1CacheSupported */
    {INT, 0, {80}},           /* localL1CacheSupported */
    {SIZE, 0, {81}},          /* sharedMemPerMultiprocessor */
    {INT, 0, {82}},           /* regsPerMultiprocessor */
    {INT, 0, {83}},           /* managedMemory */
    {INT, 0, {84}},           /* isMultiGpuBoard */
    {INT, 0, {85}},           /* multiGpuBoardGroupID */
    {INT, 0, {86}},           /* hostNativeAtomicSupported */
    {INT, IN_12, {87}},       /* singleToDoublePrecisionPerfRatio */
    {INT, 0, {88}},           /* pageableMemoryAccess */
    {INT, 0, {89}},           /* concurrentManagedAccess */
    {INT, 0, {90}},           /* computePreemptionSupported */
    {INT, 0, {91}},           /* canUseHostPointerForRegisteredMem */
    {INT, 0, {95}},           /* cooperativeLaunch */
    {INT, IN_12, {96}},       /* cooperativeMultiDeviceLaunch */
    {SIZE, 0, {97}},          /* sharedMemPerBlockOptin */
    {INT, 0, {100}},          /* pageableMemoryAccessUsesHostPageTables */
    {INT, 0, {101}},          /* directManagedMemAccessFromHost */
    {INT, 0, {106}},          /* maxBlocksPerMultiProcessor */
    {INT, 0, {109}},          /* accessPolicyMaxWindowSize */
    {SIZE, 0, {111}},         /* reservedSharedMemPerBlock */
    {INT, 0, {99}},           /* hostRegisterSupported */
    {INT, 0, {112}},          /* sparseCudaArraySupported */
    {INT, 0, {113}},          /* hostRegisterReadOnlySupported */
    {INT, 0, {114}},          /* timelineSemaphoreInteropSupported */
    {INT, 0, {115}},          /* memoryPoolsSupported */
    {INT, 0, {116}},          /* gpuDirectRDMASupported */
    {INT, 0, {117}},          /* gpuDirectRDMAFlushWritesOptions */
    {INT, 0, {118}},          /* gpuDirectRDMAWritesOrdering */
    {INT, 0, {119}},          /* memoryPoolSupportedHandleTypes */
    {INT, 0, {121}},          /* deferredMappingCudaArraySupported */
    {INT, 0, {122}},          /* ipcEventSupported */
    {INT, 0, {120}},          /* clusterLaunch */
    {INT, 0, {123}},          /* unifiedFunctionPointers */
};

static char *align(char *base, char *at, size_t to) {
    return base + ((size_t)(at - base) + to - 1) / to * to;
}

/* Writes one field behind `at`, aligned as C does; returns what follows it. */
static char *put_field(char *base, char *at, size_t index, int device) {
    int values[3] = {0};
    size_t n = fields[index].kind == INTS3 ? 3 : fields[index].kind == INTS2 ? 2 : 1;
    for (size_t k = 0; k < n; k++) cuDeviceGetAttribute(&values[k], fields[index].attribute[k], device);
    switch (fields[index].kind) {
    case TEXT: cuDeviceGetName(at, 256, device); return at + 256;
    case UUID: cuDeviceGetUuid_v2((unsigned char *)at, device); return at + 16;
    case LUID: return at + 8;
    case MASK: return at + 4;
    case MEMORY:
    case SIZE: {
        size_t size = (size_t)values[0];
        if (fields[index].kind == MEMORY) cuDeviceTotalMem_v2(&size, device);
        at = align(base, at, 8);
        memcpy(at, &size, sizeof size);
        return at + 8;
    }
    default:
        at = align(base, at, 4);
        memcpy(at, values, n * 4);
        return at + n * 4;
    }
}

static cudaError_t properties(char *out, int device, int version) {
    if (!out) return rt_error(CUDA_INVALID_VALUE);
    int count = 0;
    cuDeviceGetCount(&count);
    if (device < 0 || device >= count) return rt_error(CU_INVALID_DEVICE);
    memset(out, 0, version < 12000 ? 712 : 1008);
    char *at = out;
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        if (fields[k].where == IN_12 && version >= 13000) continue;
        if (version < 12000 && at - out >= 712 - 8) break; /* the struct ends here */
        at = put_field(out, at, k, device);
    }
    return CUDA_OK;
}

RT(cudaGetDeviceProperties, char *out, int device) {
    int version = rt_version();
    return properties(out, device, version >= 12000 && version < 13000 ? 11000 : version);
}
RT(cudaGetDeviceProperties_v2, char *out, int device) {
    return properties(out, device, 12000);
}

/* --- Streams --- */
RT(cudaStreamCreate, CUstream *stream) {
    CALL(cuStreamCreate(stream, 0));
}
RT(cudaStreamCreateWithFlags, CUstream *stream, unsigned flags) {
    CALL(cuStreamCreate(stream, flags));
}
RT(cudaStreamCreateWithPriority, CUstream *stream, unsigned flags, int priority) {
    CALL(cuStreamCreateWithPriority(stream, flags, priority));
}
RT(cudaStreamDestroy, CUstream stream) {
    CALL(cuStreamDestroy_v2(stream));
}
STREAM_RT(cudaStreamSynchronize, (CUstream stream), (stream)) {
    CALL(cuStreamSynchronize(stream));
}
STREAM_RT(cudaStreamQuery, (CUstream stream), (stream)) {
    CALL(cuStreamQuery(stream));
}
STREAM_RT(cudaStreamGetPriority, (CUstream stream, int *priority), (stream, priority)) {
    CALL(cuStreamGetPriority(stream, priority));
}
STREAM_RT(cudaStreamGetFlags, (CUstream stream, unsigned *flags), (stream, flags)) {
    CALL(cuStreamGetFlags(stream, flags));
}
STREAM_RT(cudaStreamGetId, (CUstream stream, unsigned long long *id), (stream, id)) {
    CALL(cuStreamGetId(stream, id));
}
STREAM_RT(cudaStreamGetDevice, (CUstream stream, int *device), (stream, device)) {
    CALL(cuStreamGetDevice(stream, device));
}
STREAM_RT(cudaStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags), (stream, event, flags)) {
    CALL(cuStreamWaitEvent(stream, event, flags));
}
STREAM_RT(cudaStreamAddCallback,
          (CUstream stream, void (*function)(CUstream, CUresult, void *), void *data, unsigned flags),
          (stream, function, data, flags)) {
    CALL(cuStreamAddCallback(stream, function, data, flags));
}
STREAM_RT(cudaStreamSetAttribute, (CUstream stream, int attribute, const void *value),
          (stream, attribute, value)) {
    CALL(cuStreamSetAttribute(stream, attribute, value));
}
STREAM_RT(cudaStreamGetAttribute, (CUstream stream, int attribute, void *value), (stream, attribute, value)) {
    CALL(cuStreamGetAttribute(stream, attribute, value));
}
STREAM_RT(cudaStreamCopyAttributes, (CUstream to, CUstream stream), (to, stream)) {
    CALL(cuStreamCopyAttributes(to, stream));
}
STREAM_RT(cudaStreamAttachMemAsync, (CUstream stream, void *memory, size_t size, unsigned flags),
          (stream, memory, size, flags)) {
    CALL(cuStreamAttachMemAsync(stream, (CUdeviceptr)(uintptr_t)memory, size, flags));
}
STREAM_RT(cudaLaunchHostFunc, (CUstream stream, void (*function)(void *), void *data),
          (stream, function, data)) {
    CALL(cuLaunchHostFunc(stream, function, data));
}

/* --- Events --- */
RT(cudaEventCreate, CUevent *event) {
    CALL(cuEventCreate(event, 0));
}
RT(cudaEventCreateWithFlags, CUevent *event, unsigned flags) {
    CALL(cuEventCreate(event, flags));
}
RT(cudaEventDestroy, CUevent event) {
    CALL(cuEventDestroy_v2(event));
}
STREAM_RT(cudaEventRecord, (CUevent event, CUstream stream), (event, stream)) {
    CALL(cuEventRecord(event, stream));
}
STREAM_RT(cudaEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),
          (event, stream, flags)) {
    CALL(cuEventRecordWithFlags(event, stream, flags));
}
RT(cudaEventQuery, CUevent event) {
    CALL(cuEventQuery(event));
}
RT(cudaEventSynchronize, CUevent event) {
    CALL(cuEventSynchronize(event));
}
RT(cudaEventElapsedTime, float *ms, CUevent from, CUevent to) {
    CALL(cuEventElapsedTime_v2(ms, from, to));
}
