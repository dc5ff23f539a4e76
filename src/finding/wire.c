/* Writing and reading the lines of wire.h. What a line lacks (it was cut off, or is of another version) is
 * not told. */
#include "finding/wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIELDS = 20 };

/* --- Writing --- */

static void put_place(ls_buf *to, const ls_place *place) {
    ls_wire_put(to, place->file);
    ls_buf_printf(to, "\t%" PRIu32 "\t%" PRIu32, place->line, place->column);
}

static void put_actor(ls_buf *to, const ls_actor *a) {
    ls_buf_putc(to, 'A');
    ls_wire_put(to, a->does);
    put_place(to, &a->place);
    ls_buf_printf(to, "\t%d\t%u\t%u\t%u\t%d\t%u\t%u\t%u\t%d\t%u\n", a->has_block, a->block[0], a->block[1],
                  a->block[2], a->has_thread, a->thread[0], a->thread[1], a->thread[2], a->has_warp, a->warp);
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
    for (const ls_actor *a = story->actors; a; a = a->next) put_actor(to, a);
    ls_buf_putc(to, 'O');
    ls_wire_put(to, story->object);
    ls_buf_printf(to, "\t%d\t%" PRIu64 "\t%d\n", story->has_byte, story->byte, story->in_order);
}

void ls_finding_write(ls_buf *to, const ls_finding *f) {
    ls_buf_printf(to, "F\t%s\t%d\t%" PRIu64, ls_rule_get(f->rule)->name, (int)f->level, f->count);
    ls_wire_put(to, f->message);
    put_place(to, &f->place);
    ls_buf_putc(to, '\n');
    for (const ls_related *r = f->related; r; r = r->next) {
        ls_buf_putc(to, 'N');
        ls_wire_put(to, r->message ? r->message : "here");
        put_place(to, &r->place);
        ls_buf_putc(to, '\n');
    }
    if (f->story) ls_story_write(to, f->story);
    for (const ls_field *d = f->detail ? f->detail->first : NULL; d; d = d->next) put_field(to, d);
}

/* --- Reading --- */

static ls_place read_place(char **f) {
    return ls_wire_text(f[0]) ? (ls_place){f[0], ls_wire_number(f[1]), ls_wire_number(f[2])} : (ls_place){0};
}

static void read_three(char **f, uint32_t out[3]) {
    for (int i = 0; i < 3; i++) out[i] = ls_wire_number(f[i]);
}

static void read_finding(ls_store *store, char **f, ls_finding **out) {
    ls_rule rule = ls_rule_find(f[1]);
    uint32_t level = ls_wire_number(f[2]);
    *out = NULL;
    if (rule == LS_RULE_COUNT || level > LS_ERROR) return;
    *out = ls_finding_new(store, rule, (ls_severity)level, read_place(f + 5), f[4]);
    (*out)->count = strtoull(f[3], NULL, 10);
}

static void read_actor(ls_finding *finding, char **f) {
    ls_actor a = {.does = ls_wire_text(f[1]),
                  .place = read_place(f + 2),
                  .has_block = *f[5] == '1',
                  .has_thread = *f[9] == '1',
                  .has_warp = *f[13] == '1',
                  .warp = ls_wire_number(f[14])};
    read_three(f + 6, a.block);
    read_three(f + 10, a.thread);
    ls_story_actor(finding, &a);
}

static void read_object(ls_finding *finding, char **f) {
    ls_story_object(finding, ls_wire_text(f[1]), NULL, strtoull(f[3], NULL, 10));
    finding->story->has_byte = *f[2] == '1';
    finding->story->in_order = *f[4] == '1';
}

bool ls_finding_read(ls_store *store, char *line, ls_finding **finding) {
    static const struct {
        char letter;
        uint32_t fields;
    } kinds[] = {{'F', 8}, {'N', 5}, {'A', 15}, {'O', 5}, {'D', 4}};
    size_t kind = 0;
    while (kind < sizeof kinds / sizeof *kinds && *line != kinds[kind].letter) kind++;
    if (kind == sizeof kinds / sizeof *kinds || line[1] != '\t') return false;
    char *f[MOST_FIELDS];
    if (ls_wire_split(line, f, MOST_FIELDS) < kinds[kind].fields) return true;
    if (*line == 'F') read_finding(store, f, finding);
    if (!*finding) return true;
    switch (*line) {
    case 'N': ls_finding_relate(*finding, read_place(f + 2), "%s", f[1]); break;
    case 'A': read_actor(*finding, f); break;
    case 'O': read_object(*finding, f); break;
    case 'D':
        if (*f[2] == 'n')
            ls_fields_uint(ls_finding_detail(*finding), f[1], strtoull(f[3], NULL, 10));
        else
            ls_fields_text(ls_finding_detail(*finding), f[1], "%s", f[3]);
        break;
    default: break;
    }
    return true;
}
