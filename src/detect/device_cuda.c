/* Instrumented kernels on a GPU, through the CUDA driver API. libcuda is loaded at run time, so that nothing
 * of CUDA is needed to build or to start Lockstep; the few declarations that are used stand here. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/recover.h"
#include "detect/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUlinkState_st *CUlinkState;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_NOT_READY = 600,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_JIT_ERROR_LOG_BUFFER = 5,
    CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
    CU_JIT_OPTIMIZATION_LEVEL = 7,
};
#define CU_LAUNCH_PARAM_END            ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)0x02)

/* FUNCTION(field, symbol, parameters) */
#define DRIVER_FUNCTIONS(FUNCTION)                                                                           \
    FUNCTION(init, "cuInit", (unsigned))                                                                     \
    FUNCTION(device_get, "cuDeviceGet", (CUdevice *, int))                                                   \
    FUNCTION(device_name, "cuDeviceGetName", (char *, int, CUdevice))                                        \
    FUNCTION(device_attribute, "cuDeviceGetAttribute", (int *, int, CUdevice))                               \
    FUNCTION(retain, "cuDevicePrimaryCtxRetain", (CUcontext *, CUdevice))                                    \
    FUNCTION(set_current, "cuCtxSetCurrent", (CUcontext))                                                    \
    FUNCTION(get_current, "cuCtxGetCurrent", (CUcontext *))                                                  \
    FUNCTION(current_device, "cuCtxGetDevice", (CUdevice *))                                                 \
    FUNCTION(synchronize, "cuCtxSynchronize", (void))                                                        \
    FUNCTION(query, "cuStreamQuery", (CUstream))                                                             \
    FUNCTION(load_data, "cuModuleLoadDataEx", (CUmodule *, const void *, unsigned, int *, void **))          \
    FUNCTION(unload, "cuModuleUnload", (CUmodule))                                                           \
    FUNCTION(get_function, "cuModuleGetFunction", (CUfunction *, CUmodule, const char *))                    \
    FUNCTION(get_global, "cuModuleGetGlobal_v2", (CUdeviceptr *, size_t *, CUmodule, const char *))          \
    FUNCTION(set_attribute, "cuFuncSetAttribute", (CUfunction, int, int))                                    \
    FUNCTION(launch, "cuLaunchKernel",                                                                       \
             (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream,    \
              void **, void **))                                                                             \
    FUNCTION(alloc, "cuMemAlloc_v2", (CUdeviceptr *, size_t))                                                \
    FUNCTION(release, "cuMemFree_v2", (CUdeviceptr))                                                         \
    FUNCTION(copy_in, "cuMemcpyHtoD_v2", (CUdeviceptr, const void *, size_t))                                \
    FUNCTION(copy_out, "cuMemcpyDtoH_v2", (void *, CUdeviceptr, size_t))                                     \
    FUNCTION(copy, "cuMemcpyDtoDAsync_v2", (CUdeviceptr, CUdeviceptr, size_t, CUstream))                     \
    FUNCTION(fill, "cuMemsetD8Async", (CUdeviceptr, unsigned char, size_t, CUstream))                        \
    FUNCTION(put, "cuMemcpyHtoDAsync_v2", (CUdeviceptr, const void *, size_t, CUstream))                     \
    FUNCTION(host_alloc, "cuMemHostAlloc", (void **, size_t, unsigned))                                      \
    FUNCTION(host_address, "cuMemHostGetDevicePointer_v2", (CUdeviceptr *, void *, unsigned))                \
    FUNCTION(event_create, "cuEventCreate", (CUevent *, unsigned))                                           \
    FUNCTION(event_record, "cuEventRecord", (CUevent, CUstream))                                             \
    FUNCTION(wait_event, "cuStreamWaitEvent", (CUstream, CUevent, unsigned))                                 \
    FUNCTION(memory_info, "cuMemGetInfo_v2", (size_t *, size_t *))                                           \
    FUNCTION(error_name, "cuGetErrorName", (CUresult, const char **))                                        \
    FUNCTION(error_text, "cuGetErrorString", (CUresult, const char **))

/* Those that need not be there: where they are, machine code is kept on disk, and graphs are recorded. */
#define LINKER_FUNCTIONS(FUNCTION)                                                                           \
    FUNCTION(version, "cuDriverGetVersion", (int *))                                                         \
    FUNCTION(link_create, "cuLinkCreate_v2", (unsigned, int *, void **, CUlinkState *))                      \
    FUNCTION(link_add, "cuLinkAddData_v2",                                                                   \
             (CUlinkState, int, void *, size_t, const char *, unsigned, int *, void **))                     \
    FUNCTION(link_complete, "cuLinkComplete", (CUlinkState, void **, size_t *))                              \
    FUNCTION(link_destroy, "cuLinkDestroy", (CUlinkState))                                                   \
    FUNCTION(stream_create, "cuStreamCreate", (CUstream *, unsigned))                                        \
    FUNCTION(stream_wait, "cuStreamSynchronize", (CUstream))                                                 \
    FUNCTION(exchange_mode, "cuThreadExchangeStreamCaptureMode", (int *))

typedef struct {
#define FIELD(field, symbol, parameters) CUresult(*field) parameters;
    DRIVER_FUNCTIONS(FIELD)
    LINKER_FUNCTIONS(FIELD)
#undef FIELD
} driver;

typedef struct {
    ls_detect_device base;
    driver cu;
    void *library;
    CUstream stream; /* that everything goes to */
    CUevent event;
    CUstream beside, before; /* what is done aside; the stream before */
    bool is_aside;
    int mode;       /* of recording, before */
    int capability; /* of the GPU: 10 · major + minor */
    bool broken;    /* a launch failed or did not end: nothing more can be done with the context */
} cuda_device;

static bool fail(cuda_device *d, CUresult code, const char *what, ls_diags *diags) {
    const char *name = "unknown error", *text = "";
    if (d->cu.error_name) d->cu.error_name(code, &name);
    if (d->cu.error_text) d->cu.error_text(code, &text);
    ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "%s failed: %s (%s)", what, text ? text : "",
                 name ? name : "unknown error");
    return false;
}

static void device_free(ls_detect_device *device) {
    free(device); /* the driver stays loaded: it does not like to be unloaded */
}

/* --- Modules and launches --------------------------------------------------------------------------------
 */

/* Machine code follows from the text, the GPU, the driver's compiler and how it is to compile. */
static ls_buf key_of(const cuda_device *d, const char *ptx, size_t length, bool quick) {
    ls_buf key = {0};
    int version = 0;
    d->cu.version(&version);
    ls_buf_printf(&key, "machine code\n%d %d %d\n", d->capability, version, quick);
    ls_buf_add(&key, ptx, length);
    return key;
}

/* From the disk, or compiled and put there; NULL where the driver has to be asked in another way. */
static CUmodule load_kept(cuda_device *d, const char *ptx, size_t length, bool quick) {
    enum { CU_JIT_INPUT_PTX = 1 };
    int options[] = {CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {(void *)(uintptr_t)1};
    CUmodule module = NULL;
    CUlinkState link = NULL;
    if (!d->cu.version || !d->cu.link_create || !d->cu.link_add || !d->cu.link_complete ||
        !d->cu.link_destroy)
        return NULL;
    ls_buf key = key_of(d, ptx, length, quick), code = {0};
    if (ls_disk_get("detect", &key, &code) &&
        d->cu.load_data(&module, code.text, 0, NULL, NULL) != CUDA_SUCCESS)
        module = NULL;
    if (!module && d->cu.link_create(quick ? 1 : 0, options, values, &link) == CUDA_SUCCESS) {
        void *made = NULL, *text = (void *)(uintptr_t)ptx;
        size_t size = 0;
        if (d->cu.link_add(link, CU_JIT_INPUT_PTX, text, length + 1, "rewritten", 0, NULL, NULL) ==
                CUDA_SUCCESS &&
            d->cu.link_complete(link, &made, &size) == CUDA_SUCCESS &&
            d->cu.load_data(&module, made, 0, NULL, NULL) == CUDA_SUCCESS)
            ls_disk_put("detect", &key, made, size);
        d->cu.link_destroy(link);
    }
    ls_buf_free(&key);
    ls_buf_free(&code);
    return module;
}

/* Rewritten kernels, for which somebody waits, are compiled at the lowest level that keeps values in
 * registers: measured, that takes 60 to 80 % of the time, and they run as fast. */
static void *module_load(ls_detect_device *device, const char *ptx, size_t length, bool quick,
                         ls_diags *diags) {
    cuda_device *d = (cuda_device *)device;
    CUmodule kept = load_kept(d, ptx, length, quick);
    if (kept) return kept;
    char log[4096] = "";
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_OPTIMIZATION_LEVEL};
    void *values[] = {log, (void *)(uintptr_t)sizeof log, (void *)(uintptr_t)1};
    CUmodule module = NULL;
    CUresult code = d->cu.load_data(&module, ptx, quick ? 3 : 2, options, values);
    if (code == CUDA_SUCCESS) return module;
    fail(d, code, "loading instrumented PTX", diags);
    if (*log) ls_diags_add(diags, LS_NOTE, NULL, 0, 0, "%s", log);
    return NULL;
}

static void module_unload(ls_detect_device *device, void *module) {
    cuda_device *d = (cuda_device *)device;
    if (!d->broken) d->cu.unload(module);
}

static uint64_t module_symbol(ls_detect_device *device, void *module, const char *name, uint64_t *size) {
    cuda_device *d = (cuda_device *)device;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    if (d->cu.get_global(&address, &bytes, module, name) != CUDA_SUCCESS) return 0;
    if (size) *size = bytes;
    return address;
}

static void *kernel_function(ls_detect_device *device, void *module, const char *kernel, uint32_t shared) {
    cuda_device *d = (cuda_device *)device;
    CUfunction function;
    if (d->cu.get_function(&function, module, kernel) != CUDA_SUCCESS) return NULL;
    if (shared > 48 << 10)
        d->cu.set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)shared);
    return function;
}

static bool launch_kernel(ls_detect_device *device, void *module, const char *kernel, const device_launch *l,
                          ls_diags *diags) {
    enum { CUDA_ERROR_NOT_FOUND = 500 };
    cuda_device *d = (cuda_device *)device;
    CUfunction function = kernel_function(device, module, kernel, l->shared_bytes);
    if (!function) return fail(d, CUDA_ERROR_NOT_FOUND, "finding the instrumented kernel", diags);
    CUresult code;
    size_t size = l->params_size;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, (void *)(uintptr_t)l->params,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    code = d->cu.launch(function, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2],
                        l->shared_bytes, d->stream, NULL, extra);
    return code == CUDA_SUCCESS || fail(d, code, "launching an instrumented kernel", diags);
}

static bool wait_for_launches(ls_detect_device *device, double timeout, ls_diags *diags) {
    cuda_device *d = (cuda_device *)device;
    CUresult code = CUDA_SUCCESS;
    if (timeout > 0) {
        struct timespec pause = {0, 50000};
        double start = ls_clock_seconds(LS_CLOCK_WALL);
        while ((code = d->cu.query(d->stream)) == CUDA_ERROR_NOT_READY) {
            double passed = ls_clock_seconds(LS_CLOCK_WALL) - start;
            if (passed > timeout) {
                d->broken = true;
                ls_diags_add(diags, LS_ERROR, NULL, 0, 0,
                             "the instrumented kernel did not end within %.0f seconds", timeout);
                return false;
            }
            if (passed > 0.001) nanosleep(&pause, NULL);
        }
    } else {
        code = d->cu.synchronize();
    }
    if (code == CUDA_SUCCESS) return true;
    d->broken = true;
    return fail(d, code, "running the instrumented kernel", diags);
}

/* --- Memory ----------------------------------------------------------------------------------------------
 */

static uint64_t memory_alloc(ls_detect_device *device, uint64_t size) {
    cuda_device *d = (cuda_device *)device;
    CUdeviceptr address = 0;
    if (d->broken || d->cu.alloc(&address, size ? size : 1) != CUDA_SUCCESS) return 0;
    return address;
}

static void memory_release(ls_detect_device *device, uint64_t address) {
    cuda_device *d = (cuda_device *)device;
    if (!d->broken && address) d->cu.release(address);
}

static bool put(ls_detect_device *device, uint64_t to, const void *from, uint64_t size) {
    cuda_device *d = (cuda_device *)device;
    return d->cu.put(to, from, size, d->stream) == CUDA_SUCCESS;
}

static bool memory_write(ls_detect_device *device, uint64_t to, const void *from, uint64_t size) {
    cuda_device *d = (cuda_device *)device;
    return d->is_aside ? put(device, to, from, size) : d->cu.copy_in(to, from, size) == CUDA_SUCCESS;
}

static bool memory_read(ls_detect_device *device, void *to, uint64_t from, uint64_t size) {
    return ((cuda_device *)device)->cu.copy_out(to, from, size) == CUDA_SUCCESS;
}

static bool memory_copy(ls_detect_device *device, uint64_t to, uint64_t from, uint64_t size) {
    cuda_device *d = (cuda_device *)device;
    return d->cu.copy(to, from, size, d->stream) == CUDA_SUCCESS;
}

static bool memory_clear(ls_detect_device *device, uint64_t at, uint8_t value, uint64_t size) {
    cuda_device *d = (cuda_device *)device;
    return d->cu.fill(at, value, size, d->stream) == CUDA_SUCCESS;
}

/* What was queued on the stream before is waited for on the device, not here. */
static bool use_stream(ls_detect_device *device, void *stream) {
    enum { CU_EVENT_DISABLE_TIMING = 2 };
    cuda_device *d = (cuda_device *)device;
    if (d->stream == stream) return true;
    bool done = (d->event || d->cu.event_create(&d->event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS) &&
                d->cu.event_record(d->event, d->stream) == CUDA_SUCCESS &&
                d->cu.wait_event(stream, d->event, 0) == CUDA_SUCCESS;
    d->stream = stream;
    return done;
}

static void leave_stream(ls_detect_device *device, void *stream) {
    cuda_device *d = (cuda_device *)device;
    if (d->stream != stream || !stream) return;
    d->cu.synchronize();
    d->stream = NULL;
}

/* A stream of our own that nothing waits for; and calls are allowed that could disturb what is recorded. */
static bool aside(ls_detect_device *device, bool begin) {
    enum { NON_BLOCKING = 1, RELAXED = 2 };
    cuda_device *d = (cuda_device *)device;
    if (!d->cu.stream_create || !d->cu.stream_wait || !d->cu.exchange_mode) return false;
    if (!begin) {
        bool done = d->cu.stream_wait(d->stream) == CUDA_SUCCESS;
        d->cu.exchange_mode(&d->mode);
        d->stream = d->before, d->is_aside = false;
        return done;
    }
    d->mode = RELAXED;
    if (d->cu.exchange_mode(&d->mode) != CUDA_SUCCESS) return false;
    if (!d->beside && d->cu.stream_create(&d->beside, NON_BLOCKING) != CUDA_SUCCESS) {
        d->cu.exchange_mode(&d->mode);
        return false;
    }
    d->before = d->stream, d->stream = d->beside, d->is_aside = true;
    return true;
}

static void *record(ls_detect_device *device, void *stream) {
    cuda_device *d = (cuda_device *)device;
    CUstream before = d->stream;
    d->stream = stream;
    return before;
}

static void *both_see(ls_detect_device *device, uint64_t size, uint64_t *address) {
    enum { PORTABLE = 1, DEVICE_MAP = 2 };
    cuda_device *d = (cuda_device *)device;
    void *made = NULL;
    CUdeviceptr at = 0;
    if (d->cu.host_alloc(&made, size, PORTABLE | DEVICE_MAP) != CUDA_SUCCESS ||
        d->cu.host_address(&at, made, 0) != CUDA_SUCCESS)
        return NULL;
    memset(made, 0, size);
    *address = at;
    return made;
}

static uint64_t free_memory(ls_detect_device *device) {
    size_t available = 0, total = 0;
    ((cuda_device *)device)->cu.memory_info(&available, &total);
    return available;
}

static const device_functions cuda_functions = {
    .free = device_free,
    .load = module_load,
    .unload = module_unload,
    .symbol = module_symbol,
    .launch = launch_kernel,
    .wait = wait_for_launches,
    .alloc = memory_alloc,
    .release = memory_release,
    .write = memory_write,
    .read = memory_read,
    .copy = memory_copy,
    .clear = memory_clear,
    .free_memory = free_memory,
    .use_stream = use_stream,
    .leave_stream = leave_stream,
    .put = put,
    .function = kernel_function,
    .aside = aside,
    .record = record,
    .both_see = both_see,
};

/* --- Opening ---------------------------------------------------------------------------------------------
 */

static bool load_driver(cuda_device *d, ls_diags *diags) {
    d->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!d->library) {
        ls_diags_add(diags, LS_ERROR, NULL, 0, 0,
                     "there is no CUDA driver: %s (--on emulator runs in the emulator)", dlerror());
        return false;
    }
    const char *missing = NULL;
#define LOAD(field, symbol, parameters)                                                                      \
    *(void **)(&d->cu.field) = dlsym(d->library, symbol);                                                    \
    if (!d->cu.field) missing = symbol;
    DRIVER_FUNCTIONS(LOAD)
#undef LOAD
    if (missing) ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "the CUDA driver has no %s", missing);
#define LOOK_UP(field, symbol, parameters) *(void **)(&d->cu.field) = dlsym(d->library, symbol);
    LINKER_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    return !missing;
}

static bool open_context(cuda_device *d, bool current, CUdevice *device, ls_diags *diags) {
    CUcontext context = NULL;
    CUresult code = d->cu.init(0);
    if (code != CUDA_SUCCESS) return fail(d, code, "starting the CUDA driver", diags);
    if (current && d->cu.get_current(&context) == CUDA_SUCCESS && context)
        return d->cu.current_device(device) == CUDA_SUCCESS;
    code = d->cu.device_get(device, 0);
    if (code == CUDA_SUCCESS) code = d->cu.retain(&context, *device);
    if (code == CUDA_SUCCESS) code = d->cu.set_current(context);
    return code == CUDA_SUCCESS || fail(d, code, "opening the GPU", diags);
}

static ls_detect_device *open_cuda(bool current, ls_diags *diags) {
    cuda_device *d = ls_xmalloc(sizeof *d);
    CUdevice device = 0;
    *d = (cuda_device){.base = {.f = &cuda_functions}};
    if (!load_driver(d, diags) || !open_context(d, current, &device, diags)) {
        free(d);
        return NULL;
    }
    int shared = 48 << 10, processors = 1, major = 0, minor = 0;
    d->cu.device_name(d->base.name, sizeof d->base.name, device);
    d->cu.device_attribute(&shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device);
    d->cu.device_attribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    d->cu.device_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    d->cu.device_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    d->capability = 10 * major + minor;
    d->base.max_shared = (uint64_t)shared;
    d->base.has_redux = major >= 8;
    d->base.workers = (uint32_t)processors * 8;
    d->base.keep_memory = free_memory(&d->base) / 4;
    return &d->base;
}

ls_detect_device *ls_detect_cuda(ls_diags *diags) {
    LS_GUARDED((ls_diags_no_memory(diags), NULL), open_cuda(false, diags));
}

ls_detect_device *ls_detect_cuda_current(ls_diags *diags) {
    LS_GUARDED((ls_diags_no_memory(diags), NULL), open_cuda(true, diags));
}
