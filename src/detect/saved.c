/* What a second pass over a region needs again, and what it is compared by besides shared memory: the
 * registers and the local memory of each thread, saved at the region's start and restored before the second
 * pass, and a sum of what the thread takes out of the region. */
#include "detect/saved.h"

#include <inttypes.h>
#include <stdio.h>

/* --- Registers that a second pass needs again ------------------------------------------------------------
 */

static const char *register_name(const emitter *e, uint32_t reg, char *out, size_t size) {
    const ls_ir_register *r = &e->k->ir->registers[reg];
    static const char elements[] = " xyzw";
    if (r->element)
        snprintf(out, size, "%s.%c", r->symbol->name, elements[r->element]);
    else
        snprintf(out, size, "%s", r->symbol->name);
    return out;
}

static bool can_be_saved(const ls_ir_register *r) {
    return r->kind == LS_REGISTER_PTX;
}

/* mov has no 8-bit form; a register is moved as bits of its own width, in a register at least as wide. */
static const char *move_type(const ls_ir_register *r) {
    switch (ls_ptx_type_bits((ls_ptx_type)r->type)) {
    case 1: return "pred";
    case 8:
    case 16: return "b16";
    case 64: return "b64";
    case 128: return "b128";
    default: return "b32";
    }
}

void dt_emit_moves(emitter *e, const region *r, bool restore) {
    char name[256];
    for (uint32_t reg = ls_bitset_next(&r->restored, 0); reg < r->restored.bits;
         reg = ls_bitset_next(&r->restored, reg + 1)) {
        const ls_ir_register *info = &e->k->ir->registers[reg];
        if (!can_be_saved(info)) continue;
        register_name(e, reg, name, sizeof name);
        if (restore)
            dt_emit(e, "\tmov.%s %s, %%ls_s%u;", move_type(info), name, reg);
        else
            dt_emit(e, "\tmov.%s %%ls_s%u, %s;", move_type(info), reg, name);
    }
}

void dt_declare_saved(emitter *e) {
    ls_bitset all = ls_bitset_new(&e->k->arena, e->k->ir->register_count);
    for (uint32_t i = 0; i < e->k->region_count; i++)
        if (e->k->regions[i].twice) ls_bitset_union(&all, &e->k->regions[i].restored);
    for (uint32_t reg = ls_bitset_next(&all, 0); reg < all.bits; reg = ls_bitset_next(&all, reg + 1))
        if (can_be_saved(&e->k->ir->registers[reg]))
            dt_emit(e, "\t.reg .%s %%ls_s%u;", move_type(&e->k->ir->registers[reg]), reg);
}

/* --- Local memory ----------------------------------------------------------------------------------------
 */

static bool saves_local(const emitter *e) {
    for (uint32_t i = 0; i < e->k->region_count; i++)
        if (e->k->regions[i].twice && e->k->regions[i].writes_local) return true;
    return false;
}

void dt_copy_local(emitter *e, bool restore) {
    for (uint32_t i = 0; i < e->k->ir->object_count; i++) {
        const ls_ir_object *o = e->k->ir->objects[i];
        if (o->kind != LS_OBJECT_LOCAL || !o->size) continue;
        uint32_t label = ++e->labels;
        const char *from = restore ? "ls_local" : o->symbol->name,
                   *to = restore ? o->symbol->name : "ls_local";
        char from_name[300], to_name[300];
        snprintf(from_name, sizeof from_name, restore ? "%s%u" : "%s", from, i);
        snprintf(to_name, sizeof to_name, restore ? "%s" : "%s%u", to, i);
        dt_emit(e, "\tmov.u64 %%ls_from, %s;", from_name);
        dt_emit(e, "\tmov.u64 %%ls_to, %s;", to_name);
        dt_emit(e, "\tmov.u32 %%ls_i, 0;");
        dt_emit(e, "$LS_LOCAL%u:", label);
        dt_emit(e, "\tld.local.u8 %%ls_byte, [%%ls_from];");
        dt_emit(e, "\tst.local.u8 [%%ls_to], %%ls_byte;");
        dt_emit(e, "\tadd.u64 %%ls_from, %%ls_from, 1;");
        dt_emit(e, "\tadd.u64 %%ls_to, %%ls_to, 1;");
        dt_emit(e, "\tadd.u32 %%ls_i, %%ls_i, 1;");
        dt_emit(e, "\tsetp.lt.u32 %%ls_p, %%ls_i, %" PRIu64 ";", o->size);
        dt_emit(e, "\t@%%ls_p bra $LS_LOCAL%u;", label);
    }
}

void dt_declare_local(emitter *e) {
    if (!saves_local(e)) return;
    dt_emit(e, "\t.reg .u64 %%ls_from, %%ls_to;");
    dt_emit(e, "\t.reg .b16 %%ls_byte;");
    for (uint32_t i = 0; i < e->k->ir->object_count; i++) {
        const ls_ir_object *o = e->k->ir->objects[i];
        if (o->kind == LS_OBJECT_LOCAL && o->size)
            dt_emit(e, "\t.local .align 16 .b8 ls_local%u[%" PRIu64 "];", i, o->size);
    }
}

/* --- What a pass computes besides shared memory ------------------------------------------------------------
 */

/* A warp that reads what another one writes need not write anything of it to shared memory: it may keep it in
 * registers, or store it to global memory. So each thread sums up the registers that it takes out of the
 * region and what it stores to global memory, and compares the sums of both passes. */
void dt_emit_hash(emitter *e, const char *value) {
    dt_emit(e, "\tmad.lo.u32 %%ls_h, %%ls_h, 0x9E3779B1, %s;", value);
}

/* A register of that many bits. */
void dt_emit_hash_register(emitter *e, const char *name, uint32_t bits) {
    switch (bits) {
    case 1: dt_emit(e, "\tselp.u32 %%ls_hv, 1, 0, %s;", name); break;
    case 16: dt_emit(e, "\tmov.b32 %%ls_hv, {%s, %s};", name, name); break;
    case 32: dt_emit(e, "\tmov.b32 %%ls_hv, %s;", name); break;
    case 64:
        dt_emit(e, "\tmov.b64 {%%ls_hv, %%ls_hw}, %s;", name);
        dt_emit_hash(e, "%ls_hw");
        break;
    default: return;
    }
    dt_emit_hash(e, "%ls_hv");
}

/* The registers that are live behind the barrier and written in a checked region that ends at it. */
void dt_emit_hash_of_live(emitter *e, const ls_ir_instr *instr) {
    const region *next = &e->k->regions[e->k->region_of_barrier[instr->id]];
    ls_bitset written = ls_bitset_new(&e->k->arena, e->k->ir->register_count);
    for (uint32_t r = 0; r < e->k->region_count; r++) {
        const region *from = &e->k->regions[r];
        if (from->twice && ls_bitset_has(&from->instrs, instr->id)) ls_bitset_union(&written, &from->written);
    }
    for (uint32_t reg = ls_bitset_next(&written, 0); reg < written.bits;
         reg = ls_bitset_next(&written, reg + 1)) {
        char name[256];
        const ls_ir_register *info = &e->k->ir->registers[reg];
        if (!ls_bitset_has(&next->live, reg) || !can_be_saved(info)) continue;
        dt_emit_hash_register(e, register_name(e, reg, name, sizeof name),
                              ls_ptx_type_bits((ls_ptx_type)info->type));
    }
}

/* Registers that may be read before they are written: they get a value, the same in both passes. */
void dt_emit_undefined(emitter *e) {
    const ls_bitset *live = &e->k->regions[0].live;
    for (uint32_t reg = ls_bitset_next(live, 0); reg < live->bits; reg = ls_bitset_next(live, reg + 1)) {
        char name[256];
        const ls_ir_register *info = &e->k->ir->registers[reg];
        if (!can_be_saved(info) || info->element) continue;
        register_name(e, reg, name, sizeof name);
        switch (ls_ptx_type_bits((ls_ptx_type)info->type)) {
        case 1: dt_emit(e, "\tsetp.ne.u32 %s, 0, 0;", name); break;
        case 16: dt_emit(e, "\tmov.b16 %s, 0;", name); break;
        case 32: dt_emit(e, "\tmov.b32 %s, 0;", name); break;
        case 64: dt_emit(e, "\tmov.b64 %s, 0;", name); break;
        default: break;
        }
    }
}
