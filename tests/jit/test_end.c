/* A process that ends while a thread of it compiles: that thread has ended before anything is done that was
 * left for the process's end, as a compiler's library is taken apart there. Skipped where kernels are not
 * compiled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "emulate/compiled.h"
#include "lockstep/emulate.h"
#include "lockstep/jit.h"
#include "steps.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TOO_EARLY = 7 };

static atomic_bool begun, ended, ends;

static compiled_fn compile_slowly(compiled *c, unsigned variant, code_kind kind) {
    (void)c, (void)variant, (void)kind;
    atomic_store(&begun, true);
    for (int k = 0; k < 100 && !atomic_load(&ends); k++) usleep(2000);
    if (atomic_load(&ends)) _exit(TOO_EARLY);
    atomic_store(&ended, true);
    return NULL;
}

static void at_end(void) {
    atomic_store(&ends, true);
    while (!atomic_load(&ended)) usleep(1000);
}

/* Does not return. */
static void end_while_compiling(void) {
    static ls_diags *diags; /* not freed, but not lost either */
    static ls_ptx_module *module;
    static ls_emulator *e;
    static ls_emu_compiler slow;
    slow = *ls_jit_compiler();
    diags = ls_diags_new();
    module = ls_ptx_parse(STEPS, sizeof STEPS - 1, "steps.ptx", diags);
    e = ls_emulator_new(module, diags);
    uint64_t at = ls_emulator_alloc(e, 64 * 4, "a");
    ls_emu_launch launch = {
        .kernel = "steps", .grid = {1, 1, 1}, .block = {64, 1, 1}, .params = &at, .params_size = sizeof at};
    slow.make = compile_slowly;
    if (atexit(at_end)) _exit(1);
    while (!atomic_load(&begun))
        ls_emu_result_free(ls_emulator_run(
            e, &launch, &(ls_emu_options){.jit = LS_JIT_AUTO, .compiler = &slow, .threads = 1}));
    exit(0);
}

static void waits(void **state) {
    (void)state;
    if (!ls_jit_compiler()) skip();
    int status = 0;
    const pid_t child = fork();
    if (!child) end_while_compiling();
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(waits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
