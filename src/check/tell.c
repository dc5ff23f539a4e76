/* What the verifier says of a kernel, in a report (tell.h). */
#include "check/tell.h"

#include "base/buf.h"
#include "check/stories.h"
#include "lockstep/frontend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *ls_plain_text(const char *text, ls_arena *arena) {
    if (!text || !strchr(text, '\'')) return text;
    ls_buf out = {0};
    for (const char *at = text; *at;) {
        const char *end = *at == '\'' ? strchr(at + 1, '\'') : NULL;
        char name[512];
        if (end && (size_t)(end - at) <= sizeof name && !memchr(at, ' ', (size_t)(end - at))) {
            char mangled[512];
            snprintf(mangled, sizeof mangled, "%.*s", (int)(end - at - 1), at + 1);
            ls_variable_name(mangled, name, sizeof name);
            ls_buf_printf(&out, "'%s'", name);
            at = end + 1;
        } else {
            ls_buf_putc(&out, *at++);
        }
    }
    const char *plain = ls_arena_strdup(arena, ls_buf_text(&out));
    ls_buf_free(&out);
    return plain;
}

/* A number as a number. */
static void put_stat(ls_fields *stats, const char *name, const char *value) {
    char *end;
    double number = strtod(value, &end);
    if (end == value || *end)
        ls_fields_text(stats, name, "%s", value);
    else if (strpbrk(value, ".eE"))
        ls_fields_real(stats, name, number);
    else
        ls_fields_int(stats, name, strtoll(value, NULL, 10));
}

void ls_tell_verification(ls_report_kernel *kernel, const ls_verify_result *r, bool stats) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_report_verdict(kernel, r->verdict);
    for (const ls_verify_note *n = r->scope; n; n = n->next)
        ls_report_scope(kernel, n->brief, "%s", ls_plain_text(n->text, &arena));
    for (const ls_verify_note *n = r->reasons; n; n = n->next)
        ls_report_unknown(kernel, n->place, n->help, "%s", ls_plain_text(n->text, &arena));
    for (const ls_verify_finding *f = r->findings; f; f = f->next) {
        ls_finding *finding =
            ls_report_add(kernel, f->rule, f->level, f->place, "%s", ls_plain_text(f->message, &arena));
        if (f->other.file) ls_finding_relate(finding, f->other, "%s", f->other_message);
        ls_tell_verified(finding, f, &arena);
    }
    kernel->stats_asked = stats;
    for (const ls_verify_note *n = r->stats; n && stats; n = n->next)
        put_stat(ls_report_stats(kernel), n->text, n->help);
    ls_report_time(kernel, r->seconds * 1000);
    ls_arena_free(&arena);
}
