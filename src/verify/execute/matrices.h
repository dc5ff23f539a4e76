/* Matrices between memory and registers, as accesses of threads. */
#ifndef LS_VERIFY_EXECUTE_MATRICES_H
#define LS_VERIFY_EXECUTE_MATRICES_H

#include "verify/proof.h"

/* The events of an instruction that moves a matrix; false: it is none, or of a form that is not modelled. */
bool ls_matrix_events(ls_state *s, const ls_event *e);

#endif
