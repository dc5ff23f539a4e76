/* Routines of vectors, of one type: a part of blas.h, which says what is defined here. */

static void NAME(run_axpy)(const blas_job *j) {
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value), *x = NAME(vector)(j->a, j->n, j->lda);
    T *y = NAME(vector)(j->b, j->n, j->ldb);
    for (int64_t i = 0; i < j->n; i++) y[i * j->ldb] += alpha * x[i * j->lda];
}
static void NAME(run_copy)(const blas_job *j) {
    const T *x = NAME(vector)(j->a, j->n, j->lda);
    T *y = NAME(vector)(j->b, j->n, j->ldb);
    for (int64_t i = 0; i < j->n; i++) y[i * j->ldb] = x[i * j->lda];
}
static void NAME(run_swap)(const blas_job *j) {
    T *x = NAME(vector)(j->a, j->n, j->lda), *y = NAME(vector)(j->b, j->n, j->ldb);
    for (int64_t i = 0; i < j->n; i++) {
        const T t = x[i * j->lda];
        x[i * j->lda] = y[i * j->ldb];
        y[i * j->ldb] = t;
    }
}
static void NAME(run_scal)(const blas_job *j) {
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value);
    T *x = NAME(at)(j->a);
    for (int64_t i = 0; i < j->n; i++) x[i * j->lda] *= alpha;
}
static void NAME(run_dot)(const blas_job *j) { /* op_a: whether x is conjugated */
    const T *x = NAME(vector)(j->a, j->n, j->lda), *y = NAME(vector)(j->b, j->n, j->ldb);
    W sum = 0;
    for (int64_t i = 0; i < j->n; i++)
        sum += (W)(j->op_a == OP_C ? CONJ(x[i * j->lda]) : x[i * j->lda]) * (W)y[i * j->ldb];
    *(T *)blas_result_of(j) = (T)sum;
}
static void NAME(run_norm)(const blas_job *j) {
    const T *x = NAME(at)(j->a);
    double sum = 0;
    for (int64_t i = 0; i < j->n; i++) sum += SQUARE(x[i * j->lda]);
    *(R *)blas_result_of(j) = (R)sqrt(sum);
}
static void NAME(run_sum)(const blas_job *j) {
    const T *x = NAME(at)(j->a);
    double sum = 0;
    for (int64_t i = 0; i < j->n; i++) sum += ABS1(x[i * j->lda]);
    *(R *)blas_result_of(j) = (R)sum;
}
static void NAME(run_extreme)(const blas_job *j) { /* side: the smallest; counted from 1 */
    const T *x = NAME(at)(j->a);
    int best = 0;
    for (int i = 1; i < j->n; i++) {
        const R now = ABS1(x[i * j->lda]), was = ABS1(x[best * j->lda]);
        if (j->side ? now < was : now > was) best = i;
    }
    *(int *)blas_result_of(j) = j->n > 0 ? best + 1 : 0;
}

static int NAME(two_vectors)(blas_handle *h, const char *what, void (*run)(const blas_job *), int n,
                             const T *alpha, const T *x, int incx, T *y, int incy, bool reads, bool writes) {
    blas_job j = {.run = run,
                  .what = what,
                  .n = n,
                  .a = (uint64_t)(uintptr_t)x,
                  .b = (uint64_t)(uintptr_t)y,
                  .lda = incx,
                  .ldb = incy};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (n <= 0) return BLAS_OK;
    if (alpha) blas_scalar(h, &j, &j.alpha, j.alpha_value, alpha, sizeof(T));
    blas_vector(&j, j.a, n, incx, sizeof(T), false);
    if (reads) blas_vector(&j, j.b, n, incy, sizeof(T), false);
    if (writes) blas_vector(&j, j.b, n, incy, sizeof(T), true);
    return blas_submit(h, &j);
}
API CUBLAS(axpy_v2)(blas_handle *h, int n, const T *alpha, const T *x, int incx, T *y, int incy) {
    return NAME(two_vectors)(h, __func__, NAME(run_axpy), n, alpha, x, incx, y, incy, true, true);
}
API CUBLAS(copy_v2)(blas_handle *h, int n, const T *x, int incx, T *y, int incy) {
    return NAME(two_vectors)(h, __func__, NAME(run_copy), n, NULL, x, incx, y, incy, false, true);
}
API CUBLAS(swap_v2)(blas_handle *h, int n, T *x, int incx, T *y, int incy) {
    return NAME(two_vectors)(h, __func__, NAME(run_swap), n, NULL, x, incx, y, incy, true, true);
}
API CUBLAS(scal_v2)(blas_handle *h, int n, const T *alpha, T *x, int incx) {
    blas_job j = {.run = NAME(run_scal), .what = __func__, .n = n, .a = (uint64_t)(uintptr_t)x, .lda = incx};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (n <= 0 || incx <= 0) return BLAS_OK;
    blas_scalar(h, &j, &j.alpha, j.alpha_value, alpha, sizeof(T));
    blas_vector(&j, j.a, n, incx, sizeof(T), false);
    blas_vector(&j, j.a, n, incx, sizeof(T), true);
    return blas_submit(h, &j);
}

/* Of one vector (y is NULL) that does not go forwards nothing is looked at: the result is 0. */
static int NAME(reduce)(blas_handle *h, const char *what, void (*run)(const blas_job *), int n, const T *x,
                        int incx, const T *y, int incy, int how, void *result, size_t size) {
    if (n < 0 || (!y && incx <= 0)) n = 0;
    blas_job j = {.run = run,
                  .what = what,
                  .n = n,
                  .a = (uint64_t)(uintptr_t)x,
                  .b = (uint64_t)(uintptr_t)y,
                  .lda = incx,
                  .ldb = incy,
                  .op_a = how,
                  .side = how};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (!result) return BLAS_INVALID_VALUE;
    if (n > 0) blas_vector(&j, j.a, n, incx, sizeof(T), false);
    if (n > 0 && y) blas_vector(&j, j.b, n, incy, sizeof(T), false);
    blas_result(h, &j, result, size);
    return blas_submit(h, &j);
}
#if IS_COMPLEX
API CUBLAS(dotu_v2)(blas_handle *h, int n, const T *x, int incx, const T *y, int incy, T *result) {
    return NAME(reduce)(h, __func__, NAME(run_dot), n, x, incx, y, incy, OP_N, result, sizeof(T));
}
API CUBLAS(dotc_v2)(blas_handle *h, int n, const T *x, int incx, const T *y, int incy, T *result) {
    return NAME(reduce)(h, __func__, NAME(run_dot), n, x, incx, y, incy, OP_C, result, sizeof(T));
}
#else
API CUBLAS(dot_v2)(blas_handle *h, int n, const T *x, int incx, const T *y, int incy, T *result) {
    return NAME(reduce)(h, __func__, NAME(run_dot), n, x, incx, y, incy, OP_N, result, sizeof(T));
}
#endif
API NRM2(blas_handle *h, int n, const T *x, int incx, R *result) {
    return NAME(reduce)(h, __func__, NAME(run_norm), n, x, incx, NULL, 0, 0, result, sizeof(R));
}
API ASUM(blas_handle *h, int n, const T *x, int incx, R *result) {
    return NAME(reduce)(h, __func__, NAME(run_sum), n, x, incx, NULL, 0, 0, result, sizeof(R));
}
API IAMAX(blas_handle *h, int n, const T *x, int incx, int *result) {
    return NAME(reduce)(h, __func__, NAME(run_extreme), n, x, incx, NULL, 0, 0, result, sizeof(int));
}
API IAMIN(blas_handle *h, int n, const T *x, int incx, int *result) {
    return NAME(reduce)(h, __func__, NAME(run_extreme), n, x, incx, NULL, 0, 1, result, sizeof(int));
}
