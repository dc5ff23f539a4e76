/* Surfaces (PTX ISA, "Surface Instructions"): bytes of an array by coordinates, the first of which counts
 * bytes. Outside of the array .trap ends the launch, .clamp takes the nearest element, .zero reads zeros and
 * writes nothing. Races on surfaces are not looked for. */
#include "base/recover.h"
#include "emulate/machine.h"
#include "emulate/texture/sample.h"
#include "isa/atomic.h"
#include "isa/number.h"

/* Where a lane's access goes; NULL: nowhere (.zero), *trap: outside with .trap. */
static char *locate(warp *w, const sample_info *x, const ls_texture *t, uint32_t lane, bool *trap) {
    int64_t bytes = (int64_t)x->count * ls_ptx_type_bits((ls_ptx_type)x->type) / 8;
    int64_t element = (int64_t)t->channels * t->bits / 8, row = (int64_t)t->width * element;
    int64_t size[3] = {row - bytes + 1, t->height ? t->height : 1, t->depth ? t->depth : 1}, at[3] = {0};
    for (uint32_t axis = 0; axis < x->dimensions; axis++)
        at[axis] = (int32_t)read_lane(w, x->coordinate[axis + x->layered], lane);
    if (x->layered) at[2] = (int32_t)read_lane(w, x->coordinate[0], lane);
    for (uint32_t axis = 0; axis < 3; axis++) {
        if (at[axis] >= 0 && at[axis] < size[axis]) continue;
        *trap |= x->bounds == LS_MOD_TRAP;
        if (x->bounds != LS_MOD_CLAMP || size[axis] <= 0) return NULL;
        at[axis] = at[axis] < 0 ? 0 : size[axis] - 1;
    }
    int64_t pitch = t->pitch ? t->pitch : row;
    return (char *)t->data + (at[2] * size[1] + at[1]) * pitch + at[0];
}

static void reduce(warp *w, const sample_info *x, char *at, uint32_t lane) {
    uint64_t old = 0, new;
    uint32_t bytes = ls_ptx_type_bits((ls_ptx_type)x->type) / 8;
    ls_lock(&w->machine->lock);
    memcpy(&old, at, bytes);
    new = em_atomic_result((atomic_op)x->what, (ls_ptx_type)x->type, old, read_lane(w, x->value[0], lane), 0);
    memcpy(at, &new, bytes);
    ls_unlock(&w->machine->lock);
}

const insn *em_exec_surface(warp *w, const insn *i) {
    const sample_info *x = i->extra;
    const ls_emulator *e = w->machine->emulator;
    uint32_t bytes = ls_ptx_type_bits((ls_ptx_type)x->type) / 8;
    FOR_LANES(l, w->mask) {
        const ls_texture *t = em_texture_at(e->space, read_lane(w, x->handle, l));
        if (!t) return em_stop(w, i, LS_EMU_UNSUPPORTED, "a handle that names no texture or surface");
        bool trap = false;
        char *at = locate(w, x, t, l, &trap);
        if (trap) return em_stop(w, i, LS_EMU_TRAPPED, "an access outside of a surface");
        if (x->kind == SURFACE_REDUCE) {
            if (at) reduce(w, x, at, l);
            continue;
        }
        for (uint32_t k = 0; k < x->count; k++) {
            uint64_t v = x->kind == SURFACE_STORE ? read_lane(w, x->value[k], l) : 0;
            if (x->kind == SURFACE_STORE && at) memcpy(at + k * bytes, &v, bytes);
            if (x->kind != SURFACE_LOAD) continue;
            if (at) memcpy(&v, at + k * bytes, bytes);
            write_lane(w, x->value[k], l, v);
        }
    }
    return i + 1;
}
