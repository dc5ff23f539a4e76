/* Findings told as stories, from what the verifier, the emulator and the detector each know (stories.h). */
#include "check/stories.h"

#include "check/element.h"
#include "lockstep/frontend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_race(ls_rule rule) {
    return rule == LS_RULE_RACE_SHARED || rule == LS_RULE_RACE_GLOBAL;
}

/* The object with the element that the byte is in, as the source names it. */
static void tell_object(ls_finding *to, const char *object, uint64_t byte) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_sources *sources = ls_report_sources(to->kernel->file->report, NULL);
    ls_story_object(to, object, ls_element_name(sources, to->place, object, byte, &arena), byte);
    ls_sources_free(sources);
    ls_arena_free(&arena);
}

/* --- The verifier ----------------------------------------------------------------------------------------
 */

static ls_actor actor_of(const ls_verify_execution *x, uint32_t which, const char *does, ls_place place) {
    ls_actor actor = {.does = does, .place = place, .has_thread = true, .has_block = true};
    memcpy(actor.thread, x->thread[which], sizeof actor.thread);
    memcpy(actor.block, x->group[which], sizeof actor.block);
    return actor;
}

/* "read-write race …": what the first and the second access are; "accesses" where it is neither. */
static const char *verb_of(const char *word) {
    static const struct {
        const char *word, *does;
    } verbs[] = {{"read", "reads"}, {"write", "writes"}, {"atomic", "updates"}, {"copy", "copies"}};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strncmp(word, verbs[i].word, strlen(verbs[i].word))) return verbs[i].does;
    return "accesses";
}

/* The name in the first quotes of a message. */
static const char *quoted(const char *message, ls_arena *arena) {
    const char *from = strchr(message, '\''), *to = from ? strchr(from + 1, '\'') : NULL;
    return to ? ls_arena_strndup(arena, from + 1, (size_t)(to - from - 1)) : NULL;
}

/* "iterations at line 22, thread 2" as people would say it: "loop iterations of thread 66 at line 22". */
static const char *value_name(const ls_verify_finding *from, const char *name, char *out, size_t size) {
    unsigned line, which;
    if (sscanf(name, "iterations at line %u, thread %u", &line, &which) != 2 || which < 1 || which > 2)
        return name;
    const uint32_t *t = from->execution->thread[which - 1], *b = from->execution->block;
    if (b[1] <= 1 && b[2] <= 1)
        snprintf(out, size, "loop iterations of thread %u at line %u", t[0], line);
    else
        snprintf(out, size, "loop iterations of thread (%u,%u,%u) at line %u", t[0], t[1], t[2], line);
    return out;
}

/* Values under which it happens: numbers, of what is no thread, block or offset. */
static void tell_values(ls_finding *to, const ls_verify_finding *from) {
    for (uint32_t i = 0; i < from->witness_count; i++) {
        const ls_verify_pair *pair = &from->witness[i];
        bool told = !strncmp(pair->name, "thread ", 7) || !strncmp(pair->name, "block ", 6) ||
                    !strcmp(pair->name, "byte offset");
        if (told) continue;
        char *end, text[128];
        const char *name = from->execution ? value_name(from, pair->name, text, sizeof text) : pair->name;
        long long number = strtoll(pair->value, &end, 10);
        if (*pair->value && !*end)
            ls_finding_value(to, name, number);
        else
            ls_fields_text(ls_finding_witness(to), pair->name, "%s", pair->value);
    }
}

static void tell_race(ls_finding *to, const ls_verify_finding *from, ls_arena *arena) {
    const char *dash = strchr(from->message, '-');
    ls_actor first = actor_of(from->execution, 0, verb_of(from->message), from->place);
    ls_actor second = actor_of(from->execution, 1, dash ? verb_of(dash + 1) : "accesses",
                               from->other.file ? from->other : from->place);
    ls_story_actor(to, &first);
    ls_story_actor(to, &second);
    tell_object(to, quoted(to->message, arena), (uint64_t)from->execution->offset);
}

void ls_tell_verified(ls_finding *to, const ls_verify_finding *from, ls_arena *arena) {
    if (from->execution && is_race(from->rule))
        tell_race(to, from, arena);
    else if (from->execution && from->witness_count) {
        ls_actor one = actor_of(from->execution, 0, NULL, from->place);
        ls_actor other = actor_of(from->execution, 1, NULL, (ls_place){0});
        ls_story_actor(to, &one);
        if (from->rule == LS_RULE_BARRIER_DIVERGENCE) ls_story_actor(to, &other);
    }
    tell_values(to, from);
    if (from->replay_note) ls_story_confirmed(to, from->replay_note);
}

/* --- The emulator ----------------------------------------------------------------------------------------
 */

static ls_actor seen(const ls_emu_thread *thread, const char *does, const ls_place *pos) {
    ls_actor actor = {
        .does = does, .place = {pos->file, pos->line, pos->column}, .has_thread = true, .has_block = true};
    memcpy(actor.thread, thread->thread, sizeof actor.thread);
    memcpy(actor.block, thread->block, sizeof actor.block);
    return actor;
}

void ls_tell_seen(ls_finding *to, const ls_emu_finding *from) {
    if (!from->has_threads) return;
    bool race = is_race(from->rule);
    const char *dash = race ? strchr(from->message, '-') : NULL;
    bool told = dash && dash < strchr(from->message, ' '); /* "write-read race": the earlier access first */
    if (from->has_other_thread) {
        ls_actor earlier = seen(&from->other_thread, told ? verb_of(from->message) : "accesses",
                                from->other.file ? &from->other : &from->pos);
        ls_story_actor(to, &earlier);
    }
    const char *does = !race ? NULL : told ? verb_of(dash + 1) : "accesses";
    ls_actor later = seen(&from->thread, does, &from->pos);
    ls_story_actor(to, &later);
    ls_finding_story(to)->in_order = race && from->has_other_thread;
    char name[512];
    if (from->variable) ls_variable_name(from->variable, name, sizeof name);
    if (from->has_address && from->variable)
        tell_object(to, name, from->address);
    else if (from->has_address)
        ls_story_object(to, NULL, NULL, from->address);
}

/* --- The detector ----------------------------------------------------------------------------------------
 */

static ls_actor of_warp(const ls_finding *to, uint32_t block, uint32_t warp, const char *does,
                        const ls_detect_place *place) {
    const uint32_t *grid = to->kernel->grid;
    uint32_t x = grid[0] ? grid[0] : 1, y = grid[1] ? grid[1] : 1;
    return (ls_actor){.does = does,
                      .place =
                          place->file ? (ls_place){place->file, place->line, place->column} : (ls_place){0},
                      .block = {block % x, block / x % y, block / x / y},
                      .has_block = true,
                      .has_warp = true,
                      .warp = warp};
}

void ls_tell_detected(ls_finding *to, const ls_detect_race *race) {
    bool lanes = race->kind == LS_DETECT_INTRA_WARP;
    ls_actor one = of_warp(to, race->block, race->warp, race->place.is_write || lanes ? "writes" : "reads",
                           &race->place);
    ls_story_actor(to, &one);
    if (race->has_other || lanes) {
        ls_actor other =
            of_warp(to, lanes ? race->block : race->other_block, lanes ? race->warp : race->other_warp,
                    race->other.is_write || lanes ? "writes" : "reads", lanes ? &race->place : &race->other);
        ls_story_actor(to, &other);
    }
    tell_object(to, race->variable, race->offset);
    ls_fields_uint(ls_finding_detail(to), "racy_bytes", race->addresses);
}
