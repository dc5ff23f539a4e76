/* The kernel language (000, §3.1): building programs. Expressions are hash-consed, so that equal ones are
 * the same node, and typed on construction by the signature in the table of operators. */
#include "model/lang.h"

#include "base/map.h"

#include <assert.h>
#include <stdio.h>

const ls_kop_info ls_kops[LS_KX_COUNT] = {
#define LS_KERNEL_OP(op, name, arity, infix, precedence, signature)                                          \
    [LS_KX_##op] = {name, arity, infix, precedence, signature},
    LS_KERNEL_OPS(LS_KERNEL_OP)
#undef LS_KERNEL_OP
};

/* ---- Programs, variables, blocks --------------------------------------------------------------------- */

ls_kctx *ls_kctx_new(uint32_t threads) {
    ls_kctx *ctx = ls_xmalloc(sizeof *ctx);
    memset(ctx, 0, sizeof *ctx);
    ls_arena_init(&ctx->arena);
    ctx->threads = threads;
    return ctx;
}

void ls_kctx_free(ls_kctx *ctx) {
    if (!ctx) return;
    ls_arena_free(&ctx->arena);
    free(ctx);
}

ls_kprog *ls_kprog_new(ls_kctx *ctx, const char *name, const char *file) {
    ls_kprog *prog = LS_NEW(&ctx->arena, ls_kprog);
    prog->ctx = ctx;
    prog->name = ls_arena_strdup(&ctx->arena, name ? name : "kernel");
    prog->file = file ? ls_arena_strdup(&ctx->arena, file) : NULL;
    return prog;
}

ls_kvar *ls_kvar_new(ls_kctx *ctx, const char *name, ls_kclass class, ls_ktype type) {
    ls_kvar *var = LS_NEW(&ctx->arena, ls_kvar);
    var->name = ls_arena_strdup(&ctx->arena, name);
    var->id = ctx->vars.length;
    var->class = (uint8_t)class;
    var->type = type;
    LS_VEC_PUSH_IN(&ctx->arena, &ctx->vars, var);
    return var;
}

const ls_kvar *ls_kvar_find(const ls_kctx *ctx, const char *name) {
    for (uint32_t i = 0; i < ctx->vars.length; i++)
        if (strcmp(ctx->vars.items[i]->name, name) == 0) return ctx->vars.items[i];
    return NULL;
}

ls_kvar *ls_kvar_fresh(ls_kctx *ctx, const char *name, ls_kclass class, ls_ktype type) {
    const char *fresh = name;
    while (ls_kvar_find(ctx, fresh)) fresh = ls_arena_printf(&ctx->arena, "%s'", fresh);
    return ls_kvar_new(ctx, fresh, class, type);
}

uint64_t ls_kvar_domain(const ls_kvar *var) {
    switch ((ls_ktype_kind)var->type.kind) {
    case LS_KT_BOOL: return 2;
    case LS_KT_INT: return (uint64_t)var->high - (uint64_t)var->low + 1;
    case LS_KT_BV: return var->type.width >= 64 ? 0 : UINT64_C(1) << var->type.width;
    case LS_KT_LABEL: return 0;
    }
    return 0;
}

uint32_t ls_kblock_new(ls_kprog *prog, const char *label) {
    ls_kblock block = {.label = ls_arena_strdup(&prog->ctx->arena, label), .source = prog->blocks.length};
    LS_VEC_PUSH_IN(&prog->ctx->arena, &prog->blocks, block);
    return prog->blocks.length - 1;
}

const char *ls_klabel_fresh(ls_kprog *prog, const char *label) {
    for (uint32_t i = 0; i < prog->blocks.length; i++)
        if (strcmp(prog->blocks.items[i].label, label) == 0) {
            label = ls_arena_printf(&prog->ctx->arena, "%s'", label);
            i = UINT32_MAX; /* start again with the longer one */
        }
    return label;
}

void ls_kblock_add(ls_kprog *prog, uint32_t block, ls_kstmt stmt) {
    LS_VEC_PUSH_IN(&prog->ctx->arena, &prog->blocks.items[block].stmts, stmt);
}

void ls_kblock_goto(ls_kprog *prog, uint32_t block, uint32_t target) {
    LS_VEC_PUSH_IN(&prog->ctx->arena, &prog->blocks.items[block].targets, target);
}

const ls_kexpr *ls_kblock_guard(const ls_kprog *prog, uint32_t block) {
    if (block == LS_KEND) return NULL;
    const ls_kblock *b = &prog->blocks.items[block];
    if (b->stmts.length == 0 || b->stmts.items[0].kind != LS_KS_ASSUME) return NULL;
    return b->stmts.items[0].value;
}

/* ---- Expressions ------------------------------------------------------------------------------------- */

static bool numeric(ls_ktype type) {
    return type.kind == LS_KT_INT || type.kind == LS_KT_BV;
}

static const char *check_same(const ls_kexpr *const *args, uint32_t from, uint32_t count) {
    for (uint32_t i = from + 1; i < count; i++)
        if (!ls_ktype_equal(args[i]->type, args[from]->type)) return "operands of one type";
    return NULL;
}

static const char *check_all(const ls_kexpr *const *args, uint32_t count, ls_ktype_kind kind,
                             const char *expected) {
    for (uint32_t i = 0; i < count; i++)
        if (args[i]->type.kind != kind) return expected;
    return NULL;
}

static const char *check_resize(ls_kop op, ls_ktype from, int64_t value, ls_ktype *result) {
    if (from.kind != LS_KT_BV) return "a bit-vector";
    int64_t width = op == LS_KX_EXTRACT ? value >> 8 : value;
    int64_t low = op == LS_KX_EXTRACT ? value & 0xff : 0;
    if (op == LS_KX_EXTRACT ? width < 1 || low + width > from.width : width < from.width || width > 64)
        return "a width that fits";
    *result = LS_KTYPE_BV(width);
    return NULL;
}

const char *ls_kexpr_check(ls_kop op, const ls_kexpr *const *args, uint32_t count, int64_t value,
                           ls_ktype *result) {
    const ls_kop_info *info = &ls_kops[op];
    const char *wrong = NULL;
    if (info->arity == 0xff ? count < 2 : count != info->arity) return "another number of operands";
    ls_ktype first = count ? args[0]->type : LS_KTYPE_BOOL;
    *result = first;
    switch ((ls_ksig)info->signature) {
    case LS_KSIG_LEAF: return "an operator";
    case LS_KSIG_BOOLS: return check_all(args, count, LS_KT_BOOL, "Boolean operands");
    case LS_KSIG_EQUAL: *result = LS_KTYPE_BOOL; return check_same(args, 0, count);
    case LS_KSIG_ORDER:
        *result = LS_KTYPE_BOOL;
        return numeric(first) ? check_same(args, 0, count) : "operands that are numbers";
    case LS_KSIG_ARITH: return numeric(first) ? check_same(args, 0, count) : "operands that are numbers";
    case LS_KSIG_BVORD:
    case LS_KSIG_BITS:
        wrong = check_all(args, count, LS_KT_BV, "bit-vector operands (type u1 to u64)");
        if (info->signature == LS_KSIG_BVORD) *result = LS_KTYPE_BOOL;
        return wrong ? wrong : check_same(args, 0, count);
    case LS_KSIG_ITE:
        *result = args[1]->type;
        return first.kind == LS_KT_BOOL ? check_same(args, 1, count) : "a Boolean condition";
    case LS_KSIG_CONCAT:
        wrong = check_all(args, count, LS_KT_BV, "bit-vector operands (type u1 to u64)");
        if (!wrong && first.width + args[1]->type.width > 64) wrong = "at most 64 bits in all";
        if (!wrong) *result = LS_KTYPE_BV(first.width + args[1]->type.width);
        return wrong;
    case LS_KSIG_RESIZE: return check_resize(op, first, value, result);
    case LS_KSIG_TO_INT: *result = LS_KTYPE_INT; return first.kind == LS_KT_BV ? NULL : "a bit-vector";
    case LS_KSIG_TO_BV:
        *result = LS_KTYPE_BV(value);
        return first.kind != LS_KT_INT ? "an integer" : value < 1 || value > 64 ? "a width of 1 to 64" : NULL;
    }
    return "an operator";
}

static uint32_t hash_expr(const ls_kexpr *e) {
    uint64_t key[5] = {e->op | (uint64_t)e->type.kind << 8 | (uint64_t)e->type.width << 16,
                       (uint64_t)e->value, e->var ? e->var->id + 1 : 0, e->count, 0};
    for (uint32_t i = 0; i < e->count; i++) key[4] = key[4] * 0x9e3779b97f4a7c15u + e->args[i]->id;
    return ls_hash_bytes((const char *)key, sizeof key);
}

static bool same_expr(const ls_kexpr *a, const ls_kexpr *b) {
    return a->op == b->op && ls_ktype_equal(a->type, b->type) && a->value == b->value && a->var == b->var &&
           a->count == b->count && memcmp(a->args, b->args, a->count * sizeof *a->args) == 0;
}

static void grow_table(ls_kctx *ctx) {
    const ls_kexpr **old = ctx->table;
    uint32_t old_size = old ? ctx->table_mask + 1 : 0, size = old ? old_size * 2 : 64;
    ctx->table = ls_arena_zalloc(&ctx->arena, size * sizeof *ctx->table);
    ctx->table_mask = size - 1;
    for (uint32_t i = 0; i < old_size; i++) {
        if (!old[i]) continue;
        uint32_t at = hash_expr(old[i]) & ctx->table_mask;
        while (ctx->table[at]) at = (at + 1) & ctx->table_mask;
        ctx->table[at] = old[i];
    }
}

/* The node of the program that equals the given one, made where there is none. */
static const ls_kexpr *intern(ls_kctx *ctx, const ls_kexpr *head, const ls_kexpr *const *args) {
    size_t size = sizeof *head + head->count * sizeof *args;
    ls_kexpr *made = ls_arena_alloc(&ctx->arena, size);
    *made = *head;
    if (made->count) memcpy(made->args, args, made->count * sizeof *args);
    made->shared = made->var && made->var->class == LS_KC_SHARED;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < made->count; i++) {
        if (args[i]->depth > depth) depth = args[i]->depth;
        made->shared |= args[i]->shared;
    }
    made->depth = (uint16_t)(depth < UINT16_MAX ? depth + 1 : UINT16_MAX);
    if (!ctx->table || ctx->expr_count * 2 > ctx->table_mask) grow_table(ctx);
    uint32_t at = hash_expr(made) & ctx->table_mask;
    for (; ctx->table[at]; at = (at + 1) & ctx->table_mask)
        if (same_expr(ctx->table[at], made)) {
            /* give the memory back where it is the arena's newest block */
            size_t rounded = (size + 15) & ~(size_t)15;
            if ((char *)made + rounded == ctx->arena.next) ctx->arena.next = (char *)made;
            return ctx->table[at];
        }
    made->id = ctx->expr_count++;
    ctx->table[at] = made;
    return made;
}

const ls_kexpr *ls_kexpr_op(ls_kctx *ctx, ls_kop op, const ls_kexpr *const *args, uint32_t count,
                            int64_t value) {
    ls_kexpr head = {.op = (uint8_t)op, .count = count, .value = value};
    const char *wrong = ls_kexpr_check(op, args, count, value, &head.type);
    assert(!wrong);
    (void)wrong;
    return intern(ctx, &head, args);
}

const ls_kexpr *ls_kexpr_const(ls_kctx *ctx, ls_ktype type, int64_t value) {
    if (type.kind == LS_KT_BV) value = ls_kbits((uint64_t)value, type.width);
    ls_kexpr head = {.op = LS_KX_CONST, .type = type, .value = value};
    return intern(ctx, &head, NULL);
}

const ls_kexpr *ls_kexpr_bool(ls_kctx *ctx, bool value) {
    return ls_kexpr_const(ctx, LS_KTYPE_BOOL, value);
}

const ls_kexpr *ls_kexpr_ts(ls_kctx *ctx) {
    ls_kexpr head = {.op = LS_KX_TS, .type = LS_KTYPE_INT};
    return intern(ctx, &head, NULL);
}

const ls_kexpr *ls_kexpr_var(ls_kctx *ctx, const ls_kvar *var) {
    assert(!var->array);
    ls_kexpr head = {.op = LS_KX_VAR, .type = var->type, .var = var};
    return intern(ctx, &head, NULL);
}

const ls_kexpr *ls_kexpr_select(ls_kctx *ctx, const ls_kvar *array, const ls_kexpr *index) {
    assert(array->array && numeric(index->type));
    ls_kexpr head = {.op = LS_KX_SELECT, .type = array->type, .var = array, .count = 1};
    return intern(ctx, &head, &index);
}

const ls_kexpr *ls_kexpr_unary(ls_kctx *ctx, ls_kop op, const ls_kexpr *a) {
    return ls_kexpr_op(ctx, op, &a, 1, 0);
}

const ls_kexpr *ls_kexpr_binary(ls_kctx *ctx, ls_kop op, const ls_kexpr *a, const ls_kexpr *b) {
    return ls_kexpr_op(ctx, op, (const ls_kexpr *[]){a, b}, 2, 0);
}

const ls_kexpr *ls_kexpr_ite(ls_kctx *ctx, const ls_kexpr *c, const ls_kexpr *a, const ls_kexpr *b) {
    return ls_kexpr_op(ctx, LS_KX_ITE, (const ls_kexpr *[]){c, a, b}, 3, 0);
}

bool ls_kexpr_is_true(const ls_kexpr *expr) {
    return !expr || (expr->op == LS_KX_CONST && expr->type.kind == LS_KT_BOOL && expr->value);
}
