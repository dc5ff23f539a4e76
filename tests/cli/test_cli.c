/* The command as a user sees it: help, mistakes, exit statuses, output files, completion, expectations. Each
 * test runs the program itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cli/expect.h"
#include "command.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* In this folder. */
static int lockstep(const char *arguments) {
    return run_in(TEST_DIR, "", arguments);
}

static const char *output(void) {
    return ls_buf_text(&last.output);
}

/* --- Help ---------------------------------------------------------------------------------------------- */

static void help_names_every_subcommand(void **state) {
    (void)state;
    assert_int_equal(lockstep("--help"), 0);
    for (const ls_command *const *c = ls_commands; *c; c++) says((*c)->summary);
    char *first = strdup(output());
    assert_int_equal(lockstep("help"), 0);
    assert_string_equal(output(), first);
    assert_int_equal(lockstep(""), 2);
    assert_string_equal(output(), first);
    free(first);
}

static void help_names_every_option(void **state) {
    (void)state;
    for (const ls_command *const *c = ls_commands; *c; c++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "%s --help", (*c)->name);
        assert_int_equal(lockstep(arguments), 0);
        for (const ls_option *o = (*c)->options; o->kind != LS_OPT_END; o++)
            if (o->name) says(o->name);
        char *first = strdup(output());
        snprintf(arguments, sizeof arguments, "help %s", (*c)->name);
        assert_int_equal(lockstep(arguments), 0);
        assert_string_equal(output(), first);
        free(first);
    }
}

static void version_is_printed(void **state) {
    (void)state;
    assert_int_equal(lockstep("--version"), 0);
    says(ls_version());
}

/* Every table is well formed: what the parser and the printers rely on. */
static void tables_are_well_formed(void **state) {
    (void)state;
    for (const ls_command *const *c = ls_commands; *c; c++) {
        assert_non_null((*c)->run);
        assert_true((*c)->options_size >= sizeof(ls_common));
        for (const ls_option *o = (*c)->options; o->kind != LS_OPT_END; o++) {
            assert_non_null(o->help);
            if (o->kind == LS_OPT_HEADING) continue;
            assert_true(o->offset < (*c)->options_size);
            assert_true((o->kind == LS_OPT_FLAG) == (o->value == NULL));
            for (const ls_option *other = o + 1; other->kind != LS_OPT_END; other++) {
                if (other->kind == LS_OPT_HEADING) continue;
                assert_string_not_equal(o->name, other->name);
                assert_true(!o->letter || o->letter != other->letter);
            }
        }
    }
}

static void completion_is_valid_shell(void **state) {
    (void)state;
    static const struct {
        const char *shell, *check, *path;
    } shells[] = {{"bash", "-n", "/bin/bash"}, {"zsh", "-n", "/bin/zsh"}, {"fish", "-n", "/usr/bin/fish"}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        char arguments[64], path[] = "/tmp/lockstep-completion-XXXXXX";
        snprintf(arguments, sizeof arguments, "--completion %s", shells[i].shell);
        assert_int_equal(lockstep(arguments), 0);
        for (const ls_command *const *c = ls_commands; *c; c++) says((*c)->name);
        if (access(shells[i].path, X_OK)) {
            print_message("%s is not installed: its script is not checked\n", shells[i].shell);
            continue;
        }
        int file = mkstemp(path);
        assert_true(file >= 0);
        assert_int_equal(write(file, output(), last.output.length), last.output.length);
        close(file);
        char *argv[] = {strdup(shells[i].path), strdup(shells[i].check), path, NULL};
        ls_buf_free(&last.output);
        ls_child_run(argv, NULL, 60, &last);
        assert_int_equal(last.code, 0);
        remove(path);
        free(argv[0]);
        free(argv[1]);
    }
    assert_int_equal(lockstep("--completion tcsh"), 2);
}

/* --- Arguments of kernels ------------------------------------------------------------------------------ */

static void arguments_are_taken_as_people_write_them(void **state) {
    (void)state;
    static const char *const ways[] = {
        "-a f32[8] -a 3 -a 0.5",
        "--arg out=float[8]=zero --arg n=u32=3 --arg m=f32=0.5",
        "--arg m:double=0.5", /* another size: see below */
        "--arg m=0.5 --arg n:3 --arg out=float32[8]=ones",
        "-a 2=float=0.5 -a 0=f32[8]=9,9,9 -a i32=3",
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        char arguments[256];
        snprintf(arguments, sizeof arguments, "run add.ptx --block 8 --print out %s", ways[i]);
        bool wrong = strstr(ways[i], "double");
        assert_int_equal(lockstep(arguments), wrong ? 2 : 0);
        says(wrong ? "different sizes" : "f32[8] = 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5");
    }
}

/* --- Mistakes ------------------------------------------------------------------------------------------ */

static void mistakes_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *arguments, *says;
    } mistakes[] = {
        {"ptxx", "unknown subcommand 'ptxx'; did you mean 'ptx'?"},
        {"frobnicate", "unknown subcommand 'frobnicate'\n"},
        {"help nothing", "unknown subcommand 'nothing'"},
        {"--kernel k ptx", "a subcommand is expected before '--kernel'"},
        {"ptx", "no input file"},
        {"ptx --lsit kernels/pass.ptx", "unknown option '--lsit'; did you mean '--list'?"},
        {"ptx --blok=3 kernels/pass.ptx", "unknown option '--blok=3'; did you mean '--block'?"},
        {"ptx -Z kernels/pass.ptx", "unknown option '-Z'"},
        {"ptx --block 8,x kernels/pass.ptx", "--block expects one to three numbers from 1"},
        {"ptx --block 0 kernels/pass.ptx", "--block expects"},
        {"ptx --block 1,2,3,4 kernels/pass.ptx", "--block expects"},
        {"ptx --block 99999999999 kernels/pass.ptx", "--block expects"},
        {"ptx --frontend gcc kernels/pass.ptx", "--frontend expects one of auto|clang|nvcc, not 'gcc'"},
        {"ptx --list=yes kernels/pass.ptx", "--list takes no value"},
        {"ptx kernels/pass.ptx --arch", "--arch needs a value: sm_XX"},
        {"ptx kernels/pass.ptx kernels/pass.ptx", "one input file"},
        {"ptx kernels/pass.ptx --format json", "--format json needs --list"},
        {"ptx kernels/pass.ptx --list --kernel nowhere", "there is no kernel 'nowhere'"},
        {"run add.ptx --block 8 -a q=7", "'q' is neither a type nor a parameter (out, n, m)"},
        {"run add.ptx --block 8 -a f32[8]=1,x", "a list of numbers was expected"},
        {"run add.ptx --block 8 -a f32[8 -a 3", "a number of elements was expected"},
        {"run add.ptx --block 8 -a f32[8] -a 3 -a 4 -a 5", "'add' has 3 parameters"},
        {"run add.ptx --block 8 --check all,none", "--check: 'all' cannot be combined with other names"},
        {"run add.ptx --block 8 --check race,none", "--check: 'none' cannot be combined with other names"},
        {"run add.ptx --block 8 --check race,rase", "there is no checker 'rase'; did you mean 'race'?"},
        {"run add.ptx --block 8 --check everything", "no checker 'everything'; 'lockstep run --help'"},
        {"run add.ptx --block 8 --check race,,bounds", "--check: a name is missing in 'race,,bounds'"},
        {"run add.ptx --block 8 --cluster 3 --grid 4", "it was not run, because its launch is not possible"},
        {"run add.ptx --block 8 --dump 0", "--dump '0': NAME=FILE was expected"},
        {"run add.ptx --block 2000", "a block can have at most 1024 threads in dimension x"},
        {"ptx kernels/pass.ptx -o /no/such/folder/x", "cannot write '/no/such/folder/x'"},
        {"expect", "no folder given"},
        {"expect /no/such/folder", "cannot read '/no/such/folder'"},
        {"expect --run frobnicate kernels", "there is no subcommand 'frobnicate'"},
        {"expect --filter *( kernels", "is not a regular expression"},
        {"expect --filter nothing kernels", "no kernel file with an expectation"},
        {"expect -j many kernels", "-j expects a number, not 'many'"},
        {"expect --timeout -1 kernels", "--timeout expects a number of seconds"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int status = lockstep(mistakes[i].arguments);
        if (status != 2) fail_msg("lockstep %s: exit status %d", mistakes[i].arguments, status);
        says(mistakes[i].says);
    }
}

static void unreadable_input_is_status_2(void **state) {
    (void)state;
    static const char *const paths[] = {"no/such/file.cu", "no/such/file.cl", "no/such/file.ptx",
                                        "kernels",         "/dev/null",       "/proc/self/exe"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char arguments[1024];
        snprintf(arguments, sizeof arguments, "ptx %s", paths[i]);
        int status = lockstep(arguments);
        if (status != 2) fail_msg("lockstep %s: exit status %d", arguments, status);
        says("error: ");
    }
}

static void errors_have_an_excerpt_and_colour(void **state) {
    (void)state;
    assert_int_equal(lockstep("ptx kernels/broken.ptx"), 2);
    says("kernels/broken.ptx:10:1: error: ");
    says("\n   10 | {\n      | ^\n");
    assert_null(strchr(output(), '\033'));
    assert_int_equal(lockstep("ptx kernels/broken.ptx --color always"), 2);
    says("\033[1;31merror:\033[0m");
}

/* --- lockstep ptx -------------------------------------------------------------------------------------- */

static void ptx_prints_what_it_parsed(void **state) {
    (void)state;
    assert_int_equal(lockstep("ptx kernels/pass.ptx"), 0);
    says(".visible .entry nothing()");
    char path[] = "/tmp/lockstep-cli-XXXXXX.ptx", arguments[128];
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    char *first = strdup(output());
    snprintf(arguments, sizeof arguments, "ptx kernels/pass.ptx -o %s", path);
    assert_int_equal(lockstep(arguments), 0);
    assert_string_equal(output(), "");
    snprintf(arguments, sizeof arguments, "ptx %s", path);
    assert_int_equal(lockstep(arguments), 0);
    assert_string_equal(output(), first);
    remove(path);
    free(first);
}

static void ptx_dumps_tree_and_graph(void **state) {
    (void)state;
    assert_int_equal(lockstep("ptx --dump ast kernels/pass.ptx"), 0);
    says("nothing");
    says("ret");
    assert_int_equal(lockstep("ptx --dump trees kernels/pass.ptx"), 2);
    static const char *const kinds[] = {"cfg", "ssa", "gsa"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "ptx --dump %s ../../examples/saxpy.ptx", kinds[i]);
        assert_int_equal(lockstep(arguments), 0);
        says("saxpy");
        says("setp");
        strcat(arguments, " --dot");
        assert_int_equal(lockstep(arguments), 0);
        says("digraph");
    }
    assert_int_equal(lockstep("ptx --dot kernels/pass.ptx"), 2);
    says("--dot needs --dump");
}

static void ptx_lists_kernels(void **state) {
    (void)state;
    assert_int_equal(lockstep("ptx --list --block 8,4 --grid=2 kernels/pass.ptx kernels/listed.ptx"), 0);
    says("kernels/pass.ptx");
    says("block 8×4, grid 2 (block: --block, grid: --grid)");
    assert_int_equal(lockstep("ptx --list kernels/listed.ptx --format json"), 0);
    json_t *root = json_loads(output(), 0, NULL);
    assert_non_null(root);
    const json_t *file = json_array_get(json_object_get(root, "files"), 0);
    const json_t *kernel = json_array_get(json_object_get(file, "kernels"), 0);
    assert_string_equal(json_string_value(json_object_get(kernel, "name")), "nothing");
    const json_t *block = json_object_get(json_object_get(kernel, "launch"), "block");
    assert_int_equal(json_integer_value(json_array_get(block, 0)), 32);
    json_decref(root);
}

/* --- lockstep expect ----------------------------------------------------------------------------------- */

static void expect_agrees(void **state) {
    (void)state;
    assert_int_equal(lockstep("expect kernels"), 0);
    says("4 of 4 agree");
    assert_int_equal(lockstep("expect kernels/pass.ptx kernels/broken.ptx"), 0);
    says("2 of 2 agree");
    assert_int_equal(lockstep("expect kernels --run ptx --filter pass"), 0);
    says("flags that have no meaning for the subcommand: --no-inline 1, --equality-abstraction 1");
}

static void expect_names_disagreements(void **state) {
    (void)state;
    assert_int_equal(lockstep("expect disagree"), 1);
    says("disagree/not_broken.ptx: expected error, answered pass\n");
    says("disagree/pattern.ptx: expected pass, answered pass, output does not match 'this is not in the "
         "output'");
    says("0 of 2 agree; 1 without an expectation skipped");
    assert_int_equal(lockstep("expect disagree --patterns ignore --filter pattern"), 0);
}

static void expect_prints_json(void **state) {
    (void)state;
    assert_int_equal(lockstep("expect disagree kernels --format json"), 1);
    json_t *root = json_loads(output(), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    assert_int_equal(json_integer_value(json_object_get(root, "agree")), 4);
    assert_int_equal(json_integer_value(json_object_get(root, "disagree")), 2);
    const json_t *row = json_object_get(json_object_get(root, "table"), "error");
    assert_int_equal(json_integer_value(json_object_get(row, "pass")), 1);
    json_decref(root);
}

static void headers_are_read(void **state) {
    (void)state;
    ls_arena arena;
    ls_arena_init(&arena);
    ls_expectation e;
    const char *text =
        "//XFAIL:NOT_ALL_VERIFIED\r\n//--local_size=[64,2] -D 'A=b c'\n//  kernel.cl:\\d+\n\n//more\n";
    assert_true(ls_expectation_read(&arena, text, strlen(text), &e));
    assert_int_equal(e.expected, LS_ANSWER_FOUND);
    assert_int_equal(e.flags.count, 3);
    assert_string_equal(e.flags.items[2], "A=b c");
    assert_int_equal(e.patterns.count, 1);
    text = "// unknown\n// lockstep: verify --block 8\n";
    assert_true(ls_expectation_read(&arena, text, strlen(text), &e));
    assert_int_equal(e.expected, LS_ANSWER_UNKNOWN);
    assert_string_equal(e.subcommand, "verify");
    assert_int_equal(e.flags.count, 2);
    text = "//xfail:COMMAND_LINE_ERROR\n//--global_size=64 --num_groups=2\n//--num_groups=: not allowed\n";
    assert_true(ls_expectation_read(&arena, text, strlen(text), &e));
    assert_int_equal(e.flags.count, 2);
    assert_string_equal(e.patterns.items[0], "--num_groups=: not allowed");
    assert_false(ls_expectation_read(&arena, "", 0, &e));
    assert_false(ls_expectation_read(&arena, "//passes", 8, &e));
    assert_false(ls_expectation_read(&arena, "int x;", 6, &e));
    ls_arena_free(&arena);
}

static void flags_are_translated(void **state) {
    (void)state;
    static const struct {
        const char *flags, *arguments;
    } cases[] = {
        {"--local_size=64 --num_groups=[8,8]", "--block=64 --grid=[8,8]"},
        {"--blockDim=[8,4] --gridDim=2", "--block=[8,4] --grid=2"},
        {"--global_size=[64,32] --local_size=[8,4]", "--grid=8,8,1 --block=[8,4]"},
        {"--global_size=65 --local_size=8", "--grid=65/8 --block=8"},
        {"--global_size=64 --local_size=8 --num_groups=8", "--grid=64/8 --block=8 --grid=8"},
        {"--local_size=* --global_size=64", ""},
        {"--local_size=8 --num_groups=*", "--block=8"},
        {"--no-inline -DN=3 --boogie-opt=/x", "-DN=3"},
        {"--clang-opt=-DX -Ifoo", "-Ifoo -- -DX"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ls_arena arena;
        ls_arena_init(&arena);
        ls_buf text = {0}, joined = {0};
        ls_buf_printf(&text, "//pass\n//%s\n", cases[i].flags);
        ls_expectation e;
        assert_true(ls_expectation_read(&arena, ls_buf_text(&text), text.length, &e));
        ls_list arguments = {0}, ignored = {0};
        ls_expectation_flags(&arena, &e, ls_command_find("ptx"), &arguments, &ignored);
        for (uint32_t k = 0; k < arguments.count; k++)
            ls_buf_printf(&joined, "%s%s", k ? " " : "", arguments.items[k]);
        assert_string_equal(ls_buf_text(&joined), cases[i].arguments);
        ls_buf_free(&text);
        ls_buf_free(&joined);
        ls_arena_free(&arena);
    }
}

static void patterns_match_lines(void **state) {
    (void)state;
    bool error;
    assert_true(ls_pattern_matches("^b\\d+$", "a\nb12\nc", &error));
    assert_true(ls_pattern_matches("[\\d]x(?:y|z)", "1xz", &error));
    assert_true(ls_pattern_matches("a.*?b+?c", "axbbc", &error));
    assert_true(ls_pattern_matches("a++++++++++++++++++++++++++++++++++++++++b", "aab", &error));
    assert_false(ls_pattern_matches("((((a{99}){99}){99}){99})", "a", &error));
    assert_true(error);
    assert_false(ls_pattern_matches("a.b", "a\nb", &error));
    assert_false(error);
    assert_false(ls_pattern_matches("(", "(", &error));
    assert_true(error);
}

/* --- Pieces -------------------------------------------------------------------------------------------- */

static void kernels_are_chosen_by_any_of_their_names(void **state) {
    (void)state;
    static const struct {
        const char *wanted, *name, *demangled;
        bool found;
    } cases[] = {
        {"scan", "scan", "scan", true},
        {"_Z4scanPi", "_Z4scanPi", "scan(int*)", true},
        {"scan", "_Z4scanPi", "scan(int*)", true},
        {"scan(int*)", "_Z4scanPi", "scan(int*)", true},
        {"scan", "_Z4scanILi3EEvPi", "void scan<3>(int*)", true},
        {"scan<3>", "_Z4scanILi3EEvPi", "void scan<3>(int*)", true},
        {"scan<4>", "_Z4scanILi3EEvPi", "void scan<3>(int*)", false},
        {"scan", "_ZN2ns4scanEPi", "ns::scan(int*)", true},
        {"can", "_Z4scanPi", "scan(int*)", false},
        {"int", "_Z4scanPi", "scan(int*)", false},
        {"sca", "_Z4scanPi", "scan(int*)", false},
        {"", "_Z4scanPi", "scan(int*)", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ls_common common = {.kernels = {(const char *[]){cases[i].wanted}, 1, 1}};
        if (ls_cli_wants_kernel(&common, cases[i].name, cases[i].demangled) != cases[i].found)
            fail_msg("--kernel '%s' for %s", cases[i].wanted, cases[i].demangled);
    }
    assert_true(ls_cli_wants_kernel(&(ls_common){0}, "k", NULL));
}

static void colours_follow_the_rules(void **state) {
    (void)state;
    setenv("NO_COLOR", "1", 1);
    assert_true(ls_cli_colors(&(ls_common){.color = 1}, stdout));
    assert_false(ls_cli_colors(&(ls_common){.color = 2}, stdout));
    assert_false(ls_cli_colors(&(ls_common){0}, stdout));
    unsetenv("NO_COLOR");
}

static void endless_children_are_ended(void **state) {
    (void)state;
    char program[] = "/bin/sleep", time[] = "100", *argv[] = {program, time, NULL};
    ls_child_run(argv, NULL, 0.1, &last);
    assert_int_equal(last.end, LS_CHILD_TIMEOUT);
    assert_true(last.seconds < 50);
    char nothing[] = "/no/such/program", *none[] = {nothing, NULL};
    ls_child_run(none, NULL, 1, &last);
    assert_int_equal(last.end, LS_CHILD_FAILED);
}

#define TEST(name) cmocka_unit_test_teardown(name, forget)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(help_names_every_subcommand),
        TEST(help_names_every_option),
        TEST(version_is_printed),
        TEST(tables_are_well_formed),
        TEST(completion_is_valid_shell),
        TEST(arguments_are_taken_as_people_write_them),
        TEST(mistakes_are_explained),
        TEST(unreadable_input_is_status_2),
        TEST(errors_have_an_excerpt_and_colour),
        TEST(ptx_prints_what_it_parsed),
        TEST(ptx_dumps_tree_and_graph),
        TEST(ptx_lists_kernels),
        TEST(expect_agrees),
        TEST(expect_names_disagreements),
        TEST(expect_prints_json),
        TEST(headers_are_read),
        TEST(flags_are_translated),
        TEST(patterns_match_lines),
        TEST(kernels_are_chosen_by_any_of_their_names),
        TEST(colours_follow_the_rules),
        TEST(endless_children_are_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
