/* Strong accesses, scopes and fences from the modifiers of an instruction; what the PTX manual says where
 * none is written stands in the table of instructions. */
#include "isa/order.h"

typedef enum { WEAK, RELAXED, ACQUIRES, RELEASES, BOTH } meaning;

static meaning meaning_of(const ls_ptx_form *form) {
    switch (form->semantics || !form->opcode ? form->semantics : form->opcode->semantics) {
    case LS_MOD_VOLATILE: /* as relaxed.sys */
    case LS_MOD_MMIO:     /* the same */
    case LS_MOD_RELAXED: return RELAXED;
    case LS_MOD_ACQUIRE: return ACQUIRES;
    case LS_MOD_RELEASE: return RELEASES;
    case LS_MOD_ACQ_REL:
    case LS_MOD_SC: return BOTH;
    default: return WEAK;
    }
}

static ls_reach scope_of(const ls_ptx_form *form) {
    switch (form->scope || !form->opcode ? form->scope : form->opcode->scope) {
    case LS_MOD_CTA: return LS_REACH_BLOCK;
    case LS_MOD_CLUSTER: return LS_REACH_CLUSTER;
    case LS_MOD_GL:
    case LS_MOD_GPU: return LS_REACH_GPU;
    default: return LS_REACH_SYSTEM;
    }
}

/* Packed types are modelled as accesses of their elements. */
static uint8_t element_bytes(const ls_ptx_form *form) {
    ls_ptx_type type = ls_ptx_form_type(form, 0);
    uint32_t bytes = ls_ptx_type_bits(type) / 8;
    bool pair = type == LS_TYPE_F16X2 || type == LS_TYPE_BF16X2;
    return (uint8_t)(pair ? bytes / 2 : bytes);
}

bool ls_is_strong(const ls_ptx_form *form) {
    return meaning_of(form) != WEAK;
}

ls_order ls_order_of(const ls_ptx_form *form) {
    const meaning m = meaning_of(form);
    const bool orders = ls_is_strong(form);
    return (ls_order){.strong = orders,
                      .atomic = form->opcode && form->opcode->effects & LS_ATOMIC,
                      .is_volatile = form->semantics == LS_MOD_VOLATILE,
                      .acquires = m == ACQUIRES || m == BOTH,
                      .releases = m == RELEASES || m == BOTH,
                      .scope = orders ? scope_of(form) : LS_REACH_THREAD,
                      .bytes = element_bytes(form)};
}

bool ls_morally_strong(const ls_order *a, const ls_order *b, ls_reach between, bool shared) {
    if (between == LS_REACH_THREAD) return true; /* in program order */
    const bool lock_step = shared && between == LS_REACH_WARP && a->is_volatile && b->is_volatile;
    return a->strong && b->strong && a->scope >= between && b->scope >= between && a->bytes == b->bytes &&
           !lock_step;
}
