/* What instructions say about order: strength, scope and size by their modifiers, and which pairs of accesses
 * are morally strong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/order.h"

#include <stdio.h>
#include <string.h>

static ls_order order_of(const char *instruction) {
    char text[1024];
    snprintf(text, sizeof text,
             ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %%r<4>;\n"
             ".reg .b64 %%d<4>;\n.reg .pred %%p<2>;\n.reg .f32 %%f<4>;\n%s\nret;\n}\n",
             instruction);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "t.ptx", diags);
    if (!module) print_message("%s: %s\n", instruction, ls_diags_at(diags, 0)->message);
    assert_non_null(module);
    ls_diags_free(diags);
    const ls_ptx_block *body = module->functions[0]->body;
    const ls_ptx_form *form = NULL;
    for (uint32_t i = 0; i < body->count && !form; i++)
        if (body->stmts[i].kind == LS_STMT_INSTR) form = body->stmts[i].instr->form;
    assert_non_null(form);
    ls_order o = ls_order_of(form);
    ls_ptx_module_free(module);
    return o;
}

static void modifiers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool strong, acquires, releases, atomic;
        ls_reach scope;
        uint8_t bytes;
    } table[] = {
        {"ld.global.u32 %r0, [%d0];", false, false, false, false, LS_REACH_THREAD, 4},
        {"ld.weak.global.u64 %d1, [%d0];", false, false, false, false, LS_REACH_THREAD, 8},
        {"ld.volatile.global.u32 %r0, [%d0];", true, false, false, false, LS_REACH_SYSTEM, 4},
        {"ld.relaxed.cta.global.u32 %r0, [%d0];", true, false, false, false, LS_REACH_BLOCK, 4},
        {"ld.acquire.gpu.global.u32 %r0, [%d0];", true, true, false, false, LS_REACH_GPU, 4},
        {"st.release.cluster.global.u64 [%d0], %d1;", true, false, true, false, LS_REACH_CLUSTER, 8},
        {"st.relaxed.sys.global.u32 [%d0], %r0;", true, false, false, false, LS_REACH_SYSTEM, 4},
        {"ld.volatile.global.v2.u32 {%r0, %r1}, [%d0];", true, false, false, false, LS_REACH_SYSTEM, 4},
        {"atom.global.add.u32 %r0, [%d0], %r1;", true, false, false, true, LS_REACH_GPU, 4},
        {"atom.global.cta.add.u32 %r0, [%d0], %r1;", true, false, false, true, LS_REACH_BLOCK, 4},
        {"atom.acq_rel.sys.global.add.u64 %d1, [%d0], %d2;", true, true, true, true, LS_REACH_SYSTEM, 8},
        {"red.release.gpu.global.add.u32 [%d0], %r1;", true, false, true, true, LS_REACH_GPU, 4},
        {"red.global.add.noftz.f16x2 [%d0], %r1;", true, false, false, true, LS_REACH_GPU, 2},
        {"membar.cta;", true, true, true, false, LS_REACH_BLOCK, 0},
        {"membar.gl;", true, true, true, false, LS_REACH_GPU, 0},
        {"membar.sys;", true, true, true, false, LS_REACH_SYSTEM, 0},
        {"fence.sc.gpu;", true, true, true, false, LS_REACH_GPU, 0},
        {"fence.acq_rel.cluster;", true, true, true, false, LS_REACH_CLUSTER, 0},
        {"fence.acquire.gpu;", true, true, false, false, LS_REACH_GPU, 0},
        {"fence.release.cta;", true, false, true, false, LS_REACH_BLOCK, 0},
        {"fence.proxy.async;", false, false, false, false, LS_REACH_THREAD, 0},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        ls_order o = order_of(table[k].text);
        print_message("%s\n", table[k].text);
        assert_int_equal(o.strong, table[k].strong);
        assert_int_equal(o.acquires, table[k].acquires);
        assert_int_equal(o.releases, table[k].releases);
        assert_int_equal(o.atomic, table[k].atomic);
        assert_int_equal(o.scope, table[k].scope);
        assert_int_equal(o.bytes, table[k].bytes);
    }
}

static void pairs(void **state) {
    (void)state;
    const ls_order weak = order_of("st.global.u32 [%d0], %r0;"),
                   relaxed = order_of("st.relaxed.gpu.global.u32 [%d0], %r0;"),
                   near = order_of("atom.global.cta.exch.b32 %r0, [%d0], %r1;"),
                   far = order_of("atom.global.exch.b32 %r0, [%d0], %r1;"),
                   wide = order_of("atom.global.exch.b64 %d1, [%d0], %d2;"),
                   is_volatile = order_of("ld.volatile.shared.u32 %r0, [%d0];"),
                   cluster = order_of("ld.acquire.cluster.u32 %r0, [%d0];");
    const struct {
        const ls_order *a, *b;
        ls_reach between;
        bool shared, is_strong;
    } table[] = {
        {&weak, &weak, LS_REACH_THREAD, false, true},
        {&weak, &weak, LS_REACH_WARP, false, false},
        {&weak, &far, LS_REACH_BLOCK, false, false},
        {&far, &far, LS_REACH_GPU, false, true},
        {&near, &near, LS_REACH_GPU, false, false},
        {&near, &near, LS_REACH_CLUSTER, false, false},
        {&near, &near, LS_REACH_BLOCK, false, true},
        {&near, &far, LS_REACH_GPU, false, false},
        {&near, &far, LS_REACH_WARP, false, true},
        {&far, &wide, LS_REACH_WARP, false, false},
        {&wide, &wide, LS_REACH_GPU, false, true},
        {&relaxed, &far, LS_REACH_GPU, false, true},
        {&relaxed, &relaxed, LS_REACH_GPU, false, true},
        {&relaxed, &relaxed, LS_REACH_SYSTEM, false, false},
        {&cluster, &relaxed, LS_REACH_CLUSTER, false, true},
        {&cluster, &relaxed, LS_REACH_GPU, false, false},
        {&is_volatile, &far, LS_REACH_WARP, true, true},
        {&is_volatile, &is_volatile, LS_REACH_BLOCK, true, true},
        {&is_volatile, &is_volatile, LS_REACH_WARP, false, true},
        {&is_volatile, &is_volatile, LS_REACH_WARP, true, false},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        print_message("pair %zu\n", k);
        assert_int_equal(ls_morally_strong(table[k].a, table[k].b, table[k].between, table[k].shared),
                         table[k].is_strong);
        assert_int_equal(ls_morally_strong(table[k].b, table[k].a, table[k].between, table[k].shared),
                         table[k].is_strong);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(modifiers), cmocka_unit_test(pairs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
