/* Terms: substitution of symbols, exact evaluation, the symbols below a term, printing (terms.h). */
#include "solve/terms.h"

#include "base/buf.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

/* --- Rebuilding ------------------------------------------------------------------------------------------
 */

static const ls_term *rebuild(ls_terms *ctx, const ls_term *t, const ls_term *const *args) {
    switch ((ls_term_op)t->op) {
    case LS_T_LIN: {
        const ls_term *s = ls_const(ctx, t->width, t->value);
        for (uint32_t i = 0; i < t->count; i++) s = ls_add(ctx, s, ls_scale(ctx, args[i], t->coefs[i]));
        return s;
    }
    case LS_T_MUL: {
        const ls_term *p = args[0];
        for (uint32_t i = 1; i < t->count; i++) p = ls_mul(ctx, p, args[i]);
        return p;
    }
    case LS_T_NOT: return ls_not(ctx, args[0]);
    case LS_T_ITE: return ls_ite(ctx, args[0], args[1], args[2]);
    case LS_T_ZEXT: return ls_zext(ctx, args[0], t->width);
    case LS_T_SEXT: return ls_sext(ctx, args[0], t->width);
    case LS_T_EXTRACT: return ls_extract(ctx, args[0], (uint32_t)t->value, t->width);
    case LS_T_UF: return ls_uf_again(ctx, t, args);
    default: assert(t->count == 2); return ls_binary(ctx, (ls_term_op)t->op, args[0], args[1]);
    }
}

static bool known(const ls_subst *s, const ls_term *t, const ls_term **out) {
    uint64_t found = (uint64_t)(uintptr_t)t;
    if (t->id >= s->first && !ls_intmap_get(&s->memo, t->id, &found)) return false;
    *out = (const ls_term *)(uintptr_t)found;
    return true;
}

static void remember(ls_intmap *memo, const ls_term *t, const ls_term *result) {
    bool is_new;
    *ls_intmap_at(memo, t->id, &is_new) = (uint64_t)(uintptr_t)result;
}

/* Operands first, without recursion: path conditions of long kernels are deep. */
const ls_term *ls_substitute(ls_subst *s, const ls_term *root) {
    LS_VEC(const ls_term *) stack = {0};
    const ls_term *result = NULL;
    LS_VEC_PUSH(&stack, root);
    while (stack.length) {
        const ls_term *t = stack.items[stack.length - 1];
        if (known(s, t, &result)) {
            stack.length--;
            continue;
        }
        s->ctx->visits++;
        if (t->op == LS_T_CONST || t->op == LS_T_SYM) {
            remember(&s->memo, t, t->op == LS_T_SYM ? s->replace(s, t) : t);
            stack.length--;
            continue;
        }
        const ls_term *few[8],
            **args = t->count <= 8 ? few : LS_NEW_N(&s->ctx->arena, const ls_term *, t->count);
        bool ready = true, changed = false;
        for (uint32_t i = 0; i < t->count; i++) {
            if (!known(s, t->args[i], &args[i])) {
                ready = false;
                LS_VEC_PUSH(&stack, t->args[i]);
            } else {
                changed |= args[i] != t->args[i];
            }
        }
        if (!ready) continue;
        remember(&s->memo, t, changed || (t->op == LS_T_UF && !t->count) ? rebuild(s->ctx, t, args) : t);
        stack.length--;
    }
    LS_VEC_FREE(&stack);
    known(s, root, &result);
    return result;
}

/* --- Evaluation ------------------------------------------------------------------------------------------
 */

uint64_t ls_compute(const ls_term *t, const uint64_t *v) {
    uint32_t w = t->count ? t->args[0]->width : t->width;
    int64_t sa = t->count ? ls_signed(v[0], w) : 0, sb = t->count > 1 ? ls_signed(v[1], w) : 0;
    uint64_t r = t->value;
    switch ((ls_term_op)t->op) {
    case LS_T_CONST: return t->value;
    case LS_T_LIN:
        for (uint32_t i = 0; i < t->count; i++) r += t->coefs[i] * v[i];
        return r;
    case LS_T_MUL:
        r = v[0];
        for (uint32_t i = 1; i < t->count; i++) r *= v[i];
        return r;
    case LS_T_UDIV: return v[1] ? v[0] / v[1] : UINT64_MAX;
    case LS_T_UREM: return v[1] ? v[0] % v[1] : v[0];
    case LS_T_SDIV:
        return !sb ? (sa < 0 ? 1 : UINT64_MAX) : sb == -1 ? 0 - (uint64_t)sa : (uint64_t)(sa / sb);
    case LS_T_SREM: return !sb ? v[0] : sb == -1 ? 0 : (uint64_t)(sa % sb);
    case LS_T_AND: return v[0] & v[1];
    case LS_T_OR: return v[0] | v[1];
    case LS_T_XOR: return v[0] ^ v[1];
    case LS_T_NOT: return ~v[0];
    case LS_T_SHL: return v[1] >= w ? 0 : v[0] << v[1];
    case LS_T_LSHR: return v[1] >= w ? 0 : v[0] >> v[1];
    case LS_T_ASHR: return (uint64_t)(v[1] >= w ? (sa < 0 ? -1 : 0) : sa >> v[1]);
    case LS_T_EQ: return v[0] == v[1];
    case LS_T_ULT: return v[0] < v[1];
    case LS_T_SLT: return sa < sb;
    case LS_T_ITE: return v[0] ? v[1] : v[2];
    case LS_T_ZEXT: return v[0];
    case LS_T_SEXT: return (uint64_t)sa;
    case LS_T_EXTRACT: return v[0] >> t->value;
    default: assert(false); return 0;
    }
}

uint64_t ls_evaluate(ls_eval *e, const ls_term *root) {
    LS_VEC(const ls_term *) stack = {0};
    LS_VEC(uint64_t) values = {0};
    uint64_t result = root->value;
    if (ls_is_const(root) || ls_intmap_get(&e->memo, root->id, &result)) return result;
    LS_VEC_PUSH(&stack, root);
    while (stack.length) {
        const ls_term *t = stack.items[stack.length - 1];
        if (ls_intmap_get(&e->memo, t->id, &result)) {
            stack.length--;
            continue;
        }
        bool is_new, ready = true, leaf = t->op == LS_T_SYM || t->op == LS_T_UF;
        values.length = 0;
        for (uint32_t i = 0; i < t->count && !leaf; i++) {
            const ls_term *part = t->args[i];
            uint64_t v = part->value;
            if (!ls_is_const(part) && !ls_intmap_get(&e->memo, part->id, &v)) {
                ready = false;
                LS_VEC_PUSH(&stack, part);
            }
            LS_VEC_PUSH(&values, v);
        }
        if (!ready) continue;
        stack.length--;
        uint64_t value = leaf ? e->lookup(e->data, t) : ls_compute(t, values.items);
        *ls_intmap_at(&e->memo, t->id, &is_new) = value & ls_mask(t->width);
    }
    ls_intmap_get(&e->memo, root->id, &result);
    LS_VEC_FREE(&stack);
    LS_VEC_FREE(&values);
    return result;
}

/* --- Each once -------------------------------------------------------------------------------------------
 */

void ls_walk_add(ls_term_walk *walk, const ls_term *const *terms, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) LS_VEC_PUSH(&walk->stack, terms[i]);
}

/* Most walks are over after a few terms: no map is made for these. */
static bool is_first_time(ls_term_walk *walk, const ls_term *t) {
    uint32_t among = walk->count < LS_WALK_FIRST ? walk->count : LS_WALK_FIRST;
    bool is_new = true;
    for (uint32_t i = 0; i < among; i++)
        if (walk->first[i] == t) return false;
    if (among < LS_WALK_FIRST)
        walk->first[among] = t;
    else
        ls_intmap_at(&walk->rest, t->id, &is_new);
    walk->count += is_new;
    return is_new;
}

const ls_term *ls_walk_next(ls_term_walk *walk) {
    while (walk->stack.length) {
        const ls_term *t = walk->stack.items[--walk->stack.length];
        if (is_first_time(walk, t)) return t;
    }
    return NULL;
}

const ls_term *ls_walk_down(ls_term_walk *walk) {
    const ls_term *t = ls_walk_next(walk);
    if (t) ls_walk_add(walk, t->args, t->count);
    return t;
}

void ls_walk_free(ls_term_walk *walk) {
    LS_VEC_FREE(&walk->stack);
    ls_intmap_free(&walk->rest);
}

void ls_leaves(const ls_term *const *roots, uint32_t count, ls_term_list *out) {
    ls_term_walk walk = {0};
    ls_walk_add(&walk, roots, count);
    for (const ls_term *t = ls_walk_down(&walk); t; t = ls_walk_down(&walk))
        if (t->op == LS_T_SYM || t->op == LS_T_UF) LS_VEC_PUSH(out, t);
    ls_walk_free(&walk);
}

/* A term is made after its arguments, so that their ids are smaller. */
bool ls_occurs(const ls_term *term, const ls_term *part) {
    ls_term_walk walk = {0};
    const ls_term *t;
    ls_walk_add(&walk, &term, 1);
    while ((t = ls_walk_next(&walk)) && t != part)
        for (uint32_t i = 0; i < t->count; i++)
            if (t->args[i]->id >= part->id) ls_walk_add(&walk, &t->args[i], 1);
    ls_walk_free(&walk);
    return t != NULL;
}

bool ls_is_large(const ls_term *term, uint32_t most) {
    ls_term_walk walk = {0};
    ls_walk_add(&walk, &term, 1);
    while (walk.count <= most && ls_walk_down(&walk)) continue;
    bool large = walk.count > most;
    ls_walk_free(&walk);
    return large;
}

/* --- Printing, for people who look for the reason of an answer --------------------------------------------
 */

static void print(ls_terms *ctx, const ls_term *t, ls_buf *out, int depth) {
    static const char *const names[] = {
#define LS_TERM_NAME(op, name) name,
        LS_TERM_OPS(LS_TERM_NAME)
#undef LS_TERM_NAME
    };
    if (t->op == LS_T_CONST) {
        ls_buf_printf(out, "%" PRId64, t->width == 1 ? (int64_t)t->value : ls_signed(t->value, t->width));
    } else if (t->op == LS_T_SYM) {
        ls_buf_puts(out, ctx->syms.items[t->value].name);
    } else if (depth == 0 || out->length > 4000) {
        ls_buf_puts(out, "…");
    } else {
        ls_buf_printf(out, "(%s%u", names[t->op], t->width);
        if (t->op == LS_T_LIN) ls_buf_printf(out, " %" PRId64, ls_signed(t->value, t->width));
        for (uint32_t i = 0; i < t->count; i++) {
            ls_buf_putc(out, ' ');
            if (t->coefs && t->coefs[i] != 1)
                ls_buf_printf(out, "%" PRId64 "*", ls_signed(t->coefs[i], t->width));
            print(ctx, t->args[i], out, depth - 1);
        }
        ls_buf_putc(out, ')');
    }
}

void ls_term_print(ls_terms *ctx, const ls_term *term, char *out, size_t size) {
    ls_buf text = {0};
    print(ctx, term, &text, 12);
    snprintf(out, size, "%s", ls_buf_text(&text));
    ls_buf_free(&text);
}
