/* The control flow of a program of the kernel language, as a graph. */
#ifndef LS_MODEL_GRAPH_H
#define LS_MODEL_GRAPH_H

#include "graph/cfg.h"
#include "model/lang.h"

/* The program must outlive it. */
ls_cfg *ls_kprog_cfg(const ls_kprog *prog);

#endif
