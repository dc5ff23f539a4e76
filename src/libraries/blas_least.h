/* Least squares of many small matrices by Householder's reflections (Golub and Van Loan, Matrix Computations,
 * 5.1), in LAPACK's form, of one type: a part of blas.h, which says what is defined here. */

/* The reflection I - tau v v^H that takes column k of a below its diagonal to zero: v is left there, with a 1
 * that is not stored, and on the diagonal what becomes of it. */
static T NAME(reflection)(T *a, int64_t ld, int64_t m, int64_t k) {
    T *x = a + k * ld;
    const T first = x[k];
    double below = 0, all;
    for (int64_t r = k + 1; r < m; r++) below += SQUARE(x[r]);
    all = below + SQUARE(first);
    if (below == 0 && first == (T)(R)first) return 0;
    const R norm = (R)sqrt(all), beta = (R)first > 0 ? -norm : norm;
    const T scale = 1 / (first - beta);
    for (int64_t r = k + 1; r < m; r++) x[r] *= scale;
    x[k] = beta;
    return (beta - first) / beta;
}

/* (I - conj(tau) v v^H) b, where column k of a holds v. */
static void NAME(reflect)(const T *a, int64_t ld, int64_t m, int64_t k, T tau, T *b, int64_t columns,
                          int64_t ldb) {
    const T *v = a + k * ld;
    for (int64_t c = 0; c < columns; c++) {
        T *x = b + c * ldb, sum = x[k];
        for (int64_t r = k + 1; r < m; r++) sum += CONJ(v[r]) * x[r];
        sum *= CONJ(tau);
        x[k] -= sum;
        for (int64_t r = k + 1; r < m; r++) x[r] -= sum * v[r];
    }
}

static void NAME(run_geqrf)(const blas_job *j) { /* b: the factors tau */
    T *a = NAME(at)(j->a), *tau = NAME(at)(j->b);
    for (int64_t k = 0; k < j->m && k < j->n; k++) {
        tau[k] = NAME(reflection)(a, j->lda, j->m, k);
        NAME(reflect)(a, j->lda, j->m, k, tau[k], a + (k + 1) * j->lda, j->n - k - 1, j->lda);
    }
}
API CUBLAS(geqrfBatched)(blas_handle *h, int m, int n, T *const *a, int lda, T *const *tau, int *info,
                         int count) {
    if (!h) return BLAS_NOT_INITIALIZED;
    if (!info) return BLAS_INVALID_VALUE;
    *info = m < 0 ? -1 : n < 0 ? -2 : lda < (m > 1 ? m : 1) ? -4 : count < 0 ? -7 : 0;
    if (*info) return BLAS_INVALID_VALUE;
    const uint64_t *pa = lockstep_cuda_host((uint64_t)(uintptr_t)a),
                   *pt = lockstep_cuda_host((uint64_t)(uintptr_t)tau);
    int status = BLAS_OK;
    for (int i = 0; m && n && i < count && !status; i++) {
        blas_job j = {.run = NAME(run_geqrf), .what = __func__, .m = m, .n = n, .a = pa[i], .b = pt[i]};
        j.lda = lda;
        blas_matrix(&j, j.a, m, n, lda, sizeof(T), false);
        blas_matrix(&j, j.a, m, n, lda, sizeof(T), true);
        blas_vector(&j, j.b, m < n ? m : n, 1, sizeof(T), true);
        status = blas_submit(h, &j);
    }
    return status;
}

/* a is decomposed, b becomes Q^H b, and its first rows the solution of R x = b. result: the first diagonal
 * element of R that is zero, where it is asked for. */
static void NAME(run_gels)(const blas_job *j) {
    T *a = NAME(at)(j->a), *b = NAME(at)(j->b);
    int failed = 0;
    for (int64_t k = 0; k < j->n; k++) {
        const T tau = NAME(reflection)(a, j->lda, j->m, k);
        NAME(reflect)(a, j->lda, j->m, k, tau, a + (k + 1) * j->lda, j->n - k - 1, j->lda);
        NAME(reflect)(a, j->lda, j->m, k, tau, b, j->k, j->ldb);
        if (!failed && a[k + k * j->lda] == 0) failed = (int)k + 1;
    }
    const blas_job upper = {.uplo = UPPER, .op_a = OP_N, .memory = j->memory};
    if (!failed)
        NAME(solve)(NAME(square)(a, j->lda, j->n, NAME(TRIANGULAR), &upper), j->n, true, b, j->k, j->ldb);
    if (j->result) *(int *)lockstep_cuda_host(j->result) = failed;
}
API CUBLAS(gelsBatched)(blas_handle *h, int op, int m, int n, int columns, T *const *a, int lda, T *const *b,
                        int ldb, int *info, int *infos, int count) {
    if (!h) return BLAS_NOT_INITIALIZED;
    if (!info) return BLAS_INVALID_VALUE;
    *info = m < 0                   ? -2
            : n < 0                 ? -3
            : columns < 0           ? -4
            : lda < (m > 1 ? m : 1) ? -6
            : ldb < (m > 1 ? m : 1) ? -8
            : count < 0             ? -11
                                    : 0;
    if (*info) return BLAS_INVALID_VALUE;
    if (op != OP_N || m < n) return BLAS_NOT_SUPPORTED; /* as there */
    const uint64_t *pa = lockstep_cuda_host((uint64_t)(uintptr_t)a),
                   *pb = lockstep_cuda_host((uint64_t)(uintptr_t)b);
    int status = BLAS_OK;
    for (int i = 0; m && n && i < count && !status; i++) {
        blas_job j = {.run = NAME(run_gels), .what = __func__, .m = m, .n = n, .k = columns, .a = pa[i]};
        j.b = pb[i], j.lda = lda, j.ldb = ldb;
        j.result = infos ? (uint64_t)(uintptr_t)(infos + i) : 0;
        blas_matrix(&j, j.a, m, n, lda, sizeof(T), false);
        blas_matrix(&j, j.a, m, n, lda, sizeof(T), true);
        blas_matrix(&j, j.b, m, columns, ldb, sizeof(T), false);
        blas_matrix(&j, j.b, m, columns, ldb, sizeof(T), true);
        if (infos) blas_vector(&j, j.result, 1, 1, sizeof(int), true);
        status = blas_submit(h, &j);
    }
    return status;
}
