/* Decoding of texture and surface instructions in the unified mode: one handle names texture and sampler.
 * Multi-sample textures, gradients, offsets and formatted surface access (.p) are not modelled. */
#include "emulate/texture/sample.h"
#include "isa/atomic.h"

static const struct {
    const char *name;
    uint8_t dimensions;
    bool layered;
    uint8_t coordinates; /* how many registers name a place */
    bool cube;
} geometries[] = {{"1d", 1, false, 1, false}, {"2d", 2, false, 2, false}, {"3d", 3, false, 4, false},
                  {"a1d", 1, true, 2, false}, {"a2d", 2, true, 4, false}, {"cube", 3, false, 4, true},
                  {"acube", 3, true, 4, true}};

static bool has_text(const ls_ptx_form *form, const char *text) {
    for (uint32_t k = 0; k < form->modifier_count; k++)
        if (!strcmp(form->modifier_texts[k], text)) return true;
    return false;
}

static uint32_t geometry_of(const ls_ptx_form *form, sample_info *x) {
    for (size_t k = 0; k < sizeof geometries / sizeof *geometries; k++) {
        if (!has_text(form, geometries[k].name)) continue;
        x->dimensions = geometries[k].dimensions;
        x->layered = geometries[k].layered;
        x->cube = geometries[k].cube;
        return geometries[k].coordinates;
    }
    return 0;
}

/* The handle and the coordinates: parts of one address. Returns how many sources they are; 0: another form.
 */
static uint32_t take_address(decoder *d, sample_info *x) {
    const ls_ir_instr *in = d->instr;
    uint32_t want = geometry_of(in->form, x), count = 0;
    x->handle = em_source(d, &in->src[0], 8);
    while (count + 1 < in->src_count && in->src[count + 1].role == LS_ROLE_COORDINATE) {
        if (count >= 4 || in->src[count + 1].kind == LS_IR_OBJECT) return 0; /* an object: a sampler */
        x->coordinate[count] = em_source(d, &in->src[count + 1], 4);
        count++;
    }
    bool enough = want && (count == want || (want == 4 && count == 3));
    return enough ? count + 1 : 0;
}

static bool take_results(decoder *d, sample_info *x, uint32_t most) {
    const ls_ir_instr *in = d->instr;
    uint32_t count = in->dst_count;
    if (count == most + 1 && in->dst[most].kind == LS_IR_REG &&
        em_register(d, in->dst[most].reg).width == WIDTH_PRED) {
        x->has_resident = true; /* {…}|p: whether the memory is there */
        x->resident = em_register(d, in->dst[most].reg);
        count = most;
    }
    if (!count || count > most) return false;
    x->count = (uint8_t)count;
    for (uint32_t k = 0; k < count; k++)
        x->value[k] =
            in->dst[k].kind == LS_IR_REG ? em_register(d, in->dst[k].reg) : (operand){em_new_slot(d, 8), 8};
    return true;
}

static bool decode_tex(decoder *d, sample_info *x) {
    const ls_ir_instr *in = d->instr;
    static const char *const others[] = {"grad", "base", "2dms", "a2dms"};
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (has_text(in->form, others[k])) return false;
    uint32_t taken = take_address(d, x);
    ls_ptx_type coordinate = ls_ptx_form_type(in->form, 1);
    if (!taken || !take_results(d, x, 4) || x->count != 4) return false;
    x->type = (uint8_t)ls_ptx_form_type(in->form, 0);
    if (x->type != LS_TYPE_F32 && x->type != LS_TYPE_S32 && x->type != LS_TYPE_U32) return false;
    if (coordinate != LS_TYPE_F32 && coordinate != LS_TYPE_S32) return false;
    x->integer = coordinate == LS_TYPE_S32;
    if (x->cube && (x->integer || x->kind == SAMPLE_GATHER)) return false;
    if (x->kind == SAMPLE_GATHER) {
        static const char *const names[] = {"r", "g", "b", "a"};
        if (x->dimensions != 2 || x->integer) return false;
        for (uint8_t k = 0; k < 4; k++)
            if (has_text(in->form, names[k])) x->component = k;
    }
    if (has_text(in->form, "level")) {
        if (x->integer || in->src_count != taken + 1) return false;
        x->has_level = true;
        x->level = em_source(d, &in->src[taken++], 4);
    }
    if (in->src_count != taken) return false; /* offsets, depth comparison */
    em_emit(d, em_exec_sample)->extra = x;
    return true;
}

static bool decode_query(decoder *d, sample_info *x) {
    const ls_ir_instr *in = d->instr;
    if (in->src_count != 1 || in->dst_count != 1 || !take_results(d, x, 1)) return false;
    for (uint32_t k = 0; k < in->form->modifier_count; k++)
        if (in->form->modifiers[k] != LS_MOD_LEVEL && ls_ptx_form_type(in->form, 0) && !x->what)
            x->what = in->form->modifiers[k];
    if (has_text(in->form, "level")) return false;
    x->handle = em_source(d, &in->src[0], 8);
    em_emit(d, em_exec_sample)->extra = x;
    return true;
}

static uint16_t reduction_of(const ls_ptx_form *form) {
    static const struct {
        const char *name;
        uint16_t op;
    } table[] = {{"add", ATOMIC_ADD},
                 {"min", ATOMIC_MIN},
                 {"max", ATOMIC_MAX},
                 {"and", ATOMIC_AND},
                 {"or", ATOMIC_OR}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (has_text(form, table[k].name)) return table[k].op;
    return ATOMIC_NONE;
}

static bool decode_surface(decoder *d, sample_info *x) {
    const ls_ir_instr *in = d->instr;
    if (!has_text(in->form, "b")) return false; /* .p: formatted */
    uint32_t taken = take_address(d, x), bits = ls_ptx_type_bits(ls_ptx_form_type(in->form, 0));
    if (!taken || x->cube || bits < 8 || bits > 64) return false;
    x->type = (uint8_t)ls_ptx_form_type(in->form, 0);
    x->bounds = has_text(in->form, "clamp")  ? LS_MOD_CLAMP
                : has_text(in->form, "zero") ? LS_MOD_ZERO
                                             : LS_MOD_TRAP;
    if (x->kind == SURFACE_LOAD) {
        if (in->src_count != taken || !take_results(d, x, 4)) return false;
    } else {
        uint32_t count = in->src_count - taken;
        if (count < 1 || count > 4) return false;
        x->count = (uint8_t)count;
        for (uint32_t k = 0; k < count; k++) x->value[k] = em_source(d, &in->src[taken + k], 255);
        x->what = x->kind == SURFACE_REDUCE ? reduction_of(in->form) : 0;
        if (x->kind == SURFACE_REDUCE && (count != 1 || x->what == ATOMIC_NONE)) return false;
    }
    em_emit(d, em_exec_surface)->extra = x;
    return true;
}

bool em_decode_sample(decoder *d) {
    static const struct {
        uint16_t op;
        uint8_t kind;
        bool (*decode)(decoder *, sample_info *);
    } table[] = {{LS_OP_TEX, SAMPLE_TEX, decode_tex},          {LS_OP_TLD4, SAMPLE_GATHER, decode_tex},
                 {LS_OP_TXQ, SAMPLE_QUERY, decode_query},      {LS_OP_SUQ, SAMPLE_QUERY, decode_query},
                 {LS_OP_SULD, SURFACE_LOAD, decode_surface},   {LS_OP_SUST, SURFACE_STORE, decode_surface},
                 {LS_OP_SURED, SURFACE_REDUCE, decode_surface}};
    const ls_ir_instr *in = d->instr;
    if (in->unknown || !in->src_count) return false;
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        if (table[k].op != in->op) continue;
        sample_info *x = LS_NEW(d->arena, sample_info);
        x->kind = table[k].kind;
        return table[k].decode(d, x);
    }
    return false;
}
