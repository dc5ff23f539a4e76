/* Contracts: the weakest simple precondition under which a kernel that is not proved for every launch is
 * proved. A contract is a conjunction of conditions that people write kernels for: whole warps, positive
 * counts, a row that is at least as long as the grid is wide, a block of the size that the kernel's own
 * constants mention. First all that any usual launch has is assumed, then one condition more (or two, for
 * the two dimensions of a matrix), and from what is proved every part is taken away that the proof does not
 * need. Conditions that would hide a race rather than exclude a launch nobody makes (one block only, where
 * the kernel asks for its block's number) are not among them. */
#include "verify/query/contract.h"
#include "verify/effort.h"
#include "verify/execute/facts.h"
#include "verify/query/decided.h"
#include "verify/query/exclude.h"
#include "verify/query/layout.h"
#include "verify/query/met.h"
#include "verify/query/parts.h"

#include "base/options.h"
#include "base/recover.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PARAMETERS = 4, MOST_NUMBERS = 4, PART = LS_PART };

typedef ls_parts contract;

double ls_contract_time(const ls_verify_options *options) {
    static const double IN_ALL = 3;
    return options->timeout > 0 && options->timeout < IN_ALL ? options->timeout : IN_ALL;
}

double ls_contract_attempt(double left) {
    static const double AT_ONCE = 1;
    return left < AT_ONCE ? left : AT_ONCE;
}

typedef struct {
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    ls_arena arena;
    LS_VEC(const ls_verify_execution *) wrong; /* executions in which something goes wrong */
    const char *names[MOST_PARAMETERS];        /* integer parameters … */
    uint32_t indices[MOST_PARAMETERS];         /* … and which they are */
    bool strides[MOST_PARAMETERS];     /* … and whether something is multiplied by them, as rows are */
    bool is_unsigned[MOST_PARAMETERS]; /* … and whether the source says that they are */
    uint32_t name_count;
    uint32_t numbers[MOST_NUMBERS]; /* powers of two that the kernel mentions */
    uint32_t number_count;
    bool uses_block, uses_y;
    bool uses_grid[3];   /* by dimension: it asks for its block's number, or how many there are */
    uint32_t tile[2];    /* in x and y: elements that a block covers, by a constant; 0: as many as threads */
    char covered[2][40]; /* … and all blocks, in words */
    bool splits[2];      /* numbers of threads in x and y are divided by what the kernel is given */
    contract usual;      /* what every usual launch has */
    bool parts_block;    /* all that goes wrong is that threads of a block part before a barrier */
    double left;         /* seconds */
    ls_verify_result *proof; /* the last one that there was: of the contract that is found in the end */
} search;

typedef struct {
    const char *size[2], *blocks[2], *extent[2], *one_block;
} words;

static const words *words_of(const search *s) {
    static const words cuda = {{"blockDim.x", "blockDim.y"},
                               {"gridDim.x", "gridDim.y"},
                               {"gridDim.x*blockDim.x", "gridDim.y*blockDim.y"},
                               "gridDim.x == 1 && gridDim.y == 1 && gridDim.z == 1"};
    static const words opencl = {
        {"get_local_size(0)", "get_local_size(1)"},
        {"get_num_groups(0)", "get_num_groups(1)"},
        {"get_global_size(0)", "get_global_size(1)"},
        "get_num_groups(0) == 1 && get_num_groups(1) == 1 && get_num_groups(2) == 1"};
    return s->options->opencl ? &opencl : &cuda;
}

/* --- What the kernel is made of --------------------------------------------------------------------------
 */

static bool is_integer(const ls_ptx_variable *v) {
    ls_ptx_type_kind kind = ls_ptx_type_kind_of((ls_ptx_type)v->type);
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)v->type);
    return !v->dimension_count && !v->is_pointer && kind != LS_KIND_FLOAT && (bits == 32 || bits == 64);
}

static bool is_unsigned(const search *s, uint32_t parameter) {
    const ls_verify_options *o = s->options;
    return o->ranges && parameter < o->parameter_count && o->parameter_count == s->kernel->ptx->param_count &&
           o->ranges[parameter].is_unsigned;
}

static const char *parameter_name(const search *s, uint32_t i) {
    const char *name = i < s->options->parameter_count ? s->options->parameters[i] : NULL;
    return name ? name : s->kernel->ptx->params[i]->symbol->name;
}

/* How much a condition on the parameter may say: rows most, and nothing where the launch itself decides. */
typedef enum { IS_NONE, IS_DECIDED, IS_NUMBER, IS_ROW } weight;

static weight weigh(const search *s, uint32_t i) {
    const ls_ptx_variable *v = s->kernel->ptx->params[i];
    if (!is_integer(v)) return IS_NONE;
    bool row = ls_is_met(s->kernel, i, LS_MET_FACTOR);
    if (ls_ptx_type_bits((ls_ptx_type)v->type) == 64 && !row) return IS_NONE; /* or a pointer */
    if (ls_launch_decides(s->kernel, s->options, parameter_name(s, i))) return IS_DECIDED;
    return row ? IS_ROW : IS_NUMBER;
}

/* Where there are more than can be looked at, those that say most, in the order in which the kernel has
 * them. */
static void find_parameters(search *s) {
    const ls_ptx_function *f = s->kernel->ptx;
    uint32_t of[IS_ROW + 1] = {0}, room = MOST_PARAMETERS, left[IS_ROW + 1];
    for (uint32_t i = 0; i < f->param_count; i++) of[weigh(s, i)]++;
    for (weight w = IS_ROW; w > IS_NONE; w--) {
        left[w] = of[w] < room ? of[w] : room;
        room -= left[w];
    }
    for (uint32_t i = 0; i < f->param_count; i++) {
        weight w = weigh(s, i);
        if (w == IS_NONE || !left[w]) continue;
        left[w]--;
        s->indices[s->name_count] = i;
        s->strides[s->name_count] = ls_is_met(s->kernel, i, LS_MET_FACTOR);
        s->is_unsigned[s->name_count] = is_unsigned(s, i);
        s->names[s->name_count++] = parameter_name(s, i);
    }
}

/* Sizes of blocks are powers of two from 8 on; a kernel has them as constants and as sizes of arrays. */
static void add_number(search *s, uint64_t n) {
    if (n < 8 || n > 1024 || (n & (n - 1)) || s->number_count == MOST_NUMBERS) return;
    for (uint32_t i = 0; i < s->number_count; i++)
        if (s->numbers[i] == n) return;
    s->numbers[s->number_count++] = (uint32_t)n;
}

/* Constants, what shifts multiply by, and sizes of shared arrays, of which square ones have two sides. */
static void find_numbers(search *s) {
    const ls_ir_function *f = s->kernel;
    for (uint32_t i = 0; i < f->instr_count; i++)
        for (uint32_t k = 0; k < f->instrs[i]->src_count; k++) {
            const ls_ir_operand *o = &f->instrs[i]->src[k];
            if (o->kind != LS_IR_IMM) continue;
            bool shift = f->instrs[i]->op == LS_OP_SHL && k == 1 && o->bits < 32;
            add_number(s, shift ? UINT64_C(1) << o->bits : o->bits);
        }
    for (uint32_t i = 0; i < f->object_count; i++) {
        if (f->objects[i]->kind != LS_OBJECT_SHARED) continue;
        for (uint64_t side = 8; side <= 32; side *= 2)
            if (f->objects[i]->size == side * side * 4) add_number(s, side);
        add_number(s, f->objects[i]->size / 4);
    }
}

static void find_registers(search *s) {
    for (uint32_t i = 0; i < s->kernel->value_count; i++) {
        const ls_ir_value *v = s->kernel->values[i];
        if (v->kind != LS_VALUE_SREG) continue;
        if (v->sreg == LS_SREG_CTAID) s->uses_block = true;
        bool of_grid = v->sreg == LS_SREG_CTAID || v->sreg == LS_SREG_NCTAID;
        if (of_grid && v->element >= LS_ELEMENT_X && v->element <= LS_ELEMENT_Z)
            s->uses_grid[v->element - LS_ELEMENT_X] = true;
        bool of_thread = v->sreg == LS_SREG_TID || v->sreg == LS_SREG_NTID;
        if (of_thread && v->element == LS_ELEMENT_Y) s->uses_y = true;
    }
}

static void find_layout(search *s) {
    for (int axis = 0; axis < 2; axis++) {
        s->splits[axis] = ls_splits_threads(s->kernel, axis);
        s->tile[axis] = ls_tile_of(s->kernel, axis);
        snprintf(s->covered[axis], sizeof s->covered[axis], "%u*%s", s->tile[axis],
                 words_of(s)->blocks[axis]);
    }
}

/* --- Trying ----------------------------------------------------------------------------------------------
 */

/* What goes wrong, so that no condition that allows it is tried. */
static void keep_wrong(search *s, const ls_verify_result *r) {
    for (const ls_finding *f = r->findings; f; f = f->next) {
        if (f->level != LS_ERROR || !f->execution) continue;
        s->parts_block = (s->parts_block || !s->wrong.length) && f->rule == LS_RULE_BARRIER_DIVERGENCE;
        LS_VEC_PUSH(&s->wrong, ls_keep_execution(&s->arena, f->execution));
    }
}

/* Nothing that is known to go wrong does so where the contract holds: a proof is worth trying. */
static bool is_promising(const search *s, const contract *c) {
    const char *parts[LS_MOST_PARTS];
    for (uint32_t i = 0; i < c->count; i++) parts[i] = c->part[i];
    return ls_excludes_all(s->kernel, s->options, s->wrong.items, s->wrong.length, parts, c->count);
}

static bool is_proved(search *s, const contract *c) {
    enum { MOST_ASSUMPTIONS = 64 };
    const char *assumptions[MOST_ASSUMPTIONS + LS_MOST_PARTS];
    ls_verify_options o = *s->options;
    if (o.assumption_count >= MOST_ASSUMPTIONS || s->left <= 0 || !is_promising(s, c)) return false;
    for (uint32_t i = 0; i < o.assumption_count; i++) assumptions[i] = o.assumptions[i];
    for (uint32_t i = 0; i < c->count; i++) assumptions[o.assumption_count++] = c->part[i];
    o.assumptions = assumptions;
    o.timeout = ls_contract_attempt(s->left);
    o.smt2_dir = NULL;
    o.proof_only = true;
    ls_verify_result *r = ls_verify(s->kernel, &o);
    s->left -= ls_verify_effort(r);
    bool proved = r->verdict == LS_PROVED;
    keep_wrong(s, r);
    ls_verify_free(proved ? s->proof : r);
    if (proved) s->proof = r;
    return proved;
}

/* Takes away what the proof does not need, the usual parts first. */
static void minimize(search *s, contract *c) {
    for (uint32_t i = c->count; i-- > 0;) {
        contract less = {.count = 0};
        for (uint32_t k = 0; k < c->count; k++)
            if (k != i) ls_parts_add(&less, c->part[k]);
        if (is_proved(s, &less)) *c = less;
    }
}

/* "n >= 0" in the words of who has declared n: conditions take every number for a signed one. */
static void write_count(const search *s, const char *name, char *part) {
    bool natural = false;
    for (uint32_t i = 0; i < s->name_count; i++) natural |= s->is_unsigned[i] && !strcmp(s->names[i], name);
    snprintf(part, PART, natural ? "unsigned(%s) <= %d" : "%s >= 0", name, INT32_MAX);
}

/* A count that may be 0 as well, as that of a loop. */
static void weaken(search *s, contract *c) {
    for (uint32_t i = 0; i < c->count; i++) {
        size_t length = strlen(c->part[i]);
        contract weaker = *c;
        if (length < 4 || strcmp(c->part[i] + length - 4, " > 0") != 0 || length + 32 > PART) continue;
        char name[PART];
        snprintf(name, sizeof name, "%.*s", (int)(length - 4), c->part[i]);
        write_count(s, name, weaker.part[i]);
        if (is_proved(s, &weaker)) *c = weaker;
    }
}

static void add_parts(contract *to, const contract *from, bool without_warps) {
    for (uint32_t i = 0; from && i < from->count; i++)
        if (!without_warps || !strstr(from->part[i], " % 32")) ls_parts_add(to, from->part[i]);
}

/* The conditions by themselves, or with what is usual and does not contradict them. */
static bool helps(search *s, const contract *block, const contract *row, contract *out) {
    *out = (contract){.count = 0};
    add_parts(out, block, false);
    add_parts(out, row, false);
    bool proved = out->count && is_proved(s, out);
    if (!proved) {
        add_parts(out, &s->usual, block != NULL);
        proved = out->count && is_proved(s, out);
    }
    double half = ls_contract_time(s->options) / 2;
    if (proved && s->left < half) s->left = half; /* what is found is worth being made simple */
    if (proved) minimize(s, out);
    if (proved) weaken(s, out);
    return proved && out->count;
}

/* --- Candidates ------------------------------------------------------------------------------------------
 */

/* There are several blocks in a dimension. One that the kernel does not ask for, though it does for others,
 * has one: usual launches are made so. */
static bool has_blocks(const search *s, int axis) {
    return s->uses_grid[axis] || (!axis && !s->uses_grid[1] && !s->uses_grid[2]);
}

/* How many threads there are in a dimension, or elements that they cover. */
static const char *extent_of(const search *s, int axis) {
    if (s->tile[axis]) return s->covered[axis];
    return has_blocks(s, axis) ? words_of(s)->extent[axis] : words_of(s)->size[axis];
}

/* By the launch: it is right or wrong, whoever makes it. */
static bool is_decided(const search *s, const char *condition) {
    return ls_launch_decides(s->kernel, s->options, condition);
}

/* A size_t, as the length of a row in bytes is. */
static bool is_long(const search *s, uint32_t parameter) {
    return ls_ptx_type_bits((ls_ptx_type)s->kernel->ptx->params[s->indices[parameter]]->type) == 64;
}

static void find_usual(search *s) {
    char part[PART];
    for (uint32_t i = 0; i < s->name_count; i++) {
        snprintf(part, sizeof part, "%s > 0", s->names[i]);
        if (ls_launch_says(s->kernel, s->options, part)) continue;
        ls_parts_add(&s->usual, part);
        snprintf(part, sizeof part, "%s <= %d", s->names[i], INT32_MAX); /* bytes of a row */
        if (is_long(s, i)) ls_parts_add(&s->usual, part);
    }
    snprintf(part, sizeof part, "%s %% 32 == 0", words_of(s)->size[0]);
    if (!s->options->block[0] && !is_decided(s, part)) ls_parts_add(&s->usual, part);
    if (!s->options->grid[0] && !s->options->opencl && has_blocks(s, 0))
        ls_parts_add(&s->usual, "gridDim.x <= 65535");
    if (!s->options->grid[0] && !has_blocks(s, 0))
        ls_parts_add(&s->usual, s->options->opencl ? "get_num_groups(0) == 1" : "gridDim.x == 1");
}

enum { MOST_CANDIDATES = 40 };
typedef struct {
    contract items[MOST_CANDIDATES];
    uint32_t count;
} candidates;

static void put_candidate(candidates *list, const char *first, const char *second) {
    if (list->count == MOST_CANDIDATES) return;
    contract *c = &list->items[list->count++];
    *c = (contract){.count = 0};
    ls_parts_add(c, first);
    if (second) ls_parts_add(c, second);
}

static void add_candidate(const search *s, candidates *list, const char *first, const char *second) {
    if (!is_decided(s, first) && !(second && is_decided(s, second))) put_candidate(list, first, second);
}

/* What the host code says that something equals; NULL: nothing. */
static const char *value_fact(const search *s, const char *name) {
    size_t length = strlen(name);
    for (uint32_t i = 0; i < s->options->fact_count; i++) {
        const char *fact = s->options->facts[i];
        bool defines = !strncmp(fact, name, length) && !strncmp(fact + length, " == ", 4);
        if (defines && !ls_fact_is_given(fact)) return fact;
    }
    return NULL;
}

static const char *grid_fact(const search *s, int axis) {
    return value_fact(s, axis ? "gridDim.y" : "gridDim.x");
}

/* All values of the host code that are in the one are in the other as well, and there are some. */
static bool shares_values(const char *fact, const char *other) {
    uint32_t count = 0;
    for (const char *at = strchr(fact, '$'); at; at = strchr(at, '$')) {
        size_t length = ls_fact_name_length(at);
        char name[64];
        if (!length || length >= sizeof name) {
            at += strspn(at, "$");
            continue;
        }
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        const char *found = strstr(other, name);
        while (found && ls_fact_name_length(found) != length) found = strstr(found + 1, name);
        if (!found) return false;
        at += length;
        count++;
    }
    return count > 0;
}

/* The host code computes the grid from the parameter, or both from the same values: how the two compare is
 * then said by the launch. */
static bool is_settled_by_launch(const search *s, uint32_t parameter, int axis) {
    const char *grid = grid_fact(s, axis);
    const ls_ptx_function *f = s->kernel->ptx;
    char name[LS_ARGUMENT_NAME];
    uint32_t index = s->indices[parameter], bits = ls_ptx_type_bits((ls_ptx_type)f->params[index]->type);
    const char *row = value_fact(s, ls_origin_argument(name, index, bits, f->param_count));
    return grid && (ls_origin_mentions(grid, index) || (row && shares_values(row, grid)));
}

/* … or from a value that it chooses by the parameter. */
static bool makes_grid(const search *s, uint32_t parameter, int axis) {
    const char *grid = grid_fact(s, axis), *value = grid ? strchr(grid, '$') : NULL;
    size_t length = value ? ls_fact_name_length(value) : 0;
    char chosen[64];
    if (is_settled_by_launch(s, parameter, axis)) return true;
    if (!length || length >= sizeof chosen) return false;
    snprintf(chosen, sizeof chosen, "%.*s ", (int)length, value);
    for (uint32_t i = 0; i < s->options->fact_count; i++)
        if (ls_origin_mentions(s->options->facts[i], s->indices[parameter]) &&
            strstr(s->options->facts[i], chosen))
            return true;
    return false;
}

/* What the host code allocates is computed from the parameter. */
static bool sizes_memory(const search *s, uint32_t parameter) {
    for (uint32_t i = 0; i < s->options->allocation_count; i++)
        if (ls_origin_mentions(s->options->allocations[i].bytes, s->indices[parameter])) return true;
    return false;
}

/* The parameter can be the length of a row or an array, and those who call the host code decide how long it
 * is. */
static bool is_row(const search *s, uint32_t parameter, int axis) {
    bool measures = s->strides[parameter] || s->options->size_count ||
                    sizes_memory(s, parameter); /* rows, or arrays of stated size */
    return measures && !s->splits[axis] && !is_decided(s, s->names[parameter]) &&
           !is_settled_by_launch(s, parameter, axis);
}

/* Rows of a matrix, in one dimension, also in bytes, and in two. */
static void list_rows(const search *s, candidates *list, bool widest_first) {
    char first[PART], second[PART];
    for (uint32_t i = 0; i < s->name_count; i++)
        for (int axis = 0; axis < 2; axis++) {
            snprintf(first, sizeof first, "%s >= %s", s->names[i], extent_of(s, axis));
            if (is_row(s, i, axis) && !(widest_first && is_long(s, i))) add_candidate(s, list, first, NULL);
        }
    for (uint32_t i = 0; i < s->name_count; i++)
        for (uint32_t k = 0; k < 4 && is_row(s, i, 0) && is_long(s, i); k++) {
            snprintf(first, sizeof first, "%s >= %u*%s", s->names[i], widest_first ? 16u >> k : 2u << k,
                     extent_of(s, 0));
            add_candidate(s, list, first, NULL);
        }
    for (uint32_t i = 0; i < s->name_count; i++)
        for (uint32_t k = 0; k < s->name_count; k++) {
            snprintf(first, sizeof first, "%s >= %s", s->names[i], extent_of(s, 0));
            snprintf(second, sizeof second, "%s >= %s", s->names[k], extent_of(s, 1));
            if (i != k && is_row(s, i, 0) && is_row(s, k, 1)) add_candidate(s, list, first, second);
        }
}

/* What callers give that are not seen, and what masks the threads' own numbers, is a power of two. */
static void list_powers(const search *s, candidates *list) {
    char first[PART];
    for (uint32_t i = 0; i < s->name_count; i++) {
        if (!ls_launch_is_given(s->kernel, s->options, s->indices[i])) continue;
        snprintf(first, sizeof first, "(%s & (%s - 1)) == 0", s->names[i], s->names[i]);
        if (ls_is_met(s->kernel, s->indices[i], LS_MET_MASK)) put_candidate(list, first, NULL);
    }
}

/* Callers that are not seen give a number that threads are compared with: the threads of a block agree where
 * it is a multiple of the block. Only that they part before a barrier is so excused: host code that rounds
 * the grid up is written for numbers that are no multiples, so that a race or an access out of bounds in the
 * last block is an error. */
static void list_multiples(const search *s, candidates *list) {
    char first[PART], second[PART];
    const words *w = words_of(s);
    bool given[MOST_PARAMETERS];
    for (uint32_t i = 0; i < s->name_count; i++)
        given[i] = s->parts_block && ls_launch_is_given(s->kernel, s->options, s->indices[i]) &&
                   ls_is_met(s->kernel, s->indices[i], LS_MET_COMPARED);
    for (uint32_t i = 0; i < s->name_count; i++) {
        snprintf(first, sizeof first, "%s %% %s == 0", s->names[i], w->size[0]);
        if (given[i]) put_candidate(list, first, NULL);
        for (uint32_t k = 0; k < s->name_count && given[i] && s->uses_y; k++) {
            snprintf(second, sizeof second, "%s %% %s == 0", s->names[k], w->size[1]);
            if (k != i && given[k]) put_candidate(list, first, second);
        }
    }
}

/* A parameter that only says which of a few ways to go, as the face of a cube: it is given by callers that
 * are not seen, nothing is computed from it for the launch, and no thread compares itself with it. */
static void list_selectors(const search *s, candidates *list) {
    char first[PART], second[PART];
    for (uint32_t i = 0; i < s->name_count; i++) {
        uint32_t index = s->indices[i];
        if (s->strides[i] || !ls_launch_is_given(s->kernel, s->options, index) ||
            ls_is_met(s->kernel, index, LS_MET_COMPARED) || makes_grid(s, i, 0) || makes_grid(s, i, 1) ||
            sizes_memory(s, i))
            continue;
        snprintf(first, sizeof first, "%s >= 0", s->names[i]);
        snprintf(second, sizeof second, "%s < 4", s->names[i]);
        put_candidate(list, first, second);
    }
}

/* Sizes of blocks, of both dimensions first where the kernel has two; those of its tiles before others. */
static void list_blocks(const search *s, candidates *list) {
    if (s->options->block[0]) return;
    char first[PART], second[PART];
    const words *w = words_of(s);
    for (uint32_t n = 0; n < s->number_count && s->uses_y && s->tile[0]; n++) {
        snprintf(first, sizeof first, "%s <= %u", w->size[0], s->tile[0]);
        snprintf(second, sizeof second, "%s <= %u", w->size[1], s->numbers[n]);
        if (!s->tile[1] || s->numbers[n] <= s->tile[1]) add_candidate(s, list, first, second);
    }
    for (uint32_t n = 0; n < s->number_count * s->number_count && s->uses_y; n++) {
        uint32_t k = n % s->number_count, i = (k + n / s->number_count) % s->number_count; /* squares first */
        if (s->numbers[i] * s->numbers[k] > 1024) continue;
        snprintf(first, sizeof first, "%s == %u", w->size[0], s->numbers[i]);
        snprintf(second, sizeof second, "%s == %u", w->size[1], s->numbers[k]);
        add_candidate(s, list, first, second);
    }
    for (uint32_t i = 0; i < s->number_count; i++) {
        snprintf(first, sizeof first, "%s <= %u", w->size[0], s->numbers[i]);
        add_candidate(s, list, first, NULL);
        snprintf(first, sizeof first, "%s == %u", w->size[0], s->numbers[i]);
        add_candidate(s, list, first, NULL);
    }
    snprintf(first, sizeof first, "(%s & (%s - 1)) == 0", w->size[0], w->size[0]);
    add_candidate(s, list, first, NULL);
    for (uint32_t i = 0; i < s->number_count && s->options->free_launch && has_blocks(s, 0); i++) {
        snprintf(first, sizeof first, "%s <= %u", w->extent[0], s->numbers[i]); /* steps of a loop */
        add_candidate(s, list, first, NULL);
    }
}

/* Not even with everything that may be said of rows, and what is usual, there is a proof: then none of it
 * helps by itself. */
static bool is_hopeless(search *s, const contract *block, const candidates *rows) {
    contract all = {.count = 0};
    add_parts(&all, block, false);
    for (uint32_t i = 0; i < rows->count; i++)
        for (uint32_t k = 0; k < rows->items[i].count; k++)
            if (!ls_parts_have(&all, rows->items[i].part[k])) ls_parts_add(&all, rows->items[i].part[k]);
    add_parts(&all, &s->usual, block != NULL);
    return !all.count || !is_proved(s, &all);
}

/* The block's condition, alone or with one on rows. */
static bool helps_with_rows(search *s, const contract *block, const candidates *rows, contract *out) {
    if (is_hopeless(s, block, rows)) return false;
    if (helps(s, block, NULL, out)) return true;
    for (uint32_t i = 0; i < rows->count; i++)
        if (helps(s, block, &rows->items[i], out)) return true;
    return false;
}

/* Few conditions before many. */
static bool find(search *s, contract *out) {
    candidates rows = {.count = 0}, blocks = {.count = 0};
    list_rows(s, &rows, false);
    list_powers(s, &rows);
    list_multiples(s, &rows);
    list_blocks(s, &blocks);
    if (helps_with_rows(s, NULL, &rows, out)) return true;
    for (uint32_t i = 0; i < blocks.count; i++)
        if (helps_with_rows(s, &blocks.items[i], &rows, out)) return true;
    contract one = {.count = 0};
    ls_parts_add(&one, words_of(s)->one_block);
    return !s->options->grid[0] && !s->uses_block && helps(s, NULL, &one, out);
}

static search begin(const ls_ir_function *kernel, const ls_verify_options *options,
                    const ls_verify_result *result) {
    search s = {.kernel = kernel, .options = options, .left = ls_contract_time(options)};
    find_parameters(&s);
    find_numbers(&s);
    find_registers(&s);
    find_layout(&s);
    find_usual(&s);
    ls_arena_init(&s.arena);
    keep_wrong(&s, result);
    return s;
}

static void end(search *s) {
    ls_verify_free(s->proof);
    LS_VEC_FREE(&s->wrong);
    ls_arena_free(&s->arena);
}

/* The first of the conditions, few before many, that leaves out what is known to go wrong. */
static bool find_plausible(const search *s, contract *out) {
    candidates rows = {.count = 0}, blocks = {.count = 0};
    list_rows(s, &rows, true);
    list_powers(s, &rows);
    list_multiples(s, &rows);
    list_blocks(s, &blocks);
    list_selectors(s, &blocks); /* beside rows of any kind */
    for (uint32_t i = 0; i < 1 + blocks.count; i++)
        for (uint32_t k = 0; k < 1 + rows.count; k++) {
            *out = (contract){.count = 0};
            add_parts(out, i ? &blocks.items[i - 1] : NULL, false);
            add_parts(out, k ? &rows.items[k - 1] : NULL, false);
            add_parts(out, &s->usual, i > 0);
            if (out->count && is_promising(s, out)) return true;
        }
    return false;
}

bool ls_verify_plausible(const ls_ir_function *kernel, const ls_verify_options *options,
                         const ls_verify_result *result, char *out, size_t size) {
    LS_OWN_OPTIONS(ls_verify_options, options);
    search s = begin(kernel, options, result);
    contract found;
    bool good = find_plausible(&s, &found) && ls_parts_write(&found, out, size);
    end(&s);
    return good;
}

typedef struct {
    const ls_ir_function *kernel;
    const ls_verify_options *options;
    const ls_verify_result *result;
    char *out;
    size_t size;
    bool good;
    search s;
} contract_search;

static void search_contract(void *context) {
    contract_search *all = context;
    contract found;
    all->s = begin(all->kernel, all->options, all->result);
    all->good = find(&all->s, &found) && ls_parts_write(&found, all->out, all->size);
}

bool ls_prove_contract(const ls_ir_function *kernel, const ls_verify_options *options,
                       const ls_verify_result *result, char *out, size_t size, ls_verify_result **proof) {
    LS_OWN_OPTIONS(ls_verify_options, options);
    *proof = NULL;
    if (result->verdict == LS_PROVED || !result->memory) return false; /* or nothing is known of it */
    contract_search all = {kernel, options, result, out, size, false, {0}};
    bool good = ls_try(search_contract, &all) && all.good;
    if (good) {
        *proof = all.s.proof;
        all.s.proof = NULL;
    }
    end(&all.s);
    return good;
}

bool ls_verify_contract(const ls_ir_function *kernel, const ls_verify_options *options,
                        const ls_verify_result *result, char *out, size_t size) {
    ls_verify_result *proof;
    bool good = ls_prove_contract(kernel, options, result, out, size, &proof);
    ls_verify_free(proof);
    return good;
}

bool ls_verify_shorten(const ls_ir_function *kernel, const ls_verify_options *options, char *condition,
                       size_t size) {
    LS_OWN_OPTIONS(ls_verify_options, options);
    contract c = {.count = 0};
    if (!ls_parts_read(&c, condition)) return false;
    search s = begin(kernel, options, &(ls_verify_result){0});
    minimize(&s, &c);
    weaken(&s, &c);
    char shorter[512];
    bool good = ls_parts_write(&c, shorter, sizeof shorter) && strlen(shorter) < size;
    if (good) strcpy(condition, shorter);
    end(&s);
    return good;
}
