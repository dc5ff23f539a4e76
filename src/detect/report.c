/* The lines of report.h. Each kind of line is a row of one table, which says what its fields are. */
#include "detect/report.h"

#include "finding/wire.h"

#define LAUNCH(member)    LS_WIRE_FIELD(dt_report_line, launch.member)
#define RESULT(member)    LS_WIRE_FIELD(dt_report_line, result.member)
#define UNCHECKED(member) LS_WIRE_FIELD(dt_report_line, unchecked.member)
#define COUNT(member)     LS_WIRE_FIELD(dt_report_line, counts.member)

static const ls_wire_field launch[] = {LAUNCH(kernel), LAUNCH(grid), LAUNCH(block), LAUNCH(number),
                                       LAUNCH(status)};
static const ls_wire_field captured[] = {LS_WIRE_FIELD(dt_report_line, path)};
static const ls_wire_field scope[] = {/* what was pruned follows */
                                      RESULT(left),         RESULT(from_disk),
                                      RESULT(watched),      RESULT(units_are_warps),
                                      RESULT(regions),      RESULT(rounds),
                                      RESULT(rounds_run),   RESULT(copies_in_shared),
                                      RESULT(own_regions),  RESULT(units),
                                      RESULT(copies),       RESULT(checked_regions),
                                      RESULT(probability),  RESULT(inside_blocks),
                                      RESULT(not_rehearsed)};
static const ls_wire_field unchecked[] = {UNCHECKED(object), UNCHECKED(reason), UNCHECKED(file),
                                          UNCHECKED(line)};
static const ls_wire_field figures[] = {RESULT(launches), RESULT(rounds_run),    RESULT(memory),
                                        RESULT(run_ms),   RESULT(instrument_ms), RESULT(load_ms),
                                        RESULT(alloc_ms)};
static const ls_wire_field counts[] = {LS_WIRE_FIELD(dt_report_line, kernel), COUNT(queued), COUNT(skipped),
                                       COUNT(known)};

#define ROW(kind, letter, fields) [DT_REPORT_##kind] = {letter, sizeof fields / sizeof *fields, fields}
static const ls_wire_row rows[] = {ROW(LAUNCH, 'L', launch),   ROW(CAPTURED, 'C', captured),
                                   ROW(SCOPE, 'P', scope),     ROW(UNCHECKED, 'U', unchecked),
                                   ROW(FIGURES, 'S', figures), ROW(COUNTS, 'Q', counts)};

/* --- Writing --- */

static void put(FILE *to, const dt_report_line *line) {
    ls_buf text = {0};
    ls_wire_write(&text, &rows[line->kind], line);
    if (line->kind == DT_REPORT_SCOPE)
        for (uint32_t i = 0; i < line->result.pruned_count; i++) ls_wire_put(&text, line->result.pruned[i]);
    ls_buf_putc(&text, '\n');
    fwrite(text.text, 1, text.length, to);
    ls_buf_free(&text);
}

void dt_report_write_launch(FILE *to, const dt_report_launch *of) {
    put(to, &(dt_report_line){.kind = DT_REPORT_LAUNCH, .launch = *of});
}

void dt_report_write_captured(FILE *to, const char *path) {
    put(to, &(dt_report_line){.kind = DT_REPORT_CAPTURED, .path = path});
}

void dt_report_write_unchecked(FILE *to, const ls_detect_unchecked *item) {
    put(to, &(dt_report_line){.kind = DT_REPORT_UNCHECKED, .unchecked = *item});
}

void dt_report_write_result(FILE *to, const ls_detect_result *r) {
    dt_report_line line = {.kind = DT_REPORT_SCOPE, .result = *r};
    line.result.left = r->left && !r->unchecked_count;
    put(to, &line);
    ls_buf races = {0};
    for (const ls_finding *f = r->findings; f; f = f->next) ls_finding_write(&races, f);
    if (races.length) fwrite(races.text, 1, races.length, to);
    ls_buf_free(&races);
    for (uint32_t i = 0; i < r->unchecked_count; i++) dt_report_write_unchecked(to, &r->unchecked[i]);
    line.kind = DT_REPORT_FIGURES;
    put(to, &line);
}

void dt_report_write_counts(FILE *to, const char *kernel, dt_report_counted *of) {
    put(to, &(dt_report_line){.kind = DT_REPORT_COUNTS, .kernel = kernel, .counts = *of});
    *of = (dt_report_counted){0};
}

/* --- Reading --- */

void dt_report_read(char *line, dt_report_line *to) {
    enum { MOST = 24 + DT_REPORT_MOST_PRUNED };
    char *f[MOST];
    uint32_t count = ls_wire_split(line, f, MOST), taken = 0, kind = DT_REPORT_LAUNCH;
    *to = (dt_report_line){0};
    for (; kind < sizeof rows / sizeof *rows; kind++)
        if ((taken = ls_wire_read(&rows[kind], f, count, to))) break;
    if (!taken) return;
    to->kind = (dt_report_kind)kind;
    to->result.pruned = to->pruned;
    for (uint32_t i = taken; i < count && kind == DT_REPORT_SCOPE; i++)
        if (to->result.pruned_count < DT_REPORT_MOST_PRUNED) to->pruned[to->result.pruned_count++] = f[i];
}
