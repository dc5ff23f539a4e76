/* Copies and fills, in all the forms that the driver has of them. */
#include "cuda/driver.h"

enum { TYPE_HOST = 1, TYPE_DEVICE = 2, TYPE_ARRAY = 3 };

static CUresult submit(const char *function, CUstream stream, ls_copy copy, bool waits) {
    ls_stream *s = cu_stream(stream);
    if (!s) return cu_result(function, LS_DEV_BAD_HANDLE);
    copy.waits = waits;
    ls_op op = {.kind = LS_OP_COPY, .what = function, .copy = copy};
    return cu_result(function, ls_dev_submit(s, &op));
}

static ls_side host(const void *p) {
    return (ls_side){.address = (uint64_t)(uintptr_t)p, .kind = LS_SIDE_HOST};
}
static ls_side device(CUdeviceptr p) {
    return (ls_side){.address = p, .kind = LS_SIDE_DEVICE};
}
static ls_side any(CUdeviceptr p) {
    return (ls_side){.address = p};
}
static ls_side array(CUarray a, size_t offset) {
    return (ls_side){.array = &a->a, .x = offset, .kind = LS_SIDE_DEVICE};
}

/* --- Rows of bytes --- */
#define COPY(to_side, from_side, bytes) ((ls_copy){.to = to_side, .from = from_side, .width = bytes})

SYNC_API(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t size), (to, from, size)) {
    return submit("cudaMemcpy", NULL, COPY(any(to), any(from), size), true);
}
STREAM_API(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
           (to, from, size, stream)) {
    return submit("cudaMemcpyAsync", stream, COPY(any(to), any(from), size), false);
}
SYNC_API(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t size), (to, from, size)) {
    return submit("cudaMemcpy(HostToDevice)", NULL, COPY(device(to), host(from), size), true);
}
STREAM_API(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t size, CUstream stream),
           (to, from, size, stream)) {
    return submit("cudaMemcpyAsync(HostToDevice)", stream, COPY(device(to), host(from), size), false);
}
SYNC_API(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t size), (to, from, size)) {
    return submit("cudaMemcpy(DeviceToHost)", NULL, COPY(host(to), device(from), size), true);
}
STREAM_API(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t size, CUstream stream),
           (to, from, size, stream)) {
    return submit("cudaMemcpyAsync(DeviceToHost)", stream, COPY(host(to), device(from), size), false);
}
SYNC_API(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t size), (to, from, size)) {
    return submit("cudaMemcpy(DeviceToDevice)", NULL, COPY(device(to), device(from), size), false);
}
STREAM_API(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
           (to, from, size, stream)) {
    return submit("cudaMemcpyAsync(DeviceToDevice)", stream, COPY(device(to), device(from), size), false);
}
SYNC_API(cuMemcpyPeer,
         (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size),
         (to, to_context, from, from_context, size)) {
    (void)to_context, (void)from_context;
    return submit("cudaMemcpyPeer", NULL, COPY(device(to), device(from), size), false);
}
STREAM_API(cuMemcpyPeerAsync,
           (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t size,
            CUstream stream),
           (to, to_context, from, from_context, size, stream)) {
    (void)to_context, (void)from_context;
    return submit("cudaMemcpyPeerAsync", stream, COPY(device(to), device(from), size), false);
}

/* --- Arrays --- */
SYNC_API(cuMemcpyDtoA_v2, (CUarray to, size_t offset, CUdeviceptr from, size_t size),
         (to, offset, from, size)) {
    return submit("cuMemcpyDtoA", NULL, COPY(array(to, offset), device(from), size), true);
}
SYNC_API(cuMemcpyAtoD_v2, (CUdeviceptr to, CUarray from, size_t offset, size_t size),
         (to, from, offset, size)) {
    return submit("cuMemcpyAtoD", NULL, COPY(device(to), array(from, offset), size), true);
}
SYNC_API(cuMemcpyHtoA_v2, (CUarray to, size_t offset, const void *from, size_t size),
         (to, offset, from, size)) {
    return submit("cuMemcpyHtoA", NULL, COPY(array(to, offset), host(from), size), true);
}
SYNC_API(cuMemcpyAtoH_v2, (void *to, CUarray from, size_t offset, size_t size), (to, from, offset, size)) {
    return submit("cuMemcpyAtoH", NULL, COPY(host(to), array(from, offset), size), true);
}
SYNC_API(cuMemcpyAtoA_v2, (CUarray to, size_t offset, CUarray from, size_t from_offset, size_t size),
         (to, offset, from, from_offset, size)) {
    return submit("cuMemcpyAtoA", NULL, COPY(array(to, offset), array(from, from_offset), size), true);
}
STREAM_API(cuMemcpyHtoAAsync_v2, (CUarray to, size_t offset, const void *from, size_t size, CUstream stream),
           (to, offset, from, size, stream)) {
    return submit("cuMemcpyHtoAAsync", stream, COPY(array(to, offset), host(from), size), false);
}
STREAM_API(cuMemcpyAtoHAsync_v2, (void *to, CUarray from, size_t offset, size_t size, CUstream stream),
           (to, from, offset, size, stream)) {
    return submit("cuMemcpyAtoHAsync", stream, COPY(host(to), array(from, offset), size), false);
}

/* --- Two and three dimensions --- */
static ls_side side_of(int type, const void *host_pointer, CUdeviceptr pointer, CUarray a, size_t pitch,
                       size_t rows, size_t x, size_t y, size_t z) {
    ls_side s = {.pitch = pitch, .rows = rows, .x = x, .y = y, .z = z};
    switch (type) {
    case TYPE_HOST:
        s.address = (uint64_t)(uintptr_t)host_pointer;
        s.kind = LS_SIDE_HOST;
        break;
    case TYPE_DEVICE:
        s.address = pointer;
        s.kind = LS_SIDE_DEVICE;
        break;
    case TYPE_ARRAY:
        s.array = &a->a;
        s.kind = LS_SIDE_DEVICE;
        break;
    default: s.address = pointer; break; /* unified */
    }
    return s;
}

CUresult cu_copy_3d(const CUDA_MEMCPY3D *p, ls_copy *c) {
    if (!p) return CU_INVALID_VALUE;
    *c = (ls_copy){.to = side_of(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstPitch,
                                 p->dstHeight, p->dstXInBytes, p->dstY, p->dstZ),
                   .from = side_of(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcPitch,
                                   p->srcHeight, p->srcXInBytes, p->srcY, p->srcZ),
                   .width = p->WidthInBytes,
                   .height = p->Height,
                   .depth = p->Depth};
    return CU_OK;
}

static CUresult copy_2d(const char *function, const CUDA_MEMCPY2D *p, CUstream stream, bool waits) {
    if (!p) return CU_INVALID_VALUE;
    if (!p->Height) return CU_OK;
    ls_copy c = {.to = side_of(p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstPitch, 0,
                               p->dstXInBytes, p->dstY, 0),
                 .from = side_of(p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcPitch, 0,
                                 p->srcXInBytes, p->srcY, 0),
                 .width = p->WidthInBytes,
                 .height = p->Height};
    return submit(function, stream, c, waits);
}

SYNC_API(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *p), (p)) {
    return copy_2d("cudaMemcpy2D", p, NULL, true);
}
SYNC_API(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *p), (p)) {
    return copy_2d("cudaMemcpy2D", p, NULL, true);
}
STREAM_API(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *p, CUstream stream), (p, stream)) {
    return copy_2d("cudaMemcpy2DAsync", p, stream, false);
}

static CUresult copy_3d(const char *function, const CUDA_MEMCPY3D *p, CUstream stream, bool waits) {
    ls_copy c;
    CUresult result = cu_copy_3d(p, &c);
    if (result != CU_OK || !p->Height || !p->Depth) return result;
    return submit(function, stream, c, waits);
}

SYNC_API(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *p), (p)) {
    return copy_3d("cudaMemcpy3D", p, NULL, true);
}
STREAM_API(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *p, CUstream stream), (p, stream)) {
    return copy_3d("cudaMemcpy3DAsync", p, stream, false);
}
SYNC_API(cuMemcpy3DPeer, (const CUDA_MEMCPY3D *p), (p)) {
    return copy_3d("cudaMemcpy3DPeer", p, NULL, true);
}
STREAM_API(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D *p, CUstream stream), (p, stream)) {
    return copy_3d("cudaMemcpy3DPeerAsync", p, stream, false);
}

/* --- Fills --- */
static CUresult fill(const char *function, CUstream stream, CUdeviceptr address, size_t pitch, unsigned value,
                     unsigned element, size_t width, size_t height) {
    ls_stream *s = cu_stream(stream);
    if (!s) return cu_result(function, LS_DEV_BAD_HANDLE);
    ls_op op = {
        .kind = LS_OP_FILL, .what = function, .fill = {address, pitch, width, height, value, element, false}};
    return cu_result(function, ls_dev_submit(s, &op));
}

#define FILLS(bits, T)                                                                                       \
    SYNC_API(cuMemsetD##bits##_v2, (CUdeviceptr to, T value, size_t count), (to, value, count)) {            \
        return fill("cudaMemset", NULL, to, 0, value, bits / 8, count, 1);                                   \
    }                                                                                                        \
    STREAM_API(cuMemsetD##bits##Async, (CUdeviceptr to, T value, size_t count, CUstream stream),             \
               (to, value, count, stream)) {                                                                 \
        return fill("cudaMemsetAsync", stream, to, 0, value, bits / 8, count, 1);                            \
    }                                                                                                        \
    SYNC_API(cuMemsetD2D##bits##_v2, (CUdeviceptr to, size_t pitch, T value, size_t width, size_t height),   \
             (to, pitch, value, width, height)) {                                                            \
        return fill("cudaMemset2D", NULL, to, pitch, value, bits / 8, width, height);                        \
    }                                                                                                        \
    STREAM_API(cuMemsetD2D##bits##Async,                                                                     \
               (CUdeviceptr to, size_t pitch, T value, size_t width, size_t height, CUstream stream),        \
               (to, pitch, value, width, height, stream)) {                                                  \
        return fill("cudaMemset2DAsync", stream, to, pitch, value, bits / 8, width, height);                 \
    }
FILLS(8, unsigned char)
FILLS(16, unsigned short)
FILLS(32, unsigned)
