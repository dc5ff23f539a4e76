/* Entering compiled code, and asking for it (compiled.h). */
#include "emulate/compiled.h"
#include "base/recover.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* LS_JIT_AUTO: a kernel is compiled when it has run for so long, in all its launches: longer than compiling
 * it takes. That is done by a thread of its own, while the kernel is interpreted, or run by what was made
 * quickly. The clock is looked at every so many blocks, turns, or heads that are met in vain. */
enum { LOOK = 256 };
typedef struct {
    double least, per_insn; /* seconds */
} worth;
static const worth WORTH[CODE_KINDS] = {[CODE_QUICK] = {0.05, 0.0005}, [CODE_GOOD] = {0.5, 0.002}};
/* Of good code that is likely to be on the disk, as quick code was: it may have to be made all the same. */
static const worth LIKELY_KEPT = {0.1, 0.001};

/* --- Entering --- */
/* Of these lanes. */
static void spread(const warp *w, const spread_row *s, uint64_t base, uint32_t lanes) {
    void *row = w->frame + s->slot;
    uint64_t *bits = row;
    if (s->whole) lanes = UINT32_MAX;
    if (s->width == 8)
        ls_row_ops()->spread64(row, base, s->offsets, lanes);
    else if (s->width == 4)
        ls_row_ops()->spread32(row, (uint32_t)base, s->offsets, lanes);
    else
        *bits = (base ? lanes : 0) | (*bits & ~(uint64_t)lanes);
}

static void expand_row(const warp *w, const lane_shape *s) {
    const void *row = w->frame + s->slot;
    const spread_row all = {s->slot, s->width, true, s->offsets};
    spread(w, &all, s->width == 8 ? *(const uint64_t *)row : *(const uint32_t *)row, 0);
}

void em_expand(const warp *w, const compiled *c, const insn *at) {
    if (at < c->insns || at >= c->insns + c->insn_count || !c->head_of[at - c->insns]) return;
    const compiled_head *h = &c->heads[c->head_of[at - c->insns] - 1];
    for (uint32_t k = 0; k < h->kept_count; k++) expand_row(w, &h->kept[k]);
}

/* Of these lanes. */
static bool has_shape(const warp *w, const lane_shape *s, uint32_t lanes) {
    const void *row = w->frame + s->slot;
    const uint32_t first = lanes ? (uint32_t)__builtin_ctz(lanes) : 0;
    if (s->width == 8) {
        const uint64_t *wide = row;
        return !ls_row_ops()->differ64(wide, wide[first] - (uint64_t)s->offsets[first], s->offsets, lanes);
    }
    const uint32_t *narrow = row;
    return !ls_row_ops()->differ32(narrow, narrow[first] - (uint32_t)s->offsets[first], s->offsets, lanes);
}

static bool is_as_planned(warp *w, const compiled *c) {
    for (uint32_t k = 0; k < c->shape_count; k++)
        if (!has_shape(w, &c->shapes[k], UINT32_MAX)) return false;
    return true;
}

static bool is_at_head(warp *w, const compiled_head *h) {
    for (uint32_t k = 0; k < h->doubted_count && !w->strayed; k++)
        w->strayed = !has_shape(w, &h->doubted[k], (uint32_t)w->mask);
    return !w->strayed;
}

static void call_operation(warp *w, const compiled_call *call, uint32_t lanes) {
    const uint64_t mask = w->mask;
    for (uint32_t k = 0; k < call->count; k++) spread(w, &call->rows[k], w->worker->bases[k], (uint32_t)mask);
    if (lanes) w->mask = lanes;
    call->fn(w, call->at);
    if (lanes) w->mask = mask;
}

static code_kind kind_of(uint32_t number) {
    return number & QUICK_NUMBER ? CODE_QUICK : CODE_GOOD;
}

static const compiled_call *call_of(const compiled *c, unsigned variant, uint32_t number) {
    return &c->calls[kind_of(number)][variant][number & ~(uint32_t)QUICK_NUMBER];
}

void em_call_from_full(warp *w, const compiled *c, uint32_t call, uint32_t lanes) {
    call_operation(w, call_of(c, VARIANT_FULL, call), lanes);
}

void em_call_from_masked(warp *w, const compiled *c, uint32_t call, uint32_t lanes) {
    call_operation(w, call_of(c, VARIANT_MASKED, call), lanes);
}

bool em_may_enter(warp *w, const compiled *c, const insn *at) {
    const bool here = at >= c->insns && at < c->insns + c->insn_count && c->head_of[at - c->insns];
    return here ? is_at_head(w, &c->heads[c->head_of[at - c->insns] - 1]) : !w->strayed;
}

/* What is counted or shown instruction by instruction is interpreted. */
static bool is_wanted(const machine *m) {
    const ls_emu_options *o = &m->options;
    return o->jit != LS_JIT_OFF && o->compiler && m->kernel->is_kernel && m->stride == CHUNK &&
           m->warp_size == CHUNK && !o->profile && !o->watch && !o->most_instructions &&
           m->cluster_count == 1 && m->options.banks == 32;
}

/* Whether the warp may run compiled code; looked at once for each frame. */
static bool may_run(warp *w, const compiled *c) {
    if (w->compiled == COMPILED_UNKNOWN)
        w->compiled = is_wanted(w->machine) && is_as_planned(w, c) ? COMPILED_YES : COMPILED_NO;
    return w->compiled == COMPILED_YES && w->regs == w->frame && !w->strayed;
}

static bool has_run_long(const machine *m, uint32_t insns, const worth *x) {
    const double least = x->least + x->per_insn * insns, before = m->kernel->spent;
    /* the clock of the process takes longer to read */
    const double passed = ls_clock_seconds(LS_CLOCK_WALL) - m->started_wall;
    return before + passed * m->worker_count > least &&
           before + ls_clock_seconds(LS_CLOCK_PROCESS) - m->started > least;
}

/* What is to be made next. */
static code_kind next_kind(const machine *m, const compiled *c, unsigned variant) {
    const ls_emu_options *o = &m->options;
    const code_kind there = (code_kind)atomic_load(&c->kind[variant]);
    if (o->jit == LS_JIT_QUICK) return there ? CODE_NONE : CODE_QUICK;
    if (there == CODE_GOOD) return CODE_NONE;
    return o->jit == LS_JIT_AUTO && !o->jit_after && !there ? CODE_QUICK : CODE_GOOD;
}

static bool is_worth_it(const warp *w, compiled *c, unsigned variant, code_kind wish, uint32_t every) {
    const machine *m = w->machine;
    if (m->options.jit != LS_JIT_AUTO) return true;
    if (m->options.jit_after) return ++c->wanted[variant] > m->options.jit_after;
    const worth *x = wish == CODE_GOOD && atomic_load(&c->kept[variant]) ? &LIKELY_KEPT : &WORTH[wish];
    return ++c->wanted[variant] % every == 0 && has_run_long(m, c->insn_count, x);
}

static void make(void *context) {
    compiled *c = context;
    const unsigned variant = c->making;
    const code_kind kind = c->wish;
    const double from = ls_clock_seconds(LS_CLOCK_THREAD);
    const compiled_fn fn = c->compiler->make(c, variant, kind);
    c->seconds += ls_clock_seconds(LS_CLOCK_THREAD) - from;
    c->insns_made += c->insn_count;
    c->failed[variant] = !fn;
    if (!fn) return;
    atomic_store(&c->run[variant], fn);
    atomic_store(&c->kind[variant], kind);
}

/* --- The process's threads that compile --- */
/* Of the whole process: how many threads compile, and in which process. A child that it forks meanwhile has
 * none of them, but all that they hold: it compiles nothing, and waits for nobody. */
static _Atomic uint32_t compiling;
static _Atomic int compiling_in;

/* A process that ends must wait for them before it runs what was left for its end: a compiler's library is
 * taken apart there, or is still being loaded, while a thread uses it. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t one_less;
    bool ends; /* no thread begins to compile any more */
} at_end = {.lock = PTHREAD_MUTEX_INITIALIZER, .one_less = PTHREAD_COND_INITIALIZER};

static bool is_forked(void) {
    return atomic_load(&compiling) && atomic_load(&compiling_in) != (int)getpid();
}

static bool count_thread(void) {
    pthread_mutex_lock(&at_end.lock);
    const bool may = !at_end.ends;
    if (may) atomic_fetch_add(&compiling, 1), atomic_store(&compiling_in, (int)getpid());
    pthread_mutex_unlock(&at_end.lock);
    return may;
}

static void discount_thread(void) {
    pthread_mutex_lock(&at_end.lock);
    atomic_fetch_sub(&compiling, 1);
    pthread_cond_broadcast(&at_end.one_less);
    pthread_mutex_unlock(&at_end.lock);
}

static void await_all(void *unused) {
    (void)unused;
    if (atomic_load(&compiling_in) != (int)getpid()) return; /* it has compiled nothing, or its parent has */
    pthread_mutex_lock(&at_end.lock);
    at_end.ends = (pid_t)syscall(SYS_gettid) == getpid();
    while (atomic_load(&compiling)) pthread_cond_wait(&at_end.one_less, &at_end.lock);
    pthread_mutex_unlock(&at_end.lock);
}

/* The C library's: what a thread has to do at its end. exit() does that of the thread that calls it before
 * all else, so that this comes before any function of atexit(), whenever that was registered. */
extern int __cxa_thread_atexit_impl(void (*fn)(void *), void *object, void *library) __attribute__((weak));
extern void *__dso_handle;

/* By the thread that loads this code, which is the first one nearly always. */
static __attribute__((constructor)) void await_all_at_end(void) {
    if (__cxa_thread_atexit_impl) __cxa_thread_atexit_impl(await_all, NULL, &__dso_handle);
}

static void *make_beside(void *context) {
    compiled *c = context;
    if (!ls_try(make, c)) c->failed[c->making] = true;
    atomic_store(&c->busy, false);
    discount_thread();
    return NULL;
}

static void await(compiled *c) {
    if (c->threaded && c->process == (int)getpid()) pthread_join(c->thread, NULL);
    c->threaded = false;
}

/* With the machine's lock held. */
static void begin(compiled *c, unsigned variant, code_kind wish, bool beside) {
    await(c);
    c->making = variant;
    c->wish = wish;
    if (beside) {
        if (!count_thread()) return;
        c->process = (int)getpid();
        atomic_store(&c->busy, true);
        c->threaded = !pthread_create(&c->thread, NULL, make_beside, c);
        if (c->threaded) return;
        atomic_store(&c->busy, false);
        discount_thread();
    }
    make(c);
}

static void want(warp *w, compiled *c, unsigned variant, uint32_t every) {
    machine *m = w->machine;
    /* busy first: what the thread that compiles has written is to be seen behind it */
    if (atomic_load(&c->busy) || c->failed[variant]) return;
    const code_kind wish = next_kind(m, c, variant);
    if (!wish || !is_worth_it(w, c, variant, wish, every)) return;
    ls_lock(&m->lock);
    if (next_kind(m, c, variant) == wish && !c->failed[variant] && !atomic_load(&c->busy) && !is_forked())
        begin(c, variant, wish, m->options.jit == LS_JIT_AUTO && !m->options.jit_after);
    ls_unlock(&m->lock);
}

compiled_fn em_code_for(warp *w, compiled *c, unsigned variant, uint32_t every) {
    if (atomic_load_explicit(&c->kind[variant], memory_order_relaxed) != CODE_GOOD)
        want(w, c, variant, every);
    return atomic_load_explicit(&c->run[variant], memory_order_acquire);
}

static const insn *enter(warp *w, const insn *i);

/* What only moves lanes from path to path leaves all rows as they are: where it leads to a head at once,
 * there is no doubt about them, if there was none before. */
static bool stays_sure(const warp *w, const compiled_exit *x, const insn *next) {
    return (x->fn == em_exec_branch || x->fn == em_exec_jump || x->fn == em_exec_reconverge) && next &&
           next->fn == enter && !w->strayed;
}

const insn *em_left(warp *w, const compiled *c, unsigned variant, uint32_t exit, bool sure) {
    w->sure = false;
    if (!exit) return NULL;
    const compiled_exit *x = &c->exits[kind_of(exit)][variant][(exit & ~(uint32_t)QUICK_NUMBER) - 1];
    for (uint32_t k = 0; k < x->count; k++) spread(w, &x->rows[k], w->worker->bases[k], (uint32_t)w->mask);
    const insn *next = x->fn ? x->fn(w, x->at) : x->at;
    w->sure = sure && stays_sure(w, x, next);
    return next;
}

static const insn *enter(warp *w, const insn *i) {
    compiled *c = w->code->compiled;
    const compiled_head *head = &c->heads[c->head_of[i - c->insns] - 1];
    const bool sure = w->sure;
    w->sure = false;
    if (!may_run(w, c)) return head->interpret(w, i);
    const unsigned variant = w->mask == UINT32_MAX ? VARIANT_FULL : VARIANT_MASKED;
    if (head->masked_only && variant == VARIANT_FULL) return head->interpret(w, i);
    compiled_fn fn = em_code_for(w, c, variant, LOOK);
    if (!fn || !(sure || is_at_head(w, head))) return head->interpret(w, i);
    w->worker->entered[variant]++;
    const insn *next =
        em_left(w, c, variant, fn(w, c, (uint32_t)(head - c->heads), NULL), sure || variant == VARIANT_FULL);
    if (next && variant == VARIANT_FULL && next->fn == em_exec_barrier && w->mask == UINT32_MAX &&
        w->regs == w->frame && !w->current && !w->strayed)
        em_expand(w, c, next + 1);
    return next;
}

exec_fn em_interpreted(const compiled *c, const insn *i) {
    const uint32_t head = c->head_of ? c->head_of[i - c->insns] : 0;
    return head ? c->heads[head - 1].interpret : i->fn;
}

/* --- Asking for it --- */
/* Whether it is time to plan, of a kernel that may be compiled later. */
static bool is_time(block_run *b, uint32_t insns) {
    const machine *m = b->warps[0].machine;
    const uint32_t looks = b->looks++;
    return m->options.jit_after ? looks >= m->options.jit_after
                                : looks % LOOK_BLOCKS == 0 && has_run_long(m, insns, &WORTH[CODE_QUICK]);
}

void em_compile_block(block_run *b) {
    machine *m = b->warps[0].machine;
    code *k = m->kernel;
    if (k->compiled || !is_wanted(m)) return;
    const uint32_t insns = k->affine_entry ? k->affine_count : k->insn_count;
    if (m->options.jit == LS_JIT_AUTO && !is_time(b, insns)) return;
    ls_lock(&m->lock);
    compiled *c = k->compiled ? NULL : calloc(1, sizeof *c);
    if (c) {
        c->insns = k->affine_entry ? k->affine_insns : k->insns;
        c->insn_count = insns;
        c->compiler = m->options.compiler;
        const bool good = c->compiler->plan(c, b);
        k->compiled = c;
        for (uint32_t h = 0; good && h < c->head_count; h++) {
            insn *i = &c->insns[c->heads[h].insn];
            c->heads[h].interpret = i->fn;
            __atomic_store_n(&i->fn, enter, __ATOMIC_RELEASE); /* others may be running it */
        }
    }
    ls_unlock(&m->lock);
}

void em_forget_compiled(code *k) {
    compiled *c = k->compiled;
    if (!c) return;
    k->compiled = NULL;
    await(c);
    c->compiler->free(c);
    for (uint32_t h = 0; h < c->head_count; h++) free(c->heads[h].kept), free(c->heads[h].doubted);
    free(c->head_of);
    free(c->heads);
    free(c->shapes);
    free(c->costs);
    free(c->reaches);
    free(c);
}

void em_add_costs(const machine *m) {
    const compiled *c = m->kernel ? m->kernel->compiled : NULL;
    for (uint32_t n = 0; c && c->costs && n < m->worker_count; n++)
        for (uint32_t k = 0; k < m->emulator->memory_sites; k++) {
            memory_stats *s = &m->workers[n].memory[k];
            s->accesses += s->plain;
            s->ideal += s->plain * c->costs[k].ideal;
            s->turns += s->plain * c->costs[k].turns;
            s->plain = 0;
        }
}

void em_collect_compiled(const machine *m, ls_emu_result *r) {
    compiled *c = m->kernel ? m->kernel->compiled : NULL;
    for (uint32_t k = 0; m->workers && k < m->worker_count; k++)
        r->compiled_runs += m->workers[k].entered[VARIANT_FULL] + m->workers[k].entered[VARIANT_MASKED];
    if (m->kernel && m->options.jit == LS_JIT_AUTO)
        m->kernel->spent += ls_clock_seconds(LS_CLOCK_PROCESS) - m->started;
    if (!c || atomic_load(&c->busy)) return;
    r->not_compiled = c->message;
    r->compile_seconds = c->seconds;
    r->compiled_insns = c->insns_made;
}
