/* cuSPARSE: products of two sparse matrices, products of dense ones at the places of a sparse one, and the
 * transpose of a matrix by rows. */
#include "libraries/cusparse_values.h"

#include <stdlib.h>

enum { BUFFER = 8 };

/* --- C = alpha A B + beta C, by rows: counted and computed first, given to C's arrays later --- */
typedef struct {
    int64_t *offsets, *columns;
    number *values;
    int64_t count, capacity;
} product;

static void forget(product *p) {
    free(p->offsets);
    free(p->columns);
    free(p->values);
    *p = (product){0};
}

API cusparseSpGEMM_createDescr(product **made) {
    if (!made) return SPARSE_INVALID_VALUE;
    *made = calloc(1, sizeof **made);
    return *made ? SPARSE_OK : SPARSE_ALLOC_FAILED;
}
API cusparseSpGEMM_destroyDescr(product *p) {
    if (p) forget(p);
    free(p);
    return SPARSE_OK;
}

static bool room(product *p, int64_t more) {
    if (p->count + more <= p->capacity) return true;
    const int64_t capacity = 2 * p->capacity + more + 64;
    int64_t *columns = realloc(p->columns, (size_t)capacity * sizeof *columns);
    if (columns) p->columns = columns;
    number *values = realloc(p->values, (size_t)capacity * sizeof *values);
    if (values) p->values = values;
    if (columns && values) p->capacity = capacity;
    return columns && values;
}

static int by_number(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* One row of the product; sums and touched are for its columns, all zero before and after. */
static bool add_row(product *p, const sparse_rows *a, const sparse_rows *b, int64_t row, number *sums,
                    bool *touched) {
    const int64_t start = p->count;
    for (int64_t k = a->first[row]; k < a->first[row + 1]; k++) {
        const int64_t inner = a->columns[k];
        if (!room(p, b->first[inner + 1] - b->first[inner])) return false;
        for (int64_t l = b->first[inner]; l < b->first[inner + 1]; l++) {
            const int64_t column = b->columns[l];
            if (!touched[column]) p->columns[p->count++] = column;
            touched[column] = true;
            sums[column] += a->values[k] * b->values[l];
        }
    }
    if (p->count > start)
        qsort(p->columns + start, (size_t)(p->count - start), sizeof *p->columns, by_number);
    for (int64_t k = start; k < p->count; k++) {
        p->values[k] = sums[p->columns[k]];
        sums[p->columns[k]] = 0;
        touched[p->columns[k]] = false;
    }
    p->offsets[row + 1] = p->count;
    return true;
}

static void multiply(const sparse_job *j) {
    product *p = j->result;
    sparse_rows a, b;
    const size_t columns = (size_t)j->second.columns + 1;
    number *sums = lockstep_cuda_memory(j->memory, columns * sizeof *sums);
    bool *touched = lockstep_cuda_memory(j->memory, columns * sizeof *touched);
    forget(p);
    sparse_read_rows(j->memory, &j->a, OP_PLAIN, &a);
    sparse_read_rows(j->memory, &j->second, OP_PLAIN, &b);
    p->offsets = calloc((size_t)j->a.rows + 1, sizeof *p->offsets);
    bool good = p->offsets;
    for (int64_t row = 0; good && row < j->a.rows; row++) good = add_row(p, &a, &b, row, sums, touched);
    if (!good) forget(p);
}

static int look(const sparse_handle *h, int op_a, int op_b, const sparse_matrix *a, const sparse_matrix *b,
                const sparse_matrix *c) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!a || !b || !c || a->columns != b->rows || a->rows != c->rows || b->columns != c->columns)
        return SPARSE_INVALID_VALUE;
    const bool by_rows = a->format == FORMAT_CSR && b->format == FORMAT_CSR && c->format == FORMAT_CSR;
    return by_rows && op_a == OP_PLAIN && op_b == OP_PLAIN ? SPARSE_OK : SPARSE_NOT_SUPPORTED;
}

API cusparseSpGEMM_workEstimation(sparse_handle *h, int op_a, int op_b, const void *alpha,
                                  const sparse_matrix *a, const sparse_matrix *b, const void *beta,
                                  const sparse_matrix *c, int compute, int algorithm, product *p,
                                  size_t *size, void *buffer) {
    (void)alpha, (void)beta, (void)compute, (void)algorithm, (void)buffer;
    if (!p || !size) return SPARSE_INVALID_VALUE;
    *size = BUFFER;
    return look(h, op_a, op_b, a, b, c);
}

/* Without a buffer only its size is asked for. */
API cusparseSpGEMM_compute(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                           const sparse_matrix *b, const void *beta, sparse_matrix *c, int compute,
                           int algorithm, product *p, size_t *size, void *buffer) {
    (void)alpha, (void)beta, (void)algorithm;
    int status = look(h, op_a, op_b, a, b, c);
    if (status) return status;
    if (!p || !size) return SPARSE_INVALID_VALUE;
    *size = BUFFER;
    if (!buffer) return SPARSE_OK;
    sparse_job j = {.run = multiply,
                    .what = "cusparseSpGEMM_compute",
                    .a = *a,
                    .second = *b,
                    .compute = compute,
                    .result = p};
    sparse_add_matrix(&j, a);
    sparse_add_matrix(&j, b);
    status = sparse_submit(h, &j);
    if (!status && !p->offsets) return SPARSE_EXECUTION_FAILED;
    c->count = p->count;
    return status;
}

static void give(const sparse_job *j) {
    const product *p = j->result;
    const sparse_matrix *c = &j->a;
    const number alpha = sparse_value_of(&j->alpha, j->compute), beta = sparse_value_of(&j->beta, j->compute);
    void *offsets = lockstep_cuda_host(c->offsets), *indices = lockstep_cuda_host(c->indices),
         *values = lockstep_cuda_host(c->values);
    for (int64_t row = 0; row <= c->rows; row++)
        sparse_set_index(offsets, c->offset_type, row, p->offsets[row] + c->base);
    for (int64_t k = 0; k < p->count; k++) {
        sparse_set_index(indices, c->index_type, k, p->columns[k] + c->base);
        sparse_store(values, c->type, k,
                     alpha * p->values[k] + (beta == 0 ? 0 : beta * sparse_load(values, c->type, k)));
    }
}

API cusparseSpGEMM_copy(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                        const sparse_matrix *b, const void *beta, const sparse_matrix *c, int compute,
                        int algorithm, product *p) {
    (void)algorithm;
    const int status = look(h, op_a, op_b, a, b, c);
    if (status) return status;
    if (!p || !p->offsets || c->count != p->count || !sparse_size_of(compute)) return SPARSE_INVALID_VALUE;
    sparse_job j = {.run = give, .what = "cusparseSpGEMM_copy", .a = *c, .compute = compute, .result = p};
    sparse_add_scalar(h, &j, &j.alpha, alpha, compute);
    sparse_add_scalar(h, &j, &j.beta, beta, compute);
    sparse_add(&j, c->offsets, c->rows + 1, sparse_index_size(c->offset_type), true, false);
    sparse_add(&j, c->indices, c->count, sparse_index_size(c->index_type), true, false);
    sparse_add(&j, c->values, c->count, sparse_size_of(c->type), true, false);
    return sparse_submit(h, &j);
}

/* --- C = alpha (op(A) op(B)) at C's places + beta C, for dense A and B --- */
static number dense_at(const void *values, const dense_matrix *m, int op, int64_t row, int64_t column) {
    const number v = sparse_load(
        values, m->type, op == OP_PLAIN ? sparse_place(m, row, column) : sparse_place(m, column, row));
    return op == OP_CONJUGATED ? conj(v) : v;
}

static void multiply_places(const sparse_job *j) {
    const number alpha = sparse_value_of(&j->alpha, j->compute), beta = sparse_value_of(&j->beta, j->compute);
    const void *a = lockstep_cuda_host(j->b.values), *b = lockstep_cuda_host(j->c.values);
    void *to = lockstep_cuda_host(j->a.values);
    const int64_t inner = j->op_a == OP_PLAIN ? j->b.columns : j->b.rows;
    for (sparse_walk w = sparse_walk_of(&j->a); sparse_next(&w);) {
        number sum = 0;
        for (int64_t k = 0; k < inner; k++)
            sum += dense_at(a, &j->b, j->op_a, w.row, k) * dense_at(b, &j->c, j->op_b, k, w.column);
        sparse_store(to, j->a.type, w.at - 1, alpha * sum + (beta == 0 ? 0 : beta * w.value));
    }
}

API cusparseSDDMM(sparse_handle *h, int op_a, int op_b, const void *alpha, const dense_matrix *a,
                  const dense_matrix *b, const void *beta, const sparse_matrix *c, int compute, int algorithm,
                  void *buffer) {
    (void)algorithm, (void)buffer;
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!a || !b || !c || !sparse_size_of(compute) || !sparse_is_op(op_a, compute) ||
        !sparse_is_op(op_b, compute))
        return SPARSE_INVALID_VALUE;
    const bool plain_a = op_a == OP_PLAIN, plain_b = op_b == OP_PLAIN;
    if ((plain_a ? a->rows : a->columns) != c->rows || (plain_b ? b->columns : b->rows) != c->columns ||
        (plain_a ? a->columns : a->rows) != (plain_b ? b->rows : b->columns))
        return SPARSE_INVALID_VALUE;
    sparse_job j = {.run = multiply_places, .what = "cusparseSDDMM", .a = *c, .b = *a, .c = *b};
    j.op_a = op_a, j.op_b = op_b, j.compute = compute;
    sparse_add_scalar(h, &j, &j.alpha, alpha, compute);
    sparse_add_scalar(h, &j, &j.beta, beta, compute);
    sparse_add_dense(&j, a, false);
    sparse_add_dense(&j, b, false);
    sparse_add_places(&j, c);
    sparse_add(&j, c->values, c->count, sparse_size_of(c->type), true, false);
    return sparse_submit(h, &j);
}
API cusparseSDDMM_bufferSize(sparse_handle *h, int op_a, int op_b, const void *alpha, const dense_matrix *a,
                             const dense_matrix *b, const void *beta, const sparse_matrix *c, int compute,
                             int algorithm, size_t *size) {
    (void)alpha, (void)a, (void)b, (void)beta, (void)c, (void)algorithm;
    *size = BUFFER;
    if (!h) return SPARSE_NOT_INITIALIZED;
    return sparse_is_op(op_a, compute) && sparse_is_op(op_b, compute) ? SPARSE_OK : SPARSE_INVALID_VALUE;
}
API cusparseSDDMM_preprocess(sparse_handle *h) { /* and what it is given, which it does not need */
    return h ? SPARSE_OK : SPARSE_NOT_INITIALIZED;
}

/* --- By columns --- */
static void transpose(const sparse_job *j) { /* op_a: with the values */
    const sparse_matrix *to = &j->second;
    int32_t *offsets = lockstep_cuda_host(to->offsets), *indices = lockstep_cuda_host(to->indices);
    void *values = lockstep_cuda_host(to->values);
    sparse_rows columns;
    sparse_read_rows(j->memory, &j->a, OP_TRANSPOSED, &columns);
    for (int64_t k = 0; k <= to->columns; k++) offsets[k] = (int32_t)(columns.first[k] + to->base);
    for (int64_t k = 0; k < columns.first[to->columns]; k++) {
        indices[k] = (int32_t)(columns.columns[k] + to->base);
        if (j->op_a) sparse_store(values, to->type, k, columns.values[k]);
    }
}

API cusparseCsr2cscEx2(sparse_handle *h, int rows, int columns, int count, const void *values,
                       const int *offsets, const int *indices, void *to_values, int *to_offsets,
                       int *to_indices, int type, int with_values, int base, int algorithm, void *buffer) {
    (void)algorithm, (void)buffer;
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || columns < 0 || count < 0 || !sparse_size_of(type)) return SPARSE_INVALID_VALUE;
    const sparse_matrix from = {FORMAT_CSR,
                                rows,
                                columns,
                                count,
                                (uint64_t)(uintptr_t)offsets,
                                (uint64_t)(uintptr_t)indices,
                                (uint64_t)(uintptr_t)values,
                                INDEX_32,
                                INDEX_32,
                                base,
                                type,
                                0,
                                0};
    sparse_job j = {.run = transpose, .what = __func__, .a = from, .second = from, .op_a = with_values};
    j.second.offsets = (uint64_t)(uintptr_t)to_offsets;
    j.second.indices = (uint64_t)(uintptr_t)to_indices;
    j.second.values = (uint64_t)(uintptr_t)to_values;
    if (!with_values) j.a.values = j.a.indices, j.a.type = REAL_32; /* read as something, and not used */
    sparse_add(&j, from.offsets, rows + 1, sizeof(int), false, false);
    sparse_add(&j, from.indices, count, sizeof(int), false, false);
    sparse_add(&j, j.second.offsets, columns + 1, sizeof(int), true, false);
    sparse_add(&j, j.second.indices, count, sizeof(int), true, false);
    if (with_values) {
        sparse_add(&j, from.values, count, sparse_size_of(type), false, false);
        sparse_add(&j, j.second.values, count, sparse_size_of(type), true, false);
    }
    return sparse_submit(h, &j);
}
API cusparseCsr2cscEx2_bufferSize(sparse_handle *h, int rows, int columns, int count, const void *values,
                                  const int *offsets, const int *indices, void *to_values, int *to_offsets,
                                  int *to_indices, int type, int with_values, int base, int algorithm,
                                  size_t *size) {
    (void)rows, (void)columns, (void)count, (void)values, (void)offsets, (void)indices, (void)to_values;
    (void)to_offsets, (void)to_indices, (void)type, (void)with_values, (void)base, (void)algorithm;
    *size = BUFFER;
    return h ? SPARSE_OK : SPARSE_NOT_INITIALIZED;
}
