/* The benchmark's eleven kinds of programs (002, Table V) at small sizes in the emulator: correct forms are
 * clean and leave what a plain launch leaves; forms with a race are found, at lines that kernels.cu marks,
 * and the emulator's own race checker agrees on every pair of lines. programs.ptx is made of
 * bench/gpu/detect/kernels.cu. */
#include "../../bench/gpu/detect/programs.h"
#include "base/buf.h"
#include "lockstep/emulate.h"
#include "marks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static ls_buf read_text(const char *folder, const char *name) {
    char path[512];
    ls_buf text = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(ls_read_file(path, &text));
    return text;
}

static bool confirms(const ls_emu_result *r, const ls_finding *race) {
    for (uint32_t i = 0; i < r->finding_count; i++) {
        const ls_finding *f = &r->findings[i];
        if (f->rule != LS_RULE_RACE_SHARED && f->rule != LS_RULE_RACE_GLOBAL) continue;
        uint32_t other = ls_finding_other(f)->line, line = ls_finding_other(race)->line;
        if ((f->place.line == race->place.line && other == line) ||
            (f->place.line == line && other == race->place.line))
            return true;
    }
    return false;
}

static ls_emu_result *emulate(const ls_buf *ptx, const job *j, ls_diags *diags, ls_ptx_module **module,
                              ls_emulator **emulator) {
    *module = ls_ptx_parse(ptx->text, ptx->length, "programs.ptx", diags);
    assert_non_null(*module);
    *emulator = ls_emulator_new(*module, diags);
    for (uint32_t i = 0; i < j->launch.buffer_count; i++)
        ls_emulator_map(*emulator, (void *)(uintptr_t)j->buffers[i].address, j->buffers[i].size, "buffer");
    ls_emu_launch launch = {.kernel = j->launch.kernel,
                            .shared_bytes = j->launch.shared_bytes,
                            .params = j->launch.params,
                            .params_size = j->launch.params_size};
    memcpy(launch.grid, j->launch.grid, sizeof launch.grid);
    memcpy(launch.block, j->launch.block, sizeof launch.block);
    ls_emu_options options = {.checks = LS_CHECK_RACE, .warp_synchronous = true, .threads = 1};
    return ls_emulator_run(*emulator, &launch, &options);
}

static void check_program(const struct program *p, bool racy, const ls_buf *ptx, const ls_buf *source) {
    char name[64];
    job j;
    ls_diags *diags = ls_diags_new();
    ls_detect_device *device = ls_detect_emulator(diags);
    ls_ptx_module *module;
    ls_emulator *emulator;
    snprintf(name, sizeof name, "%s%s", p->name, racy ? "_racy" : "");
    open_job(&j, device, p, name, p->small);
    ls_emu_result *e = emulate(ptx, &j, diags, &module, &emulator);
    assert_int_equal(e->status, LS_EMU_DONE);
    void *expected[8];
    for (uint32_t i = 0; i < j.launch.buffer_count; i++) {
        expected[i] = malloc(j.buffers[i].size);
        ls_detect_read(device, expected[i], j.buffers[i].address, j.buffers[i].size);
    }
    start(&j);
    /* bfs writes equal values: the paper's benign races, which count where they are asked for. */
    ls_detect_options options = LS_OPTIONS(ls_detect_options, .equal_values = true);
    ls_detect_result *r =
        ls_detect_check(device, ptx->text, ptx->length, "programs.ptx", &j.launch, &options, diags);
    if (r->status != (racy ? LS_DETECT_RACY : LS_DETECT_CLEAN)) {
        fail_msg("%s: status %d%s%s", name, r->status, r->message ? ": " : "", r->message ? r->message : "");
    }
    for (const ls_finding *x = r->findings; x; x = x->next) {
        if (!is_marked(source, x->place.line, p->name) &&
            !is_marked(source, ls_finding_other(x)->line, p->name))
            fail_msg("%s: lines %u and %u are not marked", name, x->place.line, ls_finding_other(x)->line);
        if (!confirms(e, x))
            fail_msg("%s: the emulator has no race at lines %u and %u", name, x->place.line,
                     ls_finding_other(x)->line);
    }
    for (uint32_t i = 0; i < j.launch.buffer_count; i++) {
        void *now = malloc(j.buffers[i].size);
        ls_detect_read(device, now, j.buffers[i].address, j.buffers[i].size);
        if (!racy) assert_memory_equal(now, expected[i], j.buffers[i].size);
        free(now), free(expected[i]);
    }
    ls_detect_result_free(r);
    ls_emu_result_free(e);
    ls_emulator_free(emulator);
    ls_ptx_module_free(module);
    close_job(&j);
    ls_detect_device_free(device);
    ls_diags_free(diags);
}

static void every_program(void **state) {
    (void)state;
    ls_buf ptx = read_text(TEST_DIR, "data/programs.ptx");
    ls_buf source = read_text(SOURCE_DIR, "bench/gpu/detect/kernels.cu");
    for (int i = 0; i < PROGRAMS; i++)
        for (int racy = 0; racy < 2; racy++) check_program(&programs[i], racy, &ptx, &source);
    ls_buf_free(&ptx);
    ls_buf_free(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_program)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
