/* One function on its way through the passes: made, filled with what the passes stand on (IR, block size,
 * analysis), freed. */
#include "allocate/private.h"
#include "lockstep/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { PREDICATES = 7 };

void ls_allocate_note(job *j, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ls_allocate_kernel *out = j->out;
    const char **notes = LS_NEW_N(j->out_arena, const char *, out->note_count + 1);
    if (out->note_count) memcpy(notes, out->notes, out->note_count * sizeof *notes);
    notes[out->note_count++] = ls_arena_strdup(j->out_arena, text);
    out->notes = notes;
}

/* --- What cannot be rewritten ----------------------------------------------------------------------------
 */
static bool writes_later(const ls_ir_instr *instr) {
    if (!instr->form->opcode || !(instr->form->opcode->effects & LS_ASYNC)) return false;
    bool results = instr->form->opcode->class == LS_CLASS_MATRIX;
    for (uint32_t k = 0; k < instr->dst_count; k++) results |= instr->dst[k].kind == LS_IR_REG;
    return results;
}

static const char *refusal(job *j) {
    const ls_ir_function *f = j->f;
    for (uint32_t i = 0; i < f->instr_count; i++) {
        const ls_ir_instr *instr = f->instrs[i];
        if (instr->op == LS_OP_UNKNOWN)
            return ls_arena_printf(j->out_arena, "the instruction '%s' is not known", instr->form->text);
        if (writes_later(instr))
            return ls_arena_printf(j->out_arena, "'%s' uses registers after it was issued",
                                   instr->form->text);
    }
    for (uint32_t i = 0; i < j->ptx->param_count; i++)
        if (j->ptx->params[i]->space == LS_SPACE_REG) return "parameters are passed in registers";
    for (uint32_t i = 0; i < j->ptx->return_count; i++)
        if (j->ptx->returns[i]->space == LS_SPACE_REG) return "results are passed in registers";
    if ((uint64_t)f->block_count * f->value_count > UINT64_C(1) << 33) return "the function is too large";
    return NULL;
}

/* --- What the passes stand on ----------------------------------------------------------------------------
 */
static void analyze_for(job *j) {
    if (!j->ptx->is_entry) return; /* what a function is called with is not known */
    static const uint32_t degrees[] = {[LS_ALLOCATE_LINEAR] = 1, [LS_ALLOCATE_DIV] = LS_DEGREE_SIMPLE};
    uint32_t degree = j->options->degree ? j->options->degree : 1;
    if (j->options->allocator != LS_ALLOCATE_AFF) degree = degrees[j->options->allocator];
    ls_analyze_options how = {.degree = degree, .strict = true, .shapes_only = true};
    memcpy(how.block, j->block, sizeof how.block);
    j->analysis = ls_analyze(j->f, &how);
}

/* The block size that holds: .reqntid, or what the caller gave. */
static void fill_block(job *j, const uint32_t given[3], ls_diags *diags) {
    const ls_ptx_tune *required = ls_ptx_tune_of(j->ptx, LS_TUNE_REQNTID);
    memcpy(j->block, given, sizeof j->block);
    if (required) {
        for (uint32_t d = 0; d < 3; d++) j->block[d] = d < required->count ? required->values[d] : 1;
        if (given[0] && memcmp(given, j->block, sizeof j->block))
            ls_diags_add(diags, LS_WARNING, j->module->filename, j->ptx->pos.line, 0,
                         "the kernel requires a block of %u, %u, %u (.reqntid): the other size is not used",
                         j->block[0], j->block[1], j->block[2]);
    }
    memcpy(j->out->block, j->block, sizeof j->block);
}

job *ls_job_new(const ls_ptx_module *module, const ls_ptx_function *ptx, const ls_allocate_options *options,
                ls_allocate_kernel *out, ls_arena *out_arena) {
    job *j = ls_xmalloc(sizeof *j);
    *j = (job){.module = module,
               .ptx = ptx,
               .options = options,
               .out = out,
               .out_arena = out_arena,
               .base_word = NONE,
               .tid_word = NONE,
               .arch = ls_ptx_arch(module)};
    j->arena = ls_xmalloc(sizeof *j->arena);
    ls_arena_init(j->arena);
    j->words = options->registers ? options->registers : MAX_WORDS;
    j->predicates = options->predicates ? options->predicates : options->registers ? PREDICATES : MAX_WORDS;
    return j;
}

bool ls_job_fill(job *j, const uint32_t block[3], ls_diags *diags) {
    j->f = ls_ir_build(j->module, j->ptx,
                       &(ls_ir_options){.no_inline = true, .no_promote = true, .quiet = true}, diags);
    if (!j->f) {
        j->out->reason = "its control flow could not be built";
        return false;
    }
    fill_block(j, block, diags);
    j->warps = j->out->warps = ls_warps_of(j->ptx, j->block);
    j->out->instrs = j->f->instr_count;
    j->out->shared_static = ls_static_shared(j);
    j->out->reason = refusal(j);
    if (j->out->reason) return false;
    j->before = LS_NEW_N(j->arena, helpers, j->f->instr_count + 1);
    j->after = LS_NEW_N(j->arena, helpers, j->f->instr_count + 1);
    analyze_for(j);
    return true;
}

void ls_job_free(job *j) {
    ls_analysis_free(j->analysis);
    ls_ir_free(j->f);
    ls_arena_free(j->arena);
    free(j->arena);
    free(j);
}

/* The module with other functions, for printing. */
char *ls_print_with(const ls_ptx_module *module, ls_arena *arena, ls_ptx_function *const *replaced,
                    size_t *length) {
    ls_ptx_module copy = *module;
    copy.top.stmts = LS_NEW_N(arena, ls_ptx_stmt, module->top.count + 1);
    for (uint32_t i = 0, n = 0; i < module->top.count; i++) {
        copy.top.stmts[i] = module->top.stmts[i];
        if (module->top.stmts[i].kind != LS_STMT_FUNCTION) continue;
        if (replaced[n]) copy.top.stmts[i].function = replaced[n];
        n++;
    }
    return ls_ptx_print(&copy, length);
}
