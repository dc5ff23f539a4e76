/* Names of values in conditions about a launch (origin.h): written and read. */
#include "ptx/origin.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char argument[] = "$arg";

static bool is_part(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* A number and the mark behind it; NULL where the text does not begin with one of 32 bits. */
static const char *read_number(const char *at, uint32_t *number) {
    uint64_t value = 0;
    if (!isdigit((unsigned char)*at)) return NULL;
    for (; isdigit((unsigned char)*at); at++) {
        value = value * 10 + (uint64_t)(*at - '0');
        if (value > UINT32_MAX) return NULL;
    }
    *number = (uint32_t)value;
    return at;
}

static ls_origin read_argument(const char *text) {
    ls_origin out = {.kind = LS_ORIGIN_ARGUMENT};
    const char *at = read_number(text + strlen(argument), &out.index);
    if (at) at = *at == '_' ? read_number(at + 1, &out.bits) : NULL;
    if (at) at = *at == '_' ? read_number(at + 1, &out.count) : NULL;
    out.is_member = at && *at == '_';
    if (out.is_member) at = read_number(at + 1, &out.at);
    if (!at || is_part(*at) || *at == '$') return (ls_origin){.kind = LS_ORIGIN_KERNEL};
    out.length = (size_t)(at - text);
    return out;
}

ls_origin ls_origin_of(const char *text) {
    size_t marks = strspn(text, "$");
    if (!strncmp(text, argument, strlen(argument))) return read_argument(text);
    if (!marks || marks > 2 || !isdigit((unsigned char)text[marks])) return (ls_origin){0};
    ls_origin out = {.kind = LS_ORIGIN_HOST, .is_wide = marks == 2};
    out.stem = out.length = marks + strspn(text + marks, "0123456789");
    while (is_part(text[out.length])) out.length++;
    if (text[out.stem] == '_') out.word = text + out.stem + 1;
    return out;
}

bool ls_origin_mentions(const char *text, uint32_t index) {
    for (const char *at = text; (at = strstr(at, argument)); at++) {
        ls_origin origin = ls_origin_of(at);
        if (origin.kind == LS_ORIGIN_ARGUMENT && origin.index == index) return true;
    }
    return false;
}

const char *ls_origin_mark(bool is_wide) {
    return is_wide ? "$$" : "$";
}

const char *ls_origin_argument(char name[LS_ARGUMENT_NAME], uint32_t index, uint32_t bits, uint32_t count) {
    snprintf(name, LS_ARGUMENT_NAME, "%s%" PRIu32 "_%" PRIu32 "_%" PRIu32, argument, index, bits, count);
    return name;
}

const char *ls_origin_member(char name[LS_ARGUMENT_NAME], uint32_t index, uint32_t bits, uint32_t count,
                             uint32_t at) {
    size_t length = strlen(ls_origin_argument(name, index, bits, count));
    snprintf(name + length, LS_ARGUMENT_NAME - length, "_%" PRIu32, at);
    return name;
}
