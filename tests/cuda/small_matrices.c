/* A program of cuBLAS's routines of many small matrices, triangular and diagonal ones, and of vectors whose
 * types are named, run by `lockstep run`: what they give is put back into what it was made of. */
#include "on_device.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int cublasCreate_v2(void **h);
int cublasDestroy_v2(void *h);
int cublasDgetrfBatched(void *h, int n, double *const *a, int lda, int *pivots, int *info, int count);
int cublasDgetrsBatched(void *h, int op, int n, int columns, const double *const *a, int lda,
                        const int *pivots, double *const *b, int ldb, int *info, int count);
int cublasDgetriBatched(void *h, int n, const double *const *a, int lda, const int *pivots, double *const *b,
                        int ldb, int *info, int count);
int cublasDmatinvBatched(void *h, int n, const double *const *a, int lda, double *const *b, int ldb,
                         int *info, int count);
int cublasDtrsmBatched(void *h, int side, int uplo, int op, int diag, int m, int n, const double *alpha,
                       const double *const *a, int lda, double *const *b, int ldb, int count);
int cublasDgemvStridedBatched(void *h, int op, int m, int n, const double *alpha, const double *a, int lda,
                              long long stride_a, const double *x, int incx, long long stride_x,
                              const double *beta, double *y, int incy, long long stride_y, int count);
int cublasDgemvBatched(void *h, int op, int m, int n, const double *alpha, const double *const *a, int lda,
                       const double *const *x, int incx, const double *beta, double *const *y, int incy,
                       int count);
int cublasDtrsv_v2(void *h, int uplo, int op, int diag, int n, const double *a, int lda, double *x, int incx);
int cublasDtrmv_v2(void *h, int uplo, int op, int diag, int n, const double *a, int lda, double *x, int incx);
int cublasDdgmm(void *h, int side, int m, int n, const double *a, int lda, const double *x, int incx,
                double *c, int ldc);
int cublasDotEx(void *h, int n, const void *x, int type_x, int incx, const void *y, int type_y, int incy,
                void *result, int type, int compute);
int cublasNrm2Ex(void *h, int n, const void *x, int type_x, int incx, void *result, int type, int compute);
int cublasAsumEx(void *h, int n, const void *x, int type_x, int incx, void *result, int type, int compute);
int cublasScalEx(void *h, int n, const void *alpha, int type, void *x, int type_x, int incx, int compute);
int cublasAxpyEx(void *h, int n, const void *alpha, int type, const void *x, int type_x, int incx, void *y,
                 int type_y, int incy, int compute);

int cublasDgemm_v2(void *h, int op_a, int op_b, int m, int n, int k, const double *alpha, const double *a,
                   int lda, const double *b, int ldb, const double *beta, double *c, int ldc);
int cublasDnrm2_v2(void *h, int n, const double *x, int incx, double *result);
int cublasIdamax_v2(void *h, int n, const double *x, int incx, int *result);
int cublasZgetrfBatched(void *h, int n, void *const *a, int lda, int *pivots, int *info, int count);
int cublasDgeqrfBatched(void *h, int m, int n, double *const *a, int lda, double *const *tau, int *info,
                        int count);
int cublasDgelsBatched(void *h, int op, int m, int n, int columns, double *const *a, int lda,
                       double *const *b, int ldb, int *info, int *infos, int count);

enum { N = 4, LD = 5, COUNT = 2, SIZE = LD * N, COLUMNS = 2 };
static double matrix[COUNT][SIZE], right[COUNT][SIZE];

static void fill(void) {
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < SIZE; k++) {
            matrix[i][k] = value(k * k + 13 * i);
            right[i][k] = value(k + 29 * i + 5);
        }
    matrix[0][0] = 0; /* needs an exchange of rows */
}

typedef struct {
    void *at[COUNT], *list;
} batch;
static batch on_device_batch(double from[COUNT][SIZE]) {
    batch b;
    for (int i = 0; i < COUNT; i++) b.at[i] = on_device(from[i], sizeof from[i]);
    b.list = on_device(b.at, sizeof b.at);
    return b;
}
static void fetch_batch(double to[COUNT][SIZE], batch b) {
    for (int i = 0; i < COUNT; i++) fetch(to[i], b.at[i], sizeof to[i]);
    DONE(cudaFree(b.list));
}

static double at(const double *a, int op, int r, int c) {
    return op ? a[c + r * LD] : a[r + c * LD];
}
/* op(a) x is b, for so many columns; b NULL: the unit matrix. */
static void gives(const double *a, int op, const double *x, const double *b, int columns, const char *what) {
    for (int c = 0; c < columns; c++)
        for (int r = 0; r < N; r++) {
            double sum = 0;
            for (int k = 0; k < N; k++) sum += at(a, op, r, k) * x[k + c * LD];
            expect(fabs(sum - (b ? b[r + c * LD] : r == c)) < 1e-9, what);
        }
}

static void decomposed(void *h, int op) {
    double x[COUNT][SIZE], inverse[COUNT][SIZE], lu[COUNT][SIZE];
    int info[COUNT] = {7, 7}, status = 7;
    batch a = on_device_batch(matrix), b = on_device_batch(right), c = on_device_batch(right);
    void *pivots = on_device(NULL, COUNT * N * sizeof(int)), *failed = on_device(info, sizeof info);
    DONE(cublasDgetrfBatched(h, N, a.list, LD, pivots, failed, COUNT));
    DONE(cublasDgetrsBatched(h, op, N, COLUMNS, a.list, LD, pivots, b.list, LD, &status, COUNT));
    DONE(cublasDgetriBatched(h, N, a.list, LD, pivots, c.list, LD, failed, COUNT));
    fetch_batch(lu, a);
    fetch_batch(x, b);
    fetch_batch(inverse, c);
    fetch(info, failed, sizeof info);
    DONE(cudaFree(pivots));
    expect(!status && !info[0] && !info[1], "decompositions");
    for (int i = 0; i < COUNT; i++) {
        gives(matrix[i], op, x[i], right[i], COLUMNS, "a solution");
        gives(matrix[i], 0, inverse[i], NULL, N, "an inverse of a decomposition");
    }
}

/* The second matrix has no inverse: its last column is its first. */
static void inverses(void *h) {
    double from[COUNT][SIZE], to[COUNT][SIZE];
    int info[COUNT];
    memcpy(from, matrix, sizeof from);
    memcpy(&from[1][(N - 1) * LD], from[1], N * sizeof(double));
    batch a = on_device_batch(from), b = on_device_batch(right);
    void *failed = on_device(NULL, sizeof info);
    DONE(cublasDmatinvBatched(h, N, a.list, LD, b.list, LD, failed, COUNT));
    fetch_batch(from, a);
    fetch_batch(to, b);
    fetch(info, failed, sizeof info);
    gives(from[0], 0, to[0], NULL, N, "an inverse");
    expect(!info[0] && info[1] == N, "what has an inverse");
    expect(cublasDmatinvBatched(h, 33, NULL, 33, NULL, 33, NULL, 1) == 7, "an inverse of 33 rows");
}

/* The least squares of N rows and N - 1 columns: what is left over is at right angles to all columns; the
 * triangle is as the decomposition alone has it. Of the second matrix two columns are the same. */
static void squares(void *h) {
    double x[COUNT][SIZE], from[COUNT][SIZE], r[COUNT][SIZE], alone[COUNT][SIZE], tau[COUNT][SIZE];
    int info[COUNT], status = 7;
    memcpy(from, matrix, sizeof from);
    memset(from[1], 0, N * sizeof(double));
    batch a = on_device_batch(from), b = on_device_batch(right), c = on_device_batch(from),
          t = on_device_batch(right);
    void *failed = on_device(NULL, sizeof info);
    DONE(cublasDgelsBatched(h, 0, N, N - 1, COLUMNS, a.list, LD, b.list, LD, &status, failed, COUNT));
    DONE(cublasDgeqrfBatched(h, N, N - 1, c.list, LD, t.list, &status, COUNT));
    fetch_batch(r, a);
    fetch_batch(x, b);
    fetch_batch(alone, c);
    fetch_batch(tau, t);
    fetch(info, failed, sizeof info);
    expect(!status && !info[0] && info[1] == 1, "which squares have a least sum");
    for (int k = 0; k < (N - 1) * COLUMNS; k++) {
        const int column = k % (N - 1), side = k / (N - 1);
        double angle = 0;
        for (int row = 0; row < N; row++) {
            double left = right[0][row + side * LD];
            for (int z = 0; z < N - 1; z++) left -= matrix[0][row + z * LD] * x[0][z + side * LD];
            angle += left * matrix[0][row + column * LD];
        }
        expect(fabs(angle) < 1e-9, "least squares");
    }
    expect(!memcmp(r[0], alone[0], sizeof r[0]) && tau[0][0] == 1, "a decomposition by reflections");
    expect(cublasDgelsBatched(h, 0, 2, 3, 1, NULL, LD, NULL, LD, &status, NULL, 1) == 15, "too few rows");
}

static double lower(int r, int c) { /* with ones on its diagonal */
    return r == c ? 1 : r > c ? matrix[0][r + c * LD] : 0;
}

static void triangles(void *h) {
    double x[COUNT][SIZE], v[2 * N], w[2 * N];
    const double two = 2;
    batch a = on_device_batch(matrix), b = on_device_batch(right);
    for (int k = 0; k < 2 * N; k++) v[k] = value(k);
    void *dv = on_device(v, sizeof v);
    DONE(cublasDtrsmBatched(h, 0, 0, 0, 1, N, COLUMNS, &two, (void *)a.list, LD, b.list, LD, COUNT));
    fetch_batch(x, b);
    for (int r = 0; r < N; r++) {
        double sum = 0;
        for (int k = 0; k < N; k++) sum += lower(r, k) * x[0][k];
        expect(fabs(sum - 2 * right[0][r]) < 1e-9, "triangular solutions");
    }
    DONE(cublasDtrmv_v2(h, 0, 1, 1, N, a.at[0], LD, dv, 2)); /* transposed, every second element */
    DONE(cudaMemcpy(w, dv, sizeof w, TO_HOST));
    for (int r = 0; r < N; r++) {
        double sum = 0;
        for (int k = 0; k < N; k++) sum += lower(k, r) * v[2 * k];
        expect(fabs(w[2 * r] - sum) < 1e-9, "a triangular product");
    }
    DONE(cublasDtrsv_v2(h, 0, 1, 1, N, a.at[0], LD, dv, 2));
    fetch(w, dv, sizeof w);
    for (int k = 0; k < 2 * N; k++) expect(fabs(w[k] - v[k]) < 1e-9, "there and back");
    fetch_batch(x, a);
}

static void vectors(void *h) {
    double y[COUNT * N], wanted[COUNT * N], diagonal[SIZE];
    const double one = 1, zero = 0;
    void *a = on_device(matrix, sizeof matrix), *x = on_device(right, sizeof right),
         *dy = on_device(NULL, sizeof y), *c = on_device(matrix[0], sizeof matrix[0]);
    void *as[COUNT], *xs[COUNT], *ys[COUNT];
    for (int i = 0; i < COUNT; i++) {
        as[i] = (double *)a + i * SIZE;
        xs[i] = (double *)x + i * SIZE;
        ys[i] = (double *)dy + i * N;
        for (int r = 0; r < N; r++) {
            wanted[i * N + r] = 0;
            for (int k = 0; k < N; k++) wanted[i * N + r] += at(matrix[i], 1, r, k) * right[i][k];
        }
    }
    DONE(cublasDgemvStridedBatched(h, 1, N, N, &one, a, LD, SIZE, x, 1, SIZE, &zero, dy, 1, N, COUNT));
    DONE(cudaMemcpy(y, dy, sizeof y, TO_HOST));
    for (int k = 0; k < COUNT * N; k++) expect(fabs(y[k] - wanted[k]) < 1e-9, "products at a distance");
    void *da = on_device(as, sizeof as), *dx = on_device(xs, sizeof xs), *dys = on_device(ys, sizeof ys);
    DONE(cublasDgemvBatched(h, 1, N, N, &one, da, LD, dx, 1, &one, dys, 1, COUNT));
    fetch(y, dy, sizeof y);
    for (int k = 0; k < COUNT * N; k++) expect(fabs(y[k] - 2 * wanted[k]) < 1e-9, "products of a list");
    DONE(cublasDdgmm(h, 1, N, N, a, LD, x, 1, c, LD));
    fetch(diagonal, c, sizeof diagonal);
    for (int k = 0; k < N * N; k++)
        expect(diagonal[k % N + k / N * LD] == matrix[0][k % N + k / N * LD] * right[0][k / N], "a diagonal");
    DONE(cudaFree(a));
    DONE(cudaFree(x));
    DONE(cudaFree(da));
    DONE(cudaFree(dx));
    DONE(cudaFree(dys));
}

/* 1, -2, 3 and 4, 5, 6 as halves, and floats. What an operand of another type is refused for, an H200 showed.
 */
static void named_types(void *h) {
    enum { R_32F = 0, R_16F = 2, COMPLEX = 4 };
    static const uint16_t x[] = {0x3c00, 0xc000, 0x4200}, y[] = {0x4400, 0x4500, 0x4600};
    static const float z[] = {1, -2, 3};
    const float half = 0.5f;
    float wide = 0, sum = 0, norm = 7;
    uint16_t dot = 0, scaled[3], added[3];
    void *dx = on_device(x, sizeof x), *dy = on_device(y, sizeof y), *dz = on_device(z, sizeof z);
    DONE(cublasDotEx(h, 3, dx, R_16F, 1, dy, R_16F, 1, &dot, R_16F, R_32F));
    DONE(cublasAsumEx(h, 3, dz, R_32F, 1, &sum, R_32F, R_32F));
    DONE(cublasNrm2Ex(h, 3, dz, R_32F, 1, &wide, R_32F, R_32F));
    DONE(cublasNrm2Ex(h, 3, dz, R_32F, -1, &norm, R_32F, R_32F));
    expect(dot == 0x4a00 && sum == 6 && fabsf(wide - sqrtf(14)) < 1e-6f && norm == 0, "values of vectors");
    expect(cublasDotEx(h, 3, dx, R_16F, 1, dz, R_32F, 1, &wide, R_32F, R_32F) == 15,
           "a product of two types");
    expect(cublasNrm2Ex(h, 3, dx, R_16F, 1, &wide, R_32F, R_32F) == 15, "a norm of another type");
    expect(cublasAsumEx(h, 3, dx, R_16F, 1, &dot, R_16F, R_32F) == 15, "a sum of halves");
    expect(cublasAxpyEx(h, 3, &half, R_32F, dx, R_16F, 1, dz, R_32F, 1, R_32F) == 15, "halves to floats");
    DONE(cublasAxpyEx(h, 3, &half, R_32F, dx, R_16F, -1, dy, R_16F, 1, R_32F));
    DONE(cublasScalEx(h, 3, &half, R_32F, dx, R_16F, 1, R_32F));
    DONE(cudaFree(dz));
    fetch(added, dy, sizeof added);
    fetch(scaled, dx, sizeof scaled);
    expect(added[0] == 0x4580 && added[1] == 0x4400 && added[2] == 0x4680, "a sum of vectors");
    expect(scaled[0] == 0x3800 && scaled[1] == 0xbc00 && scaled[2] == 0x3e00, "a scaled vector");
    expect(cublasDotEx(h, 1, x, COMPLEX, 1, y, COMPLEX, 1, &wide, COMPLEX, COMPLEX) == 15,
           "what is not there");
}

/* As an H200 does it: a factor of 0 leaves the operands out, whatever they are; complex pivots are chosen by
 * their distance from 0, not by the sum of their parts; a vector that does not go forwards has no norm. */
static void as_on_a_gpu(void *h) {
    const double zero = 0, two = 2, nan[] = {NAN, NAN, NAN, NAN}, one[] = {1, 1, 1, 1};
    const double numbers[] = {0.75, 0.75, 0, 1.25, 1, 0, 0, 1}; /* 2 x 2 */
    double c[4], norm = 7;
    int pivots[2], best = 7;
    void *a = on_device(nan, sizeof nan), *dc = on_device(one, sizeof one),
         *m = on_device(numbers, sizeof numbers);
    void *list = on_device(&m, sizeof m), *dp = on_device(NULL, sizeof pivots), *info = on_device(NULL, 4);
    DONE(cublasDgemm_v2(h, 0, 0, 2, 2, 2, &zero, a, 2, a, 2, &two, dc, 2));
    DONE(cublasZgetrfBatched(h, 2, list, 2, dp, info, 1));
    DONE(cublasDnrm2_v2(h, 3, dc, -1, &norm));
    DONE(cublasIdamax_v2(h, 3, dc, 0, &best));
    fetch(c, dc, sizeof c);
    fetch(pivots, dp, sizeof pivots);
    expect(c[0] == 2 && c[3] == 2, "a product that does not count");
    expect(pivots[0] == 2, "the larger complex number");
    expect(norm == 0 && best == 0, "a vector that goes backwards");
    DONE(cudaFree(a));
    DONE(cudaFree(m));
    DONE(cudaFree(list));
    DONE(cudaFree(info));
}

int main(void) {
    void *h = NULL;
    DONE(cublasCreate_v2(&h));
    fill();
    decomposed(h, 0);
    decomposed(h, 1);
    inverses(h);
    squares(h);
    triangles(h);
    vectors(h);
    named_types(h);
    as_on_a_gpu(h);
    DONE(cublasDestroy_v2(h));
    printf("%d failures\n", failures);
    return failures != 0;
}
