/* What source text shows without being compiled: its language, and the kernels that it declares. */
#ifndef LS_FRONTEND_SOURCE_H
#define LS_FRONTEND_SOURCE_H

#include "base/arena.h"
#include "base/vec.h"
#include "lockstep/frontend.h"

typedef struct {
    const char *name; /* as written, without namespaces or template arguments */
    const char *file; /* from a line marker of preprocessed text; NULL: the text's own file */
    uint32_t line;
    bool defined, is_template, is_instantiation;
    const char **parameters; /* their names; NULL for one that has none */
    uint32_t parameter_count;
} ls_source_kernel;
typedef LS_VEC(ls_source_kernel) ls_source_kernels;

/* `text` may be preprocessed: line markers are followed. */
void ls_source_scan(const char *text, ls_arena *arena, ls_source_kernels *kernels);

typedef struct {
    bool launches;       /* <<<…>>> or cudaLaunchKernel */
    bool local_includes; /* #include "…" */
    bool standard_names; /* std:: is used, or `using namespace std` */
    bool annotations;    /* names of lockstep.h */
    bool c_math;         /* names of math.h */
    bool textures;       /* textures or surfaces */
    bool breaks;         /* barriers, and loops that may be left early */
    bool prints;         /* printf, in host or device code */
    bool groups, random; /* cooperative groups, cuRAND's device side */
    bool mathematics;    /* functions that PTX has no instruction for, or includes that may have some */
} ls_source_traits;

ls_source_traits ls_source_look(const char *text);

#endif
