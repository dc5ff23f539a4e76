/* The detector inside of a program: a library that is preloaded (LD_PRELOAD) by `lockstep detect -- PROGRAM`.
 *
 * It stands between the program and the CUDA driver. Programs that link to libcuda meet the functions below
 * by their names; the CUDA runtime, which asks the driver for its functions (dlsym and cuGetProcAddress), is
 * given them instead. Images that are loaded are searched for PTX, kernels and allocations are remembered,
 * and a launch becomes a check of that launch (ls_detect_check), which leaves memory as the launch would
 * have. What was found is appended to the file LOCKSTEP_REPORT, which the command reads: see report.h. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"
#include "detect/preload/report.h"
#include "lockstep/detect.h"
#include "lockstep/ptx.h"
#include "ptx/image.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int CUresult;
typedef uint64_t CUdeviceptr;

enum { CUDA_SUCCESS = 0 };

/* --- State ---------------------------------------------------------------------------------------------
 * One per process, as the library itself is; behind one lock. */
typedef struct {
    void *handle; /* CUmodule or CUlibrary */
    bool is_library;
    image_kind kind;
    const char *why;
    char *ptx;
    size_t length;
    ls_ptx_module *module;
} image;

typedef struct {
    void *handle; /* CUfunction or CUkernel */
    char *name;
    uint32_t image;
    uint32_t launches;
} known_kernel;

static struct {
    pthread_mutex_t lock;
    void *driver; /* libcuda */
    LS_VEC(image) images;
    LS_VEC(known_kernel) kernels;
    LS_VEC(ls_detect_buffer) buffers;
    ls_detect_device *device;
    uint32_t launches;
    FILE *report;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static _Thread_local int inside; /* the detector's own calls of the driver go through */

static void *real_dlsym(void *handle, const char *name) {
    static void *(*real)(void *, const char *);
    if (!real) {
        static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
        for (size_t i = 0; i < sizeof versions / sizeof *versions && !real; i++)
            *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    }
    return real ? real(handle, name) : NULL;
}

static void *driver_function(const char *name) {
    if (!state.driver) state.driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    return state.driver ? real_dlsym(state.driver, name) : NULL;
}

/* REAL(function, "name", result, (parameters)): the driver's own function, looked up once. */
#define REAL(variable, name, parameters)                                                                     \
    static CUresult(*variable) parameters;                                                                   \
    if (!variable) *(void **)&variable = driver_function(name);                                              \
    if (!variable) return 500 /* CUDA_ERROR_NOT_FOUND */

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static uint64_t number_setting(const char *name, uint64_t otherwise) {
    const char *value = setting(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

/* --- Images, kernels, memory -----------------------------------------------------------------------------
 */

static void add_image(void *handle, bool is_library, const void *data, size_t size) {
    image made = {.handle = handle, .is_library = is_library};
    made.kind = ls_image_ptx(data, size, &made.ptx, &made.length, &made.why);
    if (made.kind == IMAGE_PTX) {
        ls_diags *diags = ls_diags_new();
        made.module = ls_ptx_parse(made.ptx, made.length, "program.ptx", diags);
        ls_diags_free(diags);
    }
    pthread_mutex_lock(&state.lock);
    LS_VEC_PUSH(&state.images, made);
    pthread_mutex_unlock(&state.lock);
}

static void add_image_file(void *handle, bool is_library, const char *path) {
    ls_buf data = {0};
    if (ls_read_file(path, &data)) add_image(handle, is_library, data.text, data.length);
    ls_buf_free(&data);
}

static uint32_t image_of(const void *handle) {
    for (uint32_t i = state.images.length; i-- > 0;)
        if (state.images.items[i].handle == handle) return i;
    return UINT32_MAX;
}

static void add_kernel(void *handle, const void *owner, const char *name) {
    pthread_mutex_lock(&state.lock);
    known_kernel made = {.handle = handle, .name = strdup(name), .image = image_of(owner)};
    LS_VEC_PUSH(&state.kernels, made);
    pthread_mutex_unlock(&state.lock);
}

static known_kernel *kernel_of(const void *handle) {
    for (uint32_t i = state.kernels.length; i-- > 0;)
        if (state.kernels.items[i].handle == handle) return &state.kernels.items[i];
    return NULL;
}

static void add_buffer(CUdeviceptr address, uint64_t size) {
    pthread_mutex_lock(&state.lock);
    LS_VEC_PUSH(&state.buffers, ((ls_detect_buffer){address, size, NULL}));
    pthread_mutex_unlock(&state.lock);
}

static void drop_buffer(CUdeviceptr address) {
    pthread_mutex_lock(&state.lock);
    for (uint32_t i = 0; i < state.buffers.length; i++)
        if (state.buffers.items[i].address == address)
            state.buffers.items[i--] = state.buffers.items[--state.buffers.length];
    pthread_mutex_unlock(&state.lock);
}

/* --- A launch --------------------------------------------------------------------------------------------
 */

typedef struct {
    void *function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
} program_launch;

static const ls_ptx_function *entry_of(const known_kernel *k) {
    if (k->image == UINT32_MAX || !state.images.items[k->image].module) return NULL;
    const ls_ptx_function *f = ls_ptx_find_function(state.images.items[k->image].module, k->name);
    return f && f->definition ? f->definition : f;
}

/* The parameters as one block, from the array of pointers or the buffer that the program gave. */
static bool pack_params(const ls_ptx_function *f, const program_launch *l, uint8_t *out, size_t room,
                        size_t *size) {
    uint64_t at = 0;
    if (!l->params && l->extra) {
        const void *buffer = NULL;
        size_t bytes = 0;
        for (void **e = l->extra; *e; e += 2) {
            if (*e == (void *)1) buffer = e[1];
            if (*e == (void *)2) bytes = *(size_t *)e[1];
        }
        if (!buffer || bytes > room) return false;
        memcpy(out, buffer, bytes);
        *size = bytes;
        return true;
    }
    for (uint32_t i = 0; i < f->param_count; i++) {
        uint64_t bytes = ls_ptx_variable_size(f->params[i]), align = ls_ptx_variable_align(f->params[i]);
        at = (at + align - 1) / align * align;
        if (at + bytes > room) return false;
        memcpy(out + at, l->params[i], bytes);
        at += bytes;
    }
    *size = at;
    return true;
}

static uint64_t program_symbol(void *context, const char *name, uint64_t *size) {
    const image *i = context;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    static CUresult (*of_module)(CUdeviceptr *, size_t *, void *, const char *);
    static CUresult (*of_library)(CUdeviceptr *, size_t *, void *, const char *);
    if (!of_module) *(void **)&of_module = driver_function("cuModuleGetGlobal_v2");
    if (!of_library) *(void **)&of_library = driver_function("cuLibraryGetGlobal");
    CUresult code = 1;
    if (i->is_library && of_library) code = of_library(&address, &bytes, i->handle, name);
    if (!i->is_library && of_module) code = of_module(&address, &bytes, i->handle, name);
    if (size) *size = bytes;
    return code == CUDA_SUCCESS ? address : 0;
}

static bool is_wanted(const known_kernel *k) {
    const char *names = setting("LOCKSTEP_KERNELS");
    uint64_t first = number_setting("LOCKSTEP_FIRST", 1), last = number_setting("LOCKSTEP_LAST", UINT64_MAX);
    if (state.launches < first || state.launches > last) return false;
    if (k->launches <= number_setting("LOCKSTEP_SKIP", 0)) return false;
    if (!names) return true;
    size_t length = strlen(k->name);
    for (const char *at = names; *at;) {
        size_t n = strcspn(at, "\n");
        /* the name itself, or a mangled name with it: _Z4scanPf */
        if (n == length && memcmp(at, k->name, n) == 0) return true;
        char piece[256];
        if (n < 200) {
            snprintf(piece, sizeof piece, "%zu%.*s", n, (int)n, at);
            if (strncmp(k->name, "_Z", 2) == 0 && strstr(k->name, piece)) return true;
        }
        at += n + (at[n] == '\n');
    }
    return false;
}

static void cannot_check(const known_kernel *k, const program_launch *l, const char *why) {
    dt_report_launch(state.report, k ? k->name : "?", l->grid, l->block, state.launches,
                     LS_DETECT_UNSUPPORTED);
    dt_report_unchecked(state.report, &(ls_detect_unchecked){.reason = why});
    fflush(state.report);
    if (setting("LOCKSTEP_STOP")) {
        fprintf(stderr, "lockstep: launch %u of %s cannot be checked: %s\n", state.launches,
                k ? k->name : "a kernel", why);
        _exit(3);
    }
}

/* Buffers that parameters point to but that no call of the program's has made known. */
static void add_pointed(ls_detect_buffer *buffers, uint32_t *count, const uint8_t *params, size_t size) {
    static CUresult (*range)(CUdeviceptr *, size_t *, CUdeviceptr);
    if (!range) *(void **)&range = driver_function("cuMemGetAddressRange_v2");
    for (size_t at = 0; range && at + 8 <= size; at += 8) {
        CUdeviceptr pointer, base = 0;
        size_t bytes = 0;
        bool known = false;
        memcpy(&pointer, params + at, 8);
        for (uint32_t i = 0; i < *count; i++)
            known |= pointer >= buffers[i].address && pointer - buffers[i].address < buffers[i].size;
        if (known || pointer < 4096 || range(&base, &bytes, pointer) != CUDA_SUCCESS) continue;
        buffers[(*count)++] = (ls_detect_buffer){base, bytes, NULL};
    }
}

static const char *why_not(const known_kernel *k) {
    if (!k || k->image == UINT32_MAX) return "the program got the kernel in a way that is not followed";
    const image *i = &state.images.items[k->image];
    if (i->kind == IMAGE_WITHOUT_PTX)
        return "the program has no PTX for it: compile with `lockstep nvcc`, or add to nvcc -gencode "
               "arch=compute_XX,code=compute_XX";
    if (i->kind == IMAGE_UNREADABLE) return i->why;
    if (!i->module) return "its PTX cannot be read";
    return NULL;
}

/* True where the launch was done by the check. */
static bool check_launch(const program_launch *l) {
    known_kernel *k = kernel_of(l->function);
    state.launches++;
    if (k) k->launches++;
    if (k && !is_wanted(k)) return false;
    const char *why = why_not(k);
    const ls_ptx_function *f = why ? NULL : entry_of(k);
    if (!why && !f) why = "its PTX has no such kernel";
    uint8_t params[4096];
    size_t size = 0;
    if (!why && !pack_params(f, l, params, sizeof params, &size)) why = "its parameters cannot be read";
    if (why) {
        cannot_check(k, l, why);
        return false;
    }
    image *i = &state.images.items[k->image];
    uint32_t count = state.buffers.length;
    ls_detect_buffer *buffers = ls_xmalloc(sizeof *buffers * (count + sizeof params / 8));
    if (count) memcpy(buffers, state.buffers.items, sizeof *buffers * count);
    add_pointed(buffers, &count, params, size);
    ls_detect_launch launch = {.kernel = k->name,
                               .shared_bytes = l->shared,
                               .params = params,
                               .params_size = size,
                               .buffers = buffers,
                               .buffer_count = count,
                               .symbol = program_symbol,
                               .symbol_context = i,
                               .leave_plain = true};
    for (int d = 0; d < 3; d++) launch.grid[d] = l->grid[d], launch.block[d] = l->block[d];
    ls_detect_options options = {.all = setting("LOCKSTEP_ALL"),
                                 .deterministic = setting("LOCKSTEP_DETERMINISTIC"),
                                 .no_lines = setting("LOCKSTEP_NO_LINES"),
                                 .no_shared = setting("LOCKSTEP_NO_SHARED"),
                                 .no_global = setting("LOCKSTEP_NO_GLOBAL"),
                                 .memory = number_setting("LOCKSTEP_MEMORY", 0),
                                 .copies = (uint32_t)number_setting("LOCKSTEP_COPIES", 0),
                                 .rounds = (uint32_t)number_setting("LOCKSTEP_ROUNDS", 0),
                                 .timeout = (double)number_setting("LOCKSTEP_TIMEOUT", 60)};
    ls_diags *diags = ls_diags_new();
    if (!state.device) state.device = ls_detect_cuda_current(diags);
    ls_detect_result *r = state.device ? ls_detect_check(state.device, i->ptx, i->length, "program.ptx",
                                                         &launch, &options, diags)
                                       : NULL;
    bool done = r && r->status != LS_DETECT_UNSUPPORTED && r->status != LS_DETECT_FAILED;
    if (done) {
        dt_report_launch(state.report, k->name, l->grid, l->block, state.launches, r->status);
        dt_report_result(state.report, r);
        fflush(state.report);
    } else {
        uint32_t messages = ls_diags_count(diags);
        cannot_check(k, l, messages ? ls_diags_at(diags, messages - 1)->message : "the check failed");
    }
    if (r && r->status == LS_DETECT_FAILED)
        done = true; /* it ran, and broke: the program sees the error itself */
    if (r && r->left) done = false;
    ls_detect_result_free(r);
    ls_diags_free(diags);
    free(buffers);
    return done;
}

static bool take_launch(const program_launch *l, void *stream) {
    static CUresult (*capturing)(void *, int *);
    static CUresult (*synchronize)(void);
    int status = 0;
    if (inside || !setting("LOCKSTEP_REPORT")) return false;
    inside++;
    if (!capturing) *(void **)&capturing = driver_function("cuStreamIsCapturing");
    if (!synchronize) *(void **)&synchronize = driver_function("cuCtxSynchronize");
    if (capturing && stream) capturing(stream, &status);
    pthread_mutex_lock(&state.lock);
    if (!state.report) state.report = fopen(setting("LOCKSTEP_REPORT"), "a");
    bool done = false;
    if (state.report && status) {
        state.launches++;
        cannot_check(kernel_of(l->function), l, "it is captured into a graph");
    } else if (state.report) {
        if (synchronize) synchronize();
        done = check_launch(l);
    }
    pthread_mutex_unlock(&state.lock);
    inside--;
    return done;
}

/* --- The driver's functions ------------------------------------------------------------------------------
 */
#define EXPORT __attribute__((visibility("default")))

EXPORT CUresult cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, void *stream, void **params, void **extra);
EXPORT CUresult cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
    REAL(real, "cuLaunchKernel",
         (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
          void **));
    program_launch l = {f, {gx, gy, gz}, {bx, by, bz}, shared, params, extra};
    if (take_launch(&l, stream)) return CUDA_SUCCESS;
    return real(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}

typedef struct {
    unsigned grid[3], block[3], shared;
    void *stream;
    void *attributes;
    unsigned attribute_count;
} launch_config;

/* Launches with attributes (cooperative, clusters, …) are run as they are. */
EXPORT CUresult cuLaunchKernelEx(const launch_config *config, void *f, void **params, void **extra);
EXPORT CUresult cuLaunchKernelEx(const launch_config *config, void *f, void **params, void **extra) {
    REAL(real, "cuLaunchKernelEx", (const launch_config *, void *, void **, void **));
    program_launch l = {.function = f, .shared = config->shared, .params = params, .extra = extra};
    memcpy(l.grid, config->grid, sizeof l.grid);
    memcpy(l.block, config->block, sizeof l.block);
    if (!config->attribute_count && take_launch(&l, config->stream)) return CUDA_SUCCESS;
    if (config->attribute_count && !inside && setting("LOCKSTEP_REPORT")) {
        pthread_mutex_lock(&state.lock);
        if (!state.report) state.report = fopen(setting("LOCKSTEP_REPORT"), "a");
        state.launches++;
        if (state.report)
            cannot_check(kernel_of(f), &l, "it is launched with attributes (cooperative, cluster, …)");
        pthread_mutex_unlock(&state.lock);
    }
    return real(config, f, params, extra);
}

EXPORT CUresult cuModuleLoadData(void **module, const void *data);
EXPORT CUresult cuModuleLoadData(void **module, const void *data) {
    REAL(real, "cuModuleLoadData", (void **, const void *));
    CUresult code = real(module, data);
    if (code == CUDA_SUCCESS && !inside) add_image(*module, false, data, SIZE_MAX);
    return code;
}

EXPORT CUresult cuModuleLoadDataEx(void **module, const void *data, unsigned n, int *options, void **values);
EXPORT CUresult cuModuleLoadDataEx(void **module, const void *data, unsigned n, int *options, void **values) {
    REAL(real, "cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **));
    CUresult code = real(module, data, n, options, values);
    if (code == CUDA_SUCCESS && !inside) add_image(*module, false, data, SIZE_MAX);
    return code;
}

EXPORT CUresult cuModuleLoadFatBinary(void **module, const void *data);
EXPORT CUresult cuModuleLoadFatBinary(void **module, const void *data) {
    REAL(real, "cuModuleLoadFatBinary", (void **, const void *));
    CUresult code = real(module, data);
    if (code == CUDA_SUCCESS && !inside) add_image(*module, false, data, SIZE_MAX);
    return code;
}

EXPORT CUresult cuModuleLoad(void **module, const char *path);
EXPORT CUresult cuModuleLoad(void **module, const char *path) {
    REAL(real, "cuModuleLoad", (void **, const char *));
    CUresult code = real(module, path);
    if (code == CUDA_SUCCESS && !inside) add_image_file(*module, false, path);
    return code;
}

EXPORT CUresult cuLibraryLoadData(void **library, const void *data, int *jo, void **jv, unsigned jn, int *lo,
                                  void **lv, unsigned ln);
EXPORT CUresult cuLibraryLoadData(void **library, const void *data, int *jo, void **jv, unsigned jn, int *lo,
                                  void **lv, unsigned ln) {
    REAL(real, "cuLibraryLoadData",
         (void **, const void *, int *, void **, unsigned, int *, void **, unsigned));
    CUresult code = real(library, data, jo, jv, jn, lo, lv, ln);
    if (code == CUDA_SUCCESS && !inside) add_image(*library, true, data, SIZE_MAX);
    return code;
}

EXPORT CUresult cuModuleGetFunction(void **f, void *module, const char *name);
EXPORT CUresult cuModuleGetFunction(void **f, void *module, const char *name) {
    REAL(real, "cuModuleGetFunction", (void **, void *, const char *));
    CUresult code = real(f, module, name);
    if (code == CUDA_SUCCESS && !inside) add_kernel(*f, module, name);
    return code;
}

EXPORT CUresult cuLibraryGetKernel(void **k, void *library, const char *name);
EXPORT CUresult cuLibraryGetKernel(void **k, void *library, const char *name) {
    REAL(real, "cuLibraryGetKernel", (void **, void *, const char *));
    CUresult code = real(k, library, name);
    if (code == CUDA_SUCCESS && !inside) add_kernel(*k, library, name);
    return code;
}

EXPORT CUresult cuKernelGetFunction(void **f, void *k);
EXPORT CUresult cuKernelGetFunction(void **f, void *k) {
    REAL(real, "cuKernelGetFunction", (void **, void *));
    CUresult code = real(f, k);
    if (code != CUDA_SUCCESS || inside) return code;
    pthread_mutex_lock(&state.lock);
    known_kernel *known = kernel_of(k);
    known_kernel made = known ? *known : (known_kernel){0};
    made.handle = *f;
    if (known && !kernel_of(*f)) LS_VEC_PUSH(&state.kernels, made);
    pthread_mutex_unlock(&state.lock);
    return code;
}

EXPORT CUresult cuLibraryGetModule(void **module, void *library);
EXPORT CUresult cuLibraryGetModule(void **module, void *library) {
    REAL(real, "cuLibraryGetModule", (void **, void *));
    CUresult code = real(module, library);
    if (code != CUDA_SUCCESS || inside) return code;
    pthread_mutex_lock(&state.lock);
    uint32_t i = image_of(library);
    if (i != UINT32_MAX && image_of(*module) == UINT32_MAX) {
        image alias = state.images.items[i];
        alias.handle = *module, alias.is_library = false;
        LS_VEC_PUSH(&state.images, alias);
    }
    pthread_mutex_unlock(&state.lock);
    return code;
}

/* ALLOCATION(name, parameters, arguments, size): *p is the address */
#define ALLOCATION(name, parameters, arguments, size)                                                        \
    EXPORT CUresult name parameters;                                                                         \
    EXPORT CUresult name parameters {                                                                        \
        REAL(real, #name, parameters);                                                                       \
        CUresult code = real arguments;                                                                      \
        if (code == CUDA_SUCCESS && !inside) add_buffer(*p, size);                                           \
        return code;                                                                                         \
    }
#define RELEASE(name, parameters, arguments)                                                                 \
    EXPORT CUresult name parameters;                                                                         \
    EXPORT CUresult name parameters {                                                                        \
        REAL(real, #name, parameters);                                                                       \
        if (!inside) drop_buffer(p);                                                                         \
        return real arguments;                                                                               \
    }

ALLOCATION(cuMemAlloc_v2, (CUdeviceptr * p, size_t n), (p, n), n)
ALLOCATION(cuMemAllocManaged, (CUdeviceptr * p, size_t n, unsigned flags), (p, n, flags), n)
ALLOCATION(cuMemAllocAsync, (CUdeviceptr * p, size_t n, void *stream), (p, n, stream), n)
ALLOCATION(cuMemAllocAsync_ptsz, (CUdeviceptr * p, size_t n, void *stream), (p, n, stream), n)
RELEASE(cuMemFree_v2, (CUdeviceptr p), (p))
RELEASE(cuMemFreeAsync, (CUdeviceptr p, void *stream), (p, stream))
RELEASE(cuMemFreeAsync_ptsz, (CUdeviceptr p, void *stream), (p, stream))

/* --- How the CUDA runtime gets at the driver ---------------------------------------------------------------
 */

/* HOOK(what cuGetProcAddress is asked for, exported name, function) */
static const struct {
    const char *asked, *exported;
    void *function;
} hooks[] = {
    {"cuLaunchKernel", "cuLaunchKernel", (void *)cuLaunchKernel},
    {"cuLaunchKernelEx", "cuLaunchKernelEx", (void *)cuLaunchKernelEx},
    {"cuModuleLoad", "cuModuleLoad", (void *)cuModuleLoad},
    {"cuModuleLoadData", "cuModuleLoadData", (void *)cuModuleLoadData},
    {"cuModuleLoadDataEx", "cuModuleLoadDataEx", (void *)cuModuleLoadDataEx},
    {"cuModuleLoadFatBinary", "cuModuleLoadFatBinary", (void *)cuModuleLoadFatBinary},
    {"cuLibraryLoadData", "cuLibraryLoadData", (void *)cuLibraryLoadData},
    {"cuLibraryGetKernel", "cuLibraryGetKernel", (void *)cuLibraryGetKernel},
    {"cuLibraryGetModule", "cuLibraryGetModule", (void *)cuLibraryGetModule},
    {"cuKernelGetFunction", "cuKernelGetFunction", (void *)cuKernelGetFunction},
    {"cuModuleGetFunction", "cuModuleGetFunction", (void *)cuModuleGetFunction},
    {"cuMemAlloc", "cuMemAlloc_v2", (void *)cuMemAlloc_v2},
    {"cuMemAllocManaged", "cuMemAllocManaged", (void *)cuMemAllocManaged},
    {"cuMemAllocAsync", "cuMemAllocAsync", (void *)cuMemAllocAsync},
    {"cuMemFree", "cuMemFree_v2", (void *)cuMemFree_v2},
    {"cuMemFreeAsync", "cuMemFreeAsync", (void *)cuMemFreeAsync},
};

EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);

static void *hook_of(const char *name, bool asked) {
    if (strcmp(name, "cuGetProcAddress") == 0)
        return asked ? (void *)cuGetProcAddress_v2 : (void *)cuGetProcAddress;
    if (strcmp(name, "cuGetProcAddress_v2") == 0) return (void *)cuGetProcAddress_v2;
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++)
        if (strcmp(name, asked ? hooks[i].asked : hooks[i].exported) == 0) return hooks[i].function;
    return NULL;
}

EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
    REAL(real, "cuGetProcAddress", (const char *, void **, int, uint64_t));
    CUresult code = real(name, out, version, flags);
    void *hook = hook_of(name, true);
    if (strcmp(name, "cuGetProcAddress") == 0 && version < 12000) hook = (void *)cuGetProcAddress;
    if (code == CUDA_SUCCESS && *out && hook && !inside) *out = hook;
    return code;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status) {
    REAL(real, "cuGetProcAddress_v2", (const char *, void **, int, uint64_t, int *));
    CUresult code = real(name, out, version, flags, status);
    void *hook = hook_of(name, true);
    if (strcmp(name, "cuGetProcAddress") == 0 && version < 12000) hook = (void *)cuGetProcAddress;
    if (code == CUDA_SUCCESS && *out && hook && !inside) *out = hook;
    return code;
}

EXPORT void *dlsym(void *restrict handle, const char *restrict name) {
    void *found = real_dlsym(handle, name);
    if (!found || inside || strncmp(name, "cu", 2) != 0) return found;
    void *hook = hook_of(name, false);
    return hook ? hook : found;
}
