/* What the text dump and the Graphviz dump share. */
#ifndef LS_IR_DUMP_H
#define LS_IR_DUMP_H

#include "base/buf.h"
#include "ir/private.h"

/* One instruction or phi as a line without its end; η of a loop that is left towards the block. */
void dump_instr(ls_buf *out, const ls_ir_function *f, const ls_ir_instr *instr, ls_ir_dump_kind kind);
void dump_phi(ls_buf *out, const ls_ir_function *f, const ls_ir_phi *phi, ls_ir_dump_kind kind);
void dump_eta(ls_buf *out, const ls_ir_function *f, const ls_ir_value *eta);
void dump_access(ls_buf *out, const ls_ir_function *f, const ls_ir_access *access);
/* The η values by the block in which each is shown, the first that its loop is left to. */
typedef struct {
    const ls_ir_value **items; /* of block b: items[start[b]] … items[start[b + 1] - 1] */
    uint32_t *start;
} eta_index;

eta_index eta_index_new(ls_arena *arena, const ls_ir_function *f);
void dump_position(ls_buf *out, const ls_place *pos);
/* What can be dumped of a function: no more than was built. */
ls_ir_dump_kind dump_limit(const ls_ir_function *f, ls_ir_dump_kind kind);

#endif
