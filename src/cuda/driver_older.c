/* The first forms of functions that have a second one (`…_v2`), where both do the same: programs that load
 * the driver themselves, without cuda.h, find these by the plain names. Those whose first form has addresses
 * and sizes of 32 bits are not there. */
#include "cuda/driver_api.h"

API(cuCtxCreate, CUcontext *out, unsigned flags, CUdevice device) {
    return cuCtxCreate_v2(out, flags, device);
}
API(cuCtxDestroy, CUcontext c) {
    return cuCtxDestroy_v2(c);
}
API(cuCtxPushCurrent, CUcontext c) {
    return cuCtxPushCurrent_v2(c);
}
API(cuCtxPopCurrent, CUcontext *out) {
    return cuCtxPopCurrent_v2(out);
}

/* Contexts were counted; the last one who left it destroyed it. Here it is there until it is destroyed. */
API(cuCtxAttach, CUcontext *out, unsigned flags) {
    if (!out || flags) return CU_INVALID_VALUE;
    *out = cu_current();
    return *out ? CU_OK : CU_INVALID_CONTEXT;
}
API(cuCtxDetach, CUcontext c) {
    return cuCtxDestroy_v2(c);
}

API(cuDevicePrimaryCtxRelease, CUdevice device) {
    return cuDevicePrimaryCtxRelease_v2(device);
}
API(cuDevicePrimaryCtxReset, CUdevice device) {
    return cuDevicePrimaryCtxReset_v2(device);
}
API(cuDevicePrimaryCtxSetFlags, CUdevice device, unsigned flags) {
    return cuDevicePrimaryCtxSetFlags_v2(device, flags);
}

API(cuStreamDestroy, CUstream stream) {
    return cuStreamDestroy_v2(stream);
}
API(cuEventDestroy, CUevent event) {
    return cuEventDestroy_v2(event);
}

API(cuLinkCreate, unsigned count, int *options, void **values, void **state) {
    return cuLinkCreate_v2(count, options, values, state);
}
API(cuLinkAddData, void *state, int type, void *data, size_t size, const char *name, unsigned count,
    int *options, void **values) {
    return cuLinkAddData_v2(state, type, data, size, name, count, options, values);
}
API(cuLinkAddFile, void *state, int type, const char *path, unsigned count, int *options, void **values) {
    return cuLinkAddFile_v2(state, type, path, count, options, values);
}
