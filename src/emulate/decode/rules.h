/* Vector loops whose result is a sum where their operands are sums of a vector and a scalar: what becomes of
 * the two. For registers that are sums for a whole block (decode/affine.c), and at any place of compiled code
 * (jit/shapes.c). */
#ifndef LS_EMULATE_DECODE_RULES_H
#define LS_EMULATE_DECODE_RULES_H

#include "emulate/code.h"

typedef enum {
    RULE_NONE,
    RULE_MOVE,
    RULE_ADD,
    RULE_SUB,
    RULE_MUL,
    RULE_MAD,
    RULE_SHL,
    RULE_SHR,
    RULE_AND,
    RULE_OR,
    RULE_SIGNED, /* 32 bits extended */
    RULE_UNSIGNED,
    RULE_NARROW,
    RULE_MUL_SIGNED, /* 32 bits extended, then multiplied */
    RULE_MUL_UNSIGNED,
    RULE_MAD_SIGNED,
    RULE_MAD_UNSIGNED,
} sum_rule;

typedef struct {
    uint8_t rule, width; /* sum_rule; width: of the result */
} lane_rule;

/* By ls_lane_op. */
extern const lane_rule em_rules[LANE_COUNT];

#endif
