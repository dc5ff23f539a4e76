/* Routines of a matrix and vectors, of one type: a part of blas.h, which says what is defined here. */

static void NAME(run_gemv)(const blas_job *j) {
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value), beta = NAME(value)(j, j->beta, j->beta_value);
    const int64_t rows = j->op_a == OP_N ? j->m : j->n, columns = j->op_a == OP_N ? j->n : j->m;
    const T *x = NAME(vector)(j->b, (int)columns, j->ldb);
    T *a = NAME(plain)(j, NAME(at)(j->a), j->lda, j->op_a, rows, columns),
      *y = NAME(vector)(j->c, (int)rows, j->ldc);
    for (int64_t r = 0; r < rows; r++) {
        W sum = 0;
        for (int64_t c = 0; alpha != 0 && c < columns; c++) sum += (W)a[r + c * rows] * (W)x[c * j->ldb];
        y[r * j->ldc] = alpha * (T)sum + (beta == 0 ? 0 : beta * y[r * j->ldc]);
    }
}
static int NAME(gemv)(blas_handle *h, const char *what, int op, int m, int n, const T *alpha, uint64_t a,
                      int lda, uint64_t x, int incx, const T *beta, uint64_t y, int incy) {
    blas_job j = {.run = NAME(run_gemv),
                  .what = what,
                  .m = m,
                  .n = n,
                  .op_a = op,
                  .a = a,
                  .b = x,
                  .c = y,
                  .lda = lda,
                  .ldb = incx,
                  .ldc = incy};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || lda < m || !incx || !incy) return BLAS_INVALID_VALUE;
    if (!m || !n) return BLAS_OK;
    blas_scalar(h, &j, &j.alpha, j.alpha_value, alpha, sizeof(T));
    blas_scalar(h, &j, &j.beta, j.beta_value, beta, sizeof(T));
    blas_matrix(&j, j.a, m, n, lda, sizeof(T), false);
    blas_vector(&j, j.b, op == OP_N ? n : m, incx, sizeof(T), false);
    blas_vector(&j, j.c, op == OP_N ? m : n, incy, sizeof(T), true);
    return blas_submit(h, &j);
}
API CUBLAS(gemv_v2)(blas_handle *h, int op, int m, int n, const T *alpha, const T *a, int lda, const T *x,
                    int incx, const T *beta, T *y, int incy) {
    return NAME(gemv)(h, __func__, op, m, n, alpha, (uint64_t)(uintptr_t)a, lda, (uint64_t)(uintptr_t)x, incx,
                      beta, (uint64_t)(uintptr_t)y, incy);
}
static void NAME(run_ger)(const blas_job *j) { /* op_b: whether y is conjugated */
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value);
    const T *x = NAME(vector)(j->a, j->m, j->lda), *y = NAME(vector)(j->b, j->n, j->ldb);
    T *c = NAME(at)(j->c);
    for (int64_t q = 0; alpha != 0 && q < j->n; q++)
        for (int64_t r = 0; r < j->m; r++)
            c[r + q * j->ldc] +=
                alpha * x[r * j->lda] * (j->op_b == OP_C ? CONJ(y[q * j->ldb]) : y[q * j->ldb]);
}
static int NAME(ger)(blas_handle *h, const char *what, int op, int m, int n, const T *alpha, const T *x,
                     int incx, const T *y, int incy, T *a, int lda) {
    blas_job j = {.run = NAME(run_ger),
                  .what = what,
                  .m = m,
                  .n = n,
                  .op_b = op,
                  .a = (uint64_t)(uintptr_t)x,
                  .b = (uint64_t)(uintptr_t)y,
                  .c = (uint64_t)(uintptr_t)a,
                  .lda = incx,
                  .ldb = incy,
                  .ldc = lda};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || lda < m || !incx || !incy) return BLAS_INVALID_VALUE;
    if (!m || !n) return BLAS_OK;
    blas_scalar(h, &j, &j.alpha, j.alpha_value, alpha, sizeof(T));
    blas_vector(&j, j.a, m, incx, sizeof(T), false);
    blas_vector(&j, j.b, n, incy, sizeof(T), false);
    blas_matrix(&j, j.c, m, n, lda, sizeof(T), false);
    blas_matrix(&j, j.c, m, n, lda, sizeof(T), true);
    return blas_submit(h, &j);
}
#if IS_COMPLEX
API CUBLAS(geru_v2)(blas_handle *h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy,
                    T *a, int lda) {
    return NAME(ger)(h, __func__, OP_N, m, n, alpha, x, incx, y, incy, a, lda);
}
API CUBLAS(gerc_v2)(blas_handle *h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy,
                    T *a, int lda) {
    return NAME(ger)(h, __func__, OP_C, m, n, alpha, x, incx, y, incy, a, lda);
}
#else
API CUBLAS(ger_v2)(blas_handle *h, int m, int n, const T *alpha, const T *x, int incx, const T *y, int incy,
                   T *a, int lda) {
    return NAME(ger)(h, __func__, OP_N, m, n, alpha, x, incx, y, incy, a, lda);
}
#endif
static void NAME(run_symv)(const blas_job *j) { /* side: Hermitian */
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value), beta = NAME(value)(j, j->beta, j->beta_value);
    T *a = NAME(square)(NAME(at)(j->a), j->lda, j->n, j->side ? NAME(HERMITIAN) : NAME(SYMMETRIC), j);
    const T *x = NAME(vector)(j->b, j->n, j->ldb);
    T *y = NAME(vector)(j->c, j->n, j->ldc);
    for (int64_t r = 0; r < j->n; r++) {
        W sum = 0;
        for (int64_t c = 0; c < j->n; c++) sum += (W)a[r + c * j->n] * (W)x[c * j->ldb];
        y[r * j->ldc] = alpha * (T)sum + (beta == 0 ? 0 : beta * y[r * j->ldc]);
    }
}
static int NAME(symv)(blas_handle *h, const char *what, int uplo, bool hermitian, int n, const T *alpha,
                      const T *a, int lda, const T *x, int incx, const T *beta, T *y, int incy) {
    blas_job j = {.run = NAME(run_symv),
                  .what = what,
                  .n = n,
                  .uplo = uplo,
                  .side = hermitian,
                  .a = (uint64_t)(uintptr_t)a,
                  .b = (uint64_t)(uintptr_t)x,
                  .c = (uint64_t)(uintptr_t)y,
                  .lda = lda,
                  .ldb = incx,
                  .ldc = incy};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (n < 0 || lda < n || !incx || !incy) return BLAS_INVALID_VALUE;
    if (!n) return BLAS_OK;
    blas_scalar(h, &j, &j.alpha, j.alpha_value, alpha, sizeof(T));
    blas_scalar(h, &j, &j.beta, j.beta_value, beta, sizeof(T));
    blas_matrix(&j, j.a, n, n, lda, sizeof(T), false);
    j.operands[j.count - 1].rough = true; /* half of it */
    blas_vector(&j, j.b, n, incx, sizeof(T), false);
    blas_vector(&j, j.c, n, incy, sizeof(T), true);
    return blas_submit(h, &j);
}
API CUBLAS(symv_v2)(blas_handle *h, int uplo, int n, const T *alpha, const T *a, int lda, const T *x,
                    int incx, const T *beta, T *y, int incy) {
    return NAME(symv)(h, __func__, uplo, false, n, alpha, a, lda, x, incx, beta, y, incy);
}
#if IS_COMPLEX
API CUBLAS(hemv_v2)(blas_handle *h, int uplo, int n, const T *alpha, const T *a, int lda, const T *x,
                    int incx, const T *beta, T *y, int incy) {
    return NAME(symv)(h, __func__, uplo, true, n, alpha, a, lda, x, incx, beta, y, incy);
}
#endif

/* x = op(a) x, or op(a)^-1 x, for a triangular a; k: the product. */
static void NAME(run_triangular_vector)(const blas_job *j) {
    T *a = NAME(square)(NAME(at)(j->a), j->lda, j->n, NAME(TRIANGULAR), j);
    T *x = NAME(vector)(j->c, j->n, j->ldc),
      *copy = lockstep_cuda_memory(j->memory, (size_t)j->n * sizeof *copy);
    for (int64_t r = 0; r < j->n; r++) copy[r] = x[r * j->ldc];
    if (!j->k) NAME(solve)(a, j->n, (j->uplo == UPPER) == (j->op_a == OP_N), copy, 1, j->n);
    for (int64_t r = 0; r < j->n; r++) {
        W sum = 0;
        for (int64_t c = 0; j->k && c < j->n; c++) sum += (W)a[r + c * j->n] * (W)copy[c];
        x[r * j->ldc] = j->k ? (T)sum : copy[r];
    }
}
static int NAME(triangular_vector)(blas_handle *h, const char *what, bool product, int uplo, int op, int diag,
                                   int n, const T *a, int lda, T *x, int incx) {
    blas_job j = {.run = NAME(run_triangular_vector),
                  .what = what,
                  .n = n,
                  .k = product,
                  .uplo = uplo,
                  .op_a = op,
                  .unit = diag,
                  .a = (uint64_t)(uintptr_t)a,
                  .c = (uint64_t)(uintptr_t)x,
                  .lda = lda,
                  .ldc = incx};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (n < 0 || lda < n || !incx) return BLAS_INVALID_VALUE;
    if (!n) return BLAS_OK;
    blas_matrix(&j, j.a, n, n, lda, sizeof(T), false);
    j.operands[j.count - 1].rough = true; /* half of it */
    blas_vector(&j, j.c, n, incx, sizeof(T), false);
    blas_vector(&j, j.c, n, incx, sizeof(T), true);
    return blas_submit(h, &j);
}
API CUBLAS(trsv_v2)(blas_handle *h, int uplo, int op, int diag, int n, const T *a, int lda, T *x, int incx) {
    return NAME(triangular_vector)(h, __func__, false, uplo, op, diag, n, a, lda, x, incx);
}
API CUBLAS(trmv_v2)(blas_handle *h, int uplo, int op, int diag, int n, const T *a, int lda, T *x, int incx) {
    return NAME(triangular_vector)(h, __func__, true, uplo, op, diag, n, a, lda, x, incx);
}
