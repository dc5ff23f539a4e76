/* A program of cuRAND, cuBLAS and cuFFT, run by `lockstep run`: results are held against NVIDIA's numbers and
 * plain loops. With an argument it does what is named there, wrongly. */
#include "on_device.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int curandCreateGenerator(void **g, int type);
int curandDestroyGenerator(void *g);
int curandSetPseudoRandomGeneratorSeed(void *g, unsigned long long seed);
int curandSetGeneratorOffset(void *g, unsigned long long offset);
int curandGenerate(void *g, unsigned *out, size_t n);
int curandGenerateNormal(void *g, float *out, size_t n, float mean, float deviation);
int curandGenerateUniformDouble(void *g, double *out, size_t n);
int curandSetQuasiRandomGeneratorDimensions(void *g, unsigned dimensions);
int curandGenerateLongLong(void *g, unsigned long long *out, size_t n);
int curandGetDirectionVectors32(unsigned (**vectors)[32], int set);
int cublasCreate_v2(void **h);
int cublasDestroy_v2(void *h);
int cublasSetVector(int n, int size, const void *from, int step, void *to, int to_step);
int cublasGetVector(int n, int size, const void *from, int step, void *to, int to_step);
int cublasSgemm_v2(void *h, int ta, int tb, int m, int n, int k, const float *alpha, const float *a, int lda,
                   const float *b, int ldb, const float *beta, float *c, int ldc);
int cublasZgemm_v2(void *h, int ta, int tb, int m, int n, int k, const double _Complex *alpha,
                   const double _Complex *a, int lda, const double _Complex *b, int ldb,
                   const double _Complex *beta, double _Complex *c, int ldc);
int cublasDtrsm_v2(void *h, int side, int uplo, int op, int diag, int m, int n, const double *alpha,
                   const double *a, int lda, double *b, int ldb);
int cublasDtrmm_v2(void *h, int side, int uplo, int op, int diag, int m, int n, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, double *c, int ldc);
int cublasSdot_v2(void *h, int n, const float *x, int incx, const float *y, int incy, float *result);
int cublasIsamax_v2(void *h, int n, const float *x, int incx, int *result);
int cublasGemmEx(void *h, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int type_a,
                 int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc,
                 int compute, int algorithm);
int cufftPlan1d(int *plan, int n, int type, int batch);
int cufftPlan2d(int *plan, int x, int y, int type);
int cufftExecC2C(int plan, const void *in, void *out, int direction);
int cufftExecD2Z(int plan, const void *in, void *out);
int cufftExecZ2D(int plan, const void *in, void *out);
int cufftDestroy(int plan);
enum { C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c };

/* --- cuRAND: what NVIDIA's library gives --- */
static void random_numbers(int type, const unsigned words[4], const float normals[2],
                           const double uniforms[3]) {
    void *g = NULL;
    unsigned w[4];
    float f[2];
    double d[3];
    void *at = on_device(NULL, sizeof w), *at_f = on_device(NULL, sizeof f),
         *at_d = on_device(NULL, sizeof d);
    DONE(curandCreateGenerator(&g, type));
    DONE(curandSetPseudoRandomGeneratorSeed(g, 1234));
    DONE(curandGenerate(g, at, 4));
    DONE(curandSetPseudoRandomGeneratorSeed(g, 1234));
    DONE(curandGenerateNormal(g, at_f, 2, 0, 1));
    DONE(curandSetPseudoRandomGeneratorSeed(g, 1234));
    DONE(curandGenerateUniformDouble(g, at_d, 3));
    DONE(curandDestroyGenerator(g));
    fetch(w, at, sizeof w);
    fetch(f, at_f, sizeof f);
    fetch(d, at_d, sizeof d);
    expect(!memcmp(w, words, sizeof w), "words");
    for (int k = 0; k < 2; k++) expect(fabsf(f[k] - normals[k]) < 1e-6f, "normal numbers");
    for (int k = 0; k < 3; k++) expect(d[k] == uniforms[k], "uniform doubles");
}

/* Numbers of several kinds after each other, from a place far behind the first; and, of Philox, an odd number
 * of normal ones: as an H200's library gives them. */
static void mixed_numbers(void) {
    enum { WORDS = 200 };
    static const float normals[] = {1.3031106f, 0.349256068f, -0.642116547f};
    void *g = NULL, *w = on_device(NULL, WORDS * sizeof(double)), *n = on_device(NULL, 1000 * sizeof(float));
    double d[2];
    float f[7];
    DONE(curandCreateGenerator(&g, 101));
    DONE(curandSetPseudoRandomGeneratorSeed(g, 0));
    DONE(curandSetGeneratorOffset(g, 100000));
    for (int k = 0; k < 3; k++) DONE(curandGenerate(g, w, WORDS));
    DONE(curandGenerateUniformDouble(g, w, 2));
    DONE(curandDestroyGenerator(g));
    fetch(d, w, sizeof d);
    expect(d[0] == 0.98944848885322667 && d[1] == 0.27168222115670476, "doubles behind words");
    DONE(curandCreateGenerator(&g, 161));
    DONE(curandSetPseudoRandomGeneratorSeed(g, 0));
    DONE(curandSetGeneratorOffset(g, 1807));
    DONE(curandGenerateNormal(g, n, 7, 0, 1));
    DONE(curandDestroyGenerator(g));
    fetch(f, n, sizeof f);
    for (int k = 0; k < 3; k++) expect(fabsf(f[k] - normals[k]) < 1e-5f, "seven normal numbers");
}

/* Sobol's sequences: the first points in three dimensions, which are known from the literature; a request
 * goes on where the last one ended. */
enum { POINTS = 4, POINT_WORDS = 3 * POINTS };
static void expect_points(void *g, const double points[POINT_WORDS]) {
    unsigned words[POINT_WORDS];
    void *w = on_device(NULL, sizeof words);
    DONE(curandGenerate(g, w, POINT_WORDS));
    fetch(words, w, sizeof words);
    for (int k = 0; k < POINT_WORDS; k++)
        expect(words[k] == (unsigned)(points[k] * 0x1p32), "Sobol's points");
}

static void quasi_random_numbers(void) {
    static const double first[] = {0, 0.5, 0.75, 0.25, 0, 0.5, 0.25, 0.75, 0, 0.5, 0.25, 0.75},
                        next[] = {0.375, 0.875, 0.625, 0.125, 0.375, 0.875,
                                  0.125, 0.625, 0.625, 0.125, 0.875, 0.375};
    float normals[9];
    unsigned(*vectors)[32] = NULL;
    void *g = NULL, *at = on_device(NULL, sizeof normals);
    DONE(curandCreateGenerator(&g, 201));
    expect(curandGenerateLongLong(g, at, 2) == 103, "64 bits of a generator of 32");
    DONE(curandSetQuasiRandomGeneratorDimensions(g, 3));
    expect(curandGenerate(g, at, 8) == 105, "a length that is no multiple");
    expect_points(g, first);
    expect_points(g, next);
    DONE(curandSetGeneratorOffset(g, 1));
    DONE(curandGenerateNormal(g, at, 9, 1, 2));
    DONE(curandDestroyGenerator(g));
    fetch(normals, at, sizeof normals);
    expect(fabsf(normals[0] - 1) < 1e-6f, "the middle is the mean");
    expect(fabsf(normals[1] - (1 - 2 * 0.67448975f)) < 1e-5f, "the third quarter");
    DONE(curandGetDirectionVectors32(&vectors, 101));
    expect(vectors[0][31] == 1 && vectors[2][1] == 0xc0000000u && vectors[19999][0] == 0x80000000u,
           "vectors");
}

/* Every dimension of 64 points has each six leading bits once, whatever it is. */
static void quasi_random_spread(int type) {
    enum { MANY = 64, DIMENSIONS = 300, BITS = 58 };
    static unsigned long long all[MANY * DIMENSIONS];
    static unsigned words[MANY * DIMENSIONS];
    void *g = NULL, *at = on_device(NULL, sizeof all);
    DONE(curandCreateGenerator(&g, type));
    DONE(curandSetQuasiRandomGeneratorDimensions(g, DIMENSIONS));
    if (type < 203) {
        DONE(curandGenerate(g, at, MANY * DIMENSIONS));
        fetch(words, at, sizeof words);
        for (int k = 0; k < MANY * DIMENSIONS; k++) all[k] = (unsigned long long)words[k] << 32;
    } else {
        DONE(curandGenerateLongLong(g, at, MANY * DIMENSIONS));
        fetch(all, at, sizeof all);
    }
    DONE(curandDestroyGenerator(g));
    for (int dimension = 0; dimension < DIMENSIONS; dimension++) {
        unsigned long long seen = 0;
        for (int k = 0; k < MANY; k++) seen |= 1ull << (all[dimension * MANY + k] >> BITS);
        expect(seen == ~0ull, "64 points with 64 different leading bits");
    }
}

/* --- cuBLAS --- */
static void products(void *h) {
    enum { M = 5, N = 4, K = 3, LDA = 7, LDB = 6, LDC = 8 };
    float a[LDA * M], b[LDB * K], c[LDC * N], alpha = 2, beta = -1, result[LDC * N];
    for (int k = 0; k < LDA * M; k++) a[k] = (float)value(k);
    for (int k = 0; k < LDB * K; k++) b[k] = (float)value(k + 50);
    for (int k = 0; k < LDC * N; k++) c[k] = (float)value(k + 90);
    void *da = on_device(a, sizeof a), *db = on_device(b, sizeof b), *dc = on_device(c, sizeof c);
    DONE(cublasSgemm_v2(h, 1, 1, M, N, K, &alpha, da, LDA, db, LDB, &beta, dc, LDC));
    fetch(result, dc, sizeof result);
    for (int y = 0; y < N; y++)
        for (int x = 0; x < M; x++) {
            float sum = 0;
            for (int z = 0; z < K; z++) sum += a[z + x * LDA] * b[y + z * LDB];
            expect(fabsf(result[x + y * LDC] - (2 * sum - c[x + y * LDC])) < 1e-5f, "cublasSgemm");
        }
    float dot = 0, want = 0;
    int largest = 0;
    DONE(cublasSdot_v2(h, 5, da, 2, db, 1, &dot));
    for (int k = 0; k < 5; k++) want += a[2 * k] * b[k];
    expect(fabsf(dot - want) < 1e-5f, "cublasSdot");
    DONE(cublasIsamax_v2(h, LDA * M, da, 1, &largest));
    for (int k = 0; k < LDA * M; k++) expect(fabsf(a[k]) <= fabsf(a[largest - 1]), "cublasIsamax");
    DONE(cudaFree(da));
    DONE(cudaFree(db));
}

static void complex_product(void *h) {
    double _Complex a[6], b[6], c[4], alpha = 1, beta = 0;
    for (int k = 0; k < 6; k++)
        a[k] = CMPLX(value(k), value(k + 9)), b[k] = CMPLX(value(k + 20), value(k + 31));
    void *da = on_device(a, sizeof a), *db = on_device(b, sizeof b), *dc = on_device(NULL, sizeof c);
    DONE(cublasZgemm_v2(h, 2, 0, 2, 2, 3, &alpha, da, 3, db, 3, &beta, dc, 2)); /* conjugate transposed */
    fetch(c, dc, sizeof c);
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++) {
            double _Complex sum = 0;
            for (int z = 0; z < 3; z++) sum += conj(a[z + 3 * x]) * b[z + 3 * y];
            expect(cabs(c[x + 2 * y] - sum) < 1e-12, "cublasZgemm");
        }
    DONE(cudaFree(da));
    DONE(cudaFree(db));
}

/* What was solved, multiplied again, is what it was: from both sides, in all forms. */
static void triangles(void *h) {
    enum { M = 4, N = 3 };
    const double one = 1;
    double a[M * M], b[M * N], result[M * N];
    for (int k = 0; k < M * M; k++) a[k] = value(k) + (k % (M + 1) ? 0 : 3);
    for (int k = 0; k < M * N; k++) b[k] = value(k + 40);
    for (int form = 0; form < 16; form++) {
        const int side = form & 1, uplo = form >> 1 & 1, op = form >> 2 & 1, diag = form >> 3;
        void *da = on_device(a, sizeof a), *db = on_device(b, sizeof b), *dc = on_device(NULL, sizeof b);
        DONE(cublasDtrsm_v2(h, side, uplo, op, diag, M, N, &one, da, M, db, M));
        DONE(cublasDtrmm_v2(h, side, uplo, op, diag, M, N, &one, da, M, db, M, dc, M));
        fetch(result, dc, sizeof result);
        for (int k = 0; k < M * N; k++) expect(fabs(result[k] - b[k]) < 1e-9, "cublasDtrsm, cublasDtrmm");
        DONE(cudaFree(da));
        DONE(cudaFree(db));
    }
}

static void halves(void *h) { /* 1.5 * 2 + 0.25 * 4 = 4 */
    const unsigned short a[] = {0x3e00, 0x3400}, b[] = {0x4000, 0x4400};
    const float one = 1, zero = 0;
    float c = 0;
    void *da = on_device(a, sizeof a), *db = on_device(b, sizeof b), *dc = on_device(NULL, sizeof c);
    DONE(cublasGemmEx(h, 0, 0, 1, 1, 2, &one, da, 2, 1, db, 2, 2, &zero, dc, 0, 1, 68, -1));
    fetch(&c, dc, sizeof c);
    expect(c == 4, "cublasGemmEx");
    DONE(cudaFree(da));
    DONE(cudaFree(db));
}

/* --- cuFFT --- */
static void transforms(int n, int batch) {
    float _Complex *x = malloc((size_t)(n * batch) * sizeof *x), *y = malloc((size_t)(n * batch) * sizeof *y);
    int plan = 0;
    for (int k = 0; k < n * batch; k++) x[k] = CMPLXF((float)value(k), (float)value(k + 3));
    void *dx = on_device(x, (size_t)(n * batch) * sizeof *x);
    DONE(cufftPlan1d(&plan, n, C2C, batch));
    DONE(cufftExecC2C(plan, dx, dx, -1));
    fetch(y, dx, (size_t)(n * batch) * sizeof *y);
    DONE(cufftDestroy(plan));
    for (int b = 0; b < batch; b++)
        for (int k = 0; k < n; k++) {
            double _Complex sum = 0;
            for (int t = 0; t < n; t++) sum += x[b * n + t] * cexp(CMPLX(0, -2 * acos(-1) * k * t / n));
            expect(cabs(sum - y[b * n + k]) < 1e-4, "cufftExecC2C");
        }
    free(x);
    free(y);
}

static void there_and_back(int rows, int columns) {
    const size_t n = (size_t)(rows * columns), half = (size_t)(rows * (columns / 2 + 1));
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y);
    int there = 0, back = 0;
    for (size_t k = 0; k < n; k++) x[k] = value((int)k);
    void *dx = on_device(x, n * sizeof *x), *ds = on_device(NULL, half * 2 * sizeof *x);
    DONE(cufftPlan2d(&there, rows, columns, D2Z));
    DONE(cufftPlan2d(&back, rows, columns, Z2D));
    DONE(cufftExecD2Z(there, dx, ds));
    DONE(cufftExecZ2D(back, ds, dx));
    fetch(y, dx, n * sizeof *y);
    for (size_t k = 0; k < n; k++) expect(fabs(y[k] / (double)n - x[k]) < 1e-12, "there and back");
    DONE(cufftDestroy(there));
    DONE(cufftDestroy(back));
    DONE(cudaFree(ds));
    free(x);
    free(y);
}

int main(int argc, char **argv) {
    static const unsigned xorwow[] = {624778773, 3522650202, 2363946744, 1266286439},
                          philox[] = {546353992, 3665621163, 1140953199, 3419031310};
    static const float xorwow_normal[] = {0.780973554f, -1.80157816f},
                       philox_normal[] = {-1.61649048f, 1.22915542f};
    static const double xorwow_double[] = {0.43489880438841294, 0.92641692020243771, 0.81184521113001917},
                        philox_double[] = {0.85346899543001431, 0.79605514883270523, 0.11227557330034327};
    void *h = NULL;
    DONE(cublasCreate_v2(&h));
    if (argc > 1 && !strcmp(argv[1], "beyond")) { /* the product's last column is not there */
        const float one = 1, x[64] = {0};
        void *a = on_device(x, sizeof x), *c = on_device(x, sizeof x - 32);
        printf("status %d\n", cublasSgemm_v2(h, 0, 0, 8, 8, 8, &one, a, 8, a, 8, &one, c, 8));
        return 0;
    }
    random_numbers(101, xorwow, xorwow_normal, xorwow_double);
    random_numbers(161, philox, philox_normal, philox_double);
    mixed_numbers();
    quasi_random_numbers();
    for (int type = 201; type <= 204; type++) quasi_random_spread(type);
    products(h);
    complex_product(h);
    triangles(h);
    halves(h);
    DONE(cublasDestroy_v2(h));
    transforms(8, 3);
    transforms(15, 2);
    transforms(1, 1);
    there_and_back(4, 6);
    there_and_back(3, 5);
    printf("%d failures\n", failures);
    return failures != 0;
}
