/* How an instruction takes part in PTX's memory model (PTX manual, "Memory Consistency Model"): whether an
 * access is strong, which threads its scope includes, whether it or a fence releases or acquires; and the one
 * rule that says which accesses need nothing between them. */
#ifndef LS_ISA_ORDER_H
#define LS_ISA_ORDER_H

#include "lockstep/ptx.h"

/* A set of threads: the scope of an access or fence, or the smallest set that has two given threads in it. */
typedef enum {
    LS_REACH_THREAD, /* scope: that of a weak access, which has none */
    LS_REACH_WARP,   /* only of two threads: there is no such scope */
    LS_REACH_BLOCK,
    LS_REACH_CLUSTER,
    LS_REACH_GPU,
    LS_REACH_SYSTEM,
} ls_reach;

typedef struct {
    bool strong; /* volatile, relaxed, acquire, release, atomic …: not weak */
    bool atomic; /* reads and writes in one step */
    bool is_volatile;
    bool acquires, releases; /* by itself, without a fence; of a fence: what it is good for */
    ls_reach scope;
    uint8_t bytes; /* of one element: vectors and packed types are as many accesses; 0: of a fence */
} ls_order;

/* Of a load, store, atomic operation, fence or operation on an mbarrier; anything else is weak. */
ls_order ls_order_of(const ls_ptx_form *form);
/* Only whether it is strong, which takes less time. */
bool ls_is_strong(const ls_ptx_form *form);
/* Whether two accesses that overlap do not race although nothing orders them: both are strong, the scope of
 * each includes the other's thread, and they are of the same size, so that they overlap completely. Not so
 * volatile accesses to shared memory by lanes of one warp: code that has them takes it for granted that the
 * warp executes in lock-step, as it does not. */
bool ls_morally_strong(const ls_order *a, const ls_order *b, ls_reach between, bool shared);

#endif
