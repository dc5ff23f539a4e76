/* cuBLAS's products whose operands have types of their own (cublasGemmEx and its kin, cublasHgemm): operands
 * are made floats (or doubles, for 64-bit and integer sums), multiplied, and rounded to the result's type
 * once. */
#include "libraries/cublas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t blas_size(int type) {
    switch (type) {
    case R_32F:
    case R_32I: return 4;
    case R_64F: return 8;
    case R_16F:
    case R_16BF: return 2;
    case R_8I:
    case R_E4M3:
    case R_E5M2: return 1;
    default: return 0;
    }
}

static double get_e4m3(uint8_t bits) {
    const int exponent = bits >> 3 & 15, fraction = bits & 7;
    double x = exponent ? ldexp(8 + fraction, exponent - 10) : ldexp(fraction, -9);
    if ((bits & 0x7f) == 0x7f) x = (double)NAN;
    return bits & 0x80 ? -x : x;
}

static double get_e5m2(uint8_t bits) { /* the upper half of a half */
    const uint16_t wide = (uint16_t)(bits << 8);
    _Float16 x;
    memcpy(&x, &wide, sizeof x);
    return (double)x;
}

double blas_get(int type, const void *at, int64_t i) {
    switch (type) {
    case R_E4M3: return get_e4m3(((const uint8_t *)at)[i]);
    case R_E5M2: return get_e5m2(((const uint8_t *)at)[i]);
    case R_32F: return (double)((const float *)at)[i];
    case R_64F: return ((const double *)at)[i];
    case R_16F: return (double)((const _Float16 *)at)[i];
    case R_8I: return ((const int8_t *)at)[i];
    case R_32I: return ((const int32_t *)at)[i];
    default: {
        const uint32_t bits = (uint32_t)((const uint16_t *)at)[i] << 16;
        float x;
        memcpy(&x, &bits, sizeof x);
        return (double)x;
    }
    }
}

static uint16_t to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (isnan(x)) return 0x7fff;
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void blas_put(int type, void *at, int64_t i, double x) {
    switch (type) {
    case R_32F: ((float *)at)[i] = (float)x; break;
    case R_64F: ((double *)at)[i] = x; break;
    case R_16F: ((_Float16 *)at)[i] = (_Float16)(float)x; break;
    case R_8I: ((int8_t *)at)[i] = (int8_t)(x < -128 ? -128 : x > 127 ? 127 : x); break;
    case R_32I: ((int32_t *)at)[i] = (int32_t)x; break;
    default: ((uint16_t *)at)[i] = to_bf16((float)x); break;
    }
}

bool blas_sums_doubles(int compute) {
    return compute >= COMPUTE_64F && compute <= COMPUTE_32I_PEDANTIC;
}
static int scalar_type(int compute) {
    if (compute == COMPUTE_16F || compute == COMPUTE_16F_PEDANTIC) return R_16F;
    if (compute == COMPUTE_64F || compute == COMPUTE_64F_PEDANTIC) return R_64F;
    return compute == COMPUTE_32I || compute == COMPUTE_32I_PEDANTIC ? R_32I : R_32F;
}

void *blas_plain(lockstep_memory *memory, int type, uint64_t address, int64_t ld, int op, int64_t rows,
                 int64_t columns, bool doubles) {
    const void *a = lockstep_cuda_host(address);
    const size_t count = (size_t)(rows * columns + 1);
    void *p = lockstep_cuda_memory(memory, count * (doubles ? sizeof(double) : sizeof(float)));
    for (int64_t c = 0; c < columns; c++)
        for (int64_t r = 0; r < rows; r++)
            blas_put(doubles ? R_64F : R_32F, p, r + c * rows,
                     blas_get(type, a, op == OP_N ? r + c * ld : c + r * ld));
    return p;
}

static void run(const blas_job *j) {
    const bool doubles = blas_sums_doubles(j->compute);
    const int scalar = scalar_type(j->compute);
    const double alpha = blas_get(scalar, blas_scalar_of(j, j->alpha, j->alpha_value), 0);
    const double beta = blas_get(scalar, blas_scalar_of(j, j->beta, j->beta_value), 0);
    void *a = blas_plain(j->memory, j->type_a, j->a, j->lda, j->op_a, j->m, j->k, doubles);
    void *b = blas_plain(j->memory, j->type_b, j->b, j->ldb, j->op_b, j->k, j->n, doubles);
    void *c = blas_plain(j->memory, j->type_c, j->c, j->ldc, OP_N, j->m, j->n, doubles);
    if (doubles) blas_product_double(j->memory, j->m, j->n, j->k, alpha, a, b, beta, c, j->m);
    if (!doubles) blas_product_float(j->memory, j->m, j->n, j->k, (float)alpha, a, b, (float)beta, c, j->m);
    void *to = lockstep_cuda_host(j->c);
    for (int64_t y = 0; y < j->n; y++)
        for (int64_t x = 0; x < j->m; x++)
            blas_put(j->type_c, to, x + y * j->ldc, blas_get(doubles ? R_64F : R_32F, c, x + y * j->m));
}

typedef struct {
    int op_a, op_b, m, n, k;
    const void *alpha, *beta;
    int type_a, type_b, type_c, lda, ldb, ldc, compute;
} product;

static int multiply(const blas_handle *h, const char *what, const product *p, uint64_t a, uint64_t b,
                    uint64_t c) {
    const size_t size_a = blas_size(p->type_a), size_b = blas_size(p->type_b), size_c = blas_size(p->type_c),
                 scalar = blas_size(scalar_type(p->compute));
    if (!h) return BLAS_NOT_INITIALIZED;
    if (!size_a || !size_b || !size_c || p->type_a >= R_E4M3 || p->type_b >= R_E4M3 || p->type_c >= R_E4M3) {
        lockstep_cuda_missing("cublasGemmEx with complex or 8-bit floating-point operands");
        return BLAS_NOT_SUPPORTED;
    }
    if (p->m < 0 || p->n < 0 || p->k < 0 || p->lda < (p->op_a == OP_N ? p->m : p->k) ||
        p->ldb < (p->op_b == OP_N ? p->k : p->n) || p->ldc < p->m)
        return BLAS_INVALID_VALUE;
    if (!p->m || !p->n) return BLAS_OK;
    blas_job j = {.run = run,
                  .what = what,
                  .m = p->m,
                  .n = p->n,
                  .k = p->k,
                  .op_a = p->op_a,
                  .op_b = p->op_b,
                  .a = a,
                  .b = b,
                  .c = c,
                  .lda = p->lda,
                  .ldb = p->ldb,
                  .ldc = p->ldc,
                  .type_a = p->type_a,
                  .type_b = p->type_b,
                  .type_c = p->type_c,
                  .compute = p->compute};
    blas_scalar(h, &j, &j.alpha, j.alpha_value, p->alpha, scalar);
    blas_scalar(h, &j, &j.beta, j.beta_value, p->beta, scalar);
    const bool plain_a = p->op_a == OP_N, plain_b = p->op_b == OP_N;
    blas_matrix(&j, a, plain_a ? p->m : p->k, plain_a ? p->k : p->m, p->lda, size_a, false);
    blas_matrix(&j, b, plain_b ? p->k : p->n, plain_b ? p->n : p->k, p->ldb, size_b, false);
    blas_matrix(&j, c, p->m, p->n, p->ldc, size_c, true);
    return blas_submit(h, &j);
}

static int strided(const blas_handle *h, const char *what, const product *p, const void *a,
                   long long stride_a, const void *b, long long stride_b, void *c, long long stride_c,
                   int count) {
    int status = BLAS_OK;
    for (long long i = 0; i < count && !status; i++)
        status =
            multiply(h, what, p, (uint64_t)(uintptr_t)a + (uint64_t)(i * stride_a) * blas_size(p->type_a),
                     (uint64_t)(uintptr_t)b + (uint64_t)(i * stride_b) * blas_size(p->type_b),
                     (uint64_t)(uintptr_t)c + (uint64_t)(i * stride_c) * blas_size(p->type_c));
    return status;
}

static int batched(const blas_handle *h, const char *what, const product *p, const void *a, const void *b,
                   const void *c, int count) {
    int status = BLAS_OK;
    const uint64_t *pa = lockstep_cuda_host((uint64_t)(uintptr_t)a),
                   *pb = lockstep_cuda_host((uint64_t)(uintptr_t)b),
                   *pc = lockstep_cuda_host((uint64_t)(uintptr_t)c);
    if (!h) return BLAS_NOT_INITIALIZED;
    for (int i = 0; i < count && !status; i++) status = multiply(h, what, p, pa[i], pb[i], pc[i]);
    return status;
}

API cublasGemmEx(blas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                 int type_a, int lda, const void *b, int type_b, int ldb, const void *beta, void *c,
                 int type_c, int ldc, int compute, int algorithm) {
    (void)algorithm;
    const product p = {op_a, op_b, m, n, k, alpha, beta, type_a, type_b, type_c, lda, ldb, ldc, compute};
    return strided(h, __func__, &p, a, 0, b, 0, c, 0, 1);
}
API cublasGemmStridedBatchedEx(blas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha,
                               const void *a, int type_a, int lda, long long stride_a, const void *b,
                               int type_b, int ldb, long long stride_b, const void *beta, void *c, int type_c,
                               int ldc, long long stride_c, int count, int compute, int algorithm) {
    (void)algorithm;
    const product p = {op_a, op_b, m, n, k, alpha, beta, type_a, type_b, type_c, lda, ldb, ldc, compute};
    return strided(h, __func__, &p, a, stride_a, b, stride_b, c, stride_c, count);
}
API cublasGemmBatchedEx(blas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha,
                        const void *const *a, int type_a, int lda, const void *const *b, int type_b, int ldb,
                        const void *beta, void *const *c, int type_c, int ldc, int count, int compute,
                        int algorithm) {
    (void)algorithm;
    const product p = {op_a, op_b, m, n, k, alpha, beta, type_a, type_b, type_c, lda, ldb, ldc, compute};
    return batched(h, __func__, &p, a, b, c, count);
}
API cublasSgemmEx(blas_handle *h, int op_a, int op_b, int m, int n, int k, const float *alpha, const void *a,
                  int type_a, int lda, const void *b, int type_b, int ldb, const float *beta, void *c,
                  int type_c, int ldc) {
    const product p = {op_a, op_b, m, n, k, alpha, beta, type_a, type_b, type_c, lda, ldb, ldc, 68};
    return strided(h, __func__, &p, a, 0, b, 0, c, 0, 1);
}
API cublasHgemm(blas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                int lda, const void *b, int ldb, const void *beta, void *c, int ldc) {
    const product p = {op_a, op_b, m, n, k, alpha, beta, R_16F, R_16F, R_16F, lda, ldb, ldc, COMPUTE_16F};
    return strided(h, __func__, &p, a, 0, b, 0, c, 0, 1);
}
API cublasHgemmStridedBatched(blas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha,
                              const void *a, int lda, long long stride_a, const void *b, int ldb,
                              long long stride_b, const void *beta, void *c, int ldc, long long stride_c,
                              int count) {
    const product p = {op_a, op_b, m, n, k, alpha, beta, R_16F, R_16F, R_16F, lda, ldb, ldc, COMPUTE_16F};
    return strided(h, __func__, &p, a, stride_a, b, stride_b, c, stride_c, count);
}
API cublasHgemmBatched(blas_handle *h, int op_a, int op_b, int m, int n, int k, const void *alpha,
                       const void *const *a, int lda, const void *const *b, int ldb, const void *beta,
                       void *const *c, int ldc, int count) {
    const product p = {op_a, op_b, m, n, k, alpha, beta, R_16F, R_16F, R_16F, lda, ldb, ldc, COMPUTE_16F};
    return batched(h, __func__, &p, a, b, c, count);
}
