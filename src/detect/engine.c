/* The two-pass scheme around a kernel's body (002, Figure 3), for races within a block.
 *
 * Every barrier and every exit of the body becomes a jump to one place, $LS_END, with the number of the
 * region that would come next in %ls_next. All threads of the block meet there, also those that have left the
 * kernel already. If the region that has just run is checked and this was its first pass, the private copies
 * are compared and prepared for the second pass, each thread's registers are restored, and it goes back to
 * the region's start; after the second pass, or where there is nothing to check, it goes on to the next
 * region. So barriers may stand in loops and under conditions as they like.
 *
 * Shared memory of a block: the kernel's own segment (the paper's S, and U once it is merged), the warps'
 * private copies behind it where they fit, and control: a word for each warp with the pages that it wrote and
 * with WORD_ bits, and the region's number. There are two sets, used in turn, so that a warp may be one
 * region ahead. A region that is checked costs two barriers (before and after the first sweep), and one more
 * before a region that is not: a warp looks only at its own copy in the second sweep. A region that reads
 * nothing of what it writes needs no second pass: it goes on behind the first sweep. A barrier between
 * regions that are not checked stays as it is, unless threads may leave the kernel while others go on to
 * barriers.
 *
 * Regions that are not checked write to the segment itself; %ls_stale has the pages that the private copies
 * lack since then. They are taken over before a region that is checked. */
#include "detect/instrument.h"
#include "detect/saved.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_WARPS = 32, CONTROL_REGION = 4 * MAX_WARPS, CONTROL_SET = CONTROL_REGION + 16 };

/* Bits of a warp's word besides its pages. */
#define WORD_ALIVE   0x80000000u /* some thread goes on behind the barrier … */
#define WORD_NEXT    0x40000000u /* … to a region that is checked */
#define WORD_CHECKED 0x20000000u /* this region is checked … */
#define WORD_TWICE   0x10000000u /* … and has a second pass */

static uint64_t control_offset(const emitter *e) {
    uint64_t copies = e->o->copies_in_shared ? e->o->warps : 0;
    return e->k->segment * (1 + copies);
}

uint64_t dt_instrumented_shared(const kernel *k, const instrument_options *options) {
    return k->segment * (1 + (options->copies_in_shared ? options->warps : 0)) + 2 * CONTROL_SET;
}

/* --- Across the warp -------------------------------------------------------------------------------------
 */

/* The lanes of the warp, as a register or a number. */
static const char *members(const emitter *e) {
    return e->o->threads % 32 ? "%ls_members" : "0xffffffff";
}

void dt_emit_warp_barrier(emitter *e) {
    dt_emit(e, "\tbar.warp.sync %s;", members(e));
}

/* to = the values of all lanes of the warp, united. */
static void emit_warp_or(emitter *e, const char *to, const char *from) {
    if (e->o->has_redux) {
        dt_emit(e, "\tredux.sync.or.b32 %s, %s, %s;", to, from, members(e));
        return;
    }
    uint32_t label = ++e->labels; /* bit by bit, the highest first */
    dt_emit(e, "\tmov.u32 %%ls_j, %s;", from);
    dt_emit(e, "\tmov.u32 %s, 0;", to);
    dt_emit(e, "\tmov.u32 %%ls_i, 32;");
    dt_emit(e, "$LS_OR%u:", label);
    dt_emit(e, "\tsetp.lt.s32 %%ls_p, %%ls_j, 0;");
    dt_emit(e, "\tvote.sync.any.pred %%ls_p, %%ls_p, %s;", members(e));
    dt_emit(e, "\tselp.u32 %%ls_flag, 1, 0, %%ls_p;");
    dt_emit(e, "\tmad.lo.u32 %s, %s, 2, %%ls_flag;", to, to);
    dt_emit(e, "\tshl.b32 %%ls_j, %%ls_j, 1;");
    dt_emit(e, "\tsub.u32 %%ls_i, %%ls_i, 1;");
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_i, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_OR%u;", label);
}

/* --- What is seldom needed is computed where it is ---------------------------------------------------------
 */

void dt_emit_context(emitter *e) {
    dt_emit(e, "\tld.param.u64 %%ls_ctx, [ls_context];");
    dt_emit(e, "\tcvta.to.global.u64 %%ls_ctx, %%ls_ctx;");
}

void dt_emit_report_slot(emitter *e, const char *report, const char *slot, const char *predicate,
                         const char *none) {
    dt_emit(e, "\tatom.global.add.u32 %s, [%s+%d], 1;", slot, report, REPORT_COUNT);
    dt_emit(e, "\tsetp.ge.u32 %s, %s, %d;", predicate, slot, REPORT_CAPACITY);
    dt_emit(e, "\t@%s %s;", predicate, none);
    dt_emit(e, "\tsetp.eq.u32 %s, %s, 0;", predicate, slot);
    dt_emit(e, "\tld.global.u64 %%ls_told, [%%ls_ctx+%d];", CTX_FLAG);
    dt_emit(e, "\tld.param.u64 %%ls_number, [ls_number];");
    dt_emit(e, "\t@%s st.global.u64 [%%ls_told], %%ls_number;", predicate);
}

/* The number of the region that has just run: threads that left the kernel know it from the others. */
void dt_emit_region_number(emitter *e, const char *to) {
    dt_emit(e, "\tmad.lo.u32 %s, %%ls_turn, %d, %%ls_segment;", to, CONTROL_SET);
    dt_emit(e, "\tld.shared.u32 %s, [%s+%" PRIu64 "];", to, to, control_offset(e) + CONTROL_REGION);
}

/* --- Start -----------------------------------------------------------------------------------------------
 */

void dt_emit_block_declarations(emitter *e) {
    dt_emit(e, "\t.reg .u32 %%ls_tid, %%ls_warp, %%ls_lane, %%ls_pass, %%ls_next, %%ls_region, %%ls_epoch;");
    dt_emit(e, "\t.reg .u32 %%ls_h, %%ls_h1, %%ls_hv, %%ls_hw;");
    dt_emit(e, "\t.reg .u32 %%ls_d, %%ls_dirty, %%ls_turn, %%ls_word, %%ls_all, %%ls_stale, %%ls_members;");
    dt_emit(e, "\t.reg .u32 %%ls_segment, %%ls_sd, %%ls_own, %%ls_live, %%ls_count;");
    dt_emit(e, "\t.reg .u64 %%ls_sd64, %%ls_own64, %%ls_window, %%ls_scratch, %%ls_block;");
    dt_emit(e, "\t.reg .pred %%ls_found, %%ls_vote, %%ls_first, %%ls_single;");
    dt_declare_saved(e);
    dt_declare_local(e);
    dt_emit_sweep_declarations(e);
    if (e->undo) {
        dt_emit(e, "\t.reg .u64 %%ls_undo, %%ls_undo_at, %%ls_undo_step, %%ls_undo_old, %%ls_undo_to;");
        dt_emit(e, "\t.reg .u32 %%ls_undo_count, %%ls_undo_limit, %%ls_undo_size;");
        dt_emit(e, "\t.reg .pred %%ls_undo_p;");
    }
}

/* %ls_block: the number of the block in the grid. */
void dt_emit_block_number(emitter *e) {
    dt_emit(e, "\tmov.u32 %%ls_i, %%ctaid.z;");
    dt_emit(e, "\tmov.u32 %%ls_j, %%nctaid.y;");
    dt_emit(e, "\tmul.wide.u32 %%ls_block, %%ls_i, %%ls_j;");
    dt_emit(e, "\tmov.u32 %%ls_i, %%ctaid.y;");
    dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_i;");
    dt_emit(e, "\tadd.u64 %%ls_block, %%ls_block, %%ls_l;");
    dt_emit(e, "\tmov.u32 %%ls_i, %%nctaid.x;");
    dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_i;");
    dt_emit(e, "\tmul.lo.u64 %%ls_block, %%ls_block, %%ls_l;");
    dt_emit(e, "\tmov.u32 %%ls_i, %%ctaid.x;");
    dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_i;");
    dt_emit(e, "\tadd.u64 %%ls_block, %%ls_block, %%ls_l;");
}

void dt_emit_thread_numbers(emitter *e) {
    dt_emit(e, "\tmov.u32 %%ls_tid, %%tid.z;");
    dt_emit(e, "\tmov.u32 %%ls_i, %%ntid.y;");
    dt_emit(e, "\tmov.u32 %%ls_j, %%tid.y;");
    dt_emit(e, "\tmad.lo.u32 %%ls_tid, %%ls_tid, %%ls_i, %%ls_j;");
    dt_emit(e, "\tmov.u32 %%ls_i, %%ntid.x;");
    dt_emit(e, "\tmov.u32 %%ls_j, %%tid.x;");
    dt_emit(e, "\tmad.lo.u32 %%ls_tid, %%ls_tid, %%ls_i, %%ls_j;");
    dt_emit(e, "\tshr.u32 %%ls_warp, %%ls_tid, 5;");
    dt_emit(e, "\tand.b32 %%ls_lane, %%ls_tid, 31;");
}

/* The distance from an address in .shared to the same generic one. */
static void emit_window(emitter *e) {
    dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_segment;");
    dt_emit(e, "\tcvta.shared.u64 %%ls_window, %%ls_l;");
    dt_emit(e, "\tsub.u64 %%ls_window, %%ls_window, %%ls_l;");
}

/* Distances from an address of the segment to the same place in the warp's copy. %ls_own (in shared memory)
 * or %ls_own64 (in global memory) is this warp's; %ls_sd and %ls_sd64 are the ones in force, 0 or the shared
 * window in regions that are not checked. */
static void emit_distances(emitter *e) {
    dt_emit(e, "\tmov.u32 %%ls_segment, ls_segment;");
    if (e->o->copies_in_shared) {
        dt_emit(e, "\tadd.u32 %%ls_i, %%ls_warp, 1;");
        dt_emit(e, "\tmul.lo.u32 %%ls_own, %%ls_i, %" PRIu64 ";", e->k->segment);
        dt_emit(e, "\tcvt.u64.u32 %%ls_own64, %%ls_own;");
        emit_window(e);
        return;
    }
    dt_emit_block_number(e);
    dt_emit(e, "\tld.global.u64 %%ls_scratch, [%%ls_ctx+%d];", CTX_SCRATCH);
    dt_emit(e, "\tmul.lo.u64 %%ls_l, %%ls_block, %" PRIu64 ";", e->k->segment * e->o->warps);
    dt_emit(e, "\tadd.u64 %%ls_scratch, %%ls_scratch, %%ls_l;"); /* the block's copies */
    dt_emit(e, "\tcvta.global.u64 %%ls_own64, %%ls_scratch;");
    dt_emit(e, "\tmul.wide.u32 %%ls_l, %%ls_warp, %" PRIu64 ";", e->k->segment);
    dt_emit(e, "\tadd.u64 %%ls_own64, %%ls_own64, %%ls_l;");
    dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_segment;");
    dt_emit(e, "\tsub.u64 %%ls_own64, %%ls_own64, %%ls_l;");
    emit_window(e);
}

static void emit_undo_prologue(emitter *e) {
    dt_emit_block_number(e);
    dt_emit(e, "\tld.global.u64 %%ls_undo, [%%ls_ctx+%d];", CTX_UNDO);
    dt_emit(e, "\tld.global.u32 %%ls_undo_limit, [%%ls_ctx+%d];", CTX_UNDO_ENTRIES);
    dt_emit(e, "\tmul.lo.u64 %%ls_l, %%ls_block, %u;", e->o->threads);
    dt_emit(e, "\tcvt.u64.u32 %%ls_undo_step, %%ls_undo_limit;");
    dt_emit(e, "\tmul.lo.u64 %%ls_l, %%ls_l, %%ls_undo_step;");
    dt_emit(e, "\tcvt.u64.u32 %%ls_undo_step, %%ls_tid;");
    dt_emit(e, "\tadd.u64 %%ls_l, %%ls_l, %%ls_undo_step;");
    dt_emit(e, "\tshl.b64 %%ls_l, %%ls_l, 4;");
    dt_emit(e, "\tadd.u64 %%ls_undo, %%ls_undo, %%ls_l;");
    dt_emit(e, "\tmov.u32 %%ls_undo_count, 0;");
}

/* The pages of the segment that a region which is not compared may write, by what its stores say: they note
 * none themselves. */
static uint32_t pages_written(const emitter *e, const region *r) {
    uint64_t pages = 0;
    for (uint32_t i = 0; i < e->k->ir->access_count; i++) {
        const ls_ir_access *a = e->k->ir->accesses[i];
        const access_info *info = &e->k->accesses[i];
        if (a->kind == LS_ACCESS_READ || !ls_bitset_has(&r->instrs, a->instr->id) ||
            !dt_access_may_target(e->k, a, true) || !dt_stays_in_segment(e, a->instr))
            continue;
        if (!info->certain || info->object == LS_IR_NONE) return PAGE_BITS;
        const object *o = &e->k->objects[info->object];
        if (!o->size) continue;
        uint64_t first = o->layout >> dt_page_shift(e->k),
                 last = (o->layout + o->size - 1) >> dt_page_shift(e->k);
        for (uint64_t p = first; p <= last && p < MAX_PAGES; p++) pages |= UINT64_C(1) << p;
    }
    return (uint32_t)pages;
}

static void emit_start(emitter *e, uint32_t r) {
    uint32_t pages = e->k->regions[r].checked ? 0 : pages_written(e, &e->k->regions[r]);
    dt_emit(e, "$LS_START%u:", r);
    if (pages) dt_emit(e, "\tor.b32 %%ls_dirty, %%ls_dirty, 0x%x;", pages);
}

/* The copies lack all of the segment at first (which, at the kernel's start, is nothing in particular). */
void dt_emit_block_prologue(emitter *e) {
    dt_emit_context(e);
    dt_emit_thread_numbers(e);
    emit_distances(e);
    if (e->o->both) dt_emit_grid_prologue(e);
    if (e->undo) emit_undo_prologue(e);
    if (e->o->log) dt_emit_block_number(e);
    dt_emit_undefined(e);
    if (e->o->threads % 32) {
        dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_warp, %u;", e->o->warps - 1);
        dt_emit(e, "\tselp.u32 %%ls_members, 0x%x, 0xffffffff, %%ls_p;", (1u << e->o->threads % 32) - 1);
    }
    dt_emit(e, "\tmov.u32 %%ls_h, 0;");
    dt_emit(e, "\tmov.u32 %%ls_h1, 0;");
    dt_emit(e, "\tmov.u32 %%ls_turn, 0;");
    dt_emit(e, "\tmov.u32 %%ls_pass, 0;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_first, %%ls_pass, 0;");
    dt_emit(e, "\tmov.u32 %%ls_epoch, 0;");
    dt_emit(e, "\tmov.u32 %%ls_next, 0;");
    dt_emit(e, "\tmov.u32 %%ls_count, 0;");
    uint64_t pages = e->k->segment ? ((e->k->segment - 1) >> dt_page_shift(e->k)) + 1 : 0;
    dt_emit(e, "\tmov.u32 %%ls_stale, 0x%x;", (uint32_t)((UINT64_C(1) << pages) - 1));
    dt_emit(e, "\tmov.u32 %%ls_all, 0x%x;", WORD_ALIVE | (e->k->regions[0].checked ? WORD_NEXT : 0));
    if (e->k->has_reduction_barrier) dt_emit(e, "\tsetp.ne.u32 %%ls_vote, 0, 0;");
    dt_emit(e, "\tbra $LS_COMMIT;");
    emit_start(e, 0);
}

/* --- Barriers and regions --------------------------------------------------------------------------------
 */

static void emit_vote(emitter *e, const ls_ir_instr *instr) {
    if (!e->k->has_reduction_barrier) return;
    if (!instr->dst_count) {
        dt_emit(e, "\tsetp.ne.u32 %%ls_vote, 0, 0;");
        return;
    }
    const ls_ptx_operand *p = &instr->ast->operands[instr->ast->operand_count - 1];
    if (p->kind != LS_OPERAND_REGISTER)
        dt_emit(e, "\tsetp.ne.u32 %%ls_vote, %" PRIu64 ", 0;", p->kind == LS_OPERAND_INT ? p->value : 0);
    else
        dt_emit(e, "\t%s.pred %%ls_vote, %s;", p->flags & LS_OPERAND_NOT ? "not" : "mov", p->symbol->name);
}

/* Whether nothing has to be done at the barrier. */
static bool stays(const emitter *e, const ls_ir_instr *barrier) {
    bool needed = e->k->exits_early || e->k->regions[e->k->region_of_barrier[barrier->id]].checked;
    for (uint32_t i = 0; i < e->k->region_count && !needed; i++)
        needed = e->k->regions[i].checked && ls_bitset_has(&e->k->regions[i].instrs, barrier->id);
    return !needed;
}

void dt_emit_barrier(emitter *e, const ls_ir_instr *instr) {
    uint32_t r = e->k->region_of_barrier[instr->id];
    const ls_ptx_instr *ast = instr->ast;
    if (stays(e, instr)) {
        dt_emit_instr(e, ast);
        emit_start(e, r);
        return;
    }
    if (ast->guard)
        dt_emit(e, "\t@%s%s bra $LS_START%u;", ast->guard_negated ? "" : "!", ast->guard->name, r);
    emit_vote(e, instr);
    if (!e->o->deterministic) dt_emit_hash_of_live(e, instr);
    dt_emit(e, "\tmov.u32 %%ls_next, %u;", r);
    dt_emit(e, "\tor.b32 %%ls_dirty, %%ls_dirty, 0x%x;",
            WORD_ALIVE | (e->k->regions[r].checked ? WORD_NEXT : 0));
    dt_emit(e, "\tbra $LS_END;");
    emit_start(e, r);
}

/* What bar.red leaves in its destination, from the number of votes and of threads that took part. */
static void emit_reduction_result(emitter *e, const ls_ir_instr *instr) {
    if (!instr || !instr->dst_count) return;
    const ls_ptx_form *form = instr->form;
    const ls_ptx_operand *dst = &instr->ast->operands[0];
    if (dst->kind != LS_OPERAND_REGISTER) return;
    if (ls_ptx_form_has(form, LS_MOD_POPC))
        dt_emit(e, "\tmov.b32 %s, %%ls_count;", dst->symbol->name);
    else if (ls_ptx_form_has(form, LS_MOD_AND))
        dt_emit(e, "\tsetp.eq.u32 %s, %%ls_count, %%ls_live;", dst->symbol->name);
    else
        dt_emit(e, "\tsetp.ne.u32 %s, %%ls_count, 0;", dst->symbol->name);
}

/* Goes to LABEL<region> by %ls_region: a tree of branches. */
static void emit_dispatch(emitter *e, const char *label, uint32_t from, uint32_t to) {
    if (to - from == 1) {
        dt_emit(e, "\tbra $LS_%s%u;", label, from);
        return;
    }
    uint32_t middle = from + (to - from) / 2, below = ++e->labels;
    dt_emit(e, "\tsetp.lt.u32 %%ls_p, %%ls_region, %u;", middle);
    dt_emit(e, "\t@%%ls_p bra $LS_BELOW%u;", below);
    emit_dispatch(e, label, middle, to);
    dt_emit(e, "$LS_BELOW%u:", below);
    emit_dispatch(e, label, from, middle);
}

/* The distance in force: to the warp's copy, or to the segment itself. */
static void emit_distance_of(emitter *e, bool checked) {
    if (e->o->copies_in_shared) {
        dt_emit(e, checked ? "\tmov.u32 %%ls_sd, %%ls_own;" : "\tmov.u32 %%ls_sd, 0;");
        dt_emit(e, "\tcvt.u64.u32 %%ls_sd64, %%ls_sd;");
    } else {
        dt_emit(e, checked ? "\tmov.u64 %%ls_sd64, %%ls_own64;" : "\tmov.u64 %%ls_sd64, %%ls_window;");
    }
}

void dt_emit_save_and_restore(emitter *e) {
    for (uint32_t i = 0; i < e->k->region_count; i++) {
        const region *r = &e->k->regions[i];
        bool checked = r->checked;
        dt_emit(e, "$LS_SAVE%u:", i);
        emit_reduction_result(e, r->barrier);
        emit_distance_of(e, checked);
        dt_emit(e, "\tmov.u32 %%ls_h, 0;");
        dt_emit(e, "\tmov.u32 %%ls_dirty, 0x%x;",
                (checked ? WORD_CHECKED : 0) | (checked && r->twice ? WORD_TWICE : 0));
        if (checked) {
            dt_emit(e, "\tmad.lo.u32 %%ls_i, %%ls_turn, %d, %%ls_segment;", CONTROL_SET);
            dt_emit(e, "\tst.shared.u32 [%%ls_i+%" PRIu64 "], %%ls_region;",
                    control_offset(e) + CONTROL_REGION);
        }
        bool twice = checked && r->twice && !e->o->deterministic;
        if (twice) {
            dt_emit_moves(e, r, false);
            if (r->writes_local) dt_copy_local(e, false);
        }
        dt_emit(e, "\tbra $LS_START%u;", i);
        dt_emit(e, "$LS_RESTORE%u:", i);
        if (twice) {
            dt_emit(e, "\tmov.u32 %%ls_h, 0;");
            dt_emit_moves(e, r, true);
            if (r->writes_local) dt_copy_local(e, true);
            dt_emit(e, "\tbra $LS_START%u;", i);
        }
    }
}

/* --- The undo log of global memory -----------------------------------------------------------------------
 */

/* Entries of the thread, newest first; each is an address with the size in its upper bits, and old bytes. */
static void emit_undo(emitter *e) {
    if (!e->undo) return;
    dt_emit(e, "\tsetp.gt.u32 %%ls_found, %%ls_undo_count, %%ls_undo_limit;");
    dt_emit(e, "\tbarrier.red.or.pred %%ls_found, 0, %%ls_found;");
    dt_emit(e, "\t@!%%ls_found bra $LS_UNDO;");
    dt_emit_context(e);
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_REPORT);
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_tid, 0;");
    dt_emit(e, "\t@%%ls_p red.global.add.u64 [%%ls_l+%d], 1;", REPORT_UNDONE);
    dt_emit(e, "\tbra $LS_UNDONE;");
    dt_emit(e, "$LS_UNDO:");
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_undo_count, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_UNDONE;");
    dt_emit(e, "\tsub.u32 %%ls_undo_count, %%ls_undo_count, 1;");
    dt_emit(e, "\tmul.wide.u32 %%ls_undo_at, %%ls_undo_count, %u;", e->o->threads * 16);
    dt_emit(e, "\tadd.u64 %%ls_undo_at, %%ls_undo_at, %%ls_undo;");
    dt_emit(e, "\tld.global.v2.u64 {%%ls_undo_to, %%ls_undo_old}, [%%ls_undo_at];");
    dt_emit(e, "\tshr.u64 %%ls_l, %%ls_undo_to, 60;");
    dt_emit(e, "\tcvt.u32.u64 %%ls_undo_size, %%ls_l;");
    dt_emit(e, "\tand.b64 %%ls_undo_to, %%ls_undo_to, 0x0fffffffffffffff;");
    static const uint32_t sizes[] = {1, 2, 4, 8};
    for (size_t i = 0; i < 4; i++) {
        dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_undo_size, %u;", sizes[i]);
        dt_emit(e, "\t@%%ls_p st.global.u%u [%%ls_undo_to], %%ls_undo_old;", sizes[i] * 8);
    }
    dt_emit(e, "\tbra $LS_UNDO;");
    dt_emit(e, "$LS_UNDONE:");
    dt_emit(e, "\tmov.u32 %%ls_undo_count, 0;");
}

/* --- The place where all regions end ---------------------------------------------------------------------
 */

/* %ls_all = the words of all warps, united; %ls_word: that of the warp with this lane's number. */
static void emit_exchange(emitter *e) {
    dt_emit(e, "\tmad.lo.u32 %%ls_sa, %%ls_turn, %d, %%ls_segment;", CONTROL_SET);
    dt_emit(e, "\tmad.lo.u32 %%ls_t, %%ls_warp, 4, %%ls_sa;");
    dt_emit(e, "\tst.shared.u32 [%%ls_t+%" PRIu64 "], %%ls_d;", control_offset(e));
    dt_emit(e, "\tbarrier.sync 0;");
    dt_emit(e, "\tmov.u32 %%ls_word, 0;");
    dt_emit(e, "\tsetp.lt.u32 %%ls_p, %%ls_lane, %u;", e->o->warps);
    dt_emit(e, "\tmad.lo.u32 %%ls_t, %%ls_lane, 4, %%ls_sa;");
    dt_emit(e, "\t@%%ls_p ld.shared.u32 %%ls_word, [%%ls_t+%" PRIu64 "];", control_offset(e));
    if (e->o->threads % 32 == 0) {
        emit_warp_or(e, "%ls_all", "%ls_word");
        return;
    }
    dt_emit(e, "\tmov.u32 %%ls_all, 0;"); /* a warp of few lanes cannot share this out */
    for (uint32_t w = 0; w < e->o->warps; w++) {
        dt_emit(e, "\tld.shared.u32 %%ls_t, [%%ls_sa+%" PRIu64 "];", control_offset(e) + 4 * w);
        dt_emit(e, "\tor.b32 %%ls_all, %%ls_all, %%ls_t;");
    }
}

/* The end of a region's first pass; goes on where there is something to compare. */
static void emit_first_end(emitter *e) {
    emit_exchange(e);
    dt_emit(e, "\tand.b32 %%ls_pages, %%ls_all, 0x%x;", PAGE_BITS);
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_pages, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_COMMIT;"); /* nobody wrote to a target: no need for a second pass */
    dt_emit(e, "\tand.b32 %%ls_t, %%ls_all, 0x%x;", WORD_CHECKED);
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_t, 0;");
    dt_emit(e, "\t@!%%ls_p or.b32 %%ls_stale, %%ls_stale, %%ls_pages;");
    dt_emit(e, "\t@!%%ls_p bra $LS_COMMIT;");
}

static void emit_commit(emitter *e, uint32_t out) {
    dt_emit(e, "$LS_COMMIT:");
    if (e->k->has_reduction_barrier) {
        dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_next, %u;", out);
        dt_emit(e, "\tbarrier.red.popc.u32 %%ls_live, 0, %%ls_p;");
        dt_emit(e, "\tbarrier.red.popc.u32 %%ls_count, 0, %%ls_vote;");
    }
    if (e->undo) dt_emit(e, "\tmov.u32 %%ls_undo_count, 0;");
    dt_emit(e, "\txor.b32 %%ls_turn, %%ls_turn, 1;");
    dt_emit(e, "\tsetp.ge.s32 %%ls_p, %%ls_all, 0;"); /* WORD_ALIVE */
    dt_emit(e, "\t@%%ls_p ret;");
    dt_emit(e, "\tand.b32 %%ls_t, %%ls_all, 0x%x;", WORD_NEXT);
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_t, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_READY;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_stale, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_READY;");
    dt_emit(e, "\tmov.u32 %%ls_pages, %%ls_stale;");
    dt_emit(e, "\tmov.u32 %%ls_stale, 0;");
    dt_emit_agreement(e);
    dt_emit(e, "$LS_READY:");
    dt_emit(e, "\tmov.u32 %%ls_region, %%ls_next;");
    dt_emit(e, "\tmov.u32 %%ls_dirty, 0;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_region, %u;", out);
    dt_emit(e, "\t@%%ls_p bra $LS_END;");
    emit_dispatch(e, "SAVE", 0, e->k->region_count);
}

/* Behind a second pass. Who goes on to a region that is not checked writes to the segment, with which others
 * may still compare; and what was undone in global memory has to have been stored again. */
static void emit_wait_for_others(emitter *e) {
    if (!e->undo) {
        dt_emit(e, "\tand.b32 %%ls_t, %%ls_all, 0x%x;", WORD_NEXT);
        dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_t, 0;");
        dt_emit(e, "\t@%%ls_p bra $LS_TOGETHER;");
    }
    dt_emit(e, "\tbarrier.sync 0;");
    dt_emit(e, "$LS_TOGETHER:");
}

static bool has_async_copies(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->instr_count; i++)
        if (k->ir->instrs[i]->form->opcode->copy == LS_COPY_START) return true;
    return false;
}

void dt_emit_engine(emitter *e) {
    uint32_t out = e->k->region_count; /* the number of "has left the kernel" */
    if (e->k->has_reduction_barrier) dt_emit(e, "\tsetp.ne.u32 %%ls_vote, 0, 0;");
    dt_emit(e, "\tmov.u32 %%ls_next, %u;", out);
    dt_emit(e, "$LS_END:");
    if (has_async_copies(e->k)) dt_emit(e, "\tcp.async.wait_all;"); /* they went to the warp's copy */
    emit_warp_or(e, "%ls_d", "%ls_dirty");
    if (!e->o->deterministic) {
        dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_pass, 0;");
        dt_emit(e, "\t@%%ls_p bra $LS_SECOND;");
    }
    emit_first_end(e);
    dt_emit(e, "\tmov.u32 %%ls_h1, %%ls_h;");
    emit_undo(e);
    if (!e->undo) dt_emit(e, "\tsetp.ne.u32 %%ls_found, 0, 0;");
    if (e->single) {
        dt_emit(e, "\tand.b32 %%ls_t, %%ls_all, 0x%x;", WORD_TWICE);
        dt_emit(e, "\tsetp.eq.u32 %%ls_single, %%ls_t, 0;");
    }
    dt_emit_first_sweep(e); /* sets %ls_found where it found something, or leaves it */
    if (e->o->deterministic) {
        dt_emit(e, "\tbarrier.sync 0;");
    } else {
        dt_emit(e, "\tbarrier.red.or.pred %%ls_found, 0, %%ls_found;");
        if (e->single) dt_emit(e, "\t@%%ls_single bra $LS_SINGLE;");
        dt_emit(e, "\t@%%ls_found bra $LS_AGREE;"); /* the second pass would only find the same again */
        dt_emit(e, "\tmov.u32 %%ls_pass, 1;");
        dt_emit(e, "\tsetp.eq.u32 %%ls_first, %%ls_pass, 0;");
        dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_region, %u;", out);
        dt_emit(e, "\t@%%ls_p bra $LS_END;");
        emit_dispatch(e, "RESTORE", 0, e->k->region_count);
        dt_emit(e, "$LS_AGREE:");
        dt_emit(e, "\tand.b32 %%ls_pages, %%ls_all, 0x%x;", PAGE_BITS);
        dt_emit_agreement(e);
        dt_emit(e, "\tbra $LS_CHECKED;");
        dt_emit(e, "$LS_SECOND:");
        dt_emit_second_sweep(e);
        dt_emit(e, "$LS_CHECKED:");
        emit_wait_for_others(e);
        if (e->single) { /* the copies are brought up to date before they are used */
            dt_emit(e, "\tbra $LS_DONE;");
            dt_emit(e, "$LS_SINGLE:");
            dt_emit(e, "\tand.b32 %%ls_t, %%ls_all, 0x%x;", PAGE_BITS);
            dt_emit(e, "\tor.b32 %%ls_stale, %%ls_stale, %%ls_t;");
            dt_emit(e, "$LS_DONE:");
        }
        dt_emit(e, "\tmov.u32 %%ls_pass, 0;");
        dt_emit(e, "\tsetp.eq.u32 %%ls_first, %%ls_pass, 0;");
    }
    dt_emit(e, "\tadd.u32 %%ls_epoch, %%ls_epoch, 1;");
    emit_commit(e, out);
}
