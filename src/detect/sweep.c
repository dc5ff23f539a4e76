/* Comparing and merging private copies inside of a block (002, §4.1 to §4.3). Memory is taken in pages; a
 * page that no warp wrote costs nothing. No atomic operation is needed, and all accesses are coalesced:
 *   - first sweep: each page that was written belongs to one warp, a lane takes a chunk of it and goes
 * through the copies of those warps that wrote to the page. Detection of writes, conflicts, the union and the
 * second pass's copies are one loop ("kernel fusion"). Bytes are told apart in masks of 0xff.
 *   - second sweep: each warp compares the pages that it wrote in its own copy with the union, so that no
 * barrier is needed before or after.
 *   - agreement: each warp takes over pages from the segment into its own copy.
 *
 * The union takes the place of the original values in the kernel's own segment: what the second pass's copies
 * need of the originals is put there before. After the second pass all copies equal the union where there is
 * no race, so that the next region finds them ready. */
#include "detect/instrument.h"

#include <inttypes.h>
#include <stdio.h>

/* A chunk: what a lane takes at a time. A page is at least what a warp takes at a time. */
enum { WORDS = 2, CHUNK = 4 * WORDS, ROW = 32 * CHUNK };

uint32_t dt_page_shift(const kernel *k) {
    uint32_t shift = 31 - (uint32_t)__builtin_clz(ROW);
    while (k->segment > (uint64_t)MAX_PAGES << shift) shift++;
    return shift;
}

static uint32_t page_bytes(const emitter *e) {
    return 1u << dt_page_shift(e->k);
}

static uint32_t lanes_of_last_warp(const emitter *e) {
    return e->o->threads % 32 ? e->o->threads % 32 : 32;
}

void dt_emit_sweep_declarations(emitter *e) {
    dt_emit(e,
            "\t.reg .u32 %%ls_k, %%ls_w, %%ls_sa, %%ls_any, %%ls_x, %%ls_m, %%ls_t, %%ls_slot, %%ls_page;");
    dt_emit(e, "\t.reg .u32 %%ls_writers, %%ls_left, %%ls_many, %%ls_pages, %%ls_till;");
    static const char *const chunks[] = {"old", "copy", "u", "seen", "bad"};
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        for (int w = 0; w < WORDS; w++) dt_emit(e, "\t.reg .u32 %%ls_%s%d;", chunks[i], w);
    dt_emit(e, "\t.reg .u32 %%ls_pa32, %%ls_pb32;");
    dt_emit(e, "\t.reg .u64 %%ls_pa64, %%ls_pb64, %%ls_r, %%ls_ro;");
}

/* --- Addresses -------------------------------------------------------------------------------------------
 */

static const char *copy_space(const emitter *e) {
    return e->o->copies_in_shared ? "shared" : "global";
}

static const char *copy_address(const emitter *e) {
    return e->o->copies_in_shared ? "%ls_pa32" : "%ls_pa64";
}

/* The copy pointer: chunk %ls_k in the copy of the warp whose number is in that register. */
static void emit_copy_address(emitter *e, const char *warp) {
    if (e->o->copies_in_shared) {
        dt_emit(e, "\tmad.lo.u32 %%ls_pa32, %s, %" PRIu64 ", %%ls_sa;", warp, e->k->segment);
        dt_emit(e, "\tadd.u32 %%ls_pa32, %%ls_pa32, %" PRIu64 ";", e->k->segment);
    } else {
        dt_emit(e, "\tmul.wide.u32 %%ls_pa64, %s, %" PRIu64 ";", warp, e->k->segment);
        dt_emit(e, "\tadd.u64 %%ls_pa64, %%ls_pa64, %%ls_scratch;");
        dt_emit(e, "\tcvt.u64.u32 %%ls_r, %%ls_k;");
        dt_emit(e, "\tadd.u64 %%ls_pa64, %%ls_pa64, %%ls_r;");
    }
}

/* The registers of a chunk. */
typedef struct {
    char text[96];
} chunk_text;

static chunk_text chunk_of(const char *name) {
    chunk_text c;
    int length = 0;
    for (int i = 0; i < WORDS; i++)
        length +=
            snprintf(c.text + length, sizeof c.text - (size_t)length, "%s%%ls_%s%d", i ? ", " : "", name, i);
    return c;
}

static void emit_load(emitter *e, const char *space, const char *to, const char *address) {
    dt_emit(e, "\tld.%s.v%d.u32 {%s}, [%s];", space, WORDS, chunk_of(to).text, address);
}

static void emit_store(emitter *e, const char *space, const char *address, uint64_t offset,
                       const char *from) {
    dt_emit(e, "\tst.%s.v%d.u32 [%s+%" PRIu64 "], {%s};", space, WORDS, address, offset, chunk_of(from).text);
}

/* The lowest member of a set of warps or pages. */
static void emit_lowest(emitter *e, const char *to, const char *set) {
    dt_emit(e, "\tbrev.b32 %%ls_t, %s;", set);
    dt_emit(e, "\tclz.b32 %s, %%ls_t;", to);
}

static void emit_drop_lowest(emitter *e, const char *set) {
    dt_emit(e, "\tadd.u32 %%ls_t, %s, -1;", set);
    dt_emit(e, "\tand.b32 %s, %s, %%ls_t;", set, set);
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %s, 0;", set);
}

/* --- Comparing -------------------------------------------------------------------------------------------
 */

/* %ls_p = whether the copy's chunk in %ls_copy equals `with`. */
static void emit_same(emitter *e, const char *with) {
    dt_emit(e, "\txor.b32 %%ls_any, %%ls_copy0, %%ls_%s0;", with);
    for (int i = 1; i < WORDS; i++) { /* as one lop3 it makes ptxas 13.0 crash at the setp that follows */
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

/* --- Reports: rare, so they keep nothing in registers -----------------------------------------------------
 */

/* Record %ls_slot of the report at %ls_r; the offset is in %ls_l. */
static void emit_record(emitter *e, race_kind kind, const char *mask, const char *warp) {
    dt_emit(e, "\tmul.wide.u32 %%ls_ro, %%ls_slot, %d;", REPORT_RECORD_BYTES);
    dt_emit(e, "\tadd.u64 %%ls_ro, %%ls_ro, %%ls_r;");
    dt_emit(e, "\tst.global.u64 [%%ls_ro+%d], %%ls_l;", REPORT_RECORDS + 24);
    dt_emit(e, "\tmov.u32 %%ls_t, %d;", kind);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %%ls_t;", REPORT_RECORDS);
    dt_emit_region_number(e, "%ls_t");
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %%ls_t;", REPORT_RECORDS + 4);
    dt_emit_block_number(e);
    dt_emit(e, "\tst.global.u64 [%%ls_ro+%d], %%ls_block;", REPORT_RECORDS + 8);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %%ls_epoch;", REPORT_RECORDS + 16);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %s;", REPORT_RECORDS + 20, mask);
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %s;", REPORT_RECORDS + 32, warp);
    dt_emit(e, "\tmov.u32 %%ls_t, 0;");
    dt_emit(e, "\tst.global.u32 [%%ls_ro+%d], %%ls_t;", REPORT_RECORDS + 36);
}

/* Writes down the racy bytes %ls_bad of this chunk, for the warp in that register. */
static void emit_report(emitter *e, race_kind kind, const char *warp) {
    dt_emit_context(e);
    dt_emit(e, "\tld.global.u64 %%ls_r, [%%ls_ctx+%d];", CTX_REPORT);
    for (int i = 0; i < WORDS; i++) {
        uint32_t skip = ++e->labels;
        dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_bad%d, 0;", i);
        dt_emit(e, "\t@%%ls_p bra $LS_QUIET%u;", skip);
        dt_emit(e, "\tpopc.b32 %%ls_t, %%ls_bad%d;", i);
        dt_emit(e, "\tshr.u32 %%ls_t, %%ls_t, 3;");
        dt_emit(e, "\tcvt.u64.u32 %%ls_ro, %%ls_t;");
        dt_emit(e, "\tred.global.add.u64 [%%ls_r+%d], %%ls_ro;", REPORT_BYTES);
        char mask[32], none[32];
        snprintf(mask, sizeof mask, "%%ls_bad%d", i);
        snprintf(none, sizeof none, "bra $LS_QUIET%u", skip);
        dt_emit_report_slot(e, "%ls_r", "%ls_slot", "%ls_p", none);
        dt_emit(e, "\tadd.u32 %%ls_t, %%ls_k, %d;", 4 * i);
        dt_emit(e, "\tcvt.u64.u32 %%ls_l, %%ls_t;");
        emit_record(e, kind, mask, warp);
        dt_emit(e, "$LS_QUIET%u:", skip);
    }
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
    dt_emit_context(e);
    dt_emit(e, "\tld.global.u64 %%ls_r, [%%ls_ctx+%d];", CTX_REPORT);
    dt_emit_report_slot(e, "%ls_r", "%ls_slot", "%ls_p", "bra $LS_HASHED");
    dt_emit(e, "\tmov.u64 %%ls_l, -1;");
    dt_emit(e, "\tmov.u32 %%ls_m, 0;");
    emit_record(e, RACE_READ_WRITE, "%ls_m", "%ls_warp");
    dt_emit(e, "$LS_HASHED:");
}

/* --- The first sweep -------------------------------------------------------------------------------------
 */

/* The chunks of page %ls_page, one after the other where the page has more than a warp takes at once.
 * `last`: the lane count of the warp that takes fewest. */
static void emit_chunks_head(emitter *e, const char *label, uint32_t number, uint32_t last) {
    bool loop = page_bytes(e) > ROW || last < 32, partial = e->k->segment % page_bytes(e) != 0;
    dt_emit(e, "\tshl.b32 %%ls_k, %%ls_page, %u;", dt_page_shift(e->k));
    if (loop) {
        dt_emit(e, "\tadd.u32 %%ls_till, %%ls_k, %u;", page_bytes(e));
        if (partial) dt_emit(e, "\tmin.u32 %%ls_till, %%ls_till, %" PRIu64 ";", e->k->segment);
    }
    dt_emit(e, "\tmad.lo.u32 %%ls_k, %%ls_lane, %d, %%ls_k;", CHUNK);
    if (loop) dt_emit(e, "$LS_%s_CHUNK%u:", label, number);
    if (loop)
        dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_k, %%ls_till;");
    else if (partial)
        dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_k, %" PRIu64 ";", e->k->segment);
    if (loop || partial) dt_emit(e, "\t@%%ls_p bra $LS_%s_NEXT%u;", label, number);
    dt_emit(e, "\tadd.u32 %%ls_sa, %%ls_segment, %%ls_k;");
}

static void emit_chunks_tail(emitter *e, const char *label, uint32_t number, uint32_t last) {
    dt_emit(e, "$LS_%s_SKIP%u:", label, number);
    if (page_bytes(e) > ROW || last < 32) {
        if (last < 32) { /* the last warp has fewer lanes */
            dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_warp, %u;", e->o->warps - 1);
            dt_emit(e, "\tselp.u32 %%ls_t, %u, %d, %%ls_p;", last * CHUNK, ROW);
            dt_emit(e, "\tadd.u32 %%ls_k, %%ls_k, %%ls_t;");
        } else {
            dt_emit(e, "\tadd.u32 %%ls_k, %%ls_k, %d;", ROW);
        }
        dt_emit(e, "\tbra $LS_%s_CHUNK%u;", label, number);
    }
    dt_emit(e, "$LS_%s_NEXT%u:", label, number);
}

/* Lines 3 to 6 of Figure 3 for one chunk: the union in %ls_u, what it has of the warps in %ls_seen; the copy
 * of the warp that changed something in %ls_pb, %ls_many where that was more than one. */
static void emit_unite(emitter *e) {
    bool check = !e->o->deterministic;
    const char *bits = e->o->copies_in_shared ? "u32" : "u64", *kept = e->o->copies_in_shared ? "32" : "64";
    emit_load(e, "shared", "old", "%ls_sa");
    for (int i = 0; i < WORDS; i++) dt_emit(e, "\tmov.u32 %%ls_u%d, %%ls_old%d;", i, i);
    for (int i = 0; i < WORDS; i++) dt_emit(e, "\tmov.u32 %%ls_seen%d, 0;", i);
    dt_emit(e, "\tmov.u32 %%ls_left, %%ls_writers;");
    dt_emit(e, "\tmov.u32 %%ls_many, 0;");
    dt_emit(e, "$LS_WW_ONE:");
    emit_lowest(e, "%ls_w", "%ls_left");
    emit_copy_address(e, "%ls_w");
    emit_load(e, copy_space(e), "copy", copy_address(e));
    emit_same(e, "old");
    dt_emit(e, "\t@%%ls_p bra $LS_WW_SAME;");
    if (check) {
        dt_emit(e, "\tadd.u32 %%ls_many, %%ls_many, 1;");
        dt_emit(e, "\tmov.%s %%ls_pb%s, %s;", bits, kept, copy_address(e));
    }
    dt_emit(e, "\tmov.u32 %%ls_any, 0;");
    for (int i = 0; i < WORDS; i++) {
        emit_mask(e, i, "old");
        if (check) {
            dt_emit(e, "\tand.b32 %%ls_bad%d, %%ls_m, %%ls_seen%d;", i, i);
            if (!e->o->equal_values) { /* a word that both have written, and is equal, is no race */
                dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_copy%d, %%ls_u%d;", i, i);
                dt_emit(e, "\t@%%ls_p mov.u32 %%ls_bad%d, 0;", i);
            }
            dt_emit(e, "\tor.b32 %%ls_any, %%ls_any, %%ls_bad%d;", i);
        }
        dt_emit(e, "\tor.b32 %%ls_seen%d, %%ls_seen%d, %%ls_m;", i, i);
        dt_emit(e, "\tlop3.b32 %%ls_u%d, %%ls_m, %%ls_copy%d, %%ls_u%d, 0xCA;", i, i, i); /* m ? p : u */
    }
    if (check) {
        dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_any, 0;");
        dt_emit(e, "\t@%%ls_p bra $LS_WW_SAME;");
        dt_emit(e, "\tsetp.eq.u32 %%ls_found, 0, 0;");
        emit_report(e, RACE_WRITE_WRITE, "%ls_w");
    }
    dt_emit(e, "$LS_WW_SAME:");
    emit_drop_lowest(e, "%ls_left");
    dt_emit(e, "\t@%%ls_p bra $LS_WW_ONE;");
}

/* Lines 7 to 9: all copies get the union, but where a warp wrote itself it finds what was there before. */
static void emit_second_copies(emitter *e) {
    const char *kept = e->o->copies_in_shared ? "%ls_pb32" : "%ls_pb64";
    if (!e->o->deterministic) {
        dt_emit(e, "\tsetp.gt.u32 %%ls_p, %%ls_many, 1;");
        dt_emit(e, "\t@%%ls_p bra $LS_WW_MANY;");
    }
    dt_emit(e, "\tmov.u32 %%ls_w, 0;");
    emit_copy_address(e, "%ls_w");
    for (uint32_t w = 0; w < e->o->warps; w++)
        emit_store(e, copy_space(e), copy_address(e), w * e->k->segment, "u");
    if (e->o->deterministic) return;
    for (int i = 0; i < WORDS; i++)
        dt_emit(e, "\tlop3.b32 %%ls_u%d, %%ls_seen%d, %%ls_old%d, %%ls_u%d, 0xCA;", i, i, i, i);
    emit_store(e, copy_space(e), kept, 0, "u");
    dt_emit(e, "\tbra $LS_WW_SKIP0;");
    dt_emit(e, "$LS_WW_MANY:"); /* several warps changed this chunk */
    dt_emit(e, "\tmov.u32 %%ls_w, 0;");
    dt_emit(e, "$LS_WW_INIT:");
    emit_copy_address(e, "%ls_w");
    emit_load(e, copy_space(e), "copy", copy_address(e)); /* those that did not write have the originals */
    for (int i = 0; i < WORDS; i++) {
        emit_mask(e, i, "old");
        dt_emit(e, "\tlop3.b32 %%ls_copy%d, %%ls_m, %%ls_old%d, %%ls_u%d, 0xCA;", i, i, i);
    }
    emit_store(e, copy_space(e), copy_address(e), 0, "copy");
    dt_emit(e, "\tadd.u32 %%ls_w, %%ls_w, 1;");
    dt_emit(e, "\tsetp.lt.u32 %%ls_p, %%ls_w, %u;", e->o->warps);
    dt_emit(e, "\t@%%ls_p bra $LS_WW_INIT;");
}

/* %ls_word: the lane's warp's word of flags. Only full warps take pages. */
void dt_emit_first_sweep(emitter *e) {
    uint32_t full = e->o->threads / 32;
    uint32_t pages = (uint32_t)((e->k->segment + page_bytes(e) - 1) / page_bytes(e));
    if (e->o->threads % 32) {
        dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_warp, %u;", full);
        dt_emit(e, "\t@%%ls_p bra $LS_WW_END;");
    }
    dt_emit(e, "\tmov.u32 %%ls_page, %%ls_warp;");
    dt_emit(e, "$LS_WW:");
    dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_page, %u;", pages);
    dt_emit(e, "\t@%%ls_p bra $LS_WW_END;");
    dt_emit(e, "\tshr.u32 %%ls_t, %%ls_word, %%ls_page;");
    dt_emit(e, "\tand.b32 %%ls_t, %%ls_t, 1;");
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_t, 0;");
    dt_emit(e, "\tvote.sync.ballot.b32 %%ls_writers, %%ls_p, 0xffffffff;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_writers, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_WW_NEXT0;");
    emit_chunks_head(e, "WW", 0, 32);
    emit_unite(e);
    dt_emit(e, "\tor.b32 %%ls_any, %%ls_seen0, %%ls_seen%d;", WORDS - 1);
    for (int i = 1; i < WORDS - 1; i++) dt_emit(e, "\tor.b32 %%ls_any, %%ls_any, %%ls_seen%d;", i);
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_any, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_WW_SKIP0;");
    emit_store(e, "shared", "%ls_sa", 0, "u");
    if (e->single) dt_emit(e, "\t@%%ls_single bra $LS_WW_SKIP0;");
    emit_second_copies(e);
    emit_chunks_tail(e, "WW", 0, 32);
    dt_emit(e, "\tadd.u32 %%ls_page, %%ls_page, %u;", full);
    dt_emit(e, "\tbra $LS_WW;");
    dt_emit(e, "$LS_WW_END:");
}

/* --- What a warp does with its own copy ------------------------------------------------------------------
 */

/* Goes through the pages in %ls_pages. report: those that differ from the union are racy (lines 11 to 13). */
static void emit_own_pages(emitter *e, bool report) {
    uint32_t number = ++e->labels, last = lanes_of_last_warp(e);
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_pages, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_OWN_END%u;", number);
    dt_emit(e, "$LS_OWN%u:", number);
    emit_lowest(e, "%ls_page", "%ls_pages");
    emit_chunks_head(e, "OWN", number, last);
    emit_copy_address(e, "%ls_warp");
    emit_load(e, "shared", "u", "%ls_sa");
    if (report) {
        emit_load(e, copy_space(e), "copy", copy_address(e));
        emit_same(e, "u");
        dt_emit(e, "\t@%%ls_p bra $LS_OWN_SKIP%u;", number);
        for (int i = 0; i < WORDS; i++) {
            emit_mask(e, i, "u");
            dt_emit(e, "\tmov.u32 %%ls_bad%d, %%ls_m;", i);
        }
        emit_report(e, RACE_READ_WRITE, "%ls_warp");
    }
    emit_store(e, copy_space(e), copy_address(e), 0, "u");
    emit_chunks_tail(e, "OWN", number, last);
    emit_drop_lowest(e, "%ls_pages");
    dt_emit(e, "\t@%%ls_p bra $LS_OWN%u;", number);
    dt_emit(e, "$LS_OWN_END%u:", number);
    dt_emit_warp_barrier(e);
}

/* %ls_d: the pages that the warp wrote in one of the passes. */
void dt_emit_second_sweep(emitter *e) {
    emit_hash_check(e);
    dt_emit_warp_barrier(e);
    dt_emit(e, "\tand.b32 %%ls_pages, %%ls_d, 0x%x;", PAGE_BITS);
    emit_own_pages(e, true);
}

void dt_emit_agreement(emitter *e) {
    emit_own_pages(e, false);
}
