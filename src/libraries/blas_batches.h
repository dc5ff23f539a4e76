/* Routines of many small matrices, and products by a diagonal, of one type: a part of blas.h, which says what
 * is defined here. */

/* a = l u in its place, with rows exchanged where pivots are asked for. 0, or the first column that failed.
 */
static int NAME(decompose)(T *a, int64_t ld, int64_t n, int *pivots) {
    int failed = 0;
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t r = k + 1; pivots && r < n; r++)
            if (SQUARE(a[r + k * ld]) > SQUARE(a[best + k * ld])) best = r;
        if (pivots) pivots[k] = (int)best + 1;
        for (int64_t c = 0; best != k && c < n; c++) {
            const T t = a[k + c * ld];
            a[k + c * ld] = a[best + c * ld];
            a[best + c * ld] = t;
        }
        if (a[k + k * ld] == 0) {
            if (!failed) failed = (int)k + 1;
            continue;
        }
        for (int64_t r = k + 1; r < n; r++) {
            const T factor = a[r + k * ld] /= a[k + k * ld];
            for (int64_t c = k + 1; c < n; c++) a[r + c * ld] -= factor * a[k + c * ld];
        }
    }
    return failed;
}
static void NAME(run_getrf)(const blas_job *j) { /* b: the pivots, or 0; c: where it failed */
    int *pivots = j->b ? lockstep_cuda_host(j->b) : NULL;
    *(int *)lockstep_cuda_host(j->c) = NAME(decompose)(NAME(at)(j->a), j->lda, j->n, pivots);
}
API CUBLAS(getrfBatched)(blas_handle *h, int n, T *const *a, int lda, int *pivots, int *info, int count) {
    if (!h) return BLAS_NOT_INITIALIZED;
    if (n < 0 || lda < n || count < 0) return BLAS_INVALID_VALUE;
    const uint64_t *pa = lockstep_cuda_host((uint64_t)(uintptr_t)a);
    int status = BLAS_OK;
    for (int i = 0; n && i < count && !status; i++) {
        blas_job j = {.run = NAME(run_getrf),
                      .what = __func__,
                      .n = n,
                      .a = pa[i],
                      .b = pivots ? (uint64_t)(uintptr_t)(pivots + (size_t)i * (size_t)n) : 0,
                      .c = (uint64_t)(uintptr_t)(info + i),
                      .lda = lda};
        blas_matrix(&j, j.a, n, n, lda, sizeof(T), false);
        blas_matrix(&j, j.a, n, n, lda, sizeof(T), true);
        if (pivots) blas_vector(&j, j.b, n, 1, sizeof(int), true);
        blas_vector(&j, j.c, 1, 1, sizeof(int), true);
        status = blas_submit(h, &j);
    }
    return status;
}

/* Solves op(l u) x = b, in b's place. */
static void NAME(solve_decomposed)(const blas_job *j, const T *lu, int64_t ld, int64_t n, const int *pivots,
                                   int op, T *b, int64_t columns, int64_t ldb) {
    const blas_job lower = {.uplo = LOWER, .unit = 1, .op_a = op, .memory = j->memory},
                   upper = {.uplo = UPPER, .op_a = op, .memory = j->memory};
    T *l = NAME(square)(lu, ld, n, NAME(TRIANGULAR), &lower);
    T *u = NAME(square)(lu, ld, n, NAME(TRIANGULAR), &upper);
    const bool plain = op == OP_N;
    if (!plain) {
        NAME(solve)(u, n, false, b, columns, ldb);
        NAME(solve)(l, n, true, b, columns, ldb);
    }
    for (int64_t step = 0; pivots && step < n; step++) {
        const int64_t k = plain ? step : n - 1 - step, other = pivots[k] - 1;
        for (int64_t c = 0; c < columns; c++) {
            const T t = b[k + c * ldb];
            b[k + c * ldb] = b[other + c * ldb];
            b[other + c * ldb] = t;
        }
    }
    if (plain) {
        NAME(solve)(l, n, false, b, columns, ldb);
        NAME(solve)(u, n, true, b, columns, ldb);
    }
}

/* b = op(a)^-1 b for decomposed matrices; the pivots are at `more`. */
static void NAME(run_getrs)(const blas_job *j) {
    NAME(solve_decomposed)
    (j, NAME(at)(j->a), j->lda, j->n, j->more ? lockstep_cuda_host(j->more) : NULL, j->op_a, NAME(at)(j->b),
     j->k, j->ldb);
}
API CUBLAS(getrsBatched)(blas_handle *h, int op, int n, int columns, const T *const *a, int lda,
                         const int *pivots, T *const *b, int ldb, int *info, int count) {
    if (!h) return BLAS_NOT_INITIALIZED;
    if (n < 0 || columns < 0 || lda < n || ldb < n || count < 0 || !info) return BLAS_INVALID_VALUE;
    const uint64_t *pa = lockstep_cuda_host((uint64_t)(uintptr_t)a),
                   *pb = lockstep_cuda_host((uint64_t)(uintptr_t)b);
    int status = BLAS_OK;
    *info = 0;
    for (int i = 0; n && columns && i < count && !status; i++) {
        blas_job j = {.run = NAME(run_getrs),
                      .what = __func__,
                      .n = n,
                      .k = columns,
                      .op_a = op,
                      .a = pa[i],
                      .b = pb[i],
                      .more = pivots ? (uint64_t)(uintptr_t)(pivots + (size_t)i * (size_t)n) : 0,
                      .lda = lda,
                      .ldb = ldb};
        blas_matrix(&j, j.a, n, n, lda, sizeof(T), false);
        blas_matrix(&j, j.b, n, columns, ldb, sizeof(T), false);
        blas_matrix(&j, j.b, n, columns, ldb, sizeof(T), true);
        if (pivots) blas_vector(&j, j.more, n, 1, sizeof(int), false);
        status = blas_submit(h, &j);
    }
    return status;
}

/* b = a^-1; a is decomposed, or (k) is to be. result: where it failed. */
static void NAME(run_inverse)(const blas_job *j) {
    const int64_t n = j->n;
    const T *a = NAME(at)(j->a);
    T *copy = NAME(plain)(j, a, j->lda, OP_N, n, n), *b = NAME(at)(j->b);
    int *own = lockstep_cuda_memory(j->memory, (size_t)n * sizeof *own), failed = 0;
    const int *pivots = j->more ? lockstep_cuda_host(j->more) : NULL;
    if (j->k) {
        failed = NAME(decompose)(copy, n, n, own);
        pivots = own;
    }
    for (int64_t k = 0; !failed && k < n; k++)
        if (copy[k + k * n] == 0) failed = (int)k + 1;
    for (int64_t c = 0; !failed && c < n; c++)
        for (int64_t r = 0; r < n; r++) b[r + c * j->ldb] = r == c;
    if (!failed) NAME(solve_decomposed)(j, copy, n, n, pivots, OP_N, b, n, j->ldb);
    *(int *)lockstep_cuda_host(j->result) = failed;
}
static int NAME(inverse)(blas_handle *h, const char *what, bool whole, int n, const T *const *a, int lda,
                         const int *pivots, T *const *b, int ldb, int *info, int count) {
    if (!h) return BLAS_NOT_INITIALIZED;
    if (n < 0 || lda < n || ldb < n || count < 0) return BLAS_INVALID_VALUE;
    const uint64_t *pa = lockstep_cuda_host((uint64_t)(uintptr_t)a),
                   *pb = lockstep_cuda_host((uint64_t)(uintptr_t)b);
    int status = BLAS_OK;
    for (int i = 0; n && i < count && !status; i++) {
        blas_job j = {.run = NAME(run_inverse),
                      .what = what,
                      .n = n,
                      .k = whole,
                      .a = pa[i],
                      .b = pb[i],
                      .more = pivots ? (uint64_t)(uintptr_t)(pivots + (size_t)i * (size_t)n) : 0,
                      .result = (uint64_t)(uintptr_t)(info + i),
                      .lda = lda,
                      .ldb = ldb};
        blas_matrix(&j, j.a, n, n, lda, sizeof(T), false);
        blas_matrix(&j, j.b, n, n, ldb, sizeof(T), true);
        if (pivots) blas_vector(&j, j.more, n, 1, sizeof(int), false);
        blas_vector(&j, j.result, 1, 1, sizeof(int), true);
        status = blas_submit(h, &j);
    }
    return status;
}
API CUBLAS(getriBatched)(blas_handle *h, int n, const T *const *a, int lda, const int *pivots, T *const *b,
                         int ldb, int *info, int count) {
    return NAME(inverse)(h, __func__, false, n, a, lda, pivots, b, ldb, info, count);
}
API CUBLAS(matinvBatched)(blas_handle *h, int n, const T *const *a, int lda, T *const *b, int ldb, int *info,
                          int count) {
    if (n > 32) return BLAS_INVALID_VALUE; /* as there */
    return NAME(inverse)(h, __func__, true, n, a, lda, NULL, b, ldb, info, count);
}

API CUBLAS(trsmBatched)(blas_handle *h, int side, int uplo, int op, int diag, int m, int n, const T *alpha,
                        const T *const *a, int lda, T *const *b, int ldb, int count) {
    if (!h) return BLAS_NOT_INITIALIZED;
    const T *const *pa = lockstep_cuda_host((uint64_t)(uintptr_t)a);
    T *const *pb = lockstep_cuda_host((uint64_t)(uintptr_t)b);
    int status = BLAS_OK;
    for (int i = 0; i < count && !status; i++)
        status = NAME(triangular)(h, __func__, false, side, uplo, op, diag, m, n, alpha, pa[i], lda, pb[i],
                                  ldb, pb[i], ldb);
    return status;
}
API CUBLAS(gemvBatched)(blas_handle *h, int op, int m, int n, const T *alpha, const T *const *a, int lda,
                        const T *const *x, int incx, const T *beta, T *const *y, int incy, int count) {
    if (!h) return BLAS_NOT_INITIALIZED;
    const uint64_t *pa = lockstep_cuda_host((uint64_t)(uintptr_t)a),
                   *px = lockstep_cuda_host((uint64_t)(uintptr_t)x),
                   *py = lockstep_cuda_host((uint64_t)(uintptr_t)y);
    int status = BLAS_OK;
    for (int i = 0; i < count && !status; i++)
        status = NAME(gemv)(h, __func__, op, m, n, alpha, pa[i], lda, px[i], incx, beta, py[i], incy);
    return status;
}
API CUBLAS(gemvStridedBatched)(blas_handle *h, int op, int m, int n, const T *alpha, const T *a, int lda,
                               long long stride_a, const T *x, int incx, long long stride_x, const T *beta,
                               T *y, int incy, long long stride_y, int count) {
    int status = BLAS_OK;
    for (long long i = 0; i < count && !status; i++)
        status = NAME(gemv)(h, __func__, op, m, n, alpha,
                            (uint64_t)(uintptr_t)a + (uint64_t)(i * stride_a) * sizeof(T), lda,
                            (uint64_t)(uintptr_t)x + (uint64_t)(i * stride_x) * sizeof(T), incx, beta,
                            (uint64_t)(uintptr_t)y + (uint64_t)(i * stride_y) * sizeof(T), incy);
    return status;
}

static void NAME(run_dgmm)(const blas_job *j) {
    const T *a = NAME(at)(j->a), *x = NAME(vector)(j->b, j->side == LEFT ? j->m : j->n, j->ldb);
    T *c = NAME(at)(j->c);
    for (int64_t q = 0; q < j->n; q++)
        for (int64_t r = 0; r < j->m; r++)
            c[r + q * j->ldc] = a[r + q * j->lda] * x[(j->side == LEFT ? r : q) * j->ldb];
}
API CUBLAS(dgmm)(blas_handle *h, int side, int m, int n, const T *a, int lda, const T *x, int incx, T *c,
                 int ldc) {
    blas_job j = {.run = NAME(run_dgmm),
                  .what = __func__,
                  .m = m,
                  .n = n,
                  .side = side,
                  .a = (uint64_t)(uintptr_t)a,
                  .b = (uint64_t)(uintptr_t)x,
                  .c = (uint64_t)(uintptr_t)c,
                  .lda = lda,
                  .ldb = incx,
                  .ldc = ldc};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || lda < m || ldc < m) return BLAS_INVALID_VALUE;
    if (!m || !n) return BLAS_OK;
    blas_matrix(&j, j.a, m, n, lda, sizeof(T), false);
    blas_vector(&j, j.b, side == LEFT ? m : n, incx, sizeof(T), false);
    blas_matrix(&j, j.c, m, n, ldc, sizeof(T), true);
    return blas_submit(h, &j);
}
