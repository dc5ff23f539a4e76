/* Elements that are the same but for rounding (compare.h). */
#include "launch/compare.h"

#include "lockstep/launch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double ls_emu_number(ls_ptx_type type, const void *at) {
    char text[64];
    ls_emu_element(type, at, text, sizeof text);
    return strtod(text, NULL);
}

bool ls_emu_same(ls_ptx_type type, const void *a, const void *b, double relative, double absolute) {
    if (!memcmp(a, b, ls_ptx_type_bits(type) / 8)) return true;
    if (ls_ptx_type_kind_of(type) != LS_KIND_FLOAT) return false;
    double x = ls_emu_number(type, a), y = ls_emu_number(type, b);
    return (x != x && y != y) || fabs(x - y) <= absolute + relative * fmax(fabs(x), fabs(y));
}
