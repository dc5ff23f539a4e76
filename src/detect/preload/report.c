/* Writing the lines of report.h. */
#include "detect/preload/report.h"

#include <inttypes.h>

/* Text without tabs and line ends; "-" for none. */
static void put_text(FILE *to, const char *text) {
    fputc('\t', to);
    if (!text || !*text) text = "-";
    for (; *text; text++) fputc(*text == '\t' || *text == '\n' ? ' ' : *text, to);
}

void dt_report_launch(FILE *to, const char *kernel, const unsigned grid[3], const unsigned block[3],
                      uint32_t number, ls_detect_status status) {
    fputc('L', to);
    put_text(to, kernel);
    fprintf(to, "\t%u\t%u\t%u\t%u\t%u\t%u\t%u\t%d\n", grid[0], grid[1], grid[2], block[0], block[1], block[2],
            number, status);
}

void dt_report_unchecked(FILE *to, const ls_detect_unchecked *item) {
    fputc('U', to);
    put_text(to, item->object);
    put_text(to, item->reason);
    put_text(to, item->file);
    fprintf(to, "\t%u\n", item->line);
}

static void report_place(FILE *to, const ls_detect_place *place) {
    put_text(to, place->file);
    fprintf(to, "\t%u\t%u\t%d", place->line, place->column, place->is_write);
}

void dt_report_result(FILE *to, const ls_detect_result *r) {
    for (uint32_t i = 0; i < r->race_count; i++) {
        const ls_detect_race *race = &r->races[i];
        fprintf(to, "R\t%d\t%d\t%d", race->kind, race->is_shared, race->between_blocks);
        put_text(to, race->variable);
        fprintf(to, "\t%" PRIu64 "\t%" PRIu64 "\t%u\t%u\t%u\t%u\t%d", race->offset, race->addresses,
                race->block, race->warp, race->other_block, race->other_warp, race->has_other);
        report_place(to, &race->place);
        report_place(to, &race->other);
        fputc('\n', to);
    }
    for (uint32_t i = 0; i < r->unchecked_count; i++) dt_report_unchecked(to, &r->unchecked[i]);
    fprintf(to, "S\t%u\t%u\t%" PRIu64 "\t%.6f\n", r->launches, r->rounds_run, r->memory, r->run_ms);
}
