/* Options of the flat functions (lockstep/flat.h): one table of words. */
#include "check/flat.h"

#include "lockstep/flat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Readers of values: false where the text is none. */
static bool read_text(const char *value, void *to) {
    return *(const char **)to = value, true;
}

static bool read_list(const char *value, void *to) {
    ls_texts *list = to;
    LS_VEC_PUSH(list, value);
    return true;
}

static bool read_bool(const char *value, void *to) {
    return *(bool *)to = strcmp(value, "0") != 0, true;
}

static bool read_number(const char *value, void *to) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    *(uint64_t *)to = number;
    return end != value && !*end && !errno && *value != '-';
}

static bool read_seconds(const char *value, void *to) {
    char *end;
    *(double *)to = strtod(value, &end);
    return end != value && !*end && *(double *)to >= 0;
}

static bool read_size(const char *value, void *to) {
    uint32_t *size = to;
    size[0] = size[1] = size[2] = 1;
    for (int i = 0; i < 3; i++) {
        char *end;
        errno = 0;
        unsigned long number = strtoul(value, &end, 10);
        if (end == value || errno || !number || number > UINT32_MAX || *value == '-') return false;
        size[i] = (uint32_t)number;
        if (!*end) return true;
        if (*end != ',' && *end != 'x') return false;
        value = end + 1;
    }
    return false;
}

static bool read_shared(const char *value, void *to) {
    ls_flat *flat = to;
    uint64_t bytes;
    flat->has_shared = true;
    if (!read_number(value, &bytes) || bytes > (1u << 20)) return false;
    flat->shared = (uint32_t)bytes;
    return true;
}

static bool read_schedule(const char *value, void *to) {
    static const char *const words[] = {"rr", "reverse", "random"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(words[i], value)) return *(ls_emu_schedule *)to = (ls_emu_schedule)i, true;
    return false;
}

static bool read_checks(const char *value, void *to) {
    const char *wrong;
    return !ls_emu_checks_parse(value, to, &wrong);
}

static bool read_missing(const char *value, void *to) {
    return *(bool *)to = !strcmp(value, "zero"), *(bool *)to;
}

#define AT(field) offsetof(ls_flat, field)

static const struct {
    const char *word;
    bool (*read)(const char *value, void *to);
    size_t offset;
} words[] = {{"kernel", read_text, AT(kernel)},
             {"block", read_size, AT(block)},
             {"grid", read_size, AT(grid)},
             {"timeout", read_seconds, AT(timeout)},
             {"define", read_list, AT(defines)},
             {"include_dir", read_list, AT(include_dirs)},
             {"include", read_list, AT(includes)},
             {"extra", read_list, AT(extra)},
             {"std", read_text, AT(frontend.standard)},
             {"arch", read_text, AT(frontend.arch)},
             {"compile_commands", read_text, AT(frontend.compile_commands)},
             {"assume", read_list, AT(assumptions)},
             {"size", read_list, AT(sizes)},
             {"bounds", read_bool, AT(bounds)},
             {"schedule", read_schedule, AT(run.schedule)},
             {"seed", read_number, AT(run.seed)},
             {"check", read_checks, AT(run.checks)},
             {"strict_exit", read_bool, AT(run.strict_exit)},
             {"shared", read_shared, 0},
             {"missing", read_missing, AT(missing_zero)}};

static bool take(ls_flat *flat, const char *option) {
    size_t length = strcspn(option, "=");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (option[length] && strlen(words[i].word) == length && !memcmp(words[i].word, option, length))
            return words[i].read(option + length + 1, (char *)flat + words[i].offset);
    return false;
}

bool ls_flat_options(ls_flat *flat, const char *const *options, uint32_t count, ls_diags *diags) {
    *flat = (ls_flat){.run.checks = LS_CHECK_ALL};
    for (uint32_t i = 0; i < count; i++) {
        if (options[i] && take(flat, options[i])) continue;
        ls_diags_add(diags, LS_ERROR, NULL, 0, 0, "'%s' is not an option, or its value is not allowed",
                     options[i] ? options[i] : "");
        return false;
    }
    flat->frontend.defines = flat->defines.items, flat->frontend.define_count = flat->defines.length;
    flat->frontend.include_dirs = flat->include_dirs.items;
    flat->frontend.include_dir_count = flat->include_dirs.length;
    flat->frontend.includes = flat->includes.items, flat->frontend.include_count = flat->includes.length;
    flat->frontend.extra = flat->extra.items, flat->frontend.extra_count = flat->extra.length;
    return true;
}

void ls_flat_options_free(ls_flat *flat) {
    LS_VEC_FREE(&flat->defines);
    LS_VEC_FREE(&flat->include_dirs);
    LS_VEC_FREE(&flat->includes);
    LS_VEC_FREE(&flat->extra);
    LS_VEC_FREE(&flat->assumptions);
    LS_VEC_FREE(&flat->sizes);
}

char *ls_flat_print(ls_report *report) {
    ls_report_finish(report);
    char *text = ls_report_print(report, &LS_OPTIONS(ls_print_options, .format = LS_FORMAT_JSON), NULL);
    ls_report_free(report);
    return text;
}

void ls_flat_free(char *text) {
    free(text);
}
