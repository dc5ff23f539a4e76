/* One run of the gate, and its cases: which of a kernel's parameters is which of the spec's, sizes, arguments
 * and launches. */
#ifndef LS_GATE_CASES_H
#define LS_GATE_CASES_H

#include "base/buf.h"
#include "gate/gate.h"
#include "gate/trial.h"
#include "launch/npy.h"

typedef struct {
    const ls_gate_options *o;
    ls_gate_spec *spec;
    ls_arena arena; /* of the whole */
    ls_gate_kernel candidate, reference;
    bool has_reference; /* it is a kernel; else `expected` is the output */
    ls_buf expected_text;
    ls_npy expected;
    uint32_t expected_param;
    json_t *problems, *cases;
    json_t *warnings; /* what the verifier finds for some data, which need not be the program's */
    ls_diags *diags;
    uint32_t right, proved, done;
} ls_gate_state;

/* The candidate's parameters: by name where all are named alike, else by position, as in the reference. */
bool ls_gate_match_candidate(ls_gate_state *g, const char **by);
/* The same for the reference, by name; false with an error. */
bool ls_gate_match_reference(ls_gate_state *g);
/* How many cases the listed sizes make, and with random ones as many as were asked for. */
uint32_t ls_gate_count_cases(const ls_gate_state *g);
/* The sizes of a case: the listed values in turn, then any of the range. */
void ls_gate_choose_sizes(const ls_gate_state *g, uint32_t number, ls_gate_name *names);
/* The arguments of a case; false with an error. */
bool ls_gate_arguments(ls_gate_state *g, ls_gate_case *c, const ls_gate_name *names, uint64_t seed,
                       ls_arena *arena);
/* Its launch; what the kernel's file says of it where nothing else does. False with an error. */
bool ls_gate_launch_of(ls_gate_state *g, const ls_gate_kernel *k, ls_gate_case *c, const ls_gate_name *names,
                       bool is_candidate);
/* A number that looks random, from one that is not. */
uint64_t ls_gate_mix(uint64_t x);

#endif
