/* cuSPARSE: dense matrices to sparse ones and back, lists of coordinates to rows and back, and incomplete LU
 * factors of a matrix by rows. */
#include "libraries/cusparse_values.h"

#include <stdlib.h>

/* --- Dense and sparse --- */
static void to_dense(const sparse_job *j) {
    void *to = lockstep_cuda_host(j->c.values);
    for (int64_t n = 0; n < j->c.columns; n++)
        for (int64_t m = 0; m < j->c.rows; m++) sparse_store(to, j->c.type, sparse_place(&j->c, m, n), 0);
    for (sparse_walk w = sparse_walk_of(&j->a); sparse_next(&w);)
        sparse_store(to, j->c.type, sparse_place(&j->c, w.row, w.column), w.value);
}

API cusparseSparseToDense(sparse_handle *h, const sparse_matrix *a, const dense_matrix *b, int algorithm,
                          void *buffer) {
    (void)algorithm, (void)buffer;
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!a || !b || a->rows != b->rows || a->columns != b->columns) return SPARSE_INVALID_VALUE;
    sparse_job j = {.run = to_dense, .what = "cusparseSparseToDense", .a = *a, .c = *b};
    sparse_add_matrix(&j, a);
    sparse_add_dense(&j, b, true);
    return sparse_submit(h, &j);
}

/* Goes through the elements that are not zero, by rows, or by columns for CSC. With `fill` the indices and
 * values are written, and in every case the offsets and the number of them. */
static void to_sparse(const sparse_job *j, bool fill) {
    const sparse_matrix *a = &j->a;
    const bool by_columns = a->format == FORMAT_CSC;
    const int64_t outer = by_columns ? a->columns : a->rows, inner = by_columns ? a->rows : a->columns;
    const void *from = lockstep_cuda_host(j->b.values);
    void *offsets = a->offsets ? lockstep_cuda_host(a->offsets) : NULL;
    void *indices = fill ? lockstep_cuda_host(a->indices) : NULL;
    void *values = fill ? lockstep_cuda_host(a->values) : NULL;
    int64_t count = 0;
    for (int64_t m = 0; m < outer; m++) {
        if (offsets && a->format != FORMAT_COO) sparse_set_index(offsets, a->offset_type, m, count + a->base);
        for (int64_t n = 0; n < inner; n++) {
            number v = sparse_load(from, j->b.type,
                                   by_columns ? sparse_place(&j->b, n, m) : sparse_place(&j->b, m, n));
            if (v == 0) continue;
            if (fill && count < a->count) {
                if (a->format == FORMAT_COO) sparse_set_index(offsets, a->offset_type, count, m + a->base);
                sparse_set_index(indices, a->index_type, count, n + a->base);
                sparse_store(values, a->type, count, v);
            }
            count++;
        }
    }
    if (offsets && a->format != FORMAT_COO) sparse_set_index(offsets, a->offset_type, outer, count + a->base);
    if (!fill) ((sparse_matrix *)j->result)->count = count;
}

static void count_entries(const sparse_job *j) {
    to_sparse(j, false);
}
static void fill_entries(const sparse_job *j) {
    to_sparse(j, true);
}

static int dense_to_sparse(const sparse_handle *h, const dense_matrix *a, sparse_matrix *b, bool fill) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!a || !b || a->rows != b->rows || a->columns != b->columns) return SPARSE_INVALID_VALUE;
    sparse_job j = {.run = fill ? fill_entries : count_entries,
                    .what = fill ? "cusparseDenseToSparse_convert" : "cusparseDenseToSparse_analysis",
                    .a = *b,
                    .b = *a,
                    .result = b};
    const bool list = b->format == FORMAT_COO;
    const int64_t offsets = list ? b->count : (b->format == FORMAT_CSC ? b->columns : b->rows) + 1;
    sparse_add_dense(&j, a, false);
    if (fill || !list)
        sparse_add(&j, b->offsets, b->offsets ? offsets : 0, sparse_index_size(b->offset_type), true, false);
    else
        j.a.offsets = 0;
    if (fill) {
        sparse_add(&j, b->indices, b->count, sparse_index_size(b->index_type), true, false);
        sparse_add(&j, b->values, b->count, sparse_size_of(b->type), true, false);
    }
    return sparse_submit(h, &j);
}
API cusparseDenseToSparse_analysis(sparse_handle *h, const dense_matrix *a, sparse_matrix *b, int algorithm,
                                   void *buffer) {
    (void)algorithm, (void)buffer;
    return dense_to_sparse(h, a, b, false);
}
API cusparseDenseToSparse_convert(sparse_handle *h, const dense_matrix *a, sparse_matrix *b, int algorithm,
                                  void *buffer) {
    (void)algorithm, (void)buffer;
    return dense_to_sparse(h, a, b, true);
}

#define BUFFER_SIZE(name)                                                                                    \
    API name(sparse_handle *h, const void *a, const void *b, int algorithm, size_t *size) {                  \
        (void)a, (void)b, (void)algorithm;                                                                   \
        *size = 8;                                                                                           \
        return h ? SPARSE_OK : SPARSE_NOT_INITIALIZED;                                                       \
    }
BUFFER_SIZE(cusparseSparseToDense_bufferSize)
BUFFER_SIZE(cusparseDenseToSparse_bufferSize)

/* --- Rows of coordinates, and offsets --- */
static void to_offsets(const sparse_job *j) {
    const int32_t *from = lockstep_cuda_host(j->a.indices);
    int32_t *to = lockstep_cuda_host(j->a.offsets);
    int64_t k = 0;
    for (int64_t row = 0; row <= j->a.rows; row++) {
        while (k < j->a.count && from[k] - j->a.base < row) k++;
        to[row] = (int32_t)(k + j->a.base);
    }
}
static void to_coordinates(const sparse_job *j) {
    const int32_t *from = lockstep_cuda_host(j->a.offsets);
    int32_t *to = lockstep_cuda_host(j->a.indices);
    for (int64_t row = 0; row < j->a.rows; row++)
        for (int64_t k = from[row] - j->a.base; k < from[row + 1] - j->a.base; k++)
            if (k >= 0 && k < j->a.count) to[k] = (int32_t)(row + j->a.base);
}

static int between(const sparse_handle *h, const char *what, void (*run)(const sparse_job *),
                   const int *offsets, const int *indices, int count, int rows, int base,
                   bool writes_offsets) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (count < 0 || rows < 0) return SPARSE_INVALID_VALUE;
    sparse_job j = {.run = run, .what = what};
    j.a = (sparse_matrix){.rows = rows, .count = count, .base = base};
    j.a.offsets = (uintptr_t)offsets, j.a.indices = (uintptr_t)indices;
    sparse_add(&j, j.a.offsets, rows + (int64_t)1, sizeof *offsets, writes_offsets, false);
    sparse_add(&j, j.a.indices, count, sizeof *indices, !writes_offsets, false);
    return sparse_submit(h, &j);
}
API cusparseXcoo2csr(sparse_handle *h, const int *indices, int count, int rows, int *offsets, int base) {
    return between(h, "cusparseXcoo2csr", to_offsets, offsets, indices, count, rows, base, true);
}
API cusparseXcsr2coo(sparse_handle *h, const int *offsets, int count, int rows, int *indices, int base) {
    return between(h, "cusparseXcsr2coo", to_coordinates, offsets, indices, count, rows, base, false);
}

/* --- Incomplete LU, nothing filled in --- */
typedef struct {
    int pivot; /* the first row whose diagonal is zero or missing; -1: none */
} factors;

API cusparseCreateCsrilu02Info(factors **made) {
    *made = malloc(sizeof **made);
    if (!*made) return SPARSE_ALLOC_FAILED;
    (*made)->pivot = -1;
    return SPARSE_OK;
}
API cusparseDestroyCsrilu02Info(factors *info) {
    free(info);
    return SPARSE_OK;
}
API cusparseXcsrilu02_zeroPivot(sparse_handle *h, const factors *info, int *position) {
    if (!h || !info) return SPARSE_NOT_INITIALIZED;
    *position = info->pivot;
    return info->pivot < 0 ? SPARSE_OK : SPARSE_ZERO_PIVOT;
}

/* Row by row: each earlier row, times what makes the entry below its diagonal zero, is taken from it, as far
 * as the row has entries (Saad, Iterative Methods for Sparse Linear Systems, ILU(0)). Columns are sorted. */
typedef struct {
    int64_t *place, *diagonal; /* of a column in the row at hand, 1 more; of each row, -1: none */
} ilu_state;

static void factor_row(const sparse_job *j, const ilu_state *s, const int32_t *offsets,
                       const int32_t *indices, void *values, int64_t row) {
    const sparse_matrix *a = &j->a;
    const int64_t from = offsets[row] - a->base, to = offsets[row + 1] - a->base;
    for (int64_t k = from; k < to; k++) s->place[indices[k] - a->base] = k + 1;
    for (int64_t k = from; k < to; k++) {
        const int64_t column = indices[k] - a->base;
        if (column == row) s->diagonal[row] = k;
        if (column >= row || s->diagonal[column] < 0) continue;
        const number factor =
            sparse_load(values, a->type, k) / sparse_load(values, a->type, s->diagonal[column]);
        sparse_store(values, a->type, k, factor);
        for (int64_t other = s->diagonal[column] + 1; other < offsets[column + 1] - a->base; other++) {
            const int64_t place = s->place[indices[other] - a->base] - 1;
            if (place < 0) continue;
            number v = sparse_load(values, a->type, place) - factor * sparse_load(values, a->type, other);
            sparse_store(values, a->type, place, v);
        }
    }
    for (int64_t k = from; k < to; k++) s->place[indices[k] - a->base] = 0;
}

/* Whether all that the offsets and indices say lies in the matrix. */
static bool is_sound(const sparse_matrix *a, const int32_t *offsets, const int32_t *indices) {
    for (int64_t row = 0; row < a->rows; row++)
        if (offsets[row] < a->base || offsets[row] > offsets[row + 1] ||
            offsets[row + 1] - a->base > a->count)
            return false;
    for (int64_t k = 0; k < a->count; k++)
        if (indices[k] < a->base || indices[k] - a->base >= a->rows) return false;
    return true;
}

static void factor(const sparse_job *j) {
    const sparse_matrix *a = &j->a;
    const int32_t *offsets = lockstep_cuda_host(a->offsets), *indices = lockstep_cuda_host(a->indices);
    void *values = lockstep_cuda_host(a->values);
    factors *info = j->result;
    const size_t size = ((size_t)a->rows + 1) * sizeof(int64_t);
    ilu_state s = {lockstep_cuda_memory(j->memory, size), lockstep_cuda_memory(j->memory, size)};
    if (is_sound(a, offsets, indices)) {
        info->pivot = -1;
        for (int64_t row = 0; row < a->rows; row++) {
            s.diagonal[row] = -1;
            factor_row(j, &s, offsets, indices, values, row);
            if (info->pivot < 0 &&
                (s.diagonal[row] < 0 || sparse_load(values, a->type, s.diagonal[row]) == 0))
                info->pivot = (int)(row + a->base);
        }
    } else {
        lockstep_cuda_missing("cuSPARSE's factorisation of a matrix with indices outside of the matrix");
    }
}

int cusparseGetMatIndexBase(const void *kind);

static int incomplete(const sparse_handle *h, const char *what, int rows, int count, const void *kind,
                      void *values, const int *offsets, const int *indices, factors *info, int type) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || count < 0 || !kind || !info) return SPARSE_INVALID_VALUE;
    sparse_job j = {.run = factor, .what = what, .result = info};
    j.a = (sparse_matrix){FORMAT_CSR,
                          rows,
                          rows,
                          count,
                          (uintptr_t)offsets,
                          (uintptr_t)indices,
                          (uintptr_t)values,
                          INDEX_32,
                          INDEX_32,
                          cusparseGetMatIndexBase(kind),
                          type,
                          0,
                          0,
                          {0}};
    sparse_add_matrix(&j, &j.a);
    sparse_add(&j, j.a.values, count, sparse_size_of(type), true, false);
    return sparse_submit(h, &j);
}

#define ILU(letter, type)                                                                                    \
    API cusparse##letter##csrilu02_bufferSize(sparse_handle *h, int rows, int count, const void *kind,       \
                                              void *values, const int *offsets, const int *indices,          \
                                              factors *info, int *size) {                                    \
        (void)rows, (void)count, (void)kind, (void)values, (void)offsets, (void)indices, (void)info;         \
        *size = 8;                                                                                           \
        return h ? SPARSE_OK : SPARSE_NOT_INITIALIZED;                                                       \
    }                                                                                                        \
    API cusparse##letter##csrilu02_analysis(sparse_handle *h) {                                              \
        return h ? SPARSE_OK : SPARSE_NOT_INITIALIZED;                                                       \
    }                                                                                                        \
    API cusparse##letter##csrilu02(sparse_handle *h, int rows, int count, const void *kind, void *values,    \
                                   const int *offsets, const int *indices, factors *info, int policy,        \
                                   void *buffer) {                                                           \
        (void)policy, (void)buffer;                                                                          \
        return incomplete(h, "cusparse" #letter "csrilu02", rows, count, kind, values, offsets, indices,     \
                          info, type);                                                                       \
    }
ILU(S, REAL_32)
ILU(D, REAL_64)
ILU(C, COMPLEX_32)
ILU(Z, COMPLEX_64)
