/* A launch to try a kernel with (replay/trial.c): of what the options, the host code and the assumptions
 * leave open, sizes that kernels are mostly written for and small numbers for the scalar parameters. Wishes
 * that cannot be met are dropped, the last first. */
#include "verify/query/sample.h"
#include "verify/check/boxes.h"
#include "verify/execute/lower.h"
#include "verify/query/query.h"
#include "verify/query/witness.h"

enum { THREADS = 128, BLOCKS = 2, NUMBER = 8, LARGE = 1024, MOST_WISHES = 6 + 32 };

typedef struct {
    const ls_term *of[MOST_WISHES];
    uint32_t count;
} wishes;

static void wish(ls_proof *p, wishes *w, const ls_term *symbol, uint64_t value) {
    if (symbol->op == LS_T_SYM && w->count < MOST_WISHES)
        w->of[w->count++] = ls_eq(&p->terms, symbol, ls_const(&p->terms, symbol->width, value));
}

/* As the kernel is made for (.reqntid, .maxntid), else a block of so many threads in a row. */
static uint64_t threads_of(const ls_proof *p, uint32_t axis) {
    const ls_ptx_tune *size = ls_ptx_tune_of(p->f->ptx, LS_TUNE_REQNTID);
    if (!size) size = ls_ptx_tune_of(p->f->ptx, LS_TUNE_MAXNTID);
    if (size) return axis < size->count ? size->values[axis] : 1;
    return axis ? 1 : THREADS;
}

/* A kernel that does not ask for its block's number is made for one block. */
static uint64_t blocks_of(const ls_proof *p) {
    for (uint32_t i = 0; i < p->f->value_count; i++)
        if (p->f->values[i]->kind == LS_VALUE_SREG && p->f->values[i]->sreg == LS_SREG_CTAID) return BLOCKS;
    return 1;
}

static void make_wishes(ls_proof *p, wishes *w, uint64_t number) {
    for (uint32_t i = 0; i < 3; i++) wish(p, w, p->ntid[i], threads_of(p, i));
    for (uint32_t i = 0; i < 3; i++) wish(p, w, p->nctaid[i], i ? 1 : blocks_of(p));
    const ls_intmap_slot *slot;
    for (uint32_t at = 0; (slot = ls_intmap_next(&p->parameter_keys, &at));) {
        uint64_t key = slot->value;
        uint32_t object = (uint32_t)(key >> 32), offset = (uint32_t)(key >> 8 & 0xffffff), width = key & 255;
        if (width == 32) wish(p, w, ls_parameter(p, object, offset, width), number);
    }
}

/* True where a launch is like that, which is then in *sample. */
static bool try_wishes(ls_proof *p, const wishes *w, uint32_t count, ls_verify_execution **sample) {
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true});
    ls_query_launch(&q);
    for (uint32_t i = 0; i < count; i++) ls_query_claim(&q, w->of[i]);
    bool met = ls_query_solve(&q) == LS_SAT;
    if (met) {
        ls_finding holder = {.store = p->result->store};
        ls_query_witness(&q, &holder, NULL);
        *sample = holder.execution;
    }
    ls_query_end(&q);
    return met;
}

static void find_sample(ls_proof *p, ls_verify_execution **sample) {
    wishes all = {.count = 0};
    make_wishes(p, &all, NUMBER);
    if (try_wishes(p, &all, all.count, sample)) return;
    wishes met = {.count = 0};
    for (uint32_t i = 0; i < all.count; i++) { /* those that go together with what was met before */
        met.of[met.count] = all.of[i];
        if (try_wishes(p, &met, met.count + 1, sample)) met.count++;
    }
    if (!*sample) try_wishes(p, &met, 0, sample);
}

/* Only as it is wished: what threads of other blocks do to each other is a matter of such numbers. */
static void find_roomy(ls_proof *p, ls_verify_execution **sample) {
    wishes all = {.count = 0};
    make_wishes(p, &all, LARGE);
    if (try_wishes(p, &all, all.count, sample))
        (*sample)->of_order = true; /* flags are 0 before the launch */
}

void ls_find_sample(ls_proof *p) {
    find_sample(p, &p->result->sample);
    if (!p->by_layout) find_roomy(p, &p->result->roomy); /* numbers that were made up lay nothing out */
    ls_use_boxes(p, p->result->sample);
    ls_use_boxes(p, p->result->roomy);
}
