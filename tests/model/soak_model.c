/* A long run of Theorem 5.2 (paper 000) on random kernels: soak_model [COUNT [FIRST-SEED]]. Every tenth
 * kernel is also explored literally (all interleavings) and in predicated form. Ends with status 1 at the
 * first disagreement, naming the seed. */
#include "base/pool.h"
#include "lockstep/model.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint64_t first;
    atomic_ullong done, correct, incorrect, inconclusive, disagree, states;
} soak;

static void compare(soak *s, uint64_t seed, const ls_model *model, const ls_model_result *with,
                    ls_model_semantics semantics, bool exhaustive) {
    ls_model_options how = {.max_states = 300000, .first_only = true, .exhaustive = exhaustive};
    ls_model_result *result = ls_model_explore(model, semantics, &how);
    atomic_fetch_add(&s->states, result->states);
    ls_model_agreement agreement = ls_model_compare(with, result);
    if (agreement == LS_MODEL_DISAGREE) {
        printf("seed %llu: interleaving and %s disagree\n", (unsigned long long)seed,
               exhaustive                         ? "its literal form"
               : semantics == LS_MODEL_PREDICATED ? "its predicated form"
                                                  : "lock-step");
        atomic_fetch_add(&s->disagree, 1);
    } else if (semantics == LS_MODEL_LOCKSTEP) {
        atomic_fetch_add(agreement == LS_MODEL_INCONCLUSIVE  ? &s->inconclusive
                         : with->verdict == LS_MODEL_CORRECT ? &s->correct
                                                             : &s->incorrect,
                         1);
    }
    ls_model_result_free(result);
}

static void one(void *context, uint32_t index) {
    soak *s = context;
    uint64_t seed = s->first + index;
    if (atomic_load(&s->disagree)) return;
    ls_model *model = ls_model_random(seed, 0);
    ls_model_options how = {.max_states = 300000, .first_only = true};
    ls_model_result *interleaving = ls_model_explore(model, LS_MODEL_INTERLEAVING, &how);
    atomic_fetch_add(&s->states, interleaving->states);
    compare(s, seed, model, interleaving, LS_MODEL_LOCKSTEP, false);
    if (seed % 10 == 0) {
        compare(s, seed, model, interleaving, LS_MODEL_PREDICATED, false);
        compare(s, seed, model, interleaving, LS_MODEL_INTERLEAVING, true);
    }
    ls_model_result_free(interleaving);
    ls_model_free(model);
    unsigned long long done = atomic_fetch_add(&s->done, 1) + 1;
    if (done % 10000 == 0) {
        printf("%llu kernels: correct %llu, incorrect %llu, inconclusive %llu, %llu states\n", done,
               s->correct, s->incorrect, s->inconclusive, s->states);
        fflush(stdout);
    }
}

int main(int argc, char **argv) {
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 100000;
    soak s = {.first = argc > 2 ? strtoull(argv[2], NULL, 0) : 1000000};
    ls_parallel_for(0, count, one, &s);
    printf(
        "%llu kernels from seed %llu: correct %llu, incorrect %llu, inconclusive %llu, disagree %llu, %llu "
        "states\n",
        s.done, (unsigned long long)s.first, s.correct, s.incorrect, s.inconclusive, s.disagree, s.states);
    return s.disagree ? 1 : 0;
}
