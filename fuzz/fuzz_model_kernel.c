/* Fuzz target: the kernel language on arbitrary bytes. What is taken is printed in all forms, taken again
 * with the same result, and explored a little by every semantics. */
#include "lockstep/model.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_again(const ls_model *model, ls_diags *diags) {
    char *text = ls_model_print(model, LS_MODEL_PRINT_KERNEL);
    ls_model *again = ls_model_parse(text, strlen(text), "printed.kernel", 0, diags);
    if (!again) abort();
    char *text_again = ls_model_print(again, LS_MODEL_PRINT_KERNEL);
    if (strcmp(text, text_again) != 0) abort();
    free(text);
    free(text_again);
    ls_model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ls_diags *diags = ls_diags_new();
    ls_model *model = ls_model_parse((const char *)data, size, "fuzz.kernel", 0, diags);
    if (!model && !ls_diags_errors(diags)) abort(); /* a refusal says why */
    if (model) {
        print_again(model, diags);
        for (int form = 1; form < 4; form++) free(ls_model_print(model, (ls_model_form)form));
        ls_model_options options = {.max_states = 100};
        for (int s = 0; s < 3; s++)
            ls_model_result_free(ls_model_explore(model, (ls_model_semantics)s, &options));
    }
    ls_model_free(model);
    ls_diags_free(diags);
    return 0;
}
