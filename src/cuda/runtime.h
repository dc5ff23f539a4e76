/* The CUDA runtime over the driver beside it: types with NVIDIA's layout, and what the files of the runtime
 * share. Functions are exported as those of the driver are (driver.h). */
#ifndef LS_CUDA_RUNTIME_H
#define LS_CUDA_RUNTIME_H

#include "cuda/driver_api.h"

typedef int cudaError_t;
typedef struct {
    unsigned x, y, z;
} dim3;

enum {
    CUDA_OK = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_INVALID_SYMBOL = 13,
    CUDA_INVALID_DEVICE_FUNCTION = 98,
    CUDA_NO_KERNEL_IMAGE = 209,
    CUDA_RUNTIME_NOT_SUPPORTED = 801,
};
typedef enum {
    COPY_HOST_TO_HOST,
    COPY_HOST_TO_DEVICE,
    COPY_DEVICE_TO_HOST,
    COPY_DEVICE_TO_DEVICE,
    COPY_DEFAULT
} copy_kind;

#define RT(name, ...)                                                                                        \
    EXPORTED cudaError_t name(__VA_ARGS__);                                                                  \
    cudaError_t name(__VA_ARGS__)
#define STREAM_RT STREAM_API
#define SYNC_RT   SYNC_API

/* Keeps an error for cudaGetLastError, and returns it. */
int rt_version(void); /* of the runtime that the program was made for */
enum { CUDA_13 = 13000 };
const char *cudaGetErrorName(cudaError_t error);
cudaError_t rt_error(cudaError_t error);
/* The calling thread's device is current; then the driver's function is called. */
cudaError_t rt_ready(void);
#define CALL(call)                                                                                           \
    do {                                                                                                     \
        cudaError_t ready_ = rt_ready();                                                                     \
        return rt_error(ready_ ? ready_ : (call));                                                           \
    } while (0)

/* runtime_register.c: the kernel of a host function, or of a handle from cudaGetKernel; NULL where there is
 * none, with the error. */
CUfunction rt_kernel(const void *function, cudaError_t *error);
/* The variable whose shadow in the host's memory this is. */
cudaError_t rt_symbol(const void *symbol, CUdeviceptr *address, size_t *size);
/* Whether the texture reference gives its texels as numbers from 0 or -1 to 1. */
bool rt_reads_floats(const void *reference);

/* --- Structures of the interface --- */
typedef struct {
    int x, y, z, w, f;
} cudaChannelFormatDesc;
typedef struct {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudaPitchedPtr;
typedef struct {
    size_t width, height, depth;
} cudaExtent;
typedef struct {
    size_t x, y, z;
} cudaPos;
typedef struct {
    CUarray srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    CUarray dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    cudaExtent extent;
    int kind;
} cudaMemcpy3DParms;
typedef struct {
    CUarray srcArray;
    cudaPos srcPos;
    cudaPitchedPtr srcPtr;
    int srcDevice;
    CUarray dstArray;
    cudaPos dstPos;
    cudaPitchedPtr dstPtr;
    int dstDevice;
    cudaExtent extent;
} cudaMemcpy3DPeerParms;
typedef struct {
    int resType;
    union {
        CUarray array;
        CUmipmappedArray mipmap;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} cudaResourceDesc;
typedef struct {
    int addressMode[3], filterMode, readMode, sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
} cudaTextureDesc;
typedef struct {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes,
        preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight,
        requiredClusterDepth, clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
} cudaFuncAttributes;
typedef struct {
    int type, device;
    void *devicePointer, *hostPointer;
    long reserved[8];
} cudaPointerAttributes;
typedef struct {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    CUstream stream;
    CUlaunchAttribute *attrs;
    unsigned numAttrs;
} cudaLaunchConfig;
typedef struct {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
} cudaKernelNodeParams;
typedef struct {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
} cudaMemsetParams;
typedef struct {
    int type, reserved0[3];
    union {
        long long reserved1[29];
        cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            cudaMemcpy3DParms copyParams;
        } memcpy;
        cudaMemsetParams memset;
        CUDA_HOST_NODE_PARAMS host;
        struct {
            CUgraph graph;
            int ownership;
        } graph;
        CUevent event;
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        void *free;
        CUDA_CONDITIONAL_NODE_PARAMS conditional;
    };
    long long reserved2;
} cudaGraphNodeParams;

/* runtime_memory.c: as the driver has it. */
cudaError_t rt_copy_3d(const cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);
#endif
