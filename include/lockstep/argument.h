/* What the pointers point to that a launch gives a kernel: how much memory the host code has allocated there,
 * and which of them point into the memory of another one. */
#ifndef LOCKSTEP_ARGUMENT_H
#define LOCKSTEP_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>

/* In place of a parameter's number: the dynamic shared memory of the launch. */
#define LS_DYNAMIC_SHARED UINT32_MAX

typedef struct {
    uint32_t parameter; /* its number */
    uint32_t at;        /* the byte in it where the pointer is; 0 but in a structure */
    const char *bytes;  /* from the pointer on: an expression like those of the launch's facts */
    uint32_t line;      /* where it is allocated; 0 where not known */
    bool is_zero;       /* the host code has set all of it to zero, and nothing has written it since */
} ls_argument_memory;

/* A pointer of a launch that points into the memory of another one. */
typedef struct {
    uint32_t parameter, at; /* the pointer: its parameter's number, and the byte in that */
    uint32_t of, of_at;     /* the other one */
    const char *bytes;      /* how far behind the other one it points: an expression like those of the facts;
                               NULL: not known, or only at times into the same memory */
} ls_argument_inside;

/* The host code makes the launch again, and between the two launches nothing may have set some memory anew:
 * it holds what the first one has left there. */
typedef struct {
    const uint32_t *parameters; /* their numbers: memory behind these pointers */
    uint32_t parameter_count;
    bool variables;             /* variables of the device, too … */
    const char *const *renewed; /* … but not these, by the host's names, … */
    uint32_t renewed_count;
    const char *const *kernels; /* … nor those that one of these kernels writes, which are launched between */
    uint32_t kernel_count;
} ls_launch_again;

#endif
