/* Fuzz target: µ-SIMD on arbitrary bytes. What is taken is printed and taken again with the same result, run
 * for a while by the rules, and analysed. */
#include "lockstep/usimd.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_again(const ls_usimd *program, ls_diags *diags) {
    char *text = ls_usimd_print(program, LS_USIMD_PROGRAM);
    ls_usimd *again = ls_usimd_parse(text, strlen(text), "printed.simd", diags);
    if (!again) abort();
    char *text_again = ls_usimd_print(again, LS_USIMD_PROGRAM);
    if (strcmp(text, text_again) != 0) abort();
    free(text);
    free(text_again);
    ls_usimd_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ls_diags *diags = ls_diags_new();
    ls_usimd *program = ls_usimd_parse((const char *)data, size, "fuzz.simd", diags);
    if (!program && !ls_diags_errors(diags)) abort(); /* a refusal says why */
    if (program) {
        print_again(program, diags);
        ls_usimd_options options = {.max_cycles = 300, .trace = true};
        ls_usimd_result_free(ls_usimd_run(program, LS_USIMD_REFERENCE, &options));
        ls_usimd_analysis *analysis = ls_usimd_analyze(program, diags);
        if (!analysis) abort(); /* the PTX is always right */
        free(ls_usimd_dependences(analysis, LS_USIMD_DEGREE2));
        ls_usimd_analysis_free(analysis);
    }
    ls_usimd_free(program);
    ls_diags_free(diags);
    return 0;
}
