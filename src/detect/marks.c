/* Shared memory that is watched in place (MODE_WATCH). Beside each word of it stands a mark: which warps have
 * read it, written it, or used an atomic operation on it since the last barrier, a bit for each. An access
 * sets its warp's bit and goes on. Behind a barrier the threads look through the marks of what may have been
 * accessed before it, and clear them: a word that one warp wrote and another one accessed is a conflict,
 * whatever the values are. There are two sets of marks, used in turn, so that the barriers that the kernel
 * has are enough: marks of one interval are looked at while the next one runs. Nothing is run twice.
 *
 * Conflicts are only looked for here; what they are (equal values that two warps write are no race, order may
 * come from other memory) is found out in further runs. */
#include "base/vec.h"
#include "detect/redirect.h"
#include "isa/matrix.h"
#include "lockstep/analyze.h"

#include <inttypes.h>
#include <stdio.h>

enum { WRITES, READS, ATOMICS };

/* --- What is watched -------------------------------------------------------------------------------------
 */

static bool is_open(const object *o) {
    return o->state == OBJECT_TARGET || (o->state == OBJECT_ATOMIC && o->mixed);
}

/* Whether the access may go to the group. */
static bool may_meet(const kernel *k, uint32_t access, uint32_t group) {
    const access_info *info = &k->accesses[access];
    if (info->object != LS_IR_NONE) return k->objects[info->object].group == group;
    return k->objects[group].is_shared ? info->in_shared : info->in_global;
}

/* With what is under way from before it. */
static bool is_in(const region *r, const ls_ir_access *a) {
    return ls_bitset_has(&r->flight, a->instr->id);
}

/* Whether plain accesses of the region to the group may meet others of it. */
static bool is_watched_in(const kernel *k, const region *r, uint32_t group) {
    bool mixed = k->objects[group].state == OBJECT_ATOMIC, written = false;
    if (!is_open(&k->objects[group]) || (!mixed && (r->own || !r->writes_shared))) return false;
    for (uint32_t i = 0; i < k->ir->access_count && !written; i++)
        written = k->ir->accesses[i]->kind != LS_ACCESS_READ && is_in(r, k->ir->accesses[i]) &&
                  may_meet(k, i, group);
    return written;
}

/* What goes on beside the threads and is not seen. */
static bool is_unseen(kernel *k, const ls_ir_access *a) {
    if (!dt_is_asynchronous(a->instr) || dt_can_be_marked(a)) return false;
    if (!k->unseen) k->unseen = a->instr->pos;
    return true;
}

void dt_find_watched(kernel *k) {
    for (uint32_t g = 0; g < k->object_count; g++) {
        const object *o = &k->objects[g];
        if (o->group != g) continue;
        for (uint32_t i = 0; i < k->ir->access_count && !o->is_shared && is_open(o); i++)
            k->accesses[i].stamped |= may_meet(k, i, g) && k->accesses[i].in_global;
        for (uint32_t r = 0; r < k->region_count && o->is_shared; r++) {
            if (!is_watched_in(k, &k->regions[r], g)) continue;
            for (uint32_t i = 0; i < k->ir->access_count; i++)
                k->accesses[i].marked |= is_in(&k->regions[r], k->ir->accesses[i]) && may_meet(k, i, g) &&
                                         k->accesses[i].in_shared && !is_unseen(k, k->ir->accesses[i]);
        }
    }
}

/* --- Layout ----------------------------------------------------------------------------------------------
 */

typedef struct {
    uint64_t from, to; /* bytes of the segment that have marks */
    uint32_t kinds;    /* WRITES … */
    uint32_t shift;    /* a mark for 4 bytes: 2; for 16, where no access is of less: 4 */
    uint64_t plane;    /* bytes of one kind's marks */
    bool together;     /* all bits of a mark are in one word */
} layout;

static void add_range(const kernel *k, const access_info *info, uint64_t *from, uint64_t *to) {
    bool known = info->object != LS_IR_NONE && info->certain;
    for (uint32_t i = 0; i < k->object_count; i++) {
        const object *o = &k->objects[i];
        if (!o->is_shared || !o->size || (known && i != info->object)) continue;
        if (o->layout < *from) *from = o->layout;
        if (o->layout + o->size > *to) *to = o->layout + o->size;
    }
}

static uint32_t kind_of(const ls_ir_access *a) {
    return a->kind == LS_ACCESS_WRITE ? WRITES : a->kind == LS_ACCESS_READ ? READS : ATOMICS;
}

uint32_t dt_matrix_rows(const ls_ir_access *a) {
    bool moves = a->instr->op == LS_OP_LDMATRIX || a->instr->op == LS_OP_STMATRIX;
    return moves && !a->instr->unknown ? LS_MATRIX_ROWS * ls_matrix_count_of(a->instr->form) : 0;
}

enum { LINE = 16 };

static bool is_of_lines(const ls_ir_access *a) {
    return is_product(a) || dt_matrix_rows(a) || (a->bytes * a->count) % LINE == 0;
}

static layout layout_of(const kernel *k, uint32_t warps) {
    layout l = {.from = UINT64_MAX, .kinds = 1, .shift = 4};
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        if (!k->accesses[i].marked) continue;
        add_range(k, &k->accesses[i], &l.from, &l.to);
        uint32_t kinds = kind_of(k->ir->accesses[i]) + 1;
        if (kinds > l.kinds) l.kinds = kinds;
        if (!is_of_lines(k->ir->accesses[i])) l.shift = 2;
    }
    if (l.to <= l.from) l.from = l.to = 0;
    l.from = l.from / 16 * 16, l.to = (l.to + 15) / 16 * 16;
    l.together = warps * l.kinds <= 32;
    l.plane = (l.to - l.from) >> (l.shift - 2);
    return l;
}

static uint64_t set_bytes(const layout *l) {
    return (l->plane * (l->together ? 1 : l->kinds) + 15) / 16 * 16;
}

/* Behind the marks: how many barriers the threads that have left had passed, at most and at least. */
enum { PASSED_BYTES = 16 };

uint64_t dt_watched_shared(const kernel *k, const instrument_options *options) {
    layout l = layout_of(k, options->warps);
    return k->segment + 2 * set_bytes(&l) + PASSED_BYTES;
}

/* --- Start -----------------------------------------------------------------------------------------------
 */

void dt_emit_marks_prologue(emitter *e) {
    layout l = layout_of(e->k, e->o->warps);
    uint32_t label = ++e->labels;
    dt_emit(e, "\tmov.u32 %%ls_segment, ls_segment;");
    dt_emit(e, "\tmov.u32 %%ls_i, 1;");
    for (uint32_t i = 0; i < l.kinds; i++) {
        dt_emit(e, "\tadd.u32 %%ls_j, %%ls_warp, %u;", l.together ? i * e->o->warps : 0);
        dt_emit(e, "\tshl.b32 %%ls_bit%u, %%ls_i, %%ls_j;", i);
    }
    dt_emit(e, "\tadd.u32 %%ls_low, %%ls_segment, %" PRIu64 ";", l.from);
    dt_emit(e, "\tadd.u32 %%ls_marks, %%ls_segment, %" PRIu64 ";", e->k->segment);
    dt_emit(e, "\tshl.b32 %%ls_both, %%ls_marks, 1;");
    dt_emit(e, "\tadd.u32 %%ls_both, %%ls_both, %" PRIu64 ";", set_bytes(&l));
    dt_emit(e, "\tmov.u32 %%ls_before, %%lanemask_lt;");
    dt_emit(e, "\tshl.b32 %%ls_i, %%ls_tid, 4;");
    dt_emit(e, "\tmov.u32 %%ls_j, 0;");
    dt_emit(e, "$LS_CLEAR%u:", label);
    dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_i, %" PRIu64 ";", 2 * set_bytes(&l) + PASSED_BYTES);
    dt_emit(e, "\t@%%ls_p bra $LS_CLEARED%u;", label);
    dt_emit(e, "\tadd.u32 %%ls_x, %%ls_i, %%ls_segment;");
    dt_emit(e, "\tst.shared.v4.u32 [%%ls_x+%" PRIu64 "], {%%ls_j, %%ls_j, %%ls_j, %%ls_j};", e->k->segment);
    dt_emit(e, "\tadd.u32 %%ls_i, %%ls_i, %u;", 16 * e->o->threads);
    dt_emit(e, "\tbra $LS_CLEAR%u;", label);
    dt_emit(e, "$LS_CLEARED%u:", label);
    dt_emit(e, "\tbarrier.sync 0;");
}

/* --- Accesses --------------------------------------------------------------------------------------------
 */

/* %ls_place: the address in .shared, with its offset. */
static void emit_place(emitter *e, const ls_ir_access *a, const ls_ptx_operand *part) {
    char base[300];
    bool generic = ls_ptx_form_space(a->instr->ast->form) == LS_SPACE_GENERIC;
    dt_part_text(part, base, sizeof base);
    if (dt_is_wide(part) || generic) {
        dt_emit(e, "\tmov.u64 %%ls_l, %s;", base);
        if (generic) dt_emit(e, "\tcvta.to.shared.u64 %%ls_l, %%ls_l;");
        dt_emit(e, "\tcvt.u32.u64 %%ls_place, %%ls_l;");
    } else {
        dt_emit(e, "\tmov.u32 %%ls_place, %s;", base);
    }
    if (part->offset) dt_emit(e, "\tadd.s32 %%ls_place, %%ls_place, %" PRId64 ";", part->offset);
}

/* A read's bit is mostly there already, for many lanes read one word; a write's is not. */
static void emit_bit(emitter *e, bool reads, const char *bit, uint64_t at) {
    if (reads) {
        dt_emit(e, "\tld.shared.u32 %%ls_j, [%%ls_i+%" PRIu64 "];", at);
        dt_emit(e, "\tand.b32 %%ls_j, %%ls_j, %s;", bit);
        dt_emit(e, "\tsetp.ne.and.u32 %%ls_q, %%ls_j, %s, %%ls_p;", bit);
    }
    dt_emit(e, "\t@%s red.shared.or.b32 [%%ls_i+%" PRIu64 "], %s;", reads ? "%ls_q" : "%ls_p", at, bit);
}

/* Of an access, or of one whose number is in a register. */
static void emit_log_of_block(emitter *e, const ls_ir_access *a, const char *number, uint32_t skip) {
    dt_emit(e, "\tld.global.u64 %%ls_l, [%%ls_ctx+%d];", CTX_LOG_BLOCK);
    dt_emit(e, "\tsetp.ne.u64 %%ls_q, %%ls_l, %%ls_block;");
    dt_emit(e, "\t@%%ls_q bra $LS_NOMARK%u;", skip);
    dt_emit(e, "\tsub.u32 %%ls_i, %%ls_place, %%ls_segment;");
    dt_emit(e, "\tcvt.u64.u32 %%ls_off, %%ls_i;");
    uint32_t full = ++e->labels;
    if (dt_has_products(e->k)) dt_emit_progress(e, number && strcmp(number, "%ls_which") == 0);
    dt_emit_log(e, a, number, full);
    dt_emit(e, "$LS_NOLOG%u:", full);
}

/* The marks of words from %ls_place on; one: the lanes of the warp have the same place; bit: a register with
 * it, or NULL for the warp's own. */
static void emit_words(emitter *e, uint32_t kind, uint32_t words, bool within, bool one, const char *bit) {
    layout l = layout_of(e->k, e->o->warps);
    char own[12];
    snprintf(own, sizeof own, "%%ls_bit%u", kind);
    dt_emit(e, "\tsub.u32 %%ls_i, %%ls_place, %%ls_low;");
    dt_emit(e, "\tsetp.lt.u32 %%ls_p, %%ls_i, %" PRIu64 ";", l.to - l.from);
    if (l.shift == 4) {
        dt_emit(e, "\tshr.u32 %%ls_i, %%ls_i, 2;");
        words = (words + 3) / 4;
    }
    if (within || l.shift == 4) dt_emit(e, "\tand.b32 %%ls_i, %%ls_i, -4;");
    dt_emit(e, "\tadd.u32 %%ls_i, %%ls_i, %%ls_marks;");
    if (one) { /* all lanes that are here would set the same bits: the first of them does */
        dt_emit(e, "\tactivemask.b32 %%ls_j;");
        dt_emit(e, "\tand.b32 %%ls_j, %%ls_j, %%ls_before;");
        dt_emit(e, "\tsetp.eq.and.u32 %%ls_p, %%ls_j, 0, %%ls_p;");
    }
    for (uint32_t w = 0; w < words; w++)
        emit_bit(e, kind == READS, bit ? bit : own, 4 * w + (l.together ? 0 : kind * l.plane));
}

/* %ls_bits: the bits of all warps of the group, for what they read together. */
void dt_emit_bits_of_group(emitter *e) {
    layout l = layout_of(e->k, e->o->warps);
    dt_emit(e, "\tand.b32 %%ls_x, %%ls_warp, -4;");
    if (l.together) dt_emit(e, "\tadd.u32 %%ls_x, %%ls_x, %u;", READS * e->o->warps);
    dt_emit(e, "\tmov.u32 %%ls_bits, 15;");
    dt_emit(e, "\tshl.b32 %%ls_bits, %%ls_bits, %%ls_x;");
}

void dt_emit_mark_at(emitter *e, const char *number, uint32_t access_kind, uint32_t words, const char *bit) {
    uint32_t skip = ++e->labels;
    if (e->o->log)
        emit_log_of_block(e, NULL, number, skip);
    else
        emit_words(e, access_kind == LS_ACCESS_READ ? READS : WRITES, words, false, false, bit);
    dt_emit(e, "$LS_NOMARK%u:", skip);
}

bool dt_can_be_marked(const ls_ir_access *a) {
    if (is_product(a)) return dt_can_mark_product(a);
    if (!dt_address_part(a->instr, a)) return false;
    uint32_t rows = dt_matrix_rows(a), bytes = a->bytes * a->count;
    return rows ? rows <= 32 : !a->opaque && bytes && bytes <= 32;
}

/* All lanes that execute it go to the same address. */
static bool is_same_in_warp(const emitter *e, const ls_ir_access *a) {
    const ls_ir_value *address = a->instr->src[a->src].value;
    return e->shapes && address && !dt_matrix_rows(a) && ls_shape_uniform(&e->shapes->shapes[address->id]);
}

void dt_emit_mark(emitter *e, const ls_ir_access *a) {
    const ls_ptx_operand *part = dt_address_part(a->instr, a);
    if (!part || part->kind == LS_OPERAND_SINK) return;
    uint32_t rows = dt_matrix_rows(a), skip = ++e->labels;
    uint32_t words = rows ? LS_MATRIX_ROW_BYTES / 4 : (a->bytes * a->count + 3) / 4;
    dt_skip_unless_guarded(e, a->instr->ast, "NOMARK", skip);
    if (rows && rows < 32) {
        dt_emit(e, "\tsetp.ge.u32 %%ls_q, %%ls_lane, %u;", rows);
        dt_emit(e, "\t@%%ls_q bra $LS_NOMARK%u;", skip);
    }
    if (e->k->accesses[a->id].in_global && dt_is_wide(part)) {
        dt_emit(e, "\tisspacep.shared %%ls_q, %s;", part->symbol->name);
        dt_emit(e, "\t@!%%ls_q bra $LS_NOMARK%u;", skip);
    }
    emit_place(e, a, part);
    if (e->o->log) {
        emit_log_of_block(e, a, NULL, skip);
    } else {
        emit_words(e, kind_of(a), words, a->bytes < 4 && !rows,
                   a->kind == LS_ACCESS_READ && is_same_in_warp(e, a), NULL);
    }
    dt_emit_departure(e, a);
    dt_emit(e, "$LS_NOMARK%u:", skip);
}

/* Behind a store: a lane that does not find what it stored met another one of its warp, or another warp. */
void dt_emit_mark_back(emitter *e, const ls_ir_access *a) {
    const ls_ptx_operand *part = dt_address_part(a->instr, a);
    if (!part || part->kind == LS_OPERAND_SINK || e->o->log || !dt_checks_lanes(e, a)) return;
    if (ls_ptx_form_space(a->instr->ast->form) != LS_SPACE_SHARED) return;
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, a->instr->ast, "NOBACK", skip);
    dt_emit_changed_bits(e, a, "%ls_place", 0);
    dt_emit(e, "\tsetp.ne.u32 %%ls_q, %%ls_same, 0;");
    dt_emit(e, "\t@%%ls_q mov.u32 %%ls_conflict, %d;", CONFLICT_LANES);
    dt_emit(e, "$LS_NOBACK%u:", skip);
}

/* --- Barriers --------------------------------------------------------------------------------------------
 */

/* Regions that end at one barrier and another one are looked through at both alike. */
static bool ends_with(const kernel *k, const region *r, const ls_ir_instr *barrier) {
    if (barrier) return ls_bitset_has(&r->instrs, barrier->id);
    for (uint32_t i = 0; i < k->ir->instr_count; i++)
        if (is_exit(k->ir->instrs[i]) && ls_bitset_has(&r->instrs, i)) return true;
    return false;
}

static void find_ending(const kernel *k, const ls_ir_instr *barrier, ls_bitset *regions) {
    for (uint32_t r = 0; r < k->region_count; r++)
        if (ends_with(k, &k->regions[r], barrier)) ls_bitset_add(regions, r);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < k->ir->instr_count; i++) {
            const ls_ir_instr *other = k->ir->instrs[i];
            if (!is_barrier(other)) continue;
            bool meets = false;
            for (uint32_t r = 0; r < k->region_count && !meets; r++)
                meets = ls_bitset_has(regions, r) && ls_bitset_has(&k->regions[r].instrs, i);
            for (uint32_t r = 0; r < k->region_count && meets; r++) {
                if (!ls_bitset_has(&k->regions[r].instrs, i) || ls_bitset_has(regions, r)) continue;
                ls_bitset_add(regions, r);
                changed = true;
            }
        }
    }
}

static void find_range(const kernel *k, const ls_ir_instr *barrier, uint64_t *from, uint64_t *to) {
    ls_arena scratch;
    ls_arena_init(&scratch);
    ls_bitset regions = ls_bitset_new(&scratch, k->region_count);
    find_ending(k, barrier, &regions);
    *from = UINT64_MAX, *to = 0;
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        if (!k->accesses[i].marked) continue;
        for (uint32_t r = 0; r < k->region_count; r++)
            if (ls_bitset_has(&regions, r) && is_in(&k->regions[r], k->ir->accesses[i]))
                add_range(k, &k->accesses[i], from, to);
    }
    ls_arena_free(&scratch);
}

/* %ls_p = whether the word whose marks are in %ls_m0 … is one that a warp wrote and another one accessed. */
static void emit_judgement(emitter *e, const layout *l) {
    const char *writes = "%ls_m0";
    if (l->together && l->kinds > 1) {
        dt_emit(e, "\tand.b32 %%ls_w0, %%ls_m0, 0x%x;", (uint32_t)((UINT64_C(1) << e->o->warps) - 1));
        dt_emit(e, "\tshr.u32 %%ls_w1, %%ls_m0, %u;", e->o->warps);
        if (l->kinds > 2) {
            dt_emit(e, "\tshr.u32 %%ls_w2, %%ls_m0, %u;", 2 * e->o->warps);
            dt_emit(e, "\tand.b32 %%ls_w1, %%ls_w1, 0x%x;", (uint32_t)((UINT64_C(1) << e->o->warps) - 1));
        }
        writes = "%ls_w0";
    } else {
        for (uint32_t i = 1; i < l->kinds; i++) dt_emit(e, "\tmov.u32 %%ls_w%u, %%ls_m%u;", i, i);
    }
    dt_emit(e, "\tmov.u32 %%ls_x, %s;", writes);
    for (uint32_t i = 1; i < l->kinds; i++) dt_emit(e, "\tor.b32 %%ls_x, %%ls_x, %%ls_w%u;", i);
    dt_emit(e, "\tadd.u32 %%ls_y, %%ls_x, -1;");
    dt_emit(e, "\tand.b32 %%ls_y, %%ls_y, %%ls_x;");
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_y, 0;"); /* more than one warp */
    dt_emit(e, "\tsetp.ne.u32 %%ls_q, %s, 0;", writes);
    if (l->kinds > 2) {
        dt_emit(e, "\tsetp.ne.and.u32 %%ls_q, %%ls_w1, 0, %%ls_p;");
        dt_emit(e, "\tsetp.ne.and.u32 %%ls_q, %%ls_w2, 0, %%ls_q;");
        dt_emit(e, "\tsetp.ne.or.u32 %%ls_q, %s, 0, %%ls_q;", writes);
    }
    dt_emit(e, "\tand.pred %%ls_p, %%ls_p, %%ls_q;");
}

/* Looks through the marks of these bytes of the segment, a word for each thread and turn. */
static void emit_look(emitter *e, const layout *l, uint64_t from, uint64_t to) {
    uint32_t label = ++e->labels, step = 4 * e->o->threads;
    uint64_t apart = l->plane, unit = UINT64_C(1) << l->shift;
    from = from / unit * 4, to = (to + unit - 1) / unit * 4; /* of the marks, as of the segment's words */
    bool loop = to - from > step;
    dt_emit(e, "\tmad.lo.u32 %%ls_i, %%ls_tid, 4, %" PRIu64 ";", from);
    if (loop) dt_emit(e, "$LS_LOOK%u:", label);
    dt_emit(e, "\tsetp.ge.u32 %%ls_p, %%ls_i, %" PRIu64 ";", to);
    dt_emit(e, "\t@%%ls_p bra $LS_LOOKED%u;", label);
    dt_emit(e, "\tadd.u32 %%ls_j, %%ls_i, %%ls_marks;");
    dt_emit(e, "\tsub.u32 %%ls_j, %%ls_j, %" PRIu64 ";", l->from / unit * 4);
    uint32_t words = l->together ? 1 : l->kinds;
    for (uint32_t i = 0; i < words; i++)
        dt_emit(e, "\tld.shared.u32 %%ls_m%u, [%%ls_j+%" PRIu64 "];", i, i * apart);
    dt_emit(e, "\tmov.u32 %%ls_x, %%ls_m0;");
    for (uint32_t i = 1; i < words; i++) dt_emit(e, "\tor.b32 %%ls_x, %%ls_x, %%ls_m%u;", i);
    dt_emit(e, "\tsetp.eq.u32 %%ls_p, %%ls_x, 0;");
    dt_emit(e, "\t@%%ls_p bra $LS_NEXT%u;", label);
    dt_emit(e, "\tmov.u32 %%ls_x, 0;");
    for (uint32_t i = 0; i < words; i++)
        dt_emit(e, "\tst.shared.u32 [%%ls_j+%" PRIu64 "], %%ls_x;", i * apart);
    emit_judgement(e, l);
    dt_emit(e, "\t@%%ls_p mov.u32 %%ls_conflict, %d;", CONFLICT_SHARED);
    dt_emit(e, "\t@%%ls_p mul.wide.u32 %%ls_conflict_at, %%ls_i, %" PRIu64 ";", unit / 4);
    dt_emit(e, "$LS_NEXT%u:", label);
    if (loop) dt_emit(e, "\tadd.u32 %%ls_i, %%ls_i, %u;", step);
    if (loop) dt_emit(e, "\tbra $LS_LOOK%u;", label);
    dt_emit(e, "$LS_LOOKED%u:", label);
}

static void emit_sweep(emitter *e, const ls_ir_instr *barrier) {
    layout l = layout_of(e->k, e->o->warps);
    uint64_t from, to;
    find_range(e->k, barrier, &from, &to);
    if (to <= from) return;
    emit_look(e, &l, from, to);
    dt_emit(e, "\tsub.u32 %%ls_marks, %%ls_both, %%ls_marks;");
}

void dt_emit_watched_barrier(emitter *e, const ls_ir_instr *barrier) {
    dt_emit_instr(e, barrier->ast);
    uint32_t skip = ++e->labels;
    dt_skip_unless_guarded(e, barrier->ast, "NOSWEEP", skip);
    if (e->o->log || e->o->inner || e->k->exits_early) dt_emit(e, "\tadd.u32 %%ls_epoch, %%ls_epoch, 1;");
    if (e->o->marks && !e->o->log) emit_sweep(e, barrier);
    if (e->o->marks) dt_emit_beside_again(e, barrier);
    dt_emit(e, "$LS_NOSWEEP%u:", skip);
}

/* Threads that leave while others go on to barriers do not look through their share of the marks any more:
 * then nothing can be said. */
static void emit_parting(emitter *e, uint64_t passed, bool before) {
    if (before) {
        dt_emit(e, "\tadd.u32 %%ls_w0, %%ls_epoch, 1;");
        dt_emit(e, "\tnot.b32 %%ls_w1, %%ls_epoch;");
        dt_emit(e, "\tred.shared.max.u32 [%%ls_segment+%" PRIu64 "], %%ls_w0;", passed);
        dt_emit(e, "\tred.shared.max.u32 [%%ls_segment+%" PRIu64 "], %%ls_w1;", passed + 4);
        return;
    }
    dt_emit(e, "\tld.shared.v2.u32 {%%ls_x, %%ls_y}, [%%ls_segment+%" PRIu64 "];", passed);
    dt_emit(e, "\tsetp.ne.u32 %%ls_p, %%ls_x, %%ls_w0;");
    dt_emit(e, "\tsetp.ne.or.u32 %%ls_p, %%ls_y, %%ls_w1, %%ls_p;");
    dt_emit(e, "\t@%%ls_p mov.u32 %%ls_conflict, %d;", CONFLICT_LANES);
}

void dt_emit_last_marks(emitter *e) {
    layout l = layout_of(e->k, e->o->warps);
    uint64_t from, to, passed = e->k->segment + 2 * set_bytes(&l);
    find_range(e->k, NULL, &from, &to);
    if (to <= from && !e->k->exits_early) return;
    if (e->k->exits_early) emit_parting(e, passed, true);
    dt_emit(e, "\tbarrier.sync 0;");
    if (e->k->exits_early) emit_parting(e, passed, false);
    emit_sweep(e, NULL);
}
