/* The driver's start: the device of this process with the options that the command passed in the environment,
 * functions by name, devices and their attributes, errors. */
#include "cuda/driver.h"

#include "device/process.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ls_dev *cu_dev(void) {
    return ls_dev_of_process(LS_WORDS_CUDA);
}

/* --- Errors --- */
static const struct {
    int number;
    const char *runtime, *driver, *text;
} errors[] = {
#define ERROR(number, runtime, driver, text) {number, runtime, driver, text},
#include "cuda/errors.def"
#undef ERROR
};

static int error_index(int error) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++)
        if (errors[k].number == error) return (int)k;
    return -1;
}

CUresult cu_result(const char *function, ls_dev_status status) {
    if (status != LS_DEV_OK && getenv("LOCKSTEP_TRACE"))
        fprintf(stderr, "%s returns %d\n", function, (int)status);
    return (CUresult)status;
}

API(cuGetErrorString, CUresult error, const char **text) {
    int k = error_index(error);
    *text = k < 0 ? NULL : errors[k].text;
    return k < 0 ? CU_INVALID_VALUE : CU_OK;
}

API(cuGetErrorName, CUresult error, const char **name) {
    int k = error_index(error);
    *name = k < 0 || !*errors[k].driver ? NULL : errors[k].driver;
    return *name ? CU_OK : CU_INVALID_VALUE;
}

/* --- Functions by name --- */
/* Names whose newest form depends on the version asked for: from which version on which one. The first row of
 * a name that fits counts; other names are tried with _v2 and as they are. */
static const struct {
    const char *name;
    int version;
    const char *symbol;
} versions[] = {
    {"cuGetProcAddress", 12000, "cuGetProcAddress_v2"},
    {"cuGetProcAddress", 0, "cuGetProcAddress"},
    {"cuCtxCreate", 12050, "cuCtxCreate_v4"},
    {"cuCtxCreate", 11040, "cuCtxCreate_v3"},
    {"cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3"},
    {"cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2"},
    {"cuStreamGetCaptureInfo", 0, "cuStreamGetCaptureInfo"},
    {"cuStreamUpdateCaptureDependencies", 12030, "cuStreamUpdateCaptureDependencies_v2"},
    {"cuStreamUpdateCaptureDependencies", 0, "cuStreamUpdateCaptureDependencies"},
    {"cuGraphInstantiate", 12000, "cuGraphInstantiateWithFlags"},
    {"cuGraphInstantiate", 0, "cuGraphInstantiate_v2"},
    {"cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2"},
    {"cuGraphExecUpdate", 0, "cuGraphExecUpdate"},
    {"cuGraphAddKernelNode", 12000, "cuGraphAddKernelNode_v2"},
    {"cuGraphAddKernelNode", 0, "cuGraphAddKernelNode"},
    {"cuGraphKernelNodeGetParams", 12000, "cuGraphKernelNodeGetParams_v2"},
    {"cuGraphKernelNodeGetParams", 0, "cuGraphKernelNodeGetParams"},
    {"cuGraphKernelNodeSetParams", 12000, "cuGraphKernelNodeSetParams_v2"},
    {"cuGraphKernelNodeSetParams", 0, "cuGraphKernelNodeSetParams"},
    {"cuGraphExecKernelNodeSetParams", 12000, "cuGraphExecKernelNodeSetParams_v2"},
    {"cuGraphExecKernelNodeSetParams", 0, "cuGraphExecKernelNodeSetParams"},
    {"cuGraphGetEdges", 12030, "cuGraphGetEdges_v2"},
    {"cuGraphGetEdges", 0, "cuGraphGetEdges"},
    {"cuGraphNodeGetDependencies", 12030, "cuGraphNodeGetDependencies_v2"},
    {"cuGraphNodeGetDependencies", 0, "cuGraphNodeGetDependencies"},
    {"cuGraphNodeGetDependentNodes", 12030, "cuGraphNodeGetDependentNodes_v2"},
    {"cuGraphNodeGetDependentNodes", 0, "cuGraphNodeGetDependentNodes"},
    {"cuGraphAddDependencies", 12030, "cuGraphAddDependencies_v2"},
    {"cuGraphAddDependencies", 0, "cuGraphAddDependencies"},
    {"cuGraphRemoveDependencies", 12030, "cuGraphRemoveDependencies_v2"},
    {"cuGraphRemoveDependencies", 0, "cuGraphRemoveDependencies"},
    {"cuGraphAddNode", 12030, "cuGraphAddNode_v2"},
    {"cuGraphAddNode", 0, "cuGraphAddNode"},
    {"cuMemAdvise", 12020, "cuMemAdvise_v2"},
    {"cuMemAdvise", 0, "cuMemAdvise"},
    {"cuMemPrefetchAsync", 12020, "cuMemPrefetchAsync_v2"},
    {"cuMemPrefetchAsync", 0, "cuMemPrefetchAsync"},
    {"cuEventElapsedTime", 12080, "cuEventElapsedTime_v2"},
    {"cuEventElapsedTime", 0, "cuEventElapsedTime"},
    {"cuCtxGetDevice", 13000, "cuCtxGetDevice"},
    {"cuMemcpyBatchAsync", 13000, "cuMemcpyBatchAsync_v2"},
    {"cuMemcpy3DBatchAsync", 13000, "cuMemcpy3DBatchAsync_v2"},
};

static void *own_symbol(const char *name, const char *suffix) {
    static void *self;
    char symbol[256];
    Dl_info info;
    if (!self && dladdr((const void *)(uintptr_t)own_symbol, &info)) self = dlopen(info.dli_fname, RTLD_NOW);
    snprintf(symbol, sizeof symbol, "%s%s", name, suffix);
    return self ? dlsym(self, symbol) : NULL;
}

/* The form for each thread's default stream, where there is one. */
static void *with_stream(const char *symbol, bool per_thread) {
    void *f = per_thread ? own_symbol(symbol, "_ptsz") : NULL;
    if (!f && per_thread) f = own_symbol(symbol, "_ptds");
    return f ? f : own_symbol(symbol, "");
}

static void *by_name(const char *name, int version, bool per_thread) {
    for (size_t k = 0; k < sizeof versions / sizeof *versions; k++)
        if (!strcmp(versions[k].name, name) && version >= versions[k].version) {
            void *f = with_stream(versions[k].symbol, per_thread);
            if (f) return f;
        }
    char second[160];
    snprintf(second, sizeof second, "%s_v2", name);
    void *f = with_stream(second, per_thread);
    return f ? f : with_stream(name, per_thread);
}

API(cuGetProcAddress_v2, const char *name, void **function, int version, uint64_t flags, int *status) {
    if (!name || !function) return CU_INVALID_VALUE;
    *function = by_name(name, version, flags & 2);
    if (status) *status = *function ? 0 : 1;
    if (getenv("LOCKSTEP_TRACE"))
        fprintf(stderr, "cuGetProcAddress %s %d %d%s\n", name, version, (int)flags,
                *function ? "" : " (none)");
    return *function ? CU_OK : CU_NOT_FOUND;
}

API(cuGetProcAddress, const char *name, void **function, int version, uint64_t flags) {
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}

/* --- Devices --- */
API(cuInit, unsigned flags) {
    return flags ? CU_INVALID_VALUE : cu_dev() ? CU_OK : CU_NO_DEVICE;
}

API(cuDriverGetVersion, int *version) {
    if (!version) return CU_INVALID_VALUE;
    *version = CUDA_VERSION;
    return CU_OK;
}

API(cuDeviceGetCount, int *count) {
    *count = (int)ls_dev_count(cu_dev());
    return CU_OK;
}

static bool is_device(CUdevice device) {
    return device >= 0 && (uint32_t)device < ls_dev_count(cu_dev());
}

API(cuDeviceGet, CUdevice *device, int ordinal) {
    if (!is_device(ordinal)) return CU_INVALID_DEVICE;
    *device = ordinal;
    return CU_OK;
}

API(cuDeviceGetName, char *name, int length, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    snprintf(name, (size_t)length, "%s", ls_dev_gpu(cu_dev())->name);
    return CU_OK;
}

static void fill_uuid(unsigned char *bytes, CUdevice device) {
    memcpy(bytes, "lockstep-device\0", 16);
    bytes[15] = (unsigned char)device;
}

API(cuDeviceGetUuid_v2, unsigned char *uuid, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    fill_uuid(uuid, device);
    return CU_OK;
}

API(cuDeviceGetUuid, unsigned char *uuid, CUdevice device) {
    return cuDeviceGetUuid_v2(uuid, device);
}

API(cuDeviceGetLuid, char *luid, unsigned *mask, CUdevice device) {
    (void)luid, (void)mask, (void)device;
    return CU_NOT_SUPPORTED;
}

API(cuDeviceTotalMem_v2, size_t *bytes, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    *bytes = ls_dev_gpu(cu_dev())->memory;
    return CU_OK;
}

API(cuDeviceGetAttribute, int *value, int attribute, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    return ls_gpu_model_attribute(ls_dev_gpu(cu_dev()), attribute, device, value) ? CU_OK : CU_INVALID_VALUE;
}

API(cuDeviceComputeCapability, int *major, int *minor, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    *major = ls_dev_gpu(cu_dev())->major;
    *minor = ls_dev_gpu(cu_dev())->minor;
    return CU_OK;
}

API(cuDeviceGetProperties, int *properties, CUdevice device) {
    static const int attributes[] = {1, 2, 3,  4,  5,  6,  7,
                                     8, 9, 10, 11, 12, 13, 14}; /* in the struct's order */
    if (!is_device(device)) return CU_INVALID_DEVICE;
    for (size_t k = 0; k < sizeof attributes / sizeof *attributes; k++)
        ls_gpu_model_attribute(ls_dev_gpu(cu_dev()), attributes[k], device, &properties[k]);
    return CU_OK;
}

API(cuDeviceGetPCIBusId, char *text, int length, CUdevice device) {
    if (!is_device(device)) return CU_INVALID_DEVICE;
    snprintf(text, (size_t)length, "0000:%02x:00.0", device + 1);
    return CU_OK;
}

API(cuDeviceGetByPCIBusId, CUdevice *device, const char *text) {
    unsigned bus;
    if (sscanf(text, "%*x:%x", &bus) != 1 || !is_device((int)bus - 1)) return CU_INVALID_VALUE;
    *device = (int)bus - 1;
    return CU_OK;
}

API(cuDeviceCanAccessPeer, int *can, CUdevice device, CUdevice peer) {
    if (!is_device(device) || !is_device(peer)) return CU_INVALID_DEVICE;
    *can = device != peer;
    return CU_OK;
}

API(cuDeviceGetP2PAttribute, int *value, int attribute, CUdevice device, CUdevice peer) {
    if (!is_device(device) || !is_device(peer) || device == peer) return CU_INVALID_DEVICE;
    *value = attribute != 1; /* performance rank 0 */
    return CU_OK;
}

API(cuDeviceGetTexture1DLinearMaxWidth, size_t *width, int format, unsigned channels, CUdevice device) {
    (void)format, (void)channels, (void)device;
    *width = 268435456;
    return CU_OK;
}

API(cuDeviceGetExecAffinitySupport, int *supported, int type, CUdevice device) {
    (void)type, (void)device;
    *supported = 0;
    return CU_OK;
}

API(cuFlushGPUDirectRDMAWrites, int target, int scope) {
    (void)target, (void)scope;
    return CU_OK;
}

API(cuProfilerStart, void) {
    return CU_OK;
}
API(cuProfilerStop, void) {
    return CU_OK;
}
