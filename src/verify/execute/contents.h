/* What memory holds, as one thread sees it. */
#ifndef LS_VERIFY_EXECUTE_CONTENTS_H
#define LS_VERIFY_EXECUTE_CONTENTS_H

#include "verify/proof.h"

/* Needs `written` and the symbols; leaves which memory is followed. */
void ls_find_tracked(ls_proof *p);
/* A store that is executed; a barrier that is passed; a loop that is entered in an arbitrary iteration; an
 * execution that starts behind a barrier (NULL: at the entry). */
void ls_memory_store(ls_state *s, const ls_ir_instr *i);
void ls_memory_barrier(ls_state *s, const ls_node *node, const ls_term *path);
void ls_memory_loop(ls_state *s, const ls_ir_loop *loop, const ls_term *when);
void ls_memory_start(ls_state *s, const ls_node *anchor);
/* An execution that starts at a block before which anything may have been stored. */
void ls_memory_forget(ls_state *s, const ls_ir_block *block);
/* What a load gives; NULL where that is not followed. */
const ls_term *ls_memory_load(const ls_state *s, const ls_ir_access *a, const ls_term *address,
                              uint32_t width);
/* The term is what global memory (or the thread's own) held when the kernel started; the symbol stands for
 * the thread's own memory. */
bool ls_is_initial(ls_proof *p, const ls_term *term, bool own);
bool ls_is_own(ls_proof *p, const ls_term *symbol);
/* What the thread sees at an address of an object, from a place in a block on. NULL: not followed. */
const ls_term *ls_memory_peek(const ls_state *s, const ls_ir_block *block, const ls_ir_base *base,
                              const ls_term *address, uint32_t bytes);

#endif
