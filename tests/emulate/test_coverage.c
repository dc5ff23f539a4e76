/* Which instructions the emulator does not run: one instruction of every kind is decoded, and those that
 * would stop a run must be the ones in unsupported.txt, no more and no fewer (docs/run.md has the list, too).
 */
#include "base/buf.h"
#include "emulate/machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *read_file(const char *name) {
    FILE *f = fopen(name, "rb");
    if (!f) fail_msg("%s cannot be read", name);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *text = calloc((size_t)size + 1, 1);
    assert_int_equal(fread(text, 1, (size_t)size, f), size);
    fclose(f);
    return text;
}

/* The opcodes that stop a run, one a line, each once, in the order of the kernel. */
static void list_unsupported(const char *name, ls_buf *out) {
    char *text = read_file(name);
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(text, strlen(text), "instructions.ptx", diags);
    assert_non_null(module);
    ls_emulator *e = ls_emulator_new(module, diags);
    assert_non_null(e);
    e->stride = e->warp_size = 32;
    e->lane_ops = ls_lane_ops();
    for (uint32_t f = 0; f < module->function_count; f++) {
        if (!module->functions[f]->body) continue;
        if (module->functions[f]->is_entry) em_place_shared(e, module->functions[f], 0);
        const code *c = em_code_of(e, module->functions[f]);
        em_decode_all(e);
        for (uint32_t k = 0; k < c->insn_count; k++) {
            if (c->insns[k].fn != em_exec_unsupported) continue;
            const site *s = &e->sites.items[c->insns[k].site];
            char line[256];
            snprintf(line, sizeof line, "%.*s\n", s->ast ? (int)s->ast->form->length : 1,
                     s->ast ? s->ast->form->text : "?");
            if (!strstr(ls_buf_text(out), line)) ls_buf_puts(out, line);
        }
    }
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    free(text);
}

static void the_list_is_true(void **state) {
    (void)state;
    ls_buf got = {0};
    list_unsupported(SOURCE_DIR "/tests/ptx/kernels/instructions_sm_90a.ptx", &got);
    char *page = read_file(SOURCE_DIR "/docs/instructions.md");
    char *want = strstr(page, "```unsupported\n"), *end = want ? strstr(want + 3, "```") : NULL;
    assert_non_null(end);
    want += strlen("```unsupported\n");
    *end = '\0';
    if (strcmp(ls_buf_text(&got), want))
        for (const char *at = ls_buf_text(&got); *at; at += strcspn(at, "\n") + 1)
            print_message("%.*s\n", (int)strcspn(at, "\n"), at);
    assert_string_equal(ls_buf_text(&got), want);
    free(page);
    ls_buf_free(&got);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_list_is_true)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
