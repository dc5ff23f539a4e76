/* The detector inside of a program: a library that is preloaded (LD_PRELOAD) by `lockstep detect -- PROGRAM`.
 *
 * It stands between the program and the CUDA driver. Programs that link to libcuda meet the functions below
 * by their names; the CUDA runtime, which asks the driver for its functions (dlsym and cuGetProcAddress), is
 * given them instead. Images that are loaded are searched for PTX, kernels and allocations are remembered,
 * and a launch becomes a check of that launch (program.c), which leaves memory as the launch would have. */
#include "detect/preload/hooks.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* --- The driver's functions ------------------------------------------------------------------------------
 */
/* A stream that is captured only writes down what is to be launched later. */
static const char *captured(void *stream) {
    static CUresult (*capturing)(void *, int *);
    int status = 0;
    if (!capturing) *(void **)&capturing = dp_driver_function("cuStreamIsCapturing");
    if (capturing && stream) capturing(stream, &status);
    return status ? "it is captured into a graph" : NULL;
}

bool dp_start_watched(void *context, void *function, const void *params, size_t size, uint32_t shared) {
    static CUresult (*real)(const launch_config *, void *, void **, void **);
    if (!real) *(void **)&real = dp_driver_function("cuLaunchKernelEx");
    launch_config config = *(const launch_config *)context;
    config.shared = shared;
    void *extra[] = {(void *)1, (void *)(uintptr_t)params, (void *)2, &size, NULL};
    return real && real(&config, function, NULL, extra) == CUDA_SUCCESS;
}

EXPORT CUresult cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, void *stream, void **params, void **extra);
EXPORT CUresult cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                               unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
    REAL(real, "cuLaunchKernel",
         (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
          void **));
    const char *why = captured(stream);
    launch_config config = {{gx, gy, gz}, {bx, by, bz}, shared, stream, NULL, 0};
    program_launch l = {f,      {gx, gy, gz}, {bx, by, bz},     shared,  params,     extra,
                        stream, why,          dp_start_watched, &config, why != NULL};
    if (dp_take_launch(&l)) return CUDA_SUCCESS;
    return real(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra);
}

enum { PER_THREAD_STREAM = 2 }; /* CU_STREAM_PER_THREAD, and the flag that asks for such functions */

EXPORT CUresult cuLaunchKernel_ptsz(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                    unsigned bz, unsigned shared, void *stream, void **params, void **extra);
EXPORT CUresult cuLaunchKernel_ptsz(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                    unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
    return cuLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream ? stream : (void *)PER_THREAD_STREAM,
                          params, extra);
}

enum { COOPERATIVE = 2, CLUSTER = 4, OVERLAPPING = 6 };

/* What an attribute means for a check: NULL where it is the same kernel on the same data without it. */
static const char *what_of(const launch_attribute *a) {
    switch (a->id) {
    case COOPERATIVE: return a->value.number ? "it is a cooperative launch" : NULL;
    case CLUSTER:
        return a->value.size[0] * a->value.size[1] * a->value.size[2] > 1 ? "it is launched in clusters"
                                                                          : NULL;
    case OVERLAPPING:
        return a->value.number
                   ? "it may begin before the previous launch ends (programmatic dependent launch)"
                   : NULL;
    case 0:
    case 1: /* which lines the L2 keeps */
    case 3: /* how the host waits */
    case 5: /* how clusters are scheduled */
    case 8: /* priority */
    case 9: /* memory synchronisation domains */
    case 10:
    case 14: /* how much shared memory an SM has */ return NULL;
    default: return "it is launched with an attribute that is not known here";
    }
}

EXPORT CUresult cuLaunchKernelEx(const launch_config *config, void *f, void **params, void **extra);
EXPORT CUresult cuLaunchKernelEx(const launch_config *config, void *f, void **params, void **extra) {
    REAL(real, "cuLaunchKernelEx", (const launch_config *, void *, void **, void **));
    program_launch l = {.function = f,
                        .shared = config->shared,
                        .params = params,
                        .extra = extra,
                        .stream = config->stream,
                        .unusual = captured(config->stream),
                        .start = dp_start_watched,
                        .start_context = config};
    l.captured = l.unusual != NULL;
    memcpy(l.grid, config->grid, sizeof l.grid);
    memcpy(l.block, config->block, sizeof l.block);
    for (unsigned i = 0; i < config->attribute_count; i++) {
        const char *what = what_of(&config->attributes[i]);
        if (config->attributes[i].id == CLUSTER)
            memcpy(l.cluster, config->attributes[i].value.size, sizeof l.cluster);
        l.in_clusters |=
            what && config->attributes[i].id != COOPERATIVE && config->attributes[i].id != OVERLAPPING;
        if (!l.unusual) l.unusual = what;
    }
    if (dp_take_launch(&l)) return CUDA_SUCCESS;
    return real(config, f, params, extra);
}

EXPORT CUresult cuLaunchKernelEx_ptsz(const launch_config *config, void *f, void **params, void **extra);
EXPORT CUresult cuLaunchKernelEx_ptsz(const launch_config *config, void *f, void **params, void **extra) {
    launch_config named = *config;
    if (!named.stream) named.stream = (void *)PER_THREAD_STREAM;
    return cuLaunchKernelEx(&named, f, params, extra);
}

EXPORT CUresult cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, void *stream,
                                          void **params);
EXPORT CUresult cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                          unsigned by, unsigned bz, unsigned shared, void *stream,
                                          void **params) {
    REAL(real, "cuLaunchCooperativeKernel",
         (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **));
    const char *why = captured(stream);
    launch_attribute cooperative = {.id = COOPERATIVE, .value.number = 1};
    launch_config config = {{gx, gy, gz}, {bx, by, bz}, shared, stream, &cooperative, 1};
    program_launch l = {f,
                        {gx, gy, gz},
                        {bx, by, bz},
                        shared,
                        params,
                        NULL,
                        stream,
                        why ? why : "it is a cooperative launch",
                        dp_start_watched,
                        &config,
                        why != NULL};
    if (dp_take_launch(&l)) return CUDA_SUCCESS;
    return real(f, gx, gy, gz, bx, by, bz, shared, stream, params);
}

EXPORT CUresult cuLaunchCooperativeKernel_ptsz(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                               unsigned by, unsigned bz, unsigned shared, void *stream,
                                               void **params);
EXPORT CUresult cuLaunchCooperativeKernel_ptsz(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                               unsigned by, unsigned bz, unsigned shared, void *stream,
                                               void **params) {
    return cuLaunchCooperativeKernel(f, gx, gy, gz, bx, by, bz, shared,
                                     stream ? stream : (void *)PER_THREAD_STREAM, params);
}

EXPORT CUresult cuModuleLoadData(void **module, const void *data);
EXPORT CUresult cuModuleLoadData(void **module, const void *data) {
    REAL(real, "cuModuleLoadData", (void **, const void *));
    CUresult code = real(module, data);
    if (code == CUDA_SUCCESS && !dp_inside) dp_add_image(*module, false, data, SIZE_MAX);
    return code;
}

EXPORT CUresult cuModuleLoadDataEx(void **module, const void *data, unsigned n, int *options, void **values);
EXPORT CUresult cuModuleLoadDataEx(void **module, const void *data, unsigned n, int *options, void **values) {
    REAL(real, "cuModuleLoadDataEx", (void **, const void *, unsigned, int *, void **));
    CUresult code = real(module, data, n, options, values);
    if (code == CUDA_SUCCESS && !dp_inside) dp_add_image(*module, false, data, SIZE_MAX);
    return code;
}

EXPORT CUresult cuModuleLoadFatBinary(void **module, const void *data);
EXPORT CUresult cuModuleLoadFatBinary(void **module, const void *data) {
    REAL(real, "cuModuleLoadFatBinary", (void **, const void *));
    CUresult code = real(module, data);
    if (code == CUDA_SUCCESS && !dp_inside) dp_add_image(*module, false, data, SIZE_MAX);
    return code;
}

EXPORT CUresult cuModuleLoad(void **module, const char *path);
EXPORT CUresult cuModuleLoad(void **module, const char *path) {
    REAL(real, "cuModuleLoad", (void **, const char *));
    CUresult code = real(module, path);
    if (code == CUDA_SUCCESS && !dp_inside) dp_add_image_file(*module, false, path);
    return code;
}

EXPORT CUresult cuLibraryLoadData(void **library, const void *data, int *jo, void **jv, unsigned jn, int *lo,
                                  void **lv, unsigned ln);
EXPORT CUresult cuLibraryLoadData(void **library, const void *data, int *jo, void **jv, unsigned jn, int *lo,
                                  void **lv, unsigned ln) {
    REAL(real, "cuLibraryLoadData",
         (void **, const void *, int *, void **, unsigned, int *, void **, unsigned));
    CUresult code = real(library, data, jo, jv, jn, lo, lv, ln);
    if (code == CUDA_SUCCESS && !dp_inside) dp_add_image(*library, true, data, SIZE_MAX);
    return code;
}

EXPORT CUresult cuModuleGetFunction(void **f, void *module, const char *name);
EXPORT CUresult cuModuleGetFunction(void **f, void *module, const char *name) {
    REAL(real, "cuModuleGetFunction", (void **, void *, const char *));
    CUresult code = real(f, module, name);
    if (code == CUDA_SUCCESS && !dp_inside) dp_add_kernel(*f, module, name);
    return code;
}

EXPORT CUresult cuLibraryGetKernel(void **k, void *library, const char *name);
EXPORT CUresult cuLibraryGetKernel(void **k, void *library, const char *name) {
    REAL(real, "cuLibraryGetKernel", (void **, void *, const char *));
    CUresult code = real(k, library, name);
    if (code == CUDA_SUCCESS && !dp_inside) dp_add_kernel(*k, library, name);
    return code;
}

EXPORT CUresult cuKernelGetFunction(void **f, void *k);
EXPORT CUresult cuKernelGetFunction(void **f, void *k) {
    REAL(real, "cuKernelGetFunction", (void **, void *));
    CUresult code = real(f, k);
    if (code != CUDA_SUCCESS || dp_inside) return code;
    dp_alias_kernel(*f, k);
    return code;
}

EXPORT CUresult cuLibraryGetModule(void **module, void *library);
EXPORT CUresult cuLibraryGetModule(void **module, void *library) {
    REAL(real, "cuLibraryGetModule", (void **, void *));
    CUresult code = real(module, library);
    if (code != CUDA_SUCCESS || dp_inside) return code;
    dp_alias_image(*module, library);
    return code;
}

/* ALLOCATION(name, parameters, arguments, size): *p is the address */
#define ALLOCATION(name, parameters, arguments, size)                                                        \
    EXPORT CUresult name parameters;                                                                         \
    EXPORT CUresult name parameters {                                                                        \
        REAL(real, #name, parameters);                                                                       \
        CUresult code = real arguments;                                                                      \
        if (code == CUDA_ERROR_OUT_OF_MEMORY && dp_give_memory_back()) code = real arguments;                \
        if (code == CUDA_SUCCESS && !dp_inside) dp_add_buffer(*p, size), dp_warm_compiler();                 \
        return code;                                                                                         \
    }
#define RELEASE(name, parameters, arguments)                                                                 \
    EXPORT CUresult name parameters;                                                                         \
    EXPORT CUresult name parameters {                                                                        \
        REAL(real, #name, parameters);                                                                       \
        if (!dp_inside) dp_drop_buffer(p);                                                                   \
        return real arguments;                                                                               \
    }

ALLOCATION(cuMemAlloc_v2, (CUdeviceptr * p, size_t n), (p, n), n)
ALLOCATION(cuMemAllocManaged, (CUdeviceptr * p, size_t n, unsigned flags), (p, n, flags), n)
ALLOCATION(cuMemAllocAsync, (CUdeviceptr * p, size_t n, void *stream), (p, n, stream), n)
ALLOCATION(cuMemAllocAsync_ptsz, (CUdeviceptr * p, size_t n, void *stream), (p, n, stream), n)
RELEASE(cuMemFree_v2, (CUdeviceptr p), (p))
RELEASE(cuMemFreeAsync, (CUdeviceptr p, void *stream), (p, stream))
RELEASE(cuMemFreeAsync_ptsz, (CUdeviceptr p, void *stream), (p, stream))

/* Memory without an address: what is kept between checks is given back where there is none left. */
EXPORT CUresult cuMemCreate(uint64_t *handle, size_t n, const void *properties, uint64_t flags);
EXPORT CUresult cuMemCreate(uint64_t *handle, size_t n, const void *properties, uint64_t flags) {
    REAL(real, "cuMemCreate", (uint64_t *, size_t, const void *, uint64_t));
    CUresult code = real(handle, n, properties, flags);
    if (code == CUDA_ERROR_OUT_OF_MEMORY && dp_give_memory_back()) code = real(handle, n, properties, flags);
    return code;
}

/* --- Streams, and where the program waits
 * -------------------------------------------------------------------- Behind a function that waits, checks
 * that were queued have ended. */
#define WAIT(name, parameters, arguments)                                                                    \
    EXPORT CUresult name parameters;                                                                         \
    EXPORT CUresult name parameters {                                                                        \
        REAL(real, #name, parameters);                                                                       \
        CUresult code = real arguments;                                                                      \
        if (code == CUDA_SUCCESS) dp_settle();                                                               \
        return code;                                                                                         \
    }

WAIT(cuCtxSynchronize, (void), ())
WAIT(cuCtxSynchronize_v2, (void *context), (context))
WAIT(cuStreamSynchronize, (void *stream), (stream))
WAIT(cuStreamSynchronize_ptsz, (void *stream), (stream))
WAIT(cuEventSynchronize, (void *event), (event))
WAIT(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t n), (to, from, n))
WAIT(cuMemcpyDtoH_v2_ptds, (void *to, CUdeviceptr from, size_t n), (to, from, n))

EXPORT CUresult cuStreamCreate(void **stream, unsigned flags);
EXPORT CUresult cuStreamCreate(void **stream, unsigned flags) {
    REAL(real, "cuStreamCreate", (void **, unsigned));
    if (!dp_inside) dp_add_stream();
    return real(stream, flags);
}

EXPORT CUresult cuStreamCreateWithPriority(void **stream, unsigned flags, int priority);
EXPORT CUresult cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    REAL(real, "cuStreamCreateWithPriority", (void **, unsigned, int));
    if (!dp_inside) dp_add_stream();
    return real(stream, flags, priority);
}

EXPORT CUresult cuStreamDestroy_v2(void *stream);
EXPORT CUresult cuStreamDestroy_v2(void *stream) {
    REAL(real, "cuStreamDestroy_v2", (void *));
    if (!dp_inside) dp_drop_stream(stream);
    return real(stream);
}

/* --- How the CUDA runtime gets at the driver ---------------------------------------------------------------
 */

/* What cuGetProcAddress is asked for, the exported name, the function, the CUDA version from which on it is
 * the one; per_thread: the form for programs whose default stream is one for each thread. */
static const struct {
    const char *asked, *exported;
    void *function;
    int from;
    bool per_thread;
} hooks[] = {
#define HOOK(name)                             {#name, #name, (void *)name, 0, false}
#define HOOK_AS(asked, name, from, per_thread) {#asked, #name, (void *)name, from, per_thread}
    HOOK(cuLaunchKernel),
    HOOK_AS(cuLaunchKernel, cuLaunchKernel_ptsz, 0, true),
    HOOK(cuLaunchKernelEx),
    HOOK_AS(cuLaunchKernelEx, cuLaunchKernelEx_ptsz, 0, true),
    HOOK(cuLaunchCooperativeKernel),
    HOOK_AS(cuLaunchCooperativeKernel, cuLaunchCooperativeKernel_ptsz, 0, true),
    HOOK(cuGraphAddKernelNode),
    HOOK_AS(cuGraphAddKernelNode, cuGraphAddKernelNode_v2, 12000, false),
    HOOK(cuGraphAddNode),
    HOOK_AS(cuGraphAddNode, cuGraphAddNode_v2, 12030, false),
    HOOK(cuGraphKernelNodeSetParams),
    HOOK_AS(cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, 12000, false),
    HOOK(cuGraphExecKernelNodeSetParams),
    HOOK_AS(cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2, 12000, false),
    HOOK(cuModuleLoad),
    HOOK(cuModuleLoadData),
    HOOK(cuModuleLoadDataEx),
    HOOK(cuModuleLoadFatBinary),
    HOOK(cuLibraryLoadData),
    HOOK(cuLibraryGetKernel),
    HOOK(cuLibraryGetModule),
    HOOK(cuKernelGetFunction),
    HOOK(cuModuleGetFunction),
    HOOK_AS(cuMemAlloc, cuMemAlloc_v2, 0, false),
    HOOK(cuMemAllocManaged),
    HOOK(cuMemCreate),
    HOOK(cuMemAllocAsync),
    HOOK_AS(cuMemAllocAsync, cuMemAllocAsync_ptsz, 0, true),
    HOOK_AS(cuMemFree, cuMemFree_v2, 0, false),
    HOOK(cuMemFreeAsync),
    HOOK_AS(cuMemFreeAsync, cuMemFreeAsync_ptsz, 0, true),
    HOOK(cuCtxSynchronize),
    HOOK_AS(cuCtxSynchronize, cuCtxSynchronize_v2, 13000, false),
    HOOK(cuStreamSynchronize),
    HOOK_AS(cuStreamSynchronize, cuStreamSynchronize_ptsz, 0, true),
    HOOK(cuEventSynchronize),
    HOOK_AS(cuMemcpyDtoH, cuMemcpyDtoH_v2, 0, false),
    HOOK_AS(cuMemcpyDtoH, cuMemcpyDtoH_v2_ptds, 0, true),
    HOOK(cuStreamCreate),
    HOOK(cuStreamCreateWithPriority),
    HOOK_AS(cuStreamDestroy, cuStreamDestroy_v2, 0, false),
};

enum { HOOK_COUNT = sizeof hooks / sizeof *hooks };

EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags);
EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status);

static void *exported_hook(const char *name) {
    if (strcmp(name, "cuGetProcAddress") == 0) return (void *)cuGetProcAddress;
    if (strcmp(name, "cuGetProcAddress_v2") == 0) return (void *)cuGetProcAddress_v2;
    for (size_t i = 0; i < HOOK_COUNT; i++)
        if (strcmp(name, hooks[i].exported) == 0) return hooks[i].function;
    return NULL;
}

static void *asked_hook(const char *name, int version, uint64_t flags) {
    void *found = NULL;
    if (strcmp(name, "cuGetProcAddress") == 0)
        return version < 12000 ? (void *)cuGetProcAddress : (void *)cuGetProcAddress_v2;
    if (strcmp(name, "cuGetProcAddress_v2") == 0) return (void *)cuGetProcAddress_v2;
    for (size_t i = 0; i < HOOK_COUNT; i++) /* the last that fits is the most special */
        if (strcmp(name, hooks[i].asked) == 0 && version >= hooks[i].from &&
            (!hooks[i].per_thread || (flags & PER_THREAD_STREAM)))
            found = hooks[i].function;
    return found;
}

EXPORT CUresult cuGetProcAddress(const char *name, void **out, int version, uint64_t flags) {
    REAL(real, "cuGetProcAddress", (const char *, void **, int, uint64_t));
    CUresult code = real(name, out, version, flags);
    void *hook = asked_hook(name, version, flags);
    if (code == CUDA_SUCCESS && *out && hook && !dp_inside) *out = hook;
    return code;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *status) {
    REAL(real, "cuGetProcAddress_v2", (const char *, void **, int, uint64_t, int *));
    CUresult code = real(name, out, version, flags, status);
    void *hook = asked_hook(name, version, flags);
    if (code == CUDA_SUCCESS && *out && hook && !dp_inside) *out = hook;
    return code;
}

/* --- NVRTC -------------------------------------------------------------------------------------------------
 * A program that compiles to machine code at run time (CuPy does): the compiler has the PTX as well. */
static void *nvrtc = RTLD_NEXT; /* where the program got it from */

EXPORT int nvrtcGetCUBIN(void *program, char *cubin);
EXPORT int nvrtcGetCUBIN(void *program, char *cubin) {
    int (*get_cubin)(void *, char *), (*get_ptx)(void *, char *), (*cubin_size)(void *, size_t *),
        (*ptx_size)(void *, size_t *);
    size_t size = 0, length = 0;
    *(void **)&get_cubin = dp_dlsym(nvrtc, "nvrtcGetCUBIN");
    *(void **)&get_ptx = dp_dlsym(nvrtc, "nvrtcGetPTX");
    *(void **)&cubin_size = dp_dlsym(nvrtc, "nvrtcGetCUBINSize");
    *(void **)&ptx_size = dp_dlsym(nvrtc, "nvrtcGetPTXSize");
    int code = get_cubin ? get_cubin(program, cubin) : 11 /* NVRTC_ERROR_INTERNAL_ERROR */;
    if (code || dp_inside || !get_ptx || !cubin_size || !ptx_size || cubin_size(program, &size) ||
        ptx_size(program, &length))
        return code;
    char *ptx = calloc(length + 1, 1);
    if (ptx && length > 1 && get_ptx(program, ptx) == 0) dp_add_ptx(cubin, size, ptx);
    free(ptx);
    return code;
}

EXPORT void *dlsym(void *restrict handle, const char *restrict name) {
    void *found = dp_dlsym(handle, name);
    if (found && strcmp(name, "nvrtcGetCUBIN") == 0 && found != (void *)nvrtcGetCUBIN) {
        nvrtc = handle;
        return (void *)nvrtcGetCUBIN;
    }
    if (!found || dp_inside || strncmp(name, "cu", 2) != 0) return found;
    void *hook = exported_hook(name);
    return hook ? hook : found;
}
