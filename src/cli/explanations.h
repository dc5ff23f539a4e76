/* What each rule means, by example (explanations.c). */
#ifndef LS_CLI_EXPLANATIONS_H
#define LS_CLI_EXPLANATIONS_H

#include "lockstep/report.h"

typedef struct {
    const char *command; /* that finds it, with its options: "verify" */
    const char *wrong;   /* a file in which the rule is found */
    const char *right;   /* the same without */
    const char *mend;    /* how to get from the one to the other */
} ls_explanation;

/* Never NULL for a rule of the table. */
const ls_explanation *ls_explanation_of(ls_rule rule);

#endif
