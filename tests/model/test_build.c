/* Programs that are built, not parsed: what a front end for real kernels does. 32- and 64-bit values, arrays
 * of unknown length, any number of threads; equal expressions are one; normalised, predicated, lock-stepped.
 */
#include "kernel_test.h"

#include "model/normal.h"
#include "model/predicate.h"
#include "model/print.h"

/* if (i < n) y[i] = x[i] + y[i]; with i = ctaid * ntid + tid in 32 bits, indices in 64. */
typedef struct {
    ls_kctx *ctx;
    ls_kprog *prog;
} built;

static ls_kvar *array(ls_kctx *ctx, const char *name) {
    ls_kvar *var = ls_kvar_new(ctx, name, LS_KC_SHARED, LS_KTYPE_BV(32));
    var->array = true;
    return var;
}

static void statement(ls_kprog *prog, uint32_t block, ls_kstmt_kind kind, const ls_kvar *var,
                      const ls_kexpr *index, const ls_kexpr *value) {
    ls_kblock_add(
        prog, block,
        (ls_kstmt){
            .kind = (uint8_t)kind, .var = var, .index = index, .value = value, .origin = prog->stmt_count++});
}

static built build_axpy(void) {
    ls_kctx *ctx = ls_kctx_new(0);
    ls_kprog *p = ls_kprog_new(ctx, "axpy", "axpy.ptx");
    ls_ktype u32 = LS_KTYPE_BV(32);
    ls_kvar *x = array(ctx, "x"), *y = array(ctx, "y");
    const ls_kexpr *n = ls_kexpr_var(ctx, ls_kvar_new(ctx, "n", LS_KC_CONST, u32));
    const ls_kexpr *ntid = ls_kexpr_var(ctx, ls_kvar_new(ctx, "ntid", LS_KC_CONST, u32));
    const ls_kexpr *ctaid = ls_kexpr_var(ctx, ls_kvar_new(ctx, "ctaid", LS_KC_PRIVATE, u32));
    const ls_kexpr *tid = ls_kexpr_var(ctx, ls_kvar_new(ctx, "tid", LS_KC_PRIVATE, u32));
    ls_kvar *i = ls_kvar_new(ctx, "i", LS_KC_PRIVATE, u32);
    const ls_kexpr *vi = ls_kexpr_var(ctx, i);
    const ls_kexpr *wide = ls_kexpr_op(ctx, LS_KX_SEXT, &vi, 1, 64);
    uint32_t start = ls_kblock_new(p, "Start"), body = ls_kblock_new(p, "body"),
             out = ls_kblock_new(p, "out");
    statement(p, start, LS_KS_ASSIGN, i, NULL,
              ls_kexpr_binary(ctx, LS_KX_ADD, ls_kexpr_binary(ctx, LS_KX_MUL, ctaid, ntid), tid));
    ls_kblock_goto(p, start, body), ls_kblock_goto(p, start, out);
    const ls_kexpr *in = ls_kexpr_binary(ctx, LS_KX_SLT, vi, n);
    statement(p, body, LS_KS_ASSUME, NULL, NULL, in);
    statement(p, body, LS_KS_ASSIGN, y, wide,
              ls_kexpr_binary(ctx, LS_KX_ADD, ls_kexpr_select(ctx, x, wide), ls_kexpr_select(ctx, y, wide)));
    statement(p, body, LS_KS_HAVOC, i, NULL, NULL);
    ls_kblock_goto(p, body, LS_KEND);
    statement(p, out, LS_KS_ASSUME, NULL, NULL, ls_kexpr_unary(ctx, LS_KX_NOT, in));
    ls_kblock_goto(p, out, LS_KEND);
    return (built){ctx, p};
}

static void real_kernels_can_be_carried(void **state) {
    (void)state;
    built b = build_axpy();
    assert_true(ls_kernel_normalise(b.prog, NULL));
    uint32_t block;
    assert_int_equal(ls_kernel_well_formed(b.prog, &block), LS_KWELL_FORMED); /* by form: e and not e */
    ls_cfg *cfg = ls_kprog_cfg(b.prog);
    ls_kprog *predicated = ls_kernel_predicate(b.prog, cfg), *lockstep = ls_kernel_lockstep(predicated);
    ls_buf text = {0};
    ls_kprog_print(&text, lockstep);
    assert_non_null(strstr(
        text.text, "    y[·] := ψ(⟨v_active,t = body, sext(i_t, 64), x[sext(i_t, 64)] + y[sext(i_t, 64)]⟩);\n"
                   "    havoc ⟨v_havoc_i,t⟩;\n"
                   "    ⟨i_t⟩ := ⟨(v_active,t = body) ? v_havoc_i,t : i_t⟩;\n"));
    assert_non_null(strstr(text.text, "(v_next,t = out) ⇒ ¬slt(i_t, n)"));
    /* every statement of the kernel is there once, with its number, and with the predicate of its block */
    bool seen[16] = {false};
    for (uint32_t k = 0; k < predicated->blocks.length; k++)
        for (uint32_t s = 0; s < predicated->blocks.items[k].stmts.length; s++) {
            const ls_kstmt *stmt = &predicated->blocks.items[k].stmts.items[s];
            if (stmt->origin == UINT32_MAX) continue;
            assert_false(seen[stmt->origin]);
            seen[stmt->origin] = true;
            assert_non_null(stmt->pred);
            assert_int_equal(stmt->pred->args[1]->value, predicated->blocks.items[k].source);
        }
    assert_true(seen[0] && !seen[1] && seen[2] && seen[3] && !seen[4]); /* 1 and 4 are guards */
    ls_buf_free(&text);
    ls_cfg_free(cfg);
    ls_kctx_free(b.ctx);
}

static void equal_expressions_are_one(void **state) {
    (void)state;
    ls_kctx *ctx = ls_kctx_new(2);
    const ls_kexpr *v = ls_kexpr_var(ctx, ls_kvar_new(ctx, "v", LS_KC_PRIVATE, LS_KTYPE_BV(8)));
    const ls_kexpr *sum = v;
    for (int i = 0; i < 1000; i++) { /* 2^1000 leaves as a tree */
        const ls_kexpr *twice = ls_kexpr_binary(ctx, LS_KX_ADD, sum, sum);
        assert_ptr_equal(twice, ls_kexpr_binary(ctx, LS_KX_ADD, sum, sum));
        sum = twice;
    }
    assert_int_equal(ctx->expr_count, 1001);
    assert_int_equal(sum->depth, 1001);
    assert_ptr_equal(ls_kexpr_const(ctx, LS_KTYPE_BV(8), 256 + 7), ls_kexpr_const(ctx, LS_KTYPE_BV(8), 7));
    assert_ptr_not_equal(ls_kexpr_const(ctx, LS_KTYPE_BV(8), 1), ls_kexpr_const(ctx, LS_KTYPE_INT, 1));
    assert_ptr_not_equal(ls_kexpr_op(ctx, LS_KX_ZEXT, &v, 1, 16), ls_kexpr_op(ctx, LS_KX_ZEXT, &v, 1, 32));
    assert_ptr_not_equal(ls_kexpr_binary(ctx, LS_KX_SUB, v, sum), ls_kexpr_binary(ctx, LS_KX_SUB, sum, v));
    ls_kctx_free(ctx);
}

static void types_are_checked(void **state) {
    (void)state;
    ls_kctx *ctx = ls_kctx_new(2);
    const ls_kexpr *b = ls_kexpr_bool(ctx, true), *i = ls_kexpr_const(ctx, LS_KTYPE_INT, 1);
    const ls_kexpr *u8 = ls_kexpr_const(ctx, LS_KTYPE_BV(8), 1),
                   *u16 = ls_kexpr_const(ctx, LS_KTYPE_BV(16), 1);
    ls_ktype type;
    assert_null(ls_kexpr_check(LS_KX_ADD, (const ls_kexpr *[]){i, i}, 2, 0, &type));
    assert_int_equal(type.kind, LS_KT_INT);
    assert_null(ls_kexpr_check(LS_KX_CONCAT, (const ls_kexpr *[]){u8, u16}, 2, 0, &type));
    assert_int_equal(type.width, 24);
    assert_null(ls_kexpr_check(LS_KX_EQ, (const ls_kexpr *[]){b, b}, 2, 0, &type));
    assert_int_equal(type.kind, LS_KT_BOOL);
    assert_null(ls_kexpr_check(LS_KX_ITE, (const ls_kexpr *[]){b, u8, u8}, 3, 0, &type));
    assert_int_equal(type.width, 8);
    assert_non_null(ls_kexpr_check(LS_KX_ADD, (const ls_kexpr *[]){i, u8}, 2, 0, &type));
    assert_non_null(ls_kexpr_check(LS_KX_ADD, (const ls_kexpr *[]){b, b}, 2, 0, &type));
    assert_non_null(ls_kexpr_check(LS_KX_BAND, (const ls_kexpr *[]){i, i}, 2, 0, &type));
    assert_non_null(ls_kexpr_check(LS_KX_AND, (const ls_kexpr *[]){b, i}, 2, 0, &type));
    assert_non_null(ls_kexpr_check(LS_KX_ITE, (const ls_kexpr *[]){i, u8, u8}, 3, 0, &type));
    assert_non_null(ls_kexpr_check(LS_KX_EQ, (const ls_kexpr *[]){u8, u16}, 2, 0, &type));
    assert_non_null(ls_kexpr_check(LS_KX_ZEXT, &u16, 1, 8, &type));
    assert_non_null(ls_kexpr_check(LS_KX_NOT, (const ls_kexpr *[]){b, b}, 2, 0, &type));
    ls_kctx_free(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(real_kernels_can_be_carried),
        cmocka_unit_test(equal_expressions_are_one),
        cmocka_unit_test(types_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
