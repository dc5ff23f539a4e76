/* The passes of src/ir on small PTX files: whole dumps against stored ones, and the facts that later analyses
 * build on, one by one. LOCKSTEP_UPDATE=1 writes the stored dumps anew; look at the difference then. */
#include "base/buf.h"
#include "lockstep/ir.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* --- Help ------------------------------------------------------------------------------------------------
 */

typedef struct {
    ls_buf text;
    ls_diags *diags;
    ls_ptx_module *module;
    ls_ir_function *f;
} built;

static void parse_file(built *b, const char *file) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", TEST_DIR, file);
    *b = (built){.diags = ls_diags_new()};
    assert_true(ls_read_file(path, &b->text));
    b->module = ls_ptx_parse(ls_buf_text(&b->text), b->text.length, file, b->diags);
    assert_non_null(b->module);
}

static built build_with(const char *file, const char *function, const ls_ir_options *options) {
    built b;
    parse_file(&b, file);
    const ls_ptx_function *found = ls_ptx_find_function(b.module, function);
    assert_non_null(found);
    b.f = ls_ir_build(b.module, found, options, b.diags);
    assert_non_null(b.f);
    char *wrong = ls_ir_check(b.f);
    assert_null(wrong);
    return b;
}

static built build(const char *file, const char *function) {
    return build_with(file, function, NULL);
}

static void release(built *b) {
    ls_ir_free(b->f);
    ls_ptx_module_free(b->module);
    ls_diags_free(b->diags);
    ls_buf_free(&b->text);
}

static bool has_diag(const built *b, ls_severity severity, uint32_t line, const char *part) {
    for (uint32_t i = 0; i < ls_diags_count(b->diags); i++) {
        const ls_diag *diag = ls_diags_at(b->diags, i);
        if (diag->severity == severity && diag->line == line && strstr(diag->message, part)) return true;
    }
    return false;
}

static ls_ir_block *block_named(const built *b, const char *label) {
    for (uint32_t i = 0; i < b->f->block_count; i++)
        if (b->f->blocks[i]->label && strcmp(b->f->blocks[i]->label, label) == 0) return b->f->blocks[i];
    fail_msg("no block %s", label);
    return NULL;
}

static ls_ir_instr *instr_at(const built *b, uint32_t ptx_line) {
    for (uint32_t i = 0; i < b->f->instr_count; i++)
        if (b->f->instrs[i]->pos->ptx_line == ptx_line) return b->f->instrs[i];
    fail_msg("no instruction of line %u", ptx_line);
    return NULL;
}

/* The first line of the PTX that has the text. */
static uint32_t line_of(const built *b, const char *part) {
    const char *found = strstr(b->text.text, part);
    uint32_t line = 1;
    assert_non_null(found);
    for (const char *c = b->text.text; c < found; c++) line += *c == '\n';
    return line;
}

static const ls_ir_access *access_of(const built *b, const char *part) {
    const ls_ir_instr *instr = instr_at(b, line_of(b, part));
    assert_true(instr->access_count > 0);
    return &instr->accesses[0];
}

static bool names_branch(const ls_ir_function *f, ls_ir_block *const *branches, uint32_t count,
                         const char *predicate) {
    for (uint32_t i = 0; i < count; i++) {
        char name[64];
        ls_ir_value_name(f, ls_ir_branch_predicate(branches[i], NULL), name, sizeof name);
        if (strcmp(name, predicate) == 0) return true;
    }
    return false;
}

/* --- Stored dumps ----------------------------------------------------------------------------------------
 */

static void compare_stored(const char *name, const char *text) {
    char path[512];
    ls_buf stored = {0};
    snprintf(path, sizeof path, "%s/expected/%s", TEST_DIR, name);
    if (getenv("LOCKSTEP_UPDATE")) assert_true(ls_write_file(path, text, strlen(text)));
    assert_true(ls_read_file(path, &stored));
    if (strcmp(ls_buf_text(&stored), text) != 0)
        print_message("%s differs from what was dumped:\n%s\n", name, text);
    assert_string_equal(ls_buf_text(&stored), text);
    ls_buf_free(&stored);
}

static void dump_file(const char *file, ls_ir_dump_kind kind, bool dot, const char *expected) {
    built b;
    ls_buf all = {0};
    parse_file(&b, file);
    for (uint32_t i = 0; i < b.module->function_count; i++) {
        if (!b.module->functions[i]->body) continue;
        b.f = ls_ir_build(b.module, b.module->functions[i], NULL, b.diags);
        char *text = dot ? ls_ir_dot(b.f, kind) : ls_ir_dump(b.f, kind);
        ls_buf_printf(&all, "%s\n", text);
        free(text);
        ls_ir_free(b.f);
    }
    b.f = NULL;
    compare_stored(expected, ls_buf_text(&all));
    ls_buf_free(&all);
    release(&b);
}

static void test_dumps(void **state) {
    (void)state;
    dump_file("fig8_sum_triangle.ptx", LS_DUMP_CFG, false, "fig8_cfg.txt");
    dump_file("fig8_sum_triangle.ptx", LS_DUMP_SSA, false, "fig8_ssa.txt");
    dump_file("fig8_sum_triangle.ptx", LS_DUMP_GSA, false, "fig9_gsa.txt");
    dump_file("fig8_sum_triangle.ptx", LS_DUMP_GSA, true, "fig9_gsa.dot");
    dump_file("loops.ptx", LS_DUMP_GSA, false, "loops_gsa.txt");
    dump_file("branches.ptx", LS_DUMP_GSA, false, "branches_gsa.txt");
    dump_file("branches.ptx", LS_DUMP_CFG, true, "branches_cfg.dot");
    dump_file("calls.ptx", LS_DUMP_GSA, false, "calls_gsa.txt");
    dump_file("depot.ptx", LS_DUMP_GSA, false, "depot_gsa.txt");
    dump_file("decode.ptx", LS_DUMP_SSA, false, "decode_ssa.txt");
    dump_file("accesses_o3.ptx", LS_DUMP_GSA, false, "accesses_o3_gsa.txt");
    dump_file("accesses_o0.ptx", LS_DUMP_GSA, false, "accesses_o0_gsa.txt");
}

/* --- Gating: 003 Figures 8 and 9 -------------------------------------------------------------------------
 */

static const ls_ir_phi *phi_of(const built *b, const char *label, const char *reg) {
    const ls_ir_block *block = block_named(b, label);
    for (uint32_t i = 0; i < block->phi_count; i++)
        if (strcmp(b->f->registers[block->phis[i]->value->reg].name, reg) == 0) return block->phis[i];
    fail_msg("no phi of %s in %s", reg, label);
    return NULL;
}

static void test_fig9_gated_form(void **state) {
    (void)state;
    built b = build("fig8_sum_triangle.ptx", "sumTriangle");
    static const char *const carried[] = {"%i", "%s", "%d"};
    const ls_ir_block *head = block_named(&b, "l5");
    assert_int_equal(head->phi_count, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(phi_of(&b, "l5", carried[i])->kind, LS_PHI_MU);
    assert_int_equal(head->gate->kind, LS_GATE_EDGE);
    assert_int_equal(head->carried->kind, LS_GATE_EDGE);

    /* [s3] = γ[p1, s2, s1] */
    const ls_ir_phi *s3 = phi_of(&b, "l12", "%s");
    const ls_ir_gate *gate = s3->block->gate;
    bool negated;
    assert_int_equal(s3->kind, LS_PHI_GAMMA);
    assert_int_equal(gate->kind, LS_GATE_GAMMA);
    ls_ir_value *p1 = ls_ir_branch_predicate(gate->block, &negated);
    assert_string_equal(b.f->registers[p1->reg].name, "%p1");
    assert_true(negated);
    const ls_ir_value *s1 = phi_of(&b, "l5", "%s")->value;
    assert_ptr_equal(s3->args[gate->parts[0]->edge], s1); /* !p1: l12 at once */
    assert_int_equal(s3->args[gate->parts[1]->edge]->instr->op, LS_OP_ADD);
    assert_int_equal(s3->block->gate_branch_count, 1);

    /* [s4, d3] = η[p0, (s1, d1)] */
    const ls_ir_instr *store = instr_at(&b, line_of(&b, "st.global.u32 [%a], %s"));
    const ls_ir_value *s4 = store->src[1].value;
    assert_int_equal(s4->kind, LS_VALUE_ETA);
    assert_ptr_equal(s4->eta.value, s1);
    assert_ptr_equal(s4->eta.loop->header, head);
    assert_int_equal(s4->eta.loop->exit_branch_count, 1);
    assert_true(names_branch(b.f, s4->eta.loop->exit_branches, 1, "%p0"));
    assert_int_equal(b.f->stats.etas, 2);
    release(&b);
}

/* --- Loops -----------------------------------------------------------------------------------------------
 */

static void test_loops(void **state) {
    (void)state;
    built b = build("loops.ptx", "nested");
    assert_int_equal(b.f->loop_count, 2);
    const ls_ir_loop *outer = block_named(&b, "OUTER")->loop, *inner = block_named(&b, "INNER")->loop;
    assert_ptr_equal(inner->parent, outer);
    assert_int_equal(inner->depth, 2);
    assert_int_equal(outer->exit_count, 2);
    assert_int_equal(inner->exit_count, 2);
    assert_false(ls_ir_loop_contains(outer, block_named(&b, "DONE")));
    /* When the outer loop is left depends on the inner loop's own exit, too. */
    assert_int_equal(outer->exit_branch_count, 3);
    assert_true(names_branch(b.f, outer->exit_branches, 3, "%p1"));
    release(&b);

    b = build("loops.ptx", "two_exits");
    const ls_ir_block *meet = block_named(&b, "MEET");
    assert_int_equal(meet->gate->kind, LS_GATE_ETA);
    assert_int_equal(meet->gate->parts[0]->kind, LS_GATE_GAMMA);
    /* Which exit: the first predicate alone tells; which iteration: both. */
    assert_int_equal(meet->gate_branch_count, 2);
    assert_true(names_branch(b.f, meet->gate_branches, 2, "%p0") &&
                names_branch(b.f, meet->gate_branches, 2, "%p1"));
    release(&b);

    b = build("loops.ptx", "forever");
    assert_true(block_named(&b, "AGAIN")->never_exits);
    assert_ptr_equal(block_named(&b, "AGAIN")->ipdom, b.f->exit);
    release(&b);
}

/* --- Loops within loops that synchronise ----------------------------------------------------------------
 */

/* An entry of its own that a loop got: it is empty, and no step of the function that it was made of. */
static const ls_ir_block *skip_entry(const ls_ir_block *block) {
    const bool own = !block->instr_count && block->succ_count == 1 && block->pred_count;
    return own && block->succs[0]->origin == block->origin ? block->succs[0] : block;
}

/* Every path of one is a path of the other, with the same instructions: pairs of blocks that are reached by
 * the same branches. */
static void assert_same_paths(const ls_ir_function *f, const ls_ir_function *single) {
    bool *seen = calloc((size_t)f->block_count * single->block_count, sizeof *seen);
    const ls_ir_block **work = calloc((size_t)f->block_count * single->block_count + 1, sizeof *work);
    uint32_t count = 0;
    work[count++] = single->entry;
    seen[single->entry->id] = true;
    for (uint32_t i = 0; i < count; i++) {
        const ls_ir_block *b = work[i], *a = f->blocks[b->origin];
        assert_int_equal(a->instr_count, b->instr_count);
        for (uint32_t k = 0; k < a->instr_count; k++) assert_ptr_equal(a->instrs[k]->ast, b->instrs[k]->ast);
        assert_int_equal(a->succ_count, b->succ_count);
        for (uint32_t k = 0; k < a->succ_count; k++) {
            const ls_ir_block *next = skip_entry(b->succs[k]);
            assert_int_equal(next->origin, a->succs[k]->id);
            if (!seen[next->id]) work[count++] = next;
            seen[next->id] = true;
        }
    }
    free(seen);
    free(work);
}

/* The one place where the kernel arrives, once it is one loop. */
static const ls_ir_block *arrival(const ls_ir_function *f) {
    const ls_ir_block *found = NULL;
    for (uint32_t i = 0; i < f->instr_count; i++)
        if (f->instrs[i]->form->opcode->mbarrier == LS_MBARRIER_ARRIVE) {
            assert_null(found);
            found = f->instrs[i]->block;
        }
    assert_non_null(found);
    return found;
}

static void test_loops_within_loops_become_one(void **state) {
    (void)state;
    static const char *const kernels[] = {"tiles", "deep"};
    for (int i = 0; i < 2; i++) {
        built b = build("tiles.ptx", kernels[i]);
        ls_ir_function *single = ls_ir_unnested(b.f, false);
        assert_non_null(single);
        char *wrong = ls_ir_check(single);
        assert_null(wrong);
        assert_int_equal(single->irreducible_count, 0);
        assert_true(arrival(b.f)->loop->parent != NULL);
        assert_null(arrival(single)->loop->parent);
        assert_same_paths(b.f, single);
        assert_null(ls_ir_unnested(single, false));
        ls_ir_free(single);
        release(&b);
    }
    built b = build("loops.ptx", "nested"); /* nothing synchronises there */
    assert_null(ls_ir_unnested(b.f, false));
    release(&b);
}

static void test_branches(void **state) {
    (void)state;
    built b = build("branches.ptx", "switched");
    const ls_ir_block *end = block_named(&b, "END");
    assert_int_equal(b.f->entry->succ_count, 3);
    assert_int_equal(b.f->entry->terminator->target_count, 4);
    assert_ptr_equal(b.f->entry->terminator->targets[2], b.f->entry->terminator->targets[3]);
    assert_int_equal(end->gate->part_count, 3);
    assert_int_equal(end->control_count, 0);
    assert_int_equal(block_named(&b, "ONE")->control_count, 1);
    assert_int_equal(block_named(&b, "ONE")->control[0].succ, 1);
    release(&b);

    b = build("branches.ptx", "guarded");
    assert_int_equal(b.f->block_count, 4); /* debug_label splits nothing; what follows exit is gone */
    assert_int_equal(b.f->stats.unreachable_blocks, 1);
    const ls_ir_instr *add = instr_at(&b, line_of(&b, "@%p add"));
    assert_non_null(add->prior);
    assert_int_equal(add->prior[0]->instr->op, LS_OP_MOV);
    assert_ptr_equal(add->prior[0], add->src[0].value);
    const ls_ir_instr *trap = instr_at(&b, line_of(&b, "@%q trap"));
    assert_ptr_equal(trap->block->terminator, trap);
    assert_ptr_equal(trap->block->succs[0], b.f->exit);
    release(&b);

    b = build("branches.ptx", "two_entries");
    assert_int_equal(b.f->irreducible_count, 1);
    assert_true(has_diag(&b, LS_WARNING, line_of(&b, "add.u32 %r, %r, 2"),
                         "irreducible control flow in 'two_entries'"));
    assert_int_equal(block_named(&b, "SECOND")->phis[0]->kind, LS_PHI_PLAIN);
    assert_true(names_branch(b.f, block_named(&b, "SECOND")->gate_branches,
                             block_named(&b, "SECOND")->gate_branch_count, "%q"));
    release(&b);
}

/* --- Calls -----------------------------------------------------------------------------------------------
 */

static const ls_ir_instr *call_of(const built *b, const char *name) {
    for (uint32_t i = 0; i < b->f->instr_count; i++) {
        const ls_ir_call *call = b->f->instrs[i]->call;
        if (call && (name ? call->name && strcmp(call->name, name) == 0 : !call->name))
            return b->f->instrs[i];
    }
    fail_msg("no such call");
    return NULL;
}

static bool is_unresolved(const built *b, ls_ir_unresolved_kind kind, const char *name) {
    for (uint32_t i = 0; i < b->f->unresolved_count; i++) {
        const ls_ir_unresolved *u = &b->f->unresolved[i];
        if (u->kind == kind && (name ? u->name && strcmp(u->name, name) == 0 : !u->name)) return true;
    }
    return false;
}

static void test_inlining(void **state) {
    (void)state;
    built b = build("calls.ptx", "nest");
    assert_int_equal(b.f->stats.inlined_calls, 4);
    assert_int_equal(b.f->unresolved_count, 0);
    for (uint32_t i = 0; i < b.f->instr_count; i++) assert_null(b.f->instrs[i]->call);
    const ls_ir_instr *add = instr_at(&b, line_of(&b, "add.u32 %r2, %r1, %r1"));
    uint32_t inner = line_of(&b, "call (r0), twice"), outer = line_of(&b, "call (r0), larger");
    assert_int_equal(add->pos->at->line, inner);
    assert_int_equal(add->pos->at->at->line, outer);
    assert_null(add->pos->at->at->at);
    release(&b);

    ls_ir_options plain = {.no_inline = true};
    b = build_with("calls.ptx", "nest", &plain);
    assert_int_equal(b.f->stats.inlined_calls, 0);
    assert_string_equal(call_of(&b, "larger")->call->name, "larger");
    release(&b);

    ls_ir_options small = {.inline_limit = 1};
    b = build_with("calls.ptx", "nest", &small);
    assert_true(is_unresolved(&b, LS_UNRESOLVED_TOO_LARGE, "larger"));
    release(&b);
}

static void test_kept_calls(void **state) {
    (void)state;
    built b = build("calls.ptx", "kept");
    assert_true(is_unresolved(&b, LS_UNRESOLVED_RECURSIVE, "factorial"));
    assert_true(is_unresolved(&b, LS_UNRESOLVED_INDIRECT, NULL));
    assert_true(is_unresolved(&b, LS_UNRESOLVED_EXTERNAL, "__invariant"));
    assert_true(
        has_diag(&b, LS_WARNING, line_of(&b, "call (r0), factorial"), "recursive call of 'factorial'"));
    assert_true(has_diag(&b, LS_WARNING, line_of(&b, "call (r0), %rd2"), "indirect call"));
    assert_true(has_diag(&b, LS_NOTE, line_of(&b, "call __invariant"), "__invariant"));

    ls_ir_value *passed = ls_ir_argument_value(call_of(&b, "__invariant"), 0, 0);
    assert_non_null(passed);
    assert_int_equal(ls_ir_origin(passed)->instr->op, LS_OP_SELP);
    assert_null(ls_ir_argument_value(call_of(&b, "__invariant"), 1, 0));

    const ls_ir_instr *indirect = call_of(&b, NULL);
    assert_non_null(indirect->call->prototype);
    assert_int_equal(indirect->src[0].role, LS_ROLE_CALLEE);
    assert_int_equal(ls_ir_origin(indirect->src[0].value)->instr->op, LS_OP_LD);
    assert_int_equal(indirect->dst_count, 1);

    uint64_t bits;
    const ls_ir_instr *print = call_of(&b, "vprintf");
    assert_true(ls_ir_constant(ls_ir_argument_value(print, 0, 0), &bits) && bits == 0);
    assert_int_equal(ls_ir_origin(ls_ir_argument_value(print, 1, 0))->kind, LS_VALUE_OBJECT);
    const ls_ir_instr *stop = call_of(&b, "stop");
    assert_true(stop->call->no_return);
    assert_ptr_equal(stop->block->succs[0], b.f->exit);
    release(&b);
}

/* --- Promotion -------------------------------------------------------------------------------------------
 */

static const ls_ir_object *object_named(const built *b, const char *name) {
    for (uint32_t i = 0; i < b->f->object_count; i++)
        if (strcmp(b->f->objects[i]->name, name) == 0) return b->f->objects[i];
    fail_msg("no object %s", name);
    return NULL;
}

static void test_promotion(void **state) {
    (void)state;
    built b = build("depot.ptx", "slots");
    assert_int_equal(b.f->stats.promoted_slots, 7);
    assert_false(object_named(&b, "__local_depot0")->escapes);
    assert_false(object_named(&b, "__local_depot0")->promoted); /* bytes 40 … 43 overlap */
    assert_int_equal(instr_at(&b, line_of(&b, "ld.local.u32 %r5"))->src[0].value->kind, LS_VALUE_UNDEF);
    assert_int_equal(instr_at(&b, line_of(&b, "ld.local.s8"))->op, LS_OP_CVT);
    assert_int_equal(instr_at(&b, line_of(&b, "ld.local.u16"))->op, LS_OP_LD);
    /* A pointer that was kept in a slot still leads to its slot. */
    const ls_ir_value *first = instr_at(&b, line_of(&b, "ld.param.u32 %r1"))->dst[0].value;
    assert_ptr_equal(ls_ir_origin(instr_at(&b, line_of(&b, "ld.u32 %r6"))->dst[0].value), first);
    release(&b);

    b = build("depot.ptx", "indexed");
    assert_true(object_named(&b, "array")->escapes);
    assert_true(object_named(&b, "escaping")->escapes);
    assert_true(object_named(&b, "other")->promoted);
    release(&b);

    ls_ir_options plain = {.no_promote = true};
    b = build_with("depot.ptx", "slots", &plain);
    assert_int_equal(b.f->stats.promoted_slots, 0);
    release(&b);
}

/* --- Decoding --------------------------------------------------------------------------------------------
 */

static void test_decoding(void **state) {
    (void)state;
    built b = build("decode.ptx", "operands");
    assert_int_equal(instr_at(&b, line_of(&b, "add.u16"))->src[1].bits, 0xFFFF);
    assert_int_equal(instr_at(&b, line_of(&b, "0f3F800000"))->src[1].bits, 0x3F800000);
    assert_int_equal(instr_at(&b, line_of(&b, "%f1, 1.5"))->src[1].bits, 0x3FC00000);
    assert_true(instr_at(&b, line_of(&b, "add.f64"))->src[1].bits == 0x3FF8000000000000u);
    const ls_ir_instr *setp = instr_at(&b, line_of(&b, "setp.lt.and"));
    assert_int_equal(setp->dst_count, 2);
    assert_int_equal(setp->src[1].bits, 0xFFFFFFFB);
    assert_true(setp->src[2].flags & LS_OPERAND_NOT);
    const ls_ir_instr *load = instr_at(&b, line_of(&b, "ld.global.v4"));
    assert_int_equal(load->dst_count, 4);
    assert_int_equal(load->src[0].offset, 16);
    assert_string_equal(b.f->registers[load->dst[3].reg].name, "%v.w");
    assert_ptr_equal(instr_at(&b, line_of(&b, "add.u32 %r2, %v.y"))->src[0].value, load->dst[1].value);
    const ls_ir_instr *pack = instr_at(&b, line_of(&b, "mov.b64 %rd2"));
    assert_int_equal(pack->src_count, 2);
    assert_int_equal(pack->src[0].type, LS_TYPE_B32);
    const ls_ir_instr *carry = instr_at(&b, line_of(&b, "addc.u32"));
    assert_int_equal(carry->src_count, 3);
    assert_ptr_equal(carry->src[2].value, instr_at(&b, line_of(&b, "add.cc"))->dst[1].value);
    const ls_ir_instr *future = instr_at(&b, line_of(&b, "quantum"));
    assert_true(future->unknown && future->dst_count == 1 && future->src_count == 2);
    char name[64];
    ls_ir_source_name(b.f, instr_at(&b, line_of(&b, "%ctaid.y"))->dst[0].value, name, sizeof name);
    assert_string_equal(name, "blockIdx.y");
    release(&b);
}

/* --- Accesses --------------------------------------------------------------------------------------------
 */

static void expect_access(const built *b, const char *part, uint8_t space, uint8_t certainty,
                          const char *base, int64_t constant, uint32_t terms) {
    const ls_ir_access *access = access_of(b, part);
    assert_int_equal(access->space, space);
    assert_int_equal(access->space_certainty, certainty);
    assert_int_equal(access->base_count, 1);
    assert_false(access->other_bases);
    assert_string_equal(access->bases[0]->name, base);
    assert_true(access->has_offset);
    assert_int_equal(access->constant, constant);
    assert_int_equal(access->term_count, terms);
}

static void test_accesses(void **state) {
    (void)state;
    built b = build("accesses_o3.ptx", "saxpy");
    expect_access(&b, "ld.global.f32 \t%f2", LS_SPACE_GLOBAL, LS_CERTAIN, "*saxpy_param_2", 0, 1);
    const ls_ir_access *access = access_of(&b, "ld.global.f32 \t%f2");
    assert_int_equal(access->terms[0].coefficient, 4);
    assert_int_equal(access->terms[0].extend, LS_EXTEND_SIGN);
    assert_int_equal(access->bytes, 4);
    assert_int_equal(access->kind, LS_ACCESS_READ);
    char name[64];
    ls_ir_source_name(b.f, b.f->instrs[0]->dst[0].value, name, sizeof name);
    assert_string_equal(name, "param_0");
    release(&b);

    b = build("accesses_o3.ptx", "strided"); /* a pointer that goes round the loop */
    uint32_t relative = 0;
    for (uint32_t i = 0; i < b.f->access_count; i++) {
        access = b.f->accesses[i];
        if (access->space == LS_SPACE_PARAM) continue;
        assert_int_equal(access->base_count, 1);
        assert_string_equal(access->bases[0]->name, "*strided_param_0");
        for (uint32_t t = 0; t < access->term_count; t++)
            relative += access->terms[t].relative && access->terms[t].value->kind == LS_VALUE_PHI;
    }
    assert_true(relative > 0);
    release(&b);

    b = build("accesses_o3.ptx", "fields"); /* pointers in a structure */
    uint32_t offsets = 0;
    for (uint32_t i = 0; i < b.f->base_count; i++)
        if (b.f->bases[i]->kind == LS_BASE_PARAM) offsets += b.f->bases[i]->offset;
    assert_int_equal(offsets, 8 + 16);
    release(&b);

    b = build("accesses_o3.ptx", "chosen"); /* either of two, and a pointer from memory */
    uint32_t either = 0, loaded = 0;
    for (uint32_t i = 0; i < b.f->access_count; i++) {
        either += b.f->accesses[i]->base_count == 2 && !b.f->accesses[i]->other_bases;
        loaded += b.f->accesses[i]->base_count == 1 && b.f->accesses[i]->bases[0]->kind == LS_BASE_LOADED;
    }
    assert_int_equal(either, 1);
    assert_int_equal(loaded, 1);
    release(&b);
}

/* Generic accesses, as nvcc -Xcicc -O0 writes them, get the spaces that -O3 writes down. */
static void test_generic_spaces(void **state) {
    (void)state;
    built b = build("accesses_o0.ptx", "tile");
    uint32_t counts[LS_SPACE_COUNT] = {0};
    for (uint32_t i = 0; i < b.f->access_count; i++) {
        assert_true(b.f->accesses[i]->base_count == 1 && !b.f->accesses[i]->other_bases);
        counts[b.f->accesses[i]->space]++;
    }
    assert_int_equal(counts[LS_SPACE_SHARED], 4);
    assert_int_equal(counts[LS_SPACE_CONST], 1);
    assert_int_equal(counts[LS_SPACE_GLOBAL], 2);
    assert_int_equal(counts[LS_SPACE_GENERIC], 0);
    release(&b);

    b = build("accesses_o0.ptx", "saxpy");
    for (uint32_t i = 0; i < b.f->access_count; i++)
        if (b.f->accesses[i]->space == LS_SPACE_GLOBAL)
            assert_int_equal(b.f->accesses[i]->space_certainty, LS_ASSUMED);
    release(&b);
}

static void test_odd(void **state) {
    (void)state;
    built b = build("odd.ptx", "empty");
    assert_int_equal(b.f->block_count, 2);
    assert_ptr_equal(b.f->entry->succs[0], b.f->exit);
    release(&b);
    b = build("odd.ptx", "starts_with_loop"); /* the entry has no predecessors even so */
    assert_int_equal(b.f->entry->instr_count, 0);
    assert_int_equal(b.f->loop_count, 1);
    assert_int_equal(block_named(&b, "HEAD")->phis[0]->args[0]->kind, LS_VALUE_UNDEF);
    release(&b);
    b = build("odd.ptx", "stray_label");
    assert_int_equal(instr_at(&b, line_of(&b, "mov.u32 %r1, HERE"))->src[0].kind, LS_IR_OTHER);
    assert_int_equal(b.f->entry->succ_count, 1);
    assert_null(ls_ir_branch_predicate(b.f->entry, NULL));
    release(&b);
}

static void test_no_body(void **state) {
    (void)state;
    built b;
    parse_file(&b, "calls.ptx");
    assert_null(ls_ir_build(b.module, ls_ptx_find_function(b.module, "vprintf"), NULL, b.diags));
    assert_int_equal(ls_diags_errors(b.diags), 1);
    release(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dumps),          cmocka_unit_test(test_fig9_gated_form),
        cmocka_unit_test(test_loops),          cmocka_unit_test(test_loops_within_loops_become_one),
        cmocka_unit_test(test_branches),       cmocka_unit_test(test_inlining),
        cmocka_unit_test(test_kept_calls),     cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_decoding),       cmocka_unit_test(test_accesses),
        cmocka_unit_test(test_generic_spaces), cmocka_unit_test(test_odd),
        cmocka_unit_test(test_no_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
