/* Contexts: one primary a device, and those that programs make; each thread has a stack of them. Memory and
 * modules are the process's, whichever context they were made in. */
#include "cuda/driver.h"
#include "cuda/loading.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 64, STACK = 64 };

static struct {
    pthread_mutex_t lock;
    cu_context primary[MOST_DEVICES];
    uint64_t ids;
    cu_context *others;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local struct {
    CUcontext items[STACK];
    int depth;
} stack;

CUcontext cu_current(void) {
    return stack.depth ? stack.items[stack.depth - 1] : NULL;
}

int cu_ordinal(void) {
    CUcontext c = cu_current();
    return c ? c->device : 0;
}

static bool is_device(CUdevice device) {
    return device >= 0 && (uint32_t)device < ls_dev_count(cu_dev());
}

static void set_defaults(CUcontext c, int device) {
    static const uint64_t limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0};
    c->device = device;
    c->id = ++all.ids;
    memcpy(c->limits, limits, sizeof limits);
}

static CUcontext primary(int device) {
    CUcontext c = &all.primary[device];
    pthread_mutex_lock(&all.lock);
    if (!c->id) set_defaults(c, device), c->primary = true;
    pthread_mutex_unlock(&all.lock);
    return c;
}

/* --- Primary contexts --- */
API(cuDevicePrimaryCtxRetain, CUcontext *context, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    *context = primary(device);
    (*context)->references++;
    return CU_OK;
}

API(cuDevicePrimaryCtxRelease_v2, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    if (primary(device)->references) primary(device)->references--;
    return CU_OK;
}

API(cuDevicePrimaryCtxReset_v2, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    ls_dev_clear_sticky(cu_dev());
    ls_dev_reset(cu_dev(), device);
    return CU_OK;
}

API(cuDevicePrimaryCtxSetFlags_v2, CUdevice device, unsigned flags) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    primary(device)->flags = flags;
    return CU_OK;
}

API(cuDevicePrimaryCtxGetState, CUdevice device, unsigned *flags, int *active) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    if (flags) *flags = primary(device)->flags;
    if (active) *active = primary(device)->references > 0;
    return CU_OK;
}

/* --- Others --- */
static CUresult create(CUcontext *out, unsigned flags, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    CUcontext c = calloc(1, sizeof *c);
    if (!c || stack.depth == STACK) return CU_OUT_OF_MEMORY;
    pthread_mutex_lock(&all.lock);
    set_defaults(c, device);
    c->flags = flags;
    c->next = all.others;
    all.others = c;
    pthread_mutex_unlock(&all.lock);
    stack.items[stack.depth++] = c;
    *out = c;
    return CU_OK;
}

API(cuCtxCreate_v2, CUcontext *out, unsigned flags, CUdevice device) {
    return create(out, flags, device);
}
API(cuCtxCreate_v3, CUcontext *out, void *affinity, int count, unsigned flags, CUdevice device) {
    (void)affinity, (void)count;
    return create(out, flags, device);
}
API(cuCtxCreate_v4, CUcontext *out, void *params, unsigned flags, CUdevice device) {
    (void)params;
    return create(out, flags, device);
}

/* What was made in it stays: programs that destroy a context end soon after. */
API(cuCtxDestroy_v2, CUcontext c) {
    if (!c) return CU_INVALID_CONTEXT;
    for (int k = 0; k < stack.depth; k++)
        if (stack.items[k] == c) {
            memmove(&stack.items[k], &stack.items[k + 1],
                    (size_t)(stack.depth - k - 1) * sizeof *stack.items);
            stack.depth--;
            k--;
        }
    return CU_OK;
}

API(cuCtxPushCurrent_v2, CUcontext c) {
    if (!c || stack.depth == STACK) return CU_INVALID_CONTEXT;
    stack.items[stack.depth++] = c;
    return CU_OK;
}

API(cuCtxPopCurrent_v2, CUcontext *out) {
    if (!stack.depth) return CU_INVALID_CONTEXT;
    CUcontext c = stack.items[--stack.depth];
    if (out) *out = c;
    return CU_OK;
}

API(cuCtxSetCurrent, CUcontext c) {
    if (stack.depth) stack.depth--;
    if (c) stack.items[stack.depth++] = c;
    return CU_OK;
}

API(cuCtxGetCurrent, CUcontext *out) {
    *out = cu_current();
    return CU_OK;
}

API(cuCtxGetDevice, CUdevice *device) {
    if (!cu_current()) return CU_INVALID_CONTEXT;
    *device = cu_ordinal();
    return CU_OK;
}

/* Whether it is a context, of those that were made and not destroyed by the program alone. */
static bool is_context(CUcontext c) {
    bool found = c >= all.primary && c < all.primary + sizeof all.primary / sizeof *all.primary && c->id;
    pthread_mutex_lock(&all.lock);
    for (CUcontext k = all.others; k && !found; k = k->next) found = k == c;
    pthread_mutex_unlock(&all.lock);
    return found;
}

/* CUDA 13: of a context, or of the current one. */
API(cuCtxGetDevice_v2, CUdevice *device, CUcontext c) {
    if (!c) return cuCtxGetDevice(device);
    if (!is_context(c)) return CU_INVALID_CONTEXT;
    *device = c->device;
    return CU_OK;
}

API(cuCtxGetFlags, unsigned *flags) {
    if (!cu_current()) return CU_INVALID_CONTEXT;
    *flags = cu_current()->flags;
    return CU_OK;
}

API(cuCtxSetFlags, unsigned flags) {
    if (!cu_current()) return CU_INVALID_CONTEXT;
    cu_current()->flags = flags;
    return CU_OK;
}

API(cuCtxGetId, CUcontext c, unsigned long long *id) {
    if (!c) c = cu_current();
    if (!c) return CU_INVALID_CONTEXT;
    *id = c->id;
    return CU_OK;
}

API(cuCtxGetApiVersion, CUcontext c, unsigned *version) {
    (void)c;
    *version = 3020;
    return CU_OK;
}

API(cuCtxSynchronize, void) {
    const ls_dev_status refused = ls_capture_refuse_all(cu_dev(), cu_ordinal());
    if (refused != LS_DEV_OK) return RESULT(refused);
    cu_pool_waited();
    return RESULT(ls_dev_wait(cu_dev(), cu_ordinal()));
}

/* CUDA 13: of a context, or of the current one. */
API(cuCtxSynchronize_v2, CUcontext c) {
    if (c && !is_context(c)) return CU_INVALID_CONTEXT;
    CUcontext before = cu_current();
    if (c) cuCtxSetCurrent(c);
    const CUresult result = cu_current() ? cuCtxSynchronize() : CU_INVALID_CONTEXT;
    if (c) cuCtxSetCurrent(before);
    return result;
}

API(cuCtxGetLimit, size_t *value, int limit) {
    if (!cu_current() || limit < 0 || limit > 15) return CU_INVALID_VALUE;
    *value = cu_current()->limits[limit];
    return CU_OK;
}

API(cuCtxSetLimit, int limit, size_t value) {
    if (!cu_current() || limit < 0 || limit > 15) return CU_INVALID_VALUE;
    UNSAFE_IN_CAPTURE;
    cu_current()->limits[limit] = value;
    return CU_OK;
}

API(cuCtxGetCacheConfig, int *config) {
    *config = 0;
    return CU_OK;
}
API(cuCtxSetCacheConfig, int config) {
    (void)config;
    return CU_OK;
}
API(cuCtxGetSharedMemConfig, int *config) {
    *config = 1;
    return CU_OK;
}
API(cuCtxSetSharedMemConfig, int config) {
    (void)config;
    return CU_OK;
}
API(cuCtxGetStreamPriorityRange, int *least, int *greatest) {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return CU_OK;
}
API(cuCtxResetPersistingL2Cache, void) {
    return CU_OK;
}

API(cuCtxEnablePeerAccess, CUcontext peer, unsigned flags) {
    CUcontext c = cu_current();
    if (!c || !peer || flags) return CU_INVALID_VALUE;
    if (c->peers >> peer->device & 1) return CU_PEER_ALREADY;
    c->peers |= UINT64_C(1) << peer->device;
    return CU_OK;
}

API(cuCtxDisablePeerAccess, CUcontext peer) {
    CUcontext c = cu_current();
    if (!c || !peer) return CU_INVALID_VALUE;
    if (!(c->peers >> peer->device & 1)) return CU_PEER_NOT;
    c->peers &= ~(UINT64_C(1) << peer->device);
    return CU_OK;
}

/* Tables of functions that NVIDIA's own libraries ask the driver for, and that are not documented: there are
 * none here. The runtime is this project's (runtime_*.c), also in place of one that is linked in. One that
 * asks here could not be replaced, and all of its functions fail. */
API(cuGetExportTable, const void **table, const unsigned char *id) {
    static const unsigned char asked_by_runtime[] = {0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a,
                                                     0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9};
    if (!memcmp(id, asked_by_runtime, sizeof asked_by_runtime)) rt_unreplaced(__builtin_return_address(0));
    *table = NULL;
    return CU_NOT_SUPPORTED;
}
