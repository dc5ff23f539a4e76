/* Guesses of arguments that were not given. What a parameter points to follows from the accesses through it
 * (base and offset of lockstep/ir.h); that it is a pointer at all also from a cvta, or from being put away in
 * memory, as spilled pointers are. A number is that of all threads, unless they are many: then in two
 * dimensions the extent in x, and less where others are multiplied by it (a width or pitch). Smaller ones
 * would be more natural, but rows that overlap make races that nobody has written. */
#include "launch/default.h"

#include <string.h>

enum { MOST_WIDTH = 4096 };

static void add(em_guess *out, uint32_t *n, uint32_t most, uint32_t offset, ls_ptx_type type) {
    for (uint32_t k = 0; k < *n; k++) {
        if (out[k].offset != offset) continue;
        if (!out[k].type) out[k].type = type;
        return;
    }
    if (*n < most) out[(*n)++] = (em_guess){true, offset, type};
}

/* Loads of the parameter itself. */
static bool loads(const ls_ir_function *ir, const ls_ir_instr *in, uint32_t index) {
    if (in->op != LS_OP_LD || !in->src_count || in->src[0].kind != LS_IR_OBJECT) return false;
    const ls_ir_object *o = ir->objects[in->src[0].object];
    return o->kind == LS_OBJECT_PARAM && o->index == index;
}

/* How a value is used, also behind moves and conversions. */
typedef struct {
    bool as_address; /* by cvta */
    bool stored, multiplied, other;
    const ls_ir_instr *sampled; /* as the handle of a texture or surface */
} use_kinds;

static bool is_sampling(const ls_ir_instr *in) {
    const ls_ptx_opcode *opcode = in->form->opcode;
    bool image = opcode->class == LS_CLASS_TEXTURE || opcode->class == LS_CLASS_SURFACE;
    return image && opcode->effects & (LS_READS_MEMORY | LS_WRITES_MEMORY); /* not of queries */
}

static bool is_constant(const ls_ir_instr *in, uint32_t k) {
    uint64_t bits;
    return in->src[k].value && ls_ir_constant(in->src[k].value, &bits);
}

static void look_at_uses(const ls_ir_value *value, use_kinds *kinds, uint32_t depth) {
    for (uint32_t u = 0; u < value->use_count; u++) {
        const ls_ir_use *use = &value->uses[u];
        if (use->kind != LS_USE_SRC) {
            kinds->other = true;
            continue;
        }
        const ls_ir_instr *in = use->instr;
        switch (in->op) {
        case LS_OP_CVTA: kinds->as_address = true; break;
        case LS_OP_ST: kinds->stored |= use->index > 0; break;
        case LS_OP_MUL:
        case LS_OP_MUL24:
        case LS_OP_MAD24:
        case LS_OP_MAD: /* by another factor that is not a constant; the sum's part of a mad does not count */
            if (use->index < 2 && !is_constant(in, 1 - use->index))
                kinds->multiplied = true;
            else
                kinds->other = true;
            break;
        case LS_OP_MOV:
        case LS_OP_CVT:
            if (in->dst_count == 1 && in->dst[0].value && depth < 8)
                look_at_uses(in->dst[0].value, kinds, depth + 1);
            break;
        default:
            if (in->form->opcode && use->index == 0 && is_sampling(in)) kinds->sampled = in;
            kinds->other = true;
            break;
        }
    }
}

static use_kinds uses_of(const ls_ir_function *ir, uint32_t index) {
    use_kinds kinds = {0};
    for (uint32_t i = 0; ir && i < ir->instr_count; i++) {
        const ls_ir_instr *in = ir->instrs[i];
        for (uint32_t k = 0; k < in->dst_count && loads(ir, in, index); k++)
            if (in->dst[k].value) look_at_uses(in->dst[k].value, &kinds, 0);
    }
    return kinds;
}

uint32_t em_guess_pointers(const ls_ir_function *ir, const ls_ptx_function *kernel, uint32_t index,
                           em_guess *out, uint32_t most) {
    const ls_ptx_variable *v = kernel->params[index];
    uint32_t n = 0;
    if (v->is_pointer) add(out, &n, most, 0, LS_TYPE_NONE);
    for (uint32_t k = 0; ir && k < ir->access_count; k++) {
        const ls_ir_access *a = ir->accesses[k];
        for (uint32_t b = 0; b < a->base_count; b++) {
            const ls_ir_base *base = a->bases[b];
            if (base->kind != LS_BASE_PARAM || ir->objects[base->object]->index != index) continue;
            if ((uint64_t)base->offset + 8 > ls_ptx_variable_size(v)) continue;
            add(out, &n, most, base->offset, a->bytes ? ls_ptx_form_type(a->instr->form, 0) : LS_TYPE_NONE);
        }
    }
    ls_ptx_type_kind kind = ls_ptx_type_kind_of((ls_ptx_type)v->type);
    if (n || v->dimension_count || ls_ptx_variable_size(v) != 8 || kind == LS_KIND_FLOAT) return n;
    use_kinds kinds = uses_of(ir, index);
    if (kinds.as_address || (kinds.stored && !kinds.multiplied && !kinds.other))
        add(out, &n, most, 0, LS_TYPE_NONE);
    return n;
}

/* Elements as a texture has to have them for the instruction. */
static const char *element_of(const ls_ir_instr *in, ls_arena *arena) {
    ls_ptx_type type = ls_ptx_form_type(in->form, 0);
    uint32_t bits = ls_ptx_type_bits(type), count = in->dst_count ? in->dst_count : in->form->vector;
    if (in->form->opcode->class != LS_CLASS_TEXTURE)
        type = bits == 8 ? LS_TYPE_U8 : bits == 16 ? LS_TYPE_U16 : LS_TYPE_F32;
    return ls_arena_printf(arena, "%s%s", ls_ptx_type_text(type),
                           count >= 4 || bits == 64 ? "x4"
                           : count == 2             ? "x2"
                                                    : "");
}

const char *em_guess_texture(const ls_ir_function *ir, uint32_t index, const uint32_t grid[3],
                             const uint32_t block[3], uint32_t seed, ls_arena *arena) {
    static const struct {
        const char *geometry, *name;
        uint8_t sizes, last; /* those of the launch, and one more if it is not 0 */
    } forms[] = {{"1d", "tex1d", 1, 0},      {"2d", "tex2d", 2, 0},   {"3d", "tex3d", 2, 16},
                 {"a1d", "texa1d", 1, 16},   {"a2d", "texa2d", 2, 8}, {"cube", "texcube", 1, 0},
                 {"acube", "texacube", 1, 2}};
    const ls_ir_instr *in = uses_of(ir, index).sampled;
    for (size_t f = 0; in && f < sizeof forms / sizeof *forms; f++)
        for (uint32_t k = 0; k < in->form->modifier_count; k++) {
            if (strcmp(in->form->modifier_texts[k], forms[f].geometry)) continue;
            const char *text = ls_arena_printf(arena, "%s:%s[", forms[f].name, element_of(in, arena));
            for (uint32_t axis = 0; axis < forms[f].sizes; axis++) {
                uint64_t extent = (uint64_t)(grid[axis] ? grid[axis] : 1) * (block[axis] ? block[axis] : 1);
                text = ls_arena_printf(arena, "%s%s%u", text, axis ? "," : "",
                                       (uint32_t)(extent > MOST_WIDTH ? MOST_WIDTH : extent));
            }
            if (forms[f].last) text = ls_arena_printf(arena, "%s,%u", text, forms[f].last);
            return ls_arena_printf(arena, "%s]=random:%u", text, seed);
        }
    return NULL;
}

uint64_t em_guess_number(const ls_ir_function *ir, uint32_t index, const uint32_t grid[3],
                         const uint32_t block[3]) {
    uint64_t extent[3], all = 1;
    for (int k = 0; k < 3; k++) {
        extent[k] = (uint64_t)(grid[k] ? grid[k] : 1) * (block[k] ? block[k] : 1);
        all *= extent[k];
    }
    if (all <= MOST_WIDTH) return all;
    bool plane = extent[0] > 1 && extent[1] > 1;
    if (uses_of(ir, index).multiplied) return plane ? extent[0] : MOST_WIDTH;
    return plane ? extent[0] : all;
}
