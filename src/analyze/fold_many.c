/* The commonest integer instructions on many known numbers at once, as loops that compilers make vectors of.
 * What they compute is what src/isa says; tests/analyze/test_fold.c holds them to it. */
#include "analyze/fold.h"

enum { MOST_SOURCES = 3 };

/* All that a loop reads but for the numbers: a copy of its own, so that no store of a result can change it.
 */
typedef struct {
    const ls_folder *folder;
    const int64_t *each[MOST_SOURCES];
    int64_t same[MOST_SOURCES];
    uint64_t masks[MOST_SOURCES], flips[MOST_SOURCES];
    int64_t *out;
    uint32_t count;
    uint32_t bits, result_bits; /* of the instruction's type, of its result */
    bool is_signed;
} many;

/* Source k of number i as the instruction takes it. */
static inline uint64_t taken(const many *m, uint32_t k, uint32_t i) {
    return ((uint64_t)(m->each[k] ? m->each[k][i] : m->same[k]) & m->masks[k]) ^ m->flips[k];
}

/* The same as a number with its sign, where the type has one. */
static inline int64_t number_of(const many *m, uint32_t k, uint32_t i) {
    uint64_t bits = taken(m, k, i);
    return m->is_signed && m->bits == 32 ? (int32_t)(uint32_t)bits : (int64_t)bits;
}

/* Numbers in the same order as the instruction's, compared as signed ones. */
static inline int64_t ordered(const many *m, uint32_t k, uint32_t i) {
    uint64_t bits = taken(m, k, i);
    if (m->bits == 32) return m->is_signed ? (int32_t)(uint32_t)bits : (int64_t)(uint32_t)bits;
    return (int64_t)(m->is_signed ? bits : bits ^ UINT64_C(1) << 63);
}

#define EACH_IS(result)                                                                                      \
    do {                                                                                                     \
        const many own = *given, *m = &own;                                                                  \
        for (uint32_t i = 0; i < m->count; i++) {                                                            \
            uint64_t made = (uint64_t)(result);                                                              \
            m->out[i] = m->result_bits == 32 ? (int32_t)(uint32_t)made : (int64_t)made;                      \
        }                                                                                                    \
        return true;                                                                                         \
    } while (0)

#define EACH_COMPARES(operator) EACH_IS(ordered(m, 0, i) operator ordered(m, 1, i))

static bool compare(const many *given) {
    switch (given->folder->isa.compare) {
    case LS_MOD_EQ: EACH_COMPARES(==);
    case LS_MOD_NE: EACH_COMPARES(!=);
    case LS_MOD_LT: EACH_COMPARES(<);
    case LS_MOD_LE: EACH_COMPARES(<=);
    case LS_MOD_GT: EACH_COMPARES(>);
    case LS_MOD_GE: EACH_COMPARES(>=);
    default: return false;
    }
}

static bool combine_predicates(const many *given) {
    switch (given->folder->isa.op) {
    case LS_OP_AND: EACH_IS(taken(m, 0, i) & taken(m, 1, i) & 1);
    case LS_OP_OR: EACH_IS((taken(m, 0, i) | taken(m, 1, i)) & 1);
    case LS_OP_XOR: EACH_IS((taken(m, 0, i) ^ taken(m, 1, i)) & 1);
    default: return false;
    }
}

static bool shift(const many *given) {
    if (given->each[1]) return false;
    const uint32_t by = (uint32_t)taken(given, 1, 0), last = given->bits - 1;
    if (given->folder->isa.op == LS_OP_SHL) EACH_IS(by > last ? 0 : taken(m, 0, i) << by);
    if (given->is_signed) EACH_IS(number_of(m, 0, i) >> (by > last ? last : by));
    EACH_IS(by > last ? 0 : taken(m, 0, i) >> by);
}

/* The low half of a product, or all of one of 32 bits; behind it what is added. */
static bool multiply(const many *given) {
    const ls_isa *x = &given->folder->isa;
    const bool adds = x->op == LS_OP_MAD;
    if (x->hi || given->folder->count != 2u + adds || (x->wide && given->bits != 32)) return false;
    if (given->result_bits != (x->wide ? 64 : given->bits)) return false;
    if (adds) EACH_IS((uint64_t)number_of(m, 0, i) * (uint64_t)number_of(m, 1, i) + taken(m, 2, i));
    EACH_IS((uint64_t)number_of(m, 0, i) * (uint64_t)number_of(m, 1, i));
}

/* Between integers: the source's sign counts. */
static bool convert(many *given) {
    const ls_ptx_type from = (ls_ptx_type)given->folder->isa.type[1];
    if (!ls_isa_is_plain_integer(from) || given->result_bits != given->bits || given->folder->count != 1)
        return false;
    given->bits = ls_ptx_type_bits(from);
    given->is_signed = ls_ptx_type_kind_of(from) == LS_KIND_SIGNED;
    if (given->bits != 32 && given->bits != 64) return false;
    EACH_IS(number_of(m, 0, i));
}

static bool add(const many *given) {
    if (given->result_bits != given->bits || given->folder->count != 2) return false;
    switch (given->folder->isa.op) {
    case LS_OP_ADD: EACH_IS(taken(m, 0, i) + taken(m, 1, i));
    case LS_OP_SUB: EACH_IS(taken(m, 0, i) - taken(m, 1, i));
    case LS_OP_AND: EACH_IS(taken(m, 0, i) & taken(m, 1, i));
    case LS_OP_OR: EACH_IS(taken(m, 0, i) | taken(m, 1, i));
    case LS_OP_XOR: EACH_IS(taken(m, 0, i) ^ taken(m, 1, i));
    default: return false;
    }
}

bool ls_fold_many(const ls_folder *folder, const ls_fold_many_source *sources, int64_t *out, uint32_t count) {
    const ls_isa *x = &folder->isa;
    const ls_ptx_type type = (ls_ptx_type)x->type[0];
    many m = {.folder = folder,
              .out = out,
              .count = count,
              .bits = ls_ptx_type_bits(type),
              .result_bits = folder->bits,
              .is_signed = ls_ptx_type_kind_of(type) == LS_KIND_SIGNED};
    if (folder->count > MOST_SOURCES) return false;
    for (uint32_t k = 0; k < folder->count; k++) {
        m.each[k] = sources[k].each, m.same[k] = sources[k].same;
        m.masks[k] = folder->masks[k], m.flips[k] = folder->flips[k];
    }
    if (x->sat || folder->instr->dst_count != 1) return false;
    if (type == LS_TYPE_PRED && folder->bits == 1 && folder->count == 2) return combine_predicates(&m);
    if (!ls_isa_is_plain_integer(type) || (m.bits != 32 && m.bits != 64)) return false;
    switch (x->op) {
    case LS_OP_SETP: return !x->mode && folder->count == 2 && folder->bits == 1 && compare(&m);
    case LS_OP_SHL:
    case LS_OP_SHR: return folder->bits == m.bits && folder->count == 2 && shift(&m);
    case LS_OP_MUL:
    case LS_OP_MAD: return multiply(&m);
    case LS_OP_CVT: return convert(&m);
    default: return add(&m);
    }
}
