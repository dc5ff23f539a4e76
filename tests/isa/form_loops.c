/* The emulator's forms: what it makes of a kernel of one instruction, on many threads. */
#include "emulate/machine.h"
#include "forms.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 256 };

/* Whether some of the code goes lane by lane through the meaning. */
static bool is_scalar(ls_emulator *e, const ls_ptx_function *function) {
    const code *c = em_code_of(e, function);
    for (uint32_t i = 0; i < c->insn_count; i++)
        if (c->insns[i].fn == em_exec_scalar) return true;
    return false;
}

/* What the threads were given, and what they have made of it, against the meaning. */
static void compare(form *f, const char *where, uint32_t threads, bool uniform, uint64_t (*in)[FORM_IN / 8],
                    uint64_t (*out)[FORM_OUT / 8]) {
    for (uint32_t t = 0; t < threads; t++) {
        const uint64_t *mine = in[uniform ? 0 : t];
        uint64_t s[LS_ISA_SOURCES] = {0}, more[LS_ISA_MORE] = {0};
        for (uint32_t k = 0; k < f->sources; k++) s[k] = f->from[k] == 'c' ? mine[k] & 1 : mine[k];
        uint64_t want = f->isa.fn(&f->isa, s, more);
        for (uint32_t k = 0; k < f->results; k++) {
            uint64_t right = k ? more[k - 1] : want;
            if (!form_agrees(f, k, right, out[t][k])) form_fail(f, where, s, right, out[t][k]);
        }
    }
}

ls_emu_result *form_run(form *f, ls_emulator *e, const char *kernel, uint32_t threads,
                        const ls_emu_options *options, const char *where) {
    uint64_t params[2] = {ls_emulator_alloc(e, threads * FORM_IN, "in"),
                          ls_emulator_alloc(e, threads * FORM_OUT, "out")};
    uint64_t(*in)[FORM_IN / 8] = (void *)(uintptr_t)params[0];
    for (uint32_t t = 0; t < threads; t++)
        for (uint32_t k = 0; k < f->sources; k++) in[t][k] = draw_source(f, k);
    ls_emu_launch launch = {kernel, {1, 1, 1}, {threads, 1, 1}, 0, params, sizeof params};
    ls_emu_result *r = ls_emulator_run(e, &launch, options);
    if (r->status != LS_EMU_DONE) fail_msg("%s: %s", f->text, r->message ? r->message : "it does not run");
    compare(f, where, threads, !strcmp(kernel, FORM_UNIFORM), in, (void *)(uintptr_t)params[1]);
    return r;
}

void check_loops(form *f) {
    ls_diags *diags = ls_diags_new();
    ls_emulator *e = ls_emulator_new(f->module, diags);
    assert_non_null(e);
    ls_emu_result_free(
        form_run(f, e, FORM_KERNEL, THREADS, &(ls_emu_options){.threads = 1, .timeout = 60}, "the emulator"));
    coverage *c = &covered[f->instr->op];
    *(is_scalar(e, f->module->functions[0]) ? &c->scalars : &c->loops) += 1;
    ls_emulator_free(e);
    ls_diags_free(diags);
}
