/* The linear filter of textures, bit for bit as an H200 has it. */
#ifndef LS_EMULATE_TEXTURE_FILTER_H
#define LS_EMULATE_TEXTURE_FILTER_H

#include "emulate/emulator.h"

enum { FILTER_ONE = 256, FILTER_MOST = 8 }; /* steps of a weight; neighbours */

/* A neighbour: its weight in steps (0: not used), and the texel's channel as a number and as it is stored. */
typedef struct {
    uint32_t weight;
    float value;
    int32_t stored;
} filter_term;

/* A normalised coordinate in texels; turns: how many times the array's width it is folded into, 0: not. */
double em_filter_coordinate(float x, uint32_t size, uint32_t turns);
/* The weights of the 2, 4 or 8 neighbours from those of the upper ones along each axis; bit k of a
 * neighbour's number says that it is the upper one along axis k. They add up to FILTER_ONE. */
void em_filter_weights(const uint32_t *upper, uint32_t dimensions, uint32_t *weights);
float em_filter_sum(const ls_texture *t, const filter_term *terms, uint32_t count);

#endif
