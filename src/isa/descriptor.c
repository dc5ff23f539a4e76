/* Matrix descriptors: pieces of 16 bytes, eight of which make a core matrix; rows of 16, 32, 64 or 128 bytes,
 * in the latter three cases with the pieces exchanged (swizzled) by address bits 7 to 9. */
#include "isa/descriptor.h"

#include <stdio.h>

bool ls_product_shape_of(const ls_ptx_form *form, ls_product_shape *shape) {
    bool found = false;
    for (uint32_t m = 0; m < form->modifier_count; m++)
        if (form->modifiers[m] == LS_MOD_SHAPE)
            found = sscanf(form->modifier_texts[m], "m64n%uk%u", &shape->n, &shape->k) == 2;
    for (uint32_t o = 0; o < 2; o++) {
        const ls_ptx_type type = ls_ptx_form_type(form, o + 1);
        shape->bits[o] = type == LS_TYPE_TF32 ? 32 : ls_ptx_type_bits(type);
        found &= shape->bits[o] == 8 || shape->bits[o] == 16 || shape->bits[o] == 32;
    }
    return found && shape->n <= 256 && shape->k * shape->bits[0] == 256 && shape->k * shape->bits[1] == 256 &&
           !ls_ptx_form_has(form, LS_MOD_SP);
}

static uint32_t offset_at(uint64_t descriptor, uint32_t shift) {
    return (uint32_t)(descriptor >> shift & ((1u << LS_DESCRIPTOR_OFFSET_BITS) - 1)) << 4;
}

bool ls_matrix_layout_of(uint64_t descriptor, ls_matrix_layout *l) {
    static const uint8_t rows[] = {16, 128, 64, 32};
    *l = (ls_matrix_layout){.start = offset_at(descriptor, LS_DESCRIPTOR_START),
                            .leading = offset_at(descriptor, LS_DESCRIPTOR_LEADING),
                            .stride = offset_at(descriptor, LS_DESCRIPTOR_STRIDE),
                            .row = rows[descriptor >> LS_DESCRIPTOR_SWIZZLE]};
    return !(descriptor >> LS_DESCRIPTOR_BASE & ((1u << LS_DESCRIPTOR_BASE_BITS) - 1));
}

uint32_t ls_matrix_piece(const ls_matrix_layout *l, bool along_k, uint32_t outer, uint32_t piece) {
    uint32_t core = outer / 8, in_core = outer % 8, at, per_row = l->row / 16;
    if (along_k)
        at = core * l->stride +
             (l->row == 16 ? in_core * 16 + piece * l->leading : in_core * l->row + piece * 16);
    else if (l->row == 16)
        at = piece * l->stride + in_core * 16 + core * l->leading;
    else
        at = piece % per_row * 16 + piece / per_row * l->leading + in_core * l->row + core * l->stride;
    at += l->start;
    return at ^ (at >> 3 & (per_row - 1) << 4);
}
