/* cuBLASLt's product: d = epilogue(alpha op(a) op(b) + beta c). Sums are floats, or doubles for 64-bit and
 * integer ones; what is stored is rounded once. GELU is the one with tanh, as there. */
#include "libraries/cublaslt.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    int64_t m, n, k;
    bool doubles;
    void *a, *b, *c;
} numbers;

static int kind_of(const numbers *x) {
    return x->doubles ? R_64F : R_32F;
}

/* A matrix that is stored row by row is its transpose, column by column. */
static int stored_op(const lt_layout *l, int op) {
    return (op != OP_N) != (l->order == LT_ORDER_ROWS) ? OP_T : OP_N;
}

static int64_t place(const lt_layout *l, int64_t row, int64_t column) {
    return l->order == LT_ORDER_ROWS ? column + row * l->ld : row + column * l->ld;
}

static const double slope = 0.7978845608028654, cubic = 0.044715; /* sqrt(2 / pi) */

static double gelu(double x) {
    return 0.5 * x * (1 + tanh(slope * (x + cubic * x * x * x)));
}

static double gelu_gradient(double x) {
    const double t = tanh(slope * (x + cubic * x * x * x));
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope * (1 + 3 * cubic * x * x);
}

static double finish(const lt_job *j, double x, int64_t row, int64_t column) {
    const uint32_t e = j->desc.epilogue;
    const int64_t at = row + column * j->desc.aux_ld;
    if (e & LT_BIAS) x += blas_get(j->desc.bias_type, lockstep_cuda_host(j->desc.bias), row);
    if (e & LT_GELU && e & LT_AUX) blas_put(j->desc.aux_type, lockstep_cuda_host(j->desc.aux), at, x);
    if (e & LT_DGELU)
        return x * gelu_gradient(blas_get(j->desc.aux_type, lockstep_cuda_host(j->desc.aux), at));
    if (e & LT_GELU) return gelu(x);
    return e & LT_RELU && x < 0 ? 0 : x;
}

/* Sums of d's rows, of op(a)'s rows or of op(b)'s columns, as the gradient of a bias. */
static void store_sums(const lt_job *j, const numbers *x, const void *of, int64_t count, int64_t step,
                       int64_t length, int64_t stride) {
    for (int64_t i = 0; i < count; i++) {
        double sum = 0;
        for (int64_t l = 0; l < length; l++) sum += blas_get(kind_of(x), of, i * step + l * stride);
        blas_put(j->desc.bias_type, lockstep_cuda_host(j->desc.bias), i, sum);
    }
}

static void store(const lt_job *j, numbers *x) {
    void *to = lockstep_cuda_host(j->at_d);
    for (int64_t column = 0; column < x->n; column++)
        for (int64_t row = 0; row < x->m; row++) {
            const int64_t at = row + column * x->m;
            const double value = finish(j, blas_get(kind_of(x), x->c, at), row, column);
            blas_put(kind_of(x), x->c, at, value);
            blas_put(j->d.type, to, place(&j->d, row, column), value);
        }
    if (j->desc.epilogue & LT_BIAS_GRADIENT) store_sums(j, x, x->c, x->m, 1, x->n, x->m);
    if (j->desc.epilogue & LT_SUMS_OF_A) store_sums(j, x, x->a, x->m, 1, x->k, x->m);
    if (j->desc.epilogue & LT_SUMS_OF_B) store_sums(j, x, x->b, x->n, x->k, x->k, 1);
}

static double single(const lt_job *j, uint64_t at, double value) {
    return j->desc.pointer_mode ? blas_get(j->desc.scale_type, lockstep_cuda_host(at), 0) : value;
}

static double factor(uint64_t at) {
    return at ? blas_get(R_32F, lockstep_cuda_host(at), 0) : 1;
}

void lt_compute(const lt_job *j, lockstep_memory *memory) {
    numbers x = {.m = (int64_t)j->d.rows,
                 .n = (int64_t)j->d.columns,
                 .k = (int64_t)(j->desc.op_a == OP_N ? j->a.columns : j->a.rows),
                 .doubles = blas_sums_doubles(j->desc.compute)};
    const double alpha =
        single(j, j->alpha, j->alpha_value) * factor(j->desc.scale_a) * factor(j->desc.scale_b);
    const double beta = single(j, j->beta, j->beta_value);
    x.a =
        blas_plain(memory, j->a.type, j->at_a, j->a.ld, stored_op(&j->a, j->desc.op_a), x.m, x.k, x.doubles);
    x.b =
        blas_plain(memory, j->b.type, j->at_b, j->b.ld, stored_op(&j->b, j->desc.op_b), x.k, x.n, x.doubles);
    x.c = beta != 0
              ? blas_plain(memory, j->c.type, j->at_c, j->c.ld, stored_op(&j->c, OP_N), x.m, x.n, x.doubles)
              : lockstep_cuda_memory(memory, (size_t)(x.m * x.n + 1) * sizeof(double));
    if (x.doubles)
        blas_product_double(memory, x.m, x.n, x.k, alpha, x.a, x.b, beta, x.c, x.m);
    else
        blas_product_float(memory, x.m, x.n, x.k, (float)alpha, x.a, x.b, (float)beta, x.c, x.m);
    store(j, &x);
}
