/* Asking for proofs before a launch (proved.h). The last answers are kept: a program mostly launches a kernel
 * again as it did before, or with memory at other addresses, or in a few ways in turn. */
#include "emulate/proved.h"
#include "emulate/machine.h"

#include <stdlib.h>

enum { PROVE_FROM = 16384, MOST_STATEMENTS = 4000 };

static bool is_worth_it(const machine *m, const ls_ptx_function *kernel) {
    const ls_emu_options *o = &m->options;
    const ls_emu_launch *l = m->launch;
    if (!o->prover || !(o->checks & (LS_CHECK_RACE | LS_CHECK_UNINIT)) || o->touched || o->early ||
        o->unchecked_memory || o->watch || kernel->body->count > MOST_STATEMENTS)
        return false;
    for (int k = 0; k < 3; k++)
        if (l->cluster[k] > 1) return false;
    return m->blocks * m->threads >= (o->prove_from ? o->prove_from : PROVE_FROM);
}

/* A kernel of which nothing could be proved, time and again, is asked for less often. */
static bool is_in_vain(ls_emulator *e) {
    enum { PATIENCE = 4, SELDOM = 16 };
    return e->in_vain >= PATIENCE && e->in_vain++ % SELDOM;
}

#define NOTE(list, what, bytes)                                                                              \
    for (size_t n_ = 0; n_ < (bytes); n_++) LS_VEC_PUSH(list, ((const char *)(what))[n_])

typedef LS_VEC(char) text;
typedef LS_VEC(em_buffer) buffer_list;
typedef LS_VEC(const ls_ptx_instr *) instr_list;

static void list_buffers(const machine *m, buffer_list *out) {
    const ls_emu_space *s = m->emulator->space;
    for (uint32_t k = 0; k < s->allocations.length; k++) {
        const allocation *a = s->allocations.items[k];
        if (a->freed) continue;
        const em_buffer b = {a->lo, a->limit - a->lo, a->undefined && m->options.checks & LS_CHECK_UNINIT};
        LS_VEC_PUSH(out, b);
    }
}

/* What the answer depends on besides the parameters. */
static void describe(const em_question *q, const ls_ptx_function *kernel, text *out) {
    NOTE(out, &kernel, sizeof kernel);
    NOTE(out, q->launch->grid, sizeof q->launch->grid);
    NOTE(out, q->launch->block, sizeof q->launch->block);
    NOTE(out, &q->launch->shared_bytes, sizeof q->launch->shared_bytes);
    NOTE(out, &q->initialized, sizeof q->initialized);
}

static void add(void *context, const ls_ptx_instr *instr) {
    instr_list *list = context;
    LS_VEC_PUSH(list, instr);
}

static int by_address(const void *a, const void *b) {
    const uintptr_t x = (uintptr_t)*(const ls_ptx_instr *const *)a,
                    y = (uintptr_t)*(const ls_ptx_instr *const *)b;
    return x < y ? -1 : x > y;
}

/* Takes the list for the emulator's, of which it is a copy; true where it is another one. */
static bool replace(ls_emulator *e, const instr_list *list) {
    const bool same =
        list->length == e->spared.length &&
        (!list->length || !memcmp(list->items, e->spared.items, list->length * sizeof *list->items));
    e->spared.length = 0;
    for (uint32_t k = 0; k < list->length; k++) LS_VEC_PUSH(&e->spared, list->items[k]);
    return !same;
}

/* --- Answers --- */
typedef struct {
    text sizes;
    em_ground ground;
    instr_list spared; /* sorted */
} kept_answer;

enum { MOST_ANSWERS = 8 };
struct em_answers {
    kept_answer items[MOST_ANSWERS];
    uint32_t given; /* all that ever were: the oldest makes room */
};

static void forget(kept_answer *a) {
    LS_VEC_FREE(&a->sizes);
    LS_VEC_FREE(&a->spared);
    ls_buf *parts[] = {&a->ground.params, &a->ground.consulted, &a->ground.list, &a->ground.pointers};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) ls_buf_free(parts[k]);
    *a = (kept_answer){0};
}

void em_forget_proofs(ls_emulator *e) {
    for (uint32_t k = 0; e->answers && k < MOST_ANSWERS; k++) forget(&e->answers->items[k]);
    free(e->answers);
    e->answers = NULL;
}

static kept_answer *find(const ls_emulator *e, const ls_emu_prover *prover, const em_question *q,
                         const text *sizes) {
    for (uint32_t k = 0; e->answers && k < MOST_ANSWERS; k++) {
        kept_answer *a = &e->answers->items[k];
        if (a->sizes.length && a->sizes.length == sizes->length &&
            !memcmp(a->sizes.items, sizes->items, sizes->length) && prover->holds(&a->ground, q))
            return a;
    }
    return NULL;
}

/* The sizes are handed over. */
static kept_answer *ask(ls_emulator *e, const ls_emu_prover *prover, const em_question *q, text *sizes) {
    if (!e->answers) e->answers = ls_xcalloc(1, sizeof *e->answers);
    kept_answer *a = &e->answers->items[e->answers->given++ % MOST_ANSWERS];
    forget(a);
    prover->prove(q, add, &a->spared, &a->ground);
    if (a->spared.length) qsort(a->spared.items, a->spared.length, sizeof *a->spared.items, by_address);
    e->in_vain = a->spared.length ? 0 : e->in_vain + 1;
    a->sizes = *sizes;
    *sizes = (text){0};
    return a;
}

bool em_prove(machine *m, const ls_ptx_function *kernel) {
    static const instr_list none = {0};
    ls_emulator *e = m->emulator;
    if (!is_worth_it(m, kernel)) return replace(e, &none);
    buffer_list buffers = {0};
    text sizes = {0};
    list_buffers(m, &buffers);
    const em_question q = {.module = e->module,
                           .launch = m->launch,
                           .buffers = buffers.items,
                           .buffer_count = buffers.length,
                           .initialized = m->options.checks & LS_CHECK_UNINIT};
    describe(&q, kernel, &sizes);
    kept_answer *known = find(e, m->options.prover, &q, &sizes);
    if (!known && !is_in_vain(e)) known = ask(e, m->options.prover, &q, &sizes);
    const bool changed = replace(e, known ? &known->spared : &none);
    LS_VEC_FREE(&sizes);
    LS_VEC_FREE(&buffers);
    return changed;
}

bool em_is_spared(const ls_emulator *e, const ls_ptx_instr *instr) {
    return instr && e->spared.length &&
           bsearch(&instr, e->spared.items, e->spared.length, sizeof *e->spared.items, by_address);
}
