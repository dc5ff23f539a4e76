/* Texture and surface references (`texture<…> t;`), which CUDA had up to version 11 and programs of that time
 * use: built by `lockstep nvcc` with clang, as today's nvcc does not know them. The device has a variable of
 * the name that holds an object, the host a textureReference with how it is to be read. To bind one is to
 * make an object of both and to write it there. */
#include "cuda/runtime.h"

typedef struct {
    int normalized, filterMode, addressMode[3];
    cudaChannelFormatDesc channelDesc;
} textureReference; /* and more, that is of no matter here */

enum { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH };

RT(cudaCreateTextureObject, uint64_t *out, const cudaResourceDesc *r, const cudaTextureDesc *t,
   const void *view);
RT(cudaCreateSurfaceObject, uint64_t *out, const cudaResourceDesc *r);

static cudaError_t put_object(const void *reference, uint64_t object) {
    CUdeviceptr at;
    size_t size;
    const cudaError_t error = rt_symbol(reference, &at, &size);
    return rt_error(error ? error : (cudaError_t)cuMemcpyHtoD_v2(at, &object, sizeof object));
}

static cudaError_t bind(const textureReference *t, const cudaResourceDesc *r) {
    cudaTextureDesc d = {
        .filterMode = t->filterMode, .normalizedCoords = t->normalized, .readMode = rt_reads_floats(t)};
    uint64_t object;
    for (int k = 0; k < 3; k++) d.addressMode[k] = t->addressMode[k];
    cudaError_t error = rt_ready();
    if (!error) error = cudaCreateTextureObject(&object, r, &d, NULL);
    return error ? rt_error(error) : put_object(t, object);
}

/* Without a size it is all that is behind the pointer. */
RT(cudaBindTexture, size_t *offset, const textureReference *t, const void *at,
   const cudaChannelFormatDesc *desc, size_t size) {
    CUdeviceptr base;
    size_t all;
    cudaError_t error = rt_ready();
    if (!error) error = (cudaError_t)cuMemGetAddressRange_v2(&base, &all, (uintptr_t)at);
    if (error) return rt_error(error);
    const size_t most = all - ((uintptr_t)at - base);
    cudaResourceDesc r = {.resType = RESOURCE_LINEAR};
    r.res.linear.devPtr = (void *)(uintptr_t)at;
    r.res.linear.desc = *desc;
    r.res.linear.sizeInBytes = size < most ? size : most;
    if (offset) *offset = 0;
    return bind(t, &r);
}

RT(cudaBindTexture2D, size_t *offset, const textureReference *t, const void *at,
   const cudaChannelFormatDesc *desc, size_t width, size_t height, size_t pitch) {
    cudaResourceDesc r = {.resType = RESOURCE_PITCH};
    r.res.pitch2D.devPtr = (void *)(uintptr_t)at;
    r.res.pitch2D.desc = *desc;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    if (offset) *offset = 0;
    return bind(t, &r);
}

RT(cudaBindTextureToArray, const textureReference *t, CUarray array, const cudaChannelFormatDesc *desc) {
    (void)desc; /* the array has its own */
    cudaResourceDesc r = {.resType = RESOURCE_ARRAY};
    r.res.array = array;
    return bind(t, &r);
}

RT(cudaUnbindTexture, const textureReference *t) {
    return put_object(t, 0);
}

RT(cudaGetTextureAlignmentOffset, size_t *offset, const textureReference *t) {
    (void)t;
    *offset = 0;
    return CUDA_OK;
}

RT(cudaGetTextureReference, const textureReference **t, const void *symbol) {
    *t = symbol;
    return CUDA_OK;
}

RT(cudaBindSurfaceToArray, const void *surface, CUarray array, const cudaChannelFormatDesc *desc) {
    (void)desc;
    cudaResourceDesc r = {.resType = RESOURCE_ARRAY};
    r.res.array = array;
    uint64_t object;
    cudaError_t error = rt_ready();
    if (!error) error = cudaCreateSurfaceObject(&object, &r);
    return error ? rt_error(error) : put_object(surface, object);
}
