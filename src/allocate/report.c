/* Reports of allocations: what was spilled, in which state it was, where it went (003, Figures 24 to 26). */
#include "allocate/private.h"

#include <jansson.h>
#include <stdlib.h>

static uint32_t sum(const uint32_t *counts, uint32_t count) {
    uint32_t total = 0;
    for (uint32_t i = 0; i < count; i++) total += counts[i];
    return total;
}

/* --- Text ------------------------------------------------------------------------------------------------
 */
static void put_states(ls_buf *out, const char *title, const uint32_t states[LS_STATE_COUNT]) {
    ls_buf_printf(out, "  %-14s %5u", title, sum(states, LS_STATE_COUNT));
    for (uint32_t i = 0; i < LS_STATE_COUNT; i++)
        ls_buf_printf(out, "   %s %u", ls_allocate_state_text((ls_allocate_state)i), states[i]);
    ls_buf_putc(out, '\n');
}

static void put_places(ls_buf *out, const char *title, const uint32_t places[LS_PLACE_COUNT]) {
    ls_buf_printf(out, "  %-14s %5u", title, sum(places, LS_PLACE_COUNT));
    for (uint32_t i = 0; i < LS_PLACE_COUNT; i++)
        ls_buf_printf(out, "   %s %u", ls_allocate_place_name((ls_allocate_place)i), places[i]);
    ls_buf_putc(out, '\n');
}

static void put_kernel(ls_buf *out, const ls_allocate_kernel *k) {
    ls_buf_printf(out, "%s %s: ", k->is_entry ? "kernel" : "function", k->name);
    if (!k->rewritten) {
        ls_buf_printf(out, "left as it is: %s\n", k->reason);
        return;
    }
    ls_buf_printf(out, "%s, %u registers", ls_allocator_name(k->allocator), k->registers);
    if (k->base_reserved) ls_buf_puts(out, ", one of them for the address of spills in shared memory");
    if (k->tid_reserved) ls_buf_puts(out, ", one for threadIdx.x");
    ls_buf_putc(out, '\n');
    ls_buf_printf(out, "  %-14s %5u before, %u after; predicates %u before, %u after\n", "pressure",
                  k->pressure, k->pressure_after, k->predicates, k->predicates_after);
    ls_buf_printf(out, "  %-14s %5u before, %u after\n", "instructions", k->instrs, k->instrs_after);
    put_states(out, "variables", k->states);
    put_states(out, "spilled", k->spilled_states);
    put_places(out, "uses again", k->loads);
    put_places(out, "stores", k->stores);
    ls_buf_printf(out, "  %-14s %5u bytes of local memory a thread, %u bytes of shared memory a block",
                  "memory", k->local_bytes, k->shared_bytes);
    ls_buf_printf(out, " (%u warps) beside its own %u\n", k->warps, k->shared_static);
    if (k->is_entry)
        ls_buf_printf(out, "  %-14s %4u%% before (%s), %u%% after (%s)\n", "occupancy", k->before.percent,
                      k->before.limit, k->after.percent, k->after.limit);
    for (uint32_t i = 0; i < k->note_count; i++) ls_buf_printf(out, "  note: %s\n", k->notes[i]);
}

char *ls_allocation_text(const ls_allocation *allocation, const char *path) {
    ls_buf out = {0};
    ls_buf_printf(&out, "%s\n", path);
    for (uint32_t i = 0; i < allocation->kernel_count; i++) put_kernel(&out, &allocation->kernels[i]);
    return out.text;
}

/* --- JSON ------------------------------------------------------------------------------------------------
 */
static json_t *json_states(const uint32_t states[LS_STATE_COUNT]) {
    static const char *const keys[] = {"constant", "uniform", "affine", "affine_base", "divergent"};
    json_t *object = json_object();
    for (uint32_t i = 0; i < LS_STATE_COUNT; i++)
        json_object_set_new(object, keys[i], json_integer(states[i]));
    return object;
}

static json_t *json_places(const uint32_t places[LS_PLACE_COUNT]) {
    json_t *object = json_object();
    for (uint32_t i = 0; i < LS_PLACE_COUNT; i++)
        json_object_set_new(object, ls_allocate_place_name((ls_allocate_place)i), json_integer(places[i]));
    return object;
}

static json_t *json_occupancy(const ls_occupancy *o) {
    return json_pack("{s:i, s:i, s:i, s:s?}", "blocks", (int)o->blocks, "warps", (int)o->warps, "percent",
                     (int)o->percent, "limit", o->limit);
}

static void set_numbers(json_t *object, const ls_allocate_kernel *k) {
    const struct {
        const char *key;
        uint32_t number;
    } numbers[] = {
        {"registers_asked", k->asked},
        {"registers", k->registers},
        {"warps", k->warps},
        {"instructions", k->instrs},
        {"instructions_after", k->instrs_after},
        {"variables", k->variables},
        {"spilled_variables", k->spilled_variables},
        {"pressure", k->pressure},
        {"pressure_after", k->pressure_after},
        {"predicates", k->predicates},
        {"predicates_after", k->predicates_after},
        {"local_bytes", k->local_bytes},
        {"shared_static", k->shared_static},
        {"shared_bytes", k->shared_bytes},
        {"shared_refused", k->shared_refused},
        {"rounds", k->rounds},
    };
    for (uint32_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].key, json_integer(numbers[i].number));
}

static json_t *json_kernel(const ls_allocate_kernel *k) {
    json_t *object = json_pack("{s:s, s:s, s:b, s:s, s:s?}", "name", k->name, "kind",
                               k->is_entry ? "kernel" : "function", "rewritten", k->rewritten, "allocator",
                               ls_allocator_name(k->allocator), "reason", k->reason);
    if (!k->rewritten) return object;
    set_numbers(object, k);
    json_object_set_new(object, "base_reserved", json_boolean(k->base_reserved));
    json_object_set_new(object, "tid_reserved", json_boolean(k->tid_reserved));
    json_object_set_new(object, "states", json_states(k->states));
    json_object_set_new(object, "spilled_states", json_states(k->spilled_states));
    json_object_set_new(object, "loads", json_places(k->loads));
    json_object_set_new(object, "stores", json_places(k->stores));
    json_object_set_new(
        object, "occupancy",
        json_pack("{s:o, s:o}", "before", json_occupancy(&k->before), "after", json_occupancy(&k->after)));
    json_t *notes = json_array();
    for (uint32_t i = 0; i < k->note_count; i++) json_array_append_new(notes, json_string(k->notes[i]));
    json_object_set_new(object, "notes", notes);
    json_object_set_new(object, "time_ms", json_real(k->scan_ms));
    return object;
}

static char *printed(json_t *kernels, const char *path) {
    json_t *file = json_pack("{s:s, s:o}", "path", path, "kernels", kernels);
    char *text = json_dumps(file, JSON_INDENT(2));
    json_decref(file);
    return text;
}

char *ls_allocation_json(const ls_allocation *allocation, const char *path) {
    json_t *kernels = json_array();
    for (uint32_t i = 0; i < allocation->kernel_count; i++)
        json_array_append_new(kernels, json_kernel(&allocation->kernels[i]));
    return printed(kernels, path);
}

/* --- The practical mode ----------------------------------------------------------------------------------
 */
static void put_ptxas(ls_buf *out, const char *title, const ls_ptxas_report *r, const ls_occupancy *o) {
    ls_buf_printf(out,
                  "  %-8s %u registers, %u bytes of spill stores, %u of spill loads, %u bytes of shared "
                  "memory, occupancy %u%% (%s)\n",
                  title, r->registers, r->spill_stores, r->spill_loads, r->shared, o->percent, o->limit);
}

char *ls_fit_text(const ls_fit *fit, const char *path) {
    ls_buf out = {0};
    ls_buf_printf(&out, "%s\n", path);
    for (uint32_t i = 0; i < fit->kernel_count; i++) {
        const ls_fit_kernel *k = &fit->kernels[i];
        ls_buf_printf(&out, "kernel %s: ", k->name);
        if (k->changed)
            ls_buf_printf(&out, "%u of %u variables were taken out of registers%s\n", k->moved, k->candidates,
                          k->smem_spilling ? "; ptxas spills the rest to shared memory" : "");
        else
            ls_buf_printf(&out, "left as it is: %s\n", k->reason);
        put_ptxas(&out, "before", &k->before, &k->occupancy_before);
        if (!k->changed) continue;
        put_ptxas(&out, "after", &k->after, &k->occupancy_after);
        put_places(&out, "uses again", k->loads);
        put_places(&out, "stores", k->stores);
    }
    return out.text;
}

static json_t *json_ptxas(const ls_ptxas_report *r, const ls_occupancy *o) {
    return json_pack("{s:i, s:i, s:i, s:i, s:i, s:o}", "registers", (int)r->registers, "stack_bytes",
                     (int)r->stack, "spill_store_bytes", (int)r->spill_stores, "spill_load_bytes",
                     (int)r->spill_loads, "shared_bytes", (int)r->shared, "occupancy", json_occupancy(o));
}

char *ls_fit_json(const ls_fit *fit, const char *path) {
    json_t *kernels = json_array();
    for (uint32_t i = 0; i < fit->kernel_count; i++) {
        const ls_fit_kernel *k = &fit->kernels[i];
        json_t *object = json_pack(
            "{s:s, s:b, s:s?, s:i, s:i, s:i, s:i, s:o}", "name", k->name, "changed", k->changed, "reason",
            k->reason, "candidates", (int)k->candidates, "moved", (int)k->moved, "trials", (int)k->trials,
            "shared_bytes", (int)k->shared_bytes, "before", json_ptxas(&k->before, &k->occupancy_before));
        json_object_set_new(object, "smem_spilling", json_boolean(k->smem_spilling));
        if (k->changed) {
            json_object_set_new(object, "after", json_ptxas(&k->after, &k->occupancy_after));
            json_object_set_new(object, "loads", json_places(k->loads));
            json_object_set_new(object, "stores", json_places(k->stores));
        }
        json_array_append_new(kernels, object);
    }
    return printed(kernels, path);
}
