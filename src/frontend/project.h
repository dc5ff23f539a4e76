/* Launches by way of the project's other files (-p). */
#ifndef LS_FRONTEND_PROJECT_H
#define LS_FRONTEND_PROJECT_H

#include "frontend/command.h"
#include "frontend/kernels.h"

/* Adds launches that other files make of kernels that are defined here; and where others call functions that
 * lead to launches, these get what their callers give. */
void ls_project_launches(ls_job *job, ls_facts *facts);

#endif
