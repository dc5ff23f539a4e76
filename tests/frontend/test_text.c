/* What the front end reads without a compiler: messages, kernels in source text, entries in PTX. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/entries.h"
#include "frontend/messages.h"
#include "frontend/source.h"

static void messages_of_both_compilers(void **state) {
    (void)state;
    static const struct {
        const char *line, *file, *message;
        ls_severity severity;
        uint32_t row, column;
    } CASES[] = {
        {"a/b.cu:12:7: error: expected ';'", "a/b.cu", "expected ';'", LS_ERROR, 12, 7},
        {"b.cl:3:1: warning: no error: here", "b.cl", "no error: here", LS_WARNING, 3, 1},
        {"C:x.cu:5:2: fatal error: 'y.h' file not found", "C:x.cu", "'y.h' file not found", LS_ERROR, 5, 2},
        {"scan.cu(41): error: identifier \"x\" is undefined", "scan.cu", "identifier \"x\" is undefined",
         LS_ERROR, 41, 0},
        {"dir (1)/s.cu(4): warning: x", "dir (1)/s.cu", "x", LS_WARNING, 4, 0},
        {"clang-19: error: unknown argument: '-q'", NULL, "unknown argument: '-q'", LS_ERROR, 0, 0},
        {"a.cu:1:2: note: candidate", "a.cu", "candidate", LS_NOTE, 1, 2},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ls_diags *diags = ls_diags_new();
        assert_int_equal(ls_compiler_messages(CASES[i].line, diags), CASES[i].severity == LS_ERROR);
        assert_int_equal(ls_diags_count(diags), 1);
        const ls_diag *d = ls_diags_at(diags, 0);
        if (CASES[i].file)
            assert_string_equal(d->file, CASES[i].file);
        else
            assert_null(d->file);
        assert_string_equal(d->message, CASES[i].message);
        assert_int_equal(d->severity, CASES[i].severity);
        assert_int_equal(d->line, CASES[i].row);
        assert_int_equal(d->column, CASES[i].column);
        ls_diags_free(diags);
    }
    ls_diags *diags = ls_diags_new();
    assert_int_equal(
        ls_compiler_messages("2 errors generated.\n    a = 1;\n        ^\n\nIn file included from a.h:1:\n",
                             diags),
        0);
    assert_int_equal(ls_diags_count(diags), 0);
    ls_diags_free(diags);
}

static void kernels_in_source(void **state) {
    (void)state;
    static const char TEXT[] = "// __global__ void comment();\n"
                               "const char *s = \"__global__ void string();\";\n"
                               "#define MACRO __global__ void \\\n macro();\n"
                               "int big = 1'000'000;\n"
                               "extern \"C\" __global__ void declared(int *a,\n int (*f)(int));\n"
                               "__global__ void __launch_bounds__(256, 2) bounded(int *a) { }\n"
                               "template <typename T, int N = (3 > 2)>\n__global__ void tmpl(T *a) { }\n"
                               "template __global__ void tmpl<int, 4>(int *);\n"
                               "template <> __global__ void tmpl<float, 4>(float *) { }\n"
                               "static __global__ __attribute__((noinline)) void marked(int) { }\n"
                               "# 70 \"other.h\" 1\n__kernel void from_header(__global int *p);\n";
    static const struct {
        const char *name, *file;
        uint32_t line;
        bool defined, is_template, is_instantiation;
    } EXPECTED[] = {
        {"declared", NULL, 6, false, false, false},
        {"bounded", NULL, 8, true, false, false},
        {"tmpl", NULL, 10, true, true, false},
        {"tmpl", NULL, 11, false, true, true},
        {"tmpl", NULL, 12, true, true, true},
        {"marked", NULL, 13, true, false, false},
        {"from_header", "other.h", 70, false, false, false},
    };
    ls_arena arena;
    ls_arena_init(&arena);
    ls_source_kernels found = {0};
    ls_source_scan(TEXT, &arena, &found);
    assert_int_equal(found.length, sizeof EXPECTED / sizeof *EXPECTED);
    for (uint32_t i = 0; i < found.length; i++) {
        assert_string_equal(found.items[i].name, EXPECTED[i].name);
        if (EXPECTED[i].file)
            assert_string_equal(found.items[i].file, EXPECTED[i].file);
        else
            assert_null(found.items[i].file);
        assert_int_equal(found.items[i].line, EXPECTED[i].line);
        assert_int_equal(found.items[i].defined, EXPECTED[i].defined);
        assert_int_equal(found.items[i].is_template, EXPECTED[i].is_template);
        assert_int_equal(found.items[i].is_instantiation, EXPECTED[i].is_instantiation);
    }
    LS_VEC_FREE(&found);
    ls_arena_free(&arena);
}

/* Text that ends anywhere is read to its end and no further. */
static void parameter_names_in_source(void **state) {
    (void)state;
    static const struct {
        const char *list, *names; /* "-" for a parameter without a name */
    } CASES[] = {
        {"()", ""},
        {"(void)", ""},
        {"(float *out, const float *in, int n)", "out in n"},
        {"(T x[4], std::pair<int, float> p = {1, 2}, unsigned n)", "x p n"},
        {"(__global float4 *restrict a, __local uint *scratch)", "a scratch"},
        {"(int *, const float, unsigned int, float (*f)(int a, int b))", "- - - -"},
        {"(const Volume<float, 3> &volume, cudaTextureObject_t t)", "volume t"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        ls_arena arena;
        ls_arena_init(&arena);
        ls_source_kernels found = {0};
        ls_source_scan(ls_arena_printf(&arena, "__global__ void k%s {}", CASES[i].list), &arena, &found);
        assert_int_equal(found.length, 1);
        char names[256] = "";
        for (uint32_t p = 0; p < found.items[0].parameter_count; p++) {
            if (p) strcat(names, " ");
            strcat(names, found.items[0].parameters[p] ? found.items[0].parameters[p] : "-");
        }
        assert_string_equal(names, CASES[i].names);
        LS_VEC_FREE(&found);
        ls_arena_free(&arena);
    }
}

static void cut_text_is_harmless(void **state) {
    (void)state;
    static const char SOURCE[] = "/* a */ template <class T> __global__ __launch_bounds__(1) void k<T>(int "
                                 "*p) { \"x\\\"\" '\\'' }\n#define A \\\n b\n";
    static const char PTX[] =
        ".version 7.5 // c\n/* d */ .visible .entry k (.param .u64 p) .maxntid 1, 2 , 3 .reqntid 4 { \"s\" }";
    ls_arena arena;
    ls_arena_init(&arena);
    for (size_t length = 0; length < sizeof SOURCE; length++) {
        ls_source_kernels found = {0};
        ls_source_scan(ls_arena_strndup(&arena, SOURCE, length), &arena, &found);
        LS_VEC_FREE(&found);
    }
    for (size_t length = 0; length < sizeof PTX; length++) {
        ls_entries found = {0};
        ls_entries_scan(ls_arena_strndup(&arena, PTX, length), &arena, &found);
        LS_VEC_FREE(&found);
    }
    ls_arena_free(&arena);
}

static void entries_in_ptx(void **state) {
    (void)state;
    static const char PTX[] =
        ".entry forward(.param .u64 a);\n.file 1 \".entry no\"\n"
        ".visible .entry forward(\n .param .u64 a\n)\n.maxntid 32, 4, 2\n.minnctapersm 2\n{\n ret;\n}\n"
        ".weak .entry $x() .reqntid 8, 8 { ret; }\n// .entry gone() { }\n";
    ls_arena arena;
    ls_arena_init(&arena);
    ls_entries found = {0};
    ls_entries_scan(PTX, &arena, &found);
    assert_int_equal(found.length, 2);
    assert_string_equal(found.items[0].name, "forward");
    assert_true(found.items[0].defined);
    assert_int_equal(found.items[0].max_threads, 256);
    assert_false(found.items[0].required.known);
    assert_string_equal(found.items[1].name, "$x");
    assert_true(found.items[1].required.known);
    assert_int_equal(found.items[1].required.y, 8);
    assert_int_equal(found.items[1].required.z, 1);
    LS_VEC_FREE(&found);
    ls_arena_free(&arena);
}

static void names_and_languages(void **state) {
    (void)state;
    char name[64];
    ls_demangle("_Z4scanIiLi4EEvPT_", name, sizeof name);
    assert_true(!strcmp(name, "void scan<int, 4>(int*)") || !strcmp(name, "_Z4scanIiLi4EEvPT_"));
    ls_demangle("plain", name, sizeof name);
    assert_string_equal(name, "plain");
    ls_demangle("_Z4scanIiLi4EEvPT_", name, 5);
    assert_int_equal(strlen(name), 4);
    assert_int_equal(ls_language_of("a.cu", NULL, 0), LS_LANGUAGE_CUDA);
    assert_int_equal(ls_language_of("a.cl", NULL, 0), LS_LANGUAGE_OPENCL);
    assert_int_equal(ls_language_of("x.y/a.ptx", NULL, 0), LS_LANGUAGE_PTX);
    assert_int_equal(ls_language_of("-", ".version 8.0\n.target sm_90", 26), LS_LANGUAGE_PTX);
    assert_int_equal(ls_language_of("-", "__global__ void k();", 20), LS_LANGUAGE_CUDA);
    assert_int_equal(ls_language_of("-", "kernel void k() {}", 18), LS_LANGUAGE_OPENCL);
    assert_int_equal(ls_language_of("-", "hello", 5), LS_LANGUAGE_AUTO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_both_compilers),
        cmocka_unit_test(kernels_in_source),
        cmocka_unit_test(parameter_names_in_source),
        cmocka_unit_test(cut_text_is_harmless),
        cmocka_unit_test(entries_in_ptx),
        cmocka_unit_test(names_and_languages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
