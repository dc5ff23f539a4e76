/* Whole numbers computed from named ones: "(n + 255) / 256", "min(n, 64)", "cdiv(n, 256)". */
#ifndef LS_GATE_EXPRESSION_H
#define LS_GATE_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *name;
    int64_t value;
} ls_gate_name;

/* False where the text is none, names what is not there, divides by zero or leaves 64 bits. */
bool ls_gate_evaluate(const char *text, const ls_gate_name *names, uint32_t count, int64_t *value);

#endif
