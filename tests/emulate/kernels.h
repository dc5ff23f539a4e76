/* What tests with small PTX kernels share: a kernel around a body, a run, and what came of it. */
#ifndef LS_TESTS_EMULATE_KERNELS_H
#define LS_TESTS_EMULATE_KERNELS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lockstep/emulate.h"

#define HEADER ".version 8.0\n.target sm_80\n.address_size 64\n"
/* A kernel of one pointer: %t is tid.x, %i the global index, %o the address of out[%i]. */
#define KERNEL(shared, body)                                                                                 \
    HEADER ".visible .entry k(.param .u64 out)\n{\n" shared                                                  \
           ".reg .b32 %t, %i, %n, %r<16>;\n.reg .b64 %o, %base, %d<8>;\n.reg .pred %p<4>;\n"                 \
           "ld.param.u64 %base, [out];\nmov.u32 %t, %tid.x;\nmov.u32 %n, %ntid.x;\nmov.u32 %i, %ctaid.x;\n"  \
           "mad.lo.u32 %i, %i, %n, %t;\nmul.wide.u32 %o, %i, 4;\nadd.u64 %o, %o, %base;\n" body "ret;\n}\n"

#ifndef KERNEL_WORDS
#define KERNEL_WORDS 1024 /* of out */
#endif
enum { MOST = KERNEL_WORDS };

typedef struct {
    uint32_t out[MOST];
    ls_emu_status status;
    uint32_t races, barriers, bounds, misaligned, uninitialized, notes, banks, uncoalesced;
    uint32_t line, other_line; /* of the first error */
    uint32_t block;            /* of its example */
    uint32_t worst;
    uint64_t shadow_bytes;
    char message[256];
} outcome;

static inline void count(outcome *o, const ls_finding *f) {
    if (f->level == LS_NOTE) o->notes++;
    if (f->level == LS_ERROR && !o->line && f->story && f->story->actors)
        o->block = f->story->actors->block[0];
    if (f->level == LS_ERROR && !o->line)
        o->line = f->place.ptx_line, o->other_line = f->related ? f->related->place.ptx_line : 0;
    switch (f->rule) {
    case LS_RULE_RACE_SHARED:
    case LS_RULE_RACE_GLOBAL: o->races += f->level == LS_ERROR; break;
    case LS_RULE_BARRIER_DIVERGENCE: o->barriers++; break;
    case LS_RULE_MEMORY_BOUNDS: o->bounds++; break;
    case LS_RULE_MEMORY_MISALIGNED: o->misaligned++; break;
    case LS_RULE_MEMORY_UNINITIALIZED: o->uninitialized++; break;
    case LS_RULE_BANK_CONFLICT:
        o->banks++, o->worst = (uint32_t)ls_fields_find(f->detail, "degree")->value.natural;
        break;
    case LS_RULE_COALESCING: o->uncoalesced++; break;
    default: break;
    }
}

static inline outcome run_with(const char *ptx, uint32_t grid, uint32_t block, ls_emu_options options) {
    outcome o = {.status = LS_EMU_INVALID};
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx, strlen(ptx), "test.ptx", diags);
    for (uint32_t k = 0; k < ls_diags_count(diags); k++)
        print_message("%s\n", ls_diags_at(diags, k)->message);
    assert_non_null(module);
    ls_emulator *e = ls_emulator_new(module, diags);
    assert_non_null(e);
    uint64_t out = ls_emulator_alloc(e, sizeof o.out, "out");
    ls_emu_launch launch = {"k", {grid, 1, 1}, {block, 1, 1}, 0, &out, sizeof out};
    if (!options.timeout) options.timeout = 20;
    options.timeout_in_cpu_time = true; /* other work on the machine changes nothing */
    ls_emu_result *r = ls_emulator_run(e, &launch, &options);
    o.status = r->status;
    o.shadow_bytes = r->shadow_bytes;
    snprintf(o.message, sizeof o.message, "%s", r->message ? r->message : "");
    memcpy(o.out, (void *)(uintptr_t)out, sizeof o.out);
    for (uint32_t k = 0; k < r->finding_count; k++) count(&o, &r->findings[k]);
    ls_emu_result_free(r);
    ls_emulator_free(e);
    ls_ptx_module_free(module);
    ls_diags_free(diags);
    return o;
}

static inline outcome run(const char *ptx, uint32_t grid, uint32_t block) {
    return run_with(ptx, grid, block, (ls_emu_options){.checks = LS_CHECK_ALL, .threads = 1});
}

#endif
