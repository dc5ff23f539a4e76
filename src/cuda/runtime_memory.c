/* The runtime's memory: allocations, copies with a kind, variables by symbol, arrays and textures. */
#include "cuda/runtime.h"

#include <string.h>

#define DEVICE(p) ((CUdeviceptr)(uintptr_t)(p))

/* --- Allocations --- */
RT(cudaMalloc, void **out, size_t size) {
    if (out && !size) {
        *out = NULL;
        return CUDA_OK;
    }
    CALL(cuMemAlloc_v2((CUdeviceptr *)out, size));
}
RT(cudaMallocManaged, void **out, size_t size, unsigned flags) {
    CALL(cuMemAllocManaged((CUdeviceptr *)out, size, flags));
}
RT(cudaMallocHost, void **out, size_t size) {
    if (out && !size) {
        *out = NULL;
        return CUDA_OK;
    }
    CALL(cuMemAllocHost_v2(out, size));
}
RT(cudaHostAlloc, void **out, size_t size, unsigned flags) {
    if (out && !size) {
        *out = NULL;
        return CUDA_OK;
    }
    CALL(cuMemHostAlloc(out, size, flags));
}
RT(cudaMallocPitch, void **out, size_t *pitch, size_t width, size_t height) {
    CALL(cuMemAllocPitch_v2((CUdeviceptr *)out, pitch, width, height, 4));
}
RT(cudaMalloc3D, cudaPitchedPtr *out, cudaExtent extent) {
    cudaError_t error = rt_ready();
    CUdeviceptr at = 0;
    if (!error) error = cuMemAllocPitch_v2(&at, &out->pitch, extent.width, extent.height * extent.depth, 4);
    out->ptr = (void *)at;
    out->xsize = extent.width;
    out->ysize = extent.height;
    return rt_error(error);
}
RT(cudaFree, void *memory) {
    CALL(cuMemFree_v2(DEVICE(memory)));
}
RT(cudaIpcGetMemHandle, CUipcMemHandle *handle, void *memory) {
    CALL(cuIpcGetMemHandle(handle, DEVICE(memory)));
}
RT(cudaIpcOpenMemHandle, void **memory, CUipcMemHandle handle, unsigned flags) {
    CALL(cuIpcOpenMemHandle_v2((CUdeviceptr *)memory, handle, flags));
}
RT(cudaIpcCloseMemHandle, void *memory) {
    CALL(cuIpcCloseMemHandle(DEVICE(memory)));
}
RT(cudaIpcGetEventHandle, CUipcMemHandle *handle, CUevent event) {
    CALL(cuIpcGetEventHandle(handle, event));
}
RT(cudaIpcOpenEventHandle, CUevent *event, CUipcMemHandle handle) {
    CALL(cuIpcOpenEventHandle(event, handle));
}
RT(cudaFreeHost, void *memory) {
    CALL(cuMemFreeHost(memory));
}
RT(cudaHostRegister, void *memory, size_t size, unsigned flags) {
    CALL(cuMemHostRegister_v2(memory, size, flags));
}
RT(cudaHostUnregister, void *memory) {
    CALL(cuMemHostUnregister(memory));
}
RT(cudaHostGetDevicePointer, void **out, void *memory, unsigned flags) {
    CALL(cuMemHostGetDevicePointer_v2((CUdeviceptr *)out, memory, flags));
}
RT(cudaHostGetFlags, unsigned *flags, void *memory) {
    CALL(cuMemHostGetFlags(flags, memory));
}
RT(cudaMemGetInfo, size_t *left, size_t *total) {
    CALL(cuMemGetInfo_v2(left, total));
}
STREAM_RT(cudaMallocAsync, (void **out, size_t size, CUstream stream), (out, size, stream)) {
    CALL(cuMemAllocAsync((CUdeviceptr *)out, size, stream));
}
STREAM_RT(cudaMallocFromPoolAsync, (void **out, size_t size, CUmemoryPool pool, CUstream stream),
          (out, size, pool, stream)) {
    CALL(cuMemAllocFromPoolAsync((CUdeviceptr *)out, size, pool, stream));
}
STREAM_RT(cudaFreeAsync, (void *memory, CUstream stream), (memory, stream)) {
    CALL(cuMemFreeAsync(DEVICE(memory), stream));
}

/* --- Pools --- */
RT(cudaDeviceGetDefaultMemPool, CUmemoryPool *pool, int device) {
    CALL(cuDeviceGetDefaultMemPool(pool, device));
}
RT(cudaDeviceGetMemPool, CUmemoryPool *pool, int device) {
    CALL(cuDeviceGetMemPool(pool, device));
}
RT(cudaDeviceSetMemPool, int device, CUmemoryPool pool) {
    CALL(cuDeviceSetMemPool(device, pool));
}
RT(cudaMemPoolCreate, CUmemoryPool *pool, const CUmemPoolProps *properties) {
    CALL(cuMemPoolCreate(pool, properties));
}
RT(cudaMemPoolDestroy, CUmemoryPool pool) {
    CALL(cuMemPoolDestroy(pool));
}
RT(cudaMemPoolTrimTo, CUmemoryPool pool, size_t bytes) {
    CALL(cuMemPoolTrimTo(pool, bytes));
}
RT(cudaMemPoolSetAttribute, CUmemoryPool pool, int attribute, void *value) {
    CALL(cuMemPoolSetAttribute(pool, attribute, value));
}
RT(cudaMemPoolGetAttribute, CUmemoryPool pool, int attribute, void *value) {
    CALL(cuMemPoolGetAttribute(pool, attribute, value));
}
RT(cudaMemPoolSetAccess, CUmemoryPool pool, const void *map, size_t count) {
    CALL(cuMemPoolSetAccess(pool, map, count));
}
RT(cudaMemPoolGetAccess, int *flags, CUmemoryPool pool, CUmemLocation *location) {
    CALL(cuMemPoolGetAccess(flags, pool, location));
}
RT(cudaMemPoolExportToShareableHandle, void *handle, CUmemoryPool pool, int type, unsigned flags) {
    CALL(cuMemPoolExportToShareableHandle(handle, pool, type, flags));
}
RT(cudaMemPoolImportFromShareableHandle, CUmemoryPool *pool, void *handle, int type, unsigned flags) {
    CALL(cuMemPoolImportFromShareableHandle(pool, handle, type, flags));
}
RT(cudaMemPoolExportPointer, void *data, void *memory) {
    CALL(cuMemPoolExportPointer(data, DEVICE(memory)));
}
RT(cudaMemPoolImportPointer, void **memory, CUmemoryPool pool, void *data) {
    CALL(cuMemPoolImportPointer((CUdeviceptr *)memory, pool, data));
}

/* --- Hints: their last arguments differ from CUDA 12 to 13, and change nothing here --- */
RT(cudaMemAdvise, const void *memory, size_t size, int advice, CUmemLocation location) {
    CALL(cuMemAdvise_v2(DEVICE(memory), size, advice, location));
}
RT(cudaMemAdvise_v2, const void *memory, size_t size, int advice, CUmemLocation location) {
    CALL(cuMemAdvise_v2(DEVICE(memory), size, advice, location));
}
/* From CUDA 13 on there are flags in front of the stream, where up to CUDA 12 it was itself. */
static CUstream prefetch_stream(uintptr_t flags_or_stream, CUstream stream) {
    return rt_version() >= CUDA_13 ? stream : (CUstream)flags_or_stream;
}
RT(cudaMemPrefetchAsync, const void *memory, size_t size, long location, uintptr_t flags, CUstream stream) {
    (void)location;
    CALL(cuMemPrefetchAsync(DEVICE(memory), size, 0, prefetch_stream(flags, stream)));
}
RT(cudaMemPrefetchAsync_v2, const void *memory, size_t size, long location, uintptr_t flags,
   CUstream stream) {
    (void)location, (void)flags;
    CALL(cuMemPrefetchAsync(DEVICE(memory), size, 0, stream));
}
RT(cudaMemPrefetchAsync_ptsz, const void *memory, size_t size, long location, uintptr_t flags,
   CUstream stream) {
    (void)location;
    const CUstream given = prefetch_stream(flags, stream);
    CALL(cuMemPrefetchAsync(DEVICE(memory), size, 0, given ? given : CU_PER_THREAD));
}
RT(cudaMemRangeGetAttribute, void *out, size_t size, int attribute, const void *memory, size_t count) {
    CALL(cuMemRangeGetAttribute(out, size, attribute, DEVICE(memory), count));
}

/* --- What a pointer is --- */
RT(cudaPointerGetAttributes, cudaPointerAttributes *out, const void *memory) {
    ls_memory m;
    cudaError_t error = rt_ready();
    memset(out, 0, sizeof *out);
    out->device = -2;
    if (error || !ls_dev_find(cu_dev(), DEVICE(memory), &m)) {
        out->hostPointer = (void *)(uintptr_t)memory;
        return rt_error(error);
    }
    bool host = m.kind == LS_MEMORY_PINNED || m.kind == LS_MEMORY_REGISTERED,
         managed = m.kind == LS_MEMORY_MANAGED;
    out->type = managed ? 3 : host ? 1 : 2;
    out->device = m.device;
    out->devicePointer = (void *)(uintptr_t)memory;
    out->hostPointer = host || managed ? (void *)(uintptr_t)memory : NULL;
    return CUDA_OK;
}

/* --- Copies --- */
static CUresult copy(void *to, const void *from, size_t size, int kind, CUstream stream, bool async) {
    if (!size) return CUDA_OK;
    switch (kind) {
    case COPY_HOST_TO_DEVICE:
        return async ? cuMemcpyHtoDAsync_v2(DEVICE(to), from, size, stream)
                     : cuMemcpyHtoD_v2(DEVICE(to), from, size);
    case COPY_DEVICE_TO_HOST:
        return async ? cuMemcpyDtoHAsync_v2(to, DEVICE(from), size, stream)
                     : cuMemcpyDtoH_v2(to, DEVICE(from), size);
    case COPY_DEVICE_TO_DEVICE:
        return async ? cuMemcpyDtoDAsync_v2(DEVICE(to), DEVICE(from), size, stream)
                     : cuMemcpyDtoD_v2(DEVICE(to), DEVICE(from), size);
    case COPY_HOST_TO_HOST:
    case COPY_DEFAULT:
        return async ? cuMemcpyAsync(DEVICE(to), DEVICE(from), size, stream)
                     : cuMemcpy(DEVICE(to), DEVICE(from), size);
    default: return 21; /* cudaErrorInvalidMemcpyDirection */
    }
}

SYNC_RT(cudaMemcpy, (void *to, const void *from, size_t size, int kind), (to, from, size, kind)) {
    CALL(copy(to, from, size, kind, NULL, false));
}
STREAM_RT(cudaMemcpyAsync, (void *to, const void *from, size_t size, int kind, CUstream stream),
          (to, from, size, kind, stream)) {
    CALL(copy(to, from, size, kind, stream, true));
}
RT(cudaMemcpyPeer, void *to, int to_device, const void *from, int from_device, size_t size) {
    (void)to_device, (void)from_device;
    CALL(cuMemcpyPeer(DEVICE(to), NULL, DEVICE(from), NULL, size));
}
STREAM_RT(cudaMemcpyPeerAsync,
          (void *to, int to_device, const void *from, int from_device, size_t size, CUstream stream),
          (to, to_device, from, from_device, size, stream)) {
    (void)to_device, (void)from_device;
    CALL(cuMemcpyPeerAsync(DEVICE(to), NULL, DEVICE(from), NULL, size, stream));
}

/* --- Symbols --- */
static cudaError_t to_symbol(const void *symbol, const void *from, size_t size, size_t offset, int kind,
                             CUstream stream, bool async) {
    CUdeviceptr at;
    size_t bytes;
    cudaError_t error = rt_ready();
    if (!error) error = rt_symbol(symbol, &at, &bytes);
    return rt_error(error ? error : copy((void *)(at + offset), from, size, kind, stream, async));
}
static cudaError_t from_symbol(void *to, const void *symbol, size_t size, size_t offset, int kind,
                               CUstream stream, bool async) {
    CUdeviceptr at;
    size_t bytes;
    cudaError_t error = rt_ready();
    if (!error) error = rt_symbol(symbol, &at, &bytes);
    return rt_error(error ? error : copy(to, (const void *)(at + offset), size, kind, stream, async));
}
SYNC_RT(cudaMemcpyToSymbol, (const void *symbol, const void *from, size_t size, size_t offset, int kind),
        (symbol, from, size, offset, kind)) {
    return to_symbol(symbol, from, size, offset, kind, NULL, false);
}
STREAM_RT(cudaMemcpyToSymbolAsync,
          (const void *symbol, const void *from, size_t size, size_t offset, int kind, CUstream stream),
          (symbol, from, size, offset, kind, stream)) {
    return to_symbol(symbol, from, size, offset, kind, stream, true);
}
SYNC_RT(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t size, size_t offset, int kind),
        (to, symbol, size, offset, kind)) {
    return from_symbol(to, symbol, size, offset, kind, NULL, false);
}
STREAM_RT(cudaMemcpyFromSymbolAsync,
          (void *to, const void *symbol, size_t size, size_t offset, int kind, CUstream stream),
          (to, symbol, size, offset, kind, stream)) {
    return from_symbol(to, symbol, size, offset, kind, stream, true);
}

/* --- Two and three dimensions: all by way of the driver's 3D copy --- */
enum { HOST = 1, ON_DEVICE = 2, ARRAY = 3, UNIFIED = 4 };

static int from_type(int kind) {
    return kind == COPY_HOST_TO_DEVICE                         ? HOST
           : kind == COPY_DEFAULT || kind == COPY_HOST_TO_HOST ? UNIFIED
                                                               : ON_DEVICE;
}
static int to_type(int kind) {
    return kind == COPY_DEVICE_TO_HOST                         ? HOST
           : kind == COPY_DEFAULT || kind == COPY_HOST_TO_HOST ? UNIFIED
                                                               : ON_DEVICE;
}
static void set_from(CUDA_MEMCPY3D *c, const void *p, size_t pitch, int kind) {
    c->srcMemoryType = from_type(kind);
    c->srcHost = p;
    c->srcDevice = DEVICE(p);
    c->srcPitch = pitch;
}
static void set_to(CUDA_MEMCPY3D *c, void *p, size_t pitch, int kind) {
    c->dstMemoryType = to_type(kind);
    c->dstHost = p;
    c->dstDevice = DEVICE(p);
    c->dstPitch = pitch;
}
static void set_from_array(CUDA_MEMCPY3D *c, CUarray a, size_t x, size_t y) {
    c->srcMemoryType = ARRAY;
    c->srcArray = a;
    c->srcXInBytes = x;
    c->srcY = y;
}
static void set_to_array(CUDA_MEMCPY3D *c, CUarray a, size_t x, size_t y) {
    c->dstMemoryType = ARRAY;
    c->dstArray = a;
    c->dstXInBytes = x;
    c->dstY = y;
}
static CUresult run(const CUDA_MEMCPY3D *c, CUstream stream, bool async) {
    return async ? cuMemcpy3DAsync_v2(c, stream) : cuMemcpy3D_v2(c);
}

static cudaError_t copy_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                           size_t height, int kind, CUstream stream, bool async) {
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    if (width > to_pitch || width > from_pitch) return rt_error(12); /* cudaErrorInvalidPitchValue */
    set_from(&c, from, from_pitch, kind);
    set_to(&c, to, to_pitch, kind);
    CALL(run(&c, stream, async));
}
SYNC_RT(cudaMemcpy2D,
        (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
         int kind),
        (to, to_pitch, from, from_pitch, width, height, kind)) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, NULL, false);
}
STREAM_RT(cudaMemcpy2DAsync,
          (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
           int kind, CUstream stream),
          (to, to_pitch, from, from_pitch, width, height, kind, stream)) {
    return copy_2d(to, to_pitch, from, from_pitch, width, height, kind, stream, true);
}

static cudaError_t to_array(CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                            size_t height, int kind, CUstream stream, bool async) {
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    set_from(&c, from, pitch, kind);
    set_to_array(&c, to, x, y);
    CALL(run(&c, stream, async));
}
static cudaError_t from_array(void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width,
                              size_t height, int kind, CUstream stream, bool async) {
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    set_from_array(&c, from, x, y);
    set_to(&c, to, pitch, kind);
    CALL(run(&c, stream, async));
}
SYNC_RT(cudaMemcpy2DToArray,
        (CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
         int kind),
        (to, x, y, from, pitch, width, height, kind)) {
    return to_array(to, x, y, from, pitch, width, height, kind, NULL, false);
}
STREAM_RT(cudaMemcpy2DToArrayAsync,
          (CUarray to, size_t x, size_t y, const void *from, size_t pitch, size_t width, size_t height,
           int kind, CUstream stream),
          (to, x, y, from, pitch, width, height, kind, stream)) {
    return to_array(to, x, y, from, pitch, width, height, kind, stream, true);
}
SYNC_RT(cudaMemcpy2DFromArray,
        (void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width, size_t height, int kind),
        (to, pitch, from, x, y, width, height, kind)) {
    return from_array(to, pitch, from, x, y, width, height, kind, NULL, false);
}
STREAM_RT(cudaMemcpy2DFromArrayAsync,
          (void *to, size_t pitch, CUarray from, size_t x, size_t y, size_t width, size_t height, int kind,
           CUstream stream),
          (to, pitch, from, x, y, width, height, kind, stream)) {
    return from_array(to, pitch, from, x, y, width, height, kind, stream, true);
}
SYNC_RT(cudaMemcpy2DArrayToArray,
        (CUarray to, size_t to_x, size_t to_y, CUarray from, size_t x, size_t y, size_t width, size_t height,
         int kind),
        (to, to_x, to_y, from, x, y, width, height, kind)) {
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = 1};
    (void)kind;
    set_from_array(&c, from, x, y);
    set_to_array(&c, to, to_x, to_y);
    CALL(run(&c, NULL, false));
}
/* The older form, of bytes one after the other: whole rows. */
static size_t row_of(CUarray a) {
    return a->a.width * ls_array_element(&a->a);
}
SYNC_RT(cudaMemcpyToArray, (CUarray to, size_t x, size_t y, const void *from, size_t size, int kind),
        (to, x, y, from, size, kind)) {
    size_t row = row_of(to);
    if (size <= row - x) return to_array(to, x, y, from, size, size, 1, kind, NULL, false);
    if (x || size % row) return rt_error(CUDA_RUNTIME_NOT_SUPPORTED);
    return to_array(to, 0, y, from, row, row, size / row, kind, NULL, false);
}
SYNC_RT(cudaMemcpyFromArray, (void *to, CUarray from, size_t x, size_t y, size_t size, int kind),
        (to, from, x, y, size, kind)) {
    size_t row = row_of(from);
    if (size <= row - x) return from_array(to, size, from, x, y, size, 1, kind, NULL, false);
    if (x || size % row) return rt_error(CUDA_RUNTIME_NOT_SUPPORTED);
    return from_array(to, row, from, 0, y, row, size / row, kind, NULL, false);
}

/* Widths and positions are in elements where an array takes part. */
cudaError_t rt_copy_3d(const cudaMemcpy3DParms *p, CUDA_MEMCPY3D *c) {
    const CUarray a = p->srcArray ? p->srcArray : p->dstArray;
    size_t element = a ? ls_array_element(&a->a) : 1;
    if (!p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr) return CUDA_INVALID_VALUE;
    *c = (CUDA_MEMCPY3D){
        .WidthInBytes = p->extent.width * element, .Height = p->extent.height, .Depth = p->extent.depth};
    if (p->srcArray)
        set_from_array(c, p->srcArray, p->srcPos.x * ls_array_element(&p->srcArray->a), p->srcPos.y);
    else
        set_from(c, p->srcPtr.ptr, p->srcPtr.pitch, p->kind), c->srcXInBytes = p->srcPos.x,
                                                              c->srcY = p->srcPos.y;
    if (p->dstArray)
        set_to_array(c, p->dstArray, p->dstPos.x * ls_array_element(&p->dstArray->a), p->dstPos.y);
    else
        set_to(c, p->dstPtr.ptr, p->dstPtr.pitch, p->kind), c->dstXInBytes = p->dstPos.x,
                                                            c->dstY = p->dstPos.y;
    c->srcZ = p->srcPos.z;
    c->dstZ = p->dstPos.z;
    c->srcHeight = p->srcPtr.ysize;
    c->dstHeight = p->dstPtr.ysize;
    return CUDA_OK;
}
static cudaError_t copy_3d(const cudaMemcpy3DParms *p, CUstream stream, bool async) {
    CUDA_MEMCPY3D c;
    cudaError_t error = p ? rt_copy_3d(p, &c) : CUDA_INVALID_VALUE;
    if (error) return rt_error(error);
    CALL(run(&c, stream, async));
}
SYNC_RT(cudaMemcpy3D, (const cudaMemcpy3DParms *p), (p)) {
    return copy_3d(p, NULL, false);
}
STREAM_RT(cudaMemcpy3DAsync, (const cudaMemcpy3DParms *p, CUstream stream), (p, stream)) {
    return copy_3d(p, stream, true);
}
static cudaError_t copy_3d_peer(const cudaMemcpy3DPeerParms *p, CUstream stream, bool async) {
    cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
                           p->dstPos,   p->dstPtr, p->extent, COPY_DEVICE_TO_DEVICE};
    return copy_3d(&q, stream, async);
}
SYNC_RT(cudaMemcpy3DPeer, (const cudaMemcpy3DPeerParms *p), (p)) {
    return copy_3d_peer(p, NULL, false);
}
STREAM_RT(cudaMemcpy3DPeerAsync, (const cudaMemcpy3DPeerParms *p, CUstream stream), (p, stream)) {
    return copy_3d_peer(p, stream, true);
}

/* --- Fills --- */
SYNC_RT(cudaMemset, (void *to, int value, size_t size), (to, value, size)) {
    CALL(cuMemsetD8_v2(DEVICE(to), (unsigned char)value, size));
}
STREAM_RT(cudaMemsetAsync, (void *to, int value, size_t size, CUstream stream), (to, value, size, stream)) {
    CALL(cuMemsetD8Async(DEVICE(to), (unsigned char)value, size, stream));
}
SYNC_RT(cudaMemset2D, (void *to, size_t pitch, int value, size_t width, size_t height),
        (to, pitch, value, width, height)) {
    CALL(cuMemsetD2D8_v2(DEVICE(to), pitch, (unsigned char)value, width, height));
}
STREAM_RT(cudaMemset2DAsync,
          (void *to, size_t pitch, int value, size_t width, size_t height, CUstream stream),
          (to, pitch, value, width, height, stream)) {
    CALL(cuMemsetD2D8Async(DEVICE(to), pitch, (unsigned char)value, width, height, stream));
}
static cudaError_t fill_3d(cudaPitchedPtr to, int value, cudaExtent extent, CUstream stream) {
    cudaError_t error = rt_ready();
    for (size_t z = 0; !error && z < extent.depth; z++)
        error = cuMemsetD2D8Async(DEVICE(to.ptr) + z * to.pitch * to.ysize, to.pitch, (unsigned char)value,
                                  extent.width, extent.height, stream);
    return rt_error(error);
}
SYNC_RT(cudaMemset3D, (cudaPitchedPtr to, int value, cudaExtent extent), (to, value, extent)) {
    return fill_3d(to, value, extent, NULL);
}
STREAM_RT(cudaMemset3DAsync, (cudaPitchedPtr to, int value, cudaExtent extent, CUstream stream),
          (to, value, extent, stream)) {
    return fill_3d(to, value, extent, stream);
}

/* --- Arrays and textures --- */
enum { SIGNED, UNSIGNED, FLOAT };
static bool format_of(const cudaChannelFormatDesc *d, int *format, unsigned *channels) {
    *channels = (unsigned)((d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0));
    if (*channels == 3) return false;
    int bits = d->x;
    if (d->f == FLOAT)
        *format = bits == 16 ? 0x10 : 0x20;
    else
        *format = (d->f == SIGNED ? 8 : 1) + (bits == 8 ? 0 : bits == 16 ? 1 : 2);
    return (bits == 8 || bits == 16 || bits == 32) && d->f <= FLOAT;
}
static cudaChannelFormatDesc channels_of(const ls_array *a) {
    int b = (int)a->bits;
    return (cudaChannelFormatDesc){b, a->channels > 1 ? b : 0, a->channels > 2 ? b : 0,
                                   a->channels > 3 ? b : 0,
                                   a->kind == LS_TEXEL_FLOAT    ? FLOAT
                                   : a->kind == LS_TEXEL_SIGNED ? SIGNED
                                                                : UNSIGNED};
}
EXPORTED cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    return (cudaChannelFormatDesc){x, y, z, w, kind};
}

static bool descriptor(const cudaChannelFormatDesc *d, cudaExtent e, unsigned flags,
                       CUDA_ARRAY3D_DESCRIPTOR *out) {
    *out = (CUDA_ARRAY3D_DESCRIPTOR){.Width = e.width, .Height = e.height, .Depth = e.depth, .Flags = flags};
    return d && format_of(d, &out->Format, &out->NumChannels);
}
RT(cudaMalloc3DArray, CUarray *array, const cudaChannelFormatDesc *d, cudaExtent extent, unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR a;
    if (!descriptor(d, extent, flags, &a)) return rt_error(CUDA_INVALID_VALUE);
    CALL(cuArray3DCreate_v2(array, &a));
}
RT(cudaMallocArray, CUarray *array, const cudaChannelFormatDesc *d, size_t width, size_t height,
   unsigned flags) {
    return cudaMalloc3DArray(array, d, (cudaExtent){width, height, 0}, flags);
}
RT(cudaMallocMipmappedArray, CUmipmappedArray *out, const cudaChannelFormatDesc *d, cudaExtent extent,
   unsigned levels, unsigned flags) {
    CUDA_ARRAY3D_DESCRIPTOR a;
    if (!descriptor(d, extent, flags, &a)) return rt_error(CUDA_INVALID_VALUE);
    CALL(cuMipmappedArrayCreate(out, &a, levels));
}
RT(cudaGetMipmappedArrayLevel, CUarray *array, CUmipmappedArray mipmap, unsigned level) {
    CALL(cuMipmappedArrayGetLevel(array, mipmap, level));
}
RT(cudaFreeMipmappedArray, CUmipmappedArray mipmap) {
    CALL(cuMipmappedArrayDestroy(mipmap));
}
RT(cudaFreeArray, CUarray array) {
    if (!array) return CUDA_OK;
    CALL(cuArrayDestroy(array));
}
RT(cudaArrayGetInfo, cudaChannelFormatDesc *d, cudaExtent *extent, unsigned *flags, CUarray array) {
    if (d) *d = channels_of(&array->a);
    if (extent) *extent = (cudaExtent){array->a.width, array->a.height, array->a.depth};
    if (flags) *flags = array->a.flags;
    return CUDA_OK;
}
RT(cudaGetChannelDesc, cudaChannelFormatDesc *d, CUarray array) {
    *d = channels_of(&array->a);
    return CUDA_OK;
}

static bool resource(const cudaResourceDesc *r, CUDA_RESOURCE_DESC *out) {
    *out = (CUDA_RESOURCE_DESC){.resType = r->resType};
    switch (r->resType) {
    case 0: out->res.array = r->res.array; return r->res.array;
    case 1: out->res.mipmap = r->res.mipmap; return r->res.mipmap;
    case 2:
        out->res.linear.devPtr = DEVICE(r->res.linear.devPtr);
        out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
        return format_of(&r->res.linear.desc, &out->res.linear.format, &out->res.linear.numChannels);
    case 3:
        out->res.pitch2D.devPtr = DEVICE(r->res.pitch2D.devPtr);
        out->res.pitch2D.width = r->res.pitch2D.width;
        out->res.pitch2D.height = r->res.pitch2D.height;
        out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
        return format_of(&r->res.pitch2D.desc, &out->res.pitch2D.format, &out->res.pitch2D.numChannels);
    default: return false;
    }
}
RT(cudaCreateTextureObject, uint64_t *out, const cudaResourceDesc *r, const cudaTextureDesc *t,
   const void *view) {
    CUDA_RESOURCE_DESC d;
    if (!resource(r, &d)) return rt_error(CUDA_INVALID_VALUE);
    CUDA_TEXTURE_DESC c = {.filterMode = t->filterMode,
                           .flags = (t->readMode == 0 ? 1u : 0u) | (t->normalizedCoords ? 2u : 0u)};
    memcpy(c.addressMode, t->addressMode, sizeof c.addressMode);
    memcpy(c.borderColor, t->borderColor, sizeof c.borderColor);
    (void)view;
    CALL(cuTexObjectCreate(out, &d, &c, NULL));
}
RT(cudaDestroyTextureObject, uint64_t texture) {
    CALL(cuTexObjectDestroy(texture));
}
RT(cudaCreateSurfaceObject, uint64_t *out, const cudaResourceDesc *r) {
    CUDA_RESOURCE_DESC d;
    if (!resource(r, &d)) return rt_error(CUDA_INVALID_VALUE);
    CALL(cuSurfObjectCreate(out, &d));
}
RT(cudaDestroySurfaceObject, uint64_t surface) {
    CALL(cuSurfObjectDestroy(surface));
}
