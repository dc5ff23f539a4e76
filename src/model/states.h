/* A set of byte strings of one length, numbered from 0 in the order they came. */
#ifndef LS_MODEL_STATES_H
#define LS_MODEL_STATES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t size; /* of one string */
    uint32_t count, mask;
    uint8_t *bytes;
    uint64_t room;
    uint32_t *slots; /* number + 1, or 0 */
} ls_kstates;

void ls_kstates_init(ls_kstates *set, uint32_t size);
void ls_kstates_clear(ls_kstates *set); /* keeps the memory */
void ls_kstates_free(ls_kstates *set);
uint32_t ls_kstates_add(ls_kstates *set, const uint8_t *bytes, bool *is_new);
bool ls_kstates_has(const ls_kstates *set, const uint8_t *bytes);

static inline const uint8_t *ls_kstates_at(const ls_kstates *set, uint32_t number) {
    return set->bytes + (uint64_t)number * set->size;
}

#endif
