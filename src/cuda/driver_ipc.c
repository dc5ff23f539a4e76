/* Memory and events of other processes (cuIpc…). Operations are done when they are submitted, so an event of
 * another process has nothing to wait for: who waits for it is in order by what the processes do besides. */
#include "cuda/driver.h"

#include <string.h>

static const char OPENED[] = "cudaIpcOpenMemHandle";

API(cuIpcGetMemHandle, CUipcMemHandle *out, CUdeviceptr address) {
    _Static_assert(sizeof(ls_shared_memory) <= sizeof *out, "what another process needs to know");
    ls_shared_memory memory;
    ls_dev_status status = out ? ls_dev_export(cu_dev(), address, &memory) : LS_DEV_INVALID;
    if (status != LS_DEV_OK) return cu_result("cudaIpcGetMemHandle", status);
    memset(out, 0, sizeof *out);
    memcpy(out, &memory, sizeof memory);
    return CU_OK;
}

API(cuIpcOpenMemHandle_v2, CUdeviceptr *out, CUipcMemHandle handle, unsigned flags) {
    (void)flags;
    ls_shared_memory memory;
    memcpy(&memory, &handle, sizeof memory);
    CUdeviceptr at = out ? ls_dev_import(cu_dev(), cu_ordinal(), &memory, OPENED) : 0;
    if (!at) return cu_result(OPENED, LS_DEV_INVALID);
    *out = at;
    return CU_OK;
}

API(cuIpcOpenMemHandle, CUdeviceptr *out, CUipcMemHandle handle, unsigned flags) {
    return cuIpcOpenMemHandle_v2(out, handle, flags);
}

API(cuIpcCloseMemHandle, CUdeviceptr address) {
    ls_dev_wait(cu_dev(), cu_ordinal());
    return cu_result("cudaIpcCloseMemHandle", ls_dev_close_import(cu_dev(), address, OPENED));
}

static const char EVENT_MARK[] = "lockstep event";

API(cuIpcGetEventHandle, CUipcMemHandle *out, CUevent event) {
    if (!out || !event) return cu_result("cudaIpcGetEventHandle", LS_DEV_INVALID);
    memset(out, 0, sizeof *out);
    memcpy(out, EVENT_MARK, sizeof EVENT_MARK);
    return CU_OK;
}

API(cuIpcOpenEventHandle, CUevent *out, CUipcMemHandle handle) {
    enum { DISABLE_TIMING = 2, INTERPROCESS = 4 };
    if (!out || memcmp(&handle, EVENT_MARK, sizeof EVENT_MARK))
        return cu_result("cudaIpcOpenEventHandle", LS_DEV_INVALID);
    *out = ls_event_new(cu_dev(), DISABLE_TIMING | INTERPROCESS);
    return *out ? CU_OK : CU_OUT_OF_MEMORY;
}
