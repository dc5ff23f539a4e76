/* cuRAND's host interface on the emulated device: libcurand.so.10. XORWOW and Philox give NVIDIA's numbers in
 * NVIDIA's order: an item of XORWOW at place n comes from subsequence n mod 4096, which is 2^67 steps behind
 * the one before it; Philox's blocks of four words from subsequence n mod 65536, which is a part of the
 * counter. A normal pair is two items of one subsequence (Box and Muller). The other pseudo-random generators
 * have numbers of their own here, made by Philox; those of Poisson's distribution are by inversion and differ
 * from NVIDIA's as well. Quasi-random generators are in curand_quasi.c. */
#include "cuda/work.h"
#include "libraries/curand_quasi.h"
#include "libraries/sobol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default"))) int

enum {
    OK = 0,
    NOT_INITIALIZED = 101,
    ALLOCATION_FAILED = 102,
    TYPE_ERROR = 103,
    OUT_OF_RANGE = 104,
    NOT_MULTIPLE = 105,
    LAUNCH_FAILURE = 201,
};
enum {
    TYPE_DEFAULT = 100,
    TYPE_XORWOW = 101,
    TYPE_MRG = 121,
    TYPE_MT19937 = 142,
    TYPE_PHILOX = 161,
};
enum { SUBSEQUENCES = 4096, PHILOX_SUBSEQUENCES = 65536, BITS = 160, WORDS = 5 };

typedef struct {
    uint32_t v[WORDS], d;
} xorwow;

/* A linear step of XORWOW's five words: what it makes of each bit. */
typedef struct {
    uint32_t column[BITS][WORDS];
} step_matrix;

typedef struct generator {
    int type;
    bool host; /* results are the host's */
    void *stream;
    uint32_t dimensions;   /* of a quasi-random one */
    uint64_t seed, offset; /* of XORWOW the item in a row of subsequences … */
    uint64_t words;        /* … and how many words each of these has given */
    bool ready;            /* the states stand at the row */
    uint64_t row;
    step_matrix far; /* from subsequence to subsequence */
    bool far_known;
    xorwow states[SUBSEQUENCES];
} generator;

/* --- XORWOW --- */
static uint32_t next_word(xorwow *s) {
    uint32_t t = s->v[0] ^ s->v[0] >> 2, last = s->v[4];
    memmove(s->v, s->v + 1, 4 * sizeof *s->v);
    s->v[4] = last ^ last << 4 ^ t ^ t << 1;
    s->d += 362437;
    return s->v[4] + s->d;
}

static void apply(const step_matrix *m, const uint32_t from[WORDS], uint32_t to[WORDS]) {
    uint32_t sum[WORDS] = {0};
    for (uint32_t bit = 0; bit < BITS; bit++) {
        const uint32_t all = -(from[bit / 32] >> bit % 32 & 1);
        for (uint32_t w = 0; w < WORDS; w++) sum[w] ^= m->column[bit][w] & all;
    }
    memcpy(to, sum, sizeof sum);
}

static void square(step_matrix *m) {
    step_matrix twice;
    for (uint32_t bit = 0; bit < BITS; bit++) apply(m, m->column[bit], twice.column[bit]);
    *m = twice;
}

static void one_step(step_matrix *m) {
    for (uint32_t bit = 0; bit < BITS; bit++) {
        xorwow s = {0};
        s.v[bit / 32] = UINT32_C(1) << bit % 32;
        next_word(&s);
        memcpy(m->column[bit], s.v, sizeof s.v);
    }
}

static xorwow seeded(uint64_t seed) {
    uint32_t low = (uint32_t)seed ^ 0xaad26b49u, high = (uint32_t)(seed >> 32) ^ 0xf7dcefddu;
    uint32_t t0 = 1099087573u * low, t1 = 2591861531u * high;
    return (xorwow){{123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0},
                    6615241u + t1 + t0};
}

/* All subsequences after `row` words of each. */
static void go_to(generator *g, uint64_t row) {
    if (g->ready && g->row == row) return;
    step_matrix m;
    xorwow s = seeded(g->seed);
    one_step(&m);
    if (!g->far_known) {
        g->far = m;
        for (int k = 0; k < 67; k++) square(&g->far);
        g->far_known = true;
    }
    for (uint64_t left = row; left; left >>= 1) {
        if (left & 1) apply(&m, s.v, s.v);
        square(&m);
    }
    s.d += 362437u * (uint32_t)row;
    for (uint32_t k = 0; k < SUBSEQUENCES; k++) {
        g->states[k] = s;
        apply(&g->far, s.v, s.v);
    }
    g->row = row;
    g->ready = true;
}

/* --- Items of some words each --- */
typedef void (*put_item)(void *out, uint64_t index, const uint32_t *words, const double *parameters);

typedef struct {
    generator *g;
    put_item put;
    uint64_t out; /* address of the results */
    uint64_t first, count;
    uint64_t row;     /* of XORWOW: words that each subsequence has given before */
    uint32_t words;   /* of an item */
    uint32_t blocks;  /* of Philox that one subsequence gives in a row: two of those for doubles */
    uint32_t skipped; /* elements of the first item, which are not asked for */
    bool within;      /* it begins or ends within a pair */
    size_t size;      /* of all results */
    double parameters[2];
} request;

static void xorwow_items(const request *r, void *out, lockstep_memory *memory) {
    generator *g = r->g;
    const uint64_t end = r->first + r->count;
    go_to(g, r->row);
    xorwow *before = lockstep_cuda_memory(memory, sizeof g->states); /* of a row that is not finished */
    for (uint64_t row = 0; row < end; row += SUBSEQUENCES) {
        const bool partly = row + SUBSEQUENCES > end;
        if (partly) memcpy(before, g->states, sizeof g->states);
        for (uint64_t k = 0; k < SUBSEQUENCES; k++) {
            uint32_t words[4];
            for (uint32_t w = 0; w < r->words; w++) words[w] = next_word(&g->states[k]);
            if (row + k >= r->first && row + k < end) r->put(out, row + k - r->first, words, r->parameters);
        }
        if (!partly) g->row += r->words;
        if (partly) memcpy(g->states, before, sizeof g->states);
    }
    g->ready = true;
}

static void philox_block(uint64_t counter, uint64_t subsequence, uint64_t seed, uint32_t out[4]) {
    uint32_t c[4] = {(uint32_t)counter, (uint32_t)(counter >> 32), (uint32_t)subsequence, 0};
    uint32_t k[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    for (int round = 0; round < 10; round++) {
        const uint64_t a = UINT64_C(0xd2511f53) * c[0], b = UINT64_C(0xcd9e8d57) * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k[0], (uint32_t)b,
                                  (uint32_t)(a >> 32) ^ c[3] ^ k[1], (uint32_t)a};
        memcpy(c, next, sizeof next);
        k[0] += 0x9e3779b9u, k[1] += 0xbb67ae85u;
    }
    memcpy(out, c, sizeof c);
}

static void philox_items(const request *r, void *out) {
    uint64_t have = UINT64_MAX, seed = r->g->seed;
    if (r->g->type != TYPE_PHILOX) seed ^= (uint64_t)r->g->type << 40; /* numbers of its own */
    uint32_t block[4];
    for (uint64_t i = 0; i < r->count; i++) {
        uint32_t words[4];
        for (uint32_t w = 0; w < r->words; w++) {
            const uint64_t at = (r->first + i) * r->words + w, group = at / 4 / r->blocks;
            if (at / 4 != have)
                philox_block(group / PHILOX_SUBSEQUENCES * r->blocks + at / 4 % r->blocks,
                             group % PHILOX_SUBSEQUENCES, seed, block);
            have = at / 4;
            words[w] = block[at % 4];
        }
        r->put(out, i, words, r->parameters);
    }
}

/* From the middle of a pair on, or up to one. */
static void philox_middle(const request *r, char *out, lockstep_memory *memory) {
    const size_t pair = r->words * sizeof(uint32_t);
    char *all = lockstep_cuda_memory(memory, r->count * pair);
    philox_items(r, all);
    memcpy(out, all + r->skipped * pair / 2, r->size);
}

static void work(void *data, lockstep_memory *memory) {
    const request *r = data;
    void *out = r->g->host ? (void *)(uintptr_t)r->out : lockstep_cuda_host(r->out);
    if (r->g->type == TYPE_XORWOW)
        xorwow_items(r, out, memory);
    else if (r->within)
        philox_middle(r, out, memory);
    else
        philox_items(r, out);
}

/* --- What is made of the words --- */
static double uniform_53(uint32_t low, uint32_t high) {
    const uint64_t z = low ^ (uint64_t)high << 21;
    return (double)z * 0x1p-53 + 0x1p-54;
}
static float uniform_32(uint32_t x) {
    return (float)x * 0x1p-32f + 0x1p-33f;
}

static void put_word(void *out, uint64_t i, const uint32_t *w, const double *p) {
    (void)p;
    ((uint32_t *)out)[i] = *w;
}
static void put_long(void *out, uint64_t i, const uint32_t *w, const double *p) {
    (void)p;
    ((uint64_t *)out)[i] = w[0] | (uint64_t)w[1] << 32;
}
static void put_float(void *out, uint64_t i, const uint32_t *w, const double *p) {
    (void)p;
    ((float *)out)[i] = uniform_32(*w);
}
static void put_double(void *out, uint64_t i, const uint32_t *w, const double *p) {
    (void)p;
    ((double *)out)[i] = uniform_53(w[0], w[1]);
}

static void pair_float(const uint32_t *w, const double *p, float two[2]) {
    const float angle = (float)w[1] * (0x1p-32f * 6.2831855f) + 0x1p-33f * 6.2831855f;
    const float length = sqrtf(-2.0f * logf(uniform_32(w[0])));
    two[0] = (float)p[0] + (float)p[1] * (length * sinf(angle));
    two[1] = (float)p[0] + (float)p[1] * (length * cosf(angle));
}
static void pair_double(const uint32_t *w, const double *p, double two[2]) {
    const double angle = 2 * 3.14159265358979323846 * uniform_53(w[2], w[3]);
    const double length = sqrt(-2.0 * log(uniform_53(w[0], w[1])));
    two[0] = p[0] + p[1] * (length * sin(angle));
    two[1] = p[0] + p[1] * (length * cos(angle));
}
static void put_normal(void *out, uint64_t i, const uint32_t *w, const double *p) {
    pair_float(w, p, (float *)out + 2 * i);
}
static void put_log_normal(void *out, uint64_t i, const uint32_t *w, const double *p) {
    float *two = (float *)out + 2 * i;
    pair_float(w, p, two);
    two[0] = expf(two[0]), two[1] = expf(two[1]);
}
static void put_normal_double(void *out, uint64_t i, const uint32_t *w, const double *p) {
    pair_double(w, p, (double *)out + 2 * i);
}
static void put_log_normal_double(void *out, uint64_t i, const uint32_t *w, const double *p) {
    double *two = (double *)out + 2 * i;
    pair_double(w, p, two);
    two[0] = exp(two[0]), two[1] = exp(two[1]);
}

/* By inversion. */
static void put_poisson(void *out, uint64_t i, const uint32_t *w, const double *p) {
    ((uint32_t *)out)[i] = quasi_poisson(p[0], uniform_53(w[0], w[1]));
}

/* Of each form: the size of a result, what makes one or a pair of how many random words. */
static const struct {
    put_item put;
    uint32_t size, words;
    bool pairs;
} forms[] = {
    [FORM_WORD] = {put_word, 4, 1, false},
    [FORM_LONG] = {put_long, 8, 2, false},
    [FORM_FLOAT] = {put_float, 4, 1, false},
    [FORM_DOUBLE] = {put_double, 8, 2, false},
    [FORM_NORMAL] = {put_normal, 4, 2, true},
    [FORM_NORMAL_DOUBLE] = {put_normal_double, 8, 4, true},
    [FORM_LOG_NORMAL] = {put_log_normal, 4, 2, true},
    [FORM_LOG_NORMAL_DOUBLE] = {put_log_normal_double, 8, 4, true},
    [FORM_POISSON] = {put_poisson, 4, 4, false},
};

/* --- The interface --- */
/* Where the next request begins. A row of XORWOW is an item of each subsequence, whatever its words; a row
 * that is not finished is gone on with, from the words that its subsequences have given so far. */
static void set_offset(generator *g, uint64_t offset) {
    g->offset = g->type == TYPE_XORWOW ? offset % SUBSEQUENCES : offset;
    g->words = offset / SUBSEQUENCES;
}
static void advance(generator *g, request *r, size_t n, uint64_t each) {
    if (g->type == TYPE_XORWOW) {
        const uint64_t end = r->first + r->count;
        r->row = g->words;
        g->words += end / SUBSEQUENCES * r->words;
        g->offset = end % SUBSEQUENCES;
    } else { /* it counts elements: a request may begin or end within a pair */
        g->offset += n;
        r->skipped = (uint32_t)(r->first % each);
        r->first /= each;
        r->count = (r->skipped + n + each - 1) / each;
        r->within = r->count * each != n;
    }
}

typedef struct {
    quasi_request request;
    uint64_t out;
    bool host;
} quasi_work;

static void work_quasi(void *data, lockstep_memory *memory) {
    (void)memory;
    const quasi_work *w = data;
    if (!quasi_generate(&w->request, w->host ? (void *)(uintptr_t)w->out : lockstep_cuda_host(w->out)))
        lockstep_cuda_missing("a quasi-random generator of so many dimensions: there is no memory for it");
}

static int generate_quasi(generator *g, const char *what, void *out, size_t n, random_form form, double a,
                          double b) {
    if (quasi_is_64(g->type) ? form == FORM_WORD : form == FORM_LONG) return TYPE_ERROR;
    if (n % g->dimensions) return NOT_MULTIPLE;
    const uint64_t each = n / g->dimensions;
    quasi_work w = {.request = {.type = g->type,
                                .form = form,
                                .dimensions = g->dimensions,
                                .first = g->offset,
                                .each = each,
                                .parameters = {a, b}},
                    .out = (uint64_t)(uintptr_t)out,
                    .host = g->host};
    g->offset += each;
    const lockstep_operand to = {w.out, n * forms[form].size, true, false};
    if (g->host) return lockstep_cuda_call(work_quasi, &w) ? LAUNCH_FAILURE : OK;
    return lockstep_cuda_work(g->stream, what, &to, 1, work_quasi, &w, sizeof w) ? LAUNCH_FAILURE : OK;
}

static int generate(generator *g, const char *what, void *out, size_t n, random_form form, double a,
                    double b) {
    if (!g) return NOT_INITIALIZED;
    if (quasi_is(g->type)) return generate_quasi(g, what, out, n, form, a, b);
    const bool pairs = forms[form].pairs;
    const size_t size = forms[form].size;
    if (pairs && (n & 1) && (g->type == TYPE_XORWOW || g->type == TYPE_MRG)) return NOT_MULTIPLE;
    if (!n) return OK;
    const uint64_t each = pairs ? 2 : 1;
    request r = {.g = g,
                 .put = forms[form].put,
                 .out = (uint64_t)(uintptr_t)out,
                 .first = g->offset,
                 .count = n / each,
                 .words = forms[form].words,
                 .blocks = size == 8 ? 2 : 1,
                 .size = n * size,
                 .parameters = {a, b}};
    advance(g, &r, n, each);
    const lockstep_operand to = {r.out, n * size, true, false};
    if (g->host) return lockstep_cuda_call(work, &r) ? LAUNCH_FAILURE : OK;
    return lockstep_cuda_work(g->stream, what, &to, 1, work, &r, sizeof r) ? LAUNCH_FAILURE : OK;
}

static int create(generator **out, int type, bool host) {
    const bool known = type == TYPE_DEFAULT || type == TYPE_XORWOW || type == TYPE_MRG || type == 141 ||
                       type == TYPE_MT19937 || type == TYPE_PHILOX || quasi_is(type);
    if (!known) return TYPE_ERROR;
    generator *g = calloc(1, sizeof *g);
    if (!g) return ALLOCATION_FAILED;
    g->type = type == TYPE_DEFAULT ? TYPE_XORWOW : type == QUASI_DEFAULT ? QUASI_32 : type;
    g->dimensions = 1;
    g->host = host;
    *out = g;
    return OK;
}

API curandCreateGenerator(generator **g, int type) {
    return create(g, type, false);
}
API curandCreateGeneratorHost(generator **g, int type) {
    return create(g, type, true);
}
API curandDestroyGenerator(generator *g) {
    free(g);
    return g ? OK : NOT_INITIALIZED;
}
API curandGetVersion(int *version) {
    *version = 10400;
    return OK;
}
API curandGetProperty(int type, int *value) {
    static const int version[] = {10, 4, 0};
    if (type < 0 || type > 2) return OUT_OF_RANGE;
    *value = version[type];
    return OK;
}
API curandSetStream(generator *g, void *stream) {
    if (!g) return NOT_INITIALIZED;
    g->stream = stream;
    return OK;
}
API curandSetPseudoRandomGeneratorSeed(generator *g, unsigned long long seed) {
    if (!g) return NOT_INITIALIZED;
    if (quasi_is(g->type)) return TYPE_ERROR;
    g->seed = seed;
    set_offset(g, 0);
    g->ready = false;
    return OK;
}
API curandSetGeneratorOffset(generator *g, unsigned long long offset) {
    if (!g) return NOT_INITIALIZED;
    set_offset(g, offset);
    return OK;
}
API curandSetGeneratorOrdering(generator *g, int order) {
    if (!g) return NOT_INITIALIZED;
    if (quasi_is(g->type)) return order == 201 ? OK : OUT_OF_RANGE;
    return order >= 100 && order <= 104 ? OK : OUT_OF_RANGE;
}
API curandSetQuasiRandomGeneratorDimensions(generator *g, unsigned dimensions) {
    if (!g) return NOT_INITIALIZED;
    if (!quasi_is(g->type)) return TYPE_ERROR;
    if (!dimensions || dimensions > SOBOL_MOST) return OUT_OF_RANGE;
    g->dimensions = dimensions;
    return OK;
}
API curandGenerateSeeds(generator *g) {
    if (!g) return NOT_INITIALIZED;
    if (g->type == TYPE_XORWOW) go_to(g, g->words);
    return OK;
}

API curandGenerate(generator *g, unsigned *out, size_t n) {
    return generate(g, __func__, out, n, FORM_WORD, 0, 0);
}
API curandGenerateLongLong(generator *g, unsigned long long *out, size_t n) {
    return generate(g, __func__, out, n, FORM_LONG, 0, 0);
}
API curandGenerateUniform(generator *g, float *out, size_t n) {
    return generate(g, __func__, out, n, FORM_FLOAT, 0, 0);
}
API curandGenerateUniformDouble(generator *g, double *out, size_t n) {
    return generate(g, __func__, out, n, FORM_DOUBLE, 0, 0);
}
API curandGenerateNormal(generator *g, float *out, size_t n, float mean, float deviation) {
    return generate(g, __func__, out, n, FORM_NORMAL, mean, deviation);
}
API curandGenerateNormalDouble(generator *g, double *out, size_t n, double mean, double deviation) {
    return generate(g, __func__, out, n, FORM_NORMAL_DOUBLE, mean, deviation);
}
API curandGenerateLogNormal(generator *g, float *out, size_t n, float mean, float deviation) {
    return generate(g, __func__, out, n, FORM_LOG_NORMAL, mean, deviation);
}
API curandGenerateLogNormalDouble(generator *g, double *out, size_t n, double mean, double deviation) {
    return generate(g, __func__, out, n, FORM_LOG_NORMAL_DOUBLE, mean, deviation);
}
API curandGeneratePoisson(generator *g, unsigned *out, size_t n, double lambda) {
    if (!(lambda > 0) || lambda > 400000) return OUT_OF_RANGE;
    return generate(g, __func__, out, n, FORM_POISSON, lambda, 0);
}
