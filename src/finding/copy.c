/* Findings from one store into another: what an analysis has found goes into a report as it is. */
#include "finding/store.h"

static ls_fields *copy_fields(ls_store *store, const ls_fields *from) {
    if (!from) return NULL;
    ls_fields *to = ls_fields_new(store, from->is_list);
    for (const ls_field *f = from->first; f; f = f->next) {
        ls_field *field = ls_fields_append(to, f->key);
        field->kind = f->kind;
        field->value = f->value;
        if (f->kind == LS_FIELD_TEXT) field->value.text = ls_store_text(store, f->value.text);
        if (f->kind == LS_FIELD_NEST) field->value.nest = copy_fields(store, f->value.nest);
    }
    return to;
}

static void copy_story(ls_finding *to, const ls_story *from) {
    ls_story *story = ls_finding_story(to);
    for (const ls_actor *a = from->actors; a; a = a->next) ls_story_actor(to, a);
    story->in_order = from->in_order;
    story->object = ls_store_text(to->store, from->object);
    story->element = ls_store_text(to->store, from->element);
    story->byte = from->byte;
    story->has_byte = from->has_byte;
    story->values = copy_fields(to->store, from->values);
    story->confirmed = ls_store_text(to->store, from->confirmed);
}

ls_finding *ls_finding_copy(ls_store *store, const ls_finding *from) {
    ls_finding *to = ls_finding_new(store, from->rule, from->level, from->place, from->message);
    to->count = from->count;
    for (const ls_related *r = from->related; r; r = r->next)
        ls_finding_relate(to, r->place, "%s", r->message ? r->message : "here");
    if (from->story) copy_story(to, from->story);
    to->witness = copy_fields(store, from->witness);
    to->detail = copy_fields(store, from->detail);
    to->help = ls_store_text(store, from->help);
    to->key = ls_store_text(store, from->key);
    if (from->fix) ls_finding_fix(to, from->fix);
    to->replay = from->replay;
    to->suppressed = from->suppressed;
    to->reason = ls_store_text(store, from->reason);
    return to;
}
