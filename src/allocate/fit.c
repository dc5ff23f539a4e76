/* The practical mode: as few variables as possible leave the registers, so that ptxas with -maxrregcount N no
 * longer spills to local memory. Candidates are uniform variables, and affine ones with a uniform base; those
 * come first that are live for long where pressure is high and referred to rarely. How many have to go is
 * found with ptxas itself: twice as many from trial to trial until it spills no more, then halving.
 *
 * Where ptxas's own spilling to shared memory (CUDA 13's pragma) leaves nothing in local memory, it is used
 * alone: measured on an H200, moving variables instead is then no faster and up to 4 % slower. Where moving
 * variables is not enough, the pragma takes the rest: with all the candidates moved or with none, whichever
 * leaves less in local memory, then whichever takes less shared memory.
 *
 * Accesses to the slots are volatile: ptxas would put the value back into a register otherwise. */
#include "allocate/private.h"

#include "base/options.h"
#include "base/process.h"
#include "base/recover.h"
#include "base/scratch.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct ls_allocation_private {
    ls_arena arena;
};

typedef struct {
    uint32_t web;
    double benefit, cost;
} candidate;

typedef struct {
    const ls_ptx_module *module;
    const ls_fit_options *options;
    ls_diags *diags;
    const char *ptxas, *arch;
    char *folder;
    ls_arena *arena; /* of the result */
    ls_ptx_function **replaced;
} fitting;

/* The code that is added may be so much of all that is executed (by loop depth). */
static const double most_added = 0.05;

/* --- ptxas -----------------------------------------------------------------------------------------------
 */
static uint32_t number_before(const char *line, const char *what) {
    const char *at = strstr(line, what);
    if (!at) return 0;
    while (at > line && at[-1] == ' ') at--;
    while (at > line && at[-1] >= '0' && at[-1] <= '9') at--;
    return (uint32_t)strtoul(at, NULL, 10);
}

/* The report of the kernel in what ptxas -v said. */
static bool parse_report(const char *said, const char *kernel, ls_ptxas_report *out) {
    char start[512];
    snprintf(start, sizeof start, "Function properties for %s\n", kernel);
    const char *at = strstr(said, start);
    if (!at) return false;
    const char *used = strstr(at, "Used ");
    if (!used) return false;
    const char *end = strchr(used, '\n');
    char text[1024];
    size_t length = end ? (size_t)(end - at) : strlen(at);
    if (length >= sizeof text) length = sizeof text - 1;
    memcpy(text, at, length);
    text[length] = 0;
    *out = (ls_ptxas_report){.registers = number_before(text, "registers"),
                             .stack = number_before(text, "bytes stack frame"),
                             .spill_stores = number_before(text, "bytes spill stores"),
                             .spill_loads = number_before(text, "bytes spill loads"),
                             .shared = number_before(text, "bytes smem")};
    return true;
}

static bool run_ptxas(fitting *f, const char *ptx, size_t length, const char *kernel, ls_ptxas_report *out,
                      ls_buf *said) {
    char input[PATH_MAX], output[PATH_MAX];
    snprintf(input, sizeof input, "%s/in.ptx", f->folder);
    snprintf(output, sizeof output, "%s/out.cubin", f->folder);
    if (!ls_write_file(input, ptx, length)) return false;
    ls_args argv = {0};
    const char *words[] = {f->ptxas, "-v", "-arch", f->arch, "--entry", kernel, input, "-o", output};
    for (uint32_t i = 0; i < sizeof words / sizeof *words; i++) LS_VEC_PUSH(&argv, words[i]);
    int status = ls_process_run(&argv, &(ls_process_limits){.seconds = 600, .output = 64 << 20}, said);
    LS_VEC_FREE(&argv);
    unlink(input);
    unlink(output);
    return status == 0 && said->text && parse_report(said->text, kernel, out);
}

static uint32_t spills(const ls_ptxas_report *report) {
    return report->spill_stores + report->spill_loads;
}

/* --- Candidates ------------------------------------------------------------------------------------------
 */
static int by_score(const void *a, const void *b) {
    const candidate *x = a, *y = b;
    double sx = x->benefit / x->cost, sy = y->benefit / y->cost;
    if (sx != sy) return sx > sy ? -1 : 1;
    return x->web < y->web ? -1 : x->web > y->web;
}

static double weight_at(const job *j, uint32_t p) {
    double weight = 1;
    const ls_ir_loop *loop = j->order[p]->block->loop;
    for (uint32_t depth = loop ? loop->depth : 0; depth && weight < 1e6; depth--) weight *= 8;
    return weight;
}

/* By position: the weight of all crowded positions before it. */
static double *crowded_before(job *j, uint32_t registers) {
    double *sums = LS_NEW_N(j->arena, double, j->length + 2);
    uint32_t enough = registers > 8 ? registers - 8 : 1; /* ptxas needs some for itself */
    for (uint32_t p = 0; p < j->length; p++)
        sums[p + 1] = sums[p] + (j->pressure_at[p] > enough ? weight_at(j, p) : 0);
    return sums;
}

static candidate *find_candidates(job *j, uint32_t registers, uint32_t *count) {
    candidate *list = LS_NEW_N(j->arena, candidate, j->web_count + 1);
    const double *crowded = crowded_before(j, registers);
    *count = 0;
    for (uint32_t w = 0; w < j->web_count; w++) {
        web *v = &j->webs[w];
        if (v->start == NONE || !v->words || v->bits > 64) continue;
        ls_choose_place(j, w);
        if (!ls_in_shared(v)) continue;
        candidate c = {w, 0, v->weight * (v->place == LS_PLACE_SHARED ? 1 : 2)};
        c.benefit = (crowded[v->end / PHASES] - crowded[v->start / PHASES]) * v->words;
        if (c.benefit > c.cost) list[(*count)++] = c;
    }
    qsort(list, *count, sizeof *list, by_score);
    return list;
}

/* --- Trials ----------------------------------------------------------------------------------------------
 */
static ls_ptx_function *with_moved(job *j, const candidate *list, uint32_t count, ls_arena *arena) {
    for (uint32_t w = 0; w < j->web_count; w++) j->webs[w].spilled = false;
    for (uint32_t i = 0; i < count; i++) j->webs[list[i].web].spilled = true;
    memset(j->out->loads, 0, sizeof j->out->loads);
    memset(j->out->stores, 0, sizeof j->out->stores);
    j->out->shared_refused = j->out->note_count = 0;
    j->shared_stride = 0;
    if (!count) return ls_limit(j, arena);
    if (!ls_scan(j)) return NULL;
    j->words = j->options->registers ? j->options->registers : MAX_WORDS;
    for (uint32_t i = 0; i < count; i++) j->webs[list[i].web].place = j->webs[list[i].web].wanted_place;
    ls_fill_slots(j);
    return j->out->shared_refused ? NULL : ls_rewrite(j, arena);
}

typedef struct {
    fitting *f;
    job *j;
    uint32_t index; /* of the function in the module */
    const candidate *list;
    ls_fit_kernel *out;
} trial;

/* What ptxas says where the first `count` candidates are moved. */
static bool try_count(const trial *t, uint32_t count, ls_ptxas_report *report) {
    ls_arena arena;
    ls_arena_open(&arena);
    ls_ptx_function **replaced = LS_NEW_N(&arena, ls_ptx_function *, t->f->module->function_count + 1);
    replaced[t->index] = with_moved(t->j, t->list, count, &arena);
    bool good = replaced[t->index] != NULL;
    if (good) {
        size_t length;
        char *ptx = ls_print_with(t->f->module, &arena, replaced, &length);
        ls_buf said = {0};
        good = run_ptxas(t->f, ptx, length, t->out->name, report, &said);
        ls_buf_free(&said);
        free(ptx);
    }
    t->out->trials++;
    ls_arena_close(&arena);
    return good;
}

/* The least number of moved variables with which ptxas does not spill; 0: there is none. */
static uint32_t search(const trial *t, uint32_t most, ls_ptxas_report *best) {
    uint32_t low = 0, high = 0;
    ls_ptxas_report report;
    for (uint32_t n = 1; !high; n = n * 2 > most ? most : n * 2) {
        if (!try_count(t, n, &report)) return 0;
        if (!spills(&report)) {
            high = n;
            *best = report;
        } else {
            low = n;
        }
        if (n == most) break;
    }
    while (high && high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (try_count(t, middle, &report) && !spills(&report)) {
            high = middle;
            *best = report;
        } else {
            low = middle;
        }
    }
    return high;
}

/* The pragma wants PTX ISA 9.0, and no dynamic shared memory. */
static bool has_smem_spilling(const job *j) {
    bool has = j->module->version_major >= 9 && j->block[0] && !j->options->dynamic_shared;
    for (uint32_t i = 0; i < j->f->object_count; i++)
        has &= !(j->f->objects[i]->kind == LS_OBJECT_SHARED && j->f->objects[i]->is_extern);
    for (uint32_t i = 0; i < j->f->instr_count; i++) has &= j->f->instrs[i]->op != LS_OP_CALL;
    return has;
}

/* Whether the pragma, with nothing moved, leaves nothing in local memory. */
static bool pragma_is_enough(const trial *t) {
    ls_ptxas_report report;
    if (!has_smem_spilling(t->j)) return false;
    t->j->smem_spilling = true;
    bool enough = try_count(t, 0, &report) && !spills(&report);
    t->j->smem_spilling = enough;
    if (enough) t->out->after = report;
    return enough;
}

/* The better of all and none of the candidates moved, with the pragma; false where neither helps. */
static bool search_with_pragma(const trial *t, uint32_t most, uint32_t *count) {
    ls_ptxas_report report, *best = &t->out->after;
    uint32_t before = spills(&t->out->before);
    bool found = false;
    if (!has_smem_spilling(t->j)) return false;
    t->j->smem_spilling = true;
    for (uint32_t i = 0; i < 2 && (!i || most); i++) {
        uint32_t n = i ? most : 0;
        if (!try_count(t, n, &report) || spills(&report) * 2 > before) continue;
        bool less = spills(&report) < spills(best) ||
                    (spills(&report) == spills(best) && report.shared < best->shared);
        if (found && !less) continue;
        found = true;
        *best = report;
        *count = n;
    }
    t->j->smem_spilling = found;
    return found;
}

static double total_weight(const job *j) {
    double total = 0;
    for (uint32_t p = 0; p < j->length; p++) total += weight_at(j, p);
    return total;
}

/* --- One kernel ------------------------------------------------------------------------------------------
 */
static const char *why_not(uint32_t candidates, uint32_t most) {
    if (!candidates) return "no uniform or affine variable is live for long where pressure is high";
    if (!most) return "the variables that could be moved are used too often";
    return "ptxas still spills after the variables that can be moved are taken out";
}

static const char *fit_kernel(trial *t) {
    job *j = t->j;
    uint32_t most = 0;
    double added = 0, limit = total_weight(j) * most_added;
    t->list = find_candidates(j, t->f->options->registers, &t->out->candidates);
    while (most < t->out->candidates && added + t->list[most].cost <= limit) added += t->list[most++].cost;
    bool enough = pragma_is_enough(t);
    uint32_t count = most && !enough ? search(t, most, &t->out->after) : 0;
    if (!enough && !count && !search_with_pragma(t, most, &count)) return why_not(t->out->candidates, most);
    ls_ptx_function *function = with_moved(j, t->list, count, t->f->arena);
    if (!function) return "there is no room in shared memory";
    uint32_t threads = j->warps * LS_WARP_LANES;
    t->out->occupancy_after = ls_occupancy_of(j->arch, threads, t->out->after.registers,
                                              t->out->after.shared + j->options->dynamic_shared);
    if (t->out->occupancy_after.percent < t->out->occupancy_before.percent)
        return "fewer blocks would fit on a multiprocessor";
    t->f->replaced[t->index] = function;
    t->out->moved = count;
    t->out->smem_spilling = j->smem_spilling;
    t->out->changed = true;
    t->out->shared_bytes = j->shared_stride * j->warps;
    memcpy(t->out->loads, j->out->loads, sizeof t->out->loads);
    memcpy(t->out->stores, j->out->stores, sizeof t->out->stores);
    return NULL;
}

static void fit_function(fitting *f, uint32_t index, const char *text, size_t length, ls_fit_kernel *out,
                         const uint32_t block[3]) {
    const ls_ptx_function *function = f->module->functions[index];
    const ls_fit_options *o = f->options;
    ls_allocate_options how = {.allocator = LS_ALLOCATE_AFF,
                               .degree = o->degree,
                               .shared_budget = o->shared_budget,
                               .dynamic_shared = o->dynamic_shared};
    ls_allocate_kernel report = {.name = out->name};
    ls_buf said = {0};
    if (!run_ptxas(f, text, length, out->name, &out->before, &said)) {
        out->reason = ls_arena_printf(f->arena, "ptxas does not accept it: %.200s", ls_buf_text(&said));
        ls_buf_free(&said);
        return;
    }
    ls_buf_free(&said);
    job *j = ls_job_new(f->module, function, &how, &report, f->arena);
    bool filled = ls_job_fill(j, block, f->diags);
    out->occupancy_before = ls_occupancy_of(j->arch, (j->warps ? j->warps : 1) * LS_WARP_LANES,
                                            out->before.registers, out->before.shared + o->dynamic_shared);
    if (!spills(&out->before)) {
        out->reason = "ptxas does not spill";
    } else if (!filled) {
        out->reason = report.reason;
    } else {
        ls_fill_webs(j);
        ls_fill_liveness(j);
        ls_fill_states(j);
        j->use_shared = true;
        j->maxnreg = o->registers;
        j->volatile_slots = true;
        trial t = {.f = f, .j = j, .index = index, .out = out};
        out->reason = fit_kernel(&t);
    }
    ls_job_free(j);
}

/* --- The module ------------------------------------------------------------------------------------------
 */
static const char *target_of(const ls_ptx_module *module) {
    for (uint32_t i = 0; i < module->target_count; i++)
        if (!strncmp(module->targets[i], "sm_", 3)) return module->targets[i];
    return "sm_75";
}

static bool open_fitting(fitting *f) {
    char *found = ls_process_find(f->ptxas);
    bool is_path = strchr(f->ptxas, '/') != NULL;
    if (!found && !(is_path && !access(f->ptxas, X_OK))) {
        ls_diags_add(f->diags, LS_ERROR, NULL, 0, 0, "--fit needs ptxas, and '%s' was not found", f->ptxas);
        return false;
    }
    free(found);
    f->folder = ls_scratch_make();
    if (f->folder) return true;
    ls_diags_add(f->diags, LS_ERROR, NULL, 0, 0, "cannot make a folder for temporary files");
    return false;
}

/* The module as it is, its kernels limited to the registers. */
static char *limited(const fitting *f, size_t *length) {
    ls_ptx_function **same = LS_NEW_N(f->arena, ls_ptx_function *, f->module->function_count + 1);
    ls_ptx_tune tune = {.kind = LS_TUNE_MAXNREG, .count = 1, .values = {f->options->registers}};
    for (uint32_t i = 0; i < f->module->function_count; i++) {
        const ls_ptx_function *function = f->module->functions[i];
        if (!function->is_entry || !function->body) continue;
        same[i] = LS_NEW(f->arena, ls_ptx_function);
        *same[i] = *function;
        ls_set_tune(same[i], f->arena, tune, LS_TUNE_MAXNREG);
    }
    return ls_print_with(f->module, f->arena, same, length);
}

static ls_fit *fit_module(const ls_ptx_module *module, const ls_fit_options *options, ls_diags *diags) {
    LS_OWN_OPTIONS(ls_fit_options, options);
    fitting f = {.module = module,
                 .options = options,
                 .diags = diags,
                 .ptxas = options->ptxas ? options->ptxas : "ptxas",
                 .arch = options->arch ? options->arch : target_of(module)};
    if (options->registers < 16 || options->registers > 255) {
        ls_diags_add(diags, LS_ERROR, module->filename, 0, 0, "--fit takes 16 to 255 registers");
        return NULL;
    }
    if (!open_fitting(&f)) return NULL;
    ls_fit *out = ls_xmalloc(sizeof *out);
    *out = (ls_fit){.hidden = ls_xmalloc(sizeof *out->hidden)};
    f.arena = &out->hidden->arena;
    ls_arena_init(f.arena);
    out->kernels = LS_NEW_N(f.arena, ls_fit_kernel, module->function_count + 1);
    f.replaced = LS_NEW_N(f.arena, ls_ptx_function *, module->function_count + 1);
    size_t length;
    char *text = limited(&f, &length);
    for (uint32_t i = 0; i < module->function_count; i++) {
        const ls_ptx_function *function = module->functions[i];
        uint32_t block[3] = {0};
        if (!function->body || !function->is_entry) continue;
        if (options->wants && !options->wants(options->context, function->symbol->name, block)) continue;
        ls_fit_kernel *kernel = &out->kernels[out->kernel_count++];
        kernel->name = ls_arena_strdup(f.arena, function->symbol->name);
        fit_function(&f, i, text, length, kernel, block);
    }
    free(text);
    ls_scratch_remove(f.folder);
    out->ptx = ls_print_with(module, f.arena, f.replaced, &out->length);
    return out;
}

ls_fit *ls_allocate_fit(const ls_ptx_module *module, const ls_fit_options *options, ls_diags *diags) {
    LS_GUARDED((ls_diags_no_memory(diags), NULL), fit_module(module, options, diags));
}

void ls_fit_free(ls_fit *fit) {
    if (!fit) return;
    ls_arena_free(&fit->hidden->arena);
    free(fit->hidden);
    free(fit->ptx);
    free(fit);
}
