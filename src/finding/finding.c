/* Findings and the fields of their witnesses and details. Everything that is added is copied into the store
 * in which the finding lives. */
#include "base/recover.h"
#include "finding/store.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CALLS = 8, LIST_GROWTH = 8 };

/* --- The store ----------------------------------------------------------------------------------------- */

void ls_store_init(ls_store *store) {
    ls_arena_init(&store->arena);
    pthread_mutexattr_t again; /* who has frozen a report (ls_report_freeze) goes on to print it */
    pthread_mutexattr_init(&again);
    pthread_mutexattr_settype(&again, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&store->lock, &again);
    pthread_mutexattr_destroy(&again);
}

void ls_store_free(ls_store *store) {
    pthread_mutex_destroy(&store->lock);
    ls_arena_free(&store->arena);
}

void *ls_store_take(ls_store *store, size_t size) {
    ls_lock(&store->lock);
    void *memory = ls_arena_zalloc(&store->arena, size);
    ls_unlock(&store->lock);
    return memory;
}

const char *ls_store_text(ls_store *store, const char *text) {
    if (!text) return NULL;
    size_t size = strlen(text) + 1;
    return memcpy(ls_store_take(store, size), text, size);
}

const char *ls_store_format(ls_store *store, const char *format, va_list args) {
    va_list again;
    char few[256]; /* most texts are short: they are made once, and copied */
    va_copy(again, args);
    int length = vsnprintf(few, sizeof few, format, again);
    va_end(again);
    assert(length >= 0);
    char *text = ls_store_take(store, (size_t)length + 1);
    if ((size_t)length < sizeof few) return memcpy(text, few, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, args);
    return text;
}

ls_place ls_store_place(ls_store *store, ls_place place) {
    place.file = ls_store_text(store, place.file);
    if (place.at) {
        ls_place *at = ls_store_take(store, sizeof *at);
        *at = ls_store_place(store, *place.at);
        place.at = at;
    }
    return place;
}

/* --- Findings ------------------------------------------------------------------------------------------ */

ls_finding *ls_finding_new(ls_store *store, ls_rule rule, ls_severity level, ls_place place,
                           const char *message) {
    assert(rule < LS_RULE_COUNT);
    ls_finding *finding = ls_store_take(store, sizeof *finding);
    finding->store = store;
    finding->rule = rule;
    finding->level = level;
    finding->place = ls_store_place(store, place);
    finding->count = 1;
    finding->message = ls_store_text(store, message);
    return finding;
}

static const char *format_in(ls_store *store, const char *format, ...) {
    const char *text;
    LS_STORE_FORMAT(store, text);
    return text;
}

void ls_finding_rename(ls_finding *finding, const char *object) {
    ls_store *store = finding->store;
    const char *old = format_in(store, "'%s'", finding->story->object);
    const char *message = finding->message, *at = strstr(message, old);
    if (at)
        finding->message =
            format_in(store, "%.*s'%s'%s", (int)(at - message), message, object, at + strlen(old));
    finding->story->object = ls_store_text(store, object);
}

void ls_finding_relate(ls_finding *finding, ls_place place, const char *format, ...) {
    ls_related *related = ls_store_take(finding->store, sizeof *related);
    related->place = ls_store_place(finding->store, place);
    LS_STORE_FORMAT(finding->store, related->message);
    LS_APPEND(ls_related, finding->related, related);
}

void ls_finding_relate_calls(ls_finding *finding, const ls_place *place) {
    uint32_t depth = 0;
    for (const ls_place *at = place->at; at && depth < MOST_CALLS; at = at->at, depth++)
        ls_finding_relate(finding, *at, LS_INLINED_HERE);
}

void ls_finding_count(ls_finding *finding, uint64_t count) {
    finding->count = count;
}

void ls_finding_help(ls_finding *finding, const char *format, ...) {
    LS_STORE_FORMAT(finding->store, finding->help);
}

/* --- Fields -------------------------------------------------------------------------------------------- */

ls_fields *ls_fields_new(ls_store *store, bool is_list) {
    ls_fields *fields = ls_store_take(store, sizeof *fields);
    fields->store = store;
    fields->is_list = is_list;
    return fields;
}

void ls_finding_key(ls_finding *finding, const char *format, ...) {
    LS_STORE_FORMAT(finding->store, finding->key);
}

ls_fields *ls_finding_witness(ls_finding *finding) {
    if (!finding->witness) finding->witness = ls_fields_new(finding->store, false);
    return finding->witness;
}

ls_fields *ls_finding_detail(ls_finding *finding) {
    if (!finding->detail) finding->detail = ls_fields_new(finding->store, false);
    return finding->detail;
}

/* Entries of lists are taken several at a time: lists have one for each lane of a warp. */
static ls_field *next_entry(ls_fields *list) {
    if (list->ready) return list->ready--, list->last + 1;
    list->ready = LIST_GROWTH - 1;
    return ls_store_take(list->store, LIST_GROWTH * sizeof(ls_field));
}

static ls_field *new_field(ls_store *store, const char *key) {
    size_t length = strlen(key) + 1;
    ls_field *field = ls_store_take(store, sizeof *field + length);
    field->key = memcpy(field + 1, key, length);
    return field;
}

ls_field *ls_fields_append(ls_fields *fields, const char *key) {
    ls_field *field = fields->is_list ? next_entry(fields) : new_field(fields->store, key);
    if (fields->last)
        fields->last->next = field;
    else
        fields->first = field;
    return fields->last = field;
}

static ls_field *field_at(ls_fields *fields, const char *key, ls_field_kind kind) {
    assert(fields->is_list || key);
    ls_field *field = NULL;
    if (!fields->is_list)
        for (field = fields->first; field && strcmp(field->key, key); field = field->next) {
        }
    if (!field) field = ls_fields_append(fields, key);
    field->kind = kind;
    return field;
}

void ls_fields_int(ls_fields *fields, const char *key, int64_t value) {
    field_at(fields, key, LS_FIELD_INT)->value.integer = value;
}

void ls_fields_uint(ls_fields *fields, const char *key, uint64_t value) {
    field_at(fields, key, LS_FIELD_UINT)->value.natural = value;
}

void ls_fields_real(ls_fields *fields, const char *key, double value) {
    field_at(fields, key, LS_FIELD_REAL)->value.real = value;
}

void ls_fields_bool(ls_fields *fields, const char *key, bool value) {
    field_at(fields, key, LS_FIELD_BOOL)->value.truth = value;
}

void ls_fields_text(ls_fields *fields, const char *key, const char *format, ...) {
    const char *text;
    LS_STORE_FORMAT(fields->store, text);
    field_at(fields, key, LS_FIELD_TEXT)->value.text = text;
}

ls_fields *ls_fields_object(ls_fields *fields, const char *key) {
    ls_field *field = field_at(fields, key, LS_FIELD_NEST);
    return field->value.nest = ls_fields_new(fields->store, false);
}

ls_fields *ls_fields_list(ls_fields *fields, const char *key) {
    ls_field *field = field_at(fields, key, LS_FIELD_NEST);
    return field->value.nest = ls_fields_new(fields->store, true);
}

const ls_field *ls_fields_find(const ls_fields *fields, const char *key) {
    const ls_field *field = fields ? fields->first : NULL;
    while (field && strcmp(field->key ? field->key : "", key)) field = field->next;
    return field;
}
