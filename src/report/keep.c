/* What stands in each struct of a report is said once, for both directions (keep.h): a step writes a value
 * and gives it back, or gives the one that it reads. */
#include "report/keep.h"

#include "base/hash.h"
#include "report/model.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 }; /* calls inlined into each other, objects in objects, findings of one cause */

typedef struct {
    ls_buf *to; /* NULL: it is read */
    const unsigned char *at, *end;
    ls_store *store;
    bool bad; /* the bytes are not what they should be */
} codec;

static uint64_t whole(codec *c, uint64_t value) {
    if (c->to) {
        uint64_t rest = value;
        for (; rest >= 0x80; rest >>= 7) ls_buf_putc(c->to, (char)(rest | 0x80));
        ls_buf_putc(c->to, (char)rest);
        return value;
    }
    value = 0;
    for (uint32_t shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        unsigned char byte = *c->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return value;
    }
    c->bad = true;
    return 0;
}

static uint32_t small(codec *c, uint32_t value) {
    return (uint32_t)whole(c, value);
}

static bool truth(codec *c, bool value) {
    return whole(c, value) != 0;
}

/* One of `count` values of an enumeration. */
static uint32_t choice(codec *c, uint32_t value, uint32_t count) {
    value = small(c, value);
    if (value < count) return value;
    c->bad = true;
    return 0;
}

static double real(codec *c, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = whole(c, bits);
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const char *text(codec *c, const char *value) {
    uint64_t length = whole(c, value ? strlen(value) + 1 : 0);
    if (c->to) {
        if (value) ls_buf_add(c->to, value, length - 1);
        return value;
    }
    if (!length) return NULL;
    if (length - 1 > (uint64_t)(c->end - c->at)) return c->bad = true, NULL;
    char *copy = ls_store_take(c->store, length);
    memcpy(copy, c->at, length - 1);
    c->at += length - 1;
    return copy;
}

/* A text that is always there. */
static const char *words(codec *c, const char *value) {
    const char *read = text(c, value);
    c->bad |= !c->to && !read;
    return read;
}

/* The next entry of a list, or something that need not be there: a new one where it is read. */
static void *item(codec *c, void *there, size_t size) {
    bool is_there = truth(c, there != NULL);
    if (c->to) return there;
    return is_there && !c->bad ? ls_store_take(c->store, size) : NULL;
}
#define ITEM(c, pointer)      ((pointer) = item((c), (void *)(uintptr_t)(pointer), sizeof *(pointer)))
#define EACH_ITEM(c, T, list) for (T **at = &(list); ITEM((c), *at); at = &(*at)->next)

static void place(codec *c, ls_place *p, uint32_t depth) {
    p->file = text(c, p->file);
    p->line = small(c, p->line);
    p->column = small(c, p->column);
    p->ptx_line = small(c, p->ptx_line);
    p->is_ptx = truth(c, p->is_ptx);
    ls_place *outer = depth < DEEPEST ? (ls_place *)(uintptr_t)p->at : NULL;
    ITEM(c, outer);
    p->at = outer;
    if (outer && depth < DEEPEST) place(c, outer, depth + 1);
}

static void three(codec *c, uint32_t values[3]) {
    for (int i = 0; i < 3; i++) values[i] = small(c, values[i]);
}

static ls_fields *fields(codec *c, ls_fields *f, uint32_t depth);

static void field(codec *c, ls_field *f, bool named, uint32_t depth) {
    f->key = named ? words(c, f->key) : text(c, f->key);
    f->kind = (ls_field_kind)choice(c, f->kind, LS_FIELD_NEST + 1);
    switch (f->kind) {
    case LS_FIELD_INT: f->value.integer = (int64_t)whole(c, (uint64_t)f->value.integer); break;
    case LS_FIELD_UINT: f->value.natural = whole(c, f->value.natural); break;
    case LS_FIELD_REAL: f->value.real = real(c, f->value.real); break;
    case LS_FIELD_BOOL: f->value.truth = truth(c, f->value.truth); break;
    case LS_FIELD_TEXT: f->value.text = words(c, f->value.text); break;
    case LS_FIELD_NEST:
        f->value.nest = fields(c, f->value.nest, depth + 1);
        c->bad |= !c->to && !f->value.nest;
        break;
    }
}

static ls_fields *fields(codec *c, ls_fields *f, uint32_t depth) {
    if (depth == DEEPEST) return c->bad = true, NULL;
    if (!ITEM(c, f)) return NULL;
    f->store = c->store;
    f->is_list = truth(c, f->is_list);
    EACH_ITEM(c, ls_field, f->first) {
        field(c, *at, !f->is_list, depth);
        f->last = *at;
    }
    return f;
}

static void story(codec *c, ls_story *s) {
    EACH_ITEM(c, ls_actor, s->actors) {
        ls_actor *a = *at;
        a->does = text(c, a->does);
        place(c, &a->place, 0);
        three(c, a->block);
        three(c, a->thread);
        a->has_block = truth(c, a->has_block);
        a->has_thread = truth(c, a->has_thread);
        a->has_warp = truth(c, a->has_warp);
        a->warp = small(c, a->warp);
    }
    s->in_order = truth(c, s->in_order);
    s->object = text(c, s->object);
    s->element = text(c, s->element);
    s->byte = whole(c, s->byte);
    s->has_byte = truth(c, s->has_byte);
    s->values = fields(c, s->values, 0);
    s->confirmed = text(c, s->confirmed);
}

static void fix(codec *c, ls_fix *f) {
    f->description = words(c, f->description);
    place(c, &f->place, 0);
    f->length = small(c, f->length);
    f->text = words(c, f->text);
    f->checked = truth(c, f->checked);
}

/* All but the verifier's execution, which is of a process that has ended. */
static void finding(codec *c, ls_finding *f, uint32_t depth) {
    if (depth == DEEPEST) {
        c->bad = true;
        return;
    }
    f->store = c->store;
    f->rule = (ls_rule)choice(c, f->rule, LS_RULE_COUNT);
    f->level = (ls_severity)choice(c, f->level, LS_ERROR + 1);
    f->message = words(c, f->message);
    place(c, &f->place, 0);
    f->count = whole(c, f->count);
    EACH_ITEM(c, ls_related, f->related) {
        place(c, &(*at)->place, 0);
        (*at)->message = words(c, (*at)->message);
    }
    if (ITEM(c, f->story)) story(c, f->story);
    f->witness = fields(c, f->witness, 0);
    f->detail = fields(c, f->detail, 0);
    f->help = text(c, f->help);
    f->key = text(c, f->key);
    if (ITEM(c, f->fix)) fix(c, f->fix);
    f->replay = (ls_replay)choice(c, f->replay, LS_REPLAY_NOT_SEEN + 1);
    f->suppressed = (ls_suppression)choice(c, f->suppressed, LS_IN_BASELINE + 1);
    f->reason = text(c, f->reason);
    EACH_ITEM(c, ls_finding, f->same) finding(c, *at, depth + 1);
}

static void kernel(codec *c, ls_report_kernel *k) {
    k->name = words(c, k->name);
    k->demangled = words(c, k->demangled);
    place(c, &k->place, 0);
    three(c, k->block);
    three(c, k->grid);
    k->launch_from = text(c, k->launch_from);
    k->verdict = (ls_verdict)choice(c, k->verdict, LS_VERDICT_COUNT);
    k->contract = text(c, k->contract);
    k->contract_accepted = truth(c, k->contract_accepted);
    EACH_ITEM(c, ls_scope_item, k->scope) {
        (*at)->text = words(c, (*at)->text);
        (*at)->brief = text(c, (*at)->brief);
    }
    k->help = text(c, k->help);
    EACH_ITEM(c, ls_reason, k->reasons) {
        place(c, &(*at)->place, 0);
        (*at)->message = words(c, (*at)->message);
        (*at)->help = text(c, (*at)->help);
    }
    EACH_ITEM(c, ls_finding, k->findings) {
        finding(c, *at, 0);
        (*at)->kernel = k;
    }
    k->opencl = truth(c, k->opencl);
    k->stats_asked = truth(c, k->stats_asked);
    k->scope_asked = truth(c, k->scope_asked);
    k->stats = fields(c, k->stats, 0);
    EACH_ITEM(c, ls_hot_line, k->lines) {
        place(c, &(*at)->place, 0);
        (*at)->warp_instructions = whole(c, (*at)->warp_instructions);
        (*at)->lane_instructions = whole(c, (*at)->lane_instructions);
    }
    k->time_ms = real(c, k->time_ms);
    k->key = text(c, k->key);
    k->is_known = truth(c, k->is_known);
}

static void diagnostics(codec *c, ls_diags *diags) {
    uint32_t count = small(c, ls_diags_count(diags));
    for (uint32_t i = 0; i < count && !c->bad; i++) {
        ls_diag d = c->to ? *ls_diags_at(diags, i) : (ls_diag){0};
        d.severity = (ls_severity)choice(c, d.severity, LS_ERROR + 1);
        d.file = text(c, d.file);
        d.line = small(c, d.line);
        d.column = small(c, d.column);
        d.message = text(c, d.message);
        if (!c->to && !c->bad)
            ls_diags_add(diags, d.severity, d.file, d.line, d.column, "%s", d.message ? d.message : "");
    }
}

static void whole_file(codec *c, ls_report_file *file) {
    EACH_ITEM(c, ls_report_kernel, file->kernels) {
        (*at)->file = file;
        kernel(c, *at);
        file->last_kernel = *at;
    }
    diagnostics(c, file->diags);
    file->done = truth(c, file->done);
}

/* The hash of what follows stands in front, so that bytes which were cut or changed are not read. */
void ls_report_keep(ls_report_file *file, ls_buf *to) {
    ls_buf bytes = {0};
    codec c = {.to = &bytes, .store = &file->report->store};
    whole_file(&c, file);
    uint64_t hash = ls_hash_add(LS_HASH_START, bytes.text, bytes.length);
    ls_buf_add(to, (const char *)&hash, sizeof hash);
    ls_buf_add(to, bytes.text, bytes.length);
    ls_buf_free(&bytes);
}

bool ls_report_restore(ls_report_file *file, const char *bytes, size_t length) {
    uint64_t hash;
    if (length < sizeof hash) return false;
    memcpy(&hash, bytes, sizeof hash);
    codec c = {.at = (const unsigned char *)bytes + sizeof hash,
               .end = (const unsigned char *)bytes + length,
               .store = &file->report->store};
    if (hash != ls_hash_add(LS_HASH_START, c.at, length - sizeof hash)) return false;
    ls_report_file read = {.report = file->report, .path = file->path, .diags = ls_diags_new()};
    whole_file(&c, &read);
    bool good = !c.bad && c.at == c.end;
    if (good) {
        ls_diags_append(file->diags, read.diags);
        file->kernels = read.kernels;
        file->last_kernel = read.last_kernel;
        file->done = read.done;
        for (ls_report_kernel *k = file->kernels; k; k = k->next) k->file = file;
    }
    ls_diags_free(read.diags);
    return good;
}
