/* Memory that a pointer parameter of a kernel points to at a launch, as the host code allocates it. */
#ifndef LOCKSTEP_ARGUMENT_H
#define LOCKSTEP_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>

/* In place of a parameter's number: the dynamic shared memory of the launch. */
#define LS_DYNAMIC_SHARED UINT32_MAX

typedef struct {
    uint32_t parameter; /* its number */
    const char *bytes;  /* from the pointer on: an expression like those of the launch's facts */
    uint32_t line;      /* where it is allocated; 0 where not known */
    bool is_zero;       /* the host code has set all of it to zero, and nothing has written it since */
} ls_argument_memory;

#endif
