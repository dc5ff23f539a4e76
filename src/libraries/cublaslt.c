/* cuBLASLt on the emulated device: libcublasLt.so.12 and .13. Descriptors with their attributes, the one
 * algorithm that there is, and how a product becomes work of a stream. */
#include "libraries/cublaslt.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define TEXT __attribute__((visibility("default"))) const char *
TEXT cublasGetStatusName(int status);
TEXT cublasGetStatusString(int status);

_Static_assert(sizeof(lt_layout) <= 64 && sizeof(lt_desc) <= 184, "they are in the program's memory");

/* --- The library --- */
API cublasLtCreate(void **handle) {
    *handle = calloc(1, 8);
    return *handle ? BLAS_OK : BLAS_ALLOC_FAILED;
}
API cublasLtDestroy(void *handle) {
    free(handle);
    return handle ? BLAS_OK : BLAS_NOT_INITIALIZED;
}
__attribute__((visibility("default"))) size_t cublasLtGetVersion(void) {
    return 130000;
}
__attribute__((visibility("default"))) size_t cublasLtGetCudartVersion(void) {
    return 13000;
}
API cublasLtGetProperty(int type, int *value) {
    return cublasGetProperty(type, value);
}
TEXT cublasLtGetStatusName(int status) {
    return cublasGetStatusName(status);
}
TEXT cublasLtGetStatusString(int status) {
    return cublasGetStatusString(status);
}
API cublasLtLoggerSetLevel(int level) {
    (void)level;
    return BLAS_OK;
}
API cublasLtLoggerSetMask(int mask) {
    (void)mask;
    return BLAS_OK;
}
API cublasLtLoggerForceDisable(void) {
    return BLAS_OK;
}

/* --- Attributes --- */
typedef struct {
    int number;
    size_t offset, size;
} attribute;
#define AT(type, number, field) {number, offsetof(type, field), sizeof(((type *)0)->field)}

static const attribute layout_attributes[] = {
    AT(lt_layout, 0, type), AT(lt_layout, 1, order),   AT(lt_layout, 2, rows),   AT(lt_layout, 3, columns),
    AT(lt_layout, 4, ld),   AT(lt_layout, 5, batches), AT(lt_layout, 6, stride),
};
static const attribute desc_attributes[] = {
    AT(lt_desc, 0, compute),       AT(lt_desc, 1, scale_type),    AT(lt_desc, 2, pointer_mode),
    AT(lt_desc, 3, op_a),          AT(lt_desc, 4, op_b),          AT(lt_desc, 5, op_c),
    AT(lt_desc, 6, fill),          AT(lt_desc, 7, epilogue),      AT(lt_desc, 8, bias),
    AT(lt_desc, 10, bias_stride),  AT(lt_desc, 11, aux),          AT(lt_desc, 12, aux_ld),
    AT(lt_desc, 13, aux_stride),   AT(lt_desc, 15, sm_count),     AT(lt_desc, 17, scale_a),
    AT(lt_desc, 18, scale_b),      AT(lt_desc, 19, scale_others), AT(lt_desc, 20, scale_others),
    AT(lt_desc, 21, scale_others), AT(lt_desc, 22, aux_type),     AT(lt_desc, 25, fast),
    AT(lt_desc, 26, bias_type),
};
enum { LAYOUT_ATTRIBUTES = sizeof layout_attributes / sizeof *layout_attributes };
enum { DESC_ATTRIBUTES = sizeof desc_attributes / sizeof *desc_attributes };

static const attribute *find(const attribute *list, size_t count, int number) {
    for (size_t k = 0; k < count; k++)
        if (list[k].number == number) return &list[k];
    return NULL;
}

static int set(void *object, const attribute *a, const char *what, const void *value, size_t size) {
    if (!a) {
        lockstep_cuda_missing(what);
        return BLAS_NOT_SUPPORTED;
    }
    if (!object || !value || size < a->size) return BLAS_INVALID_VALUE;
    memcpy((char *)object + a->offset, value, a->size);
    return BLAS_OK;
}

static int get(const void *object, const attribute *a, const char *what, void *value, size_t size,
               size_t *written) {
    if (!a) {
        lockstep_cuda_missing(what);
        return BLAS_NOT_SUPPORTED;
    }
    if (written) *written = a->size;
    if (!object || (size && (!value || size < a->size))) return BLAS_INVALID_VALUE;
    if (size) memcpy(value, (const char *)object + a->offset, a->size);
    return BLAS_OK;
}

/* --- Layouts --- */
API cublasLtMatrixLayoutInit_internal(lt_layout *l, size_t size, int type, uint64_t rows, uint64_t columns,
                                      int64_t ld) {
    if (!l || size < sizeof *l) return BLAS_INVALID_VALUE;
    *l = (lt_layout){.type = type, .rows = rows, .columns = columns, .ld = ld, .batches = 1};
    return BLAS_OK;
}
API cublasLtMatrixLayoutCreate(lt_layout **l, int type, uint64_t rows, uint64_t columns, int64_t ld) {
    *l = malloc(sizeof **l);
    return *l ? cublasLtMatrixLayoutInit_internal(*l, sizeof **l, type, rows, columns, ld)
              : BLAS_ALLOC_FAILED;
}
API cublasLtMatrixLayoutDestroy(lt_layout *l) {
    free(l);
    return BLAS_OK;
}
API cublasLtMatrixLayoutSetAttribute(lt_layout *l, int number, const void *value, size_t size) {
    return set(l, find(layout_attributes, LAYOUT_ATTRIBUTES, number),
               "cublasLtMatrixLayoutSetAttribute with this attribute", value, size);
}
API cublasLtMatrixLayoutGetAttribute(const lt_layout *l, int number, void *value, size_t size,
                                     size_t *written) {
    return get(l, find(layout_attributes, LAYOUT_ATTRIBUTES, number),
               "cublasLtMatrixLayoutGetAttribute with this attribute", value, size, written);
}

/* --- Products' descriptions --- */
API cublasLtMatmulDescInit_internal(lt_desc *d, size_t size, int compute, int scale_type) {
    if (!d || size < sizeof *d) return BLAS_INVALID_VALUE;
    *d = (lt_desc){.compute = compute,
                   .scale_type = scale_type,
                   .epilogue = LT_DEFAULT,
                   .fill = 2, /* all of it */
                   .aux_type = -1,
                   .bias_type = -1};
    return BLAS_OK;
}
API cublasLtMatmulDescCreate(lt_desc **d, int compute, int scale_type) {
    *d = malloc(sizeof **d);
    return *d ? cublasLtMatmulDescInit_internal(*d, sizeof **d, compute, scale_type) : BLAS_ALLOC_FAILED;
}
API cublasLtMatmulDescDestroy(lt_desc *d) {
    free(d);
    return BLAS_OK;
}
/* How factors are given: 0 is one for a whole matrix. */
enum { FIRST_SCALE_MODE = 31, LAST_SCALE_MODE = 35 };
API cublasLtMatmulDescSetAttribute(lt_desc *d, int number, const void *value, size_t size) {
    if (number >= FIRST_SCALE_MODE && number <= LAST_SCALE_MODE) {
        int32_t mode;
        if (!d || !value || size < sizeof mode) return BLAS_INVALID_VALUE;
        memcpy(&mode, value, sizeof mode);
        if (mode) d->scale_modes = 1;
        return BLAS_OK;
    }
    return set(d, find(desc_attributes, DESC_ATTRIBUTES, number),
               "cublasLtMatmulDescSetAttribute with this attribute", value, size);
}
API cublasLtMatmulDescGetAttribute(const lt_desc *d, int number, void *value, size_t size, size_t *written) {
    return get(d, find(desc_attributes, DESC_ATTRIBUTES, number),
               "cublasLtMatmulDescGetAttribute with this attribute", value, size, written);
}

/* --- Preferences: all the same to the one algorithm --- */
API cublasLtMatmulPreferenceInit_internal(void *p, size_t size) {
    if (p) memset(p, 0, size);
    return p ? BLAS_OK : BLAS_INVALID_VALUE;
}
API cublasLtMatmulPreferenceCreate(void **p) {
    *p = calloc(1, 80);
    return *p ? BLAS_OK : BLAS_ALLOC_FAILED;
}
API cublasLtMatmulPreferenceDestroy(void *p) {
    free(p);
    return BLAS_OK;
}
API cublasLtMatmulPreferenceSetAttribute(void *p, int number, const void *value, size_t size) {
    (void)number, (void)size;
    return p && value ? BLAS_OK : BLAS_INVALID_VALUE;
}

/* --- What is there --- */
static bool known_types(const lt_desc *d, const lt_layout *const l[4]) {
    for (int k = 0; k < 4; k++)
        if (!blas_size(l[k]->type)) return false;
    const int s = d->scale_type;
    return l[2]->type < R_E4M3 && l[3]->type < R_E4M3 &&
           (s == R_32F || s == R_64F || s == R_16F || s == R_32I);
}

/* NULL, or what of it is not there. */
static const char *not_there(const lt_desc *d, const lt_layout *const l[4]) {
    const uint32_t all = LT_DEFAULT | LT_RELU | LT_BIAS | LT_BIAS_GRADIENT | LT_GELU | LT_DGELU | LT_AUX |
                         LT_SUMS_OF_A | LT_SUMS_OF_B;
    if (!known_types(d, l)) return "cublasLtMatmul with these types";
    for (int k = 0; k < 4; k++)
        if (l[k]->order > LT_ORDER_ROWS) return "cublasLtMatmul with matrices in tiles";
    if (d->epilogue & ~all || (d->epilogue & LT_AUX && !(d->epilogue & (LT_GELU | LT_DGELU))))
        return "cublasLtMatmul with this epilogue";
    if (d->pointer_mode > 1) return "cublasLtMatmul with a vector of scaling factors";
    if (d->scale_modes || d->scale_others) return "cublasLtMatmul with scaling factors for results or blocks";
    return d->op_c != OP_N || d->fill != 2 ? "cublasLtMatmul with a partial or transposed result" : NULL;
}

static bool fits(const lt_desc *d, const lt_layout *const l[4]) {
    const bool plain_a = d->op_a == OP_N, plain_b = d->op_b == OP_N;
    const lt_layout *a = l[0], *b = l[1], *c = l[2], *r = l[3];
    for (int k = 0; k < 4; k++) {
        const uint64_t line = l[k]->order == LT_ORDER_ROWS ? l[k]->columns : l[k]->rows;
        if (l[k]->ld < 0 || (uint64_t)l[k]->ld < line || l[k]->batches != r->batches) return false;
    }
    return (plain_a ? a->rows : a->columns) == r->rows && (plain_b ? b->columns : b->rows) == r->columns &&
           (plain_a ? a->columns : a->rows) == (plain_b ? b->rows : b->columns) && c->rows == r->rows &&
           c->columns == r->columns;
}

static int look(const lt_desc *d, const lt_layout *const l[4]) {
    if (!d || !l[0] || !l[1] || !l[2] || !l[3]) return BLAS_INVALID_VALUE;
    const char *missing = not_there(d, l);
    if (missing) lockstep_cuda_missing(missing);
    if (missing) return BLAS_NOT_SUPPORTED;
    return fits(d, l) ? BLAS_OK : BLAS_INVALID_VALUE;
}

typedef struct {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
} heuristic;

API cublasLtMatmulAlgoGetHeuristic(void *handle, const lt_desc *d, const lt_layout *a, const lt_layout *b,
                                   const lt_layout *c, const lt_layout *r, const void *preference, int wanted,
                                   heuristic *results, int *count) {
    (void)preference;
    if (!handle) return BLAS_NOT_INITIALIZED;
    if (wanted < 1 || !results || !count) return BLAS_INVALID_VALUE;
    int status = look(d, (const lt_layout *const[4]){a, b, c, r});
    *count = status == BLAS_OK;
    if (!status) results[0] = (heuristic){.waves = 1};
    return status;
}

/* --- Products --- */
typedef struct {
    lockstep_operand items[12];
    unsigned count;
} operands;

static void add(operands *o, uint64_t at, uint64_t size, bool write, bool rough) {
    if (size) o->items[o->count++] = (lockstep_operand){at, size, write, rough};
}

static void add_matrix(operands *o, uint64_t at, const lt_layout *l, bool write) {
    const bool rows = l->order == LT_ORDER_ROWS;
    const uint64_t lines = rows ? l->rows : l->columns, line = rows ? l->columns : l->rows,
                   ld = (uint64_t)l->ld;
    if (lines && line)
        add(o, at, ((lines - 1) * ld + line) * blas_size(l->type), write, ld != line && lines > 1);
}

static void add_epilogue(operands *o, const lt_job *j) {
    const lt_desc *d = &j->desc;
    const uint64_t rows = j->d.rows, columns = j->d.columns, aux_ld = (uint64_t)d->aux_ld;
    const bool sums = d->epilogue & (LT_BIAS_GRADIENT | LT_SUMS_OF_A | LT_SUMS_OF_B);
    if (d->epilogue & LT_BIAS || sums)
        add(o, d->bias, (d->epilogue & LT_SUMS_OF_B ? columns : rows) * blas_size(d->bias_type), sums, false);
    if (d->epilogue & LT_AUX)
        add(o, d->aux, ((columns - 1) * aux_ld + rows) * blas_size(d->aux_type), d->epilogue & LT_GELU,
            aux_ld != rows);
    add(o, d->scale_a, d->scale_a ? sizeof(float) : 0, false, false);
    add(o, d->scale_b, d->scale_b ? sizeof(float) : 0, false, false);
}

static void carry_out(void *data, lockstep_memory *memory) {
    lt_compute(data, memory);
}

static int submit(const lt_job *j, void *stream) {
    operands o = {0};
    add_matrix(&o, j->at_a, &j->a, false);
    add_matrix(&o, j->at_b, &j->b, false);
    if (j->desc.pointer_mode || j->beta_value != 0) add_matrix(&o, j->at_c, &j->c, false);
    add_matrix(&o, j->at_d, &j->d, true);
    add_epilogue(&o, j);
    if (j->desc.pointer_mode) {
        add(&o, j->alpha, blas_size(j->desc.scale_type), false, false);
        add(&o, j->beta, blas_size(j->desc.scale_type), false, false);
    }
    return lockstep_cuda_work(stream, "cublasLtMatmul", o.items, o.count, carry_out, j, sizeof *j)
               ? BLAS_EXECUTION_FAILED
               : BLAS_OK;
}

static uint64_t step(const lt_layout *l) {
    return (uint64_t)l->stride * blas_size(l->type);
}

static bool epilogue_fits(const lt_desc *d, const lt_layout *r) {
    const bool needs_bias = d->epilogue & (LT_BIAS | LT_BIAS_GRADIENT | LT_SUMS_OF_A | LT_SUMS_OF_B);
    if (!needs_bias && d->bias) return false; /* as there */
    if (needs_bias && (!d->bias || !blas_size(d->bias_type) || d->bias_type >= R_E4M3)) return false;
    return !(d->epilogue & LT_AUX) || (d->aux && d->aux_ld >= 0 && (uint64_t)d->aux_ld >= r->rows &&
                                       blas_size(d->aux_type) && d->aux_type < R_E4M3);
}

API cublasLtMatmul(void *handle, const lt_desc *d, const void *alpha, const void *a, const lt_layout *la,
                   const void *b, const lt_layout *lb, const void *beta, const void *c, const lt_layout *lc,
                   void *r, const lt_layout *lr, const void *algorithm, void *workspace, size_t size,
                   void *stream) {
    (void)algorithm, (void)workspace, (void)size;
    if (!handle) return BLAS_NOT_INITIALIZED;
    int status = look(d, (const lt_layout *const[4]){la, lb, lc, lr});
    if (status || !lr->rows || !lr->columns) return status;
    lt_job j = {*d, *la, *lb, *lc, *lr, .at_a = (uint64_t)(uintptr_t)a, .at_b = (uint64_t)(uintptr_t)b};
    j.at_c = (uint64_t)(uintptr_t)c, j.at_d = (uint64_t)(uintptr_t)r;
    j.alpha = (uint64_t)(uintptr_t)alpha, j.beta = (uint64_t)(uintptr_t)beta;
    if (j.desc.bias_type < 0) j.desc.bias_type = lr->type;
    if (j.desc.aux_type < 0) j.desc.aux_type = lr->type;
    if (!alpha || !beta || !epilogue_fits(&j.desc, lr)) return BLAS_INVALID_VALUE;
    if (!d->pointer_mode) {
        j.alpha_value = blas_get(d->scale_type, alpha, 0);
        j.beta_value = blas_get(d->scale_type, beta, 0);
    }
    for (int batch = 0; batch < lr->batches && !status; batch++) {
        status = submit(&j, stream);
        j.at_a += step(la), j.at_b += step(lb), j.at_c += step(lc), j.at_d += step(lr);
        j.desc.bias += (uint64_t)j.desc.bias_stride * blas_size(j.desc.bias_type);
        j.desc.aux += (uint64_t)j.desc.aux_stride * blas_size(j.desc.aux_type);
    }
    return status;
}
