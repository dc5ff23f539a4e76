/* Fuzz target: conditions of --assume and --size on arbitrary bytes. What is refused has an error with a
 * column in the text; what is taken has a constant that does not depend on who asks. */
#include "verify/execute/condition.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_diags *diags = ls_diags_new();
    const char *text = ls_arena_strndup(&arena, (const char *)data, size);
    const ls_condition *c = ls_condition_parse(&arena, text, diags);
    if (!c != (ls_diags_errors(diags) == 1)) abort();
    int64_t once = 0, twice = 0;
    if (c && ls_condition_constant(c, &once) != ls_condition_constant(c, &twice)) abort();
    if (once != twice || (!c && ls_diags_at(diags, 0)->column > strlen(text) + 1)) abort();
    ls_diags_free(diags);
    ls_arena_free(&arena);
    return 0;
}
