/* Writing and reading the lines of wire.h. What a line lacks (it was cut off, or is of another version) is
 * not told. */
#include "finding/wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 20 };

/* --- The lines --- */

typedef struct {
    const char *rule; /* NULL but in F */
    uint32_t level;
    uint64_t count;
    const char *message;
    ls_place place;
} told;

#define PLACE(record)                                                                                        \
    LS_WIRE_FIELD(record, place.file), LS_WIRE_FIELD(record, place.line), LS_WIRE_FIELD(record, place.column)

static const ls_wire_field finding_fields[] = {LS_WIRE_FIELD(told, rule), LS_WIRE_FIELD(told, level),
                                               LS_WIRE_FIELD(told, count), LS_WIRE_FIELD(told, message),
                                               PLACE(told)};
static const ls_wire_field related_fields[] = {LS_WIRE_FIELD(told, message), PLACE(told)};
static const ls_wire_field actor_fields[] = {
    LS_WIRE_FIELD(ls_actor, does),       PLACE(ls_actor),
    LS_WIRE_FIELD(ls_actor, has_block),  LS_WIRE_FIELD(ls_actor, block),
    LS_WIRE_FIELD(ls_actor, has_thread), LS_WIRE_FIELD(ls_actor, thread),
    LS_WIRE_FIELD(ls_actor, has_warp),   LS_WIRE_FIELD(ls_actor, warp)};
static const ls_wire_field object_fields[] = {
    LS_WIRE_FIELD(ls_story, object), LS_WIRE_FIELD(ls_story, has_byte), LS_WIRE_FIELD(ls_story, byte),
    LS_WIRE_FIELD(ls_story, in_order)};

#define ROW(letter, fields) {letter, sizeof fields / sizeof *fields, fields}
static const ls_wire_row finding_row = ROW('F', finding_fields), related_row = ROW('N', related_fields),
                         actor_row = ROW('A', actor_fields), object_row = ROW('O', object_fields);

/* --- Writing --- */

static void put_line(ls_buf *to, const ls_wire_row *row, const void *record) {
    ls_wire_write(to, row, record);
    ls_buf_putc(to, '\n');
}

static void put_field(ls_buf *to, const ls_field *f) {
    if (f->kind != LS_FIELD_UINT && f->kind != LS_FIELD_TEXT) return; /* nothing else is told so far */
    ls_buf_putc(to, 'D');
    ls_wire_put(to, f->key);
    if (f->kind == LS_FIELD_UINT)
        ls_buf_printf(to, "\tn\t%" PRIu64 "\n", f->value.natural);
    else
        ls_buf_puts(to, "\tt"), ls_wire_put(to, f->value.text), ls_buf_putc(to, '\n');
}

void ls_story_write(ls_buf *to, const ls_story *story) {
    for (const ls_actor *a = story->actors; a; a = a->next) put_line(to, &actor_row, a);
    put_line(to, &object_row, story);
}

void ls_finding_write(ls_buf *to, const ls_finding *f) {
    told begin = {ls_rule_get(f->rule)->name, (uint32_t)f->level, f->count, f->message, f->place};
    put_line(to, &finding_row, &begin);
    for (const ls_related *r = f->related; r; r = r->next)
        put_line(to, &related_row, &(told){.message = r->message ? r->message : "here", .place = r->place});
    if (f->story) ls_story_write(to, f->story);
    for (const ls_field *d = f->detail ? f->detail->first : NULL; d; d = d->next) put_field(to, d);
}

/* --- Reading --- */

static ls_place place_of(ls_place read) {
    return read.file ? read : (ls_place){0};
}

static void read_finding(ls_store *store, const told *t, ls_finding **out) {
    ls_rule rule = t->rule ? ls_rule_find(t->rule) : LS_RULE_COUNT;
    *out = NULL;
    if (rule == LS_RULE_COUNT || t->level > LS_ERROR) return;
    *out =
        ls_finding_new(store, rule, (ls_severity)t->level, place_of(t->place), t->message ? t->message : "-");
    (*out)->count = t->count;
}

static void read_object(ls_finding *finding, const ls_story *read) {
    ls_story_object(finding, read->object, NULL, read->byte);
    finding->story->has_byte = read->has_byte;
    finding->story->in_order = read->in_order;
}

static void read_detail(ls_finding *finding, char **f, uint32_t count) {
    if (count < 4) return;
    if (*f[2] == 'n')
        ls_fields_uint(ls_finding_detail(finding), f[1], strtoull(f[3], NULL, 10));
    else
        ls_fields_text(ls_finding_detail(finding), f[1], "%s", f[3]);
}

bool ls_finding_read(ls_store *store, char *line, ls_finding **finding) {
    if (!*line || !strchr("FNAOD", *line) || line[1] != '\t') return false;
    char *f[MOST_FIELDS];
    uint32_t count = ls_wire_split(line, f, MOST_FIELDS);
    told t = {0};
    ls_actor actor = {0};
    ls_story story = {0};
    if (ls_wire_read(&finding_row, f, count, &t)) read_finding(store, &t, finding);
    if (!*finding) return true;
    if (ls_wire_read(&related_row, f, count, &t))
        ls_finding_relate(*finding, place_of(t.place), "%s", t.message ? t.message : "-");
    if (ls_wire_read(&actor_row, f, count, &actor)) {
        actor.place = place_of(actor.place);
        ls_story_actor(*finding, &actor);
    }
    if (ls_wire_read(&object_row, f, count, &story)) read_object(*finding, &story);
    if (*line == 'D') read_detail(*finding, f, count);
    return true;
}
