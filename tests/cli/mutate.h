/* Faults put into PTX, one at a time: a barrier taken out, a guard dropped or forced, an index or a stride
 * changed, an atomic operation made a plain one. Each works on one line of printed PTX (one instruction). */
#ifndef LS_TESTS_MUTATE_H
#define LS_TESTS_MUTATE_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The line with its fault in `out`; false where the line has no room for it. */
typedef bool (*mutate_fn)(const char *line, char *out, size_t size);

static const char *mutate_skip(const char *line) {
    return line + strspn(line, " \t");
}

static bool mutate_starts(const char *line, const char *word) {
    return !strncmp(mutate_skip(line), word, strlen(word));
}

/* The line with `length` characters at `at` replaced. */
static bool mutate_splice(const char *line, const char *at, size_t length, const char *with, char *out,
                          size_t size) {
    return snprintf(out, size, "%.*s%s%s", (int)(at - line), line, with, at + length) < (int)size;
}

/* The instruction's own words, behind a guard. */
static const char *mutate_opcode(const char *line) {
    line = mutate_skip(line);
    if (*line == '@') line = mutate_skip(line + strcspn(line, " \t"));
    return line;
}

static bool mutate_barrier(const char *line, char *out, size_t size) {
    const char *op = mutate_opcode(line);
    bool is = !strncmp(op, "bar.sync", 8) || !strncmp(op, "barrier.sync", 12) ||
              !strncmp(op, "bar.cta.sync", 12) || !strncmp(op, "barrier.cta.sync", 16);
    return is && snprintf(out, size, "// no barrier") > 0;
}

static bool mutate_never(const char *line, char *out, size_t size) {
    return mutate_starts(line, "@") && snprintf(out, size, "// never") > 0;
}

static bool mutate_always(const char *line, char *out, size_t size) {
    return mutate_starts(line, "@") && snprintf(out, size, "%s", mutate_opcode(line)) < (int)size;
}

/* A special register of the thread's place, through `how` (with the register's name for %s, twice). */
static bool mutate_place(const char *line, const char *sreg, const char *how, char *out, size_t size) {
    if (!mutate_starts(line, "mov.u32") || !strstr(line, sreg)) return false;
    const char *reg = strchr(line, '%');
    size_t length = strcspn(reg, ",");
    return snprintf(out, size, "%s %s %.*s, %.*s, 1;", line, how, (int)length, reg, (int)length, reg) <
           (int)size;
}

static bool mutate_half_tid(const char *line, char *out, size_t size) {
    return mutate_place(line, "%tid.", "shr.u32", out, size);
}

static bool mutate_next_tid(const char *line, char *out, size_t size) {
    return mutate_place(line, "%tid.", "add.u32", out, size);
}

static bool mutate_half_ntid(const char *line, char *out, size_t size) {
    return mutate_place(line, "%ntid.", "shr.u32", out, size) ||
           mutate_place(line, "%nctaid.", "shr.u32", out, size);
}

static bool mutate_same_tid(const char *line, char *out, size_t size) {
    const char *at = strstr(line, "%tid.");
    if (!at) at = strstr(line, "%ctaid.");
    if (!at || !mutate_starts(line, "mov.u32")) return false;
    return mutate_splice(line, at, strcspn(at, ";"), "0", out, size);
}

static bool mutate_is_access(const char *line) {
    static const char *const spaces[] = {"ld.shared", "st.shared",   "ld.global",
                                         "st.global", "ld.volatile", "st.volatile"};
    const char *op = mutate_opcode(line);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (!strncmp(op, spaces[i], strlen(spaces[i]))) return true;
    return false;
}

/* [a+8] → [a+12] */
static bool mutate_offset(const char *line, long by, char *out, size_t size) {
    const char *open = strchr(line, '['), *close = strchr(line, ']');
    if (!mutate_is_access(line) || !open || !close) return false;
    const char *plus = memchr(open, '+', (size_t)(close - open)), *at = plus ? plus : close;
    char text[32];
    snprintf(text, sizeof text, "+%ld", (plus ? strtol(plus + 1, NULL, 10) : 0) + by);
    return mutate_splice(line, at, (size_t)(close - at), text, out, size);
}

static bool mutate_next_element(const char *line, char *out, size_t size) {
    return mutate_offset(line, 4, out, size);
}

static bool mutate_previous_element(const char *line, char *out, size_t size) {
    return mutate_offset(line, -4, out, size);
}

/* The last operand, where it is a number. */
static const char *mutate_number(const char *line, long *value) {
    const char *comma = strrchr(line, ',');
    char *end;
    if (!comma) return NULL;
    const char *at = mutate_skip(comma + 1);
    *value = strtol(at, &end, 10);
    return end != at && *end == ';' ? at : NULL;
}

static bool mutate_constant(const char *line, long (*change)(long), const char *const *ops, char *out,
                            size_t size) {
    long value = 0;
    const char *op = mutate_opcode(line), *at = mutate_number(line, &value);
    char text[32];
    bool is = false;
    for (; *ops; ops++) is |= !strncmp(op, *ops, strlen(*ops));
    if (!is || !at || change(value) == value) return false;
    snprintf(text, sizeof text, "%ld", change(value));
    return mutate_splice(line, at, strcspn(at, ";"), text, out, size);
}

static long mutate_halved(long v) {
    return v / 2;
}

static long mutate_less(long v) {
    return v - 1;
}

static long mutate_more(long v) {
    return v + 1;
}

static bool mutate_stride(const char *line, char *out, size_t size) {
    static const char *const ops[] = {"mul.", "mad.", NULL};
    return mutate_constant(line, mutate_halved, ops, out, size);
}

static bool mutate_shift(const char *line, char *out, size_t size) {
    static const char *const ops[] = {"shl.", "shr.", NULL};
    return mutate_constant(line, mutate_less, ops, out, size);
}

static bool mutate_step(const char *line, char *out, size_t size) {
    static const char *const ops[] = {"add.", "sub.", "setp.", NULL};
    return mutate_constant(line, mutate_less, ops, out, size);
}

static bool mutate_longer_step(const char *line, char *out, size_t size) {
    static const char *const ops[] = {"add.", "sub.", "setp.", "and.", "shl.", NULL};
    return mutate_constant(line, mutate_more, ops, out, size);
}

static bool mutate_comparison(const char *line, char *out, size_t size) {
    static const char *const pairs[][2] = {{"setp.lt.", "setp.le."}, {"setp.le.", "setp.lt."},
                                           {"setp.gt.", "setp.ge."}, {"setp.ge.", "setp.gt."},
                                           {"setp.eq.", "setp.ne."}, {"setp.ne.", "setp.ge."}};
    const char *op = mutate_opcode(line);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strncmp(op, pairs[i][0], 8)) return mutate_splice(line, op, 8, pairs[i][1], out, size);
    return false;
}

/* red.shared.add.u32 [a], v → st.shared.u32 [a], v */
static bool mutate_atomic(const char *line, char *out, size_t size) {
    const char *op = mutate_opcode(line), *open = strchr(line, '[');
    const char *space = strstr(op, "shared") ? "shared" : strstr(op, "global") ? "global" : NULL;
    bool is = !strncmp(op, "red.", 4) || !strncmp(op, "atom.", 5);
    if (!is || !space || !open || !strstr(op, "32")) return false;
    return snprintf(out, size, "st.%s.b32 %s", space, open) < (int)size;
}

static const struct {
    const char *name;
    mutate_fn fn;
} mutations[] = {
    {"barrier removed", mutate_barrier},
    {"guard never holds", mutate_never},
    {"guard always holds", mutate_always},
    {"half of the thread's id", mutate_half_tid},
    {"the next thread's id", mutate_next_tid},
    {"the same id for all", mutate_same_tid},
    {"half of the size", mutate_half_ntid},
    {"the next element", mutate_next_element},
    {"the previous element", mutate_previous_element},
    {"half of the stride", mutate_stride},
    {"another shift", mutate_shift},
    {"one less", mutate_step},
    {"one more", mutate_longer_step},
    {"another comparison", mutate_comparison},
    {"atomic made plain", mutate_atomic},
};

enum { MUTATIONS = sizeof mutations / sizeof *mutations };

#endif
