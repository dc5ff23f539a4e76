/* The emulator's forms: what it makes of a kernel of one instruction, on many threads. */
#include "emulate/machine.h"
#include "forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { THREADS = 256 };

/* Whether some of the code goes lane by lane through the meaning. */
static bool is_scalar(ls_emulator *e, const ls_ptx_function *function) {
    const code *c = em_code_of(e, function);
    for (uint32_t i = 0; i < c->insn_count; i++)
        if (c->insns[i].fn == em_exec_scalar) return true;
    return false;
}

void check_loops(form *f) {
    ls_diags *diags = ls_diags_new();
    ls_emulator *e = ls_emulator_new(f->module, diags);
    assert_non_null(e);
    uint64_t params[2] = {ls_emulator_alloc(e, THREADS * FORM_IN, "in"),
                          ls_emulator_alloc(e, THREADS * FORM_OUT, "out")};
    uint64_t(*in)[FORM_IN / 8] = (void *)(uintptr_t)params[0];
    uint64_t(*out)[FORM_OUT / 8] = (void *)(uintptr_t)params[1];
    for (uint32_t t = 0; t < THREADS; t++)
        for (uint32_t k = 0; k < f->sources; k++) in[t][k] = draw_source(f, k);
    ls_emu_launch launch = {FORM_KERNEL, {1, 1, 1}, {THREADS, 1, 1}, 0, params, sizeof params};
    ls_emu_result *r = ls_emulator_run(e, &launch, &(ls_emu_options){.threads = 1, .timeout = 60});
    if (r->status != LS_EMU_DONE) fail_msg("%s: %s", f->text, r->message ? r->message : "it does not run");
    for (uint32_t t = 0; t < THREADS; t++) {
        uint64_t s[LS_ISA_SOURCES] = {0}, more[LS_ISA_MORE] = {0};
        for (uint32_t k = 0; k < f->sources; k++) s[k] = f->from[k] == 'c' ? in[t][k] & 1 : in[t][k];
        uint64_t want = f->isa.fn(&f->isa, s, more);
        for (uint32_t k = 0; k < f->results; k++) {
            uint64_t right = k ? more[k - 1] : want;
            if (!form_agrees(f, k, right, out[t][k])) form_fail(f, "the emulator", s, right, out[t][k]);
        }
    }
    ls_emu_result_free(r);
    coverage *c = &covered[f->instr->op];
    *(is_scalar(e, f->module->functions[0]) ? &c->scalars : &c->loops) += 1;
    ls_emulator_free(e);
    ls_diags_free(diags);
}
