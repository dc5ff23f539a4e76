/* Routines of matrices, and decompositions of many small ones, of one type: a part of blas.h, which says what
 * is defined here. */

static void NAME(run_gemm)(const blas_job *j) {
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value), beta = NAME(value)(j, j->beta, j->beta_value);
    T *a = NAME(plain)(j, NAME(at)(j->a), j->lda, j->op_a, j->m, j->k);
    T *b = NAME(plain)(j, NAME(at)(j->b), j->ldb, j->op_b, j->k, j->n);
    NAME(product)(j->memory, j->m, j->n, j->k, alpha, a, b, beta, NAME(at)(j->c), j->ldc);
}
static int NAME(gemm)(blas_handle *h, const char *what, int op_a, int op_b, int m, int n, int k,
                      const T *alpha, uint64_t a, int lda, uint64_t b, int ldb, const T *beta, uint64_t c,
                      int ldc) {
    blas_job j = {.run = NAME(run_gemm),
                  .what = what,
                  .m = m,
                  .n = n,
                  .k = k,
                  .op_a = op_a,
                  .op_b = op_b,
                  .a = a,
                  .b = b,
                  .c = c,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || k < 0 || lda < (op_a == OP_N ? m : k) || ldb < (op_b == OP_N ? k : n) || ldc < m)
        return BLAS_INVALID_VALUE;
    if (!m || !n) return BLAS_OK;
    blas_scalar(h, &j, &j.alpha, j.alpha_value, alpha, sizeof(T));
    blas_scalar(h, &j, &j.beta, j.beta_value, beta, sizeof(T));
    blas_matrix(&j, a, op_a == OP_N ? m : k, op_a == OP_N ? k : m, lda, sizeof(T), false);
    blas_matrix(&j, b, op_b == OP_N ? k : n, op_b == OP_N ? n : k, ldb, sizeof(T), false);
    blas_matrix(&j, c, m, n, ldc, sizeof(T), true);
    return blas_submit(h, &j);
}
API CUBLAS(gemm_v2)(blas_handle *h, int op_a, int op_b, int m, int n, int k, const T *alpha, const T *a,
                    int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {
    return NAME(gemm)(h, __func__, op_a, op_b, m, n, k, alpha, (uint64_t)(uintptr_t)a, lda,
                      (uint64_t)(uintptr_t)b, ldb, beta, (uint64_t)(uintptr_t)c, ldc);
}
/* Of several devices (cublasXt): operands may be the host's, and it is done when the call returns. */
API CUBLASXT(gemm)(blas_handle *h, int op_a, int op_b, size_t m, size_t n, size_t k, const T *alpha,
                   const T *a, size_t lda, const T *b, size_t ldb, const T *beta, T *c, size_t ldc) {
    if (m > INT_MAX || n > INT_MAX || k > INT_MAX || lda > INT_MAX || ldb > INT_MAX || ldc > INT_MAX)
        return BLAS_INVALID_VALUE;
    return CUBLAS(gemm_v2)(h, op_a, op_b, (int)m, (int)n, (int)k, alpha, a, (int)lda, b, (int)ldb, beta, c,
                           (int)ldc);
}
API CUBLAS(gemmStridedBatched)(blas_handle *h, int op_a, int op_b, int m, int n, int k, const T *alpha,
                               const T *a, int lda, long long stride_a, const T *b, int ldb,
                               long long stride_b, const T *beta, T *c, int ldc, long long stride_c,
                               int count) {
    int status = BLAS_OK;
    for (long long i = 0; i < count && !status; i++)
        status = NAME(gemm)(h, __func__, op_a, op_b, m, n, k, alpha,
                            (uint64_t)(uintptr_t)a + (uint64_t)(i * stride_a) * sizeof(T), lda,
                            (uint64_t)(uintptr_t)b + (uint64_t)(i * stride_b) * sizeof(T), ldb, beta,
                            (uint64_t)(uintptr_t)c + (uint64_t)(i * stride_c) * sizeof(T), ldc);
    return status;
}
API CUBLAS(gemmBatched)(blas_handle *h, int op_a, int op_b, int m, int n, int k, const T *alpha,
                        const T *const *a, int lda, const T *const *b, int ldb, const T *beta, T *const *c,
                        int ldc, int count) {
    int status = BLAS_OK;
    const uint64_t *pa, *pb, *pc;
    if (!h) return BLAS_NOT_INITIALIZED;
    pa = lockstep_cuda_host((uint64_t)(uintptr_t)a);
    pb = lockstep_cuda_host((uint64_t)(uintptr_t)b);
    pc = lockstep_cuda_host((uint64_t)(uintptr_t)c);
    for (int i = 0; i < count && !status; i++)
        status =
            NAME(gemm)(h, __func__, op_a, op_b, m, n, k, alpha, pa[i], lda, pb[i], ldb, beta, pc[i], ldc);
    return status;
}

static void NAME(run_symm)(const blas_job *j) { /* unit: Hermitian */
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value), beta = NAME(value)(j, j->beta, j->beta_value);
    const bool left = j->side == LEFT;
    T *s = NAME(square)(NAME(at)(j->a), j->lda, left ? j->m : j->n,
                        j->unit ? NAME(HERMITIAN) : NAME(SYMMETRIC), j);
    T *b = NAME(plain)(j, NAME(at)(j->b), j->ldb, OP_N, j->m, j->n);
    NAME(product)
    (j->memory, j->m, j->n, left ? j->m : j->n, alpha, left ? s : b, left ? b : s, beta, NAME(at)(j->c),
     j->ldc);
}
/* A job with a square matrix A, on the side that the job says, and matrices B and C of m × n. beta: where the
 * pointer to it is; NULL: the routine has none. */
static int NAME(submit_sided)(blas_handle *h, blas_job *j, const T *alpha, const T *const *beta) {
    const int size = j->side == LEFT ? j->m : j->n;
    if (!h) return BLAS_NOT_INITIALIZED;
    if (j->m < 0 || j->n < 0 || j->lda < size || j->ldb < j->m || j->ldc < j->m) return BLAS_INVALID_VALUE;
    if (!j->m || !j->n) return BLAS_OK;
    blas_scalar(h, j, &j->alpha, j->alpha_value, alpha, sizeof(T));
    if (beta) blas_scalar(h, j, &j->beta, j->beta_value, *beta, sizeof(T));
    blas_matrix(j, j->a, size, size, j->lda, sizeof(T), false);
    j->operands[j->count - 1].rough = true;
    blas_matrix(j, j->b, j->m, j->n, j->ldb, sizeof(T), false);
    blas_matrix(j, j->c, j->m, j->n, j->ldc, sizeof(T), true);
    return blas_submit(h, j);
}
static int NAME(symm)(blas_handle *h, const char *what, bool hermitian, int side, int uplo, int m, int n,
                      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c,
                      int ldc) {
    blas_job j = {.run = NAME(run_symm),
                  .what = what,
                  .m = m,
                  .n = n,
                  .side = side,
                  .uplo = uplo,
                  .unit = hermitian,
                  .a = (uint64_t)(uintptr_t)a,
                  .b = (uint64_t)(uintptr_t)b,
                  .c = (uint64_t)(uintptr_t)c,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc};
    return NAME(submit_sided)(h, &j, alpha, &beta);
}
API CUBLAS(symm_v2)(blas_handle *h, int side, int uplo, int m, int n, const T *alpha, const T *a, int lda,
                    const T *b, int ldb, const T *beta, T *c, int ldc) {
    return NAME(symm)(h, __func__, false, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
#if IS_COMPLEX
API CUBLAS(hemm_v2)(blas_handle *h, int side, int uplo, int m, int n, const T *alpha, const T *a, int lda,
                    const T *b, int ldb, const T *beta, T *c, int ldc) {
    return NAME(symm)(h, __func__, true, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc);
}
#endif

/* c = alpha op(a) op(a)^T + beta c, of which half is written. */
static void NAME(run_syrk)(const blas_job *j) {
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value), beta = NAME(value)(j, j->beta, j->beta_value);
    T *a = NAME(plain)(j, NAME(at)(j->a), j->lda, j->op_a, j->n, j->k), *c = NAME(at)(j->c);
    for (int64_t q = 0; q < j->n; q++)
        for (int64_t r = j->uplo == UPPER ? 0 : q; r < (j->uplo == UPPER ? q + 1 : j->n); r++) {
            T sum = 0;
            for (int64_t z = 0; alpha != 0 && z < j->k; z++) sum += a[r + z * j->n] * a[q + z * j->n];
            c[r + q * j->ldc] = alpha * sum + (beta == 0 ? 0 : beta * c[r + q * j->ldc]);
        }
}
API CUBLAS(syrk_v2)(blas_handle *h, int uplo, int op, int n, int k, const T *alpha, const T *a, int lda,
                    const T *beta, T *c, int ldc) {
    blas_job j = {.run = NAME(run_syrk),
                  .what = __func__,
                  .n = n,
                  .k = k,
                  .op_a = op == OP_N ? OP_N : OP_T,
                  .uplo = uplo,
                  .a = (uint64_t)(uintptr_t)a,
                  .c = (uint64_t)(uintptr_t)c,
                  .lda = lda,
                  .ldc = ldc};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (n < 0 || k < 0 || lda < (op == OP_N ? n : k) || ldc < n) return BLAS_INVALID_VALUE;
    if (!n) return BLAS_OK;
    blas_scalar(h, &j, &j.alpha, j.alpha_value, alpha, sizeof(T));
    blas_scalar(h, &j, &j.beta, j.beta_value, beta, sizeof(T));
    blas_matrix(&j, j.a, op == OP_N ? n : k, op == OP_N ? k : n, lda, sizeof(T), false);
    blas_matrix(&j, j.c, n, n, ldc, sizeof(T), true);
    j.operands[j.count - 1].rough = true;
    return blas_submit(h, &j);
}

/* b = alpha op(a)^-1 b, or b op(a)^-1; with k: products instead of solutions, into c. */
static void NAME(run_triangular)(const blas_job *j) {
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value);
    const bool left = j->side == LEFT, upper = (j->uplo == UPPER) == (j->op_a == OP_N);
    const int64_t size = left ? j->m : j->n;
    T *a = NAME(square)(NAME(at)(j->a), j->lda, size, NAME(TRIANGULAR), j), *b = NAME(at)(j->b);
    T *copy = NAME(plain)(j, b, j->ldb, OP_N, j->m, j->n);
    if (j->k) {
        T *to = NAME(at)(j->c); /* a factor of 0 is multiplied by here, as there */
        NAME(product)(j->memory, j->m, j->n, size, 1, left ? a : copy, left ? copy : a, 0, to, j->ldc);
        for (int64_t c = 0; c < j->n; c++)
            for (int64_t r = 0; r < j->m; r++) to[r + c * j->ldc] *= alpha;
    } else { /* from the right: the transposed system */
        T *rhs = left ? copy : NAME(plain)(j, copy, j->m, OP_T, j->n, j->m);
        T *matrix = left ? a : NAME(plain)(j, a, size, OP_T, size, size);
        NAME(solve)(matrix, size, left ? upper : !upper, rhs, left ? j->n : j->m, size);
        for (int64_t c = 0; c < j->n; c++)
            for (int64_t r = 0; r < j->m; r++)
                b[r + c * j->ldb] = alpha * (left ? rhs[r + c * size] : rhs[c + r * size]);
    }
}
static int NAME(triangular)(blas_handle *h, const char *what, bool product, int side, int uplo, int op,
                            int diag, int m, int n, const T *alpha, const T *a, int lda, const T *b, int ldb,
                            T *c, int ldc) {
    blas_job j = {.run = NAME(run_triangular),
                  .what = what,
                  .m = m,
                  .n = n,
                  .k = product,
                  .side = side,
                  .uplo = uplo,
                  .op_a = op,
                  .unit = diag,
                  .a = (uint64_t)(uintptr_t)a,
                  .b = (uint64_t)(uintptr_t)b,
                  .c = (uint64_t)(uintptr_t)c,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc};
    return NAME(submit_sided)(h, &j, alpha, NULL);
}
API CUBLAS(trsm_v2)(blas_handle *h, int side, int uplo, int op, int diag, int m, int n, const T *alpha,
                    const T *a, int lda, T *b, int ldb) {
    return NAME(triangular)(h, __func__, false, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, b, ldb);
}
API CUBLAS(trmm_v2)(blas_handle *h, int side, int uplo, int op, int diag, int m, int n, const T *alpha,
                    const T *a, int lda, const T *b, int ldb, T *c, int ldc) {
    return NAME(triangular)(h, __func__, true, side, uplo, op, diag, m, n, alpha, a, lda, b, ldb, c, ldc);
}

static void NAME(run_geam)(const blas_job *j) {
    const T alpha = NAME(value)(j, j->alpha, j->alpha_value), beta = NAME(value)(j, j->beta, j->beta_value);
    T *a = alpha == 0 ? NULL : NAME(plain)(j, NAME(at)(j->a), j->lda, j->op_a, j->m, j->n);
    T *b = beta == 0 ? NULL : NAME(plain)(j, NAME(at)(j->b), j->ldb, j->op_b, j->m, j->n),
      *c = NAME(at)(j->c);
    for (int64_t q = 0; q < j->n; q++)
        for (int64_t r = 0; r < j->m; r++)
            c[r + q * j->ldc] = (a ? alpha * a[r + q * j->m] : 0) + (b ? beta * b[r + q * j->m] : 0);
}
API CUBLAS(geam)(blas_handle *h, int op_a, int op_b, int m, int n, const T *alpha, const T *a, int lda,
                 const T *beta, const T *b, int ldb, T *c, int ldc) {
    blas_job j = {.run = NAME(run_geam),
                  .what = __func__,
                  .m = m,
                  .n = n,
                  .op_a = op_a,
                  .op_b = op_b,
                  .a = (uint64_t)(uintptr_t)a,
                  .b = (uint64_t)(uintptr_t)b,
                  .c = (uint64_t)(uintptr_t)c,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc};
    if (!h) return BLAS_NOT_INITIALIZED;
    if (m < 0 || n < 0 || ldc < m) return BLAS_INVALID_VALUE;
    if (!m || !n) return BLAS_OK;
    blas_scalar(h, &j, &j.alpha, j.alpha_value, alpha, sizeof(T));
    blas_scalar(h, &j, &j.beta, j.beta_value, beta, sizeof(T));
    const bool reads_a = j.device_scalars ? a != NULL : *alpha != 0,
               reads_b = j.device_scalars ? b != NULL : *beta != 0;
    if (reads_a) blas_matrix(&j, j.a, op_a == OP_N ? m : n, op_a == OP_N ? n : m, lda, sizeof(T), false);
    if (reads_b) blas_matrix(&j, j.b, op_b == OP_N ? m : n, op_b == OP_N ? n : m, ldb, sizeof(T), false);
    blas_matrix(&j, j.c, m, n, ldc, sizeof(T), true);
    return blas_submit(h, &j);
}
