/* The benchmark's kernels as plain C for one core, each as one would write it there (-O3 -march=native): what
 * there is to be had without a GPU's threads. Some of them do less than the kernel then, as one pass over the
 * data is enough for a single thread, or round otherwise: with SAME in the environment these do the kernel's
 * own steps, and nothing is printed for the others. Prints the CPU time in milliseconds, the least of several
 * runs after one that is not counted. With COPIES, so many threads do the job at once, each with its own
 * buffers, and the wall time of all of them is printed: what a machine's cores give together.
 *
 * plain JOB RUNS [COPIES] */
#include "jobs.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void vecadd(const job *j, void **b) {
    const float *x = b[0], *y = b[1];
    float *z = b[2];
    for (uint64_t k = 0; k < j->buffers[2] / 4; k++) z[k] = x[k] + y[k];
}

static void matmul(const job *j, void **b) {
    const float *x = b[0], *y = b[1];
    float *z = b[2];
    const int n = j->n;
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) z[r * n + c] = 0;
        for (int k = 0; k < n; k++)
            for (int c = 0; c < n; c++) z[r * n + c] += x[r * n + k] * y[k * n + c];
    }
}

static void reduce(const job *j, void **b) {
    const uint32_t *x = b[0];
    uint32_t *z = b[1];
    for (uint32_t g = 0; g < job_blocks(j); g++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 256; k++) sum += x[g * 256 + k];
        z[g] = sum;
    }
}

static void scan(const job *j, void **b) {
    const uint32_t *x = b[0];
    uint32_t *z = b[1];
    for (uint32_t g = 0; g < job_blocks(j); g++) {
        uint32_t sum = 0;
        for (uint32_t k = 0; k < 256; k++) z[g * 256 + k] = sum += x[g * 256 + k];
    }
}

static void histogram(const job *j, void **b) {
    const uint32_t *x = b[0];
    uint32_t *z = b[1];
    for (uint64_t k = 0; k < j->buffers[0] / 4; k++) z[x[k] & 255]++;
}

static void nbody(const job *j, void **b) {
    const float(*body)[4] = b[0];
    float(*acc)[4] = b[1];
    for (int i = 0; i < j->n; i++) {
        float a[3] = {0};
        for (int k = 0; k < j->n; k++) {
            float d[3], r2 = 1e-3f;
            for (int n = 0; n < 3; n++) d[n] = body[k][n] - body[i][n], r2 += d[n] * d[n];
            float inverse = 1 / sqrtf(r2), f = body[k][3] * inverse * inverse * inverse;
            for (int n = 0; n < 3; n++) a[n] += d[n] * f;
        }
        memcpy(acc[i], a, sizeof a);
    }
}

static void transpose(const job *j, void **b) {
    const float *x = b[0];
    float *z = b[1];
    const int n = j->n;
    for (int r = 0; r < n; r += 16)
        for (int c = 0; c < n; c += 16)
            for (int v = 0; v < 16; v++)
                for (int u = 0; u < 16; u++) z[(c + u) * n + r + v] = x[(r + v) * n + c + u];
}

static void collatz(const job *j, void **b) {
    uint32_t *z = b[0];
    for (uint32_t k = 0; k < j->buffers[0] / 4; k++) {
        uint32_t n = k + 1, steps = 0;
        for (; n != 1; steps++) n = n & 1 ? 3 * n + 1 : n >> 1;
        z[k] = steps;
    }
}

static void softmax(const job *j, void **b) {
    for (uint32_t r = 0; r < job_blocks(j); r++) {
        const float *x = (const float *)b[0] + (size_t)r * (size_t)j->n;
        float *z = (float *)b[1] + (size_t)r * (size_t)j->n, most = -1e30f, sum = 0;
        for (int k = 0; k < j->n; k++) most = x[k] > most ? x[k] : most;
        for (int k = 0; k < j->n; k++) sum += z[k] = expf(x[k] - most);
        for (int k = 0; k < j->n; k++) z[k] /= sum;
    }
}

static void layernorm(const job *j, void **b) {
    for (uint32_t r = 0; r < job_blocks(j); r++) {
        const float *x = (const float *)b[0] + (size_t)r * (size_t)j->n;
        float *z = (float *)b[1] + (size_t)r * (size_t)j->n, sum = 0, square = 0;
        for (int k = 0; k < j->n; k++) sum += x[k], square += x[k] * x[k];
        const float n = (float)j->n, mean = sum / n, scale = 1 / sqrtf(square / n - mean * mean + 1e-5f);
        for (int k = 0; k < j->n; k++) z[k] = (x[k] - mean) * scale;
    }
}

static void attention(const job *j, void **b) {
    enum { WIDE = 64 };
    const int n = j->n;
    const float *q = b[0], *keys = q + n * WIDE, *values = keys + n * WIDE;
    float *weights = malloc((size_t)n * sizeof *weights);
    for (int r = 0; weights && r < n; r++) {
        float most = -1e30f, sum = 0, result[WIDE] = {0};
        for (int k = 0; k < n; k++) {
            float score = 0;
            for (int d = 0; d < WIDE; d++) score += q[r * WIDE + d] * keys[k * WIDE + d];
            weights[k] = score * 0.125f;
            most = weights[k] > most ? weights[k] : most;
        }
        for (int k = 0; k < n; k++) sum += weights[k] = expf(weights[k] - most);
        for (int k = 0; k < n; k++)
            for (int d = 0; d < WIDE; d++) result[d] += weights[k] * values[k * WIDE + d];
        for (int d = 0; d < WIDE; d++) ((float *)b[1])[r * WIDE + d] = result[d] / sum;
    }
    free(weights);
}

static void convolution(const job *j, void **b) {
    const float *x = b[0], *weights = b[1];
    float *z = b[2];
    const int n = j->n, pitch = n + 4;
    for (int r = 0; r < n; r++) {
        for (int c = 0; c < n; c++) z[r * n + c] = 0;
        for (int v = 0; v < 5; v++)
            for (int u = 0; u < 5; u++)
                for (int c = 0; c < n; c++) z[r * n + c] += weights[v * 5 + u] * x[(r + v) * pitch + c + u];
    }
}

static void spmv(const job *j, void **b) {
    const float *values = b[0], *x = b[2];
    const uint32_t *columns = b[1];
    float *z = b[3];
    const int n = j->n;
    for (int r = 0; r < n; r++) {
        float sum = 0;
        for (int k = 0; k < 16; k++)
            sum += values[k * n + r] * x[(columns[k * n + r] >> 3) & (uint32_t)(n - 1)];
        z[r] = sum;
    }
}

static int by_number(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void sort(const job *j, void **b) {
    for (uint32_t g = 0; g < job_blocks(j); g++) {
        uint32_t *z = (uint32_t *)b[1] + (size_t)g * 512;
        memcpy(z, (const uint32_t *)b[0] + (size_t)g * 512, 512 * sizeof *z);
        qsort(z, 512, sizeof *z, by_number);
    }
}

static void fft(const job *j, void **b) {
    float s[2][512][2];
    const float *roots = b[1];
    for (uint32_t g = 0; g < job_blocks(j); g++) {
        int from = 0;
        memcpy(s[0], (const float *)b[0] + (size_t)g * 1024, sizeof s[0]);
        for (int p = 1; p < 512; p <<= 1, from ^= 1)
            for (int l = 0; l < 256; l++) {
                const int k = l & (p - 1), to = 2 * l - k;
                const float *x = s[from][l], *y = s[from][l + 256], *w = roots + 2 * (k * (256 / p));
                const float re = y[0] * w[0] - y[1] * w[1], im = y[0] * w[1] + y[1] * w[0];
                float *sum = s[!from][to], *rest = s[!from][to + p];
                sum[0] = x[0] + re, sum[1] = x[1] + im, rest[0] = x[0] - re, rest[1] = x[1] - im;
            }
        memcpy((float *)b[2] + (size_t)g * 1024, s[from], sizeof s[0]);
    }
}

/* A half as a float: numbers as they are. */
static float of_half(uint32_t h) {
    const uint32_t bits = (h & 0x8000) << 16 | ((h & 0x7c00) ? ((h & 0x7fff) + 0x1c000) << 13 : 0);
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static void mma(const job *j, void **b) {
    const int n = j->n;
    float *x = malloc(2 * sizeof *x * (size_t)n * (size_t)n), *y = x + (size_t)n * (size_t)n, *z = b[2];
    for (int k = 0; x && k < n * n; k++) x[k] = of_half(((const uint16_t *)b[0])[k]);
    for (int r = 0; x && r < n; r++) /* by rows, as the other is by columns */
        for (int k = 0; k < n; k++) y[k * n + r] = of_half(((const uint16_t *)b[1])[r * n + k]);
    for (int r = 0; x && r < n; r++) {
        for (int c = 0; c < n; c++) z[r * n + c] = 0;
        for (int k = 0; k < n; k++)
            for (int c = 0; c < n; c++) z[r * n + c] += x[r * n + k] * y[k * n + c];
    }
    free(x);
}

/* --- The kernel's own steps --- */
static void same_reduce(const job *j, void **b) {
    uint32_t s[256];
    for (uint32_t g = 0; g < job_blocks(j); g++) {
        memcpy(s, (const uint32_t *)b[0] + (size_t)g * 256, sizeof s);
        for (uint32_t d = 128; d > 0; d >>= 1)
            for (uint32_t l = 0; l < d; l++) s[l] += s[l + d];
        ((uint32_t *)b[1])[g] = s[0];
    }
}

static void same_scan(const job *j, void **b) {
    uint32_t s[256], v[256];
    for (uint32_t g = 0; g < job_blocks(j); g++) {
        memcpy(s, (const uint32_t *)b[0] + (size_t)g * 256, sizeof s);
        for (uint32_t d = 1; d < 256; d <<= 1) {
            for (uint32_t l = 0; l < 256; l++) v[l] = l >= d ? s[l - d] : 0;
            for (uint32_t l = 0; l < 256; l++) s[l] += v[l];
        }
        memcpy((uint32_t *)b[1] + (size_t)g * 256, s, sizeof s);
    }
}

static void same_histogram(const job *j, void **b) {
    const uint32_t *x = b[0];
    uint32_t *z = b[1], h[256];
    for (uint32_t g = 0; g < job_blocks(j); g++) {
        memset(h, 0, sizeof h);
        for (uint32_t k = 0; k < 256; k++) h[x[g * 256 + k] & 255]++;
        for (uint32_t k = 0; k < 256; k++) z[k] += h[k];
    }
}

/* The exponent of a number's last place that counts, of numbers as they are. */
static int exponent_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return f == 0 ? -2000 : (int)(bits >> 23 & 255) - 127;
}

static float power_of_two(int n) {
    const uint32_t bits = (uint32_t)(n + 127) << 23;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

/* Sixteen products and what was there before, each cut 25 bits below the largest, and the sum cut to f32: as
 * tensor cores of the H200's kind do it. */
static float sum_of_step(float sum, const float *x, const float *y, const int *x_exponent,
                         const int *y_exponent) {
    int most = exponent_of(sum);
    for (int k = 0; k < 16; k++)
        most = x_exponent[k] + y_exponent[k] > most ? x_exponent[k] + y_exponent[k] : most;
    if (most < -1000) return 0;
    const float scale = power_of_two(25 - most);
    int64_t total = (int64_t)(sum * scale);
    for (int k = 0; k < 16; k++) total += (int32_t)(x[k] * y[k] * scale);
    double exact = (double)total;
    uint64_t bits;
    memcpy(&bits, &exact, 8);
    bits &= ~((UINT64_C(1) << 29) - 1);
    memcpy(&exact, &bits, 8);
    return (float)exact * power_of_two(most - 25);
}

static void same_mma(const job *j, void **b) {
    const int n = j->n, all = n * n;
    float *x = malloc(2 * sizeof *x * (size_t)all), *y = x + all, *z = b[2];
    int *x_exponent = malloc(2 * sizeof *x_exponent * (size_t)all), *y_exponent = x_exponent + all;
    for (int k = 0; x && x_exponent && k < all; k++) {
        x[k] = of_half(((const uint16_t *)b[0])[k]), x_exponent[k] = exponent_of(x[k]);
        y[k] = of_half(((const uint16_t *)b[1])[k]), y_exponent[k] = exponent_of(y[k]);
    }
    for (int r = 0; x && x_exponent && r < n; r++)
        for (int c = 0; c < n; c++) {
            float sum = 0;
            for (int k = 0; k < n; k += 16)
                sum = sum_of_step(sum, x + r * n + k, y + c * n + k, x_exponent + r * n + k,
                                  y_exponent + c * n + k);
            z[r * n + c] = sum;
        }
    free(x), free(x_exponent);
}

typedef struct {
    const char *file;
    void (*run)(const job *j, void **buffers);
} entry;
static const entry same[] = {
    {"reduce", same_reduce},
    {"scan", same_scan},
    {"histogram", same_histogram},
    {"mma", same_mma},
};
static const entry table[] = {
    {"vecadd", vecadd},
    {"matmul", matmul},
    {"reduce", reduce},
    {"scan", scan},
    {"histogram", histogram},
    {"nbody", nbody},
    {"transpose", transpose},
    {"collatz", collatz},
    {"softmax", softmax},
    {"layernorm", layernorm},
    {"attention", attention},
    {"convolution", convolution},
    {"spmv", spmv},
    {"sort", sort},
    {"fft", fft},
    {"shuffle", reduce},
    {"mma", mma},
};

static double now_ms(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

typedef struct {
    const job *job;
    void (*run)(const job *j, void **buffers);
    void *buffers[MOST_BUFFERS];
} copy;

static void *run_copy(void *context) {
    copy *c = context;
    c->run(c->job, c->buffers);
    return NULL;
}

static void run_copies(copy *copies, int count) {
    enum { MOST = 256 };
    pthread_t threads[MOST];
    int started = 1;
    for (; started < count && started < MOST; started++)
        if (pthread_create(&threads[started], NULL, run_copy, &copies[started])) exit(1);
    run_copy(&copies[0]);
    for (int k = 1; k < started; k++) pthread_join(threads[k], NULL);
}

static const job *find(const char *name) {
    for (int k = 0; k < JOB_COUNT; k++)
        if (!strcmp(jobs[k].name, name)) return &jobs[k];
    for (int k = 0; k < LARGE_COUNT; k++)
        if (!strcmp(large_jobs[k].name, name)) return &large_jobs[k];
    return NULL;
}

static void prepare(copy *c, const job *j) {
    const bool own = getenv("SAME");
    const entry *from = own ? same : table;
    c->job = j;
    for (size_t t = 0; t < (own ? sizeof same : sizeof table) / sizeof *table; t++)
        if (!strcmp(from[t].file, j->file)) c->run = from[t].run;
    if (!c->run) exit(1);
    for (uint32_t k = 0; k < j->buffer_count; k++) {
        c->buffers[k] = malloc(j->buffers[k]);
        if (!c->buffers[k]) exit(1);
        fill(j, k, c->buffers[k]);
    }
}

int main(int count, char **arguments) {
    const job *j = count >= 3 ? find(arguments[1]) : NULL;
    const int copies = count > 3 ? (int)strtol(arguments[3], NULL, 10) : 1;
    if (!j || copies < 1) return fprintf(stderr, "expected: JOB RUNS [COPIES]\n"), 1;
    copy *all = calloc((size_t)copies, sizeof *all);
    for (int k = 0; all && k < copies; k++) prepare(&all[k], j);
    double least = 1e30;
    for (long k = 0; all && k <= strtol(arguments[2], NULL, 10); k++) {
        const clockid_t clock = count > 3 ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
        const double start = now_ms(clock);
        run_copies(all, copies);
        const double ms = now_ms(clock) - start;
        if (k && ms < least) least = ms;
    }
    printf("%.6f\n", least);
    for (int n = 0; all && n < copies; n++)
        for (uint32_t k = 0; k < j->buffer_count; k++) free(all[n].buffers[k]);
    free(all);
    return 0;
}
