/* cuSPARSE on the emulated device: libcusparse.so.12. The handle, the descriptors of the generic interface,
 * and how a call becomes work of a stream. What is computed is in cusparse_compute.c, conversions and
 * factors in cusparse_convert.c. */
#include "libraries/cusparse.h"

#include <stdlib.h>
#include <string.h>

#define TEXT __attribute__((visibility("default"))) const char *

size_t sparse_size_of(int type) {
    switch (type) {
    case REAL_32: return 4;
    case REAL_64:
    case COMPLEX_32: return 8;
    case COMPLEX_64: return 16;
    default: return 0;
    }
}

size_t sparse_index_size(int type) {
    return type == INDEX_32 ? 4 : type == INDEX_64 ? 8 : 0;
}

bool sparse_is_op(int op, int type) {
    const bool complex_numbers = type == COMPLEX_32 || type == COMPLEX_64;
    return op == OP_PLAIN || op == OP_TRANSPOSED || (op == OP_CONJUGATED && complex_numbers);
}

/* --- Operands --- */
void sparse_add(sparse_job *j, uint64_t at, int64_t count, size_t size, bool write, bool rough) {
    if (count > 0 && j->count < sizeof j->operands / sizeof *j->operands)
        j->operands[j->count++] = (lockstep_operand){at, (uint64_t)count * size, write, rough};
}

void sparse_add_places(sparse_job *j, const sparse_matrix *m) {
    const int64_t major = m->format == FORMAT_CSC ? m->columns : m->rows;
    const int64_t offsets = m->format == FORMAT_COO ? m->count : major + 1;
    sparse_add(j, m->offsets, offsets, sparse_index_size(m->offset_type), false, false);
    sparse_add(j, m->indices, m->count, sparse_index_size(m->index_type), false, false);
}

void sparse_add_matrix(sparse_job *j, const sparse_matrix *m) {
    sparse_add_places(j, m);
    sparse_add(j, m->values, m->count, sparse_size_of(m->type), false, false);
}

void sparse_add_dense(sparse_job *j, const dense_matrix *m, bool write) {
    const int64_t outer = m->order == ORDER_ROW ? m->rows : m->columns,
                  inner = m->order == ORDER_ROW ? m->columns : m->rows;
    if (outer <= 0 || inner <= 0) return;
    sparse_add(j, m->values, (outer - 1) * m->ld + inner, sparse_size_of(m->type), write,
               m->ld != inner && outer > 1);
}

void sparse_add_scalar(const sparse_handle *h, sparse_job *j, sparse_scalar *s, const void *given, int type) {
    s->address = (uint64_t)(uintptr_t)given;
    s->of_device = h->device_scalars;
    if (s->of_device)
        sparse_add(j, s->address, 1, sparse_size_of(type), false, false);
    else if (given)
        memcpy(s->value, given, sparse_size_of(type));
}

static void carry_out(void *data, lockstep_memory *memory) {
    sparse_job *j = data;
    j->memory = memory;
    j->run(j);
}

int sparse_submit(const sparse_handle *h, sparse_job *j) {
    int status = lockstep_cuda_work(h->stream, j->what, j->operands, j->count, carry_out, j, sizeof *j);
    return status ? SPARSE_EXECUTION_FAILED : SPARSE_OK;
}

/* --- The handle --- */
API cusparseCreate(sparse_handle **handle) {
    if (!handle) return SPARSE_INVALID_VALUE;
    *handle = calloc(1, sizeof **handle);
    return *handle ? SPARSE_OK : SPARSE_ALLOC_FAILED;
}
API cusparseDestroy(sparse_handle *h) {
    free(h);
    return h ? SPARSE_OK : SPARSE_NOT_INITIALIZED;
}
API cusparseGetVersion(sparse_handle *h, int *version) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    *version = 12600;
    return SPARSE_OK;
}
API cusparseGetProperty(int type, int *value) {
    static const int version[] = {12, 6, 0};
    if (type < 0 || type > 2) return SPARSE_INVALID_VALUE;
    *value = version[type];
    return SPARSE_OK;
}

#define SETTING(Name, type, field)                                                                           \
    API cusparseSet##Name(sparse_handle *h, type value) {                                                    \
        if (!h) return SPARSE_NOT_INITIALIZED;                                                               \
        h->field = value;                                                                                    \
        return SPARSE_OK;                                                                                    \
    }                                                                                                        \
    API cusparseGet##Name(sparse_handle *h, type *value) {                                                   \
        if (!h) return SPARSE_NOT_INITIALIZED;                                                               \
        *value = h->field;                                                                                   \
        return SPARSE_OK;                                                                                    \
    }
SETTING(Stream, void *, stream)
SETTING(PointerMode, int, device_scalars)

static const struct {
    const char *name, *text;
} statuses[] = {
    {"CUSPARSE_STATUS_SUCCESS", "success"},
    {"CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {"CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {"CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {"CUSPARSE_STATUS_ARCH_MISMATCH", "architecture mismatch"},
    {"CUSPARSE_STATUS_MAPPING_ERROR", "texture mapping error"},
    {"CUSPARSE_STATUS_EXECUTION_FAILED", "kernel launch failure"},
    {"CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
    {"CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED", "matrix type not supported"},
    {"CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {"CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {"CUSPARSE_STATUS_INSUFFICIENT_RESOURCES", "insufficient resources"},
};
enum { STATUSES = sizeof statuses / sizeof *statuses };
TEXT cusparseGetErrorName(int status) {
    return status >= 0 && status < STATUSES ? statuses[status].name : "unrecognized error code";
}
TEXT cusparseGetErrorString(int status) {
    return status >= 0 && status < STATUSES ? statuses[status].text : "unrecognized error code";
}

/* --- Descriptors --- */

/* A function under two names: the second is the one for what is only read. */
#define ALSO_CONST(name, other)                                                                              \
    extern __typeof__(name) other __attribute__((alias(#name), visibility("default")));

static int keep(void **made, const void *from, size_t size) {
    if (!made) return SPARSE_INVALID_VALUE;
    *made = malloc(size);
    if (!*made) return SPARSE_ALLOC_FAILED;
    memcpy(*made, from, size);
    return SPARSE_OK;
}

static int keep_matrix(void **made, sparse_matrix m) {
    if (m.rows < 0 || m.columns < 0 || m.count < 0) return SPARSE_INVALID_VALUE;
    if (!sparse_size_of(m.type) || !sparse_index_size(m.index_type) || !sparse_index_size(m.offset_type)) {
        lockstep_cuda_missing("cuSPARSE's matrices of this type");
        return SPARSE_NOT_SUPPORTED;
    }
    return keep(made, &m, sizeof m);
}

/* Of rows, or of columns. */
static int keep_compressed(void **made, int format, const int64_t size[3], void *const parts[3],
                           const int types[3], int base) {
    return keep_matrix(made, (sparse_matrix){format,
                                             size[0],
                                             size[1],
                                             size[2],
                                             (uintptr_t)parts[0],
                                             (uintptr_t)parts[1],
                                             (uintptr_t)parts[2],
                                             types[0],
                                             types[1],
                                             base,
                                             types[2],
                                             0,
                                             0,
                                             {0}});
}

API cusparseCreateCsr(void **made, int64_t rows, int64_t columns, int64_t count, void *offsets, void *indices,
                      void *values, int offset_type, int index_type, int base, int type) {
    return keep_compressed(made, FORMAT_CSR, (int64_t[]){rows, columns, count},
                           (void *[]){offsets, indices, values}, (int[]){offset_type, index_type, type},
                           base);
}
API cusparseCreateCsc(void **made, int64_t rows, int64_t columns, int64_t count, void *offsets, void *indices,
                      void *values, int offset_type, int index_type, int base, int type) {
    return keep_compressed(made, FORMAT_CSC, (int64_t[]){rows, columns, count},
                           (void *[]){offsets, indices, values}, (int[]){offset_type, index_type, type},
                           base);
}
API cusparseCreateCoo(void **made, int64_t rows, int64_t columns, int64_t count, void *row_indices,
                      void *indices, void *values, int index_type, int base, int type) {
    return keep_matrix(made, (sparse_matrix){FORMAT_COO,
                                             rows,
                                             columns,
                                             count,
                                             (uintptr_t)row_indices,
                                             (uintptr_t)indices,
                                             (uintptr_t)values,
                                             index_type,
                                             index_type,
                                             base,
                                             type,
                                             0,
                                             0,
                                             {0}});
}
ALSO_CONST(cusparseCreateCsr, cusparseCreateConstCsr)
ALSO_CONST(cusparseCreateCsc, cusparseCreateConstCsc)
ALSO_CONST(cusparseCreateCoo, cusparseCreateConstCoo)

API cusparseCreateSpVec(void **made, int64_t size, int64_t count, void *indices, void *values, int index_type,
                        int base, int type) {
    sparse_vector v = {size, count, (uintptr_t)indices, (uintptr_t)values, index_type, base, type};
    if (size < 0 || count < 0 || count > size) return SPARSE_INVALID_VALUE;
    if (!sparse_size_of(type) || !sparse_index_size(index_type)) {
        lockstep_cuda_missing("cuSPARSE's vectors of this type");
        return SPARSE_NOT_SUPPORTED;
    }
    return keep(made, &v, sizeof v);
}
ALSO_CONST(cusparseCreateSpVec, cusparseCreateConstSpVec)

API cusparseCreateDnMat(void **made, int64_t rows, int64_t columns, int64_t ld, void *values, int type,
                        int order) {
    dense_matrix m = {rows, columns, ld, (uintptr_t)values, type, order, {0}};
    if (rows < 0 || columns < 0 || ld < (order == ORDER_ROW ? columns : rows)) return SPARSE_INVALID_VALUE;
    if (!sparse_size_of(type)) {
        lockstep_cuda_missing("cuSPARSE's dense matrices of this type");
        return SPARSE_NOT_SUPPORTED;
    }
    return keep(made, &m, sizeof m);
}
API cusparseCreateDnVec(void **made, int64_t size, void *values, int type) {
    return cusparseCreateDnMat(made, size, 1, size, values, type, ORDER_COLUMN);
}
ALSO_CONST(cusparseCreateDnMat, cusparseCreateConstDnMat)
ALSO_CONST(cusparseCreateDnVec, cusparseCreateConstDnVec)

#define DESTROY(name)                                                                                        \
    API name(void *descriptor) {                                                                             \
        free(descriptor);                                                                                    \
        return SPARSE_OK;                                                                                    \
    }
DESTROY(cusparseDestroySpMat)
DESTROY(cusparseDestroySpVec)
DESTROY(cusparseDestroyDnMat)
DESTROY(cusparseDestroyDnVec)
DESTROY(cusparseDestroyMatDescr)

static void *pointer(uint64_t address) {
    return (void *)(uintptr_t)address;
}

API cusparseCsrGet(const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *count, void **offsets,
                   void **indices, void **values, int *offset_type, int *index_type, int *base, int *type) {
    *rows = m->rows, *columns = m->columns, *count = m->count;
    *offsets = pointer(m->offsets), *indices = pointer(m->indices), *values = pointer(m->values);
    *offset_type = m->offset_type, *index_type = m->index_type, *base = m->base, *type = m->type;
    return SPARSE_OK;
}
ALSO_CONST(cusparseCsrGet, cusparseConstCsrGet)
ALSO_CONST(cusparseCsrGet, cusparseCscGet)
ALSO_CONST(cusparseCsrGet, cusparseConstCscGet)

API cusparseCooGet(const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *count,
                   void **row_indices, void **indices, void **values, int *index_type, int *base, int *type) {
    int again;
    return cusparseCsrGet(m, rows, columns, count, row_indices, indices, values, index_type, &again, base,
                          type);
}
ALSO_CONST(cusparseCooGet, cusparseConstCooGet)

API cusparseCsrSetPointers(sparse_matrix *m, void *offsets, void *indices, void *values) {
    m->offsets = (uintptr_t)offsets, m->indices = (uintptr_t)indices, m->values = (uintptr_t)values;
    return SPARSE_OK;
}
ALSO_CONST(cusparseCsrSetPointers, cusparseCscSetPointers)
ALSO_CONST(cusparseCsrSetPointers, cusparseCooSetPointers)

API cusparseSpMatGetSize(const sparse_matrix *m, int64_t *rows, int64_t *columns, int64_t *count) {
    *rows = m->rows, *columns = m->columns, *count = m->count;
    return SPARSE_OK;
}
API cusparseSpMatGetFormat(const sparse_matrix *m, int *format) {
    *format = m->format;
    return SPARSE_OK;
}
API cusparseSpMatGetIndexBase(const sparse_matrix *m, int *base) {
    *base = m->base;
    return SPARSE_OK;
}
enum { ATTRIBUTE_FILL, ATTRIBUTE_DIAGONAL };
API cusparseSpMatSetAttribute(sparse_matrix *m, int attribute, const int *data, size_t size) {
    if (!data || size != sizeof *data || attribute < ATTRIBUTE_FILL || attribute > ATTRIBUTE_DIAGONAL)
        return SPARSE_INVALID_VALUE;
    *(attribute == ATTRIBUTE_FILL ? &m->fill : &m->unit) = *data;
    return SPARSE_OK;
}
API cusparseSpMatGetAttribute(const sparse_matrix *m, int attribute, int *data, size_t size) {
    if (!data || size != sizeof *data || attribute < ATTRIBUTE_FILL || attribute > ATTRIBUTE_DIAGONAL)
        return SPARSE_INVALID_VALUE;
    *data = attribute == ATTRIBUTE_FILL ? m->fill : m->unit;
    return SPARSE_OK;
}
API cusparseSpVecGet(const sparse_vector *v, int64_t *size, int64_t *count, void **indices, void **values,
                     int *index_type, int *base, int *type) {
    *size = v->size, *count = v->count, *indices = pointer(v->indices), *values = pointer(v->values);
    *index_type = v->index_type, *base = v->base, *type = v->type;
    return SPARSE_OK;
}
API cusparseSpVecGetIndexBase(const sparse_vector *v, int *base) {
    *base = v->base;
    return SPARSE_OK;
}
API cusparseDnVecGet(const dense_matrix *m, int64_t *size, void **values, int *type) {
    *size = m->rows, *values = pointer(m->values), *type = m->type;
    return SPARSE_OK;
}
API cusparseDnMatGet(const dense_matrix *m, int64_t *rows, int64_t *columns, int64_t *ld, void **values,
                     int *type, int *order) {
    *rows = m->rows, *columns = m->columns, *ld = m->ld;
    *values = pointer(m->values), *type = m->type, *order = m->order;
    return SPARSE_OK;
}
ALSO_CONST(cusparseSpVecGet, cusparseConstSpVecGet)
ALSO_CONST(cusparseDnVecGet, cusparseConstDnVecGet)
ALSO_CONST(cusparseDnMatGet, cusparseConstDnMatGet)

#define VALUES(Name, type)                                                                                   \
    API cusparse##Name##GetValues(const type *m, void **values) {                                            \
        *values = pointer(m->values);                                                                        \
        return SPARSE_OK;                                                                                    \
    }                                                                                                        \
    API cusparse##Name##SetValues(type *m, void *values) {                                                   \
        m->values = (uintptr_t)values;                                                                       \
        return SPARSE_OK;                                                                                    \
    }                                                                                                        \
    ALSO_CONST(cusparse##Name##GetValues, cusparseConst##Name##GetValues)
VALUES(SpMat, sparse_matrix)
VALUES(SpVec, sparse_vector)
VALUES(DnMat, dense_matrix)
VALUES(DnVec, dense_matrix)

/* --- Several matrices of one form --- */
static int set_batches(sparse_batches *b, int count, int64_t stride, int64_t offsets_stride) {
    if (count < 1 || stride < 0 || offsets_stride < 0) return SPARSE_INVALID_VALUE;
    *b = (sparse_batches){count, stride, offsets_stride};
    return SPARSE_OK;
}
API cusparseDnMatSetStridedBatch(dense_matrix *m, int count, int64_t stride) {
    return set_batches(&m->batches, count, stride, 0);
}
API cusparseCsrSetStridedBatch(sparse_matrix *m, int count, int64_t offsets_stride, int64_t stride) {
    return set_batches(&m->batches, count, stride, offsets_stride);
}
API cusparseCooSetStridedBatch(sparse_matrix *m, int count, int64_t stride) {
    return set_batches(&m->batches, count, stride, stride);
}
API cusparseDnMatGetStridedBatch(const dense_matrix *m, int *count, int64_t *stride) {
    *count = m->batches.count ? m->batches.count : 1;
    *stride = m->batches.stride;
    return SPARSE_OK;
}

/* --- Kinds of matrices, of the older interface --- */
typedef struct {
    int MatType, MatFillMode, MatDiagType, MatIndexBase;
} matrix_kind;

API cusparseCreateMatDescr(void **made) {
    return keep(made, &(matrix_kind){0}, sizeof(matrix_kind));
}
#define KIND(Field)                                                                                          \
    API cusparseSet##Field(matrix_kind *k, int value) {                                                      \
        k->Field = value;                                                                                    \
        return SPARSE_OK;                                                                                    \
    }                                                                                                        \
    API cusparseGet##Field(const matrix_kind *k) {                                                           \
        return k->Field;                                                                                     \
    }
KIND(MatType)
KIND(MatFillMode)
KIND(MatDiagType)
KIND(MatIndexBase)
