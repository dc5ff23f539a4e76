/* Compiled code: what is made of a kernel of one instruction, for sources that differ between the lanes, for
 * sources that all lanes have alike, which are scalars there, and for warps of which only some lanes run. */
#include "emulate/compiled.h"
#include "forms.h"
#include "jit/effects.h"
#include "lockstep/jit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Whether no instruction of the kernel is left to the interpreter's operations. */
static bool has_own_code(form *f) {
    bool own = true;
    ls_diags *diags = ls_diags_new();
    ls_emulator *e = ls_emulator_new(f->module, diags);
    assert_non_null(e);
    ls_emu_result_free(
        form_run(f, e, FORM_KERNEL, 1, &(ls_emu_options){.threads = 1, .timeout = 60}, "the emulator"));
    const code *c = em_code_of(e, f->module->functions[0]);
    for (uint32_t k = 0; k < c->insn_count && own; k++) {
        effect what;
        jit_effect(&c->insns[k], c->insns[k].fn, &what);
        own = c->insns[k].fn == em_exec_exit || (what.deed != DO_STOP && what.deed != DO_CALL && !what.slow);
    }
    ls_emulator_free(e);
    ls_diags_free(diags);
    return own;
}

static void run_compiled(form *f, const char *kernel, uint32_t threads) {
    const ls_emu_options options = {
        .threads = 1, .timeout = 60, .jit = LS_JIT_ON, .compiler = ls_jit_compiler()};
    ls_diags *diags = ls_diags_new();
    ls_emulator *e = ls_emulator_new(f->module, diags);
    assert_non_null(e);
    ls_emu_result *r = form_run(f, e, kernel, threads, &options, "compiled code");
    if (!r->compiled_runs) fail_msg("%s: not compiled: %s", f->text, r->not_compiled ? r->not_compiled : "?");
    ls_emu_result_free(r);
    ls_emulator_free(e);
    ls_diags_free(diags);
}

/* Compiling is what takes long. The code for some lanes is the same with a mask, and where the interpreter's
 * operation is called there is none: these are made of the first form of each opcode and of some others, or
 * of all where FORMS_ALL is set. */
void check_compiled(form *f) {
    coverage *c = &covered[f->instr->op];
    const bool own = has_own_code(f), more = c->forms % 8 == 1 || getenv("FORMS_ALL");
    c->compiled += own;
    if (own || more) run_compiled(f, FORM_KERNEL, 64);
    if (own || more) run_compiled(f, FORM_UNIFORM, 64);
    if (more) run_compiled(f, FORM_KERNEL, 20);
}
