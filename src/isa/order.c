/* Strong accesses, scopes and fences from the modifiers of an instruction; what the PTX manual says where
 * none is written stands in the table of defaults. */
#include "isa/order.h"

/* Where the form has no semantics of its own … */
typedef enum {
    WEAK,
    RELAXED,
    ACQUIRES,
    RELEASES,
    BOTH,
    NO_ORDER, /* a fence that orders nothing between threads, whatever is written */
} meaning;

typedef struct {
    uint16_t op; /* ls_ptx_op */
    uint8_t meaning, scope;
} order_default;

/* … and no scope. mbarrier.init and .inval are plain writes; membar always has its scope. */
static const order_default defaults[] = {
    {LS_OP_ATOM, RELAXED, LS_REACH_GPU},
    {LS_OP_RED, RELAXED, LS_REACH_GPU},
    {LS_OP_MULTIMEM_RED, RELAXED, LS_REACH_GPU},
    {LS_OP_RED_ASYNC, RELAXED, LS_REACH_CLUSTER},
    {LS_OP_ST_ASYNC, RELAXED, LS_REACH_CLUSTER},
    {LS_OP_CP_REDUCE_ASYNC_BULK, RELAXED, LS_REACH_GPU},
    {LS_OP_CP_REDUCE_ASYNC_BULK_TENSOR, RELAXED, LS_REACH_GPU},
    {LS_OP_FENCE, BOTH, LS_REACH_GPU},
    {LS_OP_MEMBAR, BOTH, LS_REACH_GPU},
    {LS_OP_FENCE_MBARRIER_INIT, RELEASES, LS_REACH_CLUSTER},
    {LS_OP_FENCE_PROXY, NO_ORDER, LS_REACH_THREAD},
    {LS_OP_MEMBAR_PROXY, NO_ORDER, LS_REACH_THREAD},
    {LS_OP_MBARRIER_ARRIVE, RELEASES, LS_REACH_BLOCK},
    {LS_OP_MBARRIER_ARRIVE_DROP, RELEASES, LS_REACH_BLOCK},
    {LS_OP_MBARRIER_EXPECT_TX, RELAXED, LS_REACH_BLOCK},
    {LS_OP_MBARRIER_COMPLETE_TX, RELAXED, LS_REACH_BLOCK},
    {LS_OP_MBARRIER_TEST_WAIT, ACQUIRES, LS_REACH_BLOCK},
    {LS_OP_MBARRIER_TRY_WAIT, ACQUIRES, LS_REACH_BLOCK},
};

static order_default default_of(const ls_ptx_form *form) {
    for (size_t k = 0; k < sizeof defaults / sizeof *defaults; k++)
        if (defaults[k].op == form->op) return defaults[k];
    return (order_default){(uint16_t)form->op, WEAK, LS_REACH_SYSTEM};
}

static meaning meaning_of(const ls_ptx_form *form, meaning otherwise) {
    switch (form->semantics) {
    case LS_MOD_WEAK: return WEAK;
    case LS_MOD_VOLATILE: /* as relaxed.sys */
    case LS_MOD_MMIO:     /* the same */
    case LS_MOD_RELAXED: return RELAXED;
    case LS_MOD_ACQUIRE: return ACQUIRES;
    case LS_MOD_RELEASE: return RELEASES;
    case LS_MOD_ACQ_REL:
    case LS_MOD_SC: return BOTH;
    default: return otherwise;
    }
}

static ls_reach scope_of(const ls_ptx_form *form, ls_reach otherwise) {
    switch (form->scope) {
    case LS_MOD_CTA: return LS_REACH_BLOCK;
    case LS_MOD_CLUSTER: return LS_REACH_CLUSTER;
    case LS_MOD_GL:
    case LS_MOD_GPU: return LS_REACH_GPU;
    case LS_MOD_SYS: return LS_REACH_SYSTEM;
    default: return otherwise;
    }
}

/* Packed types are modelled as accesses of their elements. */
static uint8_t element_bytes(const ls_ptx_form *form) {
    ls_ptx_type type = ls_ptx_form_type(form, 0);
    uint32_t bytes = ls_ptx_type_bits(type) / 8;
    bool pair = type == LS_TYPE_F16X2 || type == LS_TYPE_BF16X2;
    return (uint8_t)(pair ? bytes / 2 : bytes);
}

ls_order ls_order_of(const ls_ptx_form *form) {
    const order_default d = default_of(form);
    const meaning m = meaning_of(form, (meaning)d.meaning);
    const bool orders = m != WEAK && m != NO_ORDER;
    return (ls_order){.strong = orders,
                      .atomic = form->opcode && form->opcode->effects & LS_ATOMIC,
                      .is_volatile = form->semantics == LS_MOD_VOLATILE,
                      .acquires = m == ACQUIRES || m == BOTH,
                      .releases = m == RELEASES || m == BOTH,
                      .scope = orders ? scope_of(form, (ls_reach)d.scope) : LS_REACH_THREAD,
                      .bytes = element_bytes(form)};
}

bool ls_morally_strong(const ls_order *a, const ls_order *b, ls_reach between, bool shared) {
    if (between == LS_REACH_THREAD) return true; /* in program order */
    const bool lock_step = shared && between == LS_REACH_WARP && a->is_volatile && b->is_volatile;
    return a->strong && b->strong && a->scope >= between && b->scope >= between && a->bytes == b->bytes &&
           !lock_step;
}
