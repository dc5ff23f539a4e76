/* What happens in a library's code is told at the line of the user's code that calls it: the library's own
 * line becomes a note. */
#include "report/library.h"
#include "finding/library.h"

#include <string.h>

const ls_place *ls_place_of_user(const ls_place *place) {
    const ls_place *at = place;
    while (at && ls_is_library_file(at->file)) at = at->at;
    return at ? at : place;
}

static void move(ls_place *place) {
    *place = *ls_place_of_user(place);
}

static void relate(ls_finding *f, const ls_place *place) {
    for (const ls_related *r = f->related; r; r = r->next)
        if (ls_place_same_line(&r->place, place)) return;
    ls_finding_relate(f, (ls_place){.file = place->file, .line = place->line, .column = place->column},
                      "in the library, called from there");
}

/* The library's lines become notes. */
static void move_finding(ls_finding *f) {
    ls_place own = f->place;
    const ls_related *other = f->story && f->story->actors && f->story->actors->next ? f->related : NULL;
    ls_place second = other ? other->place : (ls_place){0};
    for (ls_related *r = f->related; r; r = r->next) move(&r->place);
    move(&f->place);
    if (ls_place_of_user(&own) != &own) relate(f, &own);
    if (other && ls_place_of_user(&second) != &second) relate(f, &second);
}

static bool is_call(const ls_related *r) {
    return r->message && !strcmp(r->message, LS_INLINED_HERE);
}

/* Calls inside of the library say nothing to its user … */
static bool drop_calls(ls_finding *f) {
    bool inside = ls_is_library_file(f->place.file);
    for (ls_related **link = &f->related; *link;) {
        bool library = ls_is_library_file((*link)->place.file);
        inside |= library;
        if (library && is_call(*link))
            *link = (*link)->next;
        else
            link = &(*link)->next;
    }
    return inside;
}

/* … nor do lines of the user's that are told already. */
static void drop_told(ls_finding *f) {
    ls_place told = f->place;
    for (ls_related **link = &f->related; *link;) {
        const ls_place *at = &(*link)->place;
        bool again = is_call(*link) && (ls_place_same_line(at, &told) || ls_place_same_line(at, &f->place));
        if (!is_call(*link)) told = (*link)->place;
        if (again)
            *link = (*link)->next;
        else
            link = &(*link)->next;
    }
}

/* How a library's own branches diverge is not for its users to mend. */
static void drop_notes(ls_report_kernel *kernel) {
    for (ls_finding **link = &kernel->findings; *link;)
        if ((*link)->level == LS_NOTE && ls_place_of_user(&(*link)->place) != &(*link)->place)
            *link = (*link)->next;
        else
            link = &(*link)->next;
}

void ls_tell_at_user(ls_report_kernel *kernel) {
    drop_notes(kernel);
    for (ls_finding *f = kernel->findings; f; f = f->next) {
        if (!drop_calls(f)) continue;
        move_finding(f);
        drop_told(f);
        for (ls_actor *a = f->story ? f->story->actors : NULL; a; a = a->next) move(&a->place);
    }
    for (ls_reason *r = kernel->reasons; r; r = r->next) move(&r->place);
}
