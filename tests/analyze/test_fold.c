/* Instructions on many known numbers at once (fold_many.c) against the same instruction on one number after
 * the other, which is what src/isa computes: every instruction of a list of forms, with random and extreme
 * numbers, one number for all or one for each. */
#include "analyze/fold.h"
#include "base/arena.h"
#include "base/buf.h"
#include "lockstep/diag.h"
#include "lockstep/ptx.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NUMBERS = 37 };

/* %r0-%r2 have 32 bits, %l0-%l2 64, %h0 and %h1 16, %p0-%p2 are predicates. */
static const char *const forms[] = {"add.s32 %r3, %r0, %r1",
                                    "sub.u32 %r3, %r0, %r1",
                                    "add.u64 %l3, %l0, %l1",
                                    "sub.s64 %l3, %l0, %l1",
                                    "and.b32 %r3, %r0, %r1",
                                    "or.b64 %l3, %l0, %l1",
                                    "xor.b32 %r3, %r0, %r1",
                                    "add.sat.s32 %r3, %r0, %r1",
                                    "add.u16 %h2, %h0, %h1",
                                    "and.pred %p3, %p0, %p1",
                                    "or.pred %p3, %p0, !%p1",
                                    "xor.pred %p3, !%p0, %p1",
                                    "shl.b32 %r3, %r0, %r1",
                                    "shl.b32 %r3, %r0, 5",
                                    "shl.b32 %r3, %r0, 32",
                                    "shl.b64 %l3, %l0, 33",
                                    "shl.b64 %l3, %l0, 64",
                                    "shr.u32 %r3, %r0, 7",
                                    "shr.s32 %r3, %r0, 7",
                                    "shr.s32 %r3, %r0, 40",
                                    "shr.u32 %r3, %r0, 32",
                                    "shr.b32 %r3, %r0, 1",
                                    "shr.s64 %l3, %l0, 63",
                                    "shr.u64 %l3, %l0, 3",
                                    "shr.s64 %l3, %l0, 70",
                                    "shl.b16 %h2, %h0, 3",
                                    "mul.lo.s32 %r3, %r0, %r1",
                                    "mul.lo.u64 %l3, %l0, %l1",
                                    "mul.hi.u32 %r3, %r0, %r1",
                                    "mul.hi.s64 %l3, %l0, %l1",
                                    "mul.wide.u32 %l3, %r0, %r1",
                                    "mul.wide.s32 %l3, %r0, %r1",
                                    "mul.wide.u16 %r3, %h0, %h1",
                                    "mad.lo.s32 %r3, %r0, %r1, %r2",
                                    "mad.lo.u64 %l3, %l0, %l1, %l2",
                                    "mad.wide.u32 %l3, %r0, %r1, %l2",
                                    "mad.wide.s32 %l3, %r0, %r1, %l2",
                                    "mad.hi.s32 %r3, %r0, %r1, %r2",
                                    "mad.hi.sat.s32 %r3, %r0, %r1, %r2",
                                    "cvt.s64.s32 %l3, %r0",
                                    "cvt.u64.u32 %l3, %r0",
                                    "cvt.u64.s32 %l3, %r0",
                                    "cvt.s64.u32 %l3, %r0",
                                    "cvt.u32.u64 %r3, %l0",
                                    "cvt.s32.s64 %r3, %l0",
                                    "cvt.sat.s32.s64 %r3, %l0",
                                    "cvt.u32.u16 %r3, %h0",
                                    "cvt.s16.s32 %r3, %r0",
                                    "cvt.u8.u32 %r3, %r0",
                                    "mov.u32 %r3, %r0",
                                    "mov.b64 %l3, %l0",
                                    "min.s32 %r3, %r0, %r1",
                                    "selp.b32 %r3, %r0, %r1, %p0",
                                    "setp.eq.s32 %p3, %r0, %r1",
                                    "setp.ne.b64 %p3, %l0, %l1",
                                    "setp.lt.s32 %p3, %r0, %r1",
                                    "setp.lt.u32 %p3, %r0, %r1",
                                    "setp.le.s64 %p3, %l0, %l1",
                                    "setp.le.u64 %p3, %l0, %l1",
                                    "setp.gt.s32 %p3, %r0, %r1",
                                    "setp.gt.u64 %p3, %l0, %l1",
                                    "setp.ge.u32 %p3, %r0, %r1",
                                    "setp.ge.s64 %p3, %l0, %l1",
                                    "setp.lo.u32 %p3, %r0, %r1",
                                    "setp.hs.u64 %p3, %l0, %l1",
                                    "setp.lt.and.s32 %p3, %r0, %r1, %p0",
                                    "setp.lt.u16 %p3, %h0, %h1",
                                    "setp.lt.s32 %p3|%p2, %r0, %r1"};
enum { FORMS = sizeof forms / sizeof *forms };

static uint64_t state = 0x9e3779b97f4a7c15u;

static uint64_t any_bits(void) {
    static const uint64_t edges[] = {0,
                                     1,
                                     31,
                                     32,
                                     63,
                                     64,
                                     INT32_MAX,
                                     UINT64_C(1) << 31,
                                     UINT32_MAX,
                                     INT64_MAX,
                                     UINT64_C(1) << 63,
                                     UINT64_MAX,
                                     0x8000,
                                     0xffff};
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t high = state >> 32;
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t bits = high << 32 | state >> 32;
    return bits % 3 ? bits : edges[high % (sizeof edges / sizeof *edges)];
}

static ls_ptx_module *module_of_forms(ls_diags *diags) {
    ls_buf text = {0};
    ls_buf_puts(&text, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                       ".reg .b32 %r<4>;\n.reg .b64 %l<4>;\n.reg .b16 %h<3>;\n.reg .pred %p<4>;\n");
    for (uint32_t i = 0; i < FORMS; i++) ls_buf_printf(&text, "%s;\n", forms[i]);
    ls_buf_puts(&text, "ret;\n}\n");
    ls_ptx_module *m = ls_ptx_parse(text.text, text.length, "forms.ptx", diags);
    ls_buf_free(&text);
    return m;
}

/* Whether it is one that is done for many at once; its results then have to be those of one by one. */
static bool compare_forms(const ls_folder *folder, const ls_ir_instr *instr) {
    int64_t numbers[LS_ISA_SOURCES][NUMBERS], out[NUMBERS];
    ls_fold_many_source sources[LS_ISA_SOURCES];
    for (uint32_t s = 0; s < folder->count; s++) {
        uint32_t width = ls_ptx_type_bits((ls_ptx_type)instr->src[s].type);
        uint64_t constant;
        bool fixed = instr->src[s].value && ls_ir_constant(instr->src[s].value, &constant);
        for (uint32_t i = 0; i < NUMBERS; i++)
            numbers[s][i] = ls_canonical(fixed ? constant : any_bits(), width);
        bool one = fixed || any_bits() & 1;
        sources[s] = (ls_fold_many_source){one ? NULL : numbers[s], numbers[s][0]};
    }
    if (!ls_fold_many(folder, sources, out, NUMBERS)) return false;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        int64_t s[LS_ISA_SOURCES];
        for (uint32_t k = 0; k < folder->count; k++) s[k] = sources[k].each ? numbers[k][i] : numbers[k][0];
        if (out[i] != ls_fold(folder, s))
            fail_msg("%s of %lld, %lld: %lld instead of %lld", instr->form->opcode->name, (long long)s[0],
                     folder->count > 1 ? (long long)s[1] : 0, (long long)out[i],
                     (long long)ls_fold(folder, s));
    }
    return true;
}

static void many_at_once_are_the_same_as_one_by_one(void **unused) {
    (void)unused;
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *m = module_of_forms(diags);
    assert_int_equal(ls_diags_errors(diags), 0);
    ls_ir_function *f = ls_ir_build(m, ls_ptx_find_function(m, "k"), NULL, diags);
    assert_non_null(f);
    uint32_t together = 0;
    for (uint32_t i = 0; i < f->instr_count; i++) {
        ls_folder folder;
        if (!ls_fold_find(f->instrs[i], &folder)) continue;
        bool any = false;
        for (uint32_t n = 0; n < 400; n++) any |= compare_forms(&folder, f->instrs[i]);
        together += any;
    }
    assert_true(together >= 40);
    ls_ir_free(f);
    ls_ptx_module_free(m);
    ls_diags_free(diags);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_at_once_are_the_same_as_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
