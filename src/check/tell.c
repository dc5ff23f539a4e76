/* What was found in a kernel, and what the verifier says of it, in a report (tell.h). */
#include "check/tell.h"

#include "base/buf.h"
#include "base/recover.h"
#include "check/causes.h"
#include "check/element.h"
#include "finding/store.h"
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

/* The object under the name that the source gives it, and the element that the byte is in. */
static void name_object(ls_finding *to, ls_arena *arena) {
    ls_story *story = to->story;
    char name[512];
    if (!story || !story->object) return;
    ls_variable_name(story->object, name, sizeof name);
    story->object = ls_store_text(to->store, name);
    if (!story->has_byte) return;
    ls_sources *sources = ls_report_shared_sources(to->kernel->file->report, NULL);
    const char *element =
        ls_element_name(sources, to->place, to->kernel->demangled, name, story->byte, arena);
    story->element = ls_store_text(to->store, element);
}

static void relate_with_calls(ls_finding *to, const ls_finding *from) {
    to->related = NULL;
    ls_finding_relate_calls(to, &from->place);
    for (const ls_related *r = from->related; r; r = r->next) {
        ls_finding_relate(to, r->place, "%s", r->message ? r->message : "here");
        ls_finding_relate_calls(to, &r->place);
    }
}

void ls_tell_in_source(ls_finding *f) {
    ls_arena arena;
    ls_arena_init(&arena);
    f->message = ls_store_text(f->store, ls_plain_text(f->message, &arena));
    name_object(f, &arena);
    ls_arena_free(&arena);
}

ls_finding *ls_tell_finding(ls_report_kernel *kernel, const ls_finding *from, bool calls) {
    ls_finding *to = ls_report_take(kernel, from);
    if (calls) relate_with_calls(to, from);
    ls_tell_in_source(to);
    return to;
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

static void tell_findings(ls_report_kernel *kernel, const ls_finding *findings, ls_arena *arena) {
    uint32_t count;
    const ls_cause *causes = ls_causes(findings, arena, &count);
    for (uint32_t i = 0; i < count; i++) {
        ls_finding *shown = ls_tell_finding(kernel, causes[i].shown, false);
        ls_finding **end = &shown->same;
        for (uint32_t k = 0; k < causes[i].other_count; k++, end = &(*end)->next)
            ls_tell_in_source(*end = ls_report_take_aside(kernel, causes[i].others[k]));
    }
}

void ls_tell_reasons(ls_report_kernel *kernel, const ls_verify_note *reasons) {
    LS_SCRATCH(arena);
    for (const ls_verify_note *n = reasons; n; n = n->next)
        ls_report_unknown(kernel, n->place, n->help, "%s", ls_plain_text(n->text, &arena));
}

void ls_tell_verification(ls_report_kernel *kernel, const ls_verify_result *r, bool stats) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_report_verdict(kernel, r->verdict);
    for (const ls_verify_note *n = r->scope; n; n = n->next)
        ls_report_scope(kernel, n->brief, "%s", ls_plain_text(n->text, &arena));
    ls_tell_reasons(kernel, r->reasons);
    tell_findings(kernel, r->findings, &arena);
    kernel->stats_asked = stats;
    for (const ls_verify_note *n = r->stats; n && stats; n = n->next)
        put_stat(ls_report_stats(kernel), n->text, n->help);
    ls_report_time(kernel, r->seconds * 1000);
    ls_arena_free(&arena);
}

void ls_tell_run(ls_report_kernel *kernel, const ls_emu_result *r) {
    bool wrong = false;
    for (uint32_t k = 0; k < r->finding_count; k++) {
        ls_tell_finding(kernel, &r->findings[k], true);
        wrong |= r->findings[k].level == LS_ERROR;
    }
    for (uint32_t k = 0; k < r->note_count; k++) ls_report_scope(kernel, r->notes[k], "%s", r->notes[k]);
    ls_fields *stats = ls_report_stats(kernel);
    ls_fields_uint(stats, "blocks", r->blocks_run);
    if (r->warp_instructions) {
        ls_fields_uint(stats, "warp_instructions", r->warp_instructions);
        ls_fields_uint(stats, "lane_instructions", r->lane_instructions);
    }
    ls_fields_uint(stats, "divergent_branches", r->divergent_branches);
    ls_fields_uint(stats, "shadow_bytes", r->shadow_bytes);
    if (r->spared) {
        ls_fields_uint(stats, "accesses", r->accesses);
        ls_fields_uint(stats, "accesses_proved", r->spared);
    }
    ls_fields_real(stats, "cpu_ms", r->cpu_seconds * 1e3);
    ls_report_time(kernel, r->seconds * 1e3);
    if (wrong || r->status == LS_EMU_TRAPPED || r->status == LS_EMU_STUCK)
        ls_report_verdict(kernel, LS_REFUTED);
    if (r->status == LS_EMU_UNSUPPORTED || r->status == LS_EMU_CANCELLED)
        ls_report_unknown(kernel, r->pos, NULL, "%s", r->message);
    if (r->status == LS_EMU_TRAPPED && !wrong)
        ls_report_add(kernel, LS_RULE_ASSERT, LS_ERROR, r->pos, "the kernel was ended: %s", r->message);
}
