/* Vector clocks that are shared as long as nobody changes them: behind a barrier all threads have the same
 * one, so that joining them again costs nothing. */
#include "emulate/check/past.h"
#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

struct moment {
    uint32_t holders, length;
    uint32_t at[];
};

static moment *grown(const moment *from, uint32_t length) {
    enum { STEP = 64 };
    length = (length + STEP - 1) / STEP * STEP;
    if (from && from->length > length) length = from->length;
    moment *m = ls_xrealloc(NULL, sizeof *m + length * sizeof *m->at);
    uint32_t known = from ? from->length : 0;
    m->holders = 1;
    m->length = length;
    if (known) memcpy(m->at, from->at, known * sizeof *m->at);
    memset(m->at + known, 0, (length - known) * sizeof *m->at);
    return m;
}

static void drop(moment *m) {
    if (m && !--m->holders) free(m);
}

uint32_t em_moment_at(const moment *m, uint32_t element) {
    return m && element < m->length ? m->at[element] : 0;
}

/* One that nobody else has, of at least that length. */
static void make_own(moment **m, uint32_t length) {
    if (*m && (*m)->holders == 1 && (*m)->length >= length) return;
    moment *own = grown(*m, length);
    drop(*m);
    *m = own;
}

void em_moment_raise(moment **to, uint32_t element, uint32_t value) {
    if (em_moment_at(*to, element) >= value) return;
    make_own(to, element + 1);
    (*to)->at[element] = value;
}

static bool covers(const moment *a, const moment *b) {
    for (uint32_t k = 0; k < b->length; k++)
        if (b->at[k] > em_moment_at(a, k)) return false;
    return true;
}

void em_moment_join(moment **to, moment *from) {
    if (!from || *to == from || (*to && covers(*to, from))) return;
    if (!*to || covers(from, *to)) {
        em_moment_set(to, from);
        return;
    }
    make_own(to, from->length);
    for (uint32_t k = 0; k < from->length; k++)
        if (from->at[k] > (*to)->at[k]) (*to)->at[k] = from->at[k];
}

void em_moment_set(moment **to, moment *from) {
    if (from) from->holders++;
    drop(*to);
    *to = from;
}

void em_past_join(past *to, const past *from) {
    em_moment_join(&to->known, from->known);
    em_moment_join(&to->fenced, from->fenced);
}

void em_past_set(past *to, const past *from) {
    em_moment_set(&to->known, from->known);
    em_moment_set(&to->fenced, from->fenced);
}

void em_past_drop(past *p) {
    drop(p->known);
    drop(p->fenced);
    *p = (past){0};
}
