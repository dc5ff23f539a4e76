/* What a proof may have needed to assume, beside what it is told: one row each, with the few words for the
 * line of the verdict and the sentence for its scope. */
#ifndef LS_VERIFY_ASSUMED_H
#define LS_VERIFY_ASSUMED_H

#include <stdint.h>

#define LS_ASSUMPTIONS(ROW)                                                                                  \
    ROW(NO_OVERFLOW, "assumes that index arithmetic does not overflow",                                      \
        "assumes that index arithmetic does not overflow (--overflow exact drops this assumption)")          \
    ROW(INSIDE, "assumes that accesses stay in their arrays",                                                \
        "assumes that accesses whose indices depend on parameters or data stay in their arrays (--bounds "   \
        "checks those of known size)")                                                                       \
    ROW(TEXTURES, "assumes that textures are not written",                                                   \
        "assumes that the kernel does not write the memory that its textures read")                          \
    ROW(DIVISORS, "assumes that no remainder is taken with a divisor of zero",                               \
        "assumes that no remainder is taken with a divisor of zero (--div0 checks this)")                    \
    ROW(COUNTERS, "assumes that atomic counters do not overflow",                                            \
        "assumes that atomic counters do not overflow")                                                      \
    ROW(ENUMS, "assumes that enum parameters have declared values",                                          \
        "assumes that a parameter of an enum type has one of the declared values, or a combination of "      \
        "their "                                                                                             \
        "bits where the values leave gaps")                                                                  \
    ROW(TABLES, "assumes that tables of functions hold what they are declared with",                         \
        "assumes that the host code does not change variables that are declared with functions in them")

enum {
#define LS_ASSUMED_PLACE(name, brief, text) LS_ASSUMED_PLACE_##name,
    LS_ASSUMPTIONS(LS_ASSUMED_PLACE)
#undef LS_ASSUMED_PLACE
        LS_ASSUMED_COUNT
};

enum {
#define LS_ASSUMED_BIT(name, brief, text) LS_ASSUMED_##name = 1 << LS_ASSUMED_PLACE_##name,
    LS_ASSUMPTIONS(LS_ASSUMED_BIT)
#undef LS_ASSUMED_BIT
};

typedef uint32_t ls_assumed; /* a set of them */

#endif
