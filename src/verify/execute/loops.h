/* A loop that is being entered in an arbitrary iteration (loops.c). */
#ifndef LS_VERIFY_EXECUTE_LOOPS_H
#define LS_VERIFY_EXECUTE_LOOPS_H

#include "verify/proof.h"

typedef struct {
    const ls_term *init;   /* on entry */
    const ls_term *before; /* the symbol for it in the previous iteration, as that was executed */
    const ls_term *step;   /* what each iteration adds; NULL: not linear */
    bool traced;
    ls_term_list trace; /* constants, by number of iterations */
    int8_t shift;       /* bits by which each iteration shifts it to the left, or the right; 0: it does not */
    bool arithmetic;    /* … with its sign */
    uint32_t tail;      /* iterations in front of those in which its values come again */
    uint32_t period;    /* iterations after which its values, of which `trace` begins with one period, come
                           again; 0: not known */
    const ls_term *length;        /* it is moved by so much, or a multiple of it; NULL: it is not */
    const ls_term **added;        /* … so many times, by latch */
    uint64_t most_added;          /* … and at most so many */
    const ls_term *moves, *moved; /* … and so many times up to the arbitrary iteration, and the one before */
    const ls_term *now;           /* in the arbitrary iteration */
    const ls_term *was;           /* in the one before it */
} ls_loop_phi;

typedef struct {
    ls_state *s;
    const ls_ir_loop *loop;
    ls_state *previous;
    uint32_t first_symbol; /* of the previous iteration: those before it do not change in the loop */
    ls_ways latches;       /* of the previous iteration */
    ls_loop_phi *phis;
    uint32_t count;
    int64_t most;         /* iterations that can be gone through; -1: no bound is known */
    const ls_term *turns; /* at most so many where it is a multiple of the stride, by that; NULL: not known */
    uint64_t stride;
    const ls_term *k;
    const ls_term *enters; /* the condition on which the loop is entered */
} ls_loop_entry;

/* The term is the same in all iterations. */
bool ls_is_loop_invariant(const ls_loop_entry *entry, const ls_term *term);
/* turns.c: `most` and `turns`, of loops whose steps are known; and what follows for k. */
void ls_bound_iterations(ls_loop_entry *entry);
const ls_term *ls_turns_fact(const ls_loop_entry *entry);
/* geometric.c: values that are shifted, where few iterations can be gone through; after k of them. Needs the
 * latches. */
void ls_find_geometric(ls_loop_entry *entry);
const ls_term *ls_geometric_value(const ls_loop_entry *entry, const ls_loop_phi *phi, const ls_term *k);
/* periods.c: values that come again, after the iterations gone through or one less. Needs the latches. */
void ls_find_periods(ls_loop_entry *entry);
const ls_term *ls_periodic_value(const ls_loop_entry *entry, const ls_loop_phi *phi, bool previous);
/* moves.c: values that are moved by steps of one length. Needs the latches; the symbols for numbers of moves;
 * what is known of them, once the latches are in terms of the previous iteration's values (`subst`). */
void ls_find_moves(ls_loop_entry *entry);
void ls_make_moves(ls_loop_entry *entry, ls_loop_phi *phi, const ls_term *now, const ls_term *was);
void ls_add_moves(const ls_loop_entry *entry, const ls_loop_phi *phi, ls_subst *subst);
/* houdini.c: facts of the values that are neither linear nor traced. Needs the latches in terms of `was`. */
void ls_find_invariants(ls_loop_entry *entry);
typedef struct { /* what that has taken, and found */
    double seconds;
    uint32_t tried, found;
} ls_invariants;
ls_invariants *ls_invariants_of(const ls_proof *p);

void ls_enter_loop(ls_state *s, const ls_ir_loop *loop, const ls_ways *entries);

#endif
