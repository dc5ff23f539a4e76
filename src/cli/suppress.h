/* Which findings count: comments in the source, .lockstep.toml, --baseline (suppress.c). */
#ifndef LS_CLI_SUPPRESS_H
#define LS_CLI_SUPPRESS_H

#include "cli/config.h"

/* After ls_report_finish: levels of rules, suppressions, and what was there before. False with an error in
 * diags where the baseline cannot be read. */
bool ls_suppress(ls_report *report, struct ls_config *config, const char *baseline, ls_diags *diags);

#endif
