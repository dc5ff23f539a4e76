/* compile_commands.json: the options with which a project compiles a file. */
#ifndef LS_FRONTEND_DATABASE_H
#define LS_FRONTEND_DATABASE_H

#include "frontend/command.h"

/* Adds the options that matter for reading the file (-I, -isystem, -D, -U, -include) to job->database and
 * sets job->standard where it is not given. False with an error in diags where the database cannot be read;
 * a file that it does not name is a warning. */
bool ls_database_read(ls_job *job, const char *path, ls_diags *diags);

/* Every file of the project that may have host code in it; false with an error in diags. */
bool ls_database_hosts(const char *path, void (*each)(void *context, const char *file), void *context,
                       ls_diags *diags);

#endif
