/* Fault injection (mutate.h): in every kernel of the project that is proved, faults are put one at a time.
 * Each mutant is run in the emulator with several launches, arguments and schedules; one that races there, or
 * whose threads part at a barrier, must not be proved for that launch. So must the kernel itself be clean
 * there.
 *
 *     cli_test_mutants               some of the mutants, spread evenly: what CI runs
 *     cli_test_mutants FILE…         all mutants of these files (the soak) */
#include "base/buf.h"
#include "base/vec.h"
#include "launch/args.h"
#include "lockstep/frontend.h"
#include "lockstep/verify.h"
#include "mutate.h"
#include "verify/execute/condition.h"

#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

typedef LS_VEC(char *) lines;

typedef struct {
    uint32_t kernels, launches, mutants, racing, refuted, unknown, proved, outside;
    uint32_t claims, claim_racing; /* proofs for what is said of launches, and mutants that race in one */
    uint32_t contracts, contract_racing; /* those of them that are for a contract */
    uint32_t within, leaving; /* proofs that accesses stay in what is allocated, and mutants that do not */
    uint32_t every;           /* of how many mutants one is tried */
    bool only_claims;
    double timeout;
} soak;

typedef struct {
    ls_diags *diags;
    ls_ptx_module *module;
    const ls_ptx_function *function;
    ls_ir_function *ir;
} program;

typedef struct {
    const char *path, *kernel;
    bool opencl;
    uint32_t block[3], grid[3];
    uint32_t integers;     /* what scalar parameters must be, also; 0: anything */
    const char *memory[8]; /* buffers of the size that the host code allocates, for which … */
    uint32_t memory_count; /* … accesses out of them are looked for, not races; 0: neither */
} launch;

/* --- Programs --------------------------------------------------------------------------------------------
 */

/* The lines as PTX again, one of them replaced. */
static char *join(const lines *all, uint32_t at, const char *with) {
    ls_buf out = {0};
    for (uint32_t i = 0; i < all->length; i++) {
        ls_buf_puts(&out, i == at && with ? with : all->items[i]);
        ls_buf_putc(&out, '\n');
    }
    return out.text;
}

static void split(const char *text, lines *all) {
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        char *line = malloc(n + 1);
        memcpy(line, text, n);
        line[n] = 0;
        LS_VEC_PUSH(all, line);
    }
}

static void free_lines(lines *all) {
    for (uint32_t i = 0; i < all->length; i++) free(all->items[i]);
    LS_VEC_FREE(all);
}

static bool open_program(program *p, const char *text, const char *kernel) {
    *p = (program){.diags = ls_diags_new()};
    p->module = ls_ptx_parse(text, strlen(text), "mutant.ptx", p->diags);
    p->function = p->module ? ls_ptx_find_function(p->module, kernel) : NULL;
    if (p->function) p->ir = ls_ir_build(p->module, p->function, &(ls_ir_options){.quiet = true}, p->diags);
    return p->ir != NULL;
}

static void close_program(program *p) {
    if (p->ir) ls_ir_free(p->ir);
    ls_ptx_module_free(p->module);
    ls_diags_free(p->diags);
}

/* --- Runs ------------------------------------------------------------------------------------------------
 */

static const ls_ir_access *access_at(const ls_ir_function *f, uint32_t ptx_line) {
    for (uint32_t i = 0; i < f->access_count; i++)
        if (f->accesses[i]->instr->pos->ptx_line == ptx_line) return f->accesses[i];
    return NULL;
}

/* The two accesses are to one object, as far as anybody can tell: a proof says nothing of accesses that leave
 * theirs for a neighbour. */
static bool same_object(const ls_ir_function *f, const ls_finding *e) {
    const ls_ir_access *a = access_at(f, e->place.ptx_line),
                       *b = access_at(f, e->related ? e->related->place.ptx_line : 0);
    if (!a || !b || a->other_bases || b->other_bases) return true;
    for (uint32_t i = 0; i < a->base_count; i++)
        for (uint32_t k = 0; k < b->base_count; k++)
            if (a->bases[i] == b->bases[k]) return true;
    return false;
}

typedef enum { BROKEN, CLEAN, OUTSIDE, WRONG } outcome; /* BROKEN: what the program assumes does not hold */

static outcome judge(const program *p, const launch *l, const ls_emu_result *r) {
    outcome all = CLEAN;
    for (uint32_t i = 0; i < r->finding_count && l->memory_count; i++)
        if (r->findings[i].rule == LS_RULE_MEMORY_BOUNDS && r->findings[i].level == LS_ERROR) return WRONG;
    if (l->memory_count) return CLEAN;
    for (uint32_t i = 0; i < r->finding_count; i++)
        if (ls_emu_is_assumption(&r->findings[i])) return BROKEN;
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const ls_finding *e = &r->findings[i];
        bool race = e->rule == LS_RULE_RACE_SHARED || e->rule == LS_RULE_RACE_GLOBAL;
        if (e->level != LS_ERROR || (!race && e->rule != LS_RULE_BARRIER_DIVERGENCE)) continue;
        if (!race || same_object(p->ir, e)) return WRONG;
        all = OUTSIDE;
    }
    return all;
}

typedef struct {
    uint32_t integers; /* what scalar parameters are; 0: the number of threads */
    ls_emu_schedule schedule;
} variant;

static const variant variants[] = {
    {0, LS_SCHEDULE_RR}, {7, LS_SCHEDULE_REVERSE}, {64, LS_SCHEDULE_RR}, {1, LS_SCHEDULE_RANDOM}};

static void set_integers(const program *p, ls_emu_args *args, const uint32_t *offsets, uint64_t value) {
    for (uint32_t k = 0; k < args->count && value; k++) {
        const ls_emu_arg *arg = &args->args[k];
        uint32_t bits = ls_ptx_type_bits(arg->type);
        if (arg->is_buffer || arg->is_local || p->function->params[k]->dimension_count ||
            ls_ptx_type_kind_of(arg->type) == LS_KIND_FLOAT || (bits != 32 && bits != 64))
            continue;
        memcpy(args->params + offsets[k], &value, bits / 8);
    }
}

static outcome run_variant(const program *p, const launch *l, const variant *v) {
    ls_arena arena;
    ls_arena_init(&arena);
    outcome result = CLEAN;
    ls_emulator *emulator = ls_emulator_new(p->module, p->diags);
    uint32_t *offsets = LS_NEW_N(&arena, uint32_t, p->function->param_count + 1u);
    ls_emu_param_offsets(p->function, offsets);
    ls_emu_args args;
    if (emulator && ls_emu_args_make(emulator, p->function, l->grid, l->block, 4096, l->memory,
                                     l->memory_count, NULL, &arena, &args, p->diags)) {
        set_integers(p, &args, offsets, v->integers);
        ls_emu_launch start = {.kernel = l->kernel,
                               .shared_bytes = args.shared_bytes,
                               .params = args.params,
                               .params_size = args.params_size};
        memcpy(start.grid, l->grid, sizeof start.grid);
        memcpy(start.block, l->block, sizeof start.block);
        ls_emu_options how = {.checks = LS_CHECK_RACE | LS_CHECK_BARRIER | LS_CHECK_BOUNDS,
                              .threads = 1,
                              .schedule = v->schedule,
                              .seed = 1,
                              .strict_exit = l->opencl,
                              .timeout = 0.5};
        ls_emu_result *r = ls_emulator_run(emulator, &start, &how);
        result = r ? judge(p, l, r) : CLEAN;
        ls_emu_result_free(r);
    }
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
    return result;
}

static outcome run(const program *p, const launch *l) {
    outcome worst = BROKEN;
    for (size_t i = 0; i < sizeof variants / sizeof *variants && worst != WRONG; i++) {
        outcome one = run_variant(p, l, &variants[i]);
        if (one > worst) worst = one;
    }
    if (l->integers && worst != WRONG) {
        outcome one = run_variant(p, l, &(variant){l->integers, LS_SCHEDULE_RR});
        if (one > worst) worst = one;
    }
    return worst;
}

/* Numbers for scalar parameters that keep the program's preconditions, where the usual ones do not: those
 * that stand in it, and their neighbours. 0: there are none. */
static uint32_t fitting_integers(const program *p, const launch *l) {
    if (run(p, l) != BROKEN) return 0;
    for (uint32_t i = 0, tries = 0; i < p->ir->value_count && tries < 60; i++) {
        const ls_ir_value *v = p->ir->values[i];
        if (v->kind != LS_VALUE_IMM || !v->bits || v->bits > 100000) continue;
        for (uint32_t k = 0; k < 3; k++, tries++) {
            uint32_t number = (uint32_t)v->bits + k - 1;
            if (number && run_variant(p, l, &(variant){number, LS_SCHEDULE_RR}) != BROKEN) return number;
        }
    }
    return 0;
}

/* --- Proofs ----------------------------------------------------------------------------------------------
 */

static ls_verdict verdict(const program *p, const launch *l, double timeout) {
    ls_verify_options options = {.opencl = l->opencl, .timeout = timeout};
    memcpy(options.block, l->block, sizeof options.block);
    memcpy(options.grid, l->grid, sizeof options.grid);
    ls_verify_result *r = ls_verify(p->ir, &options);
    ls_verdict v = r->verdict;
    ls_verify_free(r);
    return v;
}

static void try_mutant(soak *s, const launch *l, const lines *all, uint32_t line, const char *with,
                       const char *fault) {
    char *text = join(all, line, with);
    program p;
    if (open_program(&p, text, l->kernel)) {
        s->mutants++;
        outcome o = run(&p, l);
        s->outside += o == OUTSIDE;
        if (o == WRONG) {
            s->racing++;
            ls_verdict v = verdict(&p, l, s->timeout);
            s->refuted += v == LS_REFUTED;
            s->unknown += v == LS_UNKNOWN;
            s->proved += v == LS_PROVED;
            if (v == LS_PROVED)
                print_error("%s, %s, block %u,%u,%u, grid %u,%u,%u: proved, but it races: %s in line %u\n  "
                            "%s\n  %s\n",
                            l->path, l->kernel, l->block[0], l->block[1], l->block[2], l->grid[0], l->grid[1],
                            l->grid[2], fault, line + 1, all->items[line], with);
        }
    }
    close_program(&p);
    free(text);
}

static void try_launch(soak *s, launch *l, const lines *all) {
    char *text = join(all, 0, NULL), with[1024];
    program p;
    bool proved = open_program(&p, text, l->kernel) && verdict(&p, l, s->timeout) == LS_PROVED;
    if (proved) l->integers = fitting_integers(&p, l);
    if (proved && run(&p, l) == WRONG) {
        print_error("%s, %s: proved as it is, but it races\n", l->path, l->kernel);
        s->proved++;
    }
    close_program(&p);
    free(text);
    if (!proved) return;
    s->launches++;
    uint32_t number = 0;
    for (uint32_t i = 0; i < all->length; i++)
        for (uint32_t m = 0; m < MUTATIONS; m++)
            if (mutations[m].fn(all->items[i], with, sizeof with) && strcmp(with, all->items[i]) &&
                (number++ + l->block[0]) % s->every == 0)
                try_mutant(s, l, all, i, with, mutations[m].name);
}

/* --- What a program or a contract says of launches -------------------------------------------------------
 * A proof is then for all launches of which that holds; a mutant that races in one of them is not proved. */

typedef struct {
    const ls_compiled_kernel *kernel;
    const char *const *facts; /* of a launch in host code, or the contract */
    uint32_t fact_count;
    uint32_t block[3], grid[3];       /* that the launch has; 0: any */
    const ls_argument_memory *memory; /* that accesses stay within, it says then, too */
    uint32_t memory_count;
    bool is_contract;
} claim;

static ls_verify_result *prove(const program *p, const claim *c, const char *instance, double timeout) {
    ls_verify_options options = {.timeout = timeout,
                                 .proof_only = true,
                                 .facts = c->facts,
                                 .fact_count = c->fact_count,
                                 .allocations = c->memory,
                                 .allocation_count = c->memory_count,
                                 .bounds = c->memory_count > 0,
                                 .parameters = c->kernel->parameters,
                                 .parameter_count = c->kernel->parameter_count,
                                 .assumptions = &instance,
                                 .assumption_count = instance ? 1 : 0};
    memcpy(options.block, c->block, sizeof options.block);
    memcpy(options.grid, c->grid, sizeof options.grid);
    return ls_verify(p->ir, &options);
}

static bool is_proved(const program *p, const claim *c, double timeout) {
    ls_verify_result *r = prove(p, c, NULL, timeout);
    bool proved = r->verdict == LS_PROVED;
    ls_verify_free(r);
    return proved;
}

/* The launch is one of those, with these numbers for its scalar parameters. */
static bool admits(const program *p, const claim *c, const launch *l, uint32_t integers) {
    static const char axes[] = "xyz";
    ls_buf text = {0};
    for (int i = 0; i < 3; i++)
        ls_buf_printf(&text, "%sblockDim.%c == %u && gridDim.%c == %u", i ? " && " : "", axes[i], l->block[i],
                      axes[i], l->grid[i]);
    for (uint32_t i = 0; i < p->function->param_count; i++) {
        const ls_ptx_variable *v = p->function->params[i];
        const char *name = i < c->kernel->parameter_count ? c->kernel->parameters[i] : NULL;
        bool integer = !v->is_pointer && !v->dimension_count &&
                       ls_ptx_type_bits((ls_ptx_type)v->type) == 32 &&
                       ls_ptx_type_kind_of((ls_ptx_type)v->type) != LS_KIND_FLOAT;
        if (integer) ls_buf_printf(&text, " && %s == %u", name ? name : v->symbol->name, integers);
    }
    ls_verify_result *r = prove(p, c, ls_buf_text(&text), 1);
    bool possible = !r->impossible && !r->mistakes;
    ls_verify_free(r);
    ls_buf_free(&text);
    return possible;
}

/* The condition under which the kernel is proved where nothing is known of its launch. */
static bool find_contract(const program *p, const ls_compiled_kernel *kernel, double timeout, char *out,
                          size_t size) {
    ls_verify_options any = {
        .timeout = timeout, .parameters = kernel->parameters, .parameter_count = kernel->parameter_count};
    ls_verify_result *r = ls_verify(p->ir, &any);
    bool found = !r->mistakes && r->verdict != LS_PROVED && ls_verify_contract(p->ir, &any, r, out, size);
    ls_verify_free(r);
    return found;
}

/* A mutant that races at a launch: a contract that is found for it must leave that launch out. */
static void try_own_contract(soak *s, const program *p, const claim *c, const launch *l, const variant *v,
                             const char *with) {
    char contract[512];
    const char *facts[] = {contract};
    s->contract_racing++;
    if (!find_contract(p, c->kernel, s->timeout, contract, sizeof contract)) return;
    if (!admits(p, &(claim){.kernel = c->kernel, .facts = facts, .fact_count = 1}, l, v->integers)) return;
    s->proved++;
    print_error("%s, %s: proved if %s, but it races in such a launch: %s\n", l->path, l->kernel, contract,
                with);
}

static void try_claim_on(soak *s, const claim *c, const launch *l, const variant *v, const lines *all) {
    char with[1024];
    uint32_t number = 0;
    for (uint32_t i = 0; i < all->length; i++)
        for (uint32_t m = 0; m < MUTATIONS; m++) {
            if (!mutations[m].fn(all->items[i], with, sizeof with) || !strcmp(with, all->items[i]) ||
                number++ % s->every)
                continue;
            char *text = join(all, i, with);
            program p;
            if (open_program(&p, text, l->kernel) && run_variant(&p, l, v) == WRONG) {
                ++*(l->memory_count ? &s->leaving : &s->claim_racing);
                bool proved = is_proved(&p, c, s->timeout);
                s->proved += proved;
                if (proved)
                    print_error("%s, %s: proved for launches with %s, but it %s in one: %s\n", l->path,
                                l->kernel, c->facts[0], l->memory_count ? "leaves its memory" : "races",
                                with);
                if (c->is_contract) try_own_contract(s, &p, c, l, v, with);
            }
            close_program(&p);
            free(text);
        }
}

typedef struct {
    const launch *launch;
    uint32_t integers;
} instance;

/* What a name is at the launch; values of the host code that are no arguments are not known. */
static bool value_at(void *data, const ls_condition *name, int64_t *value) {
    const instance *at = data;
    bool block = name->launch == LS_LAUNCH_BLOCK_DIM;
    if (name->op == LS_COND_LAUNCH) *value = (block ? at->launch->block : at->launch->grid)[name->axis];
    if (name->op == LS_COND_LAUNCH) return block || name->launch == LS_LAUNCH_GRID_DIM;
    *value = at->integers;
    return name->origin.kind == LS_ORIGIN_ARGUMENT;
}

/* The launch with buffers as the host code allocates them; false where their sizes are not known. */
static bool allocate(const claim *c, launch *l, uint32_t integers, ls_arena *arena) {
    ls_diags *ignored = ls_diags_new();
    instance at = {l, integers};
    l->memory_count = 0;
    bool good = c->memory_count <= 8;
    for (uint32_t i = 0; i < c->memory_count && good; i++) {
        if (c->memory[i].parameter == LS_DYNAMIC_SHARED) continue;
        const ls_condition *bytes = ls_condition_parse(arena, c->memory[i].bytes, ignored);
        int64_t value = 0;
        good = !c->memory[i].at && bytes && ls_condition_value(bytes, value_at, &at, &value) && value > 0 &&
               value < 1 << 20;
        l->memory[l->memory_count++] =
            ls_arena_printf(arena, "%u=u8[%u]=zero", c->memory[i].parameter, (uint32_t)value);
    }
    ls_diags_free(ignored);
    return good;
}

/* The same launch, where accesses are proved to stay within what is allocated. */
static void try_memory(soak *s, const claim *c, const ls_kernel_launch *from, launch l, const variant *v,
                       const lines *all) {
    ls_arena arena;
    ls_arena_init(&arena);
    char *text = join(all, 0, NULL);
    claim within = *c;
    within.memory = from->allocations;
    within.memory_count = from->allocation_count;
    program p;
    if (open_program(&p, text, l.kernel) && is_proved(&p, &within, s->timeout) &&
        allocate(&within, &l, v->integers, &arena)) {
        s->within++;
        assert_int_not_equal(run_variant(&p, &l, v), WRONG);
        try_claim_on(s, &within, &l, v, all);
    }
    close_program(&p);
    free(text);
    ls_arena_free(&arena);
}

/* Launches of which the claim holds are looked for among some. */
static void try_claim(soak *s, const claim *c, const ls_kernel_launch *from, const char *path,
                      const lines *all) {
    static const uint32_t blocks[][3] = {{64, 1, 1}, {16, 16, 1}, {512, 1, 1}, {32, 8, 1}};
    static const uint32_t grids[][3] = {{2, 1, 1}, {2, 2, 1}, {1, 1, 1}, {4, 4, 1}};
    static const variant numbers[] = {{64, LS_SCHEDULE_RR}, {1024, LS_SCHEDULE_RR}, {7, LS_SCHEDULE_RR}};
    char *text = join(all, 0, NULL);
    program p;
    if (open_program(&p, text, c->kernel->name) && is_proved(&p, c, s->timeout)) {
        s->claims++;
        s->contracts += c->is_contract;
        for (uint32_t i = 0, found = 0; i < 48 && found < 2; i++) {
            launch l = {.path = path, .kernel = c->kernel->name};
            const variant *v = &numbers[i % 3];
            memcpy(l.block, c->block[0] ? c->block : blocks[i / 3 % 4], sizeof l.block);
            memcpy(l.grid, c->grid[0] ? c->grid : grids[i / 12], sizeof l.grid);
            if (!admits(&p, c, &l, v->integers)) continue;
            found++;
            assert_int_not_equal(run_variant(&p, &l, v), WRONG);
            try_claim_on(s, c, &l, v, all);
            bool own = from && from->allocation_count && !from->inside_count; /* each pointer has its own */
            if (own) try_memory(s, c, from, l, v, all);
        }
    }
    close_program(&p);
    free(text);
}

static void take_size(uint32_t to[3], const ls_launch_size *from) {
    const uint32_t sizes[3] = {from->x, from->y, from->z};
    if (from->known) memcpy(to, sizes, sizeof sizes);
}

/* The launch says something of members of structures, which no argument here can be given. */
static bool is_of_members(const ls_kernel_launch *l) {
    for (uint32_t i = 0; i < l->fact_count; i++)
        for (const char *at = l->facts[i]; (at = strchr(at, '$')); at++)
            if (ls_origin_of(at).is_member) return true;
    return false;
}

static void try_claims(soak *s, const ls_compiled_kernel *kernel, const char *path, const lines *all) {
    for (uint32_t i = 0; i < kernel->launch_count; i++) {
        const ls_kernel_launch *l = &kernel->launches[i];
        if (is_of_members(l)) continue;
        claim c = {.kernel = kernel, .facts = l->facts, .fact_count = l->fact_count};
        take_size(c.block, &l->block);
        take_size(c.grid, &l->grid);
        if (c.fact_count) try_claim(s, &c, l, path, all);
    }
    char *text = join(all, 0, NULL), contract[512];
    const char *facts[] = {contract};
    program p;
    bool found = false;
    if (!kernel->launch_count && open_program(&p, text, kernel->name)) {
        found = find_contract(&p, kernel, s->timeout, contract, sizeof contract);
        close_program(&p);
    }
    free(text);
    if (found)
        try_claim(s, &(claim){.kernel = kernel, .facts = facts, .fact_count = 1, .is_contract = true}, NULL,
                  path, all);
}

/* --- Files -----------------------------------------------------------------------------------------------
 */

static void try_kernel(soak *s, const ls_compiled_kernel *kernel, const char *path, bool opencl,
                       const lines *all) {
    static const uint32_t blocks[][3] = {{64, 1, 1}, {16, 16, 1}, {33, 1, 1}};
    static const uint32_t grids[][3] = {{2, 1, 1}, {2, 2, 1}, {3, 1, 1}};
    s->kernels++;
    for (int i = 0; i < 3; i++) {
        launch l = {.path = path, .kernel = kernel->name, .opencl = opencl};
        memcpy(l.block, blocks[i], sizeof l.block);
        memcpy(l.grid, grids[i], sizeof l.grid);
        if (kernel->block.known)
            memcpy(l.block, (uint32_t[]){kernel->block.x, kernel->block.y, kernel->block.z}, sizeof l.block);
        try_launch(s, &l, all);
        if (kernel->block.known) break;
    }
}

static void try_file(soak *s, const char *path) {
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled;
    if (ls_compile(path, &(ls_frontend_options){.form = LS_FORM_SOURCE}, &compiled, diags)) {
        ls_ptx_module *module = ls_ptx_parse(compiled.ptx, compiled.length, path, diags);
        char *text = module ? ls_ptx_print(module, NULL) : NULL;
        lines all = {0};
        if (text) split(text, &all);
        for (uint32_t k = 0; text && k < compiled.kernel_count; k++)
            if (compiled.kernels[k].status == LS_KERNEL_DEFINED) {
                bool opencl = compiled.language == LS_LANGUAGE_OPENCL;
                if (!s->only_claims) try_kernel(s, &compiled.kernels[k], path, opencl, &all);
                if (s->only_claims && compiled.language == LS_LANGUAGE_CUDA)
                    try_claims(s, &compiled.kernels[k], path, &all);
            }
        free_lines(&all);
        free(text);
        ls_ptx_module_free(module);
        ls_compiled_free(&compiled);
    }
    ls_diags_free(diags);
}

static void tell(const soak *s) {
    print_message(
        "%u kernels, %u proved launches, %u mutants, %u racing: %u refuted, %u unknown, %u proved; %u race "
        "only between objects\n",
        s->kernels, s->launches, s->mutants, s->racing, s->refuted, s->unknown, s->proved, s->outside);
    print_message("%u proofs for what programs and contracts say of launches, %u mutants race in one\n",
                  s->claims, s->claim_racing);
    print_message("%u of them for contracts, %u mutants race where one holds\n", s->contracts,
                  s->contract_racing);
    print_message("%u proofs that accesses stay in what is allocated, %u mutants leave it\n", s->within,
                  s->leaving);
}

#ifdef __SANITIZE_ADDRESS__
enum { EVERY = 20, FILES = 3 }; /* faults of memory show with fewer */
#else
enum { EVERY = 4, FILES = 1 }; /* of how many mutants, and of how many files, one is tried */
#endif

static void test_no_racing_mutant_is_proved(void **state) {
    (void)state;
    static const char *const patterns[] = {SOURCE_DIR "/tests/verify/kernels/*/*.cl",
                                           SOURCE_DIR "/tests/verify/kernels/*/*.cu",
                                           SOURCE_DIR "/tests/verify/kernels/*/*.ptx",
                                           SOURCE_DIR "/examples/*.c[lu]", SOURCE_DIR "/examples/*.ptx"};
    /* Proofs of those that wait for flags hold where these are 0 before the launch, which what is made up
     * here is not; tests/replay/test_messages.c has their faults. */
    static const char without[] = "/verify/kernels/order/";
    char reason[256];
    if (!ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) skip();
    soak s = {.every = EVERY, .timeout = 1};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (!glob(patterns[i], 0, NULL, &found))
            for (size_t k = 0; k < found.gl_pathc; k += FILES)
                if (!strstr(found.gl_pathv[k], without)) try_file(&s, found.gl_pathv[k]);
        globfree(&found);
    }
    tell(&s);
    assert_int_equal(s.proved, 0);
    assert_true(s.racing > 100 / EVERY); /* else it tests nothing */
}

/* The kernels whose verdicts hang on what is known of their launches. */
static void test_no_launch_of_the_program_races(void **state) {
    (void)state;
    static const char *const patterns[] = {SOURCE_DIR "/tests/verify/kernels/launch/launch_*.cu",
                                           SOURCE_DIR "/tests/verify/kernels/contracts/*.cu",
                                           SOURCE_DIR "/tests/verify/kernels/memory/root_*.cu"};
    char reason[256];
    if (!ls_frontend_available(LS_FRONTEND_CLANG, reason, sizeof reason)) skip();
    soak s = {.every = EVERY, .timeout = 1, .only_claims = true};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (!glob(patterns[i], 0, NULL, &found))
            for (size_t k = 0; k < found.gl_pathc; k++) try_file(&s, found.gl_pathv[k]);
        globfree(&found);
    }
    tell(&s);
    assert_int_equal(s.proved, 0);
    assert_true(s.claims > 4 && s.claim_racing >= (12 + EVERY - 1) / EVERY); /* else it tests nothing */
    assert_true(s.contracts > 0 && s.contract_racing + 1 > 4 / EVERY);
    assert_true(s.within >= 2 && s.leaving + 1 > 4 / EVERY);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_racing_mutant_is_proved),
                                       cmocka_unit_test(test_no_launch_of_the_program_races)};
    if (argc < 2) return cmocka_run_group_tests(tests, NULL, NULL);
    soak s = {.every = 1, .timeout = 5}, claims = {.every = 1, .timeout = 5, .only_claims = true};
    for (int i = 1; i < argc; i++) {
        try_file(&s, argv[i]);
        try_file(&claims, argv[i]);
    }
    tell(&s);
    tell(&claims);
    return s.proved || claims.proved;
}
