/* cuSPARSE's triangular systems op(A) Y = alpha op(B), of one right side (SpSV) and of several (SpSM). A
 * vector is a matrix of one column. Nothing is known beforehand: analysis has nothing to do. */
#include "libraries/cusparse_values.h"

#include <stdlib.h>

static const size_t BUFFER = 8; /* bytes that a program is told to bring; nothing is kept there */

static number right_side(const sparse_job *j, const void *b, int64_t row, int64_t column) {
    const int64_t at = j->op_b ? sparse_place(&j->b, column, row) : sparse_place(&j->b, row, column);
    const number v = sparse_load(b, j->b.type, at);
    return j->op_b == OP_CONJUGATED ? conj(v) : v;
}

static void solve_column(const sparse_job *j, const sparse_rows *r, bool lower, int64_t column) {
    const int64_t n = j->a.rows;
    const number alpha = sparse_value_of(&j->alpha, j->compute);
    const void *b = lockstep_cuda_host(j->b.values);
    void *y = lockstep_cuda_host(j->c.values);
    for (int64_t k = 0; k < n; k++) {
        const int64_t row = lower ? k : n - 1 - k;
        number sum = alpha * right_side(j, b, row, column), diagonal = 1;
        for (int64_t at = r->first[row]; at < r->first[row + 1]; at++) {
            const int64_t other = r->columns[at];
            if (other == row && !j->a.unit) diagonal = r->values[at];
            if (lower ? other < row : other > row)
                sum -= r->values[at] * sparse_load(y, j->c.type, sparse_place(&j->c, other, column));
        }
        sparse_store(y, j->c.type, sparse_place(&j->c, row, column), sum / diagonal);
    }
}

static void solve(const sparse_job *j) {
    sparse_rows r;
    const bool lower = (j->a.fill == FILL_LOWER) != (j->op_a != OP_PLAIN);
    sparse_read_rows(j->memory, &j->a, j->op_a, &r);
    for (int64_t column = 0; column < j->c.columns; column++) solve_column(j, &r, lower, column);
}

static int submit(const sparse_handle *h, sparse_job *j, const void *alpha) {
    const int64_t n = j->a.rows, columns = j->c.columns;
    if (!h) return SPARSE_NOT_INITIALIZED;
    if (!alpha || !sparse_size_of(j->compute) || !sparse_is_op(j->op_a, j->compute) ||
        !sparse_is_op(j->op_b, j->compute) || j->a.columns != n || j->c.rows != n ||
        (j->op_b ? j->b.columns : j->b.rows) != n || (j->op_b ? j->b.rows : j->b.columns) != columns)
        return SPARSE_INVALID_VALUE;
    j->run = solve;
    sparse_add_matrix(j, &j->a);
    sparse_add_dense(j, &j->b, false);
    sparse_add_scalar(h, j, &j->alpha, alpha, j->compute);
    sparse_add_dense(j, &j->c, true);
    return sparse_submit(h, j);
}

/* A descriptor, which the program frees. */
#define DESCRIPTOR(Name)                                                                                     \
    API cusparse##Name##_createDescr(void **made) {                                                          \
        *made = malloc(1);                                                                                   \
        return *made ? SPARSE_OK : SPARSE_ALLOC_FAILED;                                                      \
    }                                                                                                        \
    API cusparse##Name##_destroyDescr(void *descriptor) {                                                    \
        free(descriptor);                                                                                    \
        return SPARSE_OK;                                                                                    \
    }
DESCRIPTOR(SpSV)
DESCRIPTOR(SpSM)

static int prepare(const sparse_handle *h, int op_a, int op_b, int compute) {
    if (!h) return SPARSE_NOT_INITIALIZED;
    return sparse_is_op(op_a, compute) && sparse_is_op(op_b, compute) ? SPARSE_OK : SPARSE_INVALID_VALUE;
}

API cusparseSpSV_bufferSize(sparse_handle *h, int op, const void *alpha, const sparse_matrix *a,
                            const dense_matrix *x, const dense_matrix *y, int compute, int algorithm,
                            void *descriptor, size_t *size) {
    (void)alpha, (void)a, (void)x, (void)y, (void)algorithm, (void)descriptor;
    *size = BUFFER;
    return prepare(h, op, OP_PLAIN, compute);
}
API cusparseSpSV_analysis(sparse_handle *h, int op, const void *alpha, const sparse_matrix *a,
                          const dense_matrix *x, const dense_matrix *y,
                          int compute) { /* and what is not needed */
    (void)alpha, (void)a, (void)x, (void)y;
    return prepare(h, op, OP_PLAIN, compute);
}
API cusparseSpSV_solve(sparse_handle *h, int op, const void *alpha, const sparse_matrix *a,
                       const dense_matrix *x, const dense_matrix *y, int compute, int algorithm,
                       void *descriptor) {
    (void)algorithm, (void)descriptor;
    if (!a || !x || !y) return SPARSE_INVALID_VALUE;
    sparse_job j = {.what = "cusparseSpSV_solve", .a = *a, .b = *x, .c = *y, .op_a = op, .compute = compute};
    return submit(h, &j, alpha);
}

API cusparseSpSM_bufferSize(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                            const dense_matrix *b, const dense_matrix *c, int compute, int algorithm,
                            void *descriptor, size_t *size) {
    (void)alpha, (void)a, (void)b, (void)c, (void)algorithm, (void)descriptor;
    *size = BUFFER;
    return prepare(h, op_a, op_b, compute);
}
API cusparseSpSM_analysis(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                          const dense_matrix *b, const dense_matrix *c, int compute) {
    (void)alpha, (void)a, (void)b, (void)c;
    return prepare(h, op_a, op_b, compute);
}
API cusparseSpSM_solve(sparse_handle *h, int op_a, int op_b, const void *alpha, const sparse_matrix *a,
                       const dense_matrix *b, const dense_matrix *c, int compute, int algorithm,
                       void *descriptor) {
    (void)algorithm, (void)descriptor;
    if (!a || !b || !c) return SPARSE_INVALID_VALUE;
    sparse_job j = {.what = "cusparseSpSM_solve", .a = *a, .b = *b, .c = *c, .op_a = op_a, .op_b = op_b};
    j.compute = compute;
    return submit(h, &j, alpha);
}
