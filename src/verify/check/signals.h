/* What handing over is made of: flags and what is written to them, fences, barriers (signals.c). */
#ifndef LS_VERIFY_CHECK_SIGNALS_H
#define LS_VERIFY_CHECK_SIGNALS_H

#include "isa/order.h"
#include "verify/proof.h"

/* --- Flags --- */
/* A strong read, or an atomic operation, of one place in global memory, whose result is known by name. */
bool ls_is_flag(const ls_proof *p, const ls_event *e);
/* The same in any memory, whatever it holds before the launch. */
bool ls_is_lockable(const ls_event *e);
/* How an access stands to the memory that a flag is in. */
typedef enum {
    LS_FLAG_APART, /* another object, or it writes nothing */
    LS_FLAG_KEPT,  /* it writes what it has read, in one step */
    LS_FLAG_SET,   /* it writes *value, if it writes */
    LS_FLAG_OTHER,
} ls_flag_use;
ls_flag_use ls_flag_access(const ls_proof *p, const ls_event *w, const ls_event *flag, uint64_t *value);
/* It adds one to what it reads, as long as that is no more than `most`. */
bool ls_is_increment(ls_proof *p, const ls_event *e, const ls_term *most);
/* What the access has read; NULL: it has no result. */
const ls_term *ls_value_read(ls_proof *p, const ls_event *e);
/* Proofs take it that the flag is 0 before the launch. */
void ls_assume_zero(ls_proof *p, const ls_ir_base *flag);
/* Says in the scope of which ones. */
void ls_tell_zeros(ls_proof *p);

/* --- Questions about one thread, which is where `e` is --- */
bool ls_may_equal(ls_proof *p, const ls_event *e, const ls_term *known, const ls_term *read, uint64_t value);
bool ls_is_implied(ls_proof *p, const ls_event *e, const ls_term *known, const ls_term *claim);

/* --- Fences and barriers --- */
/* Strong, and others that far away see it so. */
bool ls_is_signal(const ls_event *e, ls_reach between);
bool ls_has_fences(const ls_proof *p);
/* Every way from the one to the other passes a fence that releases (acquires), or the access that is to be
 * released with (acquired) does so by itself. */
bool ls_is_released(const ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to, ls_reach between);
bool ls_is_acquired(const ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to, ls_reach between);
/* The barrier of the whole block at which the node ends, passed once; NULL: none. */
const ls_ir_instr *ls_block_barrier(const ls_proof *p, const ls_node *n);
/* One that everybody passes before the second, and behind which the first does not come again. */
const ls_ir_instr *ls_barrier_between(const ls_proof *p, const ls_ir_instr *first, const ls_ir_instr *then);
/* Who was at the first reaches the second, unless it reaches the first again. */
bool ls_must_pass(const ls_proof *p, const ls_ir_instr *from, const ls_ir_instr *to);
/* The access in the kernel as a whole; NULL: there are several of it. */
const ls_event *ls_whole_event(const ls_proof *p, const ls_event *e);

#endif
