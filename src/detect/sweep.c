/* Comparing and merging private copies inside of a block (002, §4.1 to §4.3): each thread takes 16 bytes at a
 * time of the region's range and goes through all copies, so that no two threads meet at a byte and no atomic
 * operation is needed. Bytes are told apart in masks of 0xff. Detection of writes, conflicts, the union and
 * the second pass's copies are one loop ("kernel fusion").
 *
 * The union takes the place of the original values in the kernel's own segment: what the second pass's copies
 * need of the originals is put there before. After the second pass all copies equal the union where there is
 * no race, so that the next region finds them ready. */
#include "detect/instrument.h"

#include <inttypes.h>
#include <stdio.h>

void dt_emit_sweep_declarations(emitter *e) {
    dt_emit(e, "\t.reg .u32 %%ls_k, %%ls_w, %%ls_sa, %%ls_any, %%ls_x, %%ls_m, %%ls_c, %%ls_t, %%ls_slot;");
    static const char *const chunks[] = {"old", "copy", "u", "seen", "bad"};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        for (int w = 0; w < 4; w++) dt_emit(e, "\t.reg .u32 %%ls_%s%d;", chunks[i], w);
    dt_emit(e, "\t.reg .u32 %%ls_pa32;");
    dt_emit(e, "\t.reg .u64 %%ls_pa64, %%ls_r, %%ls_ro;");
}

static const char *copy_space(const emitter *e) {
    return e->o->copies_in_shared ? "shared" : "global";
}

static const char *copy_address(const emitter *e) {
    return e->o->copies_in_shared ? "%ls_pa32" : "%ls_pa64";
}

/* %ls_sa: the chunk in the segment; the copy pointer: the chunk in the first warp's copy. */
static void emit_chunk_addresses(emitter *e) {
    dt_emit(e, "\tadd.u32 %%ls_sa, %%ls_segment, %%ls_k;");
    if (e->o->copies_in_shared) {
        dt_emit(e, "\tadd.u32 %%ls_pa32, %%ls_sa, %" PRIu64 ";", e->k->segment);
    } else {
        dt_emit(e, "\tcvt.u64.u32 %%ls_pa64, %%ls_k;");
        dt_emit(e, "\tadd.u64 %%ls_pa64, %%ls_pa64, %%ls_scratch;");
    }
    dt_emit(e, "\tmov.u32 %%ls_w, 0;");
}

static void emit_first_copy_again(emitter *e) {
    uint64_t back = e->k->segment * e->o->warps;
    dt_emit(e, "\tsub.%s %s, %s, %" PRIu64 ";", e->o->copies_in_shared ? "u32" : "u64", copy_address(e),
            copy_address(e), back);
    dt_emit(e, "\tmov.u32 %%ls_w, 0;");
}

static void emit_next_copy(emitter *e, const char *label, uint32_t number) {
    dt_emit(e, "\tadd.%s %s, %s, %" PRIu64 ";", e->o->copies_in_shared ? "u32" : "u64", copy_address(e),
            copy_address(e), e->k->segment);
    dt_emit(e, "\tadd.u32 %%ls_w, %%ls_w, 1;");
    dt_emit(e, "\tsetp.lt.u32 %%ls_p, %%ls_w, %u;", e->o->warps);
    dt_emit(e, "\t@%%ls_p bra $LS_%s%u;", label, number);
}

static void emit_chunk_loop_head(emitter *e, const char *label, const char *end) {
    dt_emit(e, "\tmad.lo.u32 %%ls_k, %%ls_tid, 16, %%ls_lo;");
    dt_emit(e, "$LS_%s:", label);
    dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_k, %%ls_hi;");
    dt_emit(e, "\t@%%ls_p bra $LS_%s;", end);
}

static void emit_chunk_loop_tail(emitter *e, const char *next, const char *label, const char *end) {
    dt_emit(e, "$LS_%s:", next);
    dt_emit(e, "\tadd.u32 %%ls_k, %%ls_k, %u;", e->o->threads * 16);
    dt_emit(e, "\tbra $LS_%s;", label);
    dt_emit(e, "$LS_%s:", end);
}

/* Goes to the label where the copy's warp wrote to no target. */
static void emit_skip_unwritten(emitter *e, const char *label) {
    dt_emit(e, "\tadd.u32 %%ls_t, %%ls_flags, %%ls_w;");
    dt_emit(e, "\tld.shared.u8 %%ls_t, [%%ls_t];");
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_t, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_%s;", label);
}

static void emit_load(emitter *e, const char *space, const char *to, const char *address) {
    dt_emit(e, "\tld.%s.v4.u32 {%%ls_%s0, %%ls_%s1, %%ls_%s2, %%ls_%s3}, [%s];", space, to, to, to, to,
            address);
}

static void emit_store(emitter *e, const char *space, const char *address, const char *from) {
    dt_emit(e, "\tst.%s.v4.u32 [%s], {%%ls_%s0, %%ls_%s1, %%ls_%s2, %%ls_%s3};", space, address, from, from,
            from, from);
}

/* %ls_any = whether the copy's chunk in %ls_copy differs from `with` in a bit. */
static void emit_differs(emitter *e, const char *with) {
    dt_emit(e, "\txor.b32 %%ls_any, %%ls_copy0, %%ls_%s0;", with);
    for (int i = 1; i < 4; i++) { /* as one lop3 it makes ptxas 13.0 crash at the setp that follows */
        dt_emit(e, "\txor.b32 %%ls_x, %%ls_copy%d, %%ls_%s%d;", i, with, i);
        dt_emit(e, "\tor.b32 %%ls_any, %%ls_any, %%ls_x;");
    }
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_any, 0;");
}

/* %ls_m = 0xff for each byte in which the copy's word differs from `with`. */
static void emit_mask(emitter *e, int word, const char *with) {
    dt_emit(e, "\txor.b32 %%ls_x, %%ls_copy%d, %%ls_%s%d;", word, with, word);
    dt_emit(e, "\tand.b32 %%ls_m, %%ls_x, 0x7f7f7f7f;");
    dt_emit(e, "\tadd.u32 %%ls_m, %%ls_m, 0x7f7f7f7f;");
    dt_emit(e, "\tor.b32 %%ls_m, %%ls_m, %%ls_x;");
    dt_emit(e, "\tprmt.b32 %%ls_m, %%ls_m, 0, 0xba98;");
}

/* Record %ls_slot of the report at %ls_r; the offset is in %ls_l. */
static void emit_record(emitter *e, ls_detect_kind kind, const char *mask, const char *warp) {
    dt_emit(e, "\tmul.wide.u32 %%ls_ro, %%ls_slot, %d;", REPORT_RECORD_BYTES);
    dt_emit(e, "\tadd.u64 %%ls_ro, %%ls_ro, %%ls_r;");
    dt_emit(e, "\tmov.u32 %%ls_t, %d;", kind);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %%ls_t;", REPORT_RECORDS);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %%ls_current;", REPORT_RECORDS + 4);
    dt_emit(e, "\tst.global.u64 [%%ls_ro+%d], %%ls_block;", REPORT_RECORDS + 8);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %%ls_epoch;", REPORT_RECORDS + 16);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %s;", REPORT_RECORDS + 20, mask);
    dt_emit(e, "\tst.global.u64 [%%ls_ro+%d], %%ls_l;", REPORT_RECORDS + 24);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %s;", REPORT_RECORDS + 32, warp);
    dt_emit(e, "\tmov.u32 %%ls_t, 0;");
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %%ls_t;", REPORT_RECORDS + 36);
}

/* Writes down the racy bytes %ls_bad0…3 of this chunk, warp %ls_w. Only reached where there are some. */
static void emit_report(emitter *e, ls_detect_kind kind) {
    dt_emit(e, "\tld.global.u64 %%ls_r, [%%ls_ctx+%d];", CTX_REPORT);
    for (int i = 0; i < 4; i++) {
        uint32_t skip = ++e->labels;
        dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_bad%d, 0;", i);
        dt_emit(e, "\t@%%ls_p bra $LS_QUIET%u;", skip);
        dt_emit(e, "\tpopc.b32 %%ls_t, %%ls_bad%d;", i);
        dt_emit(e, "\tshr.u32 %%ls_t, %%ls_t, 3;");
        dt_emit(e, "\tcvt.u64.u32 %%ls_ro, %%ls_t;");
        dt_emit(e, "\tred.global.add.u64 [%%ls_r+%d], %%ls_ro;", REPORT_BYTES);
        dt_emit(e, "\tatom.global.add.u32 %%ls_slot, [%%ls_r+%d], 1;", REPORT_COUNT);
        dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_slot, %d;", REPORT_CAPACITY);
        dt_emit(e, "\t@%%ls_p bra $LS_QUIET%u;", skip);
        char mask[32];
        snprintf(mask, sizeof mask, "%%ls_bad%d", i);
        dt_emit(e, "\tadd.u32 %%ls_t, %%ls_k, %d;", 4 * i);
        dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_t;");
        emit_record(e, kind, mask, "%ls_w");
        dt_emit(e, "$LS_QUIET%u:", skip);
    }
}

/* Figure 3, lines 3 to 9; in deterministic mode (§4.6) the last writer in the order of warps wins. */
void dt_emit_first_sweep(emitter *e) {
    bool check = !e->o->deterministic;
    emit_chunk_loop_head(e, "WW", "WW_END");
    emit_chunk_addresses(e);
    emit_load(e, "shared", "old", "%ls_sa");
    for (int i = 0; i < 4; i++) dt_emit(e, "\tmov.u32 %%ls_u%d, %%ls_old%d;", i, i);
    for (int i = 0; i < 4; i++) dt_emit(e, "\tmov.u32 %%ls_seen%d, 0;", i);
    dt_emit(e, "$LS_WW_UNION0:");
    emit_skip_unwritten(e, "WW_SAME");
    emit_load(e, copy_space(e), "copy", copy_address(e));
    emit_differs(e, "old");
    dt_emit(e, "\t@%%ls_p bra $LS_WW_SAME;");
    dt_emit(e, "\tmov.u32 %%ls_any, 0;");
    for (int i = 0; i < 4; i++) {
        emit_mask(e, i, "old");
        if (check) {
            dt_emit(e, "\tand.b32 %%ls_bad%d, %%ls_m, %%ls_seen%d;", i, i);
            dt_emit(e, "\tor.b32 %%ls_any, %%ls_any, %%ls_bad%d;", i);
        }
        dt_emit(e, "\tor.b32 %%ls_seen%d, %%ls_seen%d, %%ls_m;", i, i);
        dt_emit(e, "\tlop3.b32 %%ls_u%d, %%ls_m, %%ls_copy%d, %%ls_u%d, 0xCA;", i, i, i); /* m ? p : u */
    }
    if (check) {
        dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_any, 0;");
        dt_emit(e, "\t@%%ls_p bra $LS_WW_SAME;");
        dt_emit(e, "\tsetp.eq.u32 %%ls_found, 0, 0;");
        emit_report(e, LS_DETECT_WRITE_WRITE);
    }
    dt_emit(e, "$LS_WW_SAME:");
    emit_next_copy(e, "WW_UNION", 0);
    dt_emit(e, "\tor.b32 %%ls_any, %%ls_seen0, %%ls_seen1;");
    dt_emit(e, "\tor.b32 %%ls_any, %%ls_any, %%ls_seen2;");
    dt_emit(e, "\tor.b32 %%ls_any, %%ls_any, %%ls_seen3;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_any, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_WW_NEXT;");
    emit_store(e, "shared", "%ls_sa", "u");
    emit_first_copy_again(e);
    dt_emit(e, "$LS_WW_INIT0:");
    if (check) {
        emit_skip_unwritten(e, "WW_OTHERS");
        emit_load(e, copy_space(e), "copy", copy_address(e));
        for (int i = 0; i < 4; i++) {
            emit_mask(e, i, "old");
            dt_emit(e, "\tlop3.b32 %%ls_copy%d, %%ls_m, %%ls_old%d, %%ls_u%d, 0xCA;", i, i,
                    i); /* own: as it was */
        }
        emit_store(e, copy_space(e), copy_address(e), "copy");
        dt_emit(e, "\tbra $LS_WW_OWN;");
        dt_emit(e, "$LS_WW_OTHERS:");
    }
    emit_store(e, copy_space(e), copy_address(e), "u");
    dt_emit(e, "$LS_WW_OWN:");
    emit_next_copy(e, "WW_INIT", 0);
    emit_chunk_loop_tail(e, "WW_NEXT", "WW", "WW_END");
}

/* A thread whose sums differ between the passes: one record for each group of lanes that come here together.
 */
static void emit_hash_check(emitter *e) {
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_h, %%ls_h1;");
    dt_emit(e, "\t@%%ls_p bra $LS_HASHED;");
    dt_emit(e, "\tactivemask.b32 %%ls_m;");
    dt_emit(e, "\tneg.s32 %%ls_x, %%ls_m;");
    dt_emit(e, "\tand.b32 %%ls_m, %%ls_m, %%ls_x;"); /* the lowest lane */
    dt_emit(e, "\tmov.u32 %%ls_x, 1;");
    dt_emit(e, "\tmov.u32 %%ls_t, %%laneid;");
    dt_emit(e, "\tshl.b32 %%ls_x, %%ls_x, %%ls_t;");
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_x, %%ls_m;");
    dt_emit(e, "\t@%%ls_p bra $LS_HASHED;");
    dt_emit(e, "\tld.global.u64 %%ls_r, [%%ls_ctx+%d];", CTX_REPORT);
    dt_emit(e, "\tatom.global.add.u32 %%ls_slot, [%%ls_r+%d], 1;", REPORT_COUNT);
    dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_slot, %d;", REPORT_CAPACITY);
    dt_emit(e, "\t@%%ls_p bra $LS_HASHED;");
    dt_emit(e, "\tmov.u64 %%ls_l, -1;");
    dt_emit(e, "\tmov.u32 %%ls_m, 0;");
    emit_record(e, LS_DETECT_READ_WRITE, "%ls_m", "%ls_warp");
    dt_emit(e, "$LS_HASHED:");
}

/* Figure 3, lines 11 to 13, and from $LS_AGREE on for regions whose second pass was left out: all copies are
 * made equal to the union. */
void dt_emit_second_sweep(emitter *e) {
    if (!e->o->deterministic) emit_hash_check(e);
    for (int report = 1; report >= 0; report--) {
        const char *loop = report ? "RW" : "EQ", *end = report ? "RW_END" : "EQ_END";
        const char *next = report ? "RW_NEXT" : "EQ_NEXT", *copy = report ? "RW_COPY" : "EQ_COPY";
        if (!report) dt_emit(e, "$LS_AGREE:");
        emit_chunk_loop_head(e, loop, end);
        emit_chunk_addresses(e);
        emit_load(e, "shared", "u", "%ls_sa");
        dt_emit(e, "$LS_%s0:", copy);
        if (report) emit_skip_unwritten(e, "RW_SAME");
        emit_load(e, copy_space(e), "copy", copy_address(e));
        emit_differs(e, "u");
        dt_emit(e, "\t@%%ls_p bra $LS_%s_SAME;", loop);
        if (report) {
            for (int i = 0; i < 4; i++) {
                emit_mask(e, i, "u");
                dt_emit(e, "\tmov.u32 %%ls_bad%d, %%ls_m;", i);
            }
            emit_report(e, LS_DETECT_READ_WRITE);
        }
        emit_store(e, copy_space(e), copy_address(e), "u");
        dt_emit(e, "$LS_%s_SAME:", loop);
        emit_next_copy(e, copy, 0);
        emit_chunk_loop_tail(e, next, loop, end);
        if (report) dt_emit(e, "\tbra $LS_CHECKED;");
    }
    dt_emit(e, "$LS_CHECKED:");
}

/* Line 1: all copies are what the segment is (which, at the kernel's start, is nothing in particular). */
void dt_emit_first_copies(emitter *e) {
    dt_emit(e, "\tmov.u32 %%ls_lo, 0;");
    dt_emit(e, "\tmov.u32 %%ls_hi, %" PRIu64 ";", e->k->segment);
    dt_emit(e, "\tmov.u32 %%ls_region, 0;");
    emit_chunk_loop_head(e, "COPY", "COPY_END");
    emit_chunk_addresses(e);
    emit_load(e, "shared", "u", "%ls_sa");
    dt_emit(e, "$LS_COPY_ONE0:");
    emit_store(e, copy_space(e), copy_address(e), "u");
    emit_next_copy(e, "COPY_ONE", 0);
    emit_chunk_loop_tail(e, "COPY_NEXT", "COPY", "COPY_END");
}
