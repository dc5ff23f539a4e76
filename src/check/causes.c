/* Which findings have one cause (causes.h): races of one rule and level on one object, between threads of one
 * block or of several alike, that have a line in common; and those between a line and itself, where threads
 * share an index, as of the members of a struct that are written one after the other. */
#include "check/causes.h"

#include <string.h>

/* Whose threads are in it: of one block, of two, or that is not known. */
static enum { NOT_KNOWN, ONE_BLOCK, TWO_BLOCKS } between(const ls_finding *f) {
    const ls_actor *a = f->story ? f->story->actors : NULL, *b = a ? a->next : NULL;
    if (!b || !a->has_block || !b->has_block) return NOT_KNOWN;
    return memcmp(a->block, b->block, sizeof a->block) ? TWO_BLOCKS : ONE_BLOCK;
}

static bool has_line(const ls_finding *f, const ls_place *line) {
    return ls_place_same_line(&f->place, line) || ls_place_same_line(ls_finding_other(f), line);
}

static bool is_of_one_line(const ls_finding *f) {
    return ls_place_same_line(&f->place, ls_finding_other(f));
}

static bool has_same_cause(const ls_finding *a, const ls_finding *b) {
    if (!ls_rule_is_race(a->rule) || a->rule != b->rule || a->level != b->level) return false;
    const char *one = a->story ? a->story->object : NULL, *two = b->story ? b->story->object : NULL;
    if (!one || !two || strcmp(one, two) != 0 || between(a) != between(b)) return false;
    if (has_line(b, &a->place) || has_line(b, ls_finding_other(a))) return true;
    return is_of_one_line(a) && is_of_one_line(b);
}

/* The number of the first one of its cause, by finding. */
static uint32_t *group(const ls_finding *const *all, uint32_t count, ls_arena *arena) {
    uint32_t *first = LS_NEW_N(arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        first[i] = i;
        for (uint32_t k = 0; k < i; k++) {
            uint32_t from = first[i], to = first[k];
            if (from == to || !has_same_cause(all[i], all[k])) continue;
            uint32_t least = from < to ? from : to, other = from < to ? to : from;
            for (uint32_t n = 0; n <= i; n++)
                if (first[n] == other) first[n] = least;
        }
    }
    return first;
}

static ls_cause cause_of(const ls_finding *const *all, uint32_t count, const uint32_t *first, uint32_t which,
                         ls_arena *arena) {
    const ls_finding **others = LS_NEW_N(arena, const ls_finding *, count + 1);
    ls_cause c = {.shown = all[which], .others = others};
    for (uint32_t i = which; i < count && c.shown->replay != LS_REPLAY_CONFIRMED; i++)
        if (first[i] == which && all[i]->replay == LS_REPLAY_CONFIRMED) c.shown = all[i];
    for (uint32_t i = which; i < count; i++)
        if (first[i] == which && all[i] != c.shown) others[c.other_count++] = all[i];
    return c;
}

const ls_cause *ls_causes(const ls_finding *findings, ls_arena *arena, uint32_t *count) {
    uint32_t all_count = 0, n = 0;
    for (const ls_finding *f = findings; f; f = f->next) all_count++;
    const ls_finding **all = LS_NEW_N(arena, const ls_finding *, all_count + 1);
    for (const ls_finding *f = findings; f; f = f->next) all[n++] = f;
    const uint32_t *first = group(all, all_count, arena);
    ls_cause *causes = LS_NEW_N(arena, ls_cause, all_count + 1);
    *count = 0;
    for (uint32_t i = 0; i < all_count; i++)
        if (first[i] == i) causes[(*count)++] = cause_of(all, all_count, first, i, arena);
    return causes;
}
