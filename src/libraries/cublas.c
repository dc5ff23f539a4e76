/* cuBLAS on the emulated device: libcublas.so.12 and .13. The handle, copies between host and device, and how
 * a call becomes work of a stream. The routines are in blas.h, products with types of their own in
 * cublas_mixed.c. */
#include "libraries/cublas.h"

#include <stdlib.h>
#include <string.h>

#define TEXT __attribute__((visibility("default"))) const char *

/* Of the runtime beside it. */
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                 int kind);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream);
enum { TO_DEVICE = 1, TO_HOST = 2 };

/* --- Operands --- */
static void add(blas_job *j, uint64_t at, uint64_t size, bool write, bool rough) {
    if (j->count < sizeof j->operands / sizeof *j->operands)
        j->operands[j->count++] = (lockstep_operand){at, size, write, rough};
}

void blas_vector(blas_job *j, uint64_t at, int n, int64_t distance, size_t size, bool write) {
    const uint64_t step = (uint64_t)(distance < 0 ? -distance : distance);
    add(j, at, ((uint64_t)(n - 1) * step + 1) * size, write, step != 1);
}

void blas_matrix(blas_job *j, uint64_t at, int64_t rows, int64_t columns, int64_t ld, size_t size,
                 bool write) {
    if (rows <= 0 || columns <= 0) return;
    add(j, at, (uint64_t)((columns - 1) * ld + rows) * size, write, ld != rows && columns > 1);
}

void blas_scalar(const blas_handle *h, blas_job *j, uint64_t *address, double value[2], const void *given,
                 size_t size) {
    j->device_scalars = h->device_scalars;
    *address = (uint64_t)(uintptr_t)given;
    if (h->device_scalars)
        add(j, *address, size, false, false);
    else if (given)
        memcpy(value, given, size);
}

const void *blas_scalar_of(const blas_job *j, uint64_t address, const double value[2]) {
    return j->device_scalars ? lockstep_cuda_host(address) : value;
}

void blas_result(const blas_handle *h, blas_job *j, void *result, size_t size) {
    j->result = (uint64_t)(uintptr_t)result;
    j->device_scalars = h->device_scalars;
    if (h->device_scalars) add(j, j->result, size, true, false);
}

void *blas_result_of(const blas_job *j) {
    return j->device_scalars ? lockstep_cuda_host(j->result) : (void *)(uintptr_t)j->result;
}

static void carry_out(void *data, lockstep_memory *memory) {
    blas_job *j = data;
    j->memory = memory;
    j->run(j);
}

/* Only what the device can reach is looked at: the rest is the host's. */
static void leave_out_host(blas_job *j) {
    unsigned count = 0;
    for (unsigned k = 0; k < j->count; k++)
        if (lockstep_cuda_reaches(j->operands[k].address)) j->operands[count++] = j->operands[k];
    j->count = count;
}

int blas_submit(const blas_handle *h, blas_job *j) {
    if (h->host_operands) leave_out_host(j);
    int status = lockstep_cuda_work(h->stream, j->what, j->operands, j->count, carry_out, j, sizeof *j);
    return status ? BLAS_EXECUTION_FAILED : BLAS_OK;
}

/* --- The handle --- */
API cublasCreate_v2(blas_handle **handle) {
    *handle = calloc(1, sizeof **handle);
    return *handle ? BLAS_OK : BLAS_ALLOC_FAILED;
}
API cublasDestroy_v2(blas_handle *h) {
    free(h);
    return h ? BLAS_OK : BLAS_NOT_INITIALIZED;
}
API cublasGetVersion_v2(blas_handle *h, int *version) {
    (void)h;
    *version = 130000;
    return BLAS_OK;
}
API cublasGetProperty(int type, int *value) {
    if (type < 0 || type > 2) return BLAS_INVALID_VALUE;
    *value = type ? 0 : 13;
    return BLAS_OK;
}
__attribute__((visibility("default"))) size_t cublasGetCudartVersion(void) {
    return 13000;
}

#define SETTING(Name, type, field)                                                                           \
    API cublasSet##Name(blas_handle *h, type value) {                                                        \
        if (!h) return BLAS_NOT_INITIALIZED;                                                                 \
        h->field = value;                                                                                    \
        return BLAS_OK;                                                                                      \
    }                                                                                                        \
    API cublasGet##Name(blas_handle *h, type *value) {                                                       \
        if (!h) return BLAS_NOT_INITIALIZED;                                                                 \
        *value = h->field;                                                                                   \
        return BLAS_OK;                                                                                      \
    }
SETTING(Stream_v2, void *, stream)
SETTING(PointerMode_v2, int, device_scalars)
SETTING(AtomicsMode, int, atomics_mode)
SETTING(MathMode, int, math_mode)
SETTING(SmCountTarget, int, sm_count)

/* --- Several devices: one does it --- */
API cublasXtCreate(blas_handle **handle) {
    int status = cublasCreate_v2(handle);
    if (!status) (*handle)->host_operands = true;
    return status;
}
API cublasXtDestroy(blas_handle *h) {
    return cublasDestroy_v2(h);
}
API cublasXtDeviceSelect(blas_handle *h, int count, const int *devices) {
    if (!h) return BLAS_NOT_INITIALIZED;
    return count > 0 && devices ? BLAS_OK : BLAS_INVALID_VALUE;
}
API cublasXtSetBlockDim(blas_handle *h, int block) {
    if (!h) return BLAS_NOT_INITIALIZED;
    if (block <= 0) return BLAS_INVALID_VALUE;
    h->block = block;
    return BLAS_OK;
}
API cublasXtGetBlockDim(blas_handle *h, int *block) {
    if (!h) return BLAS_NOT_INITIALIZED;
    *block = h->block;
    return BLAS_OK;
}
API cublasXtSetPinningMemMode(blas_handle *h, int mode) {
    (void)mode;
    return h ? BLAS_OK : BLAS_NOT_INITIALIZED;
}

API cublasSetWorkspace_v2(blas_handle *h, void *workspace, size_t size) {
    (void)workspace, (void)size;
    return h ? BLAS_OK : BLAS_NOT_INITIALIZED;
}
API cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file) {
    (void)on, (void)to_stdout, (void)to_stderr, (void)file;
    return BLAS_OK;
}

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {0, "CUBLAS_STATUS_SUCCESS", "success"},
    {1, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {3, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {7, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {8, "CUBLAS_STATUS_ARCH_MISMATCH", "the function requires a feature absent from the device architecture"},
    {11, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {13, "CUBLAS_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"},
    {14, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {15, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"},
};
TEXT cublasGetStatusName(int status) {
    for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++)
        if (statuses[k].status == status) return statuses[k].name;
    return "CUBLAS_STATUS_UNKNOWN";
}
TEXT cublasGetStatusString(int status) {
    for (size_t k = 0; k < sizeof statuses / sizeof *statuses; k++)
        if (statuses[k].status == status) return statuses[k].text;
    return "unknown error";
}

/* --- Copies --- */
static int copy(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                int kind) {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind) ? BLAS_INVALID_VALUE : BLAS_OK;
}
static int copy_later(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream) {
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream) ? BLAS_INVALID_VALUE
                                                                                          : BLAS_OK;
}

#define COPIES(Name, kind)                                                                                   \
    API cublas##Name##Vector(int n, int size, const void *from, int from_step, void *to, int to_step) {      \
        if (n < 0 || size <= 0 || from_step <= 0 || to_step <= 0) return BLAS_INVALID_VALUE;                 \
        const size_t s = (size_t)size;                                                                       \
        if (from_step == 1 && to_step == 1)                                                                  \
            return copy(to, s * (size_t)n, from, s * (size_t)n, s * (size_t)n, 1, kind);                     \
        return copy(to, s * (size_t)to_step, from, s * (size_t)from_step, s, (size_t)n, kind);               \
    }                                                                                                        \
    API cublas##Name##VectorAsync(int n, int size, const void *from, int from_step, void *to, int to_step,   \
                                  void *stream) {                                                            \
        if (n < 0 || size <= 0 || from_step <= 0 || to_step <= 0) return BLAS_INVALID_VALUE;                 \
        const size_t s = (size_t)size;                                                                       \
        return copy_later(to, s * (size_t)to_step, from, s * (size_t)from_step, s, (size_t)n, kind, stream); \
    }                                                                                                        \
    API cublas##Name##Matrix(int rows, int columns, int size, const void *from, int from_ld, void *to,       \
                             int to_ld) {                                                                    \
        if (rows < 0 || columns < 0 || size <= 0 || from_ld < rows || to_ld < rows)                          \
            return BLAS_INVALID_VALUE;                                                                       \
        const size_t s = (size_t)size;                                                                       \
        return copy(to, s * (size_t)to_ld, from, s * (size_t)from_ld, s * (size_t)rows, (size_t)columns,     \
                    kind);                                                                                   \
    }                                                                                                        \
    API cublas##Name##MatrixAsync(int rows, int columns, int size, const void *from, int from_ld, void *to,  \
                                  int to_ld, void *stream) {                                                 \
        if (rows < 0 || columns < 0 || size <= 0 || from_ld < rows || to_ld < rows)                          \
            return BLAS_INVALID_VALUE;                                                                       \
        const size_t s = (size_t)size;                                                                       \
        return copy_later(to, s * (size_t)to_ld, from, s * (size_t)from_ld, s * (size_t)rows,                \
                          (size_t)columns, kind, stream);                                                    \
    }
COPIES(Set, TO_DEVICE)
COPIES(Get, TO_HOST)
