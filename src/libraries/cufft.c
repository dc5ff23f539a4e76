/* cuFFT on the emulated device: libcufft.so.11 and .12. Transforms in one to three dimensions, any size, in
 * batches and with cuFFT's layouts, computed in double precision (so that single precision is rounded once):
 * powers of two by halving, other sizes by Bluestein's way of making a convolution of it. */
#include "cuda/work.h"

#include <complex.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#undef I

#define API __attribute__((visibility("default"))) int

typedef double _Complex number;

enum {
    OK = 0,
    INVALID_PLAN = 1,
    ALLOC_FAILED = 2,
    INVALID_TYPE = 3,
    INVALID_VALUE = 4,
    EXEC_FAILED = 6,
    INVALID_SIZE = 8,
    NOT_IMPLEMENTED = 14
};
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum { MOST_PLANS = 4096, MOST_RANK = 3 };

/* One side's elements: where (x, y, z) of a batch is. */
typedef struct {
    int64_t embed[MOST_RANK], stride, distance;
    bool given;
} layout;

typedef struct {
    bool made;
    int rank, type;
    int64_t n[MOST_RANK], batch;
    layout in, out;
    void *stream;
} plan;

static struct {
    pthread_mutex_t lock;
    plan *items[MOST_PLANS];
} plans = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- Transforms of one row --- */
static void halve(number *x, int64_t n, int sign) {
    for (int64_t i = 1, r = 0; i < n; i++) { /* into the order of reversed bits */
        int64_t bit = n >> 1;
        for (; r & bit; bit >>= 1) r ^= bit;
        r ^= bit;
        if (i < r) {
            const number t = x[i];
            x[i] = x[r];
            x[r] = t;
        }
    }
    for (int64_t size = 2; size <= n; size *= 2) {
        const int64_t half = size / 2;
        for (int64_t k = 0; k < half; k++) {
            const number turn = cexp(CMPLX(0, sign * 2 * 3.14159265358979323846 * (double)k / (double)size));
            for (int64_t at = k; at < n; at += size) {
                const number low = x[at], high = x[at + half] * turn;
                x[at] = low + high;
                x[at + half] = low - high;
            }
        }
    }
}

/* What a row of a length takes: the row itself, and what Bluestein's way needs for it. */
typedef struct {
    number *row, *a, *b, *w;
} workspace;

static int64_t padded(int64_t n) {
    int64_t m = 1;
    while (m < 2 * n) m *= 2;
    return m;
}

static workspace workspace_of(lockstep_memory *memory, int64_t n) {
    const size_t of_row = (size_t)n * sizeof(number), of_padded = (size_t)padded(n) * sizeof(number);
    return (workspace){lockstep_cuda_memory(memory, of_row), lockstep_cuda_memory(memory, of_padded),
                       lockstep_cuda_memory(memory, of_padded), lockstep_cuda_memory(memory, of_row)};
}

static void bluestein(const workspace *by, number *x, int64_t n, int sign) {
    const int64_t m = padded(n);
    number *a = by->a, *b = by->b, *w = by->w;
    memset(a, 0, (size_t)m * sizeof *a);
    memset(b, 0, (size_t)m * sizeof *b);
    for (int64_t k = 0; k < n; k++) {
        w[k] = cexp(CMPLX(0, sign * 3.14159265358979323846 * (double)(k * k % (2 * n)) / (double)n));
        a[k] = x[k] * w[k];
        b[k] = conj(w[k]);
        if (k) b[m - k] = conj(w[k]);
    }
    halve(a, m, -1);
    halve(b, m, -1);
    for (int64_t k = 0; k < m; k++) a[k] *= b[k];
    halve(a, m, 1);
    for (int64_t k = 0; k < n; k++) x[k] = a[k] / (double)m * w[k];
}

static void transform(const workspace *by, int64_t n, int sign) {
    if (n & (n - 1))
        bluestein(by, by->row, n, sign);
    else
        halve(by->row, n, sign);
}

/* --- Many dimensions --- */
static int64_t volume(const plan *p) {
    int64_t all = 1;
    for (int d = 0; d < p->rank; d++) all *= p->n[d];
    return all;
}

static void transform_all(const plan *p, const workspace *by, number *x, int sign) {
    number *row = by->row;
    const int64_t all = volume(p);
    int64_t step = 1;
    for (int d = p->rank - 1; d >= 0; step *= p->n[d--]) {
        for (int64_t from = 0; from < all; from++) {
            if (from / step % p->n[d]) continue; /* not the first of a row */
            for (int64_t k = 0; k < p->n[d]; k++) row[k] = x[from + k * step];
            transform(by, p->n[d], sign);
            for (int64_t k = 0; k < p->n[d]; k++) x[from + k * step] = row[k];
        }
    }
}

static void coordinates(const plan *p, int64_t index, int64_t at[MOST_RANK]) {
    for (int d = p->rank - 1; d >= 0; d--) {
        at[d] = index % p->n[d];
        index /= p->n[d];
    }
}

static int64_t place(const plan *p, const layout *l, int64_t batch, const int64_t at[MOST_RANK]) {
    int64_t index = 0;
    for (int d = 0; d < p->rank; d++) index = index * l->embed[d] + at[d];
    return batch * l->distance + index * l->stride;
}

/* --- Elements --- */
static bool is_double(int type) {
    return type & 0x40;
}
static bool real_in(int type) {
    return type == R2C || type == D2Z;
}
static bool real_out(int type) {
    return type == C2R || type == Z2D;
}

static number get(const void *from, int64_t i, bool real, bool wide) {
    if (real) return wide ? ((const double *)from)[i] : (double)((const float *)from)[i];
    if (wide) return CMPLX(((const double *)from)[2 * i], ((const double *)from)[2 * i + 1]);
    return CMPLX((double)((const float *)from)[2 * i], (double)((const float *)from)[2 * i + 1]);
}

static void put(void *to, int64_t i, bool real, bool wide, number x) {
    if (real && wide) {
        ((double *)to)[i] = creal(x);
    } else if (real) {
        ((float *)to)[i] = (float)creal(x);
    } else if (wide) {
        ((double *)to)[2 * i] = creal(x), ((double *)to)[2 * i + 1] = cimag(x);
    } else {
        ((float *)to)[2 * i] = (float)creal(x), ((float *)to)[2 * i + 1] = (float)cimag(x);
    }
}

/* Of a real signal half of the last dimension is stored: the rest is its mirror image. */
static number get_half(const plan *p, const void *from, int64_t batch, const int64_t at[MOST_RANK]) {
    const int last = p->rank - 1;
    if (at[last] <= p->n[last] / 2) return get(from, place(p, &p->in, batch, at), false, is_double(p->type));
    int64_t mirror[MOST_RANK];
    for (int d = 0; d < p->rank; d++) mirror[d] = (p->n[d] - at[d]) % p->n[d];
    return conj(get(from, place(p, &p->in, batch, mirror), false, is_double(p->type)));
}

typedef struct {
    plan p;
    uint64_t in, out;
    int sign;
} job;

static void run_batch(const job *j, const workspace *by, int64_t batch, number *x) {
    const plan *p = &j->p;
    const void *from = lockstep_cuda_host(j->in);
    void *to = lockstep_cuda_host(j->out);
    const int64_t all = volume(p);
    const bool wide = is_double(p->type);
    int64_t at[MOST_RANK];
    for (int64_t k = 0; k < all; k++) {
        coordinates(p, k, at);
        x[k] = real_out(p->type) ? get_half(p, from, batch, at)
                                 : get(from, place(p, &p->in, batch, at), real_in(p->type), wide);
    }
    transform_all(p, by, x, j->sign);
    for (int64_t k = 0; k < all; k++) {
        coordinates(p, k, at);
        if (real_in(p->type) && at[p->rank - 1] > p->n[p->rank - 1] / 2) continue;
        put(to, place(p, &p->out, batch, at), real_out(p->type), wide, x[k]);
    }
}

static void run(void *data, lockstep_memory *memory) {
    const job *j = data;
    int64_t longest = 1;
    for (int d = 0; d < j->p.rank; d++)
        if (j->p.n[d] > longest) longest = j->p.n[d];
    const workspace by = workspace_of(memory, longest);
    number *x = lockstep_cuda_memory(memory, (size_t)volume(&j->p) * sizeof *x);
    for (int64_t b = 0; b < j->p.batch; b++) run_batch(j, &by, b, x);
}

/* --- Plans --- */
static plan *find(int handle) {
    return handle > 0 && handle < MOST_PLANS ? plans.items[handle] : NULL;
}

API cufftCreate(int *handle) {
    plan *p = calloc(1, sizeof *p);
    if (!p) return ALLOC_FAILED;
    pthread_mutex_lock(&plans.lock);
    int k = 1;
    while (k < MOST_PLANS && plans.items[k]) k++;
    if (k < MOST_PLANS) plans.items[k] = p;
    pthread_mutex_unlock(&plans.lock);
    if (k == MOST_PLANS) free(p);
    *handle = k;
    return k < MOST_PLANS ? OK : ALLOC_FAILED;
}
API cufftDestroy(int handle) {
    pthread_mutex_lock(&plans.lock);
    plan *p = find(handle);
    if (p) plans.items[handle] = NULL;
    pthread_mutex_unlock(&plans.lock);
    free(p);
    return p ? OK : INVALID_PLAN;
}

/* What a side has where nothing is given: rows one after another; of complex halves n/2 + 1 elements. */
static void usual(const plan *p, layout *l, bool half, bool padded) {
    l->distance = l->stride = 1;
    for (int d = 0; d < p->rank; d++) {
        l->embed[d] = p->n[d];
        if (d == p->rank - 1 && half) l->embed[d] = p->n[d] / 2 + 1;
        if (d == p->rank - 1 && padded) l->embed[d] = 2 * (p->n[d] / 2 + 1);
        l->distance *= l->embed[d];
    }
}

static bool is_type(int type) {
    return type == R2C || type == C2R || type == C2C || type == D2Z || type == Z2D || type == Z2Z;
}

static int make(plan *p, int rank, const int64_t *n, const int64_t *in, int64_t in_stride,
                int64_t in_distance, const int64_t *out, int64_t out_stride, int64_t out_distance, int type,
                int64_t batch, size_t *size) {
    if (!p) return INVALID_PLAN;
    if (!is_type(type)) return INVALID_TYPE;
    if (rank < 1 || rank > MOST_RANK || batch < 1) return INVALID_VALUE;
    for (int d = 0; d < rank; d++)
        if (n[d] < 1 || n[d] > 1 << 27) return INVALID_SIZE;
    p->made = true;
    p->rank = rank;
    p->type = type;
    p->batch = batch;
    memcpy(p->n, n, (size_t)rank * sizeof *n);
    p->in.given = in, p->out.given = out;
    if (in) {
        memcpy(p->in.embed, in, (size_t)rank * sizeof *in);
        p->in.stride = in_stride, p->in.distance = in_distance;
    }
    if (out) {
        memcpy(p->out.embed, out, (size_t)rank * sizeof *out);
        p->out.stride = out_stride, p->out.distance = out_distance;
    }
    if (size) *size = 0;
    return OK;
}

API cufftMakePlanMany64(int handle, int rank, long long *n, long long *in, long long in_stride,
                        long long in_distance, long long *out, long long out_stride, long long out_distance,
                        int type, long long batch, size_t *size) {
    int64_t wide[3][MOST_RANK] = {0};
    for (int d = 0; d < rank && d < MOST_RANK; d++) {
        wide[0][d] = n[d];
        if (in) wide[1][d] = in[d];
        if (out) wide[2][d] = out[d];
    }
    return make(find(handle), rank, wide[0], in ? wide[1] : NULL, in_stride, in_distance,
                out ? wide[2] : NULL, out_stride, out_distance, type, batch, size);
}
API cufftMakePlanMany(int handle, int rank, int *n, int *in, int in_stride, int in_distance, int *out,
                      int out_stride, int out_distance, int type, int batch, size_t *size) {
    long long wide[3][MOST_RANK] = {0};
    for (int d = 0; d < rank && d < MOST_RANK; d++) {
        wide[0][d] = n[d];
        if (in) wide[1][d] = in[d];
        if (out) wide[2][d] = out[d];
    }
    return cufftMakePlanMany64(handle, rank, wide[0], in ? wide[1] : NULL, in_stride, in_distance,
                               out ? wide[2] : NULL, out_stride, out_distance, type, batch, size);
}
API cufftMakePlan1d(int handle, int n, int type, int batch, size_t *size) {
    const int64_t sizes[] = {n};
    return make(find(handle), 1, sizes, NULL, 0, 0, NULL, 0, 0, type, batch, size);
}
API cufftMakePlan2d(int handle, int x, int y, int type, size_t *size) {
    const int64_t sizes[] = {x, y};
    return make(find(handle), 2, sizes, NULL, 0, 0, NULL, 0, 0, type, 1, size);
}
API cufftMakePlan3d(int handle, int x, int y, int z, int type, size_t *size) {
    const int64_t sizes[] = {x, y, z};
    return make(find(handle), 3, sizes, NULL, 0, 0, NULL, 0, 0, type, 1, size);
}

/* A plan that is made at once: nothing is left of one that cannot be. */
static int kept(int *handle, int status) {
    if (status != OK) cufftDestroy(*handle);
    return status;
}
API cufftPlan1d(int *handle, int n, int type, int batch) {
    const int status = cufftCreate(handle);
    return status ? status : kept(handle, cufftMakePlan1d(*handle, n, type, batch, NULL));
}
API cufftPlan2d(int *handle, int x, int y, int type) {
    const int status = cufftCreate(handle);
    return status ? status : kept(handle, cufftMakePlan2d(*handle, x, y, type, NULL));
}
API cufftPlan3d(int *handle, int x, int y, int z, int type) {
    const int status = cufftCreate(handle);
    return status ? status : kept(handle, cufftMakePlan3d(*handle, x, y, z, type, NULL));
}
API cufftPlanMany(int *handle, int rank, int *n, int *in, int in_stride, int in_distance, int *out,
                  int out_stride, int out_distance, int type, int batch) {
    const int status = cufftCreate(handle);
    return status ? status
                  : kept(handle, cufftMakePlanMany(*handle, rank, n, in, in_stride, in_distance, out,
                                                   out_stride, out_distance, type, batch, NULL));
}

/* Plans that name the types of both sides (cudaDataType). */
API cufftXtMakePlanMany(int handle, int rank, long long *n, long long *in, long long in_stride,
                        long long in_distance, int in_type, long long *out, long long out_stride,
                        long long out_distance, int out_type, long long batch, size_t *size, int execution) {
    enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 };
    static const int types[][3] = {{C_32F, C_32F, C2C}, {R_32F, C_32F, R2C}, {C_32F, R_32F, C2R},
                                   {C_64F, C_64F, Z2Z}, {R_64F, C_64F, D2Z}, {C_64F, R_64F, Z2D}};
    (void)execution;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (types[k][0] == in_type && types[k][1] == out_type)
            return cufftMakePlanMany64(handle, rank, n, in, in_stride, in_distance, out, out_stride,
                                       out_distance, types[k][2], batch, size);
    return NOT_IMPLEMENTED; /* halves */
}

/* --- Execution --- */
static uint64_t bytes(const plan *p, const layout *l, bool real) {
    int64_t last[MOST_RANK];
    for (int d = 0; d < p->rank; d++) last[d] = (l->embed[d] < p->n[d] ? l->embed[d] : p->n[d]) - 1;
    const uint64_t elements = (uint64_t)place(p, l, p->batch - 1, last) + 1;
    return elements * (is_double(p->type) ? 8 : 4) * (real ? 1 : 2);
}

static int execute(int handle, const char *what, const void *in, void *out, int type, int sign) {
    const plan *p = find(handle);
    if (!p || !p->made) return INVALID_PLAN;
    if (p->type != type) return INVALID_TYPE;
    job j = {*p, (uint64_t)(uintptr_t)in, (uint64_t)(uintptr_t)out, sign};
    const bool in_place = in == out;
    if (!p->in.given) usual(p, &j.p.in, real_out(type), real_in(type) && in_place);
    if (!p->out.given) usual(p, &j.p.out, real_in(type), real_out(type) && in_place);
    const lockstep_operand operands[] = {
        {j.in, bytes(&j.p, &j.p.in, real_in(type)), false, p->in.given || in_place},
        {j.out, bytes(&j.p, &j.p.out, real_out(type)), true, p->out.given}};
    return lockstep_cuda_work(p->stream, what, operands, 2, run, &j, sizeof j) ? EXEC_FAILED : OK;
}

API cufftXtExec(int handle, void *in, void *out, int direction) {
    const plan *p = find(handle);
    if (!p || !p->made) return INVALID_PLAN;
    return execute(handle, __func__, in, out, p->type,
                   real_in(p->type)    ? -1
                   : real_out(p->type) ? 1
                                       : direction);
}
API cufftExecC2C(int handle, const void *in, void *out, int direction) {
    return execute(handle, __func__, in, out, C2C, direction);
}
API cufftExecZ2Z(int handle, const void *in, void *out, int direction) {
    return execute(handle, __func__, in, out, Z2Z, direction);
}
API cufftExecR2C(int handle, const void *in, void *out) {
    return execute(handle, __func__, in, out, R2C, -1);
}
API cufftExecD2Z(int handle, const void *in, void *out) {
    return execute(handle, __func__, in, out, D2Z, -1);
}
API cufftExecC2R(int handle, const void *in, void *out) {
    return execute(handle, __func__, in, out, C2R, 1);
}
API cufftExecZ2D(int handle, const void *in, void *out) {
    return execute(handle, __func__, in, out, Z2D, 1);
}

/* --- The rest: no work area is needed --- */
API cufftSetStream(int handle, void *stream) {
    plan *p = find(handle);
    if (p) p->stream = stream;
    return p ? OK : INVALID_PLAN;
}
API cufftSetAutoAllocation(int handle, int on) {
    (void)on;
    return find(handle) ? OK : INVALID_PLAN;
}
API cufftSetWorkArea(int handle, void *area) {
    (void)area;
    return find(handle) ? OK : INVALID_PLAN;
}
API cufftGetSize(int handle, size_t *size) {
    *size = 0;
    return find(handle) ? OK : INVALID_PLAN;
}
API cufftEstimate1d(int n, int type, int batch, size_t *size) {
    (void)n, (void)type, (void)batch;
    *size = 0;
    return OK;
}
API cufftEstimate2d(int x, int y, int type, size_t *size) {
    (void)x, (void)y, (void)type;
    *size = 0;
    return OK;
}
API cufftEstimate3d(int x, int y, int z, int type, size_t *size) {
    (void)x, (void)y, (void)z, (void)type;
    *size = 0;
    return OK;
}
API cufftGetVersion(int *version) {
    *version = 12000;
    return OK;
}
API cufftGetProperty(int type, int *value) {
    if (type < 0 || type > 2) return INVALID_VALUE;
    *value = type ? 0 : 12;
    return OK;
}
