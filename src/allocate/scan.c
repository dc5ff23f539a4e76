/* Linear scan (Poletto and Sarkar; 003 §5 uses the same policy for all its allocators), in rounds. Intervals
 * are taken in the order of their start. Where no word is free, the one that ends last goes to memory. A
 * spilled variable leaves short intervals behind, one at each of its references, and these cannot be
 * spilled: the next round makes room for them. Rounds end when nothing new was spilled.
 *
 * The file: words 0 … N-1; 64 bits take an even and the next word, 128 bits four. Predicates have a file of
 * their own. Requires liveness and states; leaves `word` of webs, references and helpers. */
#include "allocate/private.h"
#include "base/recover.h"

typedef enum { ITEM_WEB, ITEM_REFERENCE, ITEM_NARROW, ITEM_WIDE } item_kind;

typedef struct {
    uint32_t start, end;
    uint32_t index; /* of the web or reference */
    uint8_t kind, words;
    uint16_t *helper; /* ITEM_NARROW, ITEM_WIDE: where the word is to be written */
    uint32_t word;
} item;

typedef LS_VEC(item) items;

typedef struct {
    uint32_t size;
    item **owner; /* by word; NULL: free */
    item **active;
    uint32_t active_count;
    uint32_t busy, most_busy; /* words */
} file;

/* --- Items of a round ------------------------------------------------------------------------------------
 */
static void add_helpers(items *out, helpers *h, uint32_t point) {
    for (uint32_t k = 0; k < h->narrow; k++)
        LS_VEC_PUSH(out, ((item){point, point, 0, ITEM_NARROW, 1, &h->narrow_words[k], NONE}));
    if (h->wide) LS_VEC_PUSH(out, ((item){point, point, 0, ITEM_WIDE, 2, &h->wide_word, NONE}));
}

static void need(helpers *have, helpers more) {
    if (more.narrow > have->narrow) have->narrow = more.narrow;
    if (more.wide > have->wide) have->wide = more.wide;
}

static bool is_guard_of_results(const job *j, uint32_t p, const reference *ref) {
    const ls_ir_instr *instr = j->order[p];
    return instr->guard.kind != LS_IR_ABSENT && instr->guard.value && instr->dst_count &&
           j->web_of[instr->guard.value->id] == ref->web;
}

static void add_position(job *j, items *out, uint32_t p) {
    j->before[p] = j->after[p] = (helpers){0};
    uint32_t at = PHASES * p;
    if (ls_is_dropped(j, p)) return;
    for (uint32_t i = j->ref_start[p]; i < j->ref_start[p + 1]; i++) {
        const reference *ref = &j->refs[i];
        const web *w = &j->webs[ref->web];
        if (!w->spilled) continue;
        need(ref->is_def ? &j->after[p] : &j->before[p], ls_helpers_for(j, w, ref->is_def));
        item it = {at + PHASE_LOAD, at + PHASE_READ, i, ITEM_REFERENCE, w->words, NULL, NONE};
        if (ref->merge) {
            need(&j->before[p], ls_helpers_for(j, w, false));
            it.end = at + PHASE_STORE;
        } else if (ref->is_def)
            it.start = at + PHASE_WRITE, it.end = at + PHASE_STORE;
        else if (is_guard_of_results(j, p, ref))
            it.end = at + PHASE_STORE;
        LS_VEC_PUSH(out, it);
    }
    add_helpers(out, &j->before[p], at + PHASE_LOAD);
    add_helpers(out, &j->after[p], at + PHASE_STORE);
}

static void add_items(job *j, items *out) {
    out->length = 0;
    for (uint32_t w = 0; w < j->web_count; w++) {
        const web *v = &j->webs[w];
        if (v->spilled || v->start == NONE) continue;
        LS_VEC_PUSH(out, ((item){v->start, v->end, w, ITEM_WEB, v->words, NULL, NONE}));
    }
    for (uint32_t p = 0; p < j->length; p++) add_position(j, out, p);
}

/* By start; at one point wide ones first, so that they find aligned room. */
static uint32_t key_of(const item *it) {
    return it->start * 4 + (it->words >= 4 ? 0 : it->words == 2 ? 1 : 2);
}

static item **sorted(const job *j, items *all, uint32_t *counts, item **out) {
    uint32_t keys = (PHASES * j->length + 1) * 4;
    memset(counts, 0, (keys + 1) * sizeof *counts);
    for (uint32_t i = 0; i < all->length; i++) counts[key_of(&all->items[i]) + 1]++;
    for (uint32_t k = 0; k < keys; k++) counts[k + 1] += counts[k];
    for (uint32_t i = 0; i < all->length; i++) out[counts[key_of(&all->items[i])]++] = &all->items[i];
    return out;
}

/* --- The file --------------------------------------------------------------------------------------------
 */
static uint32_t width_of(const item *it) {
    return it->words ? it->words : 1;
}

static bool is_free(const file *f, uint32_t word, uint32_t width) {
    for (uint32_t k = 0; k < width; k++)
        if (f->owner[word + k]) return false;
    return true;
}

/* Of single words one whose neighbour is taken already, so that pairs stay whole. */
static uint32_t find_free(const file *f, uint32_t width) {
    uint32_t lonely = NONE;
    for (uint32_t word = 0; word + width <= f->size; word += width) {
        if (!is_free(f, word, width)) continue;
        bool neighbour = (word ^ 1) < f->size && !f->owner[word ^ 1];
        if (width > 1 || !neighbour) return word;
        if (lonely == NONE) lonely = word;
    }
    return lonely;
}

static void take(file *f, item *it, uint32_t word) {
    it->word = word;
    for (uint32_t k = 0; k < width_of(it); k++) f->owner[word + k] = it;
    f->active[f->active_count++] = it;
    f->busy += width_of(it);
    if (f->busy > f->most_busy) f->most_busy = f->busy;
}

static void release(file *f, uint32_t at) {
    item *it = f->active[at];
    for (uint32_t k = 0; k < width_of(it); k++) f->owner[it->word + k] = NULL;
    f->busy -= width_of(it);
    f->active[at] = f->active[--f->active_count];
}

static void expire(file *f, uint32_t point) {
    for (uint32_t i = 0; i < f->active_count;)
        if (f->active[i]->end < point)
            release(f, i);
        else
            i++;
}

/* --- Spilling --------------------------------------------------------------------------------------------
 */
static bool can_spill(const item *it) {
    return it->kind == ITEM_WEB;
}

static void spill(job *j, const item *it) {
    j->webs[it->index].spilled = true;
    ls_choose_place(j, it->index);
}

/* The end of what ends first of those that hold an aligned group; 0 where one of them must stay. */
static uint32_t end_of_group(const file *f, uint32_t word, uint32_t width) {
    uint32_t end = NONE;
    for (uint32_t k = 0; k < width; k++) {
        const item *owner = f->owner[word + k];
        if (owner && !can_spill(owner)) return 0;
        if (owner && owner->end < end) end = owner->end;
    }
    return end;
}

static void spill_group(job *j, file *f, uint32_t word, uint32_t width) {
    for (uint32_t i = 0; i < f->active_count;) {
        const item *it = f->active[i];
        if (it->word < word + width && word < it->word + width_of(it)) {
            spill(j, it);
            release(f, i);
        } else {
            i++;
        }
    }
}

/* Makes room for the item or spills the item itself; false where neither can be done. */
static bool make_room(job *j, file *f, item *it) {
    uint32_t width = width_of(it), best = NONE, best_end = 0;
    for (uint32_t word = 0; word + width <= f->size; word += width) {
        uint32_t end = end_of_group(f, word, width);
        if (end > best_end) {
            best_end = end;
            best = word;
        }
    }
    if (can_spill(it) && (best == NONE || it->end >= best_end)) {
        spill(j, it);
        return true;
    }
    if (best == NONE) {
        j->failed_at = it->start / PHASES;
        return false;
    }
    spill_group(j, f, best, width);
    take(f, it, best);
    return true;
}

/* --- Rounds ----------------------------------------------------------------------------------------------
 */
static void write_back(job *j, const item *it) {
    if (it->kind == ITEM_WEB)
        j->webs[it->index].word = it->word;
    else if (it->kind == ITEM_REFERENCE)
        j->refs[it->index].word = it->word;
    else
        *it->helper = (uint16_t)it->word;
}

static bool run_round(job *j, item **order, uint32_t count, file files[2]) {
    for (uint32_t i = 0; i < count; i++) {
        item *it = order[i];
        file *f = &files[it->words == 0];
        expire(f, it->start);
        uint32_t word = find_free(f, width_of(it));
        if (word != NONE)
            take(f, it, word);
        else if (!make_room(j, f, it))
            return false;
        if (it->word != NONE) write_back(j, it);
    }
    return true;
}

static uint32_t count_spilled(const job *j) {
    uint32_t count = 0;
    for (uint32_t w = 0; w < j->web_count; w++) count += j->webs[w].spilled;
    return count;
}

static file new_file(ls_arena *arena, uint32_t size) {
    return (file){.size = size,
                  .owner = LS_NEW_N(arena, item *, size + 4),
                  .active = LS_NEW_N(arena, item *, size + 4)};
}

static void reserve(job *j, uint32_t *words) {
    j->base_word = j->tid_word = NONE;
    if (j->use_shared && j->warps > 1) j->base_word = --*words;
    if (j->pin_tid) j->tid_word = --*words;
}

bool ls_scan(job *j) {
    uint32_t words = j->words;
    reserve(j, &words);
    if (words > j->words || words < 2) return false;
    items all = {0};
    ls_arena arena;
    ls_arena_open(&arena);
    uint32_t *counts = LS_NEW_N(&arena, uint32_t, (PHASES * j->length + 2) * 4);
    item **order = NULL;
    uint32_t capacity = 0, spilled = count_spilled(j);
    bool fits = true;
    for (bool again = true; again && fits; j->rounds++) {
        add_items(j, &all);
        if (all.length > capacity) {
            capacity = all.length * 2;
            order = ls_arena_alloc(&arena, capacity * sizeof *order);
        }
        file files[2] = {new_file(&arena, words), new_file(&arena, j->predicates)};
        fits = run_round(j, sorted(j, &all, counts, order), all.length, files);
        j->out->pressure_after = files[0].most_busy + (j->base_word != NONE) + (j->tid_word != NONE);
        j->out->predicates_after = files[1].most_busy;
        uint32_t now = count_spilled(j);
        again = now != spilled && !j->one_round;
        spilled = now;
    }
    LS_VEC_FREE(&all);
    ls_arena_close(&arena);
    return fits;
}
