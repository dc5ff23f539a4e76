/* Registers of matrix units that are used too early (check/unit_registers.h): PTX ISA, "wgmma.mma_async",
 * "wgmma.fence" and "tcgen05.ld". Copies of registers (mov) are compilers' own and count as what they copy. A
 * product may sum into the registers of another one under way if it has the same shape. */
#include "emulate/check/unit_registers.h"
#include "base/recover.h"
#include "emulate/machine.h"

#include <string.h>

static bool is_under_way(const warp *w, const unit_register *r) {
    if (r->use == UNIT_FREE) return false;
    return r->number > (r->use == UNIT_LOAD ? w->unit_loads_done : w->unit_groups_done);
}

static void say(warp *w, const insn *i, uint32_t other, const char *message, const char *other_message,
                const char *help) {
    machine *m = w->machine;
    ls_lock(&m->lock);
    found *f = em_find_finding(m, LS_RULE_ASYNC_REGISTERS, i->site, other, 0);
    if (!f->finding.count++) {
        f->finding.level = LS_ERROR;
        f->finding.message = message;
        f->finding.help = help;
        em_say_other(&f->finding, other_message);
        em_tell_thread(&f->finding, em_actor(m, w->block->index, w->index, first_lane(w->mask)), NULL);
    }
    ls_unlock(&m->lock);
}

static void check_read(warp *w, const insn *i, const unit_register *r) {
    if (!is_under_way(w, r) || r->use == UNIT_FRAGMENT) return;
    if (r->use == UNIT_LOAD)
        say(w, i, r->site, "this reads a register that a tcgen05.ld may not have filled yet",
            "the tcgen05.ld", "wait for the load with tcgen05.wait::ld before its registers are used");
    else
        say(w, i, r->site,
            "this reads a register that a wgmma may not have finished: its group has not been waited for",
            "the wgmma", "wait for the group with wgmma.wait_group before its sums are used");
}

static void check_write(warp *w, const insn *i, const unit_register *r) {
    static const char *const messages[] = {
        [UNIT_SUM] =
            "this writes a register that a wgmma is still summing into: its group has not been waited for",
        [UNIT_FRAGMENT] = "this writes a register from which a wgmma may still be reading A: its group has "
                          "not been waited for",
        [UNIT_LOAD] = "this writes a register that a tcgen05.ld may still be filling"};
    if (!is_under_way(w, r) || r->copied) return;
    say(w, i, r->site, messages[r->use], r->use == UNIT_LOAD ? "the tcgen05.ld" : "the wgmma",
        r->use == UNIT_LOAD ? "wait for the load with tcgen05.wait::ld first"
                            : "wait for the group with wgmma.wait_group first");
}

const insn *em_exec_unit_touch(warp *w, const insn *i) {
    const unit_touch *t = i->extra;
    if (!w->units) return i + 1;
    for (uint32_t k = 0; k < t->read_count; k++) check_read(w, i, &w->units[t->reads[k]]);
    for (uint32_t k = 0; k < t->write_count; k++) {
        unit_register *r = &w->units[t->writes[k]];
        check_write(w, i, r);
        *r = (unit_register){.written = w->unit_fences + 1, .writer = i->site};
    }
    return i + 1;
}

/* The copy has what the source has; of several sources, what one that is under way has. */
const insn *em_exec_unit_copy(warp *w, const insn *i) {
    const unit_touch *t = i->extra;
    if (!w->units) return i + 1;
    unit_register from = {0};
    for (uint32_t k = 0; k < t->read_count; k++) {
        const unit_register *r = &w->units[t->reads[k]];
        if (!k || (is_under_way(w, r) && r->use != UNIT_FRAGMENT)) from = *r;
    }
    if (!is_under_way(w, &from) || from.use == UNIT_FRAGMENT) from.use = UNIT_FREE;
    from.copied = true;
    for (uint32_t k = 0; k < t->write_count; k++) {
        if (!from.use && !t->spill) check_write(w, i, &w->units[t->writes[k]]);
        w->units[t->writes[k]] = from;
    }
    return i + 1;
}

/* --- Operations of the unit --- */
static void check_fence(warp *w, const insn *i, uint32_t reg) {
    const unit_register *r = &w->units[reg];
    if (r->written != w->unit_fences + 1) return;
    if (reg == UNIT_START)
        say(w, i, i->site, "no wgmma.fence has been executed before this first wgmma", NULL,
            "registers are handed over to wgmma by wgmma.fence");
    else
        say(w, i, r->writer,
            "there is no wgmma.fence between this wgmma and the last write of a register that it uses",
            "the write", "put wgmma.fence between the write and the wgmma");
}

void em_unit_product(warp *w, const insn *i, const unit_touch *t) {
    if (!t || !w->units) return;
    const unit_register begun = {.number = w->wgmma_groups + 1, .site = i->site, .shape = t->shape};
    check_fence(w, i, UNIT_START);
    for (uint32_t k = 0; k < t->read_count; k++) {
        unit_register *r = &w->units[t->reads[k]];
        check_read(w, i, r);
        check_fence(w, i, t->reads[k]);
        *r = begun, r->use = UNIT_FRAGMENT;
    }
    for (uint32_t k = 0; k < t->write_count; k++) {
        unit_register *r = &w->units[t->writes[k]];
        const bool further = r->use == UNIT_SUM && !strcmp(r->shape, t->shape);
        if (!further) check_write(w, i, r);
        check_fence(w, i, t->writes[k]);
        *r = begun, r->use = UNIT_SUM;
    }
}

void em_unit_load(warp *w, const insn *i, const unit_touch *t) {
    if (!t || !w->units) return;
    w->unit_loads++;
    for (uint32_t k = 0; k < t->write_count; k++) {
        check_write(w, i, &w->units[t->writes[k]]);
        w->units[t->writes[k]] = (unit_register){.use = UNIT_LOAD, .number = w->unit_loads, .site = i->site};
    }
}

const insn *em_exec_unit_fence(warp *w, const insn *i) {
    w->unit_fences++;
    return i + 1;
}

void em_unit_groups_waited(warp *w, int64_t rest) {
    const int64_t done = (int64_t)w->wgmma_groups - (rest < 0 ? 0 : rest);
    if (done > (int64_t)w->unit_groups_done) w->unit_groups_done = (uint32_t)done;
}

void em_unit_loads_waited(warp *w) {
    w->unit_loads_done = w->unit_loads;
}

void em_unit_start(warp *w) {
    if (!w->units) return;
    memset(w->units, 0, w->machine->emulator->unit_registers * sizeof *w->units);
    w->units[UNIT_START].written = 1;
    w->unit_fences = 0;
    w->unit_groups_done = w->wgmma_groups;
    w->unit_loads_done = w->unit_loads;
}
