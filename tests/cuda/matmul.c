/* A program of cuBLASLt, run by `lockstep run`: products with layouts, batches and epilogues are held against
 * plain loops. With an argument it does what is named there, wrongly. */
#include "on_device.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtMatmulDescCreate(void **d, int compute, int scale);
int cublasLtMatmulDescDestroy(void *d);
int cublasLtMatmulDescSetAttribute(void *d, int attribute, const void *value, size_t size);
int cublasLtMatrixLayoutCreate(void **l, int type, uint64_t rows, uint64_t columns, int64_t ld);
int cublasLtMatrixLayoutDestroy(void *l);
int cublasLtMatrixLayoutSetAttribute(void *l, int attribute, const void *value, size_t size);
int cublasLtMatmulPreferenceCreate(void **p);
int cublasLtMatmulPreferenceDestroy(void *p);
int cublasLtMatmulAlgoGetHeuristic(void *h, void *d, void *a, void *b, void *c, void *r, void *p, int wanted,
                                   void *results, int *count);
int cublasLtMatmul(void *h, void *d, const void *alpha, const void *a, void *la, const void *b, void *lb,
                   const void *beta, const void *c, void *lc, void *r, void *lr, const void *algorithm,
                   void *workspace, size_t size, void *stream);

enum { R_32F = 0, R_16BF = 14, R_E4M3 = 28, COMPUTE_32F = 68 };
enum { TRANSA = 3, EPILOGUE = 7, BIAS = 8, AUX = 11, AUX_LD = 12 };
enum { ORDER = 1, BATCHES = 5, STRIDE = 6 };
enum { M = 6, N = 5, K = 4, LD = 8, BATCH = 2, SIZE = LD * LD * BATCH };

typedef struct {
    void *handle, *desc, *a, *b, *c; /* c: of the result, too */
    float host_a[SIZE], host_b[SIZE], host_c[SIZE], host_bias[LD], host_aux[SIZE], result[SIZE];
} product;

static void set_int(product *p, int attribute, int32_t value) {
    DONE(cublasLtMatmulDescSetAttribute(p->desc, attribute, &value, sizeof value));
}
static void set_pointer(product *p, int attribute, const void *value) {
    DONE(cublasLtMatmulDescSetAttribute(p->desc, attribute, &value, sizeof value));
}

static void open_product(product *p, int op_a) {
    DONE(cublasLtCreate(&p->handle));
    DONE(cublasLtMatmulDescCreate(&p->desc, COMPUTE_32F, R_32F));
    set_int(p, TRANSA, op_a);
    DONE(cublasLtMatrixLayoutCreate(&p->a, R_32F, op_a ? K : M, op_a ? M : K, LD));
    DONE(cublasLtMatrixLayoutCreate(&p->b, R_32F, K, N, LD));
    DONE(cublasLtMatrixLayoutCreate(&p->c, R_32F, M, N, LD));
    for (int k = 0; k < SIZE; k++) {
        p->host_a[k] = (float)value(k);
        p->host_b[k] = (float)value(k + 37);
        p->host_c[k] = (float)value(k + 71);
        p->host_aux[k] = (float)value(k + 11);
    }
    for (int k = 0; k < LD; k++) p->host_bias[k] = (float)value(k + 3);
}

static void close_product(product *p) {
    DONE(cublasLtMatrixLayoutDestroy(p->a));
    DONE(cublasLtMatrixLayoutDestroy(p->b));
    DONE(cublasLtMatrixLayoutDestroy(p->c));
    DONE(cublasLtMatmulDescDestroy(p->desc));
    DONE(cublasLtDestroy(p->handle));
}

static void run(product *p, float alpha, float beta) {
    struct {
        uint64_t algorithm[8];
        size_t workspace;
        int state;
        float waves;
        int reserved[4];
    } found[2];
    int count = 0;
    void *preference = NULL, *a = on_device(p->host_a, sizeof p->host_a),
         *b = on_device(p->host_b, sizeof p->host_b), *c = on_device(p->host_c, sizeof p->host_c);
    DONE(cublasLtMatmulPreferenceCreate(&preference));
    DONE(cublasLtMatmulAlgoGetHeuristic(p->handle, p->desc, p->a, p->b, p->c, p->c, preference, 2, found,
                                        &count));
    expect(count == 1 && !found[0].state, "one algorithm");
    DONE(cublasLtMatmul(p->handle, p->desc, &alpha, a, p->a, b, p->b, &beta, c, p->c, c, p->c, found, NULL, 0,
                        NULL));
    DONE(cublasLtMatmulPreferenceDestroy(preference));
    fetch(p->result, c, sizeof p->result);
    DONE(cudaFree(a));
    DONE(cudaFree(b));
}

static float sum_of(const product *p, int op_a, int x, int y, int first) {
    float sum = 0;
    for (int z = 0; z < K; z++)
        sum += p->host_a[first + (op_a ? z + x * LD : x + z * LD)] * p->host_b[first + z + y * LD];
    return sum;
}

static void near(float found, float wanted, const char *what) {
    expect(fabsf(found - wanted) < 1e-5f * (1 + fabsf(wanted)), what);
}

/* Both batches, the first operand transposed; c is read. */
static void batches(void) {
    static product p;
    const int32_t count = BATCH;
    const int64_t stride = LD * LD;
    open_product(&p, 1);
    void *layouts[] = {p.a, p.b, p.c};
    for (int k = 0; k < 3; k++) {
        DONE(cublasLtMatrixLayoutSetAttribute(layouts[k], BATCHES, &count, sizeof count));
        DONE(cublasLtMatrixLayoutSetAttribute(layouts[k], STRIDE, &stride, sizeof stride));
    }
    run(&p, 2, -1);
    for (int batch = 0; batch < BATCH; batch++)
        for (int at = 0; at < M * N; at++) {
            const int x = at % M, y = at / M, first = batch * LD * LD;
            near(p.result[first + x + y * LD], 2 * sum_of(&p, 1, x, y, first) - p.host_c[first + x + y * LD],
                 "batches");
        }
    close_product(&p);
}

/* Row by row: the same numbers are the transposes. */
static void rows(void) {
    static product p;
    const int32_t by_rows = 1;
    open_product(&p, 0);
    void *layouts[] = {p.a, p.b, p.c};
    for (int k = 0; k < 3; k++)
        DONE(cublasLtMatrixLayoutSetAttribute(layouts[k], ORDER, &by_rows, sizeof by_rows));
    run(&p, 1, 0);
    for (int x = 0; x < M; x++)
        for (int y = 0; y < N; y++) {
            float sum = 0;
            for (int z = 0; z < K; z++) sum += p.host_a[x * LD + z] * p.host_b[z * LD + y];
            near(p.result[x * LD + y], sum, "rows");
        }
    close_product(&p);
}

static float gelu(float x) {
    return 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

enum { WITH_BIAS = 4, GELU = 32, GELU_AUX_BIAS = 164, RELU_BIAS = 6, DGELU = 192, SUMS_OF_B = 512 };

static void epilogue(int which) {
    static product p;
    const int64_t ld = LD;
    open_product(&p, 0);
    void *bias = on_device(p.host_bias, sizeof p.host_bias), *aux = on_device(p.host_aux, sizeof p.host_aux);
    set_int(&p, EPILOGUE, which);
    set_pointer(&p, BIAS, bias);
    if (!(which & (WITH_BIAS | SUMS_OF_B))) { /* a bias that does not belong there is refused, as by a GPU */
        const float one = 1;
        expect(cublasLtMatmul(p.handle, p.desc, &one, aux, p.a, aux, p.b, &one, aux, p.c, aux, p.c, NULL,
                              NULL, 0, NULL) == 7,
               "a bias without use");
        set_pointer(&p, BIAS, NULL);
    }
    set_pointer(&p, AUX, aux);
    DONE(cublasLtMatmulDescSetAttribute(p.desc, AUX_LD, &ld, sizeof ld));
    run(&p, 1, 0);
    float kept[SIZE], sums[LD];
    fetch(kept, aux, sizeof kept);
    fetch(sums, bias, sizeof sums);
    for (int x = 0; x < M; x++)
        for (int y = 0; y < N; y++) {
            const int at = x + y * LD;
            const float sum = sum_of(&p, 0, x, y, 0), more = sum + p.host_bias[x], h = 1e-2f;
            const float slope = (gelu(p.host_aux[at] + h) - gelu(p.host_aux[at] - h)) / (2 * h);
            if (which == WITH_BIAS) near(p.result[at], more, "bias");
            if (which == RELU_BIAS) near(p.result[at], more < 0 ? 0 : more, "relu");
            if (which == GELU) near(p.result[at], gelu(sum), "gelu");
            if (which == GELU_AUX_BIAS) near(p.result[at], gelu(more), "gelu of what is kept");
            if (which == GELU_AUX_BIAS) near(kept[at], more, "what is kept");
            if (which == DGELU) expect(fabsf(p.result[at] - sum * slope) < 1e-3f, "gradient");
        }
    for (int y = 0; y < N && which == SUMS_OF_B; y++) {
        float sum = 0;
        for (int z = 0; z < K; z++) sum += p.host_b[z + y * LD];
        near(sums[y], sum, "sums of b's columns");
    }
    close_product(&p);
}

/* 8-bit floating point: 1.5, -2 and the least number, 2^-9, against ones; rounded to bfloat16. */
static void bytes(void) {
    static const uint8_t a[16] = {0x3c, 0xc0, 0x01};
    static const uint16_t wanted[] = {0x3fc0, 0xc000, 0x3b00};
    uint8_t ones[16];
    uint16_t result[16];
    const float one = 1, zero = 0;
    void *h = NULL, *d = NULL, *la = NULL, *lb = NULL, *lc = NULL;
    memset(ones, 0x38, sizeof ones);
    DONE(cublasLtCreate(&h));
    DONE(cublasLtMatmulDescCreate(&d, COMPUTE_32F, R_32F));
    DONE(cublasLtMatrixLayoutCreate(&la, R_E4M3, 16, 1, 16));
    DONE(cublasLtMatrixLayoutCreate(&lb, R_E4M3, 1, 1, 1));
    DONE(cublasLtMatrixLayoutCreate(&lc, R_16BF, 16, 1, 16));
    void *da = on_device(a, sizeof a), *db = on_device(ones, sizeof ones),
         *dc = on_device(NULL, sizeof result);
    DONE(cublasLtMatmul(h, d, &one, da, la, db, lb, &zero, dc, lc, dc, lc, NULL, NULL, 0, NULL));
    fetch(result, dc, sizeof result);
    expect(!memcmp(result, wanted, sizeof wanted), "bytes");
    DONE(cudaFree(da));
    DONE(cudaFree(db));
    DONE(cublasLtMatrixLayoutDestroy(la));
    DONE(cublasLtMatrixLayoutDestroy(lb));
    DONE(cublasLtMatrixLayoutDestroy(lc));
    DONE(cublasLtMatmulDescDestroy(d));
    DONE(cublasLtDestroy(h));
}

/* The bias has one element too few. */
static void beyond(void) {
    static product p;
    open_product(&p, 0);
    set_int(&p, EPILOGUE, WITH_BIAS);
    set_pointer(&p, BIAS, on_device(p.host_bias, (M - 1) * sizeof(float)));
    run(&p, 1, 0);
}

/* An epilogue that is not there: said, and nothing computed. */
static void unknown(void) {
    static product p;
    const float one = 1, zero = 0;
    open_product(&p, 0);
    set_int(&p, EPILOGUE, 136);
    void *a = on_device(p.host_a, sizeof p.host_a);
    printf("status %d\n", cublasLtMatmul(p.handle, p.desc, &one, a, p.a, a, p.b, &zero, a, p.c, a, p.c, NULL,
                                         NULL, 0, NULL));
}

int main(int argc, char **argv) {
    static const int epilogues[] = {WITH_BIAS, RELU_BIAS, GELU, GELU_AUX_BIAS, DGELU, SUMS_OF_B};
    if (argc > 1) {
        (!strcmp(argv[1], "beyond") ? beyond : unknown)();
        return 0;
    }
    batches();
    rows();
    for (size_t k = 0; k < sizeof epilogues / sizeof *epilogues; k++) epilogue(epilogues[k]);
    bytes();
    printf("%d failures\n", failures);
    return failures != 0;
}
