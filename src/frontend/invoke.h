/* Compilers as child processes of a job: one attempt, or several with what may help (remedies.h). */
#ifndef LS_FRONTEND_INVOKE_H
#define LS_FRONTEND_INVOKE_H

#include "frontend/command.h"
#include "lockstep/frontend.h"

typedef void ls_command_maker(const ls_job *job, const char *output, ls_args *argv);

/* The path of a file of that name in the job's temporary folder. */
const char *ls_job_file(const ls_job *job, const char *name);
/* Starts the command, which is to write that file; false: errno says why not. */
bool ls_invoke_start(ls_job *job, ls_command_maker *make, const char *output, ls_process *process);
/* Runs it; what it says goes into diags. */
bool ls_invoke(ls_job *job, ls_command_maker *make, const char *output, const char *compiler,
               ls_diags *diags);
/* Runs it, changing the job while that may help. What counts of its words are those of the last attempt; but
 * where that one only guessed, those of the one before. */
bool ls_invoke_with_remedies(ls_job *job, ls_frontend_kind kind, ls_command_maker *make, const char *output,
                             ls_diags *diags);
/* The source's path for nvcc: by way of a link to its folder where that has special characters. */
const char *ls_nvcc_path(const ls_job *job);

#endif
