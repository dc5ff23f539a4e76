/* A proof by cases (cases.h). Trees and butterflies over a block, as sums, scans and sorting networks are, go
 * in steps that are tied to the number of threads, or of elements, by multiplications, shifts and masks of
 * which a solver knows little; for a number such a loop is unrolled. A power of two is one of eleven where it
 * is the size of a block, and of 33 where it is a parameter of 32 bits (0 has no two bits, either): where the
 * launch allows no others, so many proofs are one. */
#include "verify/query/cases.h"

#include "verify/effort.h"

#include "base/arena.h"
#include "ptx/origin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONDITION = 1024 };

typedef struct {
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    const char **facts;    /* room for those of the options, and one more */
    const char *name;      /* what is a power of two, in the kernel's own words … */
    bool is_parameter;     /* … and whether that is no size of the block */
    double left;           /* seconds, in the solver's own time */
    ls_verify_result *all; /* the proof of all cases so far; NULL: none was possible */
} cases;

/* A condition that says that a number is a power of two has such an operator. (That it is one is asked.) */
static bool has_bits(const char *text) {
    for (const char *at = text; (at = strchr(at, '&')); at += strspn(at, "&"))
        if (at[1] != '&') return true;
    return false;
}

static bool is_part(char c) {
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = text; length && (at = strstr(at, word)); at++)
        if ((at == text || !is_part(at[-1])) && !is_part(at[length])) return true;
    return false;
}

/* Some condition with such an operator mentions the parameter; of any at all where there is no name. */
static bool is_spoken_of(const ls_verify_options *o, const char *name, const char *shown) {
    for (uint32_t i = 0; i < o->fact_count; i++)
        if (has_bits(o->facts[i]) && (!name || has_word(o->facts[i], name))) return true;
    for (uint32_t i = 0; i < o->assumption_count; i++)
        if (has_bits(o->assumptions[i]) && (!name || has_word(o->assumptions[i], shown))) return true;
    return false;
}

/* The options with one fact more. */
static ls_verify_options with_fact(const cases *c, const char *fact) {
    ls_verify_options o = *c->options;
    for (uint32_t i = 0; i < o.fact_count; i++) c->facts[i] = o.facts[i];
    c->facts[o.fact_count++] = fact;
    o.facts = c->facts;
    o.proof_only = o.of_case = true;
    o.smt2_dir = NULL;
    o.timeout = ls_contract_attempt(c->left);
    return o;
}

static ls_verify_result *verify_with(cases *c, const char *fact, bool sizes_only) {
    ls_verify_options o = with_fact(c, fact);
    o.promises_only = sizes_only;
    ls_verify_result *r = ls_verify_at_once(c->kernel, &o);
    c->left -= ls_verify_effort(r);
    return r;
}

/* No launch is as the options say and has another number there. */
static bool are_powers(cases *c) {
    char other[CONDITION];
    snprintf(other, sizeof other,
             c->is_parameter ? "(unsigned(%s) & (unsigned(%s) - 1)) != 0" : "(%s & (%s - 1)) != 0", c->name,
             c->name);
    ls_verify_result *r = verify_with(c, other, true);
    bool none = r->impossible;
    ls_verify_free(r);
    return none;
}

static bool has_line(const ls_verify_result *r, const char *text) {
    for (const ls_verify_note *n = r->scope; n; n = n->next)
        if (!strcmp(n->text, text)) return true;
    return false;
}

/* What the proof of one case takes for granted, the whole one does. */
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
static bool prove_case(cases *c, int64_t number) {
    char fact[CONDITION];
    snprintf(fact, sizeof fact, "%s == %lld", c->name, (long long)number);
    if (c->left <= 0) return false;
    ls_verify_result *r = verify_with(c, fact, false);
    bool proved = r->verdict == LS_PROVED, good = proved || r->impossible;
    if (proved && c->all) {
        add_scope(c->all, r);
        c->all->seconds += r->seconds;
    }
    if (proved && !c->all)
        c->all = r;
    else
        ls_verify_free(r);
    return good;
}

/* The usual size first: what is not proved there mostly is not proved at all. */
static bool prove_cases(cases *c) {
    enum { USUAL = 256, LARGEST = 10 /* of a block: 1024 threads */, LAST = 30 };
    bool good = prove_case(c, USUAL);
    for (int k = c->is_parameter ? LAST : LARGEST; k >= 0 && good; k--)
        if (1 << k != USUAL) good = prove_case(c, 1 << k);
    if (good && c->is_parameter) good = prove_case(c, 0) && prove_case(c, INT32_MIN);
    return good && c->all;
}

static void tell(cases *c) {
    ls_verify_note *line = LS_NEW((ls_arena *)c->all->memory, ls_verify_note);
    *line = (ls_verify_note){.next = c->all->scope,
                             .text = ls_arena_printf(c->all->memory,
                                                     "proved for each power of two that %s may be by itself",
                                                     c->name)};
    c->all->scope = line;
}

static bool look_at(cases *c) {
    if (are_powers(c) && prove_cases(c)) {
        tell(c);
        return true;
    }
    ls_verify_free(c->all);
    c->all = NULL;
    return false;
}

static bool look_at_block(cases *c) {
    if (c->options->block[0]) return false;
    c->name = c->options->opencl ? "get_local_size(0)" : "blockDim.x";
    return look_at(c);
}

static bool look_at_parameters(cases *c) {
    const ls_ptx_function *f = c->kernel->ptx;
    c->is_parameter = true;
    for (uint32_t i = 0; i < f->param_count && c->left > 0; i++) {
        ls_ptx_type type = (ls_ptx_type)f->params[i]->type;
        bool fits = ls_ptx_type_bits(type) == 32 && ls_ptx_type_kind_of(type) != LS_KIND_FLOAT;
        if (!fits || f->params[i]->dimension_count) continue;
        char argument[LS_ARGUMENT_NAME];
        const char *name = i < c->options->parameter_count ? c->options->parameters[i] : NULL;
        c->name = name ? name : f->params[i]->symbol->name;
        ls_origin_argument(argument, i, 32, f->param_count);
        if (strlen(c->name) < CONDITION / 4 && is_spoken_of(c->options, argument, c->name) && look_at(c))
            return true;
    }
    return false;
}

ls_verify_result *ls_verify_by_cases(const ls_ir_function *kernel, const ls_verify_options *options,
                                     double *effort) {
    if (options->promises_only || options->only_divergence || !is_spoken_of(options, NULL, NULL)) return NULL;
    cases c = {.kernel = kernel, .options = options, .left = ls_contract_time(options)};
    const double given = c.left;
    c.facts = ls_xmalloc(sizeof *c.facts * (options->fact_count + 1));
    if (!look_at_block(&c)) look_at_parameters(&c);
    *effort += given - c.left;
    free(c.facts);
    return c.all;
}
