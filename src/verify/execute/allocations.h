/* Sizes of memory that the host code allocates for a launch's pointers. */
#ifndef LS_VERIFY_EXECUTE_ALLOCATIONS_H
#define LS_VERIFY_EXECUTE_ALLOCATIONS_H

#include "verify/execute/assume.h"

/* Those of the options that hang together with the launch become sizes. */
void ls_assume_allocations(ls_proof *p);
/* All that decides on the conditions, but for the thread, is a constant or follows from what the size is
 * computed from: so that where they hold the program is wrong, and not what it was given. */
bool ls_launch_settles(ls_proof *p, const ls_sized *size, const ls_term_list *conditions);
/* The symbol follows from what the size is computed from. */
bool ls_is_settled(const ls_sized *size, const ls_term *symbol);
/* A symbol, or a value that was loaded, which decides as well; NULL: there is none. Without a size, it is
 * what does not follow from constants of the host code. */
const ls_term *ls_left_open(ls_proof *p, const ls_sized *size, const ls_term_list *conditions);
/* For a few accesses to each memory, a solver is asked where the search for one that leaves it has found
 * none. */
bool ls_is_worth_asking(const ls_sized *size);
/* It was shown that an access does not stay within. */
void ls_leave_broken(const ls_sized *size);
/* It was not shown that accesses stay within. */
void ls_leave_open(ls_proof *p, const ls_sized *size);
/* What the launch says of a pointer, a parameter or a part of one, that points into the memory of another;
 * and how far behind that one it points, in 64 bits. NULL: nothing. */
const ls_argument_inside *ls_find_inside(ls_proof *p, uint32_t object, uint64_t at, const ls_term **distance);
/* Lines of the scope. */
void ls_tell_allocations(ls_proof *p);
/* The memory that a parameter points to holds zeros before the launch: the host code has set it so. */
bool ls_is_zeroed(const ls_proof *p, const ls_ir_base *base);

#endif
