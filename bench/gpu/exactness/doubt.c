/* Which kernels to leave out when results are compared with ptxas's optimiser on. Of 3000 random kernels it
 * changed the results of seven, whose shape is looked for here; without the optimiser all are compared.
 * - A byte or half that was loaded with its sign is converted to a float as an unsigned number: the optimiser
 *   takes it for negative still.
 * - A predicate is written in a loop that lanes leave at different times: what one iteration gives the next,
 * or the code behind the loop, is at times lost. */
#include "program.h"

#include <ctype.h>
#include <string.h>

static int has(const char *text, size_t length, const char *what) {
    size_t n = strlen(what);
    for (size_t k = 0; k + n <= length; k++)
        if (!memcmp(text + k, what, n)) return 1;
    return 0;
}

/* The first operands of an instruction, up to its first comma: its destinations. */
static int writes_predicate(const char *text, size_t length) {
    const char *end = text + length, *at = text;
    while (at < end && (isspace((unsigned char)*at) || *at == '{')) at++;
    if (at < end && *at == '@')
        while (at < end && !isspace((unsigned char)*at)) at++;
    while (at < end && isspace((unsigned char)*at)) at++;
    while (at < end && !isspace((unsigned char)*at)) at++; /* the opcode */
    const char *comma = at < end ? memchr(at, ',', (size_t)(end - at)) : NULL;
    return comma && has(at, (size_t)(comma - at), "%p");
}

static int converts_unsigned(const char *text, size_t length) {
    static const char *const from[] = {"32.u8 ",  "32.u16 ", "32.u32 ", "32.u64 ",  "64.u8 ",   "64.u16 ",
                                       "64.u32 ", "64.u64 ", "f16.u8 ", "f16.u16 ", "f16.u32 ", "f16.u64 "};
    if (!has(text, length, "cvt.r")) return 0;
    for (size_t k = 0; k < sizeof from / sizeof *from; k++)
        if (has(text, length, from[k])) return 1;
    return 0;
}

int exact_is_doubtful(const char *ptx) {
    int loops = 0, extended = 0;
    while (*ptx) {
        size_t line = strcspn(ptx, "\n"), length = strcspn(ptx, ";\n");
        const char *bra = has(ptx, line, "bra L") ? ptx : NULL;
        if (*ptx == 'L' && isdigit((unsigned char)ptx[1])) loops++;
        if (loops && writes_predicate(ptx, length)) return 1;
        if (extended && converts_unsigned(ptx, length)) return 1;
        extended |= has(ptx, length, "ld.") && (has(ptx, length, ".s8 ") || has(ptx, length, ".s16 "));
        if (bra && length == line - 1) loops--;
        ptx += length + (ptx[length] != 0);
    }
    return 0;
}
