/* What compiled programs register before main: their device code, kernels and variables, each by the address
 * that stands for it in the host's code. A module is loaded when something of it is used first. And launches
 * in the form that compilers write for <<<…>>>. */
#include "cuda/runtime.h"
#include "cuda/runtime_object.h"

#include "base/buf.h"
#include "base/map.h"
#include "ptx/image.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const void *image; /* wrapper of a fat binary */
    CUmodule module;
    bool has_placed;
    CUresult result; /* of loading, where it was tried */
    bool tried;
} registered_module;

typedef struct {
    registered_module *of;
    const char *name;
    CUfunction function;
    /* variables: */
    size_t size;
    void **managed; /* the host's pointer to a managed variable … */
    void *placed;   /* … or the variable itself, where clang compiled the program */
    bool floats;    /* a texture reference that is read as cudaReadModeNormalizedFloat */
} registered;

static struct {
    pthread_mutex_t lock, loading;
    ls_intmap functions, variables; /* address in the host → registered * */
    registered **managed;           /* and those that are placed */
    uint32_t managed_count;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .loading = PTHREAD_MUTEX_INITIALIZER};

static void keep(ls_intmap *map, const void *key, registered *r) {
    bool is_new;
    pthread_mutex_lock(&all.lock);
    *ls_intmap_at(map, (uint64_t)(uintptr_t)key, &is_new) = (uint64_t)(uintptr_t)r;
    pthread_mutex_unlock(&all.lock);
}

static registered *find(const ls_intmap *map, const void *key) {
    uint64_t value = 0;
    pthread_mutex_lock(&all.lock);
    bool found = ls_intmap_get(map, (uint64_t)(uintptr_t)key, &value);
    pthread_mutex_unlock(&all.lock);
    return found ? (registered *)(uintptr_t)value : NULL;
}

/* --- Loading --- */
static void set_managed(const registered_module *m) {
    for (uint32_t k = 0; k < all.managed_count; k++) {
        const registered *r = all.managed[k];
        CUdeviceptr at;
        size_t size;
        if (r->of == m && r->managed && cuModuleGetGlobal_v2(&at, &size, m->module, r->name) == CU_OK)
            *r->managed = (void *)at;
    }
}

/* The device uses the host's own variables, while the module is loaded. */
static void place(const registered_module *m, bool on) {
    for (uint32_t k = 0; k < all.managed_count; k++) {
        const registered *r = all.managed[k];
        if (r->of == m && r->placed) ls_dev_place(cu_dev(), r->name, on ? r->placed : NULL, r->size);
    }
}

/* Other threads that want it meanwhile wait. */
static CUresult load(registered_module *m) {
    pthread_mutex_lock(&all.loading);
    if (!m->tried) {
        place(m, true);
        m->result = cuModuleLoadData(&m->module, m->image);
        place(m, false);
        if (m->result == CU_OK) set_managed(m);
        m->tried = true;
    }
    CUresult result = m->result;
    pthread_mutex_unlock(&all.loading);
    return result;
}

/* Kernels that cannot be run, by an address of the file that they are in: the report names the file once. A
 * library may bring some of its kernels as PTX and others as machine code alone. */
static void tell_missing(const void *in, const char *name) {
    static _Atomic(const void *) told;
    Dl_info from = {0};
    const bool known = dladdr(in, &from) && from.dli_fname;
    if (known && atomic_exchange(&told, from.dli_fbase) == from.dli_fbase) return;
    const char *slash = known ? strrchr(from.dli_fname, '/') : NULL;
    ls_buf text = {0};
    ls_buf_puts(&text, name ? "the kernel '" : "a kernel");
    if (name) ls_buf_printf(&text, "%s'", name);
    ls_buf_printf(&text,
                  " of %s was launched and cannot be run, as there is no PTX of it: results that depend on "
                  "it are wrong in this run",
                  slash   ? slash + 1
                  : known ? from.dli_fname
                          : "the program");
    ls_dev_failed(cu_dev(), ls_buf_text(&text));
    ls_buf_free(&text);
}

CUfunction rt_kernel(const void *address, cudaError_t *error) {
    registered *r = find(&all.functions, address);
    *error = CUDA_OK;
    if (!r) { /* a handle of cudaGetKernel or of a library, perhaps */
        if (ls_dev_is_kernel(cu_dev(), address)) return (CUfunction)(uintptr_t)address;
        tell_missing(address, NULL);
        *error = CUDA_INVALID_DEVICE_FUNCTION;
        return NULL;
    }
    if (r->function) return r->function;
    *error = load(r->of);
    if (!*error && cuModuleGetFunction(&r->function, r->of->module, r->name) != CU_OK) {
        *error = CUDA_INVALID_DEVICE_FUNCTION;
        tell_missing(r->of->image, r->name);
    }
    return r->function;
}

cudaError_t rt_symbol(const void *symbol, CUdeviceptr *address, size_t *size) {
    registered *r = find(&all.variables, symbol);
    if (!r) return CUDA_INVALID_SYMBOL;
    CUresult result = load(r->of);
    if (result == CU_OK) result = cuModuleGetGlobal_v2(address, size, r->of->module, r->name);
    return result == CU_OK ? CUDA_OK : CUDA_INVALID_SYMBOL;
}

bool rt_reads_floats(const void *reference) {
    const registered *r = find(&all.variables, reference);
    return r && r->floats;
}

/* --- Registration --- */
EXPORTED void **__cudaRegisterFatBinary(const void *image);
void **__cudaRegisterFatBinary(const void *image) {
    registered_module *m = calloc(1, sizeof *m);
    if (m) m->image = image;
    return (void **)m;
}
/* Variables that the host shares have their first values before main begins. */
EXPORTED void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) {
    registered_module *m = (registered_module *)(void *)handle;
    if (m && m->has_placed && rt_ready() == CUDA_OK) load(m);
}
EXPORTED void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) {
    (void)handle; /* the program ends: its report needs what it had */
}
EXPORTED char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle) {
    return handle && rt_ready() == CUDA_OK && load((registered_module *)(void *)handle) == CU_OK;
}

EXPORTED void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name,
                                     int limit, void *thread, void *block, void *block_size, void *grid_size,
                                     int *warp_size);
void __cudaRegisterFunction(void **handle, const void *host, char *device, const char *name, int limit,
                            void *thread, void *block, void *block_size, void *grid_size, int *warp_size) {
    (void)device, (void)limit, (void)thread, (void)block, (void)block_size, (void)grid_size, (void)warp_size;
    registered *r = calloc(1, sizeof *r);
    if (!r) return;
    r->of = (registered_module *)(void *)handle;
    r->name = name;
    keep(&all.functions, host, r);
}

static registered *add_variable(void **handle, const void *host, const char *name, size_t size) {
    registered *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->of = (registered_module *)(void *)handle;
    r->name = name;
    r->size = size;
    keep(&all.variables, host, r);
    return r;
}

static void keep_managed(registered *r) {
    registered **more = realloc(all.managed, (all.managed_count + 1) * sizeof *more);
    if (!more) return;
    all.managed = more;
    all.managed[all.managed_count++] = r;
}

EXPORTED void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                                size_t size, int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size,
                       int constant, int global) {
    (void)device, (void)external, (void)constant, (void)global;
    registered *r = add_variable(handle, host, name, size);
    if (!r || !rt_in_section(host, "lockstep_managed")) return;
    r->placed = host;
    r->of->has_placed = true;
    keep_managed(r);
}

EXPORTED void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                                       int external, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int external,
                              size_t size, int constant, int global) {
    (void)device, (void)external, (void)constant, (void)global;
    registered *r = add_variable(handle, host, name, size);
    if (!r) return;
    r->managed = host;
    keep_managed(r);
}

EXPORTED void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size);
void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size) {
    add_variable(handle, host, name, size);
}

/* References: variables that hold an object (runtime_reference.c). */
EXPORTED void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                                    int dimensions, int floats, int external);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name,
                           int dimensions, int floats, int external) {
    (void)device, (void)dimensions, (void)external;
    registered *r = add_variable(handle, host, name, sizeof(uint64_t));
    if (r) r->floats = floats;
}
EXPORTED void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                                    int dimensions, int external);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name,
                           int dimensions, int external) {
    (void)device, (void)dimensions, (void)external;
    add_variable(handle, host, name, sizeof(uint64_t));
}

/* Files compiled with -rdc=true by `lockstep nvcc`: the fat binaries of a program or a library, one behind
 * another, and what is in them, as clang writes it (its __tgt_offload_entry). */
typedef struct {
    void *host;
    char *name;
    size_t size; /* 0: a kernel */
    int32_t flags, data;
} linked_entry;

EXPORTED void __lockstepRegisterLinked(const char *images, const char *images_end, const char *entries,
                                       const char *entries_end);
void __lockstepRegisterLinked(const char *images, const char *images_end, const char *entries,
                              const char *entries_end) {
    struct {
        uint32_t magic, version;
        const void *data;
        const void **parts;
    } *wrapper = calloc(1, sizeof *wrapper);
    uint32_t count = 0;
    for (const char *at = images; at < images_end; count++) {
        const size_t extent = ls_image_extent(at, (size_t)(images_end - at));
        if (!extent) break;
        at += extent;
    }
    const void **parts = calloc((size_t)count + 1, sizeof *parts);
    if (!wrapper || !parts) return free(wrapper), free(parts);
    for (uint32_t k = 0; k < count; k++) {
        parts[k] = images;
        images += ls_image_extent(images, (size_t)(images_end - images));
    }
    wrapper->magic = LS_IMAGE_WRAPPER;
    wrapper->version = 2;
    wrapper->parts = parts;
    void **handle = __cudaRegisterFatBinary(wrapper);
    for (; handle && (size_t)(entries_end - entries) >= sizeof(linked_entry);
         entries += sizeof(linked_entry)) {
        linked_entry e;
        memcpy(&e, entries, sizeof e);
        if (!e.host) continue;
        if (e.size)
            __cudaRegisterVar(handle, e.host, e.name, e.name, 0, e.size, 0, 0);
        else
            __cudaRegisterFunction(handle, e.host, e.name, e.name, -1, NULL, NULL, NULL, NULL, NULL);
    }
    __cudaRegisterFatBinaryEnd(handle);
}

RT(__cudaRegisterUnifiedTable, void **handle, void *table) {
    (void)handle, (void)table;
    return CUDA_OK;
}

/* --- Launches --- */
enum { MOST_CONFIGURATIONS = 64 };
typedef struct {
    dim3 grid, block;
    size_t shared;
    CUstream stream;
} configuration;
static _Thread_local struct {
    configuration items[MOST_CONFIGURATIONS];
    int depth;
} configurations;

EXPORTED unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream stream);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream stream) {
    if (configurations.depth == MOST_CONFIGURATIONS) return 1;
    configurations.items[configurations.depth++] = (configuration){grid, block, shared, stream};
    return 0;
}

RT(__cudaPopCallConfiguration, dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (!configurations.depth) return CUDA_INVALID_CONFIGURATION;
    configuration c = configurations.items[--configurations.depth];
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    *(CUstream *)stream = c.stream;
    return CUDA_OK;
}

/* Sizes that no launch can have. */
static bool are_wrong_sizes(const dim3 *grid, const dim3 *block) {
    uint64_t threads = (uint64_t)block->x * block->y * block->z;
    return !threads || threads > 1024 || block->z > 64 || !grid->x || !grid->y || !grid->z ||
           grid->y > 65535 || grid->z > 65535;
}

/* The error of a launch is looked at by cudaGetLastError alone: <<<…>>> drops what is returned. */
static cudaError_t launch_error(cudaError_t error) {
    if (error) {
        const char *name = NULL;
        cuGetErrorName(error, &name);
        ls_dev_error(cu_dev(), "a kernel launch", error, name ? name : cudaGetErrorName(error));
    }
    return rt_error(error);
}

typedef enum { LAUNCH_PLAIN, LAUNCH_COOPERATIVE } launch_kind;

static cudaError_t launch(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                          CUstream stream, launch_kind kind) {
    cudaError_t error = rt_ready();
    CUfunction f = error ? NULL : rt_kernel(function, &error);
    if (f)
        error = kind == LAUNCH_COOPERATIVE
                    ? cuLaunchCooperativeKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                                (unsigned)shared, stream, args)
                    : cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared,
                                     stream, args, NULL);
    if (error == CUDA_INVALID_VALUE && are_wrong_sizes(&grid, &block) &&
        (kind == LAUNCH_COOPERATIVE || rt_version() < CUDA_13))
        error = CUDA_INVALID_CONFIGURATION; /* CUDA 13 leaves what the driver says */
    return launch_error(error);
}

STREAM_RT(cudaLaunchKernel,
          (const void *function, dim3 grid, dim3 block, void **args, size_t shared, CUstream stream),
          (function, grid, block, args, shared, stream)) {
    return launch(function, grid, block, args, shared, stream, LAUNCH_PLAIN);
}
STREAM_RT(cudaLaunchCooperativeKernel,
          (const void *function, dim3 grid, dim3 block, void **args, size_t shared, CUstream stream),
          (function, grid, block, args, shared, stream)) {
    return launch(function, grid, block, args, shared, stream, LAUNCH_COOPERATIVE);
}
STREAM_RT(__cudaLaunchKernel,
          (const void *function, dim3 grid, dim3 block, void **args, size_t shared, CUstream stream),
          (function, grid, block, args, shared, stream)) {
    return launch(function, grid, block, args, shared, stream, LAUNCH_PLAIN);
}

static CUlaunchConfig config_of(const cudaLaunchConfig *c, CUstream stream) {
    return (CUlaunchConfig){c->gridDim.x,
                            c->gridDim.y,
                            c->gridDim.z,
                            c->blockDim.x,
                            c->blockDim.y,
                            c->blockDim.z,
                            (unsigned)c->dynamicSmemBytes,
                            stream,
                            c->attrs,
                            c->numAttrs};
}
static cudaError_t launch_config(const cudaLaunchConfig *c, const void *function, void **args,
                                 CUstream stream) {
    cudaError_t error = rt_ready();
    CUfunction f = error ? NULL : rt_kernel(function, &error);
    CUlaunchConfig config = config_of(c, stream);
    if (f) error = cuLaunchKernelEx(&config, f, args, NULL);
    if (error == CUDA_INVALID_VALUE && are_wrong_sizes(&c->gridDim, &c->blockDim))
        error = CUDA_INVALID_CONFIGURATION;
    return launch_error(error);
}
RT(cudaLaunchKernelExC, const cudaLaunchConfig *config, const void *function, void **args) {
    return launch_config(config, function, args, config->stream);
}
RT(cudaLaunchKernelExC_ptsz, const cudaLaunchConfig *config, const void *function, void **args) {
    return launch_config(config, function, args, config->stream ? config->stream : CU_PER_THREAD);
}

/* --- Kernels --- */
RT(__cudaGetKernel, CUfunction *kernel, const void *function) {
    *kernel = (CUfunction)(uintptr_t)function; /* launches find it by that */
    return CUDA_OK;
}
RT(cudaGetKernel, CUfunction *kernel, const void *function) {
    cudaError_t error = rt_ready();
    *kernel = error ? NULL : rt_kernel(function, &error);
    return rt_error(error);
}
RT(cudaGetFuncBySymbol, CUfunction *out, const void *function) {
    return cudaGetKernel(out, function);
}
RT(cudaFuncGetAttributes, cudaFuncAttributes *out, const void *function) {
    if (!out) return rt_error(CUDA_INVALID_VALUE);
    cudaError_t error = rt_ready();
    CUfunction f = error ? NULL : rt_kernel(function, &error);
    if (!f) return rt_error(error);
    const ls_kernel_info *i = ls_dev_kernel_info(f);
    memset(out, 0, sizeof *out);
    out->sharedSizeBytes = i->shared_bytes;
    out->constSizeBytes = i->const_bytes;
    out->localSizeBytes = i->local_bytes;
    out->maxThreadsPerBlock = i->max_threads;
    out->numRegs = i->registers;
    out->ptxVersion = i->ptx_version;
    out->binaryVersion = i->binary_version;
    out->maxDynamicSharedSizeBytes = i->max_dynamic_shared;
    out->preferredShmemCarveout = i->carveout;
    out->clusterDimMustBeSet = i->cluster[0] != 0;
    out->nonPortableClusterSizeAllowed = i->wide_clusters;
    out->requiredClusterWidth = i->cluster[0];
    out->requiredClusterHeight = i->cluster[1];
    out->requiredClusterDepth = i->cluster[2];
    return CUDA_OK;
}

/* A driver's function of a kernel that a host function stands for. */
#define WITH_KERNEL(function, call)                                                                          \
    cudaError_t error = rt_ready();                                                                          \
    CUfunction f = error ? NULL : rt_kernel(function, &error);                                               \
    return rt_error(f ? (call) : error)

RT(cudaFuncSetAttribute, const void *function, int attribute, int value) {
    WITH_KERNEL(function, cuFuncSetAttribute(f, attribute, value));
}
RT(cudaKernelSetAttributeForDevice, CUfunction kernel, int attribute, int value, int device) {
    (void)device;
    WITH_KERNEL(kernel, cuFuncSetAttribute(f, attribute, value));
}
RT(cudaFuncSetCacheConfig, const void *function, int config) {
    WITH_KERNEL(function, cuFuncSetCacheConfig(f, config));
}
RT(cudaFuncSetSharedMemConfig, const void *function, int config) {
    WITH_KERNEL(function, cuFuncSetSharedMemConfig(f, config));
}
RT(cudaFuncGetName, const char **name, const void *function) {
    WITH_KERNEL(function, cuFuncGetName(name, f));
}
RT(cudaFuncGetParamInfo, const void *function, size_t index, size_t *offset, size_t *size) {
    WITH_KERNEL(function, cuFuncGetParamInfo(f, index, offset, size));
}
RT(cudaOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, const void *function, int threads,
   size_t shared) {
    WITH_KERNEL(function, cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared));
}
RT(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, const void *function, int threads,
   size_t shared, unsigned flags) {
    (void)flags;
    WITH_KERNEL(function, cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, f, threads, shared));
}
RT(cudaOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, const void *function, int blocks, int threads) {
    WITH_KERNEL(function, cuOccupancyAvailableDynamicSMemPerBlock(bytes, f, blocks, threads));
}
RT(cudaOccupancyMaxPotentialClusterSize, int *size, const void *function, const cudaLaunchConfig *config) {
    CUlaunchConfig c = config_of(config, config->stream);
    WITH_KERNEL(function, cuOccupancyMaxPotentialClusterSize(size, f, &c));
}
RT(cudaOccupancyMaxActiveClusters, int *clusters, const void *function, const cudaLaunchConfig *config) {
    CUlaunchConfig c = config_of(config, config->stream);
    WITH_KERNEL(function, cuOccupancyMaxActiveClusters(clusters, f, &c));
}

/* --- Libraries --- */
RT(cudaLibraryLoadData, CUlibrary *library, const void *code, int *jit, void **jit_values, unsigned jit_count,
   int *options, void **values, unsigned count) {
    CALL(cuLibraryLoadData(library, code, jit, jit_values, jit_count, options, values, count));
}
RT(cudaLibraryLoadFromFile, CUlibrary *library, const char *path, int *jit, void **jit_values,
   unsigned jit_count, int *options, void **values, unsigned count) {
    CALL(cuLibraryLoadFromFile(library, path, jit, jit_values, jit_count, options, values, count));
}
RT(cudaLibraryUnload, CUlibrary library) {
    CALL(cuLibraryUnload(library));
}
RT(cudaLibraryGetKernel, CUfunction *kernel, CUlibrary library, const char *name) {
    CALL(cuLibraryGetKernel(kernel, library, name));
}
RT(cudaLibraryGetGlobal, void **address, size_t *size, CUlibrary library, const char *name) {
    CALL(cuLibraryGetGlobal((CUdeviceptr *)address, size, library, name));
}
RT(cudaLibraryGetManaged, void **address, size_t *size, CUlibrary library, const char *name) {
    CALL(cuLibraryGetManaged((CUdeviceptr *)address, size, library, name));
}
RT(cudaLibraryGetKernelCount, unsigned *count, CUlibrary library) {
    CALL(cuLibraryGetKernelCount(count, library));
}
RT(cudaLibraryEnumerateKernels, CUfunction *kernels, unsigned count, CUlibrary library) {
    CALL(cuLibraryEnumerateKernels(kernels, count, library));
}

/* --- Variables --- */
RT(cudaGetSymbolAddress, void **address, const void *symbol) {
    CUdeviceptr at = 0;
    size_t size;
    cudaError_t error = rt_ready();
    if (!error) error = rt_symbol(symbol, &at, &size);
    *address = (void *)at;
    return rt_error(error);
}
RT(cudaGetSymbolSize, size_t *size, const void *symbol) {
    CUdeviceptr at;
    cudaError_t error = rt_ready();
    return rt_error(error ? error : rt_symbol(symbol, &at, size));
}
