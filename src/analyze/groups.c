/* Partitions of a warp's lanes: groups numbered by first occurrence, so that equal partitions are equal
 * arrays. */
#include "analyze/groups.h"

#include <string.h>

void ls_groups_by(ls_lanes *lanes, const ls_keys *keys) {
    uint8_t first[LANES];
    uint32_t count = 0;
    for (uint32_t l = 0; l < LANES; l++) {
        uint32_t g = 0;
        while (g < count && (keys->of[first[g]] != keys->of[l] || keys->second[first[g]] != keys->second[l] ||
                             keys->third[first[g]] != keys->third[l]))
            g++;
        if (g == count) first[count++] = (uint8_t)l;
        lanes->group[l] = (uint8_t)g;
    }
    lanes->group_count = (uint8_t)count;
}

void ls_groups_both(ls_lanes *lanes, const ls_lanes *a, const ls_lanes *b) {
    const ls_lanes *only = b->group_count == 1 ? a : a->group_count == 1 ? b : NULL;
    if (only) {
        memcpy(lanes->group, only->group, sizeof lanes->group);
        lanes->group_count = only->group_count;
        return;
    }
    ls_keys keys;
    memset(&keys, 0, sizeof keys);
    for (uint32_t l = 0; l < LANES; l++) keys.of[l] = (uint64_t)a->group[l] * LANES + b->group[l];
    ls_groups_by(lanes, &keys);
}

/* Inputs that differ in any way put lanes apart: a chain of refinements, one input after another. */
static void refine(ls_lanes *result, const ls_lanes *input) {
    ls_keys keys;
    memset(&keys, 0, sizeof keys);
    for (uint32_t l = 0; l < LANES; l++) {
        keys.of[l] = result->group[l];
        keys.second[l] = input->predicate ? 0 : (uint64_t)input->offset[l];
        keys.third[l] = input->slack[l] ? 1000 + l : input->group[l];
    }
    ls_groups_by(result, &keys);
}

ls_lanes ls_lanes_function(const ls_lanes *const *inputs, uint32_t count, uint8_t cause) {
    ls_lanes result = {.seen = true, .group_count = 1, .modulus = 1};
    bool apart = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!inputs[i]->seen) return (ls_lanes){0};
        result.cause |= inputs[i]->cause;
        apart |= inputs[i]->group_count == LANES;
    }
    if (apart) return ls_lanes_any(result.cause | cause);
    for (uint32_t i = 0; i < count; i++)
        if (!ls_lanes_is_uniform(inputs[i], UINT32_MAX)) refine(&result, inputs[i]);
    if (result.group_count > 1) result.cause |= cause;
    return result;
}

ls_lanes ls_lanes_predicate_function(const ls_lanes *const *inputs, uint32_t count, uint8_t cause) {
    ls_lanes result = ls_lanes_function(inputs, count, cause);
    if (!result.seen) return result;
    result.predicate = true;
    result.may = UINT32_MAX;
    result.most_true = result.most_false = LANES;
    return result;
}
