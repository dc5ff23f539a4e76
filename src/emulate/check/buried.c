/* Words as plain writes have left them (check/buried.h), by their addresses. One is good as long as its
 * shadow names a descriptor with the mark `buried`, or the access that is looked at, which has passed it
 * already. */
#include "emulate/check/buried.h"
#include "base/recover.h"

#include <string.h>

enum { WORD = 4 };

static ls_intmap *words_of(const race_state *s) {
    return s->shared ? &s->w->block->buried : &s->w->machine->buried;
}

static const char *memory_at(const race_state *s, uint64_t address) {
    return s->shared ? s->w->block->shared + address : (const char *)em_host(address);
}

void em_buried_keep(const race_state *s, uint64_t number) {
    machine *m = s->w->machine;
    const uint64_t address = s->base + number * WORD;
    uint32_t word;
    memcpy(&word, memory_at(s, address), WORD);
    ls_lock(&m->lock);
    *ls_intmap_at(words_of(s), address, NULL) = word;
    ls_unlock(&m->lock);
}

/* Puts the word there as far as the bytes [address, address + size) have a part in it. */
static void put_word(uint64_t at, uint64_t value, uint64_t address, char *bytes, uint32_t size) {
    for (uint32_t k = 0; k < WORD; k++)
        if (at + k >= address && at + k < address + size) bytes[at + k - address] = (char)(value >> 8 * k);
}

void em_buried_read(const race_state *s, uint64_t address, char *bytes, uint32_t size) {
    machine *m = s->w->machine;
    memcpy(bytes, memory_at(s, address), size);
    ls_lock(&m->lock);
    const ls_intmap *words = words_of(s);
    for (uint64_t at = address & ~(uint64_t)(WORD - 1); words->count && at < address + size; at += WORD) {
        const uint32_t index = em_race_desc(em_race_cell(s, (at - s->base) / WORD).write, s->narrow);
        uint64_t value;
        if ((s->table[index].buried || index == s->me) && ls_intmap_get(words, at, &value))
            put_word(at, value, address, bytes, size);
    }
    ls_unlock(&m->lock);
}
