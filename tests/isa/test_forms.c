/* One meaning for every instruction: each form of each row of the instruction table is run as the emulator
 * runs it and as compiled code does, followed as the analyses follow it, and put into terms as the prover
 * does, and compared with src/isa on operands that are drawn: random, extreme, special floats. What has no
 * other form, or no meaning, stands in the table of docs/meaning.md, which is held against what was found:
 * FORMS_TABLE=write writes it anew. */
#include "forms.h"
#include "lockstep/jit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_form_has_the_meaning(void **state) {
    (void)state;
    form f;
    setenv("LOCKSTEP_CACHE", "off", 1);
    for (uint32_t n = 0; form_make(n, &f); n++) {
        check_loops(&f);
        if (ls_jit_compiler()) check_compiled(&f);
        check_lane_vectors(&f);
        check_polynomials(&f);
#ifdef HAVE_VERIFY
        check_terms(&f);
#endif
        form_free(&f);
    }
    assert_int_equal(form_failures, 0);
}

/* --- The table -------------------------------------------------------------------------------------------
 */
static const char *split(uint32_t some, uint32_t others, const char *all, const char *none) {
    return !some ? none : others ? "some" : all;
}

static void put_row(FILE *out, ls_ptx_op op) {
    const ls_ptx_opcode *opcode = ls_ptx_opcode_of(op);
    const coverage *c = &covered[op];
    if (!c->forms) {
        fprintf(out, "| `%s` | unmodelled | | | | |\n", opcode->name);
        return;
    }
    fprintf(out, "| `%s` | %u forms | %s | %s | %s | %s |\n", opcode->name, c->forms,
            split(c->loops, c->scalars, "all", "lane by lane"),
            split(c->compiled, c->forms - c->compiled, "all", "called"),
            split(c->vectors, c->uniform, "all", "opaque"), split(c->exact, c->function, "all", "opaque"));
}

static char *make_table(size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    fprintf(out, "| instruction | meaning | vector loop | machine code | lane vectors | terms |\n| --- | --- "
                 "| --- | --- | --- | --- |\n");
    for (uint32_t op = 1; op < LS_OP_COUNT; op++)
        if (form_computes(ls_ptx_opcode_of((ls_ptx_op)op))) put_row(out, (ls_ptx_op)op);
    fclose(out);
    return text;
}

static char *read_file(const char *path) {
    FILE *in = fopen(path, "rb");
    if (!in) fail_msg("%s is not there", path);
    char *text = calloc(1, 1 << 20);
    size_t length = fread(text, 1, (1 << 20) - 1, in);
    text[length] = 0;
    fclose(in);
    return text;
}

static void the_table_of_the_docs_says_what_is_modelled(void **state) {
    (void)state;
#ifndef HAVE_VERIFY
    skip();
#endif
    if (!ls_jit_compiler()) skip();
    static const char path[] = SOURCE_DIR "/docs/meaning.md", begin[] = "<!-- forms -->\n",
                      end[] = "<!-- /forms -->\n";
    size_t size;
    char *table = make_table(&size), *text = read_file(path);
    char *from = strstr(text, begin), *to = strstr(text, end);
    assert_non_null(from);
    assert_non_null(to);
    from += strlen(begin);
    bool same = (size_t)(to - from) == size && !memcmp(from, table, size);
    const char *how = getenv("FORMS_TABLE");
    if (!same && how && !strcmp(how, "write")) {
        FILE *out = fopen(path, "wb");
        assert_non_null(out);
        fprintf(out, "%.*s%s%s", (int)(from - text), text, table, to);
        fclose(out);
        same = true;
    }
    if (!same) fail_msg("the table of %s is not this one:\n%s", path, table);
    free(table);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_has_the_meaning),
        cmocka_unit_test(the_table_of_the_docs_says_what_is_modelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
