/* Fuzz target: headers of kernel files with expectations, the translation of their flags, and their patterns,
 * all of which come from files of others. */
#include "cli/expect.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_expectation e;
    if (ls_expectation_read(&arena, (const char *)data, size, &e)) {
        if (e.expected > LS_ANSWER_UNKNOWN) abort();
        ls_list arguments = {0}, ignored = {0};
        ls_expectation_flags(&arena, &e, ls_command_find("ptx"), &arguments, &ignored);
        if (arguments.count + ignored.count > e.flags.count + 1) abort();
        for (uint32_t i = 0; i < e.patterns.count && i < 4; i++) {
            bool error;
            if (strlen(e.patterns.items[i]) < 64)
                ls_pattern_matches(e.patterns.items[i], "a.cu:1:2: error: x", &error);
        }
    }
    ls_arena_free(&arena);
    return 0;
}
