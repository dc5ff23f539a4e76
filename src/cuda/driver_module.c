/* Modules, libraries, kernels and their launches. A kernel of a library and the function of a module are the
 * same thing here. */
#include "cuda/driver.h"
#include "ptx/image.h"
#include "ptx/link.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Modules --- */
static CUresult load(const char *function, CUmodule *module, const void *image) {
    if (!module || !image) return cu_result(function, LS_DEV_INVALID);
    return cu_result(function, ls_dev_load(cu_dev(), cu_ordinal(), image, SIZE_MAX, module));
}

API(cuModuleLoadData, CUmodule *module, const void *image) {
    return load(__func__, module, image);
}
API(cuModuleLoadFatBinary, CUmodule *module, const void *image) {
    return load(__func__, module, image);
}

enum { JIT_INFO_LOG = 3, JIT_INFO_SIZE = 4, JIT_ERROR_LOG = 5, JIT_ERROR_SIZE = 6 };

/* Writes the log to where the options say. */
static void put_log(const char *log, unsigned count, const int *options, void **values) {
    for (unsigned k = 0; k < count; k++) {
        if (options[k] != JIT_INFO_LOG && options[k] != JIT_ERROR_LOG) continue;
        for (unsigned n = 0; n < count; n++)
            if (options[n] == options[k] + 1 && values[k] && values[n]) {
                snprintf(values[k], (size_t)(uintptr_t)values[n], "%s",
                         options[k] == JIT_ERROR_LOG ? log : "");
            }
    }
}

API(cuModuleLoadDataEx, CUmodule *module, const void *image, unsigned count, int *options, void **values) {
    CUresult result = load(__func__, module, image);
    put_log(result == CU_OK ? "" : ls_dev_load_error(), count, options, values);
    return result;
}

/* Up to a gigabyte: what is longer, or has no end, is no module. */
static char *read_whole(const char *path, size_t *size) {
    enum { MOST = 1 << 30 };
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    size_t capacity = 0, length = 0, n;
    do {
        capacity = capacity ? 2 * capacity : 65536;
        char *more = realloc(text, capacity + 1);
        if (!more) break;
        text = more;
        n = fread(text + length, 1, capacity - length, file);
        length += n;
    } while (n && length == capacity && capacity < MOST);
    fclose(file);
    if (length >= MOST) {
        free(text);
        return NULL;
    }
    if (text) text[length] = 0;
    *size = length;
    return text;
}

API(cuModuleLoad, CUmodule *module, const char *path) {
    size_t size;
    char *image = path ? read_whole(path, &size) : NULL;
    if (!image) return RESULT((ls_dev_status)301); /* FILE_NOT_FOUND */
    CUresult result = RESULT(ls_dev_load(cu_dev(), cu_ordinal(), image, size, module));
    free(image);
    return result;
}

API(cuModuleUnload, CUmodule module) {
    ls_dev_unload(cu_dev(), module);
    return CU_OK;
}

API(cuModuleGetFunction, CUfunction *function, CUmodule module, const char *name) {
    *function = ls_dev_kernel_find(cu_dev(), module, name);
    return *function ? CU_OK : RESULT(LS_DEV_NOT_FOUND);
}
API(cuModuleGetFunctionCount, unsigned *count, CUmodule module) {
    *count = ls_dev_kernel_count(module);
    return CU_OK;
}
API(cuModuleEnumerateFunctions, CUfunction *functions, unsigned count, CUmodule module) {
    for (unsigned k = 0; k < count && k < ls_dev_kernel_count(module); k++)
        functions[k] = ls_dev_kernel_at(cu_dev(), module, k);
    return CU_OK;
}
API(cuModuleGetGlobal_v2, CUdeviceptr *address, size_t *size, CUmodule module, const char *name) {
    uint64_t at = 0, bytes = 0;
    ls_dev_status status = ls_dev_variable(cu_dev(), module, name, &at, &bytes);
    if (address) *address = at;
    if (size) *size = bytes;
    return RESULT(status);
}
API(cuModuleGetLoadingMode, int *mode) {
    *mode = 1; /* eager */
    return CU_OK;
}

/* --- Libraries --- */
struct cu_library {
    CUmodule module;
};

static CUresult library_of(const char *function, CUlibrary *library, CUmodule module, CUresult result) {
    if (result != CU_OK) return result;
    *library = malloc(sizeof **library);
    if (!*library) return cu_result(function, LS_DEV_NO_MEMORY);
    (*library)->module = module;
    return CU_OK;
}

API(cuLibraryLoadData, CUlibrary *library, const void *code, int *jit, void **jit_values, unsigned jit_count,
    int *options, void **values, unsigned count) {
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    CUmodule module = NULL;
    CUresult result = load(__func__, &module, code);
    return library_of(__func__, library, module, result);
}
API(cuLibraryLoadFromFile, CUlibrary *library, const char *path, int *jit, void **jit_values,
    unsigned jit_count, int *options, void **values, unsigned count) {
    (void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
    CUmodule module = NULL;
    CUresult result = cuModuleLoad(&module, path);
    return library_of(__func__, library, module, result);
}
API(cuLibraryUnload, CUlibrary library) {
    ls_dev_unload(cu_dev(), library->module);
    free(library);
    return CU_OK;
}
API(cuLibraryGetModule, CUmodule *module, CUlibrary library) {
    *module = library->module;
    return CU_OK;
}
API(cuLibraryGetKernel, CUfunction *kernel, CUlibrary library, const char *name) {
    return cuModuleGetFunction(kernel, library->module, name);
}
API(cuLibraryGetKernelCount, unsigned *count, CUlibrary library) {
    return cuModuleGetFunctionCount(count, library->module);
}
API(cuLibraryEnumerateKernels, CUfunction *kernels, unsigned count, CUlibrary library) {
    return cuModuleEnumerateFunctions(kernels, count, library->module);
}
API(cuLibraryGetGlobal, CUdeviceptr *address, size_t *size, CUlibrary library, const char *name) {
    return cuModuleGetGlobal_v2(address, size, library->module, name);
}
API(cuLibraryGetManaged, CUdeviceptr *address, size_t *size, CUlibrary library, const char *name) {
    return cuModuleGetGlobal_v2(address, size, library->module, name);
}
API(cuKernelGetFunction, CUfunction *function, CUfunction kernel) {
    *function = kernel;
    return CU_OK;
}
API(cuKernelGetLibrary, CUlibrary *library, CUfunction kernel) {
    (void)library, (void)kernel;
    return RESULT(LS_DEV_NOT_SUPPORTED);
}

/* --- What a kernel is --- */
static bool attribute_of(const ls_kernel_info *i, int attribute, int *value) {
    switch (attribute) {
    case 0: *value = i->max_threads; return true;
    case 1: *value = (int)i->shared_bytes; return true;
    case 2: *value = (int)i->const_bytes; return true;
    case 3: *value = (int)i->local_bytes; return true;
    case 4: *value = i->registers; return true;
    case 5: *value = i->ptx_version; return true;
    case 6: *value = i->binary_version; return true;
    case 7: *value = 0; return true;
    case 8: *value = i->max_dynamic_shared; return true;
    case 9: *value = i->carveout; return true;
    case 10: *value = i->cluster[0] != 0; return true;
    case 11:
    case 12:
    case 13: *value = i->cluster[attribute - 11]; return true;
    case 14: *value = i->wide_clusters; return true;
    case 15: *value = 0; return true;
    default: return false;
    }
}

API(cuFuncGetAttribute, int *value, int attribute, CUfunction function) {
    if (!function) return RESULT(LS_DEV_BAD_HANDLE);
    return attribute_of(ls_dev_kernel_info(function), attribute, value) ? CU_OK : RESULT(LS_DEV_INVALID);
}
API(cuFuncSetAttribute, CUfunction function, int attribute, int value) {
    if (!function) return RESULT(LS_DEV_BAD_HANDLE);
    ls_kernel_info *i = ls_dev_kernel_info(function);
    if (attribute == 8) {
        if (value < 0 ||
            i->shared_bytes + (uint64_t)value > ls_gpu_limits(ls_dev_gpu(cu_dev()))->block_shared)
            return RESULT(LS_DEV_INVALID);
        i->max_dynamic_shared = value;
    } else if (attribute == 9) {
        i->carveout = value;
    } else if (attribute == 14) {
        i->wide_clusters = value;
    }
    return attribute >= 8 && attribute <= 15 ? CU_OK : RESULT(LS_DEV_INVALID);
}
API(cuKernelGetAttribute, int *value, int attribute, CUfunction kernel, CUdevice device) {
    (void)device;
    return cuFuncGetAttribute(value, attribute, kernel);
}
API(cuKernelSetAttribute, int attribute, int value, CUfunction kernel, CUdevice device) {
    (void)device;
    return cuFuncSetAttribute(kernel, attribute, value);
}
API(cuFuncSetCacheConfig, CUfunction function, int config) {
    (void)function, (void)config;
    return CU_OK;
}
API(cuKernelSetCacheConfig, CUfunction kernel, int config, CUdevice device) {
    (void)kernel, (void)config, (void)device;
    return CU_OK;
}
API(cuFuncSetSharedMemConfig, CUfunction function, int config) {
    (void)function, (void)config;
    return CU_OK;
}
API(cuFuncGetModule, CUmodule *module, CUfunction function) {
    *module = ls_dev_kernel_info(function)->module;
    return CU_OK;
}
API(cuFuncGetName, const char **name, CUfunction function) {
    *name = ls_dev_kernel_info(function)->name;
    return CU_OK;
}
API(cuKernelGetName, const char **name, CUfunction kernel) {
    return cuFuncGetName(name, kernel);
}
API(cuFuncGetParamInfo, CUfunction function, size_t index, size_t *offset, size_t *size) {
    const ls_kernel_info *i = ls_dev_kernel_info(function);
    if (index >= i->param_count) return CU_INVALID_VALUE;
    if (offset) *offset = i->param_offsets[index];
    if (size) *size = i->param_sizes[index];
    return CU_OK;
}
API(cuKernelGetParamInfo, CUfunction kernel, size_t index, size_t *offset, size_t *size) {
    return cuFuncGetParamInfo(kernel, index, offset, size);
}
API(cuFuncIsLoaded, int *state, CUfunction function) {
    (void)function;
    *state = 1;
    return CU_OK;
}
API(cuFuncLoad, CUfunction function) {
    (void)function;
    return CU_OK;
}

/* --- Occupancy --- */
API(cuOccupancyMaxActiveBlocksPerMultiprocessor, int *blocks, CUfunction function, int threads,
    size_t shared) {
    *blocks = ls_dev_occupancy(cu_dev(), ls_dev_kernel_info(function), threads, shared);
    return CU_OK;
}
API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, int *blocks, CUfunction function, int threads,
    size_t shared, unsigned flags) {
    (void)flags;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared);
}
API(cuOccupancyMaxPotentialBlockSize, int *grid, int *block, CUfunction function, size_t (*shared_of)(int),
    size_t shared, int limit) {
    const ls_kernel_info *i = ls_dev_kernel_info(function);
    int most = i->max_threads, best = 0;
    if (limit > 0 && limit < most) most = limit;
    *grid = *block = 0;
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
        int n = threads < most ? threads : most;
        int blocks = ls_dev_occupancy(cu_dev(), i, n, shared_of ? shared_of(n) : shared);
        if (blocks * n <= best) continue;
        best = blocks * n;
        *block = n;
        *grid = blocks * ls_dev_gpu(cu_dev())->processors;
    }
    return CU_OK;
}
API(cuOccupancyMaxPotentialBlockSizeWithFlags, int *grid, int *block, CUfunction function,
    size_t (*shared_of)(int), size_t shared, int limit, unsigned flags) {
    (void)flags;
    return cuOccupancyMaxPotentialBlockSize(grid, block, function, shared_of, shared, limit);
}
API(cuOccupancyAvailableDynamicSMemPerBlock, size_t *bytes, CUfunction function, int blocks, int threads) {
    const ls_gpu_model *g = ls_dev_gpu(cu_dev());
    (void)threads;
    if (blocks < 1) return CU_INVALID_VALUE;
    size_t each = (size_t)ls_gpu_limits(g)->shared / (size_t)blocks / 128 * 128,
           used = ls_dev_kernel_info(function)->shared_bytes + 1024;
    *bytes = each > used ? each - used : 0;
    if (*bytes > ls_gpu_limits(g)->block_shared) *bytes = ls_gpu_limits(g)->block_shared;
    return CU_OK;
}
/* Blocks of a cluster: so many on every GPU that has clusters, and more where the kernel allows it. */
static int most_of_cluster(const ls_kernel_info *i) {
    enum { PORTABLE = 8, MOST = 16 };
    return i->wide_clusters ? MOST : PORTABLE;
}
API(cuOccupancyMaxPotentialClusterSize, int *size, CUfunction function, const CUlaunchConfig *config) {
    (void)config;
    *size = most_of_cluster(ls_dev_kernel_info(function));
    return CU_OK;
}
API(cuOccupancyMaxActiveClusters, int *clusters, CUfunction function, const CUlaunchConfig *config) {
    int blocks = ls_dev_occupancy(cu_dev(), ls_dev_kernel_info(function),
                                  (int)(config->blockDimX * config->blockDimY * config->blockDimZ),
                                  config->sharedMemBytes);
    unsigned size = 1;
    for (unsigned k = 0; k < config->numAttrs; k++)
        if (config->attrs[k].id == CU_LAUNCH_CLUSTER)
            size = config->attrs[k].value.cluster.x * config->attrs[k].value.cluster.y *
                   config->attrs[k].value.cluster.z;
    *clusters = blocks * ls_dev_gpu(cu_dev())->processors / (int)(size ? size : 1);
    return CU_OK;
}

/* --- Launches --- */
/* The parameter block: from single values, or as it is in `extra`. */
static CUresult lay_out(const ls_kernel_info *i, void **params, void **extra, char *block) {
    enum { END = 0, BUFFER = 1, SIZE = 2 };
    if (params) {
        for (uint32_t k = 0; k < i->param_count; k++) {
            if (!params[k]) return CU_INVALID_VALUE;
            memcpy(block + i->param_offsets[k], params[k], i->param_sizes[k]);
        }
        return CU_OK;
    }
    const void *buffer = NULL;
    size_t size = 0;
    for (uint32_t k = 0; extra && extra[k] != (void *)END; k += 2) {
        if (extra[k] == (void *)BUFFER) buffer = extra[k + 1];
        if (extra[k] == (void *)SIZE) size = *(size_t *)extra[k + 1];
    }
    if (buffer) memcpy(block, buffer, size < i->params_size ? size : i->params_size);
    return buffer || !i->param_count ? CU_OK : CU_INVALID_VALUE;
}

CUresult cu_launch_op(CUfunction f, const unsigned grid[3], const unsigned block[3], unsigned shared,
                      void **params, void **extra, ls_op *op) {
    if (!f) return CU_INVALID_HANDLE;
    const ls_kernel_info *i = ls_dev_kernel_info(f);
    *op = (ls_op){
        .kind = LS_OP_KERNEL, .what = "cudaLaunchKernel", .launch = {.kernel = f, .shared_bytes = shared}};
    memcpy(op->launch.grid, grid, sizeof op->launch.grid);
    memcpy(op->launch.block, block, sizeof op->launch.block);
    op->launch.params_size = i->params_size;
    op->launch.params = calloc(1, i->params_size + 8);
    if (!op->launch.params) return CU_OUT_OF_MEMORY;
    CUresult result = lay_out(i, params, extra, op->launch.params);
    if (result != CU_OK) free(op->launch.params);
    return result;
}

/* Whether the grid consists of such clusters, or of those that the kernel says. */
static bool is_of_clusters(const ls_kernel_info *i, const unsigned grid[3], const unsigned *cluster) {
    unsigned long long size = 1;
    for (int k = 0; k < 3; k++) {
        const unsigned own = (unsigned)i->cluster[k], n = cluster && cluster[k] ? cluster[k] : own ? own : 1;
        if (grid[k] % n) return false;
        size *= n;
    }
    return size <= (unsigned)most_of_cluster(i);
}

static CUresult launch(CUfunction f, const unsigned grid[3], const unsigned block[3], unsigned shared,
                       CUstream stream, void **params, void **extra, bool cooperative, bool dependent,
                       const unsigned *cluster) {
    ls_stream *s = cu_stream(stream);
    ls_op op;
    if (!s) return cu_result("cudaLaunchKernel", LS_DEV_BAD_HANDLE);
    CUresult result = cu_launch_op(f, grid, block, shared, params, extra, &op);
    if (result == CU_OK && !is_of_clusters(ls_dev_kernel_info(f), grid, cluster)) {
        free(op.launch.params);
        result = (CUresult)LS_DEV_BAD_CLUSTER;
    }
    if (result != CU_OK) return cu_result("cudaLaunchKernel", (ls_dev_status)result);
    op.launch.cooperative = cooperative;
    op.launch.dependent = dependent;
    if (cluster) memcpy(op.launch.cluster, cluster, sizeof op.launch.cluster);
    result = cu_result("cudaLaunchKernel", ls_dev_submit(s, &op));
    free(op.launch.params);
    return result;
}

STREAM_API(cuLaunchKernel,
           (CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
            unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params,
            void **extra),
           (f, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params, extra)) {
    const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    return launch(f, grid, block, shared, stream, params, extra, false, false, NULL);
}
STREAM_API(cuLaunchCooperativeKernel,
           (CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
            unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params),
           (f, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params)) {
    const unsigned grid[] = {grid_x, grid_y, grid_z}, block[] = {block_x, block_y, block_z};
    uint64_t fits = (uint64_t)ls_dev_occupancy(cu_dev(), ls_dev_kernel_info(f),
                                               (int)(block_x * block_y * block_z), shared) *
                    (uint64_t)ls_dev_gpu(cu_dev())->processors;
    if ((uint64_t)grid_x * grid_y * grid_z > fits) return RESULT((ls_dev_status)720);
    return launch(f, grid, block, shared, stream, params, NULL, true, false, NULL);
}

static CUresult launch_config(const CUlaunchConfig *c, CUfunction f, void **params, void **extra,
                              CUstream stream) {
    const unsigned grid[] = {c->gridDimX, c->gridDimY, c->gridDimZ},
                   block[] = {c->blockDimX, c->blockDimY, c->blockDimZ};
    unsigned cluster[3] = {0}; /* as the kernel says */
    bool cooperative = false, dependent = false;
    for (unsigned k = 0; k < c->numAttrs; k++) {
        const CUlaunchAttribute *a = &c->attrs[k];
        if (a->id == CU_LAUNCH_COOPERATIVE) cooperative = a->value.number;
        if (a->id == CU_LAUNCH_PROGRAMMATIC) dependent = a->value.number;
        if (a->id == CU_LAUNCH_CLUSTER) memcpy(cluster, &a->value.cluster, sizeof cluster);
    }
    return launch(f, grid, block, c->sharedMemBytes, stream, params, extra, cooperative, dependent, cluster);
}

API(cuLaunchKernelEx, const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {
    return launch_config(config, f, params, extra, config->hStream);
}
API(cuLaunchKernelEx_ptsz, const CUlaunchConfig *config, CUfunction f, void **params, void **extra) {
    return launch_config(config, f, params, extra, config->hStream ? config->hStream : CU_PER_THREAD);
}

/* --- Linking --- */
typedef struct {
    char **texts;
    uint32_t count;
    ls_buf linked;
} linking;

API(cuLinkCreate_v2, unsigned count, int *options, void **values, void **state) {
    (void)count, (void)options, (void)values;
    *state = calloc(1, sizeof(linking));
    return *state ? CU_OK : CU_OUT_OF_MEMORY;
}
/* The device's part of the runtime is the emulator's. */
static bool is_device_runtime(int type, const char *name) {
    enum { TYPE_LIBRARY = 4 };
    const char *slash = name ? strrchr(name, '/') : NULL, *file = slash ? slash + 1 : name;
    return type == TYPE_LIBRARY && file && !strncmp(file, "libcudadevrt", strlen("libcudadevrt"));
}
API(cuLinkAddData_v2, void *state, int type, void *data, size_t size, const char *name, unsigned count,
    int *options, void **values) {
    enum { TYPE_PTX = 1, TYPE_FAT_BINARY = 2 };
    (void)count, (void)options, (void)values;
    linking *l = state;
    char *text = NULL;
    size_t length;
    const char *why;
    if (is_device_runtime(type, name)) return CU_OK;
    if (type != TYPE_PTX && type != TYPE_FAT_BINARY) return RESULT(LS_DEV_NOT_SUPPORTED);
    if (ls_image_ptx(data, size, &text, &length, &why) != IMAGE_PTX) return RESULT(LS_DEV_BAD_IMAGE);
    char **more = realloc(l->texts, (l->count + 1) * sizeof *more);
    if (!more) {
        free(text);
        return CU_OUT_OF_MEMORY;
    }
    l->texts = more;
    l->texts[l->count++] = text;
    return CU_OK;
}
API(cuLinkAddFile_v2, void *state, int type, const char *path, unsigned count, int *options, void **values) {
    size_t size;
    char *data = read_whole(path, &size);
    if (!data) return RESULT((ls_dev_status)301);
    CUresult result = cuLinkAddData_v2(state, type, data, size, path, count, options, values);
    free(data);
    return result;
}
/* What comes of it is PTX, which loads as machine code would. */
API(cuLinkComplete, void *state, void **cubin, size_t *size) {
    linking *l = state;
    if (!l->count) return RESULT(LS_DEV_INVALID);
    ls_buf_free(&l->linked);
    if (l->count == 1)
        ls_buf_puts(&l->linked, l->texts[0]);
    else
        ls_ptx_link((const char *const *)l->texts, l->count, &l->linked);
    *cubin = l->linked.text;
    if (size) *size = l->linked.length;
    return CU_OK;
}
API(cuLinkDestroy, void *state) {
    linking *l = state;
    for (uint32_t k = 0; k < l->count; k++) free(l->texts[k]);
    free(l->texts);
    ls_buf_free(&l->linked);
    free(l);
    return CU_OK;
}
