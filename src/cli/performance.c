/* Findings of the performance analyses: one for each access that costs more than it must and for each branch
 * that can diverge, with what a program may want to know in `detail` (docs/analyze.md). */
#include "cli/performance.h"

#include "base/clock.h"
#include "base/vec.h"
#include "cli/expression.h"
#include "launch/tensor.h"
#include "lockstep/ir.h"
#include "report/model.h"
#include "report/opencl.h"

#include <string.h>

typedef struct {
    uint32_t line;
    const char *what;
} said;

/* What findings are made with. */
typedef struct {
    ls_report_kernel *entry;
    const ls_analysis *a;
    ls_sources *sources;
    ls_arena arena;
    bool all, verdict_stays;
    LS_VEC(said) said;
    ls_finding *scattered;    /* the first access whose index is data */
    uint32_t scattered_count; /* others like it */
} context;

static ls_place place_of(const ls_ir_instr *instr) {
    const ls_place *pos = instr->pos;
    return pos ? *pos : (ls_place){0};
}

static void put_term(context *c, ls_fields *detail, const char *term) {
    ls_buf out = {0};
    if (c->entry->opencl)
        ls_in_opencl_words(term, &out);
    else
        ls_buf_puts(&out, term);
    ls_fields_text(detail, "term", "%s", ls_buf_text(&out));
    ls_buf_free(&out);
}

static const char *verb(const ls_ir_access *access) {
    static const char *const verbs[] = {"read", "write", "atomic access"};
    return verbs[access->kind];
}

static const char *plain_name(context *c, const char *name) {
    char plain[512];
    ls_variable_name(name, plain, sizeof plain);
    return ls_arena_strdup(&c->arena, plain);
}

/* " of 'A[i]'": the expression where the source shows it, else the variable. */
static const char *quoted(context *c, const ls_access_result *r) {
    const char *expression = ls_expression_at(c->sources, place_of(r->access->instr), &c->arena);
    if (expression) return ls_arena_printf(&c->arena, " of '%s'", expression);
    return r->base ? ls_arena_printf(&c->arena, " of '%s'", plain_name(c, r->base)) : " through a pointer";
}

static void put_object(ls_fields *detail, const char *base) {
    char plain[512];
    if (!base) return;
    ls_variable_name(base, plain, sizeof plain);
    ls_fields_text(detail, "object", "%s", plain);
}

/* Once for each line and reason: unrolled loops have the same access over and over. */
static bool said_before(context *c, uint32_t line, const char *what) {
    for (uint32_t i = 0; i < c->said.length; i++)
        if (c->said.items[i].line == line && !strcmp(c->said.items[i].what, what)) return true;
    LS_VEC_PUSH_IN(&c->arena, &c->said, ((said){line, what}));
    return false;
}

/* --- Global memory
 * ------------------------------------------------------------------------------------------ */

static void coalescing_detail(ls_finding *finding, const ls_access_result *r) {
    ls_fields *detail = ls_finding_detail(finding);
    const ls_access_cost *cost = &r->cost;
    ls_fields_text(detail, "class", "%s", ls_pattern_name((ls_pattern)r->pattern));
    ls_fields_text(detail, "access", "%s", verb(r->access));
    put_object(detail, r->base);
    ls_fields_uint(detail, "element_bytes", r->bytes);
    if (r->requests > 1) ls_fields_uint(detail, "requests", r->requests);
    if (r->pattern == LS_PATTERN_UNKNOWN) return;
    ls_fields_uint(detail, "sectors", cost->sectors);
    ls_fields_uint(detail, "sectors_best", cost->sectors_best);
    ls_fields_uint(detail, "lines", cost->lines);
    ls_fields_uint(detail, "lines_best", cost->lines_best);
    ls_fields_uint(detail, "minimum_sectors", cost->minimum_sectors);
    ls_fields_uint(detail, "minimum_lines", cost->minimum_lines);
    if (r->stride_known) ls_fields_int(detail, "stride_bytes", r->stride_bytes);
    ls_fields_uint(detail, "active_lanes", cost->active_lanes);
    if (r->warps > 1 || r->iterations) ls_fields_real(detail, "sectors_mean", cost->sectors_mean);
    if (r->reason) ls_fields_text(detail, "reason", "%s", r->reason);
}

/* Where each lane of the worst warp accesses, for pictures. */
static void lanes_detail(ls_finding *finding, const ls_access_result *r) {
    if (!r->lanes_known) return;
    ls_fields *lanes = ls_fields_list(ls_finding_detail(finding), "lanes");
    for (uint32_t i = 0; i < LS_WARP_LANES; i++) ls_fields_int(lanes, NULL, r->lane_offset[i]);
    if (r->lane_groups < 2) return;
    ls_fields *groups = ls_fields_list(ls_finding_detail(finding), "groups");
    for (uint32_t i = 0; i < LS_WARP_LANES; i++) ls_fields_uint(groups, NULL, r->lane_group[i]);
}

/* GPUDrano's own answer is yes or no. */
static void add_gpudrano(context *c, const ls_access_result *r) {
    ls_finding *finding =
        ls_report_add(c->entry, LS_RULE_COALESCING, r->flagged ? LS_WARNING : LS_NOTE,
                      place_of(r->access->instr), "%s %s%s by GPUDrano's rule: %s",
                      r->flagged ? "uncoalesced" : "coalesced", verb(r->access), quoted(c, r), r->reason);
    ls_finding_key(finding, "%s%s %d", verb(r->access), quoted(c, r), r->flagged);
    ls_fields *detail = ls_finding_detail(finding);
    ls_fields_text(detail, "class", "%s", r->flagged ? "uncoalesced" : "coalesced");
    ls_fields_text(detail, "access", "%s", verb(r->access));
    ls_fields_uint(detail, "element_bytes", r->bytes);
    ls_fields_text(detail, "reason", "%s", r->reason);
}

static void add_coalescing(context *c, const ls_access_result *r) {
    if (c->a->options.domain == LS_DOMAIN_GPUDRANO) {
        add_gpudrano(c, r);
        return;
    }
    const ls_access_cost *cost = &r->cost;
    const char *pattern = ls_pattern_name((ls_pattern)r->pattern);
    ls_finding *finding;
    if (!r->flagged) {
        char sectors[64];
        snprintf(sectors, sizeof sectors,
                 cost->sectors_best < cost->sectors ? "%u to %u sectors" : "%u sectors",
                 cost->sectors_best < cost->sectors ? cost->sectors_best : cost->sectors, cost->sectors);
        finding = ls_report_add(c->entry, LS_RULE_COALESCING, LS_NOTE, place_of(r->access->instr),
                                "%s %s%s: %s per warp (%s)", pattern, verb(r->access), quoted(c, r),
                                cost->sectors == 1 ? "1 sector" : sectors, r->reason);
    } else if (r->pattern == LS_PATTERN_SCATTERED) {
        c->scattered = finding =
            ls_report_add(c->entry, LS_RULE_COALESCING, LS_WARNING, place_of(r->access->instr),
                          "scattered %s%s: up to %u sectors of 32 bytes per warp where %u would do; %s",
                          verb(r->access), quoted(c, r), cost->sectors, cost->minimum_sectors, r->reason);
        said_before(c, place_of(r->access->instr).line,
                    ls_arena_printf(&c->arena, "%s%s", verb(r->access), quoted(c, r)));
    } else
        finding = ls_report_add(
            c->entry, LS_RULE_COALESCING, LS_WARNING, place_of(r->access->instr),
            "%s %s%s: %s%u sectors of 32 bytes per warp where %u would do; %s", pattern, verb(r->access),
            quoted(c, r),
            cost->sectors_best < cost->sectors || (!r->stride_known && !r->access->opaque) ? "up to " : "",
            cost->sectors, cost->minimum_sectors, r->reason);
    ls_finding_key(finding, "%s%s %s", verb(r->access), quoted(c, r), pattern);
    coalescing_detail(finding, r);
    lanes_detail(finding, r);
    if (r->suggestion) ls_finding_help(finding, "%s", r->suggestion);
    if (r->access->instr->pos) ls_finding_relate_calls(finding, r->access->instr->pos);
}

/* --- Shared memory
 * ------------------------------------------------------------------------------------------ */

static void bank_detail(ls_finding *finding, const ls_access_result *r) {
    ls_fields *detail = ls_finding_detail(finding);
    ls_fields_uint(detail, "degree", r->cost.degree);
    ls_fields_uint(detail, "degree_best", r->cost.degree_best);
    ls_fields_uint(detail, "wavefronts", r->cost.wavefronts);
    ls_fields_uint(detail, "minimum_wavefronts", r->cost.minimum_wavefronts);
    ls_fields *banks = ls_fields_list(detail, "banks");
    for (uint32_t i = 0; i < 32; i++) ls_fields_uint(banks, NULL, r->cost.banks[i]);
    ls_fields_text(detail, "access", "%s", verb(r->access));
    put_object(detail, r->base);
    ls_fields_uint(detail, "element_bytes", r->bytes);
    if (r->requests > 1) ls_fields_uint(detail, "requests", r->requests);
    if (r->stride_known) ls_fields_int(detail, "stride_bytes", r->stride_bytes);
    ls_fields_uint(detail, "active_lanes", r->cost.active_lanes);
    if (r->warps > 1 || r->iterations) ls_fields_real(detail, "degree_mean", r->cost.degree_mean);
    if (r->iterations) ls_fields_uint(detail, "iterations", r->iterations);
    if (r->reason) ls_fields_text(detail, "reason", "%s", r->reason);
}

static uint32_t banks_hit(const ls_access_cost *cost) {
    uint32_t hit = 0;
    for (uint32_t i = 0; i < 32; i++) hit += cost->banks[i] != 0;
    return hit;
}

static void add_banks(context *c, const ls_access_result *r) {
    ls_finding *finding;
    if (r->flagged)
        finding = ls_report_add(c->entry, LS_RULE_BANK_CONFLICT, LS_WARNING, place_of(r->access->instr),
                                "%s%u-way bank conflict in %s%s: all in %u of 32 banks%s; %s",
                                r->cost.degree_best < r->cost.degree ? "up to " : "", r->cost.degree,
                                verb(r->access), quoted(c, r), banks_hit(&r->cost),
                                r->iterations ? " in the worst iteration" : "", r->reason);
    else
        finding = ls_report_add(c->entry, LS_RULE_BANK_CONFLICT, LS_NOTE, place_of(r->access->instr),
                                "no bank conflict in %s%s (%s)", verb(r->access), quoted(c, r), r->reason);
    ls_finding_key(finding, "%s%s %u", verb(r->access), quoted(c, r), r->cost.degree);
    bank_detail(finding, r);
    lanes_detail(finding, r);
    if (r->suggestion) ls_finding_help(finding, "%s", r->suggestion);
    if (r->access->instr->pos) ls_finding_relate_calls(finding, r->access->instr->pos);
}

/* Operands that a matrix unit reads by descriptors. */
static void add_product(context *c, const ls_product_result *p) {
    const ls_place place = place_of(p->instr);
    const char *what = ls_arena_printf(
        &c->arena,
        "no bank conflict in this product: %u wavefronts for %u bytes of operands in shared memory",
        p->wavefronts, p->bytes[0] + p->bytes[1]);
    if (said_before(c, place.line, what)) return;
    ls_finding *finding = ls_report_add(c->entry, LS_RULE_BANK_CONFLICT, LS_NOTE, place, "%s", what);
    ls_fields *detail = ls_finding_detail(finding);
    ls_fields_uint(detail, "degree", 1);
    ls_fields_uint(detail, "wavefronts", p->wavefronts);
    ls_fields_uint(detail, "bytes_a", p->bytes[0]);
    ls_fields_uint(detail, "bytes_b", p->bytes[1]);
    if (p->instr->pos) ls_finding_relate_calls(finding, p->instr->pos);
}

/* --- Branches and the rest
 * ---------------------------------------------------------------------------------- */

static void add_branch(context *c, const ls_branch_result *b) {
    const ls_ir_instr *instr = b->block->terminator;
    const char *what = b->is_loop_exit ? "loop whose trip count can differ between the threads of a warp"
                                       : "branch that can diverge within a warp";
    ls_finding *finding = ls_report_add(c->entry, LS_RULE_DIVERGENCE_BRANCH, LS_NOTE, place_of(instr),
                                        "%s: its condition depends on %s", what, b->term);
    ls_fields *detail = ls_finding_detail(finding);
    ls_fields_bool(detail, "loop", b->is_loop_exit);
    ls_fields_bool(detail, "early_exit", b->early_exit);
    put_term(c, detail, b->term);
    if (instr->pos) ls_finding_relate_calls(finding, instr->pos);
}

static void add_stats(ls_report_kernel *entry, const ls_analysis *a) {
    uint32_t uniform = 0, affine = 0, divergent = 0, global = 0, shared = 0, flagged = 0, branches = 0;
    for (uint32_t i = 0; i < a->function->value_count; i++) {
        const ls_shape *shape = &a->shapes[i];
        uniform += shape->kind == LS_SHAPE_POLY && !shape->term_count;
        affine += shape->kind == LS_SHAPE_POLY && shape->term_count;
        divergent += shape->kind == LS_SHAPE_DIVERGENT;
    }
    for (uint32_t i = 0; i < a->access_count; i++) {
        global += a->accesses[i].access->space == LS_SPACE_GLOBAL;
        shared += a->accesses[i].access->space == LS_SPACE_SHARED;
        flagged += a->accesses[i].flagged;
    }
    for (uint32_t i = 0; i < a->branch_count; i++) branches += a->branches[i].divergent;
    ls_fields *stats = ls_report_stats(entry);
    ls_fields_uint(stats, "instructions", a->function->instr_count);
    ls_fields_uint(stats, "uniform_values", uniform);
    ls_fields_uint(stats, "affine_values", affine);
    ls_fields_uint(stats, "divergent_values", divergent);
    ls_fields_uint(stats, "global_accesses", global);
    ls_fields_uint(stats, "shared_accesses", shared);
    ls_fields_uint(stats, "costly_accesses", flagged);
    ls_fields_uint(stats, "branches", a->branch_count);
    ls_fields_uint(stats, "divergent_branches", branches);
}

static void add_unknown(context *c, const ls_access_result *r) {
    const char *what = ls_arena_printf(&c->arena, "%s%s: %s", verb(r->access), quoted(c, r), r->unknown);
    if (said_before(c, place_of(r->access->instr).line, what)) return;
    if (c->verdict_stays) {
        bool shared = r->access->space == LS_SPACE_SHARED;
        ls_report_add(c->entry, shared ? LS_RULE_BANK_CONFLICT : LS_RULE_COALESCING, LS_NOTE,
                      place_of(r->access->instr), "the cost of this %s%s is not known: %s", verb(r->access),
                      quoted(c, r), r->unknown);
        return;
    }
    ls_report_unknown(c->entry, place_of(r->access->instr),
                      c->a->options.block[0] ? NULL : "give the launch's --block",
                      "the cost of this %s%s is not known: %s", verb(r->access), quoted(c, r), r->unknown);
}

/* In `check`, where data decides about several accesses of a kernel, which is one thing to know about it. */
enum { MOST_SHOWN = 4 };

static void relate_scattered(context *c, const ls_access_result *r) {
    ls_place place = place_of(r->access->instr);
    const char *what = ls_arena_printf(&c->arena, "%s%s", verb(r->access), quoted(c, r));
    if (said_before(c, place.line, what)) return;
    c->scattered_count++;
    if (c->scattered_count <= MOST_SHOWN) ls_finding_relate(c->scattered, place, "so is this %s", what);
}

static bool is_scattered_again(context *c, const ls_access_result *r) {
    bool alike = c->verdict_stays && !c->all && r->flagged && r->pattern == LS_PATTERN_SCATTERED;
    if (alike && c->scattered) relate_scattered(c, r);
    return alike && c->scattered;
}

static void end_scattered(context *c) {
    if (c->scattered_count > MOST_SHOWN)
        ls_finding_relate(c->scattered, c->scattered->place, "and %u more like it in this kernel",
                          c->scattered_count - MOST_SHOWN);
}

static void add_access(context *c, const ls_access_result *r) {
    if (is_scattered_again(c, r)) return;
    bool shared = r->access->space == LS_SPACE_SHARED || r->access->space == LS_SPACE_SHARED_CLUSTER;
    if (r->unknown && !r->flagged)
        add_unknown(c, r);
    else if (r->flagged || c->all)
        (shared ? add_banks : add_coalescing)(c, r);
}

/* Calls that were left as calls: what they do to memory is not seen. */
static void add_unresolved(context *c) {
    const ls_ir_function *f = c->a->function;
    for (uint32_t i = 0; i < f->unresolved_count && !c->verdict_stays; i++) {
        const ls_ir_unresolved *call = &f->unresolved[i];
        if (call->kind == LS_UNRESOLVED_EXTERNAL) continue; /* has no kernel code to look into */
        ls_place place =
            call->pos ? (ls_place){call->pos->file, call->pos->line, call->pos->column} : (ls_place){0};
        ls_report_unknown(c->entry, place, NULL,
                          "the call of %s is not followed: what it accesses is not known",
                          call->name ? call->name : "a function through a pointer");
    }
}

static void add_results(context *c) {
    const ls_analysis *a = c->a;
    for (uint32_t i = 0; i < a->scope_count; i++)
        ls_report_scope(c->entry, NULL, "%s%s", c->verdict_stays ? "costs: " : "", a->scope[i]);
    for (uint32_t i = 0; i < a->access_count; i++) add_access(c, &a->accesses[i]);
    end_scattered(c);
    for (uint32_t i = 0; c->all && i < a->product_count; i++) add_product(c, &a->products[i]);
    for (int loops = 1; loops >= 0; loops--) /* where a line has both, the loop's message stands */
        for (uint32_t i = 0; i < a->branch_count; i++) {
            const ls_branch_result *b = &a->branches[i];
            if (b->divergent && b->is_loop_exit == loops && (c->all || !b->early_exit)) add_branch(c, b);
        }
    add_unresolved(c);
    add_stats(c->entry, a);
}

/* Whether the parameter is called so: in the PTX, in the source, or by its number. */
static bool is_parameter(const ls_analyze_options *how, const ls_ir_function *ir, uint32_t index,
                         const char *name, size_t length) {
    char number[16];
    snprintf(number, sizeof number, "%u", index);
    const char *const names[] = {ir->ptx->params[index]->symbol->name, number,
                                 how->parameters ? how->parameters[index] : NULL};
    for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k] && strlen(names[k]) == length && !strncmp(names[k], name, length)) return true;
    return false;
}

/* Tensor maps that are given for parameters of this kernel; those of other kernels are left alone. */
static void take_maps(context *c, const ls_ir_function *ir, const ls_list *given, ls_analyze_options *how,
                      ls_diags *diags) {
    ls_analyze_tensor *known = LS_NEW_N(&c->arena, ls_analyze_tensor, given->count + 1);
    for (uint32_t i = 0; i < given->count; i++) {
        const char *item = given->items[i], *spec = strchr(item, '=');
        uint64_t *map = LS_NEW_N(&c->arena, uint64_t, LS_TENSOR_WORDS), elements;
        ls_ptx_type type;
        if (!spec || strncmp(spec + 1, "tensor:", 7) || !em_tensor_spec(spec + 1, map, &type, &elements)) {
            ls_diags_add(diags, LS_ERROR, NULL, 0, 0,
                         "argument '%s': a tensor map was expected: NAME=tensor:f16[128,64]box[64,8]", item);
            continue;
        }
        for (uint32_t k = 0; k < ir->ptx->param_count; k++)
            if (is_parameter(how, ir, k, item, (size_t)(spec - item)))
                known[how->tensor_count++] = (ls_analyze_tensor){ir->ptx->params[k]->symbol->name, map};
    }
    how->tensors = known;
}

static void analyze(const ls_cli_job *job, const ls_compiled_kernel *kernel, const ls_ir_function *ir,
                    ls_report_kernel *entry, const ls_performance_options *options, ls_diags *diags) {
    context c = {.entry = entry,
                 .sources = ls_report_shared_sources(job->file->report, &job->cli->roots),
                 .all = options->all,
                 .verdict_stays = options->verdict_stays};
    ls_arena_init(&c.arena);
    ls_analyze_options how = {.degree = options->degree, .domain = options->domain, .explain = options->all};
    how.parameters = ls_input_parameters(kernel, ir->ptx);
    how.parameter_count = how.parameters ? kernel->parameter_count : 0;
    memcpy(how.block, entry->block, sizeof how.block);
    memcpy(how.grid, entry->grid, sizeof how.grid);
    if (options->maps) take_maps(&c, ir, options->maps, &how, diags);
    double start = ls_clock_ms(LS_CLOCK_WALL);
    ls_analysis *a = ls_analyze(ir, &how);
    double before = entry->time_ms > 0 ? entry->time_ms : 0;
    ls_report_time(entry, before + ls_clock_ms(LS_CLOCK_WALL) - start);
    c.a = a;
    add_results(&c);
    ls_analysis_free(a);
    ls_arena_free(&c.arena);
}

void ls_performance(const ls_cli_job *job, const ls_input *input, const ls_compiled_kernel *kernel,
                    const ls_ir_function *ir, ls_report_kernel *entry, const ls_performance_options *options,
                    ls_diags *diags) {
    if (ir) {
        analyze(job, kernel, ir, entry, options, diags);
        return;
    }
    const ls_ptx_module *module = input->as_run ? input->as_run : input->module;
    const ls_ptx_function *function = ls_ptx_find_function(module, kernel->name);
    if (!function || !function->body) return;
    ls_ir_function *built = ls_ir_build(module, function, &(ls_ir_options){.quiet = true}, diags);
    if (!built) return;
    analyze(job, kernel, built, entry, options, diags);
    ls_ir_free(built);
}
