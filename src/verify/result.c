/* What a proof tells: findings, reasons for "unknown", mistakes in the input, and what the proof covers. */
#include "finding/store.h"
#include "verify/execute/roots.h"
#include "verify/proof.h"

#include <stdarg.h>
#include <stdio.h>

static ls_verify_note *append(ls_verify_note **list, ls_verify_note *note) {
    for (; *list; list = &(*list)->next)
        if (!strcmp((*list)->text, note->text) && (*list)->place.line == note->place.line) return *list;
    return *list = note;
}

static char *format_text(ls_proof *p, const char *format, va_list args) {
    char text[1000];
    vsnprintf(text, sizeof text, format, args);
    return ls_arena_strdup(&p->arena, text);
}

/* There will be no proof; where only that matters, there is nothing more to do. */
static void give_up(ls_proof *p) {
    p->solver.hopeless = true;
    if (p->options->proof_only) p->solver.timed_out = true;
}

ls_verify_note *ls_unknown(ls_proof *p, const ls_place *pos, const char *help, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ls_verify_note *n = LS_NEW(&p->arena, ls_verify_note);
    *n = (ls_verify_note){.text = format_text(p, format, args), .help = help};
    va_end(args);
    if (pos) n->place = *pos;
    give_up(p);
    return append(&p->result->reasons, n);
}

void ls_mistake(ls_proof *p, const ls_place *pos, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ls_verify_note *n = LS_NEW(&p->arena, ls_verify_note);
    *n = (ls_verify_note){.text = format_text(p, format, args)};
    va_end(args);
    if (pos) n->place = *pos;
    append(&p->result->mistakes, n);
}

void ls_scope_line(ls_proof *p, const char *brief, const char *format, ...) {
    va_list args;
    va_start(args, format);
    ls_verify_note *n = LS_NEW(&p->arena, ls_verify_note);
    *n = (ls_verify_note){.text = format_text(p, format, args), .brief = brief};
    va_end(args);
    append(&p->result->scope, n);
}

const char *ls_proof_parameter(const ls_proof *p, uint32_t object) {
    const ls_ir_object *o = p->f->objects[object];
    bool named = o->kind == LS_OBJECT_PARAM && o->index < p->options->parameter_count;
    return named && p->options->parameters[o->index] ? p->options->parameters[o->index] : o->name;
}

const ls_parameter_range *ls_proof_range(const ls_proof *p, uint32_t object) {
    const ls_ir_object *o = p->f->objects[object];
    const ls_verify_options *how = p->options;
    bool known = p->f->ptx->is_entry && how->ranges && o->kind == LS_OBJECT_PARAM &&
                 how->parameter_count == p->f->ptx->param_count && o->index < how->parameter_count;
    return known ? &how->ranges[o->index] : NULL;
}

const char *ls_proof_member(ls_proof *p, uint32_t object, uint32_t offset) {
    const ls_parameter_range *all = ls_proof_range(p, object);
    const char *name = ls_proof_parameter(p, object);
    for (uint32_t i = 0; all && all->bytes == p->f->objects[object]->size && i < all->member_count; i++)
        if (all->members[i].offset == offset)
            return ls_arena_printf(&p->arena, "%s.%s", name, all->members[i].name);
    return offset ? ls_arena_printf(&p->arena, "%s+%u", name, offset) : name;
}

const char *ls_base_name(ls_proof *p, const ls_ir_base *base) {
    if (base->kind == LS_BASE_PARAM) return ls_proof_member(p, base->object, base->offset);
    const char *root = base->kind == LS_BASE_LOADED ? ls_root_name(p, base) : NULL;
    return root ? root : base->name ? base->name : "memory";
}

static ls_finding *new_finding(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos,
                               const char *format, va_list args) {
    return ls_finding_new(p->result->store, rule, level, *pos, format_text(p, format, args));
}

ls_finding *ls_suspect(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                       ...) {
    va_list args;
    va_start(args, format);
    ls_finding *f = new_finding(p, rule, level, pos, format, args);
    va_end(args);
    return f;
}

void ls_accuse(ls_proof *p, ls_finding *f) {
    ls_finding **at = &p->result->findings;
    while (*at) at = &(*at)->next;
    *at = f;
    if (f->level == LS_ERROR) give_up(p);
}

ls_finding *ls_find(ls_proof *p, ls_rule rule, ls_severity level, const ls_place *pos, const char *format,
                    ...) {
    va_list args;
    va_start(args, format);
    ls_finding *f = new_finding(p, rule, level, pos, format, args);
    va_end(args);
    ls_accuse(p, f);
    return f;
}
