/* A list for clang of files that stand for others (-ivfsoverlay). */
#ifndef LS_FRONTEND_OVERLAY_H
#define LS_FRONTEND_OVERLAY_H

#include "frontend/command.h"

/* Writes such a list into the job's temporary folder, under this name: the job's file is read from
 * `contents`. Its path, NULL with errno set where it cannot be written. */
const char *ls_overlay(const ls_job *job, const char *name, const char *contents);

#endif
