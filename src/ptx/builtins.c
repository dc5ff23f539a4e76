/* Functions that are known by name: one table (ptx_builtins.def), looked through once for each function of a
 * module. */
#include "lockstep/ptx.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t traits;
} table[] = {
    {"", 0},
#define BUILTIN(id, name, call, run, traits) {name, traits},
#include "lockstep/ptx_builtins.def"
#undef BUILTIN
};

static bool matches(const char *name, const char *pattern) {
    if (name[0] != pattern[0] || (name[0] && name[1] != pattern[1])) return false; /* most: at once */
    size_t length = strlen(pattern);
    if (pattern[length - 1] == '*') return !strncmp(name, pattern, length - 1);
    return !strcmp(name, pattern);
}

ls_ptx_builtin ls_ptx_find_builtin(const char *name) {
    _Static_assert(LS_BUILTIN_COUNT < 256, "ls_ptx_function.builtin");
    for (uint32_t i = 1; i < LS_BUILTIN_COUNT; i++)
        if (matches(name, table[i].name)) return (ls_ptx_builtin)i;
    return LS_BUILTIN_NONE;
}

uint32_t ls_ptx_builtin_traits(ls_ptx_builtin builtin) {
    return table[builtin].traits;
}
