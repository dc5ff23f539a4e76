/* The analysis of one kernel, pass after pass: shapes of values (003), costs of accesses (001, 004), branches
 * that diverge; and the assumptions that all of it rests on. */
#include "lockstep/analyze.h"

#include "analyze/private.h"
#include "base/options.h"
#include "base/recover.h"

#include <stdlib.h>
#include <string.h>

#define NAME(id, name) [LS_PATTERN_##id] = name,
const char *ls_pattern_name(ls_pattern pattern) {
    static const char *const names[] = {LS_PATTERNS(NAME)};
    return names[pattern];
}
#undef NAME

/* Identifiers that are one number in each warp: of the row where rows are whole warps. Where the block is not
 * known that is assumed. */
static uint32_t uniform_monomials(const uint32_t block[3], bool strict) {
    uint32_t set = 0;
    if (strict && !block[0]) return 0;
    if (!block[0] || block[0] % LANES == 0) set |= 1u << LS_MONO_Y | 1u << LS_MONO_YY;
    if (!block[0] || (uint64_t)block[0] * block[1] % LANES == 0) set |= 1u << LS_MONO_Z | 1u << LS_MONO_ZZ;
    if ((set & 1u << LS_MONO_Y) && (set & 1u << LS_MONO_Z)) set |= 1u << LS_MONO_YZ;
    return set;
}

static void add_scope(ls_analysis *out, const char *sentence) {
    out->scope[out->scope_count++] = sentence;
}

static void fill_scope(ls_analysis *out, const analysis *a) {
    static const struct {
        uint32_t assumption;
        const char *sentence;
    } sentences[] = {
        {LS_ASSUME_NO_WRAP, "index arithmetic does not overflow"},
        {LS_ASSUME_BLOCK_X, "blockDim.x is a multiple of 32 (the block size is not known; give --block)"},
        {LS_ASSUME_POINTERS,
         "pointers passed to the kernel are 256-byte aligned, as cudaMalloc returns them"},
        {LS_ASSUME_NO_ALIAS, "different pointer parameters do not alias"},
        {LS_ASSUME_LOADED, "pointers that are read from memory point to global memory"},
        {LS_ASSUME_SPACE, "pointer parameters without a state space point to global memory"},
    };
    uint32_t count = sizeof sentences / sizeof *sentences;
    out->scope = LS_NEW_N(&out->hidden->arena, const char *, count + 1);
    for (uint32_t i = 0; i < count; i++)
        if (a->assumptions & sentences[i].assumption) add_scope(out, sentences[i].sentence);
}

static void fill(void *context) {
    ls_analysis *out = context;
    analysis *a = out->hidden;
    uint32_t degree = out->options.degree;
    a->degree = degree == LS_DEGREE_SIMPLE ? 0 : degree ? degree : 2;
    a->uniform_monomials = uniform_monomials(out->options.block, out->options.strict);
    a->assumptions = LS_ASSUME_NO_WRAP;
    if (!out->options.block[0] && !out->options.strict) a->assumptions |= LS_ASSUME_BLOCK_X;

    ls_fill_nodes(a);
    ls_fill_memory(a);
    ls_fill_shapes(a);
    if (out->options.domain == LS_DOMAIN_GPUDRANO)
        ls_fill_gpudrano(a);
    else if (!out->options.shapes_only) {
        ls_fill_accesses(a);
        ls_fill_branches(a);
    }
    fill_scope(out, a);
}

ls_analysis *ls_analyze(const ls_ir_function *function, const ls_analyze_options *options) {
    ls_analysis *out = calloc(1, sizeof *out);
    analysis *a = calloc(1, sizeof *a);
    if (out && a) {
        *out = (ls_analysis){.function = function, .hidden = a};
        ls_options_copy(&out->options, sizeof out->options, options);
        *a = (analysis){.f = function, .out = out};
        if (ls_try(fill, out)) return out;
        ls_arena_free(&a->arena);
    }
    free(a);
    free(out);
    ls_escape_further();
    return NULL;
}

void ls_analysis_free(ls_analysis *analysis_) {
    if (!analysis_) return;
    ls_arena_free(&analysis_->hidden->arena);
    free(analysis_->hidden);
    free(analysis_);
}

bool ls_analysis_warp_uniform(const ls_analysis *out, const ls_ir_value *value) {
    return ls_shape_warp_uniform(out->hidden, &out->shapes[value->id]);
}

bool ls_analysis_divergent(const ls_analysis *out, const ls_ir_block *block) {
    for (uint32_t i = 0; i < out->branch_count; i++)
        if (out->branches[i].block == block) return out->branches[i].divergent;
    return ls_branch_diverges(out->hidden, block);
}
