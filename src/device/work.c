/* Work of libraries on memory of the device (LS_OP_WORK): a matrix product, a transform, random numbers. It
 * is code of the host, so that the checkers see its operands and nothing else: each must be in one allocation
 * and stay in it, what is read must have been written, and what touches the same bytes must be ordered with
 * it. */
#include "base/recover.h"
#include "device/private.h"
#include "emulate/space.h"

#include <stdlib.h>

static void tell(ls_dev *dev, const char *rule, ls_severity level, const ls_operand *o, const char *what,
                 const char *problem) {
    ls_buf record = {0};
    stack here;
    dv_stack(dev, &here);
    const memory_record *near = dv_nearest(dev, o->address);
    dv_begin_finding(&record, rule, level, NULL, 1, "%s: what it %s %s (%llu bytes at 0x%llx)", what,
                     o->write ? "writes" : "reads", problem, (unsigned long long)o->size,
                     (unsigned long long)o->address);
    dv_put_stack(&record, "called here", &here);
    if (near) dv_put_memory(&record, near);
    dv_tell(dev, &record);
}

static bool is_good(ls_dev *dev, const ls_operand *o, const char *what) {
    const memory_record *m = dv_find(dev, o->address);
    if (!m) {
        const memory_record *near = dv_nearest(dev, o->address);
        tell(dev, "memory.bounds", LS_ERROR, o, what,
             near && near->m.freed      ? "was freed"
             : dv_is_device(o->address) ? "is in no allocation"
                                        : "is host memory that the device cannot access");
        return false;
    }
    if (o->address - m->m.address + o->size > m->m.size) {
        tell(dev, "memory.bounds", LS_ERROR, o, what, "goes beyond its allocation");
        return false;
    }
    return true;
}

typedef struct {
    ls_work_call call;
    void *data;
    ls_arena memory;
} work_in_hand;

static void carry_out(void *context) {
    work_in_hand *w = context;
    w->call(w->data, &w->memory);
}

ls_dev_status ls_dev_carry_out(ls_work_call call, void *data) {
    work_in_hand w = {.call = call, .data = data};
    const bool done = ls_try(carry_out, &w);
    ls_arena_free(&w.memory);
    return done ? LS_DEV_OK : LS_DEV_NO_MEMORY;
}

ls_dev_status dv_run_work(ls_stream *s, const ls_work *w, const char *what) {
    ls_dev *dev = s->dev;
    stack here;
    for (uint32_t k = 0; k < w->count; k++)
        if (w->operands[k].size && !is_good(dev, &w->operands[k], what)) return LS_DEV_BAD_ADDRESS;
    if (dev->racing) dv_stack(dev, &here);
    for (uint32_t k = 0; k < w->count; k++) {
        const ls_operand *o = &w->operands[k];
        if (!o->write && !o->rough && o->size && !ls_emu_space_defined(dev->space, o->address, o->size))
            tell(dev, "memory.uninitialized", LS_WARNING, o, what,
                 "was not written before, at least not all of it");
        if (dev->racing) dv_touch(s, o->address, o->size, o->write, o->rough, what, &here);
    }
    ls_dev_status status = ls_dev_carry_out(w->call, w->data);
    if (status != LS_DEV_OK) return status;
    for (uint32_t k = 0; k < w->count; k++)
        if (w->operands[k].write)
            ls_emu_space_define(dev->space, w->operands[k].address, w->operands[k].size);
    return LS_DEV_OK;
}
