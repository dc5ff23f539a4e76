/* One HTML page that needs nothing else: the report as JSON, the text of the source files that it names, the
 * rules, and a script (page/page.js) that shows them. The data stands in an element that is no script; the
 * policy of the page allows the one script and the one style sheet by their hashes and nothing else, and the
 * script writes texts as texts: whatever a source file or a name contains, it is only shown. */
#include "report/print.h"

#include "base/map.h"
#include "report/page_css.h"
#include "report/page_js.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 100000, LONGEST_LINE = 2000 };

typedef struct {
    ls_printer *printer;
    json_t *sources;
    uint32_t lines; /* of all files so far */
} page;

static json_t *line_json(const char *text, size_t length) {
    ls_buf line = {0};
    if (length > LONGEST_LINE) length = LONGEST_LINE;
    ls_buf_add(&line, text, length);
    json_t *value = NULL;
    if (!memchr(ls_buf_text(&line), 0, line.length)) value = ls_json_text(ls_buf_text(&line));
    ls_buf_free(&line);
    return value ? value : json_string("\xef\xbf\xbd");
}

static void add_source(page *p, const char *path) {
    const char *text;
    size_t length;
    json_t *key = path ? ls_json_text(path) : NULL;
    const char *name = json_string_value(key);
    if (name && !json_object_get(p->sources, name) &&
        ls_source_line(p->printer->sources, path, 1, &text, &length)) {
        json_t *lines = json_array();
        for (uint32_t i = 1;
             p->lines < MOST_LINES && ls_source_line(p->printer->sources, path, i, &text, &length);
             i++, p->lines++)
            json_array_append_new(lines, line_json(text, length));
        json_object_set_new(p->sources, name, lines);
    }
    json_decref(key);
}

/* The files that kernels and findings stand in. */
static json_t *sources_json(ls_printer *printer) {
    page p = {printer, json_object(), 0};
    for (const ls_report_file *file = printer->report->files; file; file = file->next)
        for (const ls_report_kernel *kernel = file->kernels; kernel; kernel = kernel->next) {
            add_source(&p, kernel->place.file ? kernel->place.file : file->path);
            for (const ls_finding *f = kernel->findings; f; f = f->next) {
                add_source(&p, f->place.file ? f->place.file : file->path);
                for (const ls_related *r = f->related; r; r = r->next) add_source(&p, r->place.file);
            }
        }
    return p.sources;
}

static json_t *rules_json(void) {
    json_t *list = json_array();
    for (int i = 0; i < LS_RULE_COUNT; i++) {
        const ls_rule_info *info = ls_rule_get((ls_rule)i);
        json_t *rule = json_object();
        json_object_set_new(rule, "name", json_string(info->name));
        json_object_set_new(rule, "title", json_string(info->title));
        json_object_set_new(rule, "help", json_string(info->help));
        json_array_append_new(list, rule);
    }
    return list;
}

/* JSON as it may stand in an element of a page: no '<', so that nothing in it can end the element. */
static void put_data(ls_buf *out, const char *text) {
    for (const char *at = text; at && *at;) {
        size_t length = strcspn(at, "<>&");
        ls_buf_add(out, at, length);
        at += length;
        if (*at) ls_buf_printf(out, "\\u%04x", (unsigned)(unsigned char)*at++);
    }
}

void ls_page(ls_buf *out, const char *json) {
    ls_buf_printf(out,
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src "
                  "'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<title>Lockstep report</title>\n<style>",
                  page_js_hash, page_css_hash);
    ls_buf_add(out, (const char *)page_css, page_css_length);
    ls_buf_puts(out,
                "</style>\n</head><body>\n<noscript>This page needs JavaScript; `lockstep --format text` "
                "prints the same.</noscript>\n<script type=\"application/json\" id=\"data\">");
    put_data(out, json);
    ls_buf_puts(out, "</script>\n<script>");
    ls_buf_add(out, (const char *)page_js, page_js_length);
    ls_buf_puts(out, "</script>\n</body></html>\n");
}

void ls_print_html(ls_printer *p) {
    json_t *root = json_object();
    json_object_set_new(root, "report", ls_json_report(p->report));
    json_object_set_new(root, "sources", sources_json(p));
    json_object_set_new(root, "rules", rules_json());
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12));
    ls_page(p->out, text);
    free(text);
    json_decref(root);
}

static json_t *lines_of(const char *text) {
    json_t *lines = json_array();
    for (uint32_t i = 0; *text && i < MOST_LINES; i++) {
        size_t length = strcspn(text, "\n");
        json_array_append_new(lines, line_json(text, length));
        text += length + (text[length] == '\n');
    }
    return lines;
}

char *ls_page_of_change(const char *json, const char *before, const char *after, size_t *length) {
    ls_buf all = {0}, out = {0};
    json_t *root = json_object();
    json_object_set_new(root, "before", lines_of(before));
    json_object_set_new(root, "after", lines_of(after));
    char *texts = json_dumps(root, JSON_COMPACT);
    ls_buf_printf(&all, "{\"allocation\": %s, \"texts\": %s}", json, texts ? texts : "{}");
    ls_page(&out, ls_buf_text(&all));
    ls_buf_free(&all);
    free(texts);
    json_decref(root);
    *length = out.length;
    return out.text;
}
