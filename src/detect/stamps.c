/* Global memory that is watched in place (MODE_WATCH). Beside each piece of it, as long as the shortest
 * access, stands a stamp: the unit (warp or block) that wrote it last in this launch; where the kernel reads
 * what it writes or has atomic operations there, also who read it and who used one: a unit, or many. Numbers
 * grow from launch to launch, so that stamps of earlier ones need not be cleared. A unit that finds another
 * one's stamp where it writes has met it; reads and writes are held against each other behind the launch, by
 * a kernel of the same module. Memory itself is accessed as ever, once.
 *
 * Conflicts are only looked for here; whether they are races is found out in further runs. */
#include "detect/redirect.h"

#include <inttypes.h>
#include <stdio.h>

enum { WRITES, READS, ATOMICS };
enum { TOGETHER = 8 }; /* stamps that are set at a time */

uint32_t dt_stamp_kinds(const kernel *k) {
    uint32_t kinds = 1;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        if (!k->accesses[i].stamped) continue;
        uint8_t kind = k->ir->accesses[i]->kind;
        if (kind == LS_ACCESS_READ && kinds < 2) kinds = 2;
        if (kind == LS_ACCESS_ATOMIC) kinds = 3;
    }
    return kinds;
}

/* Behind those of the kinds: who wrote and who read last in a block, two words each. */
enum { INNER_PLANES = 4 };

uint32_t dt_stamp_planes(const kernel *k, const instrument_options *options) {
    return dt_stamp_kinds(k) + (options->inner ? INNER_PLANES : 0);
}

uint64_t dt_stamp_place(uint64_t byte, uint32_t granule) {
    return granule <= 2 ? byte << (2 - granule) : byte >> (granule - 2) & ~UINT64_C(3);
}

/* The object's distances are used where its accesses are certain. */
static bool has_distance(const kernel *k, uint32_t of) {
    for (uint32_t i = 0; i < k->ir->access_count; i++)
        if (k->accesses[i].stamped && k->accesses[i].certain && k->accesses[i].object == of) return true;
    return false;
}

void dt_emit_stamps_prologue(emitter *e) {
    dt_emit(e, "\tcvt.u32.u64 %%ls_i, %%ls_block;");
    if (e->o->units_are_warps) dt_emit(e, "\tmad.lo.u32 %%ls_i, %%ls_i, %u, %%ls_warp;", e->o->warps);
    dt_emit(e, "\tld.param.u32 %%ls_base, [ls_generation];");
    dt_emit(e, "\tadd.u32 %%ls_me, %%ls_base, %%ls_i;");
    dt_emit(e, "\tadd.u32 %%ls_many, %%ls_base, %" PRIu64 ";", e->o->units);
    dt_emit(e, "\tld.global.u64 %%ls_plane, [%%ls_ctx+%d];", CTX_STRIDE);
    dt_emit(e, "\tld.global.u64 %%ls_copy, [%%ls_ctx+%d];", CTX_COPY);
    dt_emit(e, "\tmov.u64 %%ls_group, 0;");
    dt_emit_ranges_prologue(e);
    for (uint32_t i = 0; i < e->k->object_count; i++)
        if (!e->k->objects[i].is_shared && has_distance(e->k, i))
            dt_emit(e, "\tld.global.u64 %%ls_gd%u, [%%ls_ctx+%u];", i, CTX_SLOTS + CTX_SLOT_BYTES * i + 8);
}

void dt_emit_stamp_place(emitter *e, const ls_ir_access *a, const ls_ptx_operand *part, uint32_t skip) {
    const access_info *info = &e->k->accesses[a->id];
    bool certain = info->certain && info->object != LS_IR_NONE;
    char distance[32];
    if (info->in_shared) {
        dt_emit(e, "\tisspacep.global %%ls_q, %s;", part->symbol->name);
        dt_emit(e, "\t@!%%ls_q bra $LS_NOSTAMP%u;", skip);
    }
    dt_emit(e, "\tadd.s64 %%ls_off, %s, %" PRId64 ";", part->symbol->name, part->offset);
    snprintf(distance, sizeof distance, "%%ls_gd%u", info->object);
    if (!certain) {
        dt_emit_range_search(e);
        dt_emit(e, "\tsetp.eq.u64 %%ls_q, %%ls_d64, 0;");
        dt_emit(e, "\t@%%ls_q bra $LS_NOSTAMP%u;", skip);
    }
    if (e->o->granule <= 2) {
        dt_emit(e, "\tshl.b64 %%ls_stamp, %%ls_off, %u;", 2 - e->o->granule);
    } else {
        dt_emit(e, "\tshr.u64 %%ls_stamp, %%ls_off, %u;", e->o->granule - 2);
        dt_emit(e, "\tand.b64 %%ls_stamp, %%ls_stamp, -4;");
    }
    dt_emit(e, "\tadd.u64 %%ls_stamp, %%ls_stamp, %s;", certain ? distance : "%ls_d64");
}

/* %ls_off: the byte in the parts of memory, from %ls_stamp and the address in %ls_off. */
static void emit_offset(emitter *e) {
    dt_emit(e, "\tand.b64 %%ls_off, %%ls_off, %u;", (1u << e->o->granule) - 1);
    dt_emit(e, "\tsub.u64 %%ls_l, %%ls_stamp, %%ls_copy;");
    if (e->o->granule <= 2)
        dt_emit(e, "\tshr.u64 %%ls_l, %%ls_l, %u;", 2 - e->o->granule);
    else
        dt_emit(e, "\tshl.b64 %%ls_l, %%ls_l, %u;", e->o->granule - 2);
    dt_emit(e, "\tadd.u64 %%ls_off, %%ls_off, %%ls_l;");
}

static void emit_written(emitter *e, uint32_t at) {
    dt_emit(e, "\tatom.global.exch.b32 %%ls_j, [%%ls_stamp+%u], %%ls_me;", at);
    dt_emit(e, "\tsetp.ge.u32 %%ls_q, %%ls_j, %%ls_base;");
    dt_emit(e, "\tsetp.ne.and.u32 %%ls_q, %%ls_j, %%ls_me, %%ls_q;");
    dt_emit(e, "\t@%%ls_q mov.u32 %%ls_conflict, %d;", CONFLICT_GLOBAL);
    dt_emit(e, "\t@%%ls_q add.u64 %%ls_conflict_at, %%ls_stamp, %u;", at);
}

/* Several stamps of one access, each step for all of them before the next one, so that they do not wait for
 * one another. What a unit has stamped it finds again, mostly in its cache. */
static void emit_used(emitter *e, uint32_t at, uint32_t count) {
    dt_emit(e, "\t{");
    dt_emit(e, "\t.reg .u32 %%ls_s<%u>;", count);
    dt_emit(e, "\t.reg .pred %%ls_u<%u>;", count);
    for (uint32_t n = 0; n < count; n++) dt_emit(e, "\tld.global.u32 %%ls_s%u, [%%ls_l+%u];", n, at + 4 * n);
    for (uint32_t n = 0; n < count; n++) {
        dt_emit(e, "\tsetp.ne.u32 %%ls_u%u, %%ls_s%u, %%ls_me;", n, n);
        dt_emit(e, "\tsetp.ne.and.u32 %%ls_u%u, %%ls_s%u, %%ls_many, %%ls_u%u;", n, n, n);
    }
    for (uint32_t n = 0; n < count; n++)
        dt_emit(e, "\t@%%ls_u%u atom.global.max.u32 %%ls_s%u, [%%ls_l+%u], %%ls_me;", n, n, at + 4 * n);
    for (uint32_t n = 0; n < count; n++) {
        dt_emit(e, "\tsetp.ge.and.u32 %%ls_u%u, %%ls_s%u, %%ls_base, %%ls_u%u;", n, n, n);
        dt_emit(e, "\tsetp.ne.and.u32 %%ls_u%u, %%ls_s%u, %%ls_me, %%ls_u%u;", n, n, n);
    }
    for (uint32_t n = 0; n < count; n++)
        dt_emit(e, "\t@%%ls_u%u red.global.max.u32 [%%ls_l+%u], %%ls_many;", n, at + 4 * n);
    dt_emit(e, "\t}");
}

/* Goes to $LS_SEEN<label> where all stamps are this unit's, or of many, as they mostly are in memory that is
 * read again and again: four are looked at together, where they are at a multiple of 16 bytes. */
static void emit_seen(emitter *e, uint32_t stamps, uint32_t label) {
    static const char *const each[] = {"%ls_x", "%ls_y", "%ls_w0", "%ls_w1"};
    dt_emit(e, "\tcvt.u32.u64 %%ls_j, %%ls_l;");
    dt_emit(e, "\tand.b32 %%ls_j, %%ls_j, 15;");
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_j, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_NOTSEEN%u;", label);
    for (uint32_t i = 0; i < stamps; i += 4) {
        dt_emit(e, "\tld.global.v4.u32 {%s, %s, %s, %s}, [%%ls_l+%u];", each[0], each[1], each[2], each[3],
                4 * i);
        for (size_t n = 0; n < 4; n++) {
            dt_emit(e, "\tsetp.ne.u32 %%ls_q, %s, %%ls_me;", each[n]);
            dt_emit(e, "\tsetp.ne.and.u32 %%ls_q, %s, %%ls_many, %%ls_q;", each[n]);
            dt_emit(e, "\tor.pred %%ls_p, %%ls_p, %%ls_q;");
        }
    }
    dt_emit(e, "\t@!%%ls_p bra $LS_SEEN%u;", label);
    dt_emit(e, "$LS_NOTSEEN%u:", label);
}

void dt_emit_other_warp(emitter *e) {
    dt_emit(e, "\tmov.b64 {%%ls_x, %%ls_y}, %%ls_d64;");
    dt_emit(e, "\tsetp.eq.u32 %%ls_q, %%ls_y, %%ls_me;");
    dt_emit(e, "\tsetp.ne.and.u32 %%ls_q, %%ls_x, %%ls_turn, %%ls_q;");
    dt_emit(e, "\txor.b32 %%ls_x, %%ls_x, %%ls_turn;");
    dt_emit(e, "\tsetp.lt.and.u32 %%ls_q, %%ls_x, 64, %%ls_q;");
}

/* Warps of a block: each stamps its access with the number of barriers before it, then looks at the stamps of
 * the other kind; of two that meet, the later one sees the other. Atomic operations meet writes as reads do.
 * A read that is not the block's first since the barrier makes it many: warp 63, which no block has. */
static void emit_inner(emitter *e, const ls_ir_access *a, uint32_t at) {
    bool writes = a->kind == LS_ACCESS_WRITE;
    uint32_t kinds = dt_stamp_kinds(e->k);
    dt_emit(e, "\tsub.u64 %%ls_l, %%ls_stamp, %%ls_copy;");
    dt_emit(e, "\tmad.lo.u64 %%ls_l, %%ls_l, 2, %%ls_copy;");
    dt_emit(e, "\tmad.lo.u64 %%ls_l, %%ls_plane, %u, %%ls_l;", kinds);
    dt_emit(e, "\tmad.lo.u64 %%ls_log, %%ls_plane, 2, %%ls_l;"); /* of reads */
    dt_emit(e, "\tmad.lo.u32 %%ls_turn, %%ls_epoch, 64, %%ls_warp;");
    dt_emit(e, "\tmov.b64 %%ls_b0, {%%ls_turn, %%ls_me};");
    if (writes) {
        dt_emit(e, "\tatom.global.exch.b64 %%ls_d64, [%%ls_l+%u], %%ls_b0;", 2 * at);
        dt_emit_other_warp(e);
        dt_emit(e, "\t@%%ls_q mov.u32 %%ls_conflict, %d;", CONFLICT_GLOBAL);
    } else {
        dt_emit(e, "\tatom.global.max.u64 %%ls_d64, [%%ls_log+%u], %%ls_b0;", 2 * at);
        dt_emit_other_warp(e);
        dt_emit(e, "\tor.b64 %%ls_b1, %%ls_b0, 63;");
        dt_emit(e, "\t@%%ls_q red.global.max.u64 [%%ls_log+%u], %%ls_b1;", 2 * at);
    }
    dt_emit(e, "\tmembar.cta;");
    dt_emit(e, "\tld.volatile.global.u64 %%ls_d64, [%s+%u];", writes ? "%ls_log" : "%ls_l", 2 * at);
    dt_emit_other_warp(e);
    dt_emit(e, "\t@%%ls_q mov.u32 %%ls_conflict, %d;", CONFLICT_GLOBAL);
    dt_emit(e, "\tsetp.eq.u32 %%ls_q, %%ls_conflict, %d;", CONFLICT_GLOBAL);
    dt_emit(e, "\tsetp.eq.and.u64 %%ls_q, %%ls_conflict_at, 0, %%ls_q;");
    dt_emit(e, "\t@%%ls_q add.u64 %%ls_conflict_at, %%ls_stamp, %u;", at);
}

/* The log: only pieces that the map, which lies where the stamps were, has a mark for. */
static void emit_log_of_map(emitter *e, const ls_ir_access *a, uint32_t stamps, uint32_t skip) {
    dt_emit(e, "\tmov.u32 %%ls_flag, 0;");
    for (uint32_t i = 0; i < stamps; i++) {
        dt_emit(e, "\tld.global.u32 %%ls_j, [%%ls_stamp+%u];", 4 * i);
        dt_emit(e, "\tor.b32 %%ls_flag, %%ls_flag, %%ls_j;");
    }
    dt_emit(e, "\tsetp.eq.u32 %%ls_q, %%ls_flag, 0;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOSTAMP%u;", skip);
    emit_offset(e);
    uint32_t full = ++e->labels;
    dt_emit_log(e, a, NULL, full);
    dt_emit(e, "$LS_NOLOG%u:", full);
}

void dt_emit_stamp(emitter *e, const ls_ir_access *a) {
    const ls_ptx_operand *part = dt_address_part(a->instr, a);
    if (!part || !dt_is_wide(part)) return;
    uint32_t skip = ++e->labels, bytes = dt_bytes_of(a);
    uint32_t stamps = (bytes + (1u << e->o->granule) - 1) >> e->o->granule;
    dt_skip_unless_guarded(e, a->instr->ast, "NOSTAMP", skip);
    if (!a->bytes) { /* a copy that may read nothing */
        const ls_ptx_symbol *size = a->instr->ast->operands[3].symbol;
        bool ignored = size->type == LS_TYPE_PRED;
        if (!ignored) dt_emit(e, "\tsetp.eq.u32 %%ls_q, %s, 0;", size->name);
        dt_emit(e, "\t@%s bra $LS_NOSTAMP%u;", ignored ? size->name : "%ls_q", skip);
    }
    dt_emit_stamp_place(e, a, part, skip);
    if (e->o->log) {
        emit_log_of_map(e, a, stamps, skip);
    } else if (a->kind == LS_ACCESS_WRITE) {
        for (uint32_t i = 0; i < stamps; i++) emit_written(e, 4 * i);
    } else {
        dt_emit(e, "\tmad.lo.u64 %%ls_l, %%ls_plane, %d, %%ls_stamp;",
                a->kind == LS_ACCESS_READ ? READS : ATOMICS);
        if (stamps % 4 == 0) emit_seen(e, stamps, skip);
        for (uint32_t i = 0; i < stamps; i += TOGETHER)
            emit_used(e, 4 * i, stamps - i < TOGETHER ? stamps - i : TOGETHER);
        if (stamps % 4 == 0) dt_emit(e, "$LS_SEEN%u:", skip);
    }
    for (uint32_t i = 0; i < stamps && e->o->inner && !e->o->log; i++) emit_inner(e, a, 4 * i);
    if (!e->o->log && dt_checks_lanes(e, a)) {
        emit_offset(e);
        dt_emit_lane_check(e, a, part->symbol->name, true);
    }
    dt_emit(e, "$LS_NOSTAMP%u:", skip);
}

/* --- Behind the launch -----------------------------------------------------------------------------------
 */

/* %q |= whether the stamps a and b are both of this launch, and not of one and the same unit. */
static void hold_against(ls_buf *out, uint32_t a, uint32_t b) {
    ls_buf_printf(out,
                  "\tsetp.ne.u32 %%p, %%s%u, %%s%u;\n\tsetp.eq.or.u32 %%p, %%s%u, %%many, %%p;\n"
                  "\tsetp.ge.and.u32 %%p, %%s%u, %%base, %%p;\n\tsetp.ge.and.u32 %%p, %%s%u, %%base, %%p;\n"
                  "\tor.pred %%q, %%q, %%p;\n",
                  a, b, a, a, b);
}

void dt_add_stamps_kernel(ls_buf *out, uint32_t kinds) {
    ls_buf_printf(
        out, "\n.visible .entry ls_stamps(.param .u64 stamps, .param .u64 plane, .param .u64 base, .param "
             ".u64 many,\n"
             "  .param .u64 report, .param .u64 flag, .param .u64 number, .param .u64 granule)\n{\n"
             "\t.reg .u64 %%stamps, %%plane, %%k, %%end, %%four, %%step, %%l, %%r, %%o;\n"
             "\t.reg .u32 %%s0, %%s1, %%s2, %%s3, %%base, %%many, %%t, %%j, %%x, %%slot;\n"
             "\t.reg .pred %%p, %%q;\n"
             "\tld.param.u64 %%stamps, [stamps];\n\tld.param.u64 %%plane, [plane];\n"
             "\tld.param.u32 %%base, [base];\n\tld.param.u32 %%many, [many];\n"
             "\tmov.u32 %%t, %%ctaid.x;\n\tmov.u32 %%j, %%ntid.x;\n\tmov.u32 %%x, %%tid.x;\n"
             "\tmad.lo.u32 %%t, %%t, %%j, %%x;\n\tmul.wide.u32 %%four, %%t, 16;\n"
             "\tmov.u32 %%t, %%nctaid.x;\n\tmul.lo.u32 %%t, %%t, %%j;\n\tmul.wide.u32 %%step, %%t, 16;\n"
             "FOUR:\n\tsetp.ge.u64 %%p, %%four, %%plane;\n\t@%%p bra END;\n"
             "\tadd.u64 %%l, %%stamps, %%four;\n\tmov.u32 %%t, 0;\n");
    for (uint32_t kind = 0; kind < kinds; kind += 2) /* mostly nobody has written to the four, or so */
        ls_buf_printf(out,
                      "\tld.global.v4.u32 {%%s0, %%s1, %%s2, %%s3}, [%%l];\n\tmax.u32 %%s0, %%s0, %%s1;\n"
                      "\tmax.u32 %%s2, %%s2, %%s3;\n\tmax.u32 %%t, %%t, %%s0;\n\tmax.u32 %%t, %%t, %%s2;\n"
                      "\tmad.lo.u64 %%l, %%plane, 2, %%l;\n");
    ls_buf_printf(
        out,
        "\tsetp.lt.u32 %%p, %%t, %%base;\n\t@%%p bra NEXT_FOUR;\n\tmov.u64 %%k, %%four;\n"
        "\tadd.u64 %%end, %%four, 16;\n"
        "WORD:\n\tadd.u64 %%l, %%stamps, %%k;\n\tld.global.u32 %%s0, [%%l];\n\tadd.u64 %%l, %%l, %%plane;\n"
        "\tld.global.u32 %%s1, [%%l];\n\tsetp.ne.u32 %%q, 0, 0;\n");
    hold_against(out, 1, 0);
    if (kinds > 2) {
        ls_buf_puts(out, "\tadd.u64 %l, %l, %plane;\n\tld.global.u32 %s2, [%l];\n");
        hold_against(out, 2, 0);
        hold_against(out, 2, 1);
    }
    ls_buf_printf(
        out,
        "\t@!%%q bra NEXT;\n\tld.param.u64 %%r, [report];\n"
        "\tatom.global.add.u32 %%slot, [%%r+%d], 1;\n\tsetp.ge.u32 %%p, %%slot, %d;\n\t@%%p bra NEXT;\n"
        "\tsetp.eq.u32 %%p, %%slot, 0;\n\tld.param.u64 %%l, [flag];\n\tld.param.u64 %%o, [number];\n"
        "\t@%%p st.global.u64 [%%l], %%o;\n\tmul.wide.u32 %%o, %%slot, %d;\n\tadd.u64 %%r, %%r, %%o;\n"
        "\tld.param.u32 %%t, [granule];\n\tshl.b64 %%o, %%k, %%t;\n\tshr.u64 %%o, %%o, 2;\n",
        REPORT_COUNT, REPORT_CAPACITY, REPORT_RECORD_BYTES);
    ls_buf_printf(out,
                  "\tmov.u32 %%t, %d;\n\tst.global.u32 [%%r+%d], %%t;\n\tst.global.u64 [%%r+%d], %%o;\n"
                  "\tmov.u32 %%t, %d;\n\tst.global.u32 [%%r+%d], %%t;\n"
                  "NEXT:\n\tadd.u64 %%k, %%k, 4;\n\tsetp.lt.u64 %%p, %%k, %%end;\n\t@%%p bra WORD;\n"
                  "NEXT_FOUR:\n\tadd.u64 %%four, %%four, %%step;\n\tbra FOUR;\nEND:\n\tret;\n}\n",
                  RACE_READ_WRITE, REPORT_RECORDS, REPORT_RECORDS + 24, CONFLICT_GLOBAL, REPORT_RECORDS + 36);
}
