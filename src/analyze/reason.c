/* Why an access costs what it costs, in words: which identifier is multiplied by what, how far apart
 * neighbouring lanes are, where loaded data comes in. */
#include "analyze/access.h"
#include "analyze/pieces.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char text[512];
    size_t length;
} words;

static void say(words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(words *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int length = vsnprintf(w->text + w->length, sizeof w->text - w->length, format, args);
    va_end(args);
    if (length > 0) w->length += (size_t)length;
    if (w->length >= sizeof w->text) w->length = sizeof w->text - 1;
}

const char *ls_parameter_name(analysis *a, uint32_t object, uint32_t offset) {
    const ls_ir_object *o = a->f->objects[object];
    const ls_analyze_options *options = &a->out->options;
    const char *name = o->index < options->parameter_count ? options->parameters[o->index] : NULL;
    if (!name) name = ls_arena_printf(&a->arena, "parameter %u", o->index + 1);
    return offset ? ls_arena_printf(&a->arena, "%s (byte %u)", name, offset) : name;
}

/* The name of a uniform number: a parameter's or what else the source calls it; NULL where it has none. */
static const char *name_of(analysis *a, const ls_ir_value *value) {
    const ls_ir_value *origin = ls_ir_origin((ls_ir_value *)(uintptr_t)value);
    const ls_ir_instr *instr = origin->kind == LS_VALUE_INSTR ? origin->instr : NULL;
    if (instr && instr->op == LS_OP_CVT && instr->src_count == 1 && instr->src[0].value)
        return name_of(a, instr->src[0].value);
    if (instr && instr->op == LS_OP_LD && instr->src[0].kind == LS_IR_OBJECT &&
        a->f->objects[instr->src[0].object]->kind == LS_OBJECT_PARAM)
        return ls_parameter_name(a, instr->src[0].object, (uint32_t)instr->src[0].offset);
    char name[128];
    ls_ir_source_name(a->f, origin, name, sizeof name);
    return *name && *name != '%' ? ls_arena_strdup(&a->arena, name) : NULL;
}

/* What an identifier is multiplied by on the way to the address: the uniform factor of a product. */
static const ls_ir_value *factor_of(const analysis *a, const ls_ir_value *value) {
    LS_VEC(const ls_ir_value *) work = {0};
    const ls_ir_value *factor = NULL;
    LS_VEC_PUSH(&work, value);
    for (uint32_t steps = 0; work.length && steps < 64 && !factor; steps++) {
        const ls_ir_value *v = work.items[--work.length];
        if (v->kind == LS_VALUE_ETA) LS_VEC_PUSH(&work, v->eta.value);
        if (v->kind == LS_VALUE_PHI)
            for (uint32_t i = 0; i < v->phi->block->pred_count && i < 4; i++)
                LS_VEC_PUSH(&work, v->phi->args[i]);
        if (v->kind != LS_VALUE_INSTR || ls_shape_uniform(&a->shapes[v->id])) continue;
        const ls_ir_instr *instr = v->instr;
        bool product = instr->form->opcode->linear == LS_LINEAR_PRODUCT;
        for (uint32_t i = 0; product && i < 2; i++) {
            const ls_ir_value *side = instr->src[i].value, *other = instr->src[1 - i].value;
            if (!side || !other || !ls_shape_uniform(&a->shapes[side->id])) continue;
            if (!ls_shape_uniform(&a->shapes[other->id]) && !ls_poly_is_constant(&a->shapes[side->id]))
                factor = side;
        }
        for (uint32_t i = instr->src_count; i > 0; i--)
            if (instr->src[i - 1].value) LS_VEC_PUSH(&work, instr->src[i - 1].value);
    }
    LS_VEC_FREE(&work);
    return factor;
}

static void say_terms(analysis *a, words *w, const ls_shape *shape, const ls_ir_value *value) {
    static const char *const names[LS_MONO_COUNT] = {"threadIdx.x",
                                                     "threadIdx.y",
                                                     "threadIdx.z",
                                                     "the lane",
                                                     "threadIdx.x²",
                                                     "threadIdx.x·threadIdx.y",
                                                     "threadIdx.x·threadIdx.z",
                                                     "threadIdx.x·lane",
                                                     "threadIdx.y²",
                                                     "threadIdx.y·threadIdx.z",
                                                     "threadIdx.y·lane",
                                                     "threadIdx.z²",
                                                     "threadIdx.z·lane",
                                                     "lane²"};
    for (uint32_t i = 0; i < shape->term_count; i++) {
        ls_residue c = shape->coefficients[i];
        say(w, "%s%s has a stride of ", w->length ? ", " : "", names[shape->monomials[i]]);
        if (!c.modulus) {
            say(w, "%lld byte%s", (long long)c.rest, c.rest == 1 ? "" : "s");
            continue;
        }
        const ls_ir_value *factor = factor_of(a, value);
        const char *name = factor ? name_of(a, factor) : NULL;
        if (name && c.rest == 0 && c.modulus > 1)
            say(w, "%llu·%s bytes", (unsigned long long)c.modulus, name);
        else if (name)
            say(w, "%s elements", name);
        else
            say(w, "an unknown number of bytes");
    }
}

/* Where loaded data enters the address. */
static const ls_ir_instr *loaded_from(const analysis *a, const ls_ir_value *value) {
    LS_VEC(const ls_ir_value *) work = {0};
    const ls_ir_instr *found = NULL;
    LS_VEC_PUSH(&work, value);
    for (uint32_t steps = 0; work.length && steps < 256 && !found; steps++) {
        const ls_ir_value *v = work.items[--work.length];
        if (ls_shape_uniform(&a->shapes[v->id])) continue;
        if (v->kind == LS_VALUE_ETA) LS_VEC_PUSH(&work, v->eta.value);
        if (v->kind == LS_VALUE_PHI)
            for (uint32_t i = 0; i < v->phi->block->pred_count && i < 4; i++)
                LS_VEC_PUSH(&work, v->phi->args[i]);
        if (v->kind != LS_VALUE_INSTR) continue;
        uint32_t effects = v->instr->form->opcode ? v->instr->form->opcode->effects : 0;
        if (effects & (LS_READS_MEMORY | LS_ATOMIC)) found = v->instr;
        for (uint32_t i = v->instr->src_count; i > 0 && !found; i--)
            if (v->instr->src[i - 1].value) LS_VEC_PUSH(&work, v->instr->src[i - 1].value);
    }
    LS_VEC_FREE(&work);
    return found;
}

static void say_loaded(analysis *a, words *w, const ls_ir_value *value) {
    const ls_ir_instr *load = loaded_from(a, value);
    const char *name = NULL;
    if (load && load->access_count && load->accesses[0].base_count == 1) {
        const ls_ir_base *base = load->accesses[0].bases[0];
        name = base->kind == LS_BASE_PARAM ? ls_parameter_name(a, base->object, base->offset) : base->name;
    }
    say(w, "the index depends on data that is loaded");
    if (name && *name != '%' && *name != '*' && strncmp(name, "_Z", 2)) say(w, " from '%s'", name);
    if (load && load->pos && !load->pos->is_ptx) say(w, " (line %u)", load->pos->line);
}

/* wmma: how far the lines of the matrix are apart. */
static void say_lines(analysis *a, words *w, const ls_ir_instr *instr) {
    const ls_ir_operand *stride = ls_wmma_stride(instr);
    const char *name = stride && stride->value ? name_of(a, stride->value) : NULL;
    const ls_shape *shape = stride && stride->value ? &a->shapes[stride->value->id] : NULL;
    if (stride && stride->kind == LS_IR_IMM)
        say(w, "the lines of the matrix are %d elements apart", (int)(int32_t)stride->bits);
    else if (shape && ls_poly_is_constant(shape))
        say(w, "the lines of the matrix are %lld elements apart", (long long)shape->constant.rest);
    else if (stride)
        say(w, "the lines of the matrix are %s elements apart", name ? name : "an unknown number of");
    else
        say(w, "the lines of the matrix follow on each other");
}

const char *ls_access_reason(analysis *a, const ls_access_result *r, const ls_view *view) {
    words w = {.length = 0};
    const ls_ir_value *value = r->access->instr->src[r->access->src].value;
    const ls_shape *shape = value ? &a->shapes[value->id] : NULL;
    uint8_t cause = view->address.cause;
    if (r->single)
        say(&w, "at most one thread of a warp gets here");
    else if (ls_pieces_of(r->access).wmma)
        say_lines(a, &w, r->access->instr);
    else if (shape && shape->kind == LS_SHAPE_POLY && shape->term_count)
        say_terms(a, &w, shape, value);
    else if (shape && ls_shape_warp_uniform(a, shape))
        say(&w, "all threads access the same element");
    else if (view->address.group_count == 1 && !view->address.has_slack) {
        if (r->stride_known)
            say(&w, "neighbouring threads are %lld bytes apart", (long long)r->stride_bytes);
        else
            say(&w, "the threads' places relative to each other are known, but not evenly spaced");
    } else if (cause & LS_CAUSE_UNKNOWN)
        say(&w, "the address comes from an instruction or call that is not modelled");
    else if (cause & LS_CAUSE_DATA)
        say_loaded(a, &w, value);
    else if (view->address.has_slack && view->address.group_count == 1)
        say(&w, "the threads' places are known up to a few elements");
    else if (cause & LS_CAUSE_CONTROL)
        say(&w, "the index is assigned under a condition on which threads disagree");
    else
        say(&w, "the index is not followed through the arithmetic that makes it");
    return ls_arena_strdup(&a->arena, w.text);
}
