/* Views (check/view.h): what is known is the same whether or not locations mark what they have had, which
 * only saves looking. Random releases and acquires by way of a few locations, twice side by side. */
#include "emulate/check/view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 37, LOCATIONS = 3, STEPS = 4000, EPOCHS = 6 };

typedef struct {
    view *at[LOCATIONS], *knows[BLOCKS];
    uint32_t life[LOCATIONS], lives, stamps;
} world;

static uint32_t seed;
static uint32_t any(uint32_t below) {
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % below;
}

static void release(world *w, bool marks, uint32_t location, uint32_t block, view *own, bool replaces) {
    view *all = em_view_join(w->knows[block], own);
    if (replaces) {
        em_view_set(&w->at[location], em_view_hold(all));
        w->life[location] = 0;
    } else {
        em_view_add(&w->at[location], all);
    }
    em_view_drop(all);
    if (!marks) return;
    if (!w->life[location]) w->life[location] = ++w->lives;
    em_view_mark(w->at[location], w->life[location], ++w->stamps);
}

static void same(const view *a, const view *b) {
    for (uint32_t block = 0; block < BLOCKS; block++)
        for (uint32_t epoch = 0; epoch < EPOCHS * STEPS / BLOCKS; epoch += 1 + epoch / 16) {
            assert_int_equal(em_view_covers_interval(a, block, epoch),
                             em_view_covers_interval(b, block, epoch));
            for (uint32_t tick = 0; tick < 12; tick++) {
                const view_access access = {block, tick % 2, tick % 3, {tick, epoch, tick, UINT32_MAX}};
                assert_int_equal(em_view_covers(a, &access), em_view_covers(b, &access));
            }
        }
}

/* Locations are mostly added to, as by atomic operations, and sometimes written anew. */
static void play(uint32_t which) {
    world with = {0}, without = {0};
    uint32_t epochs[BLOCKS] = {0};
    seed = which;
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t block = any(BLOCKS), location = any(LOCATIONS);
        if (any(2)) {
            epochs[block] += any(3) / 2;
            const view_entry entry = {(uint8_t)any(2), (uint16_t)any(2), 0,
                                      1 + any(10),     epochs[block],    1 + any(7)};
            const bool replaces = any(200) == 0;
            view *own = em_view_new(block, epochs[block], &entry, 1),
                 *copy = em_view_new(block, epochs[block], &entry, 1);
            release(&with, true, location, block, own, replaces);
            release(&without, false, location, block, copy, replaces);
            em_view_drop(own);
            em_view_drop(copy);
        } else {
            em_view_add(&with.knows[block], with.at[location]);
            em_view_add(&without.knows[block], without.at[location]);
            if (step % 50 == 0) same(with.knows[block], without.knows[block]);
        }
    }
    for (uint32_t k = 0; k < BLOCKS; k++) {
        same(with.knows[k], without.knows[k]);
        em_view_drop(with.knows[k]);
        em_view_drop(without.knows[k]);
    }
    for (uint32_t k = 0; k < LOCATIONS; k++) {
        same(with.at[k], without.at[k]);
        em_view_drop(with.at[k]);
        em_view_drop(without.at[k]);
    }
}

static void marks_change_nothing(void **state) {
    (void)state;
    for (uint32_t which = 1; which <= 8; which++) play(which);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(marks_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
