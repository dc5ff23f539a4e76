/* The gate for generated kernels (docs/gate.md): a candidate is compiled, verified, and run against a
 * reference on many sizes and inputs, in ways that show a kernel that only looks right. */
#ifndef LS_GATE_GATE_H
#define LS_GATE_GATE_H

#include "gate/spec.h"
#include "lockstep/frontend.h"

#include <jansson.h>

typedef struct {
    const char *candidate, *reference;     /* files; the reference may be a .npy */
    const char *kernel, *reference_kernel; /* NULL: the only one of the file */
    ls_gate_spec *spec;                    /* what the command line says */
    const ls_frontend_options *frontend;
    uint32_t cases; /* at most so many */
    uint64_t seed;
    double seconds; /* for one run, and for one proof */
    bool no_proofs;
    /* Called once everything is compiled, before anything is parsed, proved or run: where it is false,
     * nothing is. NULL: none. */
    bool (*seal)(void);
} ls_gate_options;

/* The verdict as JSON; NULL with errors in diags where the reference or the options are wrong. What is wrong
 * with the candidate is in the verdict. */
json_t *ls_gate(const ls_gate_options *options, ls_diags *diags);
/* The verdict on a candidate with which nothing could be done: kind "crash", "timeout", … */
json_t *ls_gate_failed(const char *candidate, const char *reference, const char *kind, const char *message);

#endif
