/* What the program says of a launch names parameters by their number (facts.h): here they are found, and
 * shown under the names that the source has for them. */
#include "verify/execute/facts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

uint32_t ls_fact_parameter(const ls_ptx_function *kernel, const char *name, uint32_t *width) {
    unsigned index, bits, count;
    if (sscanf(name, "$arg%u_%u_%u", &index, &bits, &count) != 3) return UINT32_MAX;
    if (count != kernel->param_count || index >= count) return UINT32_MAX;
    *width = bits;
    return index;
}

bool ls_fact_is_counter(const char *fact) {
    return strstr(fact, " >= (") && !strstr(fact, "&&");
}

void ls_fact_show(const ls_ptx_function *kernel, const ls_verify_options *options, const char *fact,
                  ls_buf *out) {
    while (*fact) {
        size_t length = 1;
        while (fact[0] == '$' && (isalnum((unsigned char)fact[length]) || fact[length] == '_')) length++;
        char name[64];
        uint32_t width;
        snprintf(name, sizeof name, "%.*s", (int)length, fact);
        uint32_t i = length > 1 ? ls_fact_parameter(kernel, name, &width) : UINT32_MAX;
        const char *own = i < options->parameter_count ? options->parameters[i] : NULL;
        ls_buf_puts(out, own ? own : i != UINT32_MAX ? kernel->params[i]->symbol->name : name);
        fact += length;
    }
}
