/* What to change when a compiler does not take a file, by what it said and by what the source shows. */
#ifndef LS_FRONTEND_REMEDIES_H
#define LS_FRONTEND_REMEDIES_H

#include "frontend/command.h"

/* The architecture that the words of a source ask for, where it is later than `arch`; else `arch`. */
const char *ls_arch_for(const char *text, const char *arch, const char **word);

/* Changes the job so that what failed with the errors in `said` may succeed, and says so in `notes`. False
 * where nothing that was not tried is known to help. */
bool ls_remedy(ls_job *job, ls_frontend_kind compiler, const ls_diags *said, ls_diags *notes);

/* Where errors name something that can be installed or given: notes that say what. */
void ls_advise(const ls_job *job, ls_diags *said);

/* Whether clang's errors are about something that nvcc alone compiles. */
bool ls_only_nvcc_takes(const ls_diags *said);

#endif
