/* cuBLAS's routines of vectors whose operands have types of their own (cublasDotEx and its kin): sums are
 * doubles, and what is stored is rounded once. */
#include "libraries/cublas.h"

#include <math.h>

static double element(int type, uint64_t at, int n, int64_t distance, int64_t i) {
    return blas_get(type, lockstep_cuda_host(at), i * distance + (distance < 0 ? (1 - n) * distance : 0));
}
static void store(int type, uint64_t at, int n, int64_t distance, int64_t i, double x) {
    blas_put(type, lockstep_cuda_host(at), i * distance + (distance < 0 ? (1 - n) * distance : 0), x);
}
static double alpha_of(const blas_job *j) {
    return blas_get(j->compute, blas_scalar_of(j, j->alpha, j->alpha_value), 0);
}

static void run_dot(const blas_job *j) {
    double sum = 0;
    for (int64_t i = 0; i < j->n; i++)
        sum += element(j->type_a, j->a, j->n, j->lda, i) * element(j->type_b, j->b, j->n, j->ldb, i);
    blas_put(j->type_c, blas_result_of(j), 0, sum);
}
static void run_norm(const blas_job *j) {
    double sum = 0;
    for (int64_t i = 0; i < j->n; i++) {
        const double x = element(j->type_a, j->a, j->n, j->lda, i);
        sum += x * x;
    }
    blas_put(j->type_c, blas_result_of(j), 0, sqrt(sum));
}
static void run_sum(const blas_job *j) {
    double sum = 0;
    for (int64_t i = 0; i < j->n; i++) sum += fabs(element(j->type_a, j->a, j->n, j->lda, i));
    blas_put(j->type_c, blas_result_of(j), 0, sum);
}
static void run_scal(const blas_job *j) {
    const double alpha = alpha_of(j);
    for (int64_t i = 0; i < j->n; i++)
        store(j->type_a, j->a, j->n, j->lda, i, alpha * element(j->type_a, j->a, j->n, j->lda, i));
}
static void run_axpy(const blas_job *j) {
    const double alpha = alpha_of(j);
    for (int64_t i = 0; i < j->n; i++)
        store(j->type_b, j->b, j->n, j->ldb, i,
              alpha * element(j->type_a, j->a, j->n, j->lda, i) + element(j->type_b, j->b, j->n, j->ldb, i));
}

static int look(const blas_handle *h, const blas_job *j, int first, int second, int third) {
    const int types[] = {first, second, third};
    if (!h) return BLAS_NOT_INITIALIZED;
    for (int k = 0; k < 3; k++)
        if (!blas_size(types[k]) || types[k] == R_8I || types[k] == R_32I || types[k] >= R_E4M3) {
            lockstep_cuda_missing("cuBLAS's vector routines with complex or 8-bit operands");
            return BLAS_NOT_SUPPORTED;
        }
    return j->n < 0 ? BLAS_INVALID_VALUE : BLAS_OK;
}

/* A single value of one or two vectors, of whose type it is. */
static int reduce(const blas_handle *h, blas_job *j, void *result) {
    const int other = j->b ? j->type_b : j->type_a, status = look(h, j, j->type_a, other, j->type_c);
    if (status) return status;
    if (j->type_a != other || j->type_a != j->type_c) return BLAS_NOT_SUPPORTED; /* as there */
    if (!j->b && j->lda <= 0) j->n = 0;
    if (j->n) blas_vector(j, j->a, j->n, j->lda, blas_size(j->type_a), false);
    if (j->n && j->b) blas_vector(j, j->b, j->n, j->ldb, blas_size(j->type_b), false);
    blas_result(h, j, result, blas_size(j->type_c));
    return blas_submit(h, j);
}

static int dot(const blas_handle *h, const char *what, int n, const void *x, int type_x, int incx,
               const void *y, int type_y, int incy, void *result, int type) {
    blas_job j = {.run = run_dot,
                  .what = what,
                  .n = n,
                  .a = (uint64_t)(uintptr_t)x,
                  .b = (uint64_t)(uintptr_t)y,
                  .lda = incx,
                  .ldb = incy,
                  .type_a = type_x,
                  .type_b = type_y,
                  .type_c = type};
    return reduce(h, &j, result);
}
API cublasDotEx(blas_handle *h, int n, const void *x, int type_x, int incx, const void *y, int type_y,
                int incy, void *result, int type, int compute) {
    (void)compute;
    return dot(h, __func__, n, x, type_x, incx, y, type_y, incy, result, type);
}
API cublasDotcEx(blas_handle *h, int n, const void *x, int type_x, int incx, const void *y, int type_y,
                 int incy, void *result, int type, int compute) {
    (void)compute;
    return dot(h, __func__, n, x, type_x, incx, y, type_y, incy, result, type);
}

static int one_vector(const blas_handle *h, const char *what, void (*run)(const blas_job *), int n,
                      const void *x, int type_x, int incx, void *result, int type) {
    blas_job j = {.run = run,
                  .what = what,
                  .n = n,
                  .a = (uint64_t)(uintptr_t)x,
                  .lda = incx,
                  .type_a = type_x,
                  .type_c = type};
    return reduce(h, &j, result);
}
API cublasNrm2Ex(blas_handle *h, int n, const void *x, int type_x, int incx, void *result, int type,
                 int compute) {
    (void)compute;
    return one_vector(h, __func__, run_norm, n, x, type_x, incx, result, type);
}
API cublasAsumEx(blas_handle *h, int n, const void *x, int type_x, int incx, void *result, int type,
                 int compute) {
    (void)compute;
    if (h && type_x != R_32F && type_x != R_64F) return BLAS_NOT_SUPPORTED; /* as there */
    return one_vector(h, __func__, run_sum, n, x, type_x, incx, result, type);
}

/* A vector that becomes a multiple of itself, or to which a multiple of another one is added. */
static int change(const blas_handle *h, blas_job *j, const void *alpha) {
    const uint64_t vector = j->b ? j->b : j->a;
    const int distance = j->b ? j->ldb : j->lda, type = j->b ? j->type_b : j->type_a;
    const int status = look(h, j, j->type_a, type, j->compute);
    if (status || !j->n) return status;
    if (j->type_a != type) return BLAS_NOT_SUPPORTED; /* as there */
    blas_scalar(h, j, &j->alpha, j->alpha_value, alpha, blas_size(j->compute));
    if (j->b) blas_vector(j, j->a, j->n, j->lda, blas_size(j->type_a), false);
    blas_vector(j, vector, j->n, distance, blas_size(type), false);
    blas_vector(j, vector, j->n, distance, blas_size(type), true);
    return blas_submit(h, j);
}
API cublasScalEx(blas_handle *h, int n, const void *alpha, int type, void *x, int type_x, int incx,
                 int compute) {
    (void)compute;
    blas_job j = {.run = run_scal,
                  .what = __func__,
                  .n = n,
                  .a = (uint64_t)(uintptr_t)x,
                  .lda = incx,
                  .type_a = type_x,
                  .compute = type};
    return change(h, &j, alpha);
}
API cublasAxpyEx(blas_handle *h, int n, const void *alpha, int type, const void *x, int type_x, int incx,
                 void *y, int type_y, int incy, int compute) {
    (void)compute;
    blas_job j = {.run = run_axpy,
                  .what = __func__,
                  .n = n,
                  .a = (uint64_t)(uintptr_t)x,
                  .b = (uint64_t)(uintptr_t)y,
                  .lda = incx,
                  .ldb = incy,
                  .type_a = type_x,
                  .type_b = type_y,
                  .compute = type};
    return change(h, &j, alpha);
}
