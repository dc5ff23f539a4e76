/* Video instructions: one table row a form, for the decoder and the tests. */
#ifndef LS_EMULATE_VIDEO_H
#define LS_EMULATE_VIDEO_H

#include "emulate/decode/decode.h"

enum { VIDEO_PLAIN = 0xff }; /* no part of a register is selected */

typedef struct {
    uint16_t op;          /* of the scalar form: LS_OP_VADD for vadd2 and vadd4, too */
    uint8_t lanes;        /* 1, 2 or 4 */
    bool is_signed[3];    /* d, a, b */
    uint8_t part[3];      /* scalar forms: of d, a, b: 0–3 bytes, 4, 5 halves, VIDEO_PLAIN */
    uint8_t select[2][4]; /* SIMD forms: which of the parts of a (0 …) and b (lanes …) */
    uint8_t mask;         /* SIMD forms: the parts of d that are written */
    bool saturate, wrap, add, plus_one;
    bool negate[3];   /* vmad: a, b, c */
    uint8_t shift;    /* vmad: 0, 7, 15 */
    uint16_t second;  /* LS_MOD_ADD, MIN, MAX, or 0 */
    uint16_t compare; /* vset */
    operand d, src[3];
    bool has_c;
} video_info;

uint32_t em_video_lane(const video_info *x, uint32_t a, uint32_t b, uint32_t c);
const insn *em_exec_video(warp *w, const insn *i);
/* False where the form is not modelled. */
bool em_decode_video(decoder *d);

#endif
