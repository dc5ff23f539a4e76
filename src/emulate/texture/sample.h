/* Textures and surfaces as plain arrays. */
#ifndef LS_EMULATE_TEXTURE_SAMPLE_H
#define LS_EMULATE_TEXTURE_SAMPLE_H

#include "emulate/decode/decode.h"

typedef enum {
    SAMPLE_TEX,
    SAMPLE_GATHER,
    SAMPLE_QUERY,
    SURFACE_LOAD,
    SURFACE_STORE,
    SURFACE_REDUCE
} sample_kind;

typedef struct {
    uint8_t kind;       /* sample_kind */
    uint8_t dimensions; /* 1, 2, 3 */
    bool layered;       /* a1d, a2d, acube: the first coordinate is the layer */
    bool cube;          /* three coordinates choose one of six faces and a place on it */
    bool integer;       /* tex: coordinates are s32 */
    uint8_t component;  /* tld4 */
    uint8_t type;       /* of an element of the result or value: ls_ptx_type */
    uint8_t count;      /* elements */
    uint16_t bounds;    /* surfaces: LS_MOD_TRAP, CLAMP, ZERO */
    uint16_t what;      /* queries: the modifier; reductions: the atomic_op */
    operand handle, coordinate[4], value[4], level;
    bool has_level, has_resident;
    operand resident;
} sample_info;

/* What a texture gives at coordinates (unused ones 0), as the bits of four elements of the type. */
void em_sample(const ls_texture *t, const sample_info *x, uint32_t layer, const float *at,
               const int32_t *whole, uint32_t *out);

const insn *em_exec_sample(warp *w, const insn *i);
const insn *em_exec_surface(warp *w, const insn *i);
/* False where the form is not modelled. */
bool em_decode_sample(decoder *d);

#endif
