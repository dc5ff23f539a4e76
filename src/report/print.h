/* What the printers share. Each appends the whole report in one format. */
#ifndef LS_REPORT_PRINT_H
#define LS_REPORT_PRINT_H

#include "base/buf.h"
#include "base/map.h"
#include "report/model.h"
#include "report/source.h"

#include <jansson.h>

typedef struct {
    const ls_report *report;
    const ls_print_options *options;
    ls_sources *sources;
    ls_buf *out;
} ls_printer;

void ls_print_text(ls_printer *printer);
void ls_print_json(ls_printer *printer);
void ls_print_sarif(ls_printer *printer);
void ls_print_html(ls_printer *printer);
/* The page around its data (html.c). */
void ls_page(ls_buf *out, const char *json);

/* Fields on one line: "a = 1, b = [2, 3], c = {d = 4}". */
void ls_print_fields(ls_buf *out, const ls_fields *fields);
/* "thread 3 of block 0"; "s[2]"; and both with what it does: "thread 3 of block 0 reads s[2]". */
void ls_print_actor(ls_buf *out, const ls_finding *finding, const ls_actor *actor);
void ls_print_subject(ls_buf *out, const ls_story *story);
void ls_print_act(ls_buf *out, const ls_finding *finding, const ls_actor *actor);
/* The kernel's name as people write it, without its parameters where no other of the file is called so. */
void ls_print_kernel_name(ls_buf *out, const ls_report_kernel *kernel, const ls_map *names);
/* The kernels of a file by their names without parameters. */
void ls_short_names(ls_map *names, const ls_report_file *file);
/* " for block 256, any grid (launch at scan.cu:21); assumes that parameters do not overlap". */
void ls_print_brief(ls_buf *out, const ls_report_kernel *kernel);
/* "64", "8×8", "8×8×4", or "unknown" for a size that starts with 0. */
void ls_print_size(ls_buf *out, const uint32_t size[3]);
/* "2 kernels: 1 proved, 1 refuted; 1 error, 3 warnings". */
void ls_print_summary(ls_buf *out, const ls_report_summary *summary);

/* A JSON text from one that may not be UTF-8; NULL gives null. */
json_t *ls_json_text(const char *text);
/* The story and the witness of a finding as one object; NULL where there is neither. */
json_t *ls_json_witness(const ls_finding *finding);
/* The whole report, as docs/json.md says. */
json_t *ls_json_report(const ls_report *report);
json_t *ls_json_fields(const ls_fields *fields);
json_t *ls_json_size(const uint32_t size[3]);
void ls_json_dump(ls_buf *out, json_t *root);

#endif
