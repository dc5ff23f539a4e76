/* ls_flat_check (lockstep/flat.h). */
#include "base/recover.h"
#include "check/flat.h"
#include "lockstep/check.h"
#include "lockstep/flat.h"

#include <string.h>

static char *check_flat(const char *path, const char *const *options, uint32_t option_count) {
    ls_report *report = ls_report_new("check");
    ls_diags *wrong = ls_diags_new();
    ls_flat flat;
    if (ls_flat_options(&flat, options, option_count, wrong)) {
        ls_verify_options verify = {.bounds = flat.bounds,
                                    .timeout = flat.timeout,
                                    .assumptions = flat.assumptions.items,
                                    .assumption_count = flat.assumptions.length,
                                    .sizes = flat.sizes.items,
                                    .size_count = flat.sizes.length};
        memcpy(verify.block, flat.block, sizeof verify.block);
        memcpy(verify.grid, flat.grid, sizeof verify.grid);
        ls_check_options how = {.frontend = &flat.frontend, .verify = &verify, .kernel = flat.kernel};
        ls_check_file(path, &how, report);
    } else {
        ls_diags_append(ls_report_add_file(report, path)->diags, wrong);
    }
    ls_flat_options_free(&flat);
    ls_diags_free(wrong);
    return ls_flat_print(report);
}

char *ls_flat_check(const char *path, const char *const *options, uint32_t option_count) {
    LS_GUARDED(NULL, check_flat(path, options, option_count));
}
