/* OpenCL's images (images.c). */
#ifndef LS_VERIFY_CHECK_IMAGES_H
#define LS_VERIFY_CHECK_IMAGES_H

#include "verify/proof.h"

void ls_image_access(ls_state *s, const ls_node *n, const ls_ir_instr *call, const ls_term *path);
/* What read_image… gives, one part of it; NULL: anything. */
const ls_term *ls_image_value(ls_state *s, const ls_ir_instr *call, uint32_t result, uint32_t width);

#endif
