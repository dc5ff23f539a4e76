/* check FILE…: checks files in one call each and prints the report; the exit status is that of `lockstep
 * check`: cc check.c $(pkg-config --cflags --libs lockstep) -o check && ./check scan.cu */
#include "common.h"

int main(int argc, char **argv) {
    ls_report *report = ls_report_new("check");
    ls_status status = LS_STATUS_CLEAN;
    for (int i = 1; i < argc; i++) status = ls_check_file(argv[i], NULL, report);
    char *text = ls_report_print(report, NULL, NULL);
    fputs(text, stdout);
    free(text);
    ls_report_free(report);
    return (int)status;
}
