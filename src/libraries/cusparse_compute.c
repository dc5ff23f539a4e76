/* cuSPARSE's generic interface: products of a sparse matrix with a vector and a dense matrix, and what there
 * is of sparse vectors. Sums are in double precision and in the order of the entries, another one than a
 * GPU's.
 */
#include "libraries/cusparse_values.h"

static const size_t BUFFER = 8; /* bytes that a program is told to bring; nothing is kept there */

/* --- Products --- */
static void product(const sparse_job *j) {
    const dense_matrix *b = &j->b, *c = &j->c;
    const number alpha = sparse_value_of(&j->alpha, j->compute), beta = sparse_value_of(&j->beta, j->compute);
    const void *from = lockstep_cuda_host(b->values);
    void *to = lockstep_cuda_host(c->values);
    number *sums = lockstep_cuda_memory(j->memory, ((size_t)(c->rows * c->columns) + 1) * sizeof *sums);
    for (sparse_walk w = sparse_walk_of(&j->a); sparse_next(&w);) {
        const int64_t row = j->op_a ? w.column : w.row, k = j->op_a ? w.row : w.column;
        const number v = j->op_a == OP_CONJUGATED ? conj(w.value) : w.value;
        for (int64_t n = 0; n < c->columns; n++) {
            number x = sparse_load(from, b->type, j->op_b ? sparse_place(b, n, k) : sparse_place(b, k, n));
            sums[n * c->rows + row] += v * (j->op_b == OP_CONJUGATED ? conj(x) : x);
        }
    }
    for (int64_t n = 0; n < c->columns; n++)
        for (int64_t m = 0; m < c->rows; m++) {
            const int64_t at = sparse_place(c, m, n);
            number v = alpha * sums[n * c->rows + m];
            if (beta != 0) v += beta * sparse_load(to, c->type, at);
            sparse_store(to, c->type, at, v);
        }
}

static bool sizes_agree(const sparse_job *j) {
    const int64_t rows = j->op_a ? j->a.columns : j->a.rows, inner = j->op_a ? j->a.rows : j->a.columns;
    return j->c.rows == rows && (j->op_b ? j->b.columns : j->b.rows) == inner &&
           (j->op_b ? j->b.rows : j->b.columns) == j->c.columns;
}

static int multiply(const sparse_handle *h, sparse_job *j, const void *alpha, const void *beta) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!alpha || !beta || !sizes_agree(j) || !sparse_size_of(j->compute) ||
        !sparse_is_op(j->op_a, j->compute) || !sparse_is_op(j->op_b, j->compute))
        return SPARSE_INVALID_VALUE;
    j->run = product;
    sparse_add_matrix(j, &j->a);
    sparse_add_dense(j, &j->b, false);
    sparse_add_scalar(h, j, &j->alpha, alpha, j->compute);
    sparse_add_scalar(h, j, &j->beta, beta, j->compute);
    if (j->beta.of_device || sparse_load(j->beta.value, j->compute, 0) != 0)
        sparse_add_dense(j, &j->c, false);
    sparse_add_dense(j, &j->c, true);
    return sparse_submit(h, j);
}

API cusparseSpMV(sparse_handle *h, int op, const void *alpha, const sparse_matrix *a, const dense_matrix *x,
                 const void *beta, const dense_matrix *y, int compute, int algorithm, void *buffer) {
    (void)algorithm, (void)buffer;
    if (!a || !x || !y) return SPARSE_INVALID_VALUE;
    sparse_job j = {.what = "cusparseSpMV", .a = *a, .b = *x, .c = *y, .op_a = op, .compute = compute};
    return multiply(h, &j, alpha, beta);
}
API cusparseSpMV_bufferSize(sparse_handle *h, int op, const void *alpha, const sparse_matrix *a,
                            const dense_matrix *x, const void *beta, const dense_matrix *y, int compute,
                            int algorithm, size_t *size) {
    (void)alpha, (void)a, (void)x, (void)beta, (void)y, (void)algorithm;
    *size = BUFFER;
    return !h ? SPARSE_NOT_INITIALIZED : sparse_is_op(op, compute) ? SPARSE_OK : SPARSE_INVALID_VALUE;
}
API cusparseSpMV_preprocess(sparse_handle *h) { /* and what it is given, which it does not need */
    return h ? SPARSE_OK : SPARSE_NOT_INITIALIZED;
}

/* How many products there are: as many as of each operand, which may lie 0 apart; 0: not as many. */
static int64_t products_of(const sparse_matrix *a, const dense_matrix *b, const dense_matrix *c) {
    const int count = c->batches.count > 1 ? c->batches.count : 1;
    const bool same = (a->batches.count > 1 ? a->batches.count : 1) == count &&
                      (b->batches.count > 1 ? b->batches.count : 1) == count;
    return same ? count : 0;
}

/* The k-th of several. */
static void shift_dense(dense_matrix *m, int64_t k) {
    if (m->batches.count > 1) m->values += (uint64_t)(k * m->batches.stride) * sparse_size_of(m->type);
}
static void shift_sparse(sparse_matrix *m, int64_t k) {
    if (m->batches.count <= 1) return;
    const uint64_t elements = (uint64_t)(k * m->batches.stride);
    m->offsets += (uint64_t)(k * m->batches.offsets_stride) * sparse_index_size(m->offset_type);
    m->indices += elements * sparse_index_size(m->index_type);
    m->values += elements * sparse_size_of(m->type);
}

API cusparseSpMM(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                 const dense_matrix *b, const void *beta, const dense_matrix *c, int compute, int algorithm,
                 void *buffer) {
    (void)algorithm, (void)buffer;
    if (!a || !b || !c) return SPARSE_INVALID_VALUE;
    const int64_t count = products_of(a, b, c);
    int status = count ? SPARSE_OK : SPARSE_INVALID_VALUE;
    for (int64_t k = 0; k < count && !status; k++) {
        sparse_job j = {.what = "cusparseSpMM", .a = *a, .b = *b, .c = *c};
        j.op_a = op_a, j.op_b = op_b, j.compute = compute;
        shift_sparse(&j.a, k), shift_dense(&j.b, k), shift_dense(&j.c, k);
        status = multiply(h, &j, alpha, beta);
    }
    return status;
}
API cusparseSpMM_bufferSize(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                            const dense_matrix *b, const void *beta, const dense_matrix *c, int compute,
                            int algorithm, size_t *size) {
    (void)alpha, (void)beta, (void)algorithm;
    *size = BUFFER;
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!a || !b || !c || !products_of(a, b, c)) return SPARSE_INVALID_VALUE;
    return sparse_is_op(op_a, compute) && sparse_is_op(op_b, compute) ? SPARSE_OK : SPARSE_INVALID_VALUE;
}
API cusparseSpMM_preprocess(sparse_handle *h) {
    return h ? SPARSE_OK : SPARSE_NOT_INITIALIZED;
}

/* --- Rows of op(A), for triangular systems and products of sparse matrices --- */
/* Counted, then put into their places. */
void sparse_read_rows(lockstep_memory *memory, const sparse_matrix *m, int op, sparse_rows *r) {
    const int64_t n = op ? m->columns : m->rows;
    const size_t count = (size_t)m->count + 1;
    *r = (sparse_rows){lockstep_cuda_memory(memory, ((size_t)n + 2) * sizeof *r->first),
                       lockstep_cuda_memory(memory, count * sizeof *r->columns),
                       lockstep_cuda_memory(memory, count * sizeof *r->values)};
    int64_t *next = r->first + 1; /* where the next entry of a row goes: in the end, where the row ends */
    for (sparse_walk w = sparse_walk_of(m); sparse_next(&w);) next[(op ? w.column : w.row) + 1]++;
    for (int64_t k = 0; k < n; k++) next[k + 1] += next[k];
    for (sparse_walk w = sparse_walk_of(m); sparse_next(&w);) {
        const int64_t at = next[op ? w.column : w.row]++;
        r->columns[at] = op ? w.row : w.column;
        r->values[at] = op == OP_CONJUGATED ? conj(w.value) : w.value;
    }
}

/* --- Sparse vectors --- */
typedef struct {
    const void *indices;
    void *sparse, *dense;
    int64_t index; /* of the current entry */
} entries;

static entries entries_of(const sparse_job *j) {
    return (entries){lockstep_cuda_host(j->x.indices), lockstep_cuda_host(j->x.values),
                     lockstep_cuda_host(j->c.values), 0};
}
static bool entry(const sparse_job *j, entries *e, int64_t k) {
    e->index = sparse_index(e->indices, j->x.index_type, k) - j->x.base;
    return e->index >= 0 && e->index < j->c.rows;
}

static void add_scaled(const sparse_job *j) {
    entries e = entries_of(j);
    const number alpha = sparse_value_of(&j->alpha, j->x.type), beta = sparse_value_of(&j->beta, j->x.type);
    for (int64_t k = 0; k < j->c.rows; k++)
        sparse_store(e.dense, j->c.type, k, beta * sparse_load(e.dense, j->c.type, k));
    for (int64_t k = 0; k < j->x.count; k++)
        if (entry(j, &e, k)) {
            number v = sparse_load(e.dense, j->c.type, e.index);
            v += alpha * sparse_load(e.sparse, j->x.type, k);
            sparse_store(e.dense, j->c.type, e.index, v);
        }
}
static void gather(const sparse_job *j) {
    entries e = entries_of(j);
    for (int64_t k = 0; k < j->x.count; k++)
        if (entry(j, &e, k)) sparse_store(e.sparse, j->x.type, k, sparse_load(e.dense, j->c.type, e.index));
}
static void scatter(const sparse_job *j) {
    entries e = entries_of(j);
    for (int64_t k = 0; k < j->x.count; k++)
        if (entry(j, &e, k)) sparse_store(e.dense, j->c.type, e.index, sparse_load(e.sparse, j->x.type, k));
}
static void dot(const sparse_job *j) {
    entries e = entries_of(j);
    number sum = 0;
    for (int64_t k = 0; k < j->x.count; k++)
        if (entry(j, &e, k)) {
            number v = sparse_load(e.sparse, j->x.type, k);
            sum += (j->op_a == OP_CONJUGATED ? conj(v) : v) * sparse_load(e.dense, j->c.type, e.index);
        }
    const uint64_t address = (uintptr_t)j->result;
    sparse_store(j->alpha.of_device ? lockstep_cuda_host(address) : j->result, j->compute, 0, sum);
}

static sparse_job with_vectors(const char *what, void (*run)(const sparse_job *), const sparse_vector *x,
                               const dense_matrix *y, bool write_x, bool write_y, bool rough) {
    sparse_job j = {.run = run, .what = what, .x = *x, .c = *y};
    sparse_add(&j, x->indices, x->count, sparse_index_size(x->index_type), false, false);
    sparse_add(&j, x->values, x->count, sparse_size_of(x->type), write_x, false);
    if (rough || !write_y) sparse_add(&j, y->values, y->rows, sparse_size_of(y->type), write_y, rough);
    return j;
}

API cusparseAxpby(sparse_handle *h, const void *alpha, const sparse_vector *x, const void *beta,
                  const dense_matrix *y) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!alpha || !x || !beta || !y || x->size != y->rows) return SPARSE_INVALID_VALUE;
    sparse_job j = with_vectors("cusparseAxpby", add_scaled, x, y, false, false, false);
    sparse_add_dense(&j, y, true);
    sparse_add_scalar(h, &j, &j.alpha, alpha, x->type);
    sparse_add_scalar(h, &j, &j.beta, beta, x->type);
    return sparse_submit(h, &j);
}
API cusparseGather(sparse_handle *h, const dense_matrix *y, const sparse_vector *x) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!x || !y || x->size != y->rows) return SPARSE_INVALID_VALUE;
    sparse_job j = with_vectors("cusparseGather", gather, x, y, true, false, true);
    return sparse_submit(h, &j);
}
API cusparseScatter(sparse_handle *h, const sparse_vector *x, const dense_matrix *y) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!x || !y || x->size != y->rows) return SPARSE_INVALID_VALUE;
    sparse_job j = with_vectors("cusparseScatter", scatter, x, y, false, true, true);
    return sparse_submit(h, &j);
}
API cusparseSpVV(sparse_handle *h, int op, const sparse_vector *x, const dense_matrix *y, void *result,
                 int compute, void *buffer) {
    (void)buffer;
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!x || !y || !result || x->size != y->rows || !sparse_size_of(compute) || !sparse_is_op(op, compute))
        return SPARSE_INVALID_VALUE;
    sparse_job j = with_vectors("cusparseSpVV", dot, x, y, false, false, true);
    j.op_a = op, j.compute = compute, j.result = result, j.alpha.of_device = h->device_scalars;
    if (h->device_scalars) sparse_add(&j, (uintptr_t)result, 1, sparse_size_of(compute), true, false);
    return sparse_submit(h, &j);
}
API cusparseSpVV_bufferSize(sparse_handle *h, int op, const sparse_vector *x, const dense_matrix *y,
                            const void *result, int compute, size_t *size) {
    (void)x, (void)y, (void)result;
    *size = BUFFER;
    return !h ? SPARSE_NOT_INITIALIZED : sparse_is_op(op, compute) ? SPARSE_OK : SPARSE_INVALID_VALUE;
}
