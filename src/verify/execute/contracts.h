/* What functions promise. */
#ifndef LS_VERIFY_EXECUTE_CONTRACTS_H
#define LS_VERIFY_EXECUTE_CONTRACTS_H

#include "verify/proof.h"

/* A promise of a function (__ensures), and its end: claims of what was promised; true where there are none.
 */
void ls_promise_made(ls_state *s, const ls_ir_instr *instr, const ls_term *holds);
const ls_term *ls_promises_kept(ls_state *s, const ls_node *node, const ls_ir_instr *instr);
void ls_check_promises(ls_proof *p);

#endif
