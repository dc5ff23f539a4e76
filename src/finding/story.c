/* What is told of a finding besides its message: who does what, a change that mends it, why it does not
 * count. */
#include "finding/store.h"

ls_story *ls_finding_story(ls_finding *finding) {
    if (!finding->story) finding->story = ls_store_take(finding->store, sizeof *finding->story);
    return finding->story;
}

void ls_story_actor(ls_finding *finding, const ls_actor *actor) {
    ls_actor *kept = ls_store_take(finding->store, sizeof *kept);
    *kept = *actor;
    kept->next = NULL;
    kept->does = ls_store_text(finding->store, actor->does);
    kept->place = ls_store_place(finding->store, actor->place);
    LS_APPEND(ls_actor, ls_finding_story(finding)->actors, kept);
}

void ls_story_object(ls_finding *finding, const char *object, const char *element, uint64_t byte) {
    ls_story *story = ls_finding_story(finding);
    story->object = ls_store_text(finding->store, object);
    story->element = ls_store_text(finding->store, element);
    story->byte = byte;
    story->has_byte = true;
}

void ls_story_confirmed(ls_finding *finding, const char *what) {
    ls_finding_story(finding)->confirmed = ls_store_text(finding->store, what);
}

void ls_finding_value(ls_finding *finding, const char *name, int64_t value) {
    ls_story *story = ls_finding_story(finding);
    if (!story->values) story->values = ls_fields_new(finding->store, false);
    ls_fields_int(story->values, name, value);
}

void ls_finding_fix(ls_finding *finding, const ls_fix *fix) {
    finding->fix = ls_store_take(finding->store, sizeof *finding->fix);
    *finding->fix = *fix;
    finding->fix->description = ls_store_text(finding->store, fix->description);
    finding->fix->place = ls_store_place(finding->store, fix->place);
    finding->fix->text = ls_store_text(finding->store, fix->text);
}

void ls_finding_suppress(ls_finding *finding, ls_suppression how, const char *reason) {
    finding->suppressed = how;
    finding->reason = ls_store_text(finding->store, reason);
}
