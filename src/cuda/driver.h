/* The CUDA driver's interface as far as the emulated device has it: types with NVIDIA's layout, and what the
 * files of the driver share. A function is defined once and exported under its own name; those that take a
 * stream also under the name for programs whose default stream is each thread's own. */
#ifndef LS_CUDA_DRIVER_H
#define LS_CUDA_DRIVER_H

#include "device/device.h"

#include <stddef.h>
#include <stdint.h>

#define EXPORTED     __attribute__((visibility("default")))
#define CUDA_VERSION 13000

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct cu_context *CUcontext;
typedef ls_dev_module *CUmodule;
typedef ls_dev_kernel *CUfunction; /* and CUkernel */
typedef struct cu_library *CUlibrary;
typedef ls_stream *CUstream;
typedef ls_event *CUevent;
typedef struct cu_array *CUarray;
typedef struct cu_mipmap *CUmipmappedArray;
typedef struct cu_graph_exec *CUgraphExec;
typedef ls_graph *CUgraph;
typedef ls_graph_node *CUgraphNode;
typedef struct cu_pool *CUmemoryPool;
typedef struct { /* and of events */
    unsigned char bytes[64];
} CUipcMemHandle;

enum {
    CU_OK = 0,
    CU_INVALID_VALUE = 1,
    CU_OUT_OF_MEMORY = 2,
    CU_NOT_INITIALIZED = 3,
    CU_DEINITIALIZED = 4,
    CU_NO_DEVICE = 100,
    CU_INVALID_DEVICE = 101,
    CU_INVALID_CONTEXT = 201,
    CU_INVALID_HANDLE = 400,
    CU_NOT_FOUND = 500,
    CU_PEER_ALREADY = 704,
    CU_PEER_NOT = 705,
    CU_PRIMARY_ACTIVE = 708,
    CU_NOT_PERMITTED = 800,
    CU_NOT_SUPPORTED = 801,
};

/* Defines and exports a function: API(cuInit, unsigned flags) { … } */
#define API(name, ...)                                                                                       \
    EXPORTED CUresult name(__VA_ARGS__);                                                                     \
    CUresult name(__VA_ARGS__)

/* The same with a stream, `stream`: the name with _ptsz takes the thread's own for the default. ARGS are the
 * parameters' names. */
#define STREAM_API(name, PARAMS, ARGS)                                                                       \
    EXPORTED CUresult name PARAMS;                                                                           \
    EXPORTED CUresult name##_ptsz PARAMS;                                                                    \
    CUresult name##_ptsz PARAMS {                                                                            \
        if (!stream) stream = CU_PER_THREAD;                                                                 \
        return name ARGS;                                                                                    \
    }                                                                                                        \
    CUresult name PARAMS
/* The same for functions without a stream, which wait. */
#define SYNC_API(name, PARAMS, ARGS)                                                                         \
    EXPORTED CUresult name PARAMS;                                                                           \
    EXPORTED CUresult name##_ptds PARAMS;                                                                    \
    CUresult name##_ptds PARAMS {                                                                            \
        return name ARGS;                                                                                    \
    }                                                                                                        \
    CUresult name PARAMS

#define CU_LEGACY     ((CUstream)(uintptr_t)1)
#define CU_PER_THREAD ((CUstream)(uintptr_t)2)

typedef struct cu_context {
    int device;
    uint32_t flags;
    uint32_t references; /* of a primary context */
    bool primary;
    uint64_t id;
    struct cu_context *next;
    uint64_t peers; /* devices that it may reach */
    uint64_t limits[16];
} cu_context;

typedef struct cu_array {
    ls_array a;
    CUmipmappedArray of; /* a level of it, or NULL */
} cu_array;

typedef struct cu_mipmap {
    uint32_t levels;
    cu_array *level[16];
} cu_mipmap;

/* --- Structures of the interface --- */
typedef struct {
    size_t srcXInBytes, srcY;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    size_t srcPitch, dstXInBytes, dstY;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    size_t dstPitch, WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    int srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    CUarray srcArray;
    void *reserved0; /* the context in copies between devices */
    size_t srcPitch, srcHeight, dstXInBytes, dstY, dstZ, dstLOD;
    int dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    CUarray dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight, WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct {
    size_t Width, Height;
    int Format;
    unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
    size_t Width, Height, Depth;
    int Format;
    unsigned NumChannels, Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct {
    int resType;
    union {
        CUarray array;
        CUmipmappedArray mipmap;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            CUdeviceptr devPtr;
            int format;
            unsigned numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct {
    int addressMode[3], filterMode;
    unsigned flags, maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

typedef struct {
    int format;
    size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

typedef struct {
    int id;
    char pad[4];
    union {
        char pad[64];
        int number;
        struct {
            unsigned x, y, z;
        } cluster;
        CUevent event;
    } value;
} CUlaunchAttribute;

enum { CU_LAUNCH_COOPERATIVE = 2, CU_LAUNCH_CLUSTER = 4, CU_LAUNCH_PROGRAMMATIC = 6 };

typedef struct {
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    CUstream hStream;
    CUlaunchAttribute *attrs;
    unsigned numAttrs;
} CUlaunchConfig;

typedef struct {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams, **extra;
    CUfunction kern;
    CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct {
    CUdeviceptr dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
    CUcontext ctx;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct {
    void (*fn)(void *data);
    void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct {
    int type, id;
} CUmemLocation;

typedef struct {
    int allocType, handleTypes;
    CUmemLocation location;
    void *security;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
} CUmemPoolProps;

typedef struct {
    CUmemPoolProps poolProps;
    const void *accessDescs;
    size_t accessDescCount, bytesize;
    CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct {
    uint64_t handle;
    int type;
    unsigned size;
    CUgraph *phGraph_out;
    CUcontext ctx;
} CUDA_CONDITIONAL_NODE_PARAMS; /* and of the runtime */

typedef struct {
    int type, reserved0[3];
    union {
        long long reserved1[29];
        CUDA_KERNEL_NODE_PARAMS kernel;
        struct {
            int flags, reserved;
            CUcontext copyCtx;
            CUDA_MEMCPY3D copyParams;
        } memcpy;
        CUDA_MEMSET_NODE_PARAMS memset;
        CUDA_HOST_NODE_PARAMS host;
        struct {
            CUgraph graph;
            int ownership;
        } graph;
        CUevent event;
        CUDA_MEM_ALLOC_NODE_PARAMS alloc;
        CUdeviceptr free;
        CUDA_CONDITIONAL_NODE_PARAMS conditional;
    };
    long long reserved2;
} CUgraphNodeParams;

typedef struct {
    unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

/* --- Across files --- */
/* The device of this process, made on first use. */
ls_dev *cu_dev(void);
/* NULL: none is current. */
CUcontext cu_current(void);
/* The current context's device; the first where none is current. */
int cu_ordinal(void);
/* The stream of a handle, which may be one of the default streams. NULL if the handle is not a stream. */
ls_stream *cu_stream(CUstream handle);
/* driver_pool.c: an allocation of a pool (NULL: of the device's current one), which it is of (or NULL), and
 * no longer; memory of another process's pool is closed, false where it is none. */
void cu_pool_keep(CUmemoryPool pool, CUdeviceptr address, uint64_t size);
CUmemoryPool cu_pool_of(CUdeviceptr address);
void cu_pool_forget(CUdeviceptr address);
bool cu_pool_close(CUdeviceptr address);
void cu_pool_waited(void); /* the program has waited for the device */
CUresult cu_result(const char *function, ls_dev_status status);
#define RESULT(status) cu_result(__func__, (status))

/* driver_capture.c: whether a capture forbids a call that could wait for it; then the function ends with
 * that.
 */
ls_dev_status cu_capture_unsafe(void);
#define UNSAFE_IN_CAPTURE                                                                                    \
    do {                                                                                                     \
        const ls_dev_status unsafe_ = cu_capture_unsafe();                                                   \
        if (unsafe_ != LS_DEV_OK) return RESULT(unsafe_);                                                    \
    } while (0)

/* driver_copy.c */
CUresult cu_copy_3d(const CUDA_MEMCPY3D *p, ls_copy *copy);
/* driver_module.c: the operation of a launch; its params must be freed. */
CUresult cu_launch_op(CUfunction f, const unsigned grid[3], const unsigned block[3], unsigned shared,
                      void **params, void **extra, ls_op *op);
#endif
