/* Memory: allocations of all kinds, what an address is. */
#include "cuda/driver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { PITCH_ALIGN = 512 };

static CUresult allocate(const char *function, CUdeviceptr *out, ls_memory_kind kind, size_t size) {
    if (!out || !size) return cu_result(function, LS_DEV_INVALID);
    if (ls_dev_sticky(cu_dev())) return cu_result(function, ls_dev_sticky(cu_dev()));
    *out = ls_dev_alloc(cu_dev(), kind, cu_ordinal(), size, function);
    return *out ? CU_OK : cu_result(function, LS_DEV_NO_MEMORY);
}

API(cuMemAlloc_v2, CUdeviceptr *out, size_t size) {
    UNSAFE_IN_CAPTURE;
    return allocate("cudaMalloc", out, LS_MEMORY_DEVICE, size);
}

API(cuMemAllocPitch_v2, CUdeviceptr *out, size_t *pitch, size_t width, size_t height, unsigned element) {
    (void)element;
    UNSAFE_IN_CAPTURE;
    *pitch = (width + PITCH_ALIGN - 1) / PITCH_ALIGN * PITCH_ALIGN;
    return allocate("cudaMallocPitch", out, LS_MEMORY_DEVICE, *pitch * height);
}

API(cuMemAllocManaged, CUdeviceptr *out, size_t size, unsigned flags) {
    (void)flags;
    UNSAFE_IN_CAPTURE;
    return allocate("cudaMallocManaged", out, LS_MEMORY_MANAGED, size);
}

static CUresult allocate_host(const char *function, void **out, size_t size) {
    CUdeviceptr at;
    if (!out) return cu_result(function, LS_DEV_INVALID);
    UNSAFE_IN_CAPTURE;
    CUresult result = allocate(function, &at, LS_MEMORY_PINNED, size);
    if (result == CU_OK) *out = (void *)at;
    return result;
}

API(cuMemAllocHost_v2, void **out, size_t size) {
    return allocate_host("cudaMallocHost", out, size);
}
API(cuMemHostAlloc, void **out, size_t size, unsigned flags) {
    (void)flags;
    return allocate_host("cudaHostAlloc", out, size);
}

/* What a context has after an error that stays is freed, so that it is no leak, but the answer is that error.
 */
static CUresult freed(ls_dev_status status) {
    const ls_dev_status sticky = ls_dev_sticky(cu_dev());
    return cu_result("cudaFree", sticky ? sticky : status);
}

API(cuMemFree_v2, CUdeviceptr address) {
    UNSAFE_IN_CAPTURE;
    if (!address) return CU_OK;
    ls_dev_wait(cu_dev(), cu_ordinal());
    if (cu_pool_close(address)) return CU_OK;
    cu_pool_forget(address);
    return freed(ls_dev_free(cu_dev(), address, "cudaFree"));
}
API(cuMemFreeHost, void *memory) {
    UNSAFE_IN_CAPTURE;
    if (!memory) return CU_OK;
    ls_dev_wait(cu_dev(), cu_ordinal());
    return freed(ls_dev_free(cu_dev(), (uint64_t)(uintptr_t)memory, "cudaFreeHost"));
}

API(cuMemHostRegister_v2, void *memory, size_t size, unsigned flags) {
    (void)flags;
    UNSAFE_IN_CAPTURE;
    ls_memory m;
    if (ls_dev_find(cu_dev(), (uint64_t)(uintptr_t)memory, &m)) return RESULT((ls_dev_status)712);
    return RESULT(ls_dev_register(cu_dev(), memory, size, "cudaHostRegister"));
}
API(cuMemHostUnregister, void *memory) {
    UNSAFE_IN_CAPTURE;
    ls_memory m;
    if (!ls_dev_find(cu_dev(), (uint64_t)(uintptr_t)memory, &m)) return RESULT((ls_dev_status)713);
    return RESULT(ls_dev_free(cu_dev(), (uint64_t)(uintptr_t)memory, "cudaHostUnregister"));
}

API(cuMemHostGetDevicePointer_v2, CUdeviceptr *out, void *memory, unsigned flags) {
    ls_memory m;
    (void)flags;
    *out = (uint64_t)(uintptr_t)memory;
    return ls_dev_find(cu_dev(), *out, &m) ? CU_OK : RESULT(LS_DEV_INVALID);
}
API(cuMemHostGetFlags, unsigned *flags, void *memory) {
    ls_memory m;
    *flags = 2; /* mapped, as all of it is */
    return ls_dev_find(cu_dev(), (uint64_t)(uintptr_t)memory, &m) ? CU_OK : RESULT(LS_DEV_INVALID);
}

API(cuMemGetInfo_v2, size_t *left, size_t *total) {
    uint64_t f, t;
    ls_dev_memory_info(cu_dev(), cu_ordinal(), &f, &t);
    if (left) *left = f;
    if (total) *total = t;
    return CU_OK;
}

API(cuMemGetAddressRange_v2, CUdeviceptr *base, size_t *size, CUdeviceptr address) {
    ls_memory m;
    if (!ls_dev_find(cu_dev(), address, &m)) return RESULT(LS_DEV_NOT_FOUND);
    if (base) *base = m.address;
    if (size) *size = m.size;
    return CU_OK;
}

/* --- Hints, which change nothing here --- */
static CUresult hint(CUdeviceptr address, size_t size) {
    ls_memory m;
    return size && ls_dev_find(cu_dev(), address, &m) ? CU_OK : RESULT(LS_DEV_INVALID);
}

API(cuMemAdvise, CUdeviceptr address, size_t size, int advice, CUdevice device) {
    (void)advice, (void)device;
    return hint(address, size);
}
API(cuMemAdvise_v2, CUdeviceptr address, size_t size, int advice, CUmemLocation location) {
    (void)advice, (void)location;
    return hint(address, size);
}
/* It cannot be captured. */
static CUresult prefetch(CUdeviceptr address, size_t size, CUstream stream) {
    ls_stream *s = cu_stream(stream);
    const ls_dev_status refused = s ? ls_capture_refuse(s) : LS_DEV_BAD_HANDLE;
    return refused == LS_DEV_OK ? hint(address, size) : RESULT(refused);
}
STREAM_API(cuMemPrefetchAsync, (CUdeviceptr address, size_t size, CUdevice device, CUstream stream),
           (address, size, device, stream)) {
    (void)device;
    return prefetch(address, size, stream);
}
STREAM_API(cuMemPrefetchAsync_v2,
           (CUdeviceptr address, size_t size, CUmemLocation location, unsigned flags, CUstream stream),
           (address, size, location, flags, stream)) {
    (void)location, (void)flags;
    return prefetch(address, size, stream);
}
STREAM_API(cuStreamAttachMemAsync, (CUstream stream, CUdeviceptr address, size_t size, unsigned flags),
           (stream, address, size, flags)) {
    (void)stream, (void)size, (void)flags;
    return hint(address, 1);
}

/* --- What an address is --- */
static bool attribute_of(const ls_memory *m, bool found, int attribute, CUdeviceptr address, void *out) {
    bool host = !found || m->kind == LS_MEMORY_PINNED || m->kind == LS_MEMORY_REGISTERED;
    switch (attribute) {
    case 1: *(CUcontext *)out = cu_current(); return found;
    case 2: *(unsigned *)out = host ? 1 : 2; return found;
    case 3: *(CUdeviceptr *)out = address; return found;
    case 4:
        *(void **)out = found && (host || m->kind == LS_MEMORY_MANAGED) ? (void *)address : NULL;
        return found;
    case 6: *(unsigned *)out = 0; return found;
    case 7: *(uint64_t *)out = found ? m->number : 0; return found;
    case 8: *(unsigned *)out = found && m->kind == LS_MEMORY_MANAGED; return true;
    case 9: *(int *)out = found ? m->device : -2; return found;
    case 10: *(unsigned *)out = 0; return true;
    case 11: *(CUdeviceptr *)out = found ? m->address : 0; return found;
    case 12: *(size_t *)out = found ? m->size : 0; return found;
    case 13: *(unsigned *)out = found; return true;
    case 14: *(uint64_t *)out = 0; return true;
    case 15: *(unsigned *)out = 0; return true;
    case 16: *(unsigned *)out = 3; return found;
    case 17: *(CUmemoryPool *)out = cu_pool_of(address); return found;
    default: return false;
    }
}

API(cuPointerGetAttribute, void *out, int attribute, CUdeviceptr address) {
    ls_memory m = {0};
    bool found = ls_dev_find(cu_dev(), address, &m);
    return attribute_of(&m, found, attribute, address, out) ? CU_OK : CU_INVALID_VALUE;
}

API(cuPointerGetAttributes, unsigned count, int *attributes, void **out, CUdeviceptr address) {
    ls_memory m = {0};
    bool found = ls_dev_find(cu_dev(), address, &m);
    for (unsigned k = 0; k < count; k++) attribute_of(&m, found, attributes[k], address, out[k]);
    return CU_OK;
}

API(cuPointerSetAttribute, const void *value, int attribute, CUdeviceptr address) {
    (void)value, (void)attribute, (void)address;
    return CU_OK;
}

API(cuMemRangeGetAttribute, void *out, size_t size, int attribute, CUdeviceptr address, size_t count) {
    (void)address, (void)count;
    memset(out, 0, size);
    if (attribute == 2 || attribute == 4) memset(out, 0xfe, size < 4 ? size : 1); /* no device is preferred */
    return CU_OK;
}

/* --- In the order of a stream --- */
static CUresult allocate_in(CUdeviceptr *out, size_t size, CUmemoryPool pool, CUstream stream) {
    ls_stream *s = cu_stream(stream);
    if (!s) return CU_INVALID_HANDLE;
    const ls_dev_status refused = ls_capture_of(s) == LS_CAPTURE_BROKEN   ? LS_DEV_CAPTURE_INVALIDATED
                                  : ls_capture_of(s) == LS_CAPTURE_ACTIVE ? LS_DEV_OK
                                                                          : ls_capture_refuse(s);
    if (refused != LS_DEV_OK) return RESULT(refused);
    if (out && !size) { /* no memory is no error here */
        *out = 0;
        return CU_OK;
    }
    CUresult result = allocate("cudaMallocAsync", out, LS_MEMORY_DEVICE, size);
    if (result == CU_OK && ls_capture_active(s)) {
        ls_dev_graph_memory(cu_dev(), *out);
        ls_op op = {.kind = LS_OP_ALLOC, .what = "cudaMallocAsync", .memory = {*out, size}};
        return RESULT(ls_dev_submit(s, &op));
    }
    if (result == CU_OK) cu_pool_keep(pool, *out, size);
    return result;
}

STREAM_API(cuMemAllocAsync, (CUdeviceptr * out, size_t size, CUstream stream), (out, size, stream)) {
    return allocate_in(out, size, NULL, stream);
}
STREAM_API(cuMemAllocFromPoolAsync, (CUdeviceptr * out, size_t size, CUmemoryPool pool, CUstream stream),
           (out, size, pool, stream)) {
    if (!pool) return RESULT(LS_DEV_INVALID);
    return allocate_in(out, size, pool, stream);
}
STREAM_API(cuMemFreeAsync, (CUdeviceptr address, CUstream stream), (address, stream)) {
    ls_op op = {.kind = LS_OP_FREE, .what = "cudaFreeAsync", .memory = {address, 0}};
    ls_stream *s = cu_stream(stream);
    if (!address) return CU_OK;
    if (!s) return CU_INVALID_HANDLE;
    if (cu_pool_close(address)) return CU_OK;
    if (!ls_capture_active(s)) cu_pool_forget(address);
    return RESULT(ls_dev_submit(s, &op));
}
