/* Theorem 5.2 of paper 000 on random kernels: race free and terminating by interleaving if and only if in
 * lock-step, with the same shared stores at the end. Also: interleaving of the predicated kernel (Theorem
 * 5.5), the reduced exploration against the literal one, the sort order's two conditions, and, so that it is
 * known that this test can fail, faults put into the construction, each of which must be noticed. */
#include "kernel_test.h"

#include "model/explore.h"
#include "model/normal.h"
#include "model/predicate.h"
#include "model/random.h"

typedef struct {
    ls_kprog *kernel, *predicated, *lockstep;
    ls_cfg *cfg;
} forms;

static forms forms_of(uint64_t seed) {
    forms f = {.kernel = ls_kernel_random(seed, 0)};
    uint32_t block;
    assert_true(ls_kernel_normalise(f.kernel, NULL));
    assert_int_equal(ls_kernel_well_formed(f.kernel, &block), LS_KWELL_FORMED);
    f.cfg = ls_kprog_cfg(f.kernel);
    f.predicated = ls_kernel_predicate(f.kernel, f.cfg);
    f.lockstep = ls_kernel_lockstep(f.predicated);
    return f;
}

static void free_forms(forms *f) {
    ls_cfg_free(f->cfg);
    ls_kctx_free(f->kernel->ctx);
}

static ls_kexplored *explore(const ls_kprog *prog, bool reduce, uint64_t max_states) {
    ls_kexplore_options options = {.reduce = reduce, .first_only = true, .max_states = max_states};
    return ls_kernel_explore(prog, &options);
}

/* ---- The theorem --------------------------------------------------------------------------------------- */

static void both_semantics_agree(void **state) {
    (void)state;
    uint32_t correct = 0, incorrect = 0, inconclusive = 0, rules[LS_KRULE_COUNT] = {0};
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        forms f = forms_of(seed);
        ls_kexplored *a = explore(f.kernel, true, 10000), *b = explore(f.lockstep, true, 10000);
        ls_kagreement agreement = ls_kexplored_compare(a, b);
        if (agreement == LS_KDISAGREE)
            print_error("the semantics disagree on random kernel %u\n", (unsigned)seed);
        assert_int_not_equal(agreement, LS_KDISAGREE);
        if (agreement == LS_KINCONCLUSIVE)
            inconclusive++;
        else if (a->findings.length)
            incorrect++, rules[a->findings.items[0].rule]++;
        else
            correct++;
        ls_kexplored_free(a);
        ls_kexplored_free(b);
        free_forms(&f);
    }
    print_message("correct %u, incorrect %u (assert %u, barrier %u, bounds %u, race %u, termination %u), "
                  "inconclusive %u\n",
                  correct, incorrect, rules[LS_KRULE_ASSERT], rules[LS_KRULE_BARRIER], rules[LS_KRULE_BOUNDS],
                  rules[LS_KRULE_RACE], rules[LS_KRULE_TERMINATION], inconclusive);
    /* the sample must be a fair one */
    assert_true(correct > 900 && incorrect > 300 && inconclusive < 300);
    for (int rule = LS_KRULE_ASSERT; rule < LS_KRULE_COUNT; rule++) assert_true(rules[rule] > 0);
}

/* Literal interleaving and the interleaving of π(P) are much larger: fewer kernels. */
static void predication_and_reduction_change_nothing(void **state) {
    (void)state;
    uint32_t conclusive = 0;
    for (uint64_t seed = 10001; seed <= 10400; seed++) {
        forms f = forms_of(seed);
        ls_kexplored *reduced = explore(f.kernel, true, 5000), *literal = explore(f.kernel, false, 20000);
        ls_kexplored *predicated = explore(f.predicated, true, 20000);
        assert_int_not_equal(ls_kexplored_compare(reduced, literal), LS_KDISAGREE);
        assert_int_not_equal(ls_kexplored_compare(reduced, predicated), LS_KDISAGREE);
        conclusive += ls_kexplored_compare(reduced, literal) == LS_KAGREE;
        ls_kexplored_free(reduced);
        ls_kexplored_free(literal);
        ls_kexplored_free(predicated);
        free_forms(&f);
    }
    assert_true(conclusive > 250);
}

static void sort_orders_are_sort_orders(void **state) {
    (void)state;
    uint32_t loops = 0, nested = 0, back_edges = 0, ends_two = 0;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        forms f = forms_of(seed);
        assert_true(ls_cfg_is_sort_order(f.cfg, f.cfg->position));
        for (uint32_t i = 0; i < f.cfg->loops.length; i++) {
            const ls_cfg_loop *loop = &f.cfg->loops.items[i];
            assert_int_equal(f.cfg->innermost[loop->header], i);
            loops++;
            nested += loop->depth > 1;
            back_edges += loop->back_edges > 1;
            ends_two += loop->parent != LS_GRAPH_NONE && f.cfg->loops.items[loop->parent].last == loop->last;
        }
        free_forms(&f);
    }
    print_message("%u loops, %u nested, %u with several back edges, %u ending where the outer loop ends\n",
                  loops, nested, back_edges, ends_two);
    assert_true(nested > 300 && back_edges > 100 && ends_two > 20);
}

/* ---- Faults -------------------------------------------------------------------------------------------- */

typedef void (*fault)(forms *f);

static void for_each(forms *f, ls_kstmt_kind from, ls_kstmt_kind to) {
    for (uint32_t b = 0; b < f->lockstep->blocks.length; b++) {
        ls_kblock *block = &f->lockstep->blocks.items[b];
        for (uint32_t i = 0; i < block->stmts.length; i++)
            if (block->stmts.items[i].kind == from) block->stmts.items[i].kind = (uint8_t)to;
    }
}

static void no_barrier_assertions(forms *f) {
    for_each(f, LS_KS_BARRIER_ASSERT, LS_KS_SKIP);
}

static void all_must_go_back(forms *f) {
    for_each(f, LS_KS_ASSUME_ANY, LS_KS_ASSUME_ALL);
}

static void asserts_assumed(forms *f) {
    for_each(f, LS_KS_ASSERT_ALL, LS_KS_ASSUME_ALL);
}

static void unguarded_branches(forms *f) {
    for (uint32_t b = 0; b < f->lockstep->blocks.length; b++) {
        ls_kblock *block = &f->lockstep->blocks.items[b];
        for (uint32_t i = 0; block->source != LS_GRAPH_NONE && i < block->stmts.length; i++)
            if (block->stmts.items[i].kind == LS_KS_ASSUME_ALL) block->stmts.items[i].kind = LS_KS_SKIP;
    }
}

static void unpredicated_writes(forms *f) {
    for (uint32_t b = 0; b < f->lockstep->blocks.length; b++) {
        ls_kblock *block = &f->lockstep->blocks.items[b];
        for (uint32_t i = 0; i < block->stmts.length; i++)
            if (block->stmts.items[i].kind == LS_KS_PSI) block->stmts.items[i].pred = NULL;
    }
}

/* Table 2 read as if a block could be the last of one loop only. */
static void only_inner_loop_closed(forms *f) {
    for (uint32_t b = 0; b < f->lockstep->blocks.length; b++) {
        ls_kblock *block = &f->lockstep->blocks.items[b];
        if (block->source == LS_GRAPH_NONE && block->targets.length == 2) {
            block->targets.items[0] = block->targets.items[1];
            block->targets.length = 1;
        }
    }
}

/* A topological order that is not contiguous on loops: blocks outside come as early as they can. */
static void find_early_order(const forms *f, uint32_t *order) {
    const ls_cfg *cfg = f->cfg;
    bool placed[256] = {false};
    assert_true(cfg->block_count <= 256);
    for (uint32_t count = 0; count < cfg->rpo_count; count++) {
        uint32_t best = LS_GRAPH_NONE, best_depth = UINT32_MAX;
        for (uint32_t i = 0; i < cfg->rpo_count; i++) {
            uint32_t block = cfg->rpo[i], loop = cfg->innermost[block];
            uint32_t depth = loop == LS_GRAPH_NONE ? 0 : cfg->loops.items[loop].depth;
            bool ready = !placed[block] && depth < best_depth;
            for (uint32_t p = 0; p < cfg->rpo_count && ready; p++) {
                const ls_kblock *from = &f->kernel->blocks.items[cfg->rpo[p]];
                for (uint32_t k = 0; k < from->targets.length; k++)
                    if (from->targets.items[k] == block && !ls_cfg_dominates(cfg, block, cfg->rpo[p]))
                        ready &= placed[cfg->rpo[p]];
            }
            if (ready) best = block, best_depth = depth;
        }
        placed[best] = true;
        order[count] = best;
    }
}

static void broken_sort_order(forms *f) {
    ls_cfg *cfg = f->cfg;
    find_early_order(f, cfg->order);
    for (uint32_t i = 0; i < cfg->rpo_count; i++) cfg->position[cfg->order[i]] = i;
    for (uint32_t l = 0; l < cfg->loops.length; l++)
        for (uint32_t i = 0; i < cfg->rpo_count; i++)
            if (ls_cfg_in_loop(cfg, l, cfg->order[i])) cfg->loops.items[l].last = cfg->order[i];
    f->predicated = ls_kernel_predicate(f->kernel, cfg);
    f->lockstep = ls_kernel_lockstep(f->predicated);
}

static uint32_t count_disagreements(fault break_it) {
    uint32_t disagreements = 0;
    for (uint64_t seed = 1; seed <= 1500 && disagreements < 3; seed++) {
        forms f = forms_of(seed);
        break_it(&f);
        ls_kexplored *a = explore(f.kernel, true, 3000), *b = explore(f.lockstep, true, 3000);
        disagreements += ls_kexplored_compare(a, b) == LS_KDISAGREE;
        ls_kexplored_free(a);
        ls_kexplored_free(b);
        free_forms(&f);
    }
    return disagreements;
}

static void faults_are_noticed(void **state) {
    (void)state;
    static const struct {
        const char *name;
        fault break_it;
    } faults[] = {{"no barrier assertions", no_barrier_assertions},
                  {"loop goes back only if all threads do", all_must_go_back},
                  {"asserts assumed", asserts_assumed},
                  {"unguarded branches", unguarded_branches},
                  {"unpredicated writes", unpredicated_writes},
                  {"only the inner of two loops closed", only_inner_loop_closed},
                  {"sort order not contiguous on loops", broken_sort_order}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        uint32_t found = count_disagreements(faults[i].break_it);
        if (found < 3) print_error("%s: %u disagreements\n", faults[i].name, found);
        assert_int_equal(found, 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_semantics_agree),
        cmocka_unit_test(predication_and_reduction_change_nothing),
        cmocka_unit_test(sort_orders_are_sort_orders),
        cmocka_unit_test(faults_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
