/* What the examples share: a file as a parsed PTX module. They are C and C++ at once. */
#ifndef EXAMPLE_COMMON_H
#define EXAMPLE_COMMON_H

#include <lockstep/lockstep.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints what is wrong with the input, as a compiler does. */
static inline void show_diagnostics(const ls_diags *diags) {
    char *text = ls_diags_print(diags, false, NULL);
    fputs(text, stderr);
    free(text);
}

/* Compiles (.cu, .cl; .ptx is taken as it is) and parses; NULL after messages. `compiled` is to be freed too.
 */
static inline ls_ptx_module *load(const char *path, ls_form form, ls_compiled *compiled, ls_diags *diags) {
    ls_frontend_options options;
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.form = form;
    ls_ptx_module *module = NULL;
    if (ls_compile(path, &options, compiled, diags)) {
        module = ls_ptx_parse(compiled->ptx, compiled->length, path, diags);
        if (!module) ls_compiled_free(compiled);
    }
    show_diagnostics(diags);
    return module;
}

#endif
