/* Round trip: text → tree → text must mean the same. Always: printing what was printed gives the same bytes,
 * and every opcode of the instruction table occurs in the stored kernels. Where ptxas is installed: the
 * machine code (.text sections of the cubins) of the printed text equals the original's byte for byte, for
 * the stored kernels; where nvcc is, also for kernels.cu at three architectures, with line information,
 * debug information and relocatable code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lockstep/ptx.h"

#include <elf.h>
#include <glob.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static char directory[] = "/tmp/lockstep-roundtrip-XXXXXX";

static ls_ptx_module *parse_file(const char *path, ls_buf *text) {
    ls_diags *diags = ls_diags_new();
    assert_true(ls_read_file(path, text));
    ls_ptx_module *module = ls_ptx_parse(text->text, text->length, path, diags);
    for (uint32_t i = 0; i < ls_diags_count(diags); i++)
        print_message("%s:%u:%u: %s\n", path, ls_diags_at(diags, i)->line, ls_diags_at(diags, i)->column,
                      ls_diags_at(diags, i)->message);
    assert_int_equal(ls_diags_count(diags), 0); /* not even an unknown modifier */
    ls_diags_free(diags);
    assert_non_null(module);
    return module;
}

static void for_each_kernel(void (*body)(const char *path)) {
    glob_t found;
    assert_int_equal(glob(TEST_DIR "/kernels/*.ptx", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) body(found.gl_pathv[i]);
    globfree(&found);
}

/* --- Without ptxas ----------------------------------------------------------------------------------------
 */
static void check_fixed_point(const char *path) {
    ls_buf text = {0};
    ls_ptx_module *first = parse_file(path, &text);
    char *once = ls_ptx_print(first, NULL);
    ls_ptx_module *second = ls_ptx_parse(once, strlen(once), path, NULL);
    assert_non_null(second);
    char *twice = ls_ptx_print(second, NULL);
    assert_string_equal(once, twice);
    char *tree = ls_ptx_dump_ast(first);
    assert_true(strlen(tree) > 100);
    free(tree);
    free(once);
    free(twice);
    ls_ptx_module_free(first);
    ls_ptx_module_free(second);
    ls_buf_free(&text);
}

static void printing_is_a_fixed_point(void **state) {
    (void)state;
    for_each_kernel(check_fixed_point);
}

static bool seen[LS_OP_COUNT];

static void note_block(const ls_ptx_block *block) {
    for (uint32_t i = 0; i < block->count; i++) {
        if (block->stmts[i].kind == LS_STMT_INSTR) seen[block->stmts[i].instr->form->op] = true;
        if (block->stmts[i].kind == LS_STMT_BLOCK) note_block(block->stmts[i].block);
    }
}

static void note_opcodes(const char *path) {
    ls_buf text = {0};
    ls_ptx_module *module = parse_file(path, &text);
    for (uint32_t i = 0; i < module->function_count; i++)
        if (module->functions[i]->body) note_block(module->functions[i]->body);
    ls_ptx_module_free(module);
    ls_buf_free(&text);
}

static void every_opcode_occurs(void **state) {
    (void)state;
    /* In PTX ISA 9.0's text, but on no target that this ptxas has; and `bar`, which only heads the others. */
    static const ls_ptx_op absent[] = {LS_OP_BAR, LS_OP_MULTIMEM_CP_ASYNC_BULK,
                                       LS_OP_MULTIMEM_CP_REDUCE_ASYNC_BULK, LS_OP_TCGEN05_LD_RED};
    for_each_kernel(note_opcodes);
    for (size_t i = 0; i < sizeof absent / sizeof *absent; i++) seen[absent[i]] = true;
    for (int op = LS_OP_UNKNOWN + 1; op < LS_OP_COUNT; op++)
        if (!seen[op]) fail_msg("no stored kernel has '%s'", ls_ptx_opcode_of((ls_ptx_op)op)->name);
    assert_false(seen[LS_OP_UNKNOWN]);
}

/* --- With ptxas and nvcc ----------------------------------------------------------------------------------
 */
static bool find_tool(const char *name, char *path, size_t size) {
    const char *dirs = getenv("PATH");
    char list[4096];
    snprintf(list, sizeof list, "%s:/usr/local/cuda/bin", dirs ? dirs : "");
    char *rest = list, *dir;
    while ((dir = strsep(&rest, ":"))) {
        snprintf(path, size, "%s/%s", dir, name);
        if (*dir && access(path, X_OK) == 0) return true;
    }
    return false;
}

static bool run(char *const *argv) {
    pid_t child;
    int status;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", 1, 0);
    bool started = posix_spawn(&child, argv[0], &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return started && waitpid(child, &status, 0) == child && status == 0;
}

static bool assemble(const char *ptxas, const ls_ptx_module *module, const char *ptx, const char *cubin) {
    bool debug = false;
    for (uint32_t i = 0; i < module->target_count; i++) debug |= strcmp(module->targets[i], "debug") == 0;
    char *argv[] = {(char *)(uintptr_t)ptxas,
                    (char *)(uintptr_t)"-arch",
                    (char *)(uintptr_t)module->targets[0],
                    (char *)(uintptr_t)"-c",
                    (char *)(uintptr_t)ptx,
                    (char *)(uintptr_t)"-o",
                    (char *)(uintptr_t)cubin,
                    (char *)(uintptr_t)(debug ? "-g" : NULL),
                    NULL};
    return run(argv);
}

/* Compares the .text sections of two cubins, by name; returns how many there are, or -1 where they differ. */
static int compare_code(const ls_buf *a, const ls_buf *b) {
    const Elf64_Ehdr *ha = (const void *)a->text, *hb = (const void *)b->text;
    const Elf64_Shdr *sa = (const void *)(a->text + ha->e_shoff), *sb = (const void *)(b->text + hb->e_shoff);
    const char *na = a->text + sa[ha->e_shstrndx].sh_offset, *nb = b->text + sb[hb->e_shstrndx].sh_offset;
    int count = 0;
    for (int i = 0; i < ha->e_shnum; i++) {
        const char *name = na + sa[i].sh_name;
        if (strncmp(name, ".text", 5) != 0) continue;
        bool same = false;
        for (int k = 0; k < hb->e_shnum && !same; k++)
            same = strcmp(nb + sb[k].sh_name, name) == 0 && sb[k].sh_size == sa[i].sh_size &&
                   memcmp(a->text + sa[i].sh_offset, b->text + sb[k].sh_offset, sa[i].sh_size) == 0;
        if (!same) return -1;
        count++;
    }
    return count;
}

static void check_machine_code(const char *ptxas, const char *path) {
    char ptx[256], cubins[2][256];
    snprintf(ptx, sizeof ptx, "%s/printed.ptx", directory);
    for (int i = 0; i < 2; i++) snprintf(cubins[i], sizeof cubins[i], "%s/%d.cubin", directory, i);
    ls_buf text = {0}, codes[2] = {{0}, {0}};
    ls_ptx_module *module = parse_file(path, &text);
    size_t length;
    char *printed = ls_ptx_print(module, &length);
    assert_true(ls_write_file(ptx, printed, length));
    if (!assemble(ptxas, module, path, cubins[0])) {
        print_message("skipped: this ptxas does not take %s\n", path);
    } else {
        if (!assemble(ptxas, module, ptx, cubins[1])) fail_msg("ptxas refuses what was printed for %s", path);
        for (int i = 0; i < 2; i++) assert_true(ls_read_file(cubins[i], &codes[i]));
        int sections = compare_code(&codes[0], &codes[1]);
        if (sections < 1) fail_msg("machine code differs for %s", path);
    }
    for (int i = 0; i < 2; i++) ls_buf_free(&codes[i]);
    free(printed);
    ls_ptx_module_free(module);
    ls_buf_free(&text);
}

static void machine_code_of_stored_kernels(void **state) {
    (void)state;
    char ptxas[512];
    if (!find_tool("ptxas", ptxas, sizeof ptxas)) {
        print_message("skipped: ptxas is not installed\n");
        skip();
    }
    glob_t found;
    assert_int_equal(glob(TEST_DIR "/kernels/*.ptx", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) check_machine_code(ptxas, found.gl_pathv[i]);
    globfree(&found);
}

static void machine_code_of_compiled_kernels(void **state) {
    (void)state;
    char nvcc[512], ptxas[512], ptx[256], arch[32];
    if (!find_tool("nvcc", nvcc, sizeof nvcc) || !find_tool("ptxas", ptxas, sizeof ptxas)) {
        print_message("skipped: nvcc is not installed\n");
        skip();
    }
    static const char *const arches[] = {"sm_75", "sm_80", "sm_90a"};
    static const char *const flags[] = {"-lineinfo", "-G", "-rdc=true"};
    snprintf(ptx, sizeof ptx, "%s/compiled.ptx", directory);
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            snprintf(arch, sizeof arch, "-arch=%s", arches[i]);
            char *argv[] = {nvcc,
                            (char *)(uintptr_t)"-ptx",
                            arch,
                            (char *)(uintptr_t)flags[k],
                            (char *)(uintptr_t)"-std=c++17",
                            (char *)(uintptr_t)(TEST_DIR "/kernels/kernels.cu"),
                            (char *)(uintptr_t)"-o",
                            ptx,
                            NULL};
            if (!run(argv)) fail_msg("nvcc %s %s", arch, flags[k]);
            check_machine_code(ptxas, ptx);
        }
}

static int make_directory(void **state) {
    (void)state;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state) {
    (void)state;
    char pattern[64];
    snprintf(pattern, sizeof pattern, "%s/*", directory);
    glob_t found;
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) unlink(found.gl_pathv[i]);
        globfree(&found);
    }
    return rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printing_is_a_fixed_point),
        cmocka_unit_test(every_opcode_occurs),
        cmocka_unit_test(machine_code_of_stored_kernels),
        cmocka_unit_test(machine_code_of_compiled_kernels),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
