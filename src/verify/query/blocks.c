/* A proof by cases (blocks.h). Trees and butterflies over a block, as sums and scans are, take a number of
 * threads that is a power of two, and their strides are tied to it by multiplications and shifts of which a
 * solver knows little; for a number such a loop is unrolled. There are eleven powers of two up to 1024, the
 * most that a block may have: where the launch allows no others, eleven proofs are one. */
#include "verify/query/blocks.h"

#include "verify/effort.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 64 };

/* A condition that says that a number is a power of two has such an operator. (That it is one is asked.) */
static bool has_bits(const char *const *texts, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (const char *at = texts[i]; (at = strchr(at, '&')); at += strspn(at, "&"))
            if (at[1] != '&') return true;
    return false;
}

/* The options with one fact more. */
static ls_verify_options with_fact(const ls_verify_options *options, const char **facts, const char *fact) {
    ls_verify_options o = *options;
    for (uint32_t i = 0; i < o.fact_count; i++) facts[i] = o.facts[i];
    facts[o.fact_count++] = fact;
    o.facts = facts;
    o.proof_only = true;
    o.smt2_dir = NULL;
    return o;
}

/* No launch is as the options say and has a block of another size. */
static bool are_powers(const ls_ir_function *kernel, const ls_verify_options *options, const char **facts,
                       double *effort) {
    const char *other = options->opencl ? "(get_local_size(0) & (get_local_size(0) - 1)) != 0"
                                        : "(blockDim.x & (blockDim.x - 1)) != 0";
    ls_verify_options o = with_fact(options, facts, other);
    o.promises_only = true;
    o.timeout = ls_contract_attempt(ls_contract_time(options));
    ls_verify_result *r = ls_verify_at_once(kernel, &o);
    *effort += ls_verify_effort(r);
    bool none = r->impossible;
    ls_verify_free(r);
    return none;
}

static bool has_line(const ls_verify_result *r, const char *text) {
    for (const ls_verify_note *n = r->scope; n; n = n->next)
        if (!strcmp(n->text, text)) return true;
    return false;
}

/* What the proof for one size takes for granted, the whole one does. */
static void add_scope(ls_verify_result *to, const ls_verify_result *from) {
    ls_verify_note **end = &to->scope;
    while (*end) end = &(*end)->next;
    for (const ls_verify_note *n = from->scope; n; n = n->next) {
        if (has_line(to, n->text)) continue;
        ls_verify_note *copy = LS_NEW((ls_arena *)to->memory, ls_verify_note);
        copy->text = ls_arena_strdup(to->memory, n->text);
        copy->brief = n->brief ? ls_arena_strdup(to->memory, n->brief) : NULL;
        *end = copy;
        end = &copy->next;
    }
}

/* The next case in the proof of all; false where it is not proved. */
static bool prove_case(const ls_ir_function *kernel, const ls_verify_options *options, uint32_t threads,
                       const char **facts, ls_verify_result **all, double *left) {
    char fact[ROOM];
    snprintf(fact, sizeof fact, "%s == %u", options->opencl ? "get_local_size(0)" : "blockDim.x", threads);
    ls_verify_options o = with_fact(options, facts, fact);
    o.timeout = ls_contract_attempt(*left);
    if (*left <= 0) return false;
    ls_verify_result *r = ls_verify_at_once(kernel, &o);
    *left -= ls_verify_effort(r);
    bool proved = r->verdict == LS_PROVED, good = proved || r->impossible;
    if (proved && *all) {
        add_scope(*all, r);
        (*all)->seconds += r->seconds;
    }
    if (proved && !*all)
        *all = r;
    else
        ls_verify_free(r);
    return good;
}

/* The usual size first: what is not proved there mostly is not proved at all. */
static ls_verify_result *prove_all(const ls_ir_function *kernel, const ls_verify_options *options,
                                   const char **facts, double *effort) {
    static const uint32_t sizes[] = {256, 1024, 32, 1, 2, 4, 8, 16, 64, 128, 512};
    ls_verify_result *all = NULL;
    double left = ls_contract_time(options);
    const double given = left;
    bool good = true;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && good; i++)
        good = prove_case(kernel, options, sizes[i], facts, &all, &left);
    *effort += given - left;
    if (good && all) {
        ls_verify_note *line = LS_NEW((ls_arena *)all->memory, ls_verify_note);
        *line =
            (ls_verify_note){.next = all->scope,
                             .text = "proved for each size of the block by itself, which is a power of two"};
        all->scope = line;
        return all;
    }
    ls_verify_free(all);
    return NULL;
}

ls_verify_result *ls_verify_by_blocks(const ls_ir_function *kernel, const ls_verify_options *options,
                                      double *effort) {
    if (options->block[0] || options->promises_only || options->only_divergence) return NULL;
    if (!has_bits(options->facts, options->fact_count) &&
        !has_bits(options->assumptions, options->assumption_count))
        return NULL;
    const char **facts = ls_xmalloc(sizeof *facts * (options->fact_count + 1));
    ls_verify_result *all = NULL;
    if (are_powers(kernel, options, facts, effort)) all = prove_all(kernel, options, facts, effort);
    free(facts);
    return all;
}
