/* Types, modifiers and operands that nobody writes together: whatever has a meaning (isa/meaning.h) computes
 * something of any bits, without undefined behaviour, which the sanitizers see. Every two types of every
 * opcode are tried, with the rest drawn. */
#include "isa/meaning.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static uint64_t state = 1;

static uint32_t draw(uint32_t below) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % below;
}

static uint64_t draw_bits(void) {
    static const uint64_t edges[] = {
        0,         1,          31,         32,         63,         64,        255,
        256,       0x7fffffff, 0x80000000, UINT32_MAX, 0x7f800000, INT64_MAX, UINT64_C(1) << 63,
        UINT64_MAX};
    const uint32_t k = draw(20);
    return k < sizeof edges / sizeof *edges ? edges[k] : (uint64_t)draw(UINT32_MAX) << 32 ^ draw(UINT32_MAX);
}

static const uint16_t modifiers[] = {LS_MOD_SAT,  LS_MOD_HI,    LS_MOD_WIDE, LS_MOD_L,
                                     LS_MOD_WRAP, LS_MOD_CLAMP, LS_MOD_F4E,  LS_MOD_SHIFTAMT,
                                     LS_MOD_RELU, LS_MOD_FTZ,   LS_MOD_RC16, LS_MOD_SATFINITE};
static const uint16_t rounds[] = {LS_MOD_UNKNOWN, LS_MOD_RN, LS_MOD_RZ, LS_MOD_RZI, LS_MOD_RNA};
static const uint16_t compares[] = {LS_MOD_UNKNOWN, LS_MOD_EQ, LS_MOD_LT, LS_MOD_GE};
#define DRAW_OF(list) list[draw(sizeof(list) / sizeof *(list))]

/* Whether there is such an instruction. */
static bool try_one(ls_ptx_op op, uint8_t first, uint8_t second) {
    static const uint8_t widths[] = {8, 16, 32, 64};
    const uint16_t with[2] = {DRAW_OF(modifiers), DRAW_OF(modifiers)};
    ls_ptx_form form = {.op = op,
                        .opcode = ls_ptx_opcode_of(op),
                        .modifiers = with,
                        .modifier_count = (uint16_t)draw(3),
                        .type_count = (uint8_t)((first != LS_TYPE_NONE) + (second != LS_TYPE_NONE)),
                        .types = {first, second},
                        .vector = 1,
                        .round = DRAW_OF(rounds),
                        .compare = DRAW_OF(compares)};
    ls_isa_ask ask = {.form = &form,
                      .src_count = (uint8_t)(1 + draw(5)),
                      .dst_count = (uint8_t)(1 + draw(2)),
                      .dst_bits = DRAW_OF(widths)};
    ls_isa isa;
    if (form.opcode->class == LS_CLASS_VIDEO || !ls_isa_find(&ask, &isa)) return false;
    for (uint32_t k = 0; k < 4; k++) {
        uint64_t s[LS_ISA_SOURCES], more[LS_ISA_MORE];
        for (uint32_t i = 0; i < LS_ISA_SOURCES; i++) s[i] = draw_bits();
        isa.fn(&isa, s, more);
    }
    return true;
}

static void any_types_compute_something(void **unused) {
    (void)unused;
    uint32_t found = 0, unknown = 0;
    for (uint32_t op = 1; op < LS_OP_COUNT; op++)
        for (uint8_t first = 0; first < LS_TYPE_COUNT; first++)
            for (uint8_t second = 0; second < LS_TYPE_COUNT; second++)
                for (uint32_t k = 0; k < 3; k++) try_one((ls_ptx_op)op, first, second) ? found++ : unknown++;
    assert_true(found > 1000 && unknown > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_types_compute_something)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
