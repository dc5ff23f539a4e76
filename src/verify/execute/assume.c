/* Conditions from outside in a proof: --assume and --size, and what the program says of the launch
 * (condition.c has their syntax). Sizes of the launch and scalar parameters that are compared with a number
 * get that range, or become constants; everything else is a predicate that every query is asked under.
 * Numbers are 64 bits wide and signed; a parameter is a signed number of its width, unsigned(n) the unsigned
 * one. */
#include "verify/execute/assume.h"
#include "base/recover.h"
#include "verify/execute/allocations.h"
#include "verify/execute/exec.h"
#include "verify/execute/lower.h"
#include "verify/query/query.h"

#include "base/buf.h"
#include "verify/execute/condition.h"
#include "verify/execute/facts.h"

/* --- Parsing ---------------------------------------------------------------------------------------------
 */

/* "name=expression" in its two parts. */
static const ls_condition *parse_size(ls_arena *arena, const char *text, const char **name, ls_diags *diags) {
    size_t length = strcspn(text, "=");
    *name = ls_arena_strndup(arena, text, length);
    if (length && text[length]) return ls_condition_parse(arena, text + length + 1, diags);
    ls_diags_add(diags, LS_ERROR, text, 1, (uint32_t)length + 1, "expected PARAMETER=BYTES");
    return NULL;
}

static const ls_condition *parse(ls_arena *arena, const char *text, bool size, const char **name) {
    ls_diags *diags = ls_diags_new();
    const ls_condition *c =
        size ? parse_size(arena, text, name, diags) : ls_condition_parse(arena, text, diags);
    ls_diags_free(diags);
    return c;
}

bool ls_verify_condition(const char *text, bool size, ls_diags *diags) {
    ls_arena arena;
    ls_arena_open(&arena);
    const char *name;
    bool good = size ? parse_size(&arena, text, &name, diags) : ls_condition_parse(&arena, text, diags);
    ls_arena_close(&arena);
    return good;
}

/* --- Names -----------------------------------------------------------------------------------------------
 */

static uint32_t integer_width(const ls_ir_object *o);

/* A parameter by its number, where it is an integer of the width that is told. */
static const ls_ir_object *find_argument(const ls_proof *p, const ls_origin *name) {
    bool is_there = ls_fact_is_parameter(p->f->ptx, name);
    for (uint32_t i = 0; i < p->f->object_count && is_there; i++) {
        const ls_ir_object *o = p->f->objects[i];
        if (o->kind != LS_OBJECT_PARAM || o->index != name->index) continue;
        if (name->is_member) return name->at + name->bits / 8 <= o->size ? o : NULL;
        return integer_width(o) == name->bits ? o : NULL;
    }
    return NULL;
}

static bool is_host_value(const ls_condition *c) {
    return c->origin.kind == LS_ORIGIN_HOST;
}

static const ls_ir_object *find_parameter(const ls_proof *p, const char *name, const ls_origin *origin) {
    if (origin->kind != LS_ORIGIN_KERNEL) return find_argument(p, origin);
    for (uint32_t i = 0; i < p->f->object_count; i++) {
        const ls_ir_object *o = p->f->objects[i];
        if (o->kind != LS_OBJECT_PARAM) continue;
        if (!strcmp(o->name, name) || !strcmp(ls_proof_parameter(p, i), name)) return o;
    }
    return NULL;
}

/* Its width in bits where it is an integer; 0 where it is not. */
static uint32_t integer_width(const ls_ir_object *o) {
    if (!o || !o->variable || o->variable->dimension_count || o->variable->vector > 1) return 0;
    ls_ptx_type_kind kind = ls_ptx_type_kind_of((ls_ptx_type)o->variable->type);
    uint32_t bits = ls_ptx_type_bits((ls_ptx_type)o->variable->type);
    return kind == LS_KIND_FLOAT || bits < 8 || bits > 64 ? 0 : bits;
}

/* The same of what a condition names: the parameter, or a member of it. */
static uint32_t named_width(const ls_ir_object *o, const ls_origin *origin) {
    return o && origin->is_member ? origin->bits : integer_width(o);
}

/* Every name in the condition is one of the kernel's integer parameters, or an integer in one. */
bool ls_condition_concerns(const ls_proof *p, const ls_condition *c) {
    if (c->op == LS_COND_PARAMETER || c->op == LS_COND_UNSIGNED)
        return is_host_value(c) || named_width(find_parameter(p, c->name, &c->origin), &c->origin) != 0;
    return (!c->args[0] || ls_condition_concerns(p, c->args[0])) &&
           (!c->args[1] || ls_condition_concerns(p, c->args[1]));
}

/* --- Terms -----------------------------------------------------------------------------------------------
 */

static const ls_term *launch_term(ls_proof *p, const ls_condition *c) {
    ls_terms *t = &p->terms;
    uint32_t i = c->axis;
    const ls_term *size = ls_zext(t, p->ntid[i], 64), *index = ls_zext(t, p->tid[i], 64);
    const ls_term *blocks = ls_zext(t, p->nctaid[i], 64), *block = ls_zext(t, p->ctaid[i], 64);
    switch (c->launch) {
    case LS_LAUNCH_BLOCK_DIM: return size;
    case LS_LAUNCH_GRID_DIM: return blocks;
    case LS_LAUNCH_THREAD: return index;
    case LS_LAUNCH_BLOCK: return block;
    case LS_LAUNCH_GLOBAL_SIZE: return ls_mul(t, size, blocks);
    default: return ls_add(t, ls_mul(t, size, block), index);
    }
}

/* A number of 64 bits in the range of what it is. */
static const ls_term *host_term(ls_proof *p, const ls_condition *c) {
    void **place = ls_map_at(&p->named, c->name, strlen(c->name));
    bool wide = c->origin.is_wide;
    if (!*place)
        *place =
            (void *)(uintptr_t)ls_symbol_signed(&p->terms, c->name, 64, LS_SCOPE_GRID, LS_SYM_INPUT,
                                                wide ? INT64_MIN : INT32_MIN, wide ? INT64_MAX : INT32_MAX);
    return *place;
}

static const ls_term *parameter_term(ls_proof *p, const ls_condition *c) {
    if (is_host_value(c)) return host_term(p, c);
    const ls_ir_object *o = find_parameter(p, c->name, &c->origin);
    const ls_term *v = ls_parameter(p, o->id, c->origin.at, named_width(o, &c->origin));
    return ls_resize(&p->terms, v, 64, c->op == LS_COND_PARAMETER);
}

static const ls_term *truth(ls_proof *p, const ls_condition *c) {
    ls_terms *t = &p->terms;
    const ls_term *a, *b;
    switch (c->op) {
    case LS_COND_NOT: return ls_not(t, truth(p, c->args[0]));
    case LS_COND_AND: return ls_and(t, truth(p, c->args[0]), truth(p, c->args[1]));
    case LS_COND_OR: return ls_or(t, truth(p, c->args[0]), truth(p, c->args[1]));
    default: break;
    }
    if (c->op < LS_COND_LT || c->op > LS_COND_NE)
        return ls_not(t, ls_eq(t, ls_condition_term(p, c), ls_const(t, 64, 0)));
    a = ls_condition_term(p, c->args[0]);
    b = ls_condition_term(p, c->args[1]);
    switch (c->op) {
    case LS_COND_LT: return ls_slt(t, a, b);
    case LS_COND_LE: return ls_not(t, ls_slt(t, b, a));
    case LS_COND_GT: return ls_slt(t, b, a);
    case LS_COND_GE: return ls_not(t, ls_slt(t, a, b));
    case LS_COND_EQ: return ls_eq(t, a, b);
    default: return ls_not(t, ls_eq(t, a, b));
    }
}

static const struct {
    ls_condition_op op;
    ls_term_op term;
} binary_terms[] = {
    {LS_COND_DIV, LS_T_SDIV},  {LS_COND_REM, LS_T_SREM},    {LS_COND_SHL, LS_T_SHL},
    {LS_COND_SHR, LS_T_ASHR},  {LS_COND_BIT_AND, LS_T_AND}, {LS_COND_BIT_XOR, LS_T_XOR},
    {LS_COND_BIT_OR, LS_T_OR},
};

const ls_term *ls_condition_term(ls_proof *p, const ls_condition *c) {
    ls_terms *t = &p->terms;
    bool is_truth = c->op == LS_COND_NOT || c->op == LS_COND_AND || c->op == LS_COND_OR ||
                    (c->op >= LS_COND_LT && c->op <= LS_COND_NE);
    if (is_truth) return ls_zext(t, truth(p, c), 64);
    if (c->op == LS_COND_NUMBER) return ls_const(t, 64, (uint64_t)c->value);
    if (c->op == LS_COND_LAUNCH) return launch_term(p, c);
    if (c->op == LS_COND_PARAMETER || c->op == LS_COND_UNSIGNED) return parameter_term(p, c);
    const ls_term *a = ls_condition_term(p, c->args[0]),
                  *b = c->args[1] ? ls_condition_term(p, c->args[1]) : NULL;
    if (c->op == LS_COND_MINUS) return ls_scale(t, a, UINT64_MAX);
    if (c->op == LS_COND_COMPLEMENT) return ls_sub(t, ls_const(t, 64, UINT64_MAX), a);
    if (c->op == LS_COND_MUL) return ls_mul(t, a, b);
    if (c->op == LS_COND_ADD) return ls_add(t, a, b);
    if (c->op == LS_COND_SUB) return ls_sub(t, a, b);
    for (size_t i = 0; i < sizeof binary_terms / sizeof *binary_terms; i++)
        if (binary_terms[i].op == c->op) return ls_binary(t, binary_terms[i].term, a, b);
    return ls_const(t, 64, 0);
}

/* --- Ranges ----------------------------------------------------------------------------------------------
 */

typedef struct {
    const ls_condition *leaf;
    int64_t lo, hi;
} range;

static ls_condition_op mirrored(ls_condition_op op) {
    switch (op) {
    case LS_COND_LT: return LS_COND_GT;
    case LS_COND_LE: return LS_COND_GE;
    case LS_COND_GT: return LS_COND_LT;
    case LS_COND_GE: return LS_COND_LE;
    default: return op;
    }
}

/* name < number, number <= name, name == number, … */
static bool read_range(const ls_condition *c, range *out) {
    if (c->op < LS_COND_LT || c->op > LS_COND_EQ) return false;
    int64_t v;
    bool turned = ls_condition_constant(c->args[0], &v);
    if (!turned && !ls_condition_constant(c->args[1], &v)) return false;
    ls_condition_op op = turned ? mirrored(c->op) : c->op;
    *out = (range){c->args[turned], INT64_MIN, INT64_MAX};
    if (out->leaf->op != LS_COND_PARAMETER && out->leaf->op != LS_COND_LAUNCH) return false;
    if (v == INT64_MIN || v == INT64_MAX) return false;
    if (op == LS_COND_EQ) out->lo = out->hi = v;
    if (op == LS_COND_LT) out->hi = v - 1;
    if (op == LS_COND_LE) out->hi = v;
    if (op == LS_COND_GT) out->lo = v + 1;
    if (op == LS_COND_GE) out->lo = v;
    return true;
}

/* unsigned(name) <= number, where that is less than half of what its bits can say: as a signed number it is
 * not negative, either. */
static bool read_natural(const ls_proof *p, const ls_condition *c, range *out) {
    int64_t v;
    bool less = c->op == LS_COND_LE && c->args[0]->op == LS_COND_UNSIGNED && !is_host_value(c->args[0]);
    if (!less || !ls_condition_constant(c->args[1], &v) || v < 0) return false;
    const ls_origin *origin = &c->args[0]->origin;
    uint32_t width = named_width(find_parameter(p, c->args[0]->name, origin), origin);
    *out = (range){c->args[0], 0, v};
    return width && (uint64_t)v <= ls_mask(width) >> 1;
}

typedef struct {
    const ls_condition **assumptions; /* by assumption, then by fact; NULL: does not concern the kernel */
    ls_limits limits[2][3];           /* block, grid */
    LS_VEC(ls_sized) sized;
} stated;

static void free_stated(void *part) {
    LS_VEC_FREE(&((stated *)part)->sized);
}

static const ls_part STATED = {sizeof(stated), free_stated};

static stated *stated_in(const ls_proof *p) {
    return ls_part_of(p, &STATED);
}

static void narrow_size(ls_proof *p, const range *r) {
    int which = r->leaf->launch == LS_LAUNCH_GRID_DIM;
    if (r->leaf->launch != LS_LAUNCH_BLOCK_DIM && !which) return;
    ls_limits *l = &stated_in(p)->limits[which][r->leaf->axis];
    if (r->lo > l->lo) l->lo = r->lo;
    if (r->hi < l->hi) l->hi = r->hi;
}

static void narrow_parameter(ls_proof *p, const range *r) {
    if (is_host_value(r->leaf)) return;
    const ls_ir_object *o = find_parameter(p, r->leaf->name, &r->leaf->origin);
    uint32_t width = named_width(o, &r->leaf->origin), at = r->leaf->origin.at;
    const ls_term *v = ls_parameter(p, o->id, at, width);
    if (v->op != LS_T_SYM) return;
    int64_t lo = r->lo > v->slo ? r->lo : v->slo, hi = r->hi < v->shi ? r->hi : v->shi;
    if (lo > hi) return; /* it cannot hold: the predicate says so */
    uint64_t key = (uint64_t)o->id << 32 | (uint64_t)at << 8 | width;
    bool is_new;
    if (lo == hi)
        *ls_intmap_at(&p->bound, key, &is_new) = (uint64_t)lo & ls_mask(width);
    else
        ls_replace_parameter(p, key, v, lo, hi, v->ulo, v->uhi);
}

typedef void (*on_range)(ls_proof *p, const range *r);

static void each_range(ls_proof *p, const ls_condition *c, ls_condition_op leaf, on_range narrow) {
    range r;
    if (c->op == LS_COND_AND) {
        each_range(p, c->args[0], leaf, narrow);
        each_range(p, c->args[1], leaf, narrow);
    } else if (read_range(c, &r) && r.leaf->op == leaf) {
        narrow(p, &r);
    } else if (leaf == LS_COND_PARAMETER && read_natural(p, c, &r)) {
        narrow(p, &r);
    }
}

/* --- In the proof ----------------------------------------------------------------------------------------
 */

static void mark_axes(ls_proof *p, const ls_condition *c) {
    bool threads = c->launch == LS_LAUNCH_BLOCK_DIM || c->launch == LS_LAUNCH_THREAD;
    bool both = c->launch >= LS_LAUNCH_GLOBAL_SIZE;
    if (c->op == LS_COND_LAUNCH && (threads || both)) p->used_axis[0][c->axis] = true;
    if (c->op == LS_COND_LAUNCH && (!threads || both)) p->used_axis[1][c->axis] = true;
    for (int i = 0; i < 2 && c->args[i]; i++) mark_axes(p, c->args[i]);
}

/* All conditions, those of the options before those of the program. */
static uint32_t condition_count(const ls_proof *p) {
    return p->options->assumption_count + p->options->fact_count;
}

static const char *condition_text(const ls_proof *p, uint32_t i) {
    const ls_verify_options *o = p->options;
    return i < o->assumption_count ? o->assumptions[i] : o->facts[i - o->assumption_count];
}

/* No other fact mentions the host's value. */
static bool is_alone(const ls_proof *p, uint32_t fact, const char *name, size_t length) {
    for (uint32_t i = p->options->assumption_count; i < condition_count(p); i++) {
        const char *at = condition_text(p, i);
        for (; i != fact && (at = strchr(at, '$')); at += strspn(at, "$"))
            if (ls_fact_name_length(at) == length && !strncmp(at, name, length)) return false;
    }
    return true;
}

/* A size that is computed from values of which nothing else is known. */
static bool leaves_open(const ls_proof *p, uint32_t fact) {
    const char *text = condition_text(p, fact), *at = strstr(text, "Dim.");
    if (fact < p->options->assumption_count || !at || (at != text + 4 && at != text + 5)) return false;
    bool any = false;
    for (at = text; (at = strchr(at, '$')); any = true) {
        size_t length = ls_fact_name_length(at);
        if (!length || !is_alone(p, fact, at, length)) return false;
        at += length;
    }
    return any;
}

/* … and is just such a value. */
static bool says_nothing(const ls_proof *p, uint32_t fact) {
    const char *value = strstr(condition_text(p, fact), " == $");
    return value && leaves_open(p, fact) && !value[4 + ls_fact_name_length(value + 4)];
}

/* What a name of the host's own counts from, of which the reader learns nothing. */
static bool is_lower_bound(const ls_condition *c) {
    int64_t number;
    return c->op == LS_COND_GE && c->args[0]->op == LS_COND_PARAMETER && is_host_value(c->args[0]) &&
           ls_condition_constant(c->args[1], &number);
}

/* Which launch it is about: everything except constant sizes, which are reported elsewhere. */
static void show_facts(ls_proof *p) {
    ls_buf line = {0};
    const stated *all = stated_in(p);
    for (uint32_t i = p->options->assumption_count; i < condition_count(p); i++)
        if (all->assumptions[i] && strchr(condition_text(p, i), '$') && !says_nothing(p, i) &&
            !ls_fact_is_given(condition_text(p, i)) && !is_lower_bound(all->assumptions[i])) {
            if (line.length) ls_buf_puts(&line, ", ");
            ls_fact_show(p->f->ptx, p->options, condition_text(p, i), &line);
        }
    if (line.length)
        ls_scope_line(p, ls_arena_printf(&p->arena, "with %s", ls_buf_text(&line)), "for a launch with %s",
                      ls_buf_text(&line));
    ls_buf_free(&line);
}

ls_limits ls_assumed_limits(const ls_proof *p, bool grid, int axis) {
    return stated_in(p)->limits[grid][axis];
}

void ls_assume_sizes(ls_proof *p) {
    uint32_t count = condition_count(p);
    stated *all = stated_in(p);
    all->assumptions = LS_NEW_N(&p->arena, const ls_condition *, count + 1);
    bool *assumed = LS_NEW_N(&p->arena, bool, count + 1);
    for (int i = 0; i < 6; i++) all->limits[i / 3][i % 3] = (ls_limits){1, INT64_MAX};
    for (uint32_t i = 0; i < count; i++) {
        const ls_condition *c = parse(&p->arena, condition_text(p, i), false, NULL);
        assumed[i] = c && ls_condition_concerns(p, c);
        if (!assumed[i]) continue;
        all->assumptions[i] = c;
        if (!leaves_open(p, i)) mark_axes(p, c);
        each_range(p, c, LS_COND_LAUNCH, narrow_size);
        if (i < p->options->assumption_count)
            ls_scope_line(p, "assumes that --assume holds", "assumes %s (--assume)", condition_text(p, i));
    }
    p->result->assumed = assumed;
    show_facts(p);
}

/* With assumptions that exclude each other everything would be proved. */
static void check_possible(ls_proof *p) {
    ls_query q;
    ls_query_begin(&q, (ls_view){.p = p, .same_block = true});
    ls_query_launch(&q);
    p->result->impossible = ls_query_solve(&q) == LS_UNSAT;
    if (p->result->impossible)
        ls_unknown(p, NULL, "correct them", "the assumptions and the launch contradict each other");
    ls_query_end(&q);
}

void ls_assume(ls_proof *p) {
    ls_terms *t = &p->terms;
    const ls_condition *const *all = stated_in(p)->assumptions;
    bool any = false;
    for (uint32_t i = 0; i < condition_count(p); i++)
        if (all[i]) each_range(p, all[i], LS_COND_PARAMETER, narrow_parameter);
    for (uint32_t i = 0; i < condition_count(p); i++) {
        if (!all[i]) continue;
        const ls_term *holds = truth(p, all[i]);
        any = true;
        if (holds->scope == LS_SCOPE_GRID) {
            p->launch = ls_and(t, p->launch, holds);
            continue;
        }
        for (int k = 0; k < 3; k++) { /* of each thread: it comes with what names the thread */
            ls_add_fact(p, p->tid[k], holds);
            ls_add_fact(p, p->ctaid[k], holds);
        }
    }
    if (any) check_possible(p);
}

/* --- Sizes of buffers ------------------------------------------------------------------------------------
 */

void ls_add_size(ls_proof *p, ls_sized size) {
    stated *all = stated_in(p);
    LS_VEC_PUSH(&all->sized, size);
}

const ls_sized *ls_sizes(const ls_proof *p, uint32_t *count) {
    const stated *all = stated_in(p);
    *count = all->sized.length;
    return all->sized.items;
}

const ls_condition *ls_launch_fact(const ls_proof *p, uint32_t number) {
    return stated_in(p)->assumptions[p->options->assumption_count + number];
}

static bool is_pointer_size(const ls_proof *p, const ls_ir_object *o) {
    return integer_width(o) == (p->f->module->address_size == 32 ? 32 : 64);
}

void ls_assume_buffers(ls_proof *p) {
    const ls_verify_options *o = p->options;
    bool *sized = LS_NEW_N(&p->arena, bool, o->size_count + 1);
    for (uint32_t i = 0; i < o->size_count; i++) {
        const char *name = NULL;
        const ls_condition *c = parse(&p->arena, o->sizes[i], true, &name);
        ls_origin origin = ls_origin_of(name);
        const ls_ir_object *object = c ? find_parameter(p, name, &origin) : NULL;
        if (!object || !is_pointer_size(p, object) || !ls_condition_concerns(p, c)) continue;
        const ls_term *bytes = ls_condition_term(p, c);
        if (bytes->scope != LS_SCOPE_GRID) continue;
        sized[i] = true;
        ls_add_size(
            p, (ls_sized){.start = ls_parameter(p, object->id, 0, integer_width(object)), .bytes = bytes});
        ls_scope_line(p, "for buffers of the sizes of --size", "for '%s' of %s bytes (--size)", name,
                      strchr(o->sizes[i], '=') + 1);
    }
    p->result->sized = sized;
    ls_assume_allocations(p);
}

void ls_require_size(ls_state *s, const ls_ir_instr *call, const ls_term *path) {
    ls_proof *p = s->proof;
    ls_ir_value *pointer = ls_ir_argument_value(call, 0, 0), *size = ls_ir_argument_value(call, 1, 0);
    const ls_term *start = pointer ? ls_value_of(s, pointer) : NULL,
                  *bytes = size ? ls_value_of(s, size) : NULL;
    bool always = ls_is_true(path) && call->guard.kind == LS_IR_ABSENT && !call->pos->at;
    bool known = always && start && bytes && start->op == LS_T_SYM && start->scope == LS_SCOPE_GRID &&
                 bytes->scope == LS_SCOPE_GRID;
    if (known) {
        ls_add_size(p, (ls_sized){.start = start, .bytes = ls_resize(&p->terms, bytes, 64, false)});
        ls_scope_line(p, "for buffers of the stated sizes", "for buffers of the size stated at line %u",
                      call->pos->line);
    } else {
        ls_unknown(p, call->pos,
                   "state it at the start of the kernel, for a pointer parameter, in terms of scalar "
                   "parameters and launch sizes",
                   "the size of a buffer is stated in a way that is not modelled");
    }
}

const ls_sized *ls_size_is_known(ls_proof *p, const ls_ir_base *base) {
    const ls_term *start = ls_base_address(p, base);
    const stated *all = stated_in(p);
    for (uint32_t i = 0; i < all->sized.length; i++)
        if (all->sized.items[i].start == start) return &all->sized.items[i];
    return NULL;
}

const ls_term *ls_size_of(ls_proof *p, const ls_ir_base *base) {
    const ls_sized *known = ls_size_is_known(p, base);
    if (known) return known->bytes;
    uint64_t bytes = base->kind == LS_BASE_OBJECT ? p->f->objects[base->object]->size : 0;
    return bytes ? ls_const(&p->terms, 64, bytes) : NULL;
}
