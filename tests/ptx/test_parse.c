/* The parser: what the tree holds, how names resolve, and what is said about bad input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lockstep/ptx.h"
#include "ptx/uses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.5\n.target sm_75\n.address_size 64\n"

static ls_ptx_module *parse(const char *text) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "t.ptx", diags);
    if (!module)
        for (uint32_t i = 0; i < ls_diags_count(diags); i++)
            print_message("t.ptx:%u:%u: %s\n", ls_diags_at(diags, i)->line, ls_diags_at(diags, i)->column,
                          ls_diags_at(diags, i)->message);
    ls_diags_free(diags);
    assert_non_null(module);
    return module;
}

static const ls_ptx_function *only_function(const ls_ptx_module *module) {
    return module->functions[module->function_count - 1];
}

/* The n-th instruction of a function, scopes entered. */
static const ls_ptx_instr *instr_in(const ls_ptx_block *block, uint32_t *n) {
    for (uint32_t i = 0; i < block->count; i++) {
        const ls_ptx_stmt *stmt = &block->stmts[i];
        if (stmt->kind == LS_STMT_INSTR && (*n)-- == 0) return stmt->instr;
        if (stmt->kind == LS_STMT_BLOCK) {
            const ls_ptx_instr *found = instr_in(stmt->block, n);
            if (found) return found;
        }
    }
    return NULL;
}
static const ls_ptx_instr *instr(const ls_ptx_module *module, uint32_t n) {
    const ls_ptx_instr *found = instr_in(only_function(module)->body, &n);
    assert_non_null(found);
    return found;
}

static void header_and_function(void **state) {
    (void)state;
    ls_ptx_module *module = parse(HEAD ".visible .entry k(.param .u64 .ptr .global .align 16 p,\n"
                                       " .param .align 8 .b8 s[24])\n"
                                       ".maxntid 256, 2\n.minnctapersm 3\n{\n ret;\n}\n");
    assert_int_equal(module->version_major, 8);
    assert_int_equal(module->version_minor, 5);
    assert_string_equal(module->targets[0], "sm_75");
    const ls_ptx_function *kernel = only_function(module);
    assert_true(kernel->is_entry);
    assert_int_equal(kernel->param_count, 2);
    assert_int_equal(kernel->params[0]->pointer_space, LS_SPACE_GLOBAL);
    assert_int_equal(ls_ptx_variable_size(kernel->params[1]), 24);
    const ls_ptx_tune *most = ls_ptx_tune_of(kernel, LS_TUNE_MAXNTID);
    assert_int_equal(most->count, 2);
    assert_int_equal(most->values[1], 2);
    assert_null(ls_ptx_tune_of(kernel, LS_TUNE_REQNTID));
    ls_ptx_module_free(module);
}

static void forms_are_decoded_once(void **state) {
    (void)state;
    ls_ptx_module *module = parse(HEAD ".entry k() { .reg .b32 %r<9>; .reg .b64 %d<3>;\n"
                                       "ld.global.nc.v4.u32 {%r1,%r2,%r3,%r4}, [%d1+16];\n"
                                       "ld.global.nc.v4.u32 {%r1,%r2,%r3,%r4}, [%d1+-8];\n"
                                       "ld .global\t.u32 %r1, [%d1];\n"
                                       "atom.global.acq_rel.gpu.cas.b32 %r1, [%d1], %r2, %r3;\n"
                                       "mad.wide.s32 %d1, %r1, 4, %d2;\n"
                                       "cp.async.cg.shared.global [%r1], [%d1], 16;\n"
                                       "new.thing.b32 %r1, {%r2, %r3}, [%d1];\n ret; }");
    const ls_ptx_form *load = instr(module, 0)->form;
    assert_ptr_equal(load, instr(module, 1)->form);
    assert_int_equal(load->op, LS_OP_LD);
    assert_int_equal(load->vector, 4);
    assert_int_equal(ls_ptx_form_type(load, 0), LS_TYPE_U32);
    assert_int_equal(ls_ptx_form_space(load), LS_SPACE_GLOBAL);
    assert_true(ls_ptx_form_has(load, LS_MOD_NC));
    assert_int_equal(instr(module, 1)->operands[1].parts[0].offset, -8);
    assert_string_equal(instr(module, 2)->form->text, "ld.global.u32");
    const ls_ptx_form *atom = instr(module, 3)->form;
    assert_int_equal(atom->semantics, LS_MOD_ACQ_REL);
    assert_int_equal(atom->scope, LS_MOD_GPU);
    assert_true(ls_ptx_form_has(atom, LS_MOD_CAS));
    assert_int_equal(instr(module, 5)->form->op, LS_OP_CP_ASYNC);
    assert_int_equal(instr(module, 5)->form->spaces[1], LS_SPACE_GLOBAL);
    assert_int_equal(instr(module, 6)->form->op, LS_OP_UNKNOWN);
    ls_ptx_module_free(module);
}

static void names_resolve_by_scope(void **state) {
    (void)state;
    ls_ptx_module *module = parse(HEAD ".entry k() { .reg .b32 %r<4>; .reg .pred %p;\n"
                                       "mov.b32 %r1, 1;\n"
                                       "{ .reg .b64 %r<3>; mov.b64 %r1, 2; { mov.b64 %r2, %r1; } }\n"
                                       "mov.b32 %r2, %r1;\n"
                                       "{ .reg .f32 %r1; mov.f32 %r1, 0f3F800000; mov.b32 %r3, %r2; }\n"
                                       "mov.b32 %r3, %r1;\n ret; }");
    const ls_ptx_symbol *outer = instr(module, 0)->operands[0].symbol;
    const ls_ptx_symbol *inner = instr(module, 1)->operands[0].symbol;
    assert_int_equal(outer->type, LS_TYPE_B32);
    assert_int_equal(inner->type, LS_TYPE_B64);
    assert_ptr_equal(instr(module, 2)->operands[1].symbol, inner);
    assert_ptr_equal(instr(module, 3)->operands[1].symbol, outer);
    assert_int_equal(instr(module, 4)->operands[0].symbol->type, LS_TYPE_F32);
    assert_ptr_equal(instr(module, 5)->operands[1].symbol, instr(module, 3)->operands[0].symbol);
    assert_ptr_equal(instr(module, 6)->operands[1].symbol, outer);
    ls_ptx_module_free(module);
}

/* A register first used in an inner scope is the same one after it. */
static void range_registers_outlive_inner_scopes(void **state) {
    (void)state;
    ls_ptx_module *module = parse(HEAD ".entry k() { .reg .b32 %r<4>;\n"
                                       "{ mov.b32 %r1, 1; }\n{ .reg .b32 %q<2>; mov.b32 %r1, %q1; }\n"
                                       "mov.b32 %r2, %r1; ret; }");
    assert_ptr_equal(instr(module, 0)->operands[0].symbol, instr(module, 1)->operands[0].symbol);
    assert_ptr_equal(instr(module, 0)->operands[0].symbol, instr(module, 2)->operands[1].symbol);
    assert_int_equal(only_function(module)->register_count, 3);
    ls_ptx_module_free(module);
}

static void labels_are_local_to_their_scope(void **state) {
    (void)state;
    ls_ptx_module *module = parse(HEAD ".entry k() { .reg .pred %p;\n"
                                       "{ W: @%p bra D; bra W; D: }\n"
                                       "{ W: @%p bra D; bra W; D: }\n"
                                       "bra E;\n"
                                       "{ bra E; bra F; F: }\n"
                                       "F: bra F;\n"
                                       "E: ret; }");
    const ls_ptx_symbol *first = instr(module, 0)->operands[0].symbol;
    assert_int_equal(first->stmt->kind, LS_STMT_LABEL);
    assert_ptr_equal(first->stmt->symbol, first);
    assert_ptr_not_equal(first, instr(module, 2)->operands[0].symbol);
    assert_ptr_equal(instr(module, 4)->operands[0].symbol, instr(module, 5)->operands[0].symbol);
    assert_ptr_not_equal(instr(module, 6)->operands[0].symbol, instr(module, 7)->operands[0].symbol);
    ls_ptx_module_free(module);
}

static void constants_are_evaluated(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"(1<<4)|3", 19},
        {"-7/2", -3},
        {"7 % 4*2", 6},
        {"0x10+010+0b11", 27},
        {"~0", -1},
        {"!5", 0},
        {"3<4&&4<3", 0},
        {"1?2:3", 2},
        {"WARP_SZ-1", 31},
        {"(.u64)-1>>60", 15},
        {"-1>>60", -1},
        {"0xFFFFFFFFFFFFFFFF/2", INT64_MAX},
        {"-(2+3)*4", -20},
        {"10U-3", 7},
        {"(.s64)-8/3", -2},
        {"5^1", 4},
        {"-9223372036854775807-1", INT64_MIN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD ".entry k() { .reg .b64 %%d; mov.b64 %%d, %s; ret; }",
                 cases[i].text);
        ls_ptx_module *module = parse(text);
        assert_int_equal((int64_t)instr(module, 0)->operands[1].value, cases[i].value);
        ls_ptx_module_free(module);
    }
}

static void locations_reach_instructions(void **state) {
    (void)state;
    ls_ptx_module *module =
        parse(HEAD ".entry k() { .reg .b32 %r;\n.loc 1 10 3\nmov.b32 %r, 1;\n"
                   ".loc 2 5 7, function_name $L__info_string0+4, inlined_at 1 10 3\nmov.b32 %r, 2; ret; }\n"
                   ".file 1 \"a.cu\"\n.file 2 \"b.h\", 17, 20\n"
                   ".section .debug_str\n{\n$L__info_string0:\n.b8 95\n}\n");
    const ls_ptx_loc *loc = instr(module, 1)->loc;
    assert_int_equal(loc->line, 5);
    assert_int_equal(loc->at_line, 10);
    assert_ptr_equal(loc->at, instr(module, 0)->loc);
    assert_string_equal(loc->function_name, "$L__info_string0+4");
    assert_string_equal(ls_ptx_file_path(module, 2), "b.h");
    assert_null(ls_ptx_file_path(module, 3));
    ls_ptx_module_free(module);
}

/* --- Bad input: place and wording -------------------------------------------------------------------------
 */
typedef struct {
    const char *text;
    uint32_t line, column;
    const char *message;
} bad_case;

#define KERNEL(body)                                                                                         \
    HEAD ".entry k() {\n.reg .b32 %r<4>; .reg .f32 %f<4>; .reg .pred %p; .reg .b64 %d<4>;\n" body "\n}\n"

static const bad_case bad_cases[] = {
    {"", 1, 0, "this is not PTX: there is no .version directive"},
    {"hello world", 1, 1, "expected a directive, found 'hello'"},
    {"\x7f"
     "ELF\x02\x01",
     1, 1, "expected a directive, found the byte 0x7f"},
    {HEAD ".frob 3;", 4, 1, "expected a directive that PTX knows, found '.frob'"},
    {HEAD ".entry k(", 4, 10, "expected a state space such as .param or .reg, found the end of the file"},
    {HEAD ".entry k() {", 4, 13, "expected '}', found the end of the file"},
    {KERNEL("add.s32 %r1, %r2"), 7, 1, "expected ',' or ';' behind an operand, found '}'"},
    {KERNEL("add.s32 %r1, %r2, %f1;"), 6, 1,
     "type mismatch: operand 3 of 'add.s32' is '%f1', a .f32 register, where .s32 is expected"},
    {KERNEL("add.s64 %d1, %d2, %r1;"), 6, 1,
     "type mismatch: operand 3 of 'add.s64' is '%r1', a .b32 register, where .s64 is expected"},
    {KERNEL("selp.b32 %r1, %r2, %r3, %r1;"), 6, 1,
     "type mismatch: operand 4 of 'selp.b32' is '%r1', a .b32 register, where .pred is expected"},
    {KERNEL("add.s32 %r1, %r2;"), 6, 1, "'add.s32' has 2 operands where at least 3 are expected"},
    {KERNEL("ret %r1;"), 6, 1, "'ret' has 1 operand where at most 0 are expected"},
    {KERNEL("mov.b32 %r9, 1;"), 6, 9, "'%r9' is not declared"},
    {KERNEL("bra L;"), 6, 5, "'L' is not declared, and no label of that name follows"},
    {KERNEL("L: L: ret;"), 6, 4, "label 'L' stands twice in this scope"},
    {KERNEL(".reg .b32 x, x;"), 6, 14, "'x' is declared twice"},
    {KERNEL("@%r1 ret;"), 6, 2, "'%r1' guards an instruction but is not a predicate"},
    {KERNEL("mov.b32 %r1, 1/0;"), 6, 17, "expected a divisor other than zero, found ';'"},
    {KERNEL("mov.b32 %r1, 0x;"), 6, 14, "expected an operand, found '0x'"},
    {KERNEL("ld.global.u32 %r1, [];"), 6, 22, "expected an address, found ';'"},
    {HEAD "/* never closed", 4, 1, "expected a directive, found a comment without its end"},
    {HEAD ".pragma \"open\n;", 4, 9, "expected a string, found a string without its end"},
    {HEAD ".global .align 3 .u32 x;", 4, 18,
     "expected an alignment that is a power of two, before this, found '.u32'"},
    {HEAD ".func f() {ret;}\n.func f() {ret;}", 5, 1, "function 'f' has two bodies"},
};

static void bad_input_is_placed(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof bad_cases / sizeof *bad_cases; i++) {
        const bad_case *bad = &bad_cases[i];
        ls_diags *diags = ls_diags_new();
        assert_null(ls_ptx_parse(bad->text, strlen(bad->text), "t.ptx", diags));
        assert_true(ls_diags_errors(diags) > 0);
        const ls_diag *first = ls_diags_at(diags, 0);
        assert_string_equal(first->message, bad->message);
        assert_int_equal(first->line, bad->line);
        assert_int_equal(first->column, bad->column);
        ls_diags_free(diags);
    }
}

static void deep_nesting_is_refused(void **state) {
    (void)state;
    size_t size = 8 << 20;
    char *text = malloc(size);
    static const char *const openings[] = {"(", "{", "-", "[", "~", "1?"};
    for (size_t k = 0; k < sizeof openings / sizeof *openings; k++) {
        const char *start = HEAD ".entry k() { .reg .b64 %d; mov.b64 %d, ";
        size_t at = strlen(start), step = strlen(openings[k]);
        memcpy(text, start, at);
        for (; at + step <= size; at += step) memcpy(text + at, openings[k], step);
        ls_diags *diags = ls_diags_new();
        assert_null(ls_ptx_parse(text, at, "t.ptx", diags));
        assert_non_null(strstr(ls_diags_at(diags, 0)->message, "less nesting"));
        ls_diags_free(diags);
    }
    memset(text, '(', size);
    assert_null(ls_ptx_parse(text, size, "t.ptx", NULL));
    free(text);
}

static void many_mistakes_are_cut_off(void **state) {
    (void)state;
    ls_buf text = {0};
    ls_buf_puts(&text, HEAD ".entry k() { .reg .b32 %r<2>;\n");
    for (int i = 0; i < 1000; i++) ls_buf_puts(&text, "mov.b32 %r7, 1;\n");
    ls_diags *diags = ls_diags_new();
    assert_null(ls_ptx_parse(text.text, text.length, "t.ptx", diags));
    assert_int_equal(ls_diags_errors(diags), 20);
    assert_int_equal(ls_diags_at(diags, 1)->line, 6);
    ls_diags_free(diags);
    ls_buf_free(&text);
}

static void uses_of_functions_are_known(void **state) {
    (void)state;
    static const char text[] =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".func called() { ret; }\n.func taken() { ret; }\n.func listed() { ret; }\n.func nobody() { ret; }\n"
        ".func itself() { call itself; ret; }\n"
        ".global .u64 table[1] = {listed};\n"
        ".entry k() {\n.reg .b64 %rd<2>;\ncall called;\nmov.u64 %rd1, taken;\nret;\n}\n";
    static const struct {
        const char *name;
        bool named, taken;
    } rows[] = {{"called", true, false},  {"taken", true, true},    {"listed", true, true},
                {"nobody", false, false}, {"itself", false, false}, {"k", false, false}};
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, sizeof text - 1, "t.ptx", diags);
    assert_non_null(module);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const ls_ptx_function *function = ls_ptx_find_function(module, rows[i].name);
        assert_non_null(function);
        if (ls_ptx_is_named(module, function) != rows[i].named ||
            ls_ptx_is_address_taken(module, function) != rows[i].taken)
            fail_msg("%s", rows[i].name);
    }
    assert_false(ls_ptx_has_axioms(module));
    ls_ptx_module_free(module);
    ls_diags_free(diags);
}

/* Every prefix of a text, and every text with one byte changed, is either taken or refused, and nothing
 * else happens (the sanitizers watch). */
static void damaged_text_is_survived(void **state) {
    (void)state;
    ls_buf text = {0};
    assert_true(ls_read_file(TEST_DIR "/kernels/features.ptx", &text));
    uint32_t seed = 1;
    for (size_t i = 0; i < text.length; i += 7) ls_ptx_module_free(ls_ptx_parse(text.text, i, "t.ptx", NULL));
    for (int i = 0; i < 3000; i++) {
        seed = seed * 1664525 + 1013904223;
        size_t at = (seed >> 8) % text.length;
        char kept = text.text[at];
        seed = seed * 1664525 + 1013904223;
        text.text[at] = (char)(seed >> 24);
        ls_ptx_module_free(ls_ptx_parse(text.text, text.length, "t.ptx", NULL));
        text.text[at] = kept;
    }
    ls_buf_free(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_function),
        cmocka_unit_test(forms_are_decoded_once),
        cmocka_unit_test(names_resolve_by_scope),
        cmocka_unit_test(range_registers_outlive_inner_scopes),
        cmocka_unit_test(labels_are_local_to_their_scope),
        cmocka_unit_test(constants_are_evaluated),
        cmocka_unit_test(locations_reach_instructions),
        cmocka_unit_test(bad_input_is_placed),
        cmocka_unit_test(deep_nesting_is_refused),
        cmocka_unit_test(many_mistakes_are_cut_off),
        cmocka_unit_test(uses_of_functions_are_known),
        cmocka_unit_test(damaged_text_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
