/* The routines of one type; included once for each, with
 *   T      the type of an element,      R        the type of its parts,
 *   NAME(x) the routine's name,         CUBLAS(x) the name in the interface,
 *   W (the sums of long vectors are of this type: a GPU adds up in a tree, which loses as little), CONJ(x),
 * SQUARE(x) (of the absolute value), ABS1(x) (sum of the parts' absolute values), IS_COMPLEX. Matrices are
 * column by column. What is triangular, symmetric or transposed is made a plain matrix first. */

/* --- Views --- */
static T *NAME(at)(uint64_t address) {
    return lockstep_cuda_host(address);
}
static T NAME(value)(const blas_job *j, uint64_t address, const double value[2]) {
    T x;
    memcpy(&x, blas_scalar_of(j, address, value), sizeof x);
    return x;
}
/* The first element of a vector whose elements go backwards where the distance is negative. */
static T *NAME(vector)(uint64_t address, int n, int64_t distance) {
    return NAME(at)(address) + (distance < 0 ? (1 - n) * distance : 0);
}

/* rows × columns, column by column, from op(a). */
static T *NAME(plain)(const blas_job *j, const T *a, int64_t ld, int op, int64_t rows, int64_t columns) {
    T *p = lockstep_cuda_memory(j->memory, (size_t)(rows * columns + 1) * sizeof *p);
    for (int64_t c = 0; c < columns; c++)
        for (int64_t r = 0; r < rows; r++) {
            const T x = op == OP_N ? a[r + c * ld] : a[c + r * ld];
            p[r + c * rows] = op == OP_C ? CONJ(x) : x;
        }
    return p;
}

/* n × n from the stored half: symmetric, Hermitian, or triangular with op. */
enum { NAME(SYMMETRIC), NAME(HERMITIAN), NAME(TRIANGULAR) };
static T *NAME(square)(const T *a, int64_t ld, int64_t n, int kind, const blas_job *j) {
    T *p = lockstep_cuda_memory(j->memory, (size_t)(n * n + 1) * sizeof *p);
    for (int64_t c = 0; c < n; c++)
        for (int64_t r = 0; r < n; r++) {
            const bool stored = j->uplo == UPPER ? r <= c : r >= c;
            T x = stored ? a[r + c * ld] : kind == NAME(TRIANGULAR) ? 0 : a[c + r * ld];
            if (!stored && kind == NAME(HERMITIAN)) x = CONJ(x);
            if (kind == NAME(TRIANGULAR) && j->unit && r == c) x = 1;
            if (kind == NAME(TRIANGULAR) && j->op_a != OP_N)
                p[c + r * n] = j->op_a == OP_C ? CONJ(x) : x;
            else
                p[r + c * n] = x;
        }
    return p;
}

/* c = alpha a b + beta c for plain a (m × k) and b (k × n); c does not count where beta is 0, nor a and b
 * where alpha is, even with values that are no numbers. */
static void NAME(product)(lockstep_memory *memory, int64_t m, int64_t n, int64_t k, T alpha, const T *a,
                          const T *b, T beta, T *c, int64_t ldc) {
    T *sum = lockstep_cuda_memory(memory, (size_t)m * sizeof *sum);
    for (int64_t y = 0; y < n; y++) {
        for (int64_t x = 0; x < m; x++) sum[x] = 0;
        for (int64_t z = 0; alpha != 0 && z < k; z++) {
            const T factor = b[z + y * k];
            const T *column = a + z * m;
            for (int64_t x = 0; x < m; x++) sum[x] += column[x] * factor;
        }
        T *to = c + y * ldc;
        if (beta == 0)
            for (int64_t x = 0; x < m; x++) to[x] = alpha * sum[x];
        else
            for (int64_t x = 0; x < m; x++) to[x] = alpha * sum[x] + beta * to[x];
    }
}

/* Solves a x = b for plain triangular a, column by column of b; upper: of a as it stands. */
static void NAME(solve)(const T *a, int64_t n, bool upper, T *b, int64_t columns, int64_t ldb) {
    for (int64_t c = 0; c < columns; c++) {
        T *x = b + c * ldb;
        for (int64_t step = 0; step < n; step++) {
            const int64_t r = upper ? n - 1 - step : step;
            x[r] /= a[r + r * n];
            for (int64_t q = upper ? 0 : r + 1; q < (upper ? r : n); q++) x[q] -= a[q + r * n] * x[r];
        }
    }
}

#include "libraries/blas_vectors.h"

#include "libraries/blas_columns.h"

#include "libraries/blas_matrices.h"

#include "libraries/blas_batches.h"

#include "libraries/blas_least.h"
