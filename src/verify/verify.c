/* The verifier's pipeline (000): from the IR of one kernel to a verdict. Everything that is not modelled is a
 * reason for "unknown"; a proof needs every obligation discharged and no such reason. */
#include "ptx/marks.h"
#include "ptx/uses.h"

#include "base/guard.h"
#include "base/options.h"
#include "finding/store.h"
#include "verify/check/async.h"
#include "verify/check/barriers.h"
#include "verify/check/claims.h"
#include "verify/check/crew.h"
#include "verify/check/division.h"
#include "verify/check/flights.h"
#include "verify/check/groups.h"
#include "verify/check/lanes.h"
#include "verify/check/races.h"
#include "verify/check/tickets.h"
#include "verify/check/warps.h"
#include "verify/effort.h"
#include "verify/execute/arrays.h"
#include "verify/execute/assume.h"
#include "verify/execute/calls.h"
#include "verify/execute/contents.h"
#include "verify/execute/contracts.h"
#include "verify/execute/exec.h"
#include "verify/execute/indirect.h"
#include "verify/execute/lower.h"
#include "verify/execute/memory.h"
#include "verify/execute/nodes.h"
#include "verify/execute/parameters.h"
#include "verify/execute/roots.h"
#include "verify/execute/uniform.h"
#include "verify/execute/written.h"
#include "verify/query/sample.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

/* --- Results ---------------------------------------------------------------------------------------------
 */

static ls_verify_note *append(ls_verify_note **list, ls_verify_note *note) {
    for (; *list; list = &(*list)->next)
        if (!strcmp((*list)->text, note->text) && (*list)->place.line == note->place.line) return *list;
    return *list = note;
}

static char *format_text(ls_proof *p, const char *format, va_list args) {
    char text[1000];
    vsnprintf(text, sizeof text, format, args);
    return ls_arena_strdup(&p->arena, text);
}

/* There will be no proof; where only that matters, there is nothing more to do. */
static void give_up(ls_proof *p) {
    p->solver.hopeless = true;
    if (p->options->proof_only) p->solver.timed_out = true;
}

ls_verify_note *ls_unknown(ls_proof *p, const ls_place *pos, const char *help, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ls_verify_note *n = LS_NEW(&p->arena, ls_verify_note);
    *n = (ls_verify_note){.text = format_text(p, format, args), .help = help};
    va_end(args);
    if (pos) n->place = *pos;
    give_up(p);
    return append(&p->result->reasons, n);
}

void ls_mistake(ls_proof *p, const ls_place *pos, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ls_verify_note *n = LS_NEW(&p->arena, ls_verify_note);
    *n = (ls_verify_note){.text = format_text(p, format, args)};
    va_end(args);
    if (pos) n->place = *pos;
    append(&p->result->mistakes, n);
}

void ls_scope_line(ls_proof *p, const char *brief, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ls_verify_note *n = LS_NEW(&p->arena, ls_verify_note);
    *n = (ls_verify_note){.text = format_text(p, format, args), .brief = brief};
    va_end(args);
    append(&p->result->scope, n);
}

const char *ls_proof_parameter(const ls_proof *p, uint32_t object) {
    const ls_ir_object *o = p->f->objects[object];
    bool named = o->kind == LS_OBJECT_PARAM && o->index < p->options->parameter_count;
    return named && p->options->parameters[o->index] ? p->options->parameters[o->index] : o->name;
}

const char *ls_base_name(ls_proof *p, const ls_ir_base *base) {
    if (base->kind == LS_BASE_PARAM && !base->offset) return ls_proof_parameter(p, base->object);
    const char *root = base->kind == LS_BASE_LOADED && p->root ? ls_root_name(p, base) : NULL;
    return root ? root : base->name ? base->name : "memory";
}

static ls_finding *new_finding(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos,
                               const char *format, va_list args) {
    return ls_finding_new(p->result->store, rule, level, *pos, format_text(p, format, args));
}

ls_finding *ls_suspect(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                       ...) {
    va_list args;
    va_start(args, format);
    ls_finding *f = new_finding(p, rule, level, pos, format, args);
    va_end(args);
    return f;
}

void ls_accuse(ls_proof *p, ls_finding *f) {
    ls_finding **at = &p->result->findings;
    while (*at) at = &(*at)->next;
    *at = f;
    if (f->level == LS_ERROR) give_up(p);
}

ls_finding *ls_find(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                    ...) {
    va_list args;
    va_start(args, format);
    ls_finding *f = new_finding(p, rule, level, pos, format, args);
    va_end(args);
    ls_accuse(p, f);
    return f;
}

/* --- What is not modelled --------------------------------------------------------------------------------
 */

/* A number of threads that is the block's, where that is known. */
static bool counts_all(const ls_proof *p, const ls_ir_operand *count) {
    const uint32_t *block = p->options->block;
    uint64_t threads;
    bool constant = count->value && ls_ir_constant(count->value, &threads);
    return constant && block[0] && threads == (uint64_t)block[0] * block[1] * block[2];
}

/* A barrier of all threads of the block, whichever of the sixteen it is: as all threads reach the same
 * barriers in the same order (barriers.c), none is ever in use for two purposes. */
static void check_barrier_form(ls_proof *p, const ls_ir_instr *i) {
    uint64_t id = 0;
    bool named = i->src_count >= 1 && i->src[0].value && ls_ir_constant(i->src[0].value, &id);
    bool reduces = i->form->opcode->barrier == LS_BARRIER_BLOCK_RED;
    bool counts = i->src_count > (reduces ? 2u : 1u);
    if (named && i->guard.kind == LS_IR_ABSENT && (!counts || counts_all(p, &i->src[1]))) return;
    if (ls_is_partial(p, i)) return; /* groups.c */
    const char *what = !named                          ? "whose number is not a constant"
                       : i->guard.kind != LS_IR_ABSENT ? "that is executed under a predicate"
                                                       : "of a part of the block's threads";
    ls_unknown(p, i->pos, counts ? "give the block's size (--block)" : NULL,
               "a barrier %s is not modelled (%s)", what, i->form->text);
    p->unmodelled_sync = true;
}

static void unmodelled_call(ls_proof *p, const ls_ir_instr *i) {
    ls_unknown(p, i->pos, NULL, "call of '%s', which is not modelled", i->call->name);
    p->unmodelled_sync = true;
}

/* A function of the program's own that has no body here; annotations and the like are none. */
static bool is_external(const ls_ir_instr *i) {
    const ls_ptx_function *callee = i->call->callee;
    bool image = strstr(i->call->name, "image") != NULL; /* an OpenCL built-in that accesses memory */
    return !i->call->no_return && callee && !callee->body && !callee->definition &&
           strncmp(i->call->name, "__", 2) && !image;
}

static void check_instr(ls_proof *p, const ls_ir_instr *i) {
    uint32_t effects = i->form->opcode->effects;
    if (i->unknown) {
        ls_unknown(p, i->pos, NULL, "instruction %s is not known", i->form->text);
    } else if (i->call) {
        ls_call_kind kind = ls_call_of(i);
        if (!i->call->name)
            p->has_indirect_calls = true; /* perhaps none is reached: indirect.c */
        else if (kind == LS_CALL_UNKNOWN && p->options->pure_externals && is_external(i))
            ls_scope_line(
                p, "assumes that functions without a body only compute",
                "assumes that '%s', which has no body here, accesses no memory and does not synchronise",
                i->call->name);
        else if (kind == LS_CALL_UNKNOWN || kind == LS_CALL_SYNC)
            unmodelled_call(p, i);
    } else if (ls_is_barrier(i)) {
        check_barrier_form(p, i);
    } else if (ls_is_ticketed(i)) {
        p->unmodelled_sync = true; /* for whoever does not know of tickets */
    } else if (effects & LS_BARRIER) {
        ls_unknown(p, i->pos, NULL, "synchronisation by %s is not modelled", i->form->text);
        p->unmodelled_sync = true;
    } else if ((effects & LS_ASYNC) && !ls_is_flight(i)) {
        ls_unknown(p, i->pos, NULL, "asynchronous %s is not modelled", i->form->text);
    } else if ((effects & LS_WRITES_MEMORY) && !i->access_count) {
        ls_unknown(p, i->pos, NULL, "%s writes memory in a way that is not modelled", i->form->text);
    }
}

/* Facts that functions __axiom… state would have to be assumed. */
static void check_axioms(ls_proof *p) {
    if (!ls_ptx_has_axioms(p->f->module)) return;
    ls_unknown(p, NULL, "state it with __requires in the kernel", "__axiom is not modelled");
    p->unmodelled_sync = true;
}

/* Where a number becomes a pointer (the front end says where), it is not known what it points to: a pointer's
 * own object would have to be followed through arithmetic on numbers. */
static void check_pointers(ls_proof *p, const ls_ptx_block *block) {
    const ls_ptx_loc *loc = NULL;
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        if (stmt->kind == LS_STMT_LOC) loc = stmt->loc;
        if (stmt->kind == LS_STMT_BLOCK) check_pointers(p, stmt->block);
        if (stmt->kind != LS_STMT_PRAGMA || !strstr(stmt->text, LS_PRAGMA_POINTER)) continue;
        const char *file = loc ? ls_ptx_file_path(p->f->module, loc->file) : NULL;
        ls_place pos = {.file = file ? file : "?", .line = loc ? loc->line : 0};
        if (loc) pos.column = loc->column;
        ls_unknown(p, &pos, "compute with the pointer itself", "a number becomes a pointer here");
    }
}

/* … in the kernel or in a function that was expanded in it: any of the module's. */
static void check_made_pointers(ls_proof *p) {
    const ls_ptx_module *module = p->f->module;
    if (p->f->ptx->body && p->f->ptx->is_entry) check_pointers(p, p->f->ptx->body);
    for (uint32_t i = 0; i < module->plain_count; i++)
        if (module->plain[i]->body) check_pointers(p, module->plain[i]->body);
}

/* Every way from the loop's head comes there, before it leaves the loop or goes round. */
static bool is_always_reached(const ls_proof *p, const ls_ir_loop *loop, const ls_ir_block *block) {
    bool *seen = ls_xmalloc(p->f->block_count + 1), always = true;
    LS_VEC(const ls_ir_block *) work = {0};
    memset(seen, 0, p->f->block_count);
    LS_VEC_PUSH(&work, loop->header);
    while (work.length && always) {
        const ls_ir_block *b = work.items[--work.length];
        if (b == block || seen[b->id]) continue;
        seen[b->id] = true;
        always = b->succ_count > 0;
        for (uint32_t k = 0; k < b->succ_count; k++) {
            always &= b->succs[k] != loop->header && ls_ir_loop_contains(loop, b->succs[k]);
            LS_VEC_PUSH(&work, b->succs[k]);
        }
    }
    LS_VEC_FREE(&work);
    free(seen);
    return always;
}

/* An invariant is of the loop at whose head it stands; what it branches on itself lies between. */
static void check_invariant(ls_proof *p, const ls_ir_instr *i) {
    ls_ptx_builtin builtin = ls_ir_builtin(i);
    bool invariant = builtin == LS_BUILTIN_INVARIANT || builtin == LS_BUILTIN_GLOBAL_INVARIANT;
    const ls_ir_loop *loop = i->block->loop;
    if (invariant && !p->options->no_annotations && (!loop || !is_always_reached(p, loop, i->block)))
        ls_mistake(p, i->pos, "%s stands at no loop's head: put it before the loop's condition",
                   i->call->name);
}

/* The type in __return_val_TYPE is as wide as what the function returns. */
static void check_result_type(ls_proof *p, const ls_ir_instr *i) {
    static const struct {
        const char *type;
        uint32_t bytes;
    } types[] = {{"int", 4}, {"bool", 1}, {"float", 4}, {"double", 8}, {"long", 8}, {"ptr", 8}};
    const char *type = ls_call_of(i) == LS_CALL_RESULT ? i->call->name + strlen("__return_val_") : NULL;
    const ls_ptx_function *f = p->f->ptx;
    if (!type || i->pos->at || f->return_count != 1 || f->returns[0]->dimension_count) return;
    uint32_t bytes = ls_ptx_type_bits((ls_ptx_type)f->returns[0]->type) / 8; /* 4 for all that is smaller */
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strcmp(type, types[k].type) && (types[k].bytes > 4) != (bytes > 4))
            ls_mistake(p, i->pos, "%s, but the function returns %u bytes", i->call->name, bytes);
}

static void check_loads(ls_proof *p) {
    for (uint32_t i = 0; i < p->f->access_count && p->options->shared_loads; i++)
        if (p->f->accesses[i]->kind == LS_ACCESS_ATOMIC)
            ls_mistake(p, p->f->accesses[i]->instr->pos,
                       "--loads shared: where there are atomic operations, threads need not load the same");
}

static void check_mistakes(ls_proof *p) {
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        check_invariant(p, p->f->instrs[i]);
        check_result_type(p, p->f->instrs[i]);
    }
    check_loads(p);
}

static void check_modelled(ls_proof *p) {
    check_mistakes(p);
    check_axioms(p);
    check_made_pointers(p);
    ls_check_promises(p);
    for (uint32_t i = 0; i < p->f->instr_count; i++) check_instr(p, p->f->instrs[i]);
    if (p->f->irreducible_count)
        ls_unknown(p, p->f->irreducible[0].to->instr_count ? p->f->irreducible[0].to->instrs[0]->pos : NULL,
                   NULL, "control flow is irreducible (a loop with two entries)");
}

/* --- What comes before the states ------------------------------------------------------------------------
 */

/* The bracket is that of an invariant at a barrier, whose loads count (barrier_facts.c). */
static bool is_at_barrier(const ls_ir_block *b, uint32_t open) {
    for (uint32_t k = open + 1; k < b->instr_count; k++) {
        const ls_ir_instr *i = b->instrs[k];
        if (ls_call_of(i) == LS_CALL_AT_BARRIER) return true;
        if (ls_ir_builtin(i) == LS_BUILTIN_NON_TEMPORAL_LOADS_END) return false;
    }
    return false;
}

/* Loads between the brackets belong to an annotation. */
static void find_annotations(ls_proof *p) {
    p->annotation = LS_NEW_N(&p->arena, bool, p->f->instr_count + 1);
    for (uint32_t b = 0; b < p->f->block_count; b++) {
        bool inside = false;
        for (uint32_t k = 0; k < p->f->blocks[b]->instr_count; k++) {
            const ls_ir_instr *i = p->f->blocks[b]->instrs[k];
            ls_ptx_builtin builtin = ls_ir_builtin(i);
            if (builtin == LS_BUILTIN_NON_TEMPORAL_LOADS_BEGIN) inside = !is_at_barrier(p->f->blocks[b], k);
            if (builtin == LS_BUILTIN_NON_TEMPORAL_LOADS_END) inside = false;
            p->annotation[i->id] = inside && i->op == LS_OP_LD;
        }
    }
}

#define ONE_DIMENSION "assumes that dimensions which the kernel does not use are 1"

/* What a library's function is taken to do, as its summary says (share/lockstep/summaries):
 * __lockstep_summary_cub__BlockRadixSort stands where cub::BlockRadixSort is called. */
static void tell_summaries(ls_proof *p) {
    static const char prefix[] = "__lockstep_summary_";
    ls_map told = {0};
    for (uint32_t i = 0; i < p->f->instr_count; i++) {
        const ls_ir_instr *instr = p->f->instrs[i];
        const char *name =
            ls_ir_builtin(instr) == LS_BUILTIN_SUMMARY ? instr->call->name + strlen(prefix) : "";
        const char *colons = strstr(name, "__");
        void **place = colons ? ls_map_at(&told, name, strlen(name)) : NULL;
        if (!place || *place) continue;
        *place = p;
        name = ls_arena_printf(&p->arena, "%.*s::%s", (int)(colons - name), name, colons + 2);
        ls_scope_line(p, ls_arena_printf(&p->arena, "takes %s to do what its summary says", name),
                      "takes %s to do what its summary says: the library's own code is not looked at", name);
    }
    ls_map_free(&told);
}

static void make_scope(ls_proof *p) {
    const uint32_t *b = p->options->block, *g = p->options->grid;
    if (b[0])
        ls_scope_line(p, NULL, "for blocks of %u x %u x %u threads", b[0], b[1], b[2]);
    else
        ls_scope_line(p, NULL, "for blocks of any size (up to 1024 threads)");
    static const char *const axes[] = {"x", "y", "z"};
    for (int i = 1; i < 3; i++) {
        if (!b[0] && !p->used_axis[0][i])
            ls_scope_line(p, ONE_DIMENSION, "assumes blockDim.%s = 1, as the kernel does not use it",
                          axes[i]);
        if (!g[0] && !p->used_axis[1][i])
            ls_scope_line(p, ONE_DIMENSION, "assumes gridDim.%s = 1, as the kernel does not use it", axes[i]);
    }
    if (p->assumed_no_overflow)
        ls_scope_line(
            p, "assumes that index arithmetic does not overflow",
            "assumes that index arithmetic does not overflow (--overflow exact drops this assumption)");
    if (p->assumed_textures)
        ls_scope_line(p, "assumes that textures are not written",
                      "assumes that the kernel does not write the memory that its textures read");
    if (p->assumed_divisors && !p->options->div0)
        ls_scope_line(p, "assumes that no remainder by zero is taken",
                      "assumes that no remainder by zero is taken (--div0 checks it)");
    if (p->assumed_counters)
        ls_scope_line(p, "assumes that atomic counters do not overflow",
                      "assumes that atomic counters do not overflow");
    tell_summaries(p);
    for (uint32_t i = 0; i < p->assumed_zero.length; i++)
        ls_scope_line(
            p,
            ls_arena_printf(&p->arena, "assumes that '%s' is 0 before the launch",
                            ls_base_name(p, p->assumed_zero.items[i])),
            "assumes that '%s', which threads wait for or draw numbers from, is 0 before the launch",
            ls_base_name(p, p->assumed_zero.items[i]));
    if (p->assumed_enums)
        ls_scope_line(p, "assumes that enum parameters have declared values",
                      "assumes that parameters of enum types have values that these declare, or combinations "
                      "of their bits where they leave gaps");
    if (g[0])
        ls_scope_line(p, NULL, "for grids of %u x %u x %u blocks", g[0], g[1], g[2]);
    else
        ls_scope_line(p, NULL, "for grids of any size, with at most 2^31 - 1 threads in each dimension");
    ls_scope_line(p, "assumes that pointers do not overlap",
                  "assumes that pointer parameters and variables do not overlap, and that every access stays "
                  "within its array%s",
                  p->options->bounds ? "" : " (--bounds checks arrays of known size)");
    ls_scope_line(p, NULL,
                  "a load gives what the same thread stored last; memory that other threads may have written "
                  "before the last barrier can hold any value");
    if (!p->options->benign_error)
        ls_scope_line(p, NULL,
                      "threads that write the same value to the same place are not reported as a race "
                      "(--benign error reports them)");
    if (!p->options->opencl && !p->options->strict_exit)
        ls_scope_line(p, NULL,
                      "a barrier does not wait for threads that have returned from the kernel, as in PTX "
                      "(--strict-exit reports such barriers)");
    if (p->options->warp_sync)
        ls_scope_line(p, "assumes that warps run in lock-step",
                      "assumes that warps of %u threads run in lock-step", p->options->warp_sync);
    if (!p->options->null)
        ls_scope_line(p, NULL, "assumes that pointer parameters are not null (--null drops this assumption)");
    if (p->options->only_intra_group)
        ls_scope_line(p, "races between blocks were not looked for",
                      "races between blocks were not looked for");
    if (p->options->only_divergence)
        ls_scope_line(p, "races were not looked for", "races were not looked for");
}

static void make_stats(ls_proof *p) {
    struct {
        const char *text;
        uint32_t value;
    } rows[] = {
#define LS_SOLVE_ROW(field, text) {text, p->solver.stats.field},
        LS_SOLVE_STATS(LS_SOLVE_ROW)
#undef LS_SOLVE_ROW
            {"accesses", p->whole_events.length},
        {"terms", p->terms.count},
        {"milliseconds of the solver's own time", (uint32_t)(ls_solver_now(&p->solver) * 1e3)},
        {"loop invariants tried", p->tried_invariants},
        {"loop invariants found", p->found_invariants},
    };
    for (size_t i = sizeof rows / sizeof *rows; i-- > 0;) {
        ls_verify_note *n = LS_NEW(&p->arena, ls_verify_note);
        *n = (ls_verify_note){.text = rows[i].text, .help = ls_arena_printf(&p->arena, "%u", rows[i].value)};
        n->next = p->result->stats;
        p->result->stats = n;
    }
}

/* --- The pipeline ----------------------------------------------------------------------------------------
 */

static void *prove_in_thread(void *proof);

/* A thread for a proof: terms of long kernels are deep, and so is the recursion over them. */
static bool start(ls_proof *p, pthread_t *thread) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)1 << 29);
    bool started = pthread_create(thread, &attributes, prove_in_thread, p) == 0;
    pthread_attr_destroy(&attributes);
    return started;
}

/* A result with what is not for others. */
typedef struct {
    ls_verify_result result; /* first: a pointer to it is one to the whole */
    double effort;
} own_result;

static own_result *own(ls_verify_result *r) {
    return (own_result *)(void *)r;
}

double ls_verify_effort(const ls_verify_result *r) {
    return ((const own_result *)(const void *)r)->effort;
}

typedef struct { /* what an attempt may take */
    double seconds;
    bool thorough, invariants;
} effort;

static ls_proof *new_proof(const ls_ir_function *kernel, const ls_verify_options *options, effort given,
                           ls_crew *crew) {
    ls_proof *p = ls_xmalloc(sizeof *p);
    memset(p, 0, sizeof *p);
    ls_arena_init(&p->arena);
    p->f = kernel;
    p->options = options;
    p->seconds = given.seconds;
    p->thorough = given.thorough;
    p->invariants = given.invariants;
    p->crew = crew;
    p->result = &LS_NEW(&p->arena, own_result)->result;
    p->result->store = LS_NEW(&p->arena, ls_store);
    ls_store_init(p->result->store);
    return p;
}

/* With its result. */
static void free_proof(ls_proof *p) {
    ls_store_free(p->result->store);
    ls_arena_free(&p->arena);
    free(p);
}

enum { MANY = 16, MOST_THREADS = 64 };
static const double SURVEY = 0.6; /* of the time */

/* Has every obligation looked at by several threads, this one among them (crew.h). */
static void survey(ls_proof *p) {
    ls_proof *helpers[MOST_THREADS];
    pthread_t threads[MOST_THREADS];
    uint32_t wanted = p->options->threads < MOST_THREADS ? p->options->threads : MOST_THREADS, started = 0;
    p->crew = ls_crew_new();
    p->survey = p->first = true;
    for (uint32_t i = 1; i < wanted; i++) {
        ls_proof *h = new_proof(p->f, p->options, (effort){p->seconds, p->thorough, p->invariants}, p->crew);
        h->survey = true;
        helpers[started] = h;
        if (start(h, &threads[started])) {
            started++;
            continue;
        }
        free_proof(h);
    }
    ls_check_races(p);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        free_proof(helpers[i]);
    }
    p->survey = false;
}

/* A kernel with many obligations is surveyed first; queries that are written are asked in one order. */
static bool is_worth_a_survey(ls_proof *p) {
    bool several = p->options->threads > 1 && !p->options->smt2_dir;
    return several && !p->crew && ls_count_races(p, MANY) >= MANY;
}

static void check_races(ls_proof *p) {
    bool begins = is_worth_a_survey(p);
    double deadline = p->solver.deadline;
    if (begins || p->survey) p->solver.deadline -= (1 - SURVEY) * p->seconds;
    if (begins) survey(p);
    p->again = begins && p->solver.timed_out;
    if (begins) p->solver.deadline = deadline;
    if (!p->again) ls_check_races(p);
}

static void run(ls_proof *p) {
    check_modelled(p);
    if (p->f->irreducible_count) return;
    find_annotations(p);
    ls_find_arrays(p);
    ls_find_roots(p);
    ls_find_written(p);
    p->has_copies = ls_has_copies(p);
    ls_make_nodes(p);
    ls_find_uniform(p);
    ls_assume_sizes(p);
    ls_make_symbols(p);
    ls_find_tracked(p);
    ls_bind_parameters(p);
    ls_assume(p);
    ls_assume_buffers(p);
    ls_make_intervals(p);
    bool all = !p->options->promises_only;
    ls_check_indirect(p);
    if (all) ls_check_barriers(p);
    if (all) ls_check_grid_barriers(p);
    if (all) ls_check_copies(p);
    if (all) ls_check_flights(p);
    if (all) ls_check_lanes(p);
    if (all) ls_check_warps(p);
    ls_check_tickets(p);
    ls_check_claims(p);
    if (all && !p->options->only_divergence) check_races(p);
    if (p->survey || p->again) return;
    if (all) ls_check_memory(p);
    if (all) ls_check_divisions(p);
    if (ls_solver_expired(&p->solver))
        ls_unknown(p, NULL, "give a longer --timeout",
                   p->solver.out_of_time ? "the time is over: it took far longer than usual"
                                         : "the time limit was reached");
}

static void free_events(ls_proof *p) {
    for (int m = 0; m < LS_ORDERS_COUNT; m++) {
        for (uint32_t i = 0; i < p->intervals[m].length; i++) LS_VEC_FREE(&p->intervals[m].items[i].events);
        LS_VEC_FREE(&p->intervals[m]);
    }
    for (uint32_t i = 0; i < p->fact_lists.length; i++) LS_VEC_FREE(&p->fact_lists.items[i]);
    LS_VEC_FREE(&p->fact_lists);
    for (uint32_t i = 0; i < p->waited_lists.length; i++) LS_VEC_FREE(&p->waited_lists.items[i]);
    LS_VEC_FREE(&p->waited_lists);
    ls_intmap_free(&p->waited);
    ls_intmap_free(&p->copy_bases);
    for (uint32_t i = 0; i < p->launched.length; i++) {
        LS_VEC_FREE(&p->launched.items[i]->events);
        LS_VEC_FREE(&p->launched.items[i]->back);
    }
    LS_VEC_FREE(&p->launched);
    for (uint32_t i = 0; i < p->spare_ways.length; i++) free(p->spare_ways.items[i]);
    LS_VEC_FREE(&p->spare_ways);
    LS_VEC_FREE(&p->landings);
    ls_intmap_free(&p->joint_of);
    LS_VEC_FREE(&p->joints);
    LS_VEC_FREE(&p->part_members);
    LS_VEC_FREE(&p->assumed_zero);
    LS_VEC_FREE(&p->whole_events);
    LS_VEC_FREE(&p->private_events);
    ls_intmap_free(&p->bound);
    ls_intmap_free(&p->spacing_of);
    ls_intmap_free(&p->standings);
    LS_VEC_FREE(&p->spacings);
    ls_intmap_free(&p->parameter_keys);
    LS_VEC_FREE(&p->claims);
    LS_VEC_FREE(&p->sized);
    LS_VEC_FREE(&p->divisions);
    ls_intmap_free(&p->facts);
    ls_map_free(&p->named);
    ls_cfg_free(p->cfg);
}

static bool finds_error(const ls_verify_result *r) {
    for (const ls_finding *f = r->findings; f; f = f->next)
        if (f->level == LS_ERROR) return true;
    return false;
}

static void prove(ls_proof *p) {
    const ls_ir_function *kernel = p->f;
    double start = ls_thread_seconds();
    ls_terms_init(&p->terms);
    ls_solver_init(&p->solver, &p->terms);
    ls_solver_limit(&p->solver, p->seconds);
    p->solver.thorough = p->thorough;
    p->solver.smt2_dir = p->options->smt2_dir;
    bool again = p->thorough || p->invariants;
    p->solver.smt2_name = again ? ls_arena_printf(&p->arena, "%s-again", kernel->name) : kernel->name;
    p->divergent = LS_NEW_N(&p->arena, bool, kernel->value_count + 1);
    p->divergent_branch = LS_NEW_N(&p->arena, bool, kernel->block_count + 1);
    p->agreed = LS_NEW_N(&p->arena, bool, kernel->block_count + 1);
    p->uniform_loop = LS_NEW_N(&p->arena, bool, kernel->loop_count + 1);
    run(p);
    bool open = p->result->reasons && p->ntid[0] && !finds_error(p->result);
    if (open && !p->options->proof_only && !p->survey && !p->again) ls_find_sample(p);
    make_scope(p);
    make_stats(p);
    ls_verify_result *r = p->result;
    r->verdict = r->mistakes ? LS_UNKNOWN : finds_error(r) ? LS_REFUTED : r->reasons ? LS_UNKNOWN : LS_PROVED;
    r->seconds = ls_thread_seconds() - start;
    own(r)->effort = ls_solver_now(&p->solver);
    ls_solver_free(&p->solver);
    ls_terms_free(&p->terms);
    free_events(p);
}

/* The time is the thread's own, so that is who must be watched. */
static void *prove_in_thread(void *proof) {
    ls_guard_begin(1 + 5 * ((const ls_proof *)proof)->seconds, 0);
    prove(proof);
    ls_guard_end();
    return NULL;
}

static void prove_deeply(ls_proof *p) {
    pthread_t thread;
    if (start(p, &thread))
        pthread_join(thread, NULL);
    else
        prove(p);
}

typedef struct { /* what it came to, beside its result */
    bool wants_invariants, timed_out, tired;
} outcome;

static ls_verify_result *attempt(const ls_ir_function *kernel, const ls_verify_options *options, effort given,
                                 outcome *out) {
    ls_proof *p = new_proof(kernel, options, given, NULL);
    prove_deeply(p);
    ls_crew *crew = p->crew;
    double spent = 0, before = 0;
    if (p->again) {
        spent = p->result->seconds;
        before = ls_verify_effort(p->result);
        given.seconds -= before;
        free_proof(p);
        p = new_proof(kernel, options, given, crew);
        prove_deeply(p);
    }
    ls_verify_result *r = p->result;
    r->seconds += spent;
    own(r)->effort += before;
    *out = (outcome){r->verdict == LS_UNKNOWN && p->wants_invariants, p->solver.timed_out,
                     ls_solver_tired(&p->solver)};
    ls_arena *memory = ls_xmalloc(sizeof *memory); /* the result stands in the proof's arena */
    *memory = p->arena;
    r->memory = memory;
    ls_crew_free(crew);
    free(p);
    return r;
}

/* All that stands between the kernel and a proof are queries that the solver gave up. */
static bool deserves_more(const ls_verify_result *r) {
    if (r->verdict != LS_UNKNOWN) return false;
    for (const ls_verify_note *n = r->reasons; n; n = n->next)
        if (!n->undecided) return false;
    return true;
}

static uint32_t count_reasons(const ls_verify_result *r) {
    uint32_t count = 0;
    for (const ls_verify_note *n = r->reasons; n; n = n->next) count++;
    return count;
}

/* First without much patience for any query, and without invariants of loops that have to be looked for; most
 * kernels that are not proved then never are. */
ls_verify_result *ls_verify(const ls_ir_function *kernel, const ls_verify_options *options) {
    LS_OWN_OPTIONS(ls_verify_options, options);
    double seconds = options->timeout > 0 ? options->timeout : 10;
    outcome first, second;
    ls_verify_result *r = attempt(kernel, options, (effort){.seconds = seconds}, &first);
    bool more = deserves_more(r);
    if ((!more && !first.wants_invariants) || first.tired || ls_verify_effort(r) >= seconds) return r;
    effort rest = {seconds - ls_verify_effort(r), more, first.wants_invariants};
    ls_verify_result *again = attempt(kernel, options, rest, &second);
    double both = r->seconds + again->seconds, efforts = ls_verify_effort(r) + ls_verify_effort(again);
    bool told =
        again->verdict != LS_UNKNOWN || (!second.timed_out && count_reasons(again) < count_reasons(r));
    ls_verify_free(told ? r : again);
    if (told) r = again;
    r->seconds = both;
    own(r)->effort = efforts;
    return r;
}

void ls_verify_free(ls_verify_result *result) {
    if (!result) return;
    ls_arena *memory = result->memory;
    ls_store_free(result->store);
    ls_arena_free(memory);
    free(memory);
}
