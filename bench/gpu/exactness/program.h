/* Random PTX kernels, and one kernel for each instruction form (program.c; forms in vocabulary.c). */
#ifndef LS_EXACTNESS_PROGRAM_H
#define LS_EXACTNESS_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

/* What a template may do where. */
typedef enum {
    FORM_ANYWHERE,
    FORM_TOGETHER, /* all threads of the block must be there */
} form_place;

typedef struct {
    const char *text;
    form_place place;
} exact_form;

extern const exact_form exact_forms[];
extern const size_t exact_form_count;
/* Declared in front of the kernel: constants, functions. */
extern const char exact_prologue[];

/* Kernel n of the seed, of about `size` instructions. The caller frees it. */
char *exact_program(uint64_t seed, unsigned n, unsigned size);
/* Whether ptxas's optimiser may get the kernel wrong in a way that was seen on a GPU (doubt.c). */
int exact_is_doubtful(const char *ptx);
/* The kernel of the n-th instruction form, alternatives counted one by one; NULL behind the last. */
char *exact_single(uint64_t seed, unsigned n);

/* What the emulator makes of it: 0, or a message on stderr and 1. */
int exact_emulate(const char *ptx, const char *in, char *out);

#endif
