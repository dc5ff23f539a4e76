/* Numbers, indices and entries of cuSPARSE's matrices, as the host has them. */
#ifndef LS_LIBRARIES_CUSPARSE_VALUES_H
#define LS_LIBRARIES_CUSPARSE_VALUES_H

#include "libraries/cusparse.h"

#include <complex.h>
#include <string.h>

typedef double _Complex number;

static inline number sparse_load(const void *from, int type, int64_t i) {
    switch (type) {
    case REAL_32: return (double)((const float *)from)[i];
    case REAL_64: return ((const double *)from)[i];
    case COMPLEX_32: return ((const float _Complex *)from)[i];
    default: return ((const number *)from)[i];
    }
}

static inline void sparse_store(void *to, int type, int64_t i, number v) {
    switch (type) {
    case REAL_32: ((float *)to)[i] = (float)creal(v); break;
    case REAL_64: ((double *)to)[i] = creal(v); break;
    case COMPLEX_32: ((float _Complex *)to)[i] = (float _Complex)v; break;
    default: ((number *)to)[i] = v; break;
    }
}

static inline int64_t sparse_index(const void *from, int type, int64_t i) {
    return type == INDEX_32 ? ((const int32_t *)from)[i] : ((const int64_t *)from)[i];
}

static inline void sparse_set_index(void *to, int type, int64_t i, int64_t v) {
    if (type == INDEX_32)
        ((int32_t *)to)[i] = (int32_t)v;
    else
        ((int64_t *)to)[i] = v;
}

static inline number sparse_value_of(const sparse_scalar *s, int type) {
    return sparse_load(s->of_device ? lockstep_cuda_host(s->address) : s->value, type, 0);
}

/* Where a dense matrix has an element. */
static inline int64_t sparse_place(const dense_matrix *m, int64_t row, int64_t column) {
    return m->order == ORDER_ROW ? row * m->ld + column : column * m->ld + row;
}

/* The entries of a sparse matrix, one after another. Those whose indices are outside of it are left out. */
typedef struct {
    const sparse_matrix *m;
    const void *offsets, *indices, *values;
    int64_t major, at, end;
    int64_t row, column;
    number value;
} sparse_walk;

static inline sparse_walk sparse_walk_of(const sparse_matrix *m) {
    return (sparse_walk){.m = m,
                         .offsets = lockstep_cuda_host(m->offsets),
                         .indices = lockstep_cuda_host(m->indices),
                         .values = lockstep_cuda_host(m->values),
                         .major = -1,
                         .end = m->format == FORMAT_COO ? m->count : 0};
}

/* The next row, or column of CSC, that there is. */
static inline bool sparse_next_major(sparse_walk *w) {
    const sparse_matrix *m = w->m;
    if (m->format == FORMAT_COO || ++w->major >= (m->format == FORMAT_CSR ? m->rows : m->columns))
        return false;
    w->at = sparse_index(w->offsets, m->offset_type, w->major) - m->base;
    w->end = sparse_index(w->offsets, m->offset_type, w->major + 1) - m->base;
    if (w->at < 0) w->at = 0;
    if (w->end > m->count) w->end = m->count;
    return true;
}

static inline bool sparse_next(sparse_walk *w) {
    const sparse_matrix *m = w->m;
    for (;;) {
        while (w->at >= w->end)
            if (!sparse_next_major(w)) return false;
        const int64_t k = w->at++, minor = sparse_index(w->indices, m->index_type, k) - m->base;
        const int64_t major =
            m->format == FORMAT_COO ? sparse_index(w->offsets, m->offset_type, k) - m->base : w->major;
        w->row = m->format == FORMAT_CSC ? minor : major;
        w->column = m->format == FORMAT_CSC ? major : minor;
        if (w->row < 0 || w->row >= m->rows || w->column < 0 || w->column >= m->columns) continue;
        w->value = sparse_load(w->values, m->type, k);
        return true;
    }
}

/* The entries of op(A) by rows (cusparse_compute.c). */
typedef struct {
    int64_t *first; /* of each row, among the others, and where the last one ends */
    int64_t *columns;
    number *values;
} sparse_rows;
void sparse_read_rows(lockstep_memory *memory, const sparse_matrix *m, int op, sparse_rows *r);
#endif
