/* Memory-adaptive rounds (002, §4.5, Equation 1, Table I): how often a launch has to be repeated where there
 * is memory for fewer private copies than there are warps. Units are numbered; a round compares those that
 * differ in one digit of their number to the base of `copies`, highest digit first. Two units that share a
 * copy in a later round either differ in a digit that was compared already, or are told apart later. */
#include "lockstep/detect.h"

#include <math.h>

uint32_t ls_detect_rounds(uint64_t units, uint64_t copies) {
    if (units < 2 || copies < 2) return 0;
    uint32_t rounds = 0;
    for (uint64_t left = units - 1; left; left /= copies) rounds++; /* digits of the highest number */
    return rounds;
}

double ls_detect_probability(uint64_t units, uint64_t copies, uint32_t rounds) {
    if (units < 2) return 1;
    if (copies < 2 || rounds == 0) return 0;
    double n = (double)units, unresolved = pow((double)copies, -(double)rounds);
    double found = n * (1 - unresolved) / (n - 1);
    return found < 1 ? found : 1;
}

uint64_t ls_detect_divisor(uint64_t copies, uint32_t rounds, uint32_t round) {
    uint64_t divisor = 1;
    for (uint32_t k = round + 1; k < rounds; k++) divisor *= copies;
    return divisor;
}
