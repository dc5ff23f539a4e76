/* Textures as kernel arguments in text form. */
#ifndef LS_LAUNCH_TEXTURE_H
#define LS_LAUNCH_TEXTURE_H

#include "lockstep/emulate.h"

/* What "tex2d:f32[64,32]=iota" says: the texture without its data, the elements of the buffer that holds it,
 * and how that is filled (the text behind =, or an empty one). NULL where it is not of that form. */
const char *em_texture_spec(const char *spec, ls_texture *texture, ls_ptx_type *type, uint64_t *count);

#endif
