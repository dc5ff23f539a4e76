/* Asking for proofs before a launch (proved.h). What was asked last is kept: a program mostly launches a
 * kernel again as it did before. */
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
        em_buffer b;
        memset(&b, 0, sizeof b); /* its padding is compared, too */
        b.address = a->lo, b.size = a->limit - a->lo;
        b.undefined = a->undefined && m->options.checks & LS_CHECK_UNINIT;
        LS_VEC_PUSH(out, b);
    }
}

/* All that the answer hangs on. */
static void describe(const em_question *q, const ls_ptx_function *kernel, text *out) {
    NOTE(out, &kernel, sizeof kernel);
    NOTE(out, q->launch->grid, sizeof q->launch->grid);
    NOTE(out, q->launch->block, sizeof q->launch->block);
    NOTE(out, &q->launch->shared_bytes, sizeof q->launch->shared_bytes);
    NOTE(out, q->launch->params, q->launch->params_size);
    NOTE(out, q->buffers, q->buffer_count * sizeof *q->buffers);
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

/* Takes the list for the emulator's; true where it is another one. */
static bool replace(ls_emulator *e, instr_list *list) {
    if (list->length) qsort(list->items, list->length, sizeof *list->items, by_address);
    const bool same =
        list->length == e->spared.length &&
        (!list->length || !memcmp(list->items, e->spared.items, list->length * sizeof *list->items));
    e->spared.length = 0;
    for (uint32_t k = 0; k < list->length; k++) LS_VEC_PUSH(&e->spared, list->items[k]);
    LS_VEC_FREE(list);
    return !same;
}

bool em_prove(machine *m, const ls_ptx_function *kernel) {
    ls_emulator *e = m->emulator;
    instr_list spared = {0};
    if (!is_worth_it(m, kernel)) {
        e->asked.length = 0;
        return replace(e, &spared);
    }
    buffer_list buffers = {0};
    text asked = {0};
    list_buffers(m, &buffers);
    em_question q = {.module = e->module,
                     .launch = m->launch,
                     .buffers = buffers.items,
                     .buffer_count = buffers.length,
                     .initialized = m->options.checks & LS_CHECK_UNINIT};
    describe(&q, kernel, &asked);
    const bool known = asked.length == e->asked.length && !memcmp(asked.items, e->asked.items, asked.length);
    bool changed = false;
    if (!known && is_in_vain(e)) {
        e->asked.length = 0;
        changed = replace(e, &spared);
    } else if (!known) {
        m->options.prover->prove(&q, add, &spared);
        e->in_vain = spared.length ? 0 : e->in_vain + 1;
        changed = replace(e, &spared);
        e->asked.length = 0;
        for (uint32_t k = 0; k < asked.length; k++) LS_VEC_PUSH(&e->asked, asked.items[k]);
    }
    LS_VEC_FREE(&asked);
    LS_VEC_FREE(&buffers);
    return changed;
}

bool em_is_spared(const ls_emulator *e, const ls_ptx_instr *instr) {
    return instr && e->spared.length &&
           bsearch(&instr, e->spared.items, e->spared.length, sizeof *e->spared.items, by_address);
}
