/* What a second pass over a region needs again, and what it is compared by besides shared memory. Internal to
 * src/detect. */
#ifndef LS_DETECT_SAVED_H
#define LS_DETECT_SAVED_H

#include "detect/instrument.h"

void dt_declare_saved(emitter *e);
void dt_declare_local(emitter *e);
/* Saves the region's registers, or restores them. */
void dt_emit_moves(emitter *e, const region *r, bool restore);
/* Saves all local memory, or restores it. */
void dt_copy_local(emitter *e, bool restore);
/* Adds to the sum of what the pass computes. */
void dt_emit_hash(emitter *e, const char *value);
void dt_emit_hash_register(emitter *e, const char *name, uint32_t bits);
void dt_emit_hash_of_live(emitter *e, const ls_ir_instr *instr);
void dt_emit_undefined(emitter *e);

#endif
