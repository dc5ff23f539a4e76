/* A program of cuSPARSE, run by `lockstep run`: what it computes is held against plain loops over a dense
 * matrix. With an argument a product reads beyond its vector. */
#include "on_device.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int cusparseCreate(void **h);
int cusparseDestroy(void *h);
int cusparseCreateCsr(void **m, int64_t rows, int64_t columns, int64_t count, void *offsets, void *indices,
                      void *values, int offset_type, int index_type, int base, int type);
int cusparseCreateCsc(void **m, int64_t rows, int64_t columns, int64_t count, void *offsets, void *indices,
                      void *values, int offset_type, int index_type, int base, int type);
int cusparseCreateCoo(void **m, int64_t rows, int64_t columns, int64_t count, void *row_indices,
                      void *indices, void *values, int index_type, int base, int type);
int cusparseCreateDnVec(void **v, int64_t size, void *values, int type);
int cusparseCreateDnMat(void **m, int64_t rows, int64_t columns, int64_t ld, void *values, int type,
                        int order);
int cusparseCreateSpVec(void **v, int64_t size, int64_t count, void *indices, void *values, int index_type,
                        int base, int type);
int cusparseDestroySpMat(void *m);
int cusparseDestroyDnVec(void *m);
int cusparseDestroyDnMat(void *m);
int cusparseDestroySpVec(void *m);
int cusparseCsrSetPointers(void *m, void *offsets, void *indices, void *values);
int cusparseCooSetPointers(void *m, void *row_indices, void *indices, void *values);
int cusparseSpMatGetSize(void *m, int64_t *rows, int64_t *columns, int64_t *count);
int cusparseSpMatSetAttribute(void *m, int attribute, void *data, size_t size);
int cusparseSpMV(void *h, int op, const void *alpha, void *a, void *x, const void *beta, void *y, int compute,
                 int algorithm, void *buffer);
int cusparseSpMM(void *h, int op_a, int op_b, const void *alpha, void *a, void *b, const void *beta, void *c,
                 int compute, int algorithm, void *buffer);
int cusparseSpSV_createDescr(void **d);
int cusparseSpSV_destroyDescr(void *d);
int cusparseSpSV_solve(void *h, int op, const void *alpha, void *a, void *x, void *y, int compute,
                       int algorithm, void *d);
int cusparseSpSM_createDescr(void **d);
int cusparseSpSM_destroyDescr(void *d);
int cusparseSpSM_solve(void *h, int op_a, int op_b, const void *alpha, void *a, void *b, void *c, int compute,
                       int algorithm, void *d);
int cusparseDnMatSetStridedBatch(void *m, int count, int64_t stride);
int cusparseSpVV(void *h, int op, void *x, void *y, void *result, int compute, void *buffer);
int cusparseAxpby(void *h, const void *alpha, void *x, const void *beta, void *y);
int cusparseGather(void *h, void *y, void *x);
int cusparseScatter(void *h, void *x, void *y);
int cusparseDenseToSparse_analysis(void *h, void *a, void *b, int algorithm, void *buffer);
int cusparseDenseToSparse_convert(void *h, void *a, void *b, int algorithm, void *buffer);
int cusparseSparseToDense(void *h, void *a, void *b, int algorithm, void *buffer);
int cusparseXcoo2csr(void *h, const int *row_indices, int count, int rows, int *offsets, int base);
int cusparseCsrSetPointers(void *m, void *offsets, void *indices, void *values);
int cusparseSpMatGetSize(void *m, int64_t *rows, int64_t *columns, int64_t *count);
int cusparseSpGEMM_createDescr(void **d);
int cusparseSpGEMM_destroyDescr(void *d);
int cusparseSpGEMM_workEstimation(void *h, int op_a, int op_b, const void *alpha, void *a, void *b,
                                  const void *beta, void *c, int compute, int algorithm, void *d,
                                  size_t *size, void *buffer);
int cusparseSpGEMM_compute(void *h, int op_a, int op_b, const void *alpha, void *a, void *b, const void *beta,
                           void *c, int compute, int algorithm, void *d, size_t *size, void *buffer);
int cusparseSpGEMM_copy(void *h, int op_a, int op_b, const void *alpha, void *a, void *b, const void *beta,
                        void *c, int compute, int algorithm, void *d);
int cusparseSDDMM(void *h, int op_a, int op_b, const void *alpha, void *a, void *b, const void *beta, void *c,
                  int compute, int algorithm, void *buffer);
int cusparseCsr2cscEx2(void *h, int rows, int columns, int count, const void *values, const int *offsets,
                       const int *indices, void *to_values, int *to_offsets, int *to_indices, int type,
                       int with_values, int base, int algorithm, void *buffer);
int cusparseCreateMatDescr(void **d);
int cusparseDestroyMatDescr(void *d);
int cusparseCreateCsrilu02Info(void **i);
int cusparseDestroyCsrilu02Info(void *i);
int cusparseXcsrilu02_zeroPivot(void *h, void *i, int *position);
int cusparseDcsrilu02(void *h, int rows, int count, void *d, double *values, const int *offsets,
                      const int *indices, void *i, int policy, void *buffer);
enum { R32F = 0, R64F = 1, INDEX_32 = 2, COLUMNS_FIRST = 1, ROWS_FIRST = 2 };
enum { CSR, CSC, COO, FORMATS };
enum { M = 5, N = 4, P = 3, MOST = M * N };

/* A matrix by hand: which elements are there is not regular, one row has none. */
static double element(int m, int n) {
    return m != 2 && (m * 3 + n * 5) % 4 != 1 ? value(m * N + n) + 2 : 0;
}

typedef struct {
    int64_t count;
    int major[MOST + 1], minor[MOST];
    double values[MOST];
    void *at[3], *matrix;
} sparse;

/* It in one of the formats, on the device; indices begin with `base`. */
static void make(sparse *s, int format, int base) {
    const int outer = format == CSC ? N : M, inner = format == CSC ? M : N;
    int offsets[MOST + 1] = {0};
    s->count = 0;
    for (int a = 0; a < outer; a++) {
        for (int b = 0; b < inner; b++) {
            double v = format == CSC ? element(b, a) : element(a, b);
            if (v == 0) continue;
            s->major[s->count] = a + base, s->minor[s->count] = b + base, s->values[s->count++] = v;
        }
        offsets[a + 1] = (int)s->count;
    }
    for (int a = 0; a <= outer; a++) offsets[a] += base;
    const size_t count = (size_t)s->count;
    s->at[0] = format == COO ? on_device(s->major, count * sizeof(int))
                             : on_device(offsets, (size_t)(outer + 1) * sizeof(int));
    s->at[1] = on_device(s->minor, count * sizeof(int));
    s->at[2] = on_device(s->values, count * sizeof(double));
    if (format == COO)
        DONE(cusparseCreateCoo(&s->matrix, M, N, s->count, s->at[0], s->at[1], s->at[2], INDEX_32, base,
                               R64F));
    else
        DONE((format == CSR ? cusparseCreateCsr : cusparseCreateCsc)(
            &s->matrix, M, N, s->count, s->at[0], s->at[1], s->at[2], INDEX_32, INDEX_32, base, R64F));
}
static void drop(sparse *s) {
    DONE(cusparseDestroySpMat(s->matrix));
    for (int k = 0; k < 3; k++) DONE(cudaFree(s->at[k]));
}

/* y = 2 op(A) x - y, and the same with matrices, of which one is by rows. */
static void products(void *h, int format, int base, int op) {
    const int rows = op ? N : M, inner = op ? M : N;
    const double alpha = 2, beta = -1;
    double x[MOST], y[MOST], b[MOST], c[MOST];
    sparse s;
    void *vx, *vy, *mb, *mc;
    make(&s, format, base);
    for (int k = 0; k < MOST; k++) x[k] = b[k] = value(k + 7), y[k] = c[k] = value(k + 60);
    void *dx = on_device(x, (size_t)inner * sizeof *x), *dy = on_device(y, (size_t)rows * sizeof *y);
    void *db = on_device(b, (size_t)(inner * P) * sizeof *b),
         *dc = on_device(c, (size_t)(rows * P) * sizeof *c);
    DONE(cusparseCreateDnVec(&vx, inner, dx, R64F));
    DONE(cusparseCreateDnVec(&vy, rows, dy, R64F));
    DONE(cusparseCreateDnMat(&mb, inner, P, P, db, R64F, ROWS_FIRST));
    DONE(cusparseCreateDnMat(&mc, rows, P, rows, dc, R64F, COLUMNS_FIRST));
    DONE(cusparseSpMV(h, op, &alpha, s.matrix, vx, &beta, vy, R64F, 0, NULL));
    DONE(cusparseSpMM(h, op, 0, &alpha, s.matrix, mb, &beta, mc, R64F, 0, NULL));
    double is_y[MOST], is_c[MOST];
    fetch(is_y, dy, (size_t)rows * sizeof *y);
    fetch(is_c, dc, (size_t)(rows * P) * sizeof *c);
    for (int m = 0; m < rows; m++) {
        double sum = 0;
        for (int k = 0; k < inner; k++) sum += (op ? element(k, m) : element(m, k)) * x[k];
        expect(fabs(is_y[m] - (2 * sum - y[m])) < 1e-12, "cusparseSpMV");
        for (int n = 0; n < P; n++) {
            sum = 0;
            for (int k = 0; k < inner; k++) sum += (op ? element(k, m) : element(m, k)) * b[k * P + n];
            expect(fabs(is_c[m + n * rows] - (2 * sum - c[m + n * rows])) < 1e-12, "cusparseSpMM");
        }
    }
    DONE(cusparseDestroyDnVec(vx));
    DONE(cusparseDestroyDnVec(vy));
    DONE(cusparseDestroyDnMat(mb));
    DONE(cusparseDestroyDnMat(mc));
    DONE(cudaFree(dx));
    DONE(cudaFree(db));
    drop(&s);
}

/* A to L U, whose product is A wherever A has elements; and L U y = x by two triangular systems. */
static void factors(void *h) {
    enum { S = 6, BAND = 3 * S - 2 };
    int offsets[S + 1] = {0}, indices[BAND], count = 0, pivot = 0, lower = 0, upper = 1, unit = 1, plain = 0;
    double values[BAND], lu[BAND], x[S], y[S], one = 1;
    for (int m = 0; m < S; m++) {
        for (int n = m ? m - 1 : 0; n <= m + 1 && n < S; n++)
            indices[count] = n, values[count++] = m == n ? 4 + m : value(m * S + n);
        offsets[m + 1] = count;
        x[m] = value(m + 3);
    }
    void *info, *kind, *l, *u, *vx, *vt, *vy, *d;
    void *at[] = {on_device(offsets, sizeof offsets), on_device(indices, sizeof indices),
                  on_device(values, sizeof values),   on_device(x, sizeof x),
                  on_device(NULL, sizeof x),          on_device(NULL, sizeof x)};
    DONE(cusparseCreateMatDescr(&kind));
    DONE(cusparseCreateCsrilu02Info(&info));
    DONE(cusparseDcsrilu02(h, S, BAND, kind, at[2], at[0], at[1], info, 0, NULL));
    DONE(cusparseXcsrilu02_zeroPivot(h, info, &pivot));
    expect(pivot == -1, "no zero pivot");
    DONE(cusparseCreateCsr(&l, S, S, BAND, at[0], at[1], at[2], INDEX_32, INDEX_32, 0, R64F));
    DONE(cusparseCreateCsr(&u, S, S, BAND, at[0], at[1], at[2], INDEX_32, INDEX_32, 0, R64F));
    DONE(cusparseSpMatSetAttribute(l, 0, &lower, sizeof lower));
    DONE(cusparseSpMatSetAttribute(l, 1, &unit, sizeof unit));
    DONE(cusparseSpMatSetAttribute(u, 0, &upper, sizeof upper));
    DONE(cusparseSpMatSetAttribute(u, 1, &plain, sizeof plain));
    DONE(cusparseCreateDnVec(&vx, S, at[3], R64F));
    DONE(cusparseCreateDnVec(&vt, S, at[4], R64F));
    DONE(cusparseCreateDnVec(&vy, S, at[5], R64F));
    DONE(cusparseSpSV_createDescr(&d));
    DONE(cusparseSpSV_solve(h, 0, &one, l, vx, vt, R64F, 0, d));
    DONE(cusparseSpSV_solve(h, 0, &one, u, vt, vy, R64F, 0, d));
    DONE(cudaMemcpy(lu, at[2], sizeof lu, TO_HOST));
    DONE(cudaMemcpy(y, at[5], sizeof y, TO_HOST));
    for (int m = 0; m < S; m++) { /* of three diagonals nothing is filled in: L U is A */
        double sum = 0;
        for (int k = offsets[m]; k < offsets[m + 1]; k++) sum += values[k] * y[indices[k]];
        expect(fabs(sum - x[m]) < 1e-12, "cusparseDcsrilu02, cusparseSpSV_solve");
    }
    DONE(cusparseSpSV_destroyDescr(d));
    DONE(cusparseDestroyCsrilu02Info(info));
    DONE(cusparseDestroyMatDescr(kind));
    DONE(cusparseDestroySpMat(l));
    DONE(cusparseDestroySpMat(u));
    DONE(cusparseDestroyDnVec(vx));
    DONE(cusparseDestroyDnVec(vt));
    DONE(cusparseDestroyDnVec(vy));
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) DONE(cudaFree(at[k]));
}

/* op(L) Y = 2 op(B) for a triangle with ones on its diagonal, which are not stored: two right sides, of which
 * B holds the rows or, transposed, the columns. */
static void several_sides(void *h, int op_a, int op_b) {
    enum { S = 3, SIDES = 2 };
    const int offsets[] = {0, 0, 1, 3}, indices[] = {0, 0, 1};
    int unit = 1, lower = 0;
    const double values[] = {2, -1, 3}, two = 2;
    const double full[S][S] = {{1, 0, 0}, {2, 1, 0}, {-1, 3, 1}};
    double b[S * SIDES], y[S * SIDES];
    for (int k = 0; k < S * SIDES; k++) b[k] = value(k + 9);
    void *a, *mb, *my, *d,
        *at[] = {on_device(offsets, sizeof offsets), on_device(indices, sizeof indices),
                 on_device(values, sizeof values)};
    void *db = on_device(b, sizeof b), *dy = on_device(NULL, sizeof y);
    DONE(cusparseCreateCsr(&a, S, S, 3, at[0], at[1], at[2], INDEX_32, INDEX_32, 0, R64F));
    DONE(cusparseSpMatSetAttribute(a, 0, &lower, sizeof lower));
    DONE(cusparseSpMatSetAttribute(a, 1, &unit, sizeof unit));
    DONE(
        cusparseCreateDnMat(&mb, op_b ? SIDES : S, op_b ? S : SIDES, op_b ? S : SIDES, db, R64F, ROWS_FIRST));
    DONE(cusparseCreateDnMat(&my, S, SIDES, S, dy, R64F, COLUMNS_FIRST));
    DONE(cusparseSpSM_createDescr(&d));
    DONE(cusparseSpSM_solve(h, op_a, op_b, &two, a, mb, my, R64F, 0, d));
    fetch(y, dy, sizeof y);
    for (int k = 0; k < S * SIDES; k++) {
        const int row = k % S, side = k / S;
        double sum = 0;
        for (int z = 0; z < S; z++) sum += (op_a ? full[z][row] : full[row][z]) * y[z + side * S];
        expect(fabs(sum - 2 * b[op_b ? side * S + row : row * SIDES + side]) < 1e-12, "cusparseSpSM_solve");
    }
    DONE(cusparseSpSM_destroyDescr(d));
    DONE(cusparseDestroySpMat(a));
    DONE(cusparseDestroyDnMat(mb));
    DONE(cusparseDestroyDnMat(my));
    DONE(cudaFree(db));
    for (int k = 0; k < 3; k++) DONE(cudaFree(at[k]));
}

/* One sparse matrix by two dense ones, which lie further apart than they are large. */
static void several_products(void *h) {
    enum { COUNT = 2, APART = 25 };
    const double one = 1, zero = 0;
    double b[COUNT * APART], c[COUNT * APART];
    sparse s;
    void *mb, *mc;
    make(&s, CSR, 0);
    for (int k = 0; k < COUNT * APART; k++) b[k] = value(k);
    void *db = on_device(b, sizeof b), *dc = on_device(b, sizeof b);
    DONE(cusparseCreateDnMat(&mb, N, P, N, db, R64F, COLUMNS_FIRST));
    DONE(cusparseCreateDnMat(&mc, M, P, M, dc, R64F, COLUMNS_FIRST));
    DONE(cusparseDnMatSetStridedBatch(mb, COUNT, APART));
    DONE(cusparseDnMatSetStridedBatch(mc, COUNT, APART));
    DONE(cusparseSpMM(h, 0, 0, &one, s.matrix, mb, &zero, mc, R64F, 0, NULL));
    expect(cusparseSpMM(h, 0, 2, &one, s.matrix, mb, &zero, mc, R64F, 0, NULL) == 3,
           "conjugated real numbers");
    fetch(c, dc, sizeof c);
    for (int k = 0; k < COUNT * M * P; k++) {
        const int which = k / (M * P), row = k % M, column = k / M % P;
        double sum = 0;
        for (int z = 0; z < N; z++) sum += element(row, z) * b[which * APART + z + column * N];
        expect(fabs(c[which * APART + row + column * M] - sum) < 1e-12, "products of several matrices");
    }
    expect(c[M * P] == b[M * P], "what lies between them");
    DONE(cusparseDestroyDnMat(mb));
    DONE(cusparseDestroyDnMat(mc));
    DONE(cudaFree(db));
    drop(&s);
}

static void vectors(void *h) {
    const int indices[] = {1, 4, 6};
    float x[] = {2, -1, 3}, y[8], alpha = 2, beta = 3, dot = 0, is[8];
    for (int k = 0; k < 8; k++) y[k] = (float)value(k);
    void *vx, *vy, *di = on_device(indices, sizeof indices), *dx = on_device(x, sizeof x),
                   *dy = on_device(y, sizeof y);
    DONE(cusparseCreateSpVec(&vx, 8, 3, di, dx, INDEX_32, 0, R32F));
    DONE(cusparseCreateDnVec(&vy, 8, dy, R32F));
    DONE(cusparseSpVV(h, 0, vx, vy, &dot, R32F, NULL));
    expect(fabsf(dot - (2 * y[1] - y[4] + 3 * y[6])) < 1e-5f, "cusparseSpVV");
    DONE(cusparseAxpby(h, &alpha, vx, &beta, vy));
    DONE(cudaMemcpy(is, dy, sizeof is, TO_HOST));
    expect(is[0] == 3 * y[0] && fabsf(is[4] - (3 * y[4] - 2)) < 1e-5f, "cusparseAxpby");
    DONE(cusparseScatter(h, vx, vy));
    DONE(cudaMemcpy(is, dy, sizeof is, TO_HOST));
    expect(is[1] == 2 && is[4] == -1 && is[6] == 3 && is[0] == 3 * y[0], "cusparseScatter");
    DONE(cudaMemcpy(dy, y, sizeof y, TO_DEVICE));
    DONE(cusparseGather(h, vy, vx));
    DONE(cudaMemcpy(x, dx, sizeof x, TO_HOST));
    expect(x[0] == y[1] && x[1] == y[4] && x[2] == y[6], "cusparseGather");
    DONE(cusparseDestroySpVec(vx));
    DONE(cusparseDestroyDnVec(vy));
    DONE(cudaFree(di));
    DONE(cudaFree(dx));
    DONE(cudaFree(dy));
}

/* A dense matrix to a sparse one and back. */
static void conversions(void *h, int format) {
    double dense[M * N], back[M * N];
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n++) dense[m + n * M] = element(m, n);
    void *from = on_device(dense, sizeof dense), *to = on_device(NULL, sizeof dense), *mf, *mt, *s;
    void *offsets = on_device(NULL, MOST * sizeof(int)), *indices = on_device(NULL, MOST * sizeof(int)),
         *values = on_device(NULL, MOST * sizeof(double));
    int64_t rows = 0, columns = 0, count = 0;
    DONE(cusparseCreateDnMat(&mf, M, N, M, from, R64F, COLUMNS_FIRST));
    DONE(cusparseCreateDnMat(&mt, M, N, M, to, R64F, COLUMNS_FIRST));
    if (format == COO)
        DONE(cusparseCreateCoo(&s, M, N, 0, NULL, NULL, NULL, INDEX_32, 0, R64F));
    else
        DONE((format == CSR ? cusparseCreateCsr : cusparseCreateCsc)(&s, M, N, 0, offsets, NULL, NULL,
                                                                     INDEX_32, INDEX_32, 0, R64F));
    DONE(cusparseDenseToSparse_analysis(h, mf, s, 0, NULL));
    DONE(cusparseSpMatGetSize(s, &rows, &columns, &count));
    DONE((format == COO ? cusparseCooSetPointers : cusparseCsrSetPointers)(s, offsets, indices, values));
    DONE(cusparseDenseToSparse_convert(h, mf, s, 0, NULL));
    DONE(cusparseSparseToDense(h, s, mt, 0, NULL));
    fetch(back, to, sizeof back);
    int expected = 0;
    for (int k = 0; k < M * N; k++) expected += dense[k] != 0;
    expect(count == expected && !memcmp(back, dense, sizeof back), "dense to sparse and back");
    if (format == COO) {
        int is[M + 1], at = 0;
        void *rows_at = on_device(NULL, sizeof is);
        DONE(cusparseXcoo2csr(h, offsets, (int)count, M, rows_at, 0));
        fetch(is, rows_at, sizeof is);
        for (int m = 0; m < M; m++) {
            expect(is[m] == at, "cusparseXcoo2csr");
            for (int n = 0; n < N; n++) at += element(m, n) != 0;
        }
    }
    DONE(cusparseDestroyDnMat(mf));
    DONE(cusparseDestroyDnMat(mt));
    DONE(cusparseDestroySpMat(s));
    DONE(cudaFree(from));
    DONE(cudaFree(offsets));
    DONE(cudaFree(indices));
    DONE(cudaFree(values));
}

/* A's transpose, made by cusparseCsr2cscEx2: its columns are rows. */
static void transposed(void *h, sparse *s, void *at[3]) {
    const size_t count = (size_t)s->count;
    int offsets[N + 1];
    at[0] = on_device(NULL, sizeof offsets);
    at[1] = on_device(NULL, count * sizeof(int));
    at[2] = on_device(NULL, count * sizeof(double));
    DONE(cusparseCsr2cscEx2(h, M, N, (int)s->count, s->at[2], s->at[0], s->at[1], at[2], at[0], at[1], R64F,
                            1, 0, 1, NULL));
    DONE(cudaMemcpy(offsets, at[0], sizeof offsets, TO_HOST));
    int found = 0;
    for (int n = 0; n < N; n++) {
        expect(offsets[n] == found, "cusparseCsr2cscEx2");
        for (int m = 0; m < M; m++) found += element(m, n) != 0;
    }
}

static double squared(int m, int n) { /* A times its transpose */
    double sum = 0;
    for (int k = 0; k < N; k++) sum += element(m, k) * element(n, k);
    return sum;
}

/* 2 A A', of which the number of entries is told before they are. */
static void sparse_products(void *h) {
    const double two = 2, zero = 0;
    sparse s;
    size_t size = 0;
    int64_t rows, columns, count;
    int is[M + 1], at[M * M];
    double values[M * M];
    void *t[3], *other, *c, *d, *offsets = on_device(NULL, sizeof is);
    make(&s, CSR, 0);
    transposed(h, &s, t);
    DONE(cusparseCreateCsr(&other, N, M, s.count, t[0], t[1], t[2], INDEX_32, INDEX_32, 0, R64F));
    DONE(cusparseCreateCsr(&c, M, M, 0, offsets, NULL, NULL, INDEX_32, INDEX_32, 0, R64F));
    DONE(cusparseSpGEMM_createDescr(&d));
    DONE(cusparseSpGEMM_workEstimation(h, 0, 0, &two, s.matrix, other, &zero, c, R64F, 0, d, &size, NULL));
    DONE(cusparseSpGEMM_compute(h, 0, 0, &two, s.matrix, other, &zero, c, R64F, 0, d, &size, NULL));
    void *buffer = on_device(NULL, size);
    DONE(cusparseSpGEMM_compute(h, 0, 0, &two, s.matrix, other, &zero, c, R64F, 0, d, &size, buffer));
    DONE(cusparseSpMatGetSize(c, &rows, &columns, &count));
    expect(count == (M - 1) * (M - 1), "the entries of a product"); /* one row has none */
    void *ci = on_device(NULL, (size_t)count * sizeof *at),
         *cv = on_device(NULL, (size_t)count * sizeof *values);
    DONE(cusparseCsrSetPointers(c, offsets, ci, cv));
    DONE(cusparseSpGEMM_copy(h, 0, 0, &two, s.matrix, other, &zero, c, R64F, 0, d));
    fetch(is, offsets, sizeof is);
    fetch(at, ci, (size_t)count * sizeof *at);
    fetch(values, cv, (size_t)count * sizeof *values);
    for (int m = 0; m < M; m++)
        for (int k = is[m]; k < is[m + 1]; k++)
            expect(fabs(values[k] - 2 * squared(m, at[k])) < 1e-12 && (k == is[m] || at[k] > at[k - 1]),
                   "cusparseSpGEMM");
    expect(is[M] == count && is[2] == is[3], "the rows of a product");
    DONE(cusparseSpGEMM_destroyDescr(d));
    DONE(cusparseDestroySpMat(c));
    DONE(cusparseDestroySpMat(other));
    for (int k = 0; k < 3; k++) DONE(cudaFree(t[k]));
    DONE(cudaFree(buffer));
    drop(&s);
}

/* Where A has entries: A - X Y', with X by rows. */
static void places(void *h, int format) {
    const double minus = -1, one = 1;
    double x[M * P], y[N * P], values[MOST];
    void *mx, *my;
    sparse s;
    make(&s, format, 1);
    for (int k = 0; k < M * P; k++) x[k] = value(k + 17);
    for (int k = 0; k < N * P; k++) y[k] = value(k + 23);
    void *dx = on_device(x, sizeof x), *dy = on_device(y, sizeof y);
    DONE(cusparseCreateDnMat(&mx, M, P, P, dx, R64F, ROWS_FIRST));
    DONE(cusparseCreateDnMat(&my, N, P, N, dy, R64F, COLUMNS_FIRST));
    DONE(cusparseSDDMM(h, 0, 1, &minus, mx, my, &one, s.matrix, R64F, 0, NULL));
    DONE(cudaMemcpy(values, s.at[2], (size_t)s.count * sizeof *values, TO_HOST));
    for (int k = 0; k < s.count; k++) {
        const int m = (format == CSC ? s.minor[k] : s.major[k]) - 1,
                  n = (format == CSC ? s.major[k] : s.minor[k]) - 1;
        double sum = element(m, n);
        for (int q = 0; q < P; q++) sum -= x[m * P + q] * y[n + q * N];
        expect(fabs(values[k] - sum) < 1e-12, "cusparseSDDMM");
    }
    DONE(cusparseDestroyDnMat(mx));
    DONE(cusparseDestroyDnMat(my));
    DONE(cudaFree(dx));
    DONE(cudaFree(dy));
    drop(&s);
}

int main(int argc, char **argv) {
    void *h = NULL;
    DONE(cusparseCreate(&h));
    if (argc > 1 && !strcmp(argv[1], "beyond")) { /* the vector's last element is not there */
        const double one = 1, x[N] = {0};
        sparse s;
        void *vx, *vy, *dx = on_device(x, sizeof x - sizeof *x), *dy = on_device(NULL, M * sizeof *x);
        make(&s, CSR, 0);
        DONE(cusparseCreateDnVec(&vx, N, dx, R64F));
        DONE(cusparseCreateDnVec(&vy, M, dy, R64F));
        printf("status %d\n", cusparseSpMV(h, 0, &one, s.matrix, vx, x, vy, R64F, 0, NULL));
        return 0;
    }
    for (int format = 0; format < FORMATS; format++) {
        for (int form = 0; form < 4; form++) products(h, format, form & 1, form >> 1);
        conversions(h, format);
        places(h, format);
    }
    sparse_products(h);
    factors(h);
    for (int form = 0; form < 4; form++) several_sides(h, form & 1, form >> 1);
    several_products(h);
    vectors(h);
    DONE(cusparseDestroy(h));
    printf("%d failures\n", failures);
    return failures != 0;
}
