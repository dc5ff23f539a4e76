/* Fuzz target: the PTX parser on arbitrary bytes. What it takes it must print, and take again with the same
 * result. */
#include "lockstep/ptx.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse((const char *)data, size, "fuzz.ptx", diags);
    if (!module && !ls_diags_errors(diags)) abort(); /* a refusal says why */
    if (module) {
        size_t length, length_again;
        char *text = ls_ptx_print(module, &length);
        ls_ptx_module *again = ls_ptx_parse(text, length, "printed.ptx", diags);
        if (!again) abort();
        char *text_again = ls_ptx_print(again, &length_again);
        if (length != length_again || memcmp(text, text_again, length)) abort();
        free(text);
        free(text_again);
        ls_ptx_module_free(again);
        ls_ptx_module_free(module);
    }
    ls_diags_free(diags);
    return 0;
}
