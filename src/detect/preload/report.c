/* Writing the lines of report.h. */
#include "detect/preload/report.h"

#include "finding/wire.h"

#include <inttypes.h>

static void put(FILE *to, ls_buf *lines) {
    fwrite(lines->text, 1, lines->length, to);
    ls_buf_free(lines);
}

void dt_report_launch(FILE *to, const char *kernel, const unsigned grid[3], const unsigned block[3],
                      uint32_t number, ls_detect_status status) {
    ls_buf line = {0};
    ls_buf_putc(&line, 'L');
    ls_wire_put(&line, kernel);
    ls_buf_printf(&line, "\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%d\n", grid[0], grid[1], grid[2], block[0], block[1],
                  block[2], number, (int)status);
    put(to, &line);
}

void dt_report_captured(FILE *to, const char *path) {
    ls_buf line = {0};
    ls_buf_putc(&line, 'C');
    ls_wire_put(&line, path);
    ls_buf_putc(&line, '\n');
    put(to, &line);
}

static void put_unchecked(ls_buf *to, const ls_detect_unchecked *item) {
    ls_buf_putc(to, 'U');
    ls_wire_put(to, item->object);
    ls_wire_put(to, item->reason);
    ls_wire_put(to, item->file);
    ls_buf_printf(to, "\t%u\n", item->line);
}

void dt_report_unchecked(FILE *to, const ls_detect_unchecked *item) {
    ls_buf line = {0};
    put_unchecked(&line, item);
    put(to, &line);
}

static void put_scope(ls_buf *to, const ls_detect_result *r) {
    ls_buf_printf(to,
                  "P\t%d\t%d\t%d\t%d\t%d\t%u\t%u\t%u\t%u\t%u\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%.6f",
                  r->left && !r->unchecked_count, r->from_disk, r->watched, r->units_are_warps,
                  r->copies_in_shared, r->checked_regions, r->own_regions, r->regions, r->rounds_run,
                  r->rounds, r->units, r->copies, r->inside_blocks, r->probability);
    ls_wire_put(to, r->not_rehearsed);
    for (uint32_t i = 0; i < r->pruned_count; i++) ls_wire_put(to, r->pruned[i]);
    ls_buf_putc(to, '\n');
}

void dt_report_result(FILE *to, const ls_detect_result *r) {
    ls_buf lines = {0};
    put_scope(&lines, r);
    for (const ls_finding *f = r->findings; f; f = f->next) ls_finding_write(&lines, f);
    for (uint32_t i = 0; i < r->unchecked_count; i++) put_unchecked(&lines, &r->unchecked[i]);
    ls_buf_printf(&lines, "S\t%u\t%u\t%" PRIu64 "\t%.6f\t%.6f\t%.6f\t%.6f\n", r->launches, r->rounds_run,
                  r->memory, r->run_ms, r->instrument_ms, r->load_ms, r->alloc_ms);
    put(to, &lines);
}

void dt_report_counts(FILE *to, const char *kernel, dt_report_counted *counts) {
    ls_buf line = {0};
    ls_buf_putc(&line, 'Q');
    ls_wire_put(&line, kernel);
    ls_buf_printf(&line, "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", counts->queued, counts->skipped,
                  counts->known);
    put(to, &line);
    *counts = (dt_report_counted){0};
}
