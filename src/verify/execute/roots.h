/* Pointers that are read from memory. */
#ifndef LS_VERIFY_EXECUTE_ROOTS_H
#define LS_VERIFY_EXECUTE_ROOTS_H

#include "verify/query/query.h"

/* Needs the IR alone; leaves what ls_first_base says. */
void ls_find_roots(ls_proof *p);
/* Its pointer is read from memory, from a place that is known. */
bool ls_has_root(const ls_proof *p, const ls_ir_base *base);
/* The two bases are one object, or may be. */
bool ls_same_object(const ls_proof *p, const ls_ir_base *a, const ls_ir_base *b);
/* The same number for all bases that are one object, or may be. */
uint32_t ls_object_number(const ls_proof *p, const ls_ir_base *base);
/* The base that stands for all of its root. */
const ls_ir_base *ls_first_base(const ls_proof *p, const ls_ir_base *base);
/* What stands for the address of the memory that a pointer from memory points to; NULL: it has no root. */
const ls_term *ls_root_address(ls_proof *p, const ls_ir_base *base);
/* What that memory is called in messages; NULL where it has no root. */
const char *ls_root_name(ls_proof *p, const ls_ir_base *base);
/* Puts the address in terms of its root, with the places; none where that cannot be done. */
void ls_trace_pointer(const ls_state *s, ls_event *e);
/* claims that the pointers of both were read from the same places. */
void ls_query_places(ls_query *q, const ls_event *a, const ls_event *b);

#endif
