/* Quasi-random generators of cuRAND's host interface (libraries/curand_quasi.c). */
#ifndef LS_LIBRARIES_CURAND_QUASI_H
#define LS_LIBRARIES_CURAND_QUASI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { QUASI_DEFAULT = 200, QUASI_32 = 201, QUASI_SCRAMBLED_32, QUASI_64, QUASI_SCRAMBLED_64 };

/* What is made of random numbers. */
typedef enum {
    FORM_WORD,
    FORM_LONG,
    FORM_FLOAT,
    FORM_DOUBLE,
    FORM_NORMAL,
    FORM_NORMAL_DOUBLE,
    FORM_LOG_NORMAL,
    FORM_LOG_NORMAL_DOUBLE,
    FORM_POISSON,
} random_form;

static inline bool quasi_is(int type) {
    return type >= QUASI_DEFAULT && type <= QUASI_SCRAMBLED_64;
}
static inline bool quasi_is_64(int type) {
    return type == QUASI_64 || type == QUASI_SCRAMBLED_64;
}

/* So many results, `each` of every dimension, from that place of its sequence on. */
typedef struct {
    int type;
    random_form form;
    uint32_t dimensions;
    uint64_t first, each;
    double parameters[2]; /* mean and deviation, or Poisson's lambda */
} quasi_request;

/* False where there is no memory for it. */
bool quasi_generate(const quasi_request *r, void *out);
/* The number of events that Poisson's distribution has at a place between 0 and 1. */
uint32_t quasi_poisson(double mean, double at);

#endif
