/* OpenCL's images: read_image… and write_image… access one element, at the coordinates that they are given.
 * An image is an object of its own, which pointers and other images do not overlap, and accesses stay within
 * it, as those to arrays do. What is read at coordinates that are integers from an image that is only read is
 * a function of them; else it may be anything. */
#include "verify/check/images.h"
#include "verify/check/async.h"
#include "verify/execute/calls.h"
#include "verify/execute/lower.h"

enum { COORDINATE_BITS = 21 }; /* no image is larger in a dimension */

/* The types of the arguments behind the image, and the sampler, in the function's mangled name. */
static const char *coordinate_types(const char *name, bool *sampled) {
    const char *sampler = strstr(name, "ocl_sampler"), *image = strstr(name, "ocl_image");
    *sampled = sampler != NULL;
    if (sampler) return sampler + strlen("ocl_sampler");
    for (; image && *image; image++)
        if (!strncmp(image, "_ro", 3) || !strncmp(image, "_wo", 3) || !strncmp(image, "_rw", 3))
            return image + 3;
    return "";
}

/* x + (y << 21) + (z << 42), of as many coordinates as there are: different elements have different numbers.
 * Any where coordinates are no integers; NULL: not known. */
static const ls_term *element_of(ls_state *s, const ls_ir_instr *call, const ls_term **inside) {
    ls_terms *t = &s->proof->terms;
    bool sampled;
    const char *types = coordinate_types(call->call->name, &sampled);
    if (*types == 'f' || !strncmp(types, "Dv2_f", 5) || !strncmp(types, "Dv4_f", 5))
        return ls_fresh(s, "element", 64, LS_SYM_INPUT);
    uint32_t count = !strncmp(types, "Dv2_i", 5) ? 2 : !strncmp(types, "Dv4_i", 5) ? 3 : *types == 'i';
    const ls_term *element = count ? ls_const(t, 64, 0) : NULL;
    for (uint32_t k = 0; k < count && element; k++) {
        ls_ir_value *v = ls_ir_argument_value(call, 1 + sampled, 4 * k);
        const ls_term *at = v ? ls_resize(t, ls_value_of(s, v), 64, false) : NULL;
        if (at) *inside = ls_and(t, *inside, ls_ult(t, at, ls_const(t, 64, UINT64_C(1) << COORDINATE_BITS)));
        element = at ? ls_add(t, element, ls_scale(t, at, UINT64_C(1) << (COORDINATE_BITS * k))) : NULL;
    }
    return element;
}

const ls_term *ls_image_value(ls_state *s, const ls_ir_instr *call, uint32_t result, uint32_t width) {
    ls_terms *t = &s->proof->terms;
    ls_ir_value *image = ls_ir_argument_value(call, 0, 0);
    const ls_term *start = image ? ls_value_of(s, image) : NULL, *ignored = ls_true(t);
    bool sampled, reads = strstr(call->call->name, "_ro") != NULL;
    const char *types = coordinate_types(call->call->name, &sampled);
    bool whole = *types == 'i' || !strncmp(types, "Dv2_i", 5) || !strncmp(types, "Dv4_i", 5);
    if (!reads || !whole || !start || start->op != LS_T_SYM) return NULL;
    const ls_ir_base *base = ls_base_at(s->proof, start, LS_SPACE_GLOBAL);
    const ls_term *element = base ? element_of(s, call, &ignored) : NULL;
    if (!element) return NULL;
    const ls_term *at =
        ls_add(t, ls_scale(t, element, 16), ls_const(t, 64, (uint64_t)call->dst[result].offset));
    return ls_uf(t, (ls_function){LS_UF_READ_ONLY, base}, width, &at, 1);
}

/* What write_image… writes: the four parts of its last argument. */
static void find_written(const ls_state *s, const ls_ir_instr *call, ls_event *e) {
    for (uint32_t k = 0; k < 4; k++) {
        ls_ir_value *v = ls_ir_argument_value(call, call->call->arg_count - 1, 4 * k);
        if (!v) return;
        e->values[k] = ls_resize(&s->proof->terms, ls_value_of(s, v), 32, false);
    }
    e->value_count = 4;
}

void ls_image_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path) {
    const ls_term *inside = path, *element = element_of(s, call, &inside);
    bool known = element && ls_made_access(s, n, call, inside, LS_SPACE_GLOBAL, element);
    bool writes = ls_ptx_builtin_traits(ls_ir_builtin(call)) & LS_TRAIT_WRITES;
    if (known && writes && s->events && call->call->arg_count > 2)
        find_written(s, call, &s->events->items[s->events->length - 1]);
    if (known) return;
    ls_unknown(s->proof, call->pos, NULL, "call of '%s', which is not modelled", call->call->name);
    s->proof->unmodelled_sync |= LS_SYNC_ANYWHERE;
}
