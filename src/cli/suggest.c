/* "Did you mean": the nearest of a list of names by edit distance with transpositions (optimal string
 * alignment), where it is near enough to be a slip of the fingers. */
#include "cli/cli.h"

#include <string.h>

enum { LONGEST = 63 };

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

static uint32_t distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST) return UINT32_MAX;
    uint32_t rows[3][LONGEST + 1]; /* the current row and the two before it, in turn */
    for (uint32_t j = 0; j <= m; j++) rows[0][j] = j;
    for (uint32_t i = 1; i <= n; i++) {
        uint32_t *now = rows[i % 3], *before = rows[(i - 1) % 3], *two_before = rows[(i + 1) % 3];
        now[0] = i;
        for (uint32_t j = 1; j <= m; j++) {
            uint32_t change = before[j - 1] + (a[i - 1] != b[j - 1]);
            now[j] = least(change, least(before[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], two_before[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *ls_nearest(const char *given, const char *const *names) {
    const char *nearest = NULL;
    uint32_t best = least(3, (uint32_t)(strlen(given) + 2) / 3 + 1);
    for (; *names; names++) {
        uint32_t d = distance(given, *names);
        if (d < best) best = d, nearest = *names;
    }
    return nearest;
}
