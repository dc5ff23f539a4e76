/* Expressions over the sizes of a case (expression.h), by recursive descent. */
#include "gate/expression.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct {
    const char *at;
    const ls_gate_name *names;
    uint32_t count;
    int depth;
    bool wrong;
} reader;

static int64_t sum(reader *r);

static bool take(reader *r, char c) {
    while (isspace((unsigned char)*r->at)) r->at++;
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static int64_t fail(reader *r) {
    r->wrong = true;
    return 0;
}

static int64_t divide(reader *r, int64_t a, int64_t b, char operator) {
    if (b == 0 || (a == INT64_MIN && b == -1)) return fail(r);
    return operator== '/' ? a / b : a % b;
}

static int64_t call(reader *r, const char *name, size_t length) {
    int64_t a = sum(r), b = take(r, ',') ? sum(r) : fail(r);
    if (!take(r, ')') || r->wrong) return fail(r);
    if (length == 3 && !strncmp(name, "min", 3)) return a < b ? a : b;
    if (length == 3 && !strncmp(name, "max", 3)) return a > b ? a : b;
    if (length != 4 || strncmp(name, "cdiv", 4) || b < 1 || a < 0) return fail(r);
    return a / b + (a % b != 0);
}

static int64_t name_value(reader *r) {
    const char *start = r->at;
    while (isalnum((unsigned char)*r->at) || *r->at == '_') r->at++;
    size_t length = (size_t)(r->at - start);
    if (!length) return fail(r);
    if (take(r, '(')) return call(r, start, length);
    for (uint32_t i = 0; i < r->count; i++)
        if (!strncmp(r->names[i].name, start, length) && !r->names[i].name[length]) return r->names[i].value;
    return fail(r);
}

static int64_t primary(reader *r) {
    if (r->wrong || ++r->depth > DEEPEST) return fail(r);
    int64_t value;
    if (take(r, '(')) {
        value = sum(r);
        if (!take(r, ')')) return fail(r);
    } else if (take(r, '-')) {
        if (__builtin_sub_overflow((int64_t)0, primary(r), &value)) return fail(r);
    } else if (isdigit((unsigned char)*r->at)) {
        char *end;
        value = strtoll(r->at, &end, 10);
        if (value == INT64_MAX || isalnum((unsigned char)*end)) return fail(r);
        r->at = end;
    } else {
        value = name_value(r);
    }
    r->depth--;
    return value;
}

static int64_t product(reader *r) {
    int64_t value = primary(r);
    while (!r->wrong) {
        if (take(r, '*')) {
            if (__builtin_mul_overflow(value, primary(r), &value)) return fail(r);
        } else if (take(r, '/')) {
            value = divide(r, value, primary(r), '/');
        } else if (take(r, '%')) {
            value = divide(r, value, primary(r), '%');
        } else {
            return value;
        }
    }
    return 0;
}

static int64_t sum(reader *r) {
    int64_t value = product(r);
    while (!r->wrong) {
        if (take(r, '+')) {
            if (__builtin_add_overflow(value, product(r), &value)) return fail(r);
        } else if (take(r, '-')) {
            if (__builtin_sub_overflow(value, product(r), &value)) return fail(r);
        } else {
            return value;
        }
    }
    return 0;
}

bool ls_gate_evaluate(const char *text, const ls_gate_name *names, uint32_t count, int64_t *value) {
    reader r = {.at = text, .names = names, .count = count};
    *value = sum(&r);
    while (isspace((unsigned char)*r.at)) r.at++;
    return !r.wrong && !*r.at;
}
