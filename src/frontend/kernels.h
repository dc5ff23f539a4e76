/* The list of kernels of a compiled file, from all that is known of them. */
#ifndef LS_FRONTEND_KERNELS_H
#define LS_FRONTEND_KERNELS_H

#include "base/process.h"
#include "frontend/launch_text.h"
#include "frontend/lower.h"
#include "frontend/source.h"

typedef struct {
    const char *path;
    const char *text; /* source, as it stands or preprocessed; NULL: none */
    const char *ptx;
    ls_ir_kernels kernels;          /* from the device's IR; empty where nvcc compiled */
    ls_ir_launches launches;        /* from the host's IR */
    ls_local_arrays locals;         /* of functions' frames */
    bool host_failed;               /* then `launches` is empty, and what the text shows is in: */
    ls_text_launches text_launches; /* in the arena */
    bool elsewhere_failed;          /* host code of another file of the project could not be read */
    ls_args searched;               /* files of the project that were searched for names only … */
    const char *sought;             /* … these; NULL: for none */
} ls_facts;

/* The name of a kernel as the source has it, without namespaces and parameters, from that in the PTX. */
const char *ls_kernel_plain_name(ls_arena *arena, const char *name);
/* Whether the source declares kernels that are not in the PTX, which only preprocessing can tell apart from
 * those that a condition leaves out. */
bool ls_kernels_unclear(const ls_facts *facts, ls_arena *arena);
/* Fills out->kernels, in the order of the PTX and then of the source. */
void ls_kernels_list(const ls_facts *facts, ls_arena *arena, ls_compiled *out);

#endif
