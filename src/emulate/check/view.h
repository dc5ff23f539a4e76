/* A view: which accesses a thread knows to be before its own, by releases that it has acquired. A vector
 * clock with an element for each block of which anything is known (FastTrack's clocks have one for each
 * thread). */
#ifndef LS_EMULATE_CHECK_VIEW_H
#define LS_EMULATE_CHECK_VIEW_H

#include <stdbool.h>
#include <stdint.h>

typedef struct view view; /* NULL: nothing is known. Never changed, shared, counted */

/* By which count of a descriptor an entry tells what is covered: the releases of its warp, the barriers of
 * its block, or those of its warp; or the releases of its warp, but strong writes alone. */
typedef enum { VIEW_TICKS, VIEW_EPOCHS, VIEW_MEETINGS, VIEW_WRITES, VIEW_COUNTS } view_count;

/* Accesses of these lanes of a warp, made when the count was at least `from` and below `to`. */
typedef struct {
    uint8_t count; /* view_count */
    uint16_t warp;
    uint32_t from, to;
    uint32_t epoch; /* barriers that the block had seen then: nothing later is covered */
    uint64_t lanes;
} view_entry;

/* An access as the views see it. */
typedef struct {
    uint32_t block, warp, lane;
    uint32_t count[VIEW_COUNTS];
} view_access;

view *em_view_hold(view *v);
void em_view_drop(view *v);
/* All that the block did before its barrier number `epoch`, and the entries. */
view *em_view_new(uint32_t block, uint32_t epoch, const view_entry *entries, uint32_t count);
view *em_view_join(view *a, view *b);
/* *to = *to joined with v. */
void em_view_add(view **to, view *v);
/* *to = v, of which the reference is handed over. */
void em_view_set(view **to, view *v);
/* A location has the view at this time, and in its life, which `mark` names, all that it has had before;
 * stamps grow. Parts that are marked already stay as they are. */
void em_view_mark(view *v, uint32_t mark, uint32_t stamp);
bool em_view_covers(const view *v, const view_access *a);
/* Everything that any thread of the block did before that number of barriers. */
bool em_view_covers_interval(const view *v, uint32_t block, uint32_t epoch);

#endif
