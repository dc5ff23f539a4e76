/* Making a report through the library: build with
 *     cc report.c $(pkg-config --cflags --libs lockstep) */
#include <lockstep/report.h>

#include <stdio.h>
#include <stdlib.h>

int main(void) {
    ls_report *report = ls_report_new("example");
    ls_report_file *file = ls_report_add_file(report, "scan.cu");
    ls_report_kernel *kernel = ls_report_add_kernel(file, "scan", NULL);
    ls_finding *race = ls_report_add(kernel, LS_RULE_RACE_SHARED, LS_ERROR, (ls_place){"scan.cu", 12, 9},
                                     "write-read race on '%s'", "s");
    ls_finding_relate(race, (ls_place){"scan.cu", 12, 17}, "read here");
    ls_fields_uint(ls_finding_witness(race), "index", 7);
    ls_report_verdict(kernel, LS_REFUTED);
    ls_report_finish(report);

    char *text = ls_report_print(report, &(ls_print_options){.format = LS_FORMAT_TEXT}, NULL);
    fputs(text, stdout);
    free(text);
    int status = ls_report_status(report, LS_FAIL_UNKNOWN);
    ls_report_free(report);
    return status == 1 ? 0 : 1;
}
