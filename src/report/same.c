/* Findings of one cause are told as one: the others are counted in it, and a few of their lines are notes. */
#include "report/same.h"

enum { MOST_LINES = 3 }; /* that are shown */

static bool is_shown(const ls_finding *f, const ls_place *line) {
    bool shown = ls_place_same_line(&f->place, line);
    for (const ls_related *r = f->related; r && !shown; r = r->next)
        shown = ls_place_same_line(&r->place, line);
    return shown;
}

static void note(ls_finding *f, const ls_place *line, uint32_t more) {
    if (more)
        ls_finding_relate(f, *line, "the same here, and in %u more line%s", more, more > 1 ? "s" : "");
    else
        ls_finding_relate(f, *line, "the same here");
    ls_related *last = f->related;
    while (last->next) last = last->next;
    last->aside = true;
}

/* The last line that is shown stands for the rest as well. */
void ls_tell_same(ls_finding *f) {
    const ls_place *lines[MOST_LINES];
    uint32_t shown = 0, more = 0;
    if (f->same_told) return;
    for (const ls_finding *other = f->same; other; other = other->next) {
        const ls_place *line = is_shown(f, &other->place) ? ls_finding_other(other) : &other->place;
        bool is_new = !is_shown(f, line);
        for (uint32_t k = 0; k < shown; k++) is_new &= !ls_place_same_line(lines[k], line);
        f->count += other->count;
        if (is_new && shown < MOST_LINES)
            lines[shown++] = line;
        else
            more += is_new;
    }
    for (uint32_t k = 0; k < shown; k++) note(f, lines[k], k + 1 < shown ? 0 : more);
    f->same_told = true;
}

ls_finding *ls_part_same(ls_finding *f) {
    ls_finding *others = f->same;
    for (const ls_finding *other = others; other && f->same_told; other = other->next)
        f->count -= other->count;
    for (ls_related **link = &f->related; *link;)
        if ((*link)->aside)
            *link = (*link)->next;
        else
            link = &(*link)->next;
    f->same = NULL;
    f->same_told = false;
    return others;
}
