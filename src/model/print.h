/* Programs as text: kernels in the form that the parser reads; predicated and lock-step programs in the
 * paper's notation (000, Figures 5 and 7), where φ_t's v_t is written v_t, or v_active,t. */
#ifndef LS_MODEL_PRINT_H
#define LS_MODEL_PRINT_H

#include "base/buf.h"
#include "model/lang.h"

void ls_kprog_print(ls_buf *out, const ls_kprog *prog);
void ls_kblock_print(ls_buf *out, const ls_kprog *prog, uint32_t block);
void ls_kstmt_print(ls_buf *out, const ls_kprog *prog,
                    const ls_kstmt *stmt); /* without indentation, newline */
/* The label of one of the kernel's blocks, or End. */
const char *ls_klabel(const ls_kprog *prog, uint32_t block);

#endif
