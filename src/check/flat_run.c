/* ls_flat_run (lockstep/flat.h): a kernel with the caller's own memory. */
#include "base/recover.h"
#include "check/flat.h"
#include "check/tell.h"
#include "frontend/choose.h"
#include "lockstep/flat.h"

#include <string.h>

typedef struct {
    const uint8_t *kinds;
    void *const *data;
    const uint64_t *sizes;
    const char *const *names;
    uint32_t count;
} arguments;

/* A number in the format of the parameter's type; false if the parameter is not a number. */
static bool put_number(const ls_ptx_variable *v, uint64_t room, bool real, const void *data, char *to) {
    int64_t whole = 0;
    double value = 0;
    if (real)
        memcpy(&value, data, 8);
    else
        memcpy(&whole, data, 8);
    if (room > 8 || v->dimension_count) return false;
    bool is_float = ls_ptx_type_kind_of((ls_ptx_type)v->type) == LS_KIND_FLOAT || real;
    if (!is_float) {
        memcpy(to, &whole, room);
        return true;
    }
    double number = real ? value : (double)whole;
    float single = (float)number;
    if (room != 4 && room != 8) return false;
    memcpy(to, room == 4 ? (const void *)&single : (const void *)&number, room);
    return true;
}

static bool put_argument(ls_emulator *emulator, const ls_ptx_function *f, uint32_t i, const arguments *a,
                         char *to, const char *path, ls_diags *diags) {
    const ls_ptx_variable *v = f->params[i];
    uint64_t room = ls_ptx_variable_size(v), address = (uint64_t)(uintptr_t)a->data[i];
    bool good;
    switch (a->kinds[i]) {
    case LS_FLAT_BYTES:
        good = a->sizes[i] == room;
        if (good) memcpy(to, a->data[i], room);
        break;
    case LS_FLAT_MEMORY:
        good = room == 8;
        if (good) memcpy(to, &address, 8);
        if (good && a->sizes[i])
            ls_emulator_map(emulator, a->data[i], a->sizes[i],
                            a->names && a->names[i] ? a->names[i] : v->symbol->name);
        break;
    default: good = put_number(v, room, a->kinds[i] == LS_FLAT_REAL, a->data[i], to); break;
    }
    if (!good)
        ls_diags_add(diags, LS_ERROR, path, 0, 0,
                     "argument %u ('%s') has %llu bytes as a parameter, but the argument has another size", i,
                     v->symbol->name, (unsigned long long)room);
    return good;
}

static bool put_arguments(ls_emulator *emulator, const ls_ptx_function *f, const arguments *a, bool zero,
                          char *params, const uint32_t *offsets, const char *path, ls_diags *diags) {
    if (a->count > f->param_count || (a->count < f->param_count && !zero)) {
        ls_diags_add(diags, LS_ERROR, path, 0, 0, "the kernel has %u parameters, and %u arguments are given",
                     f->param_count, a->count);
        return false;
    }
    for (uint32_t i = 0; i < a->count; i++)
        if (!put_argument(emulator, f, i, a, params + offsets[i], path, diags)) return false;
    return true;
}

static void run_kernel(const ls_compiled *compiled, const ls_ptx_module *module, ls_report_file *file,
                       const ls_flat *flat, const uint32_t grid[3], const uint32_t block[3],
                       const arguments *a) {
    const ls_compiled_kernel *kernel = ls_compiled_only(compiled, file->path, flat->kernel, file->diags);
    const ls_ptx_function *f = kernel ? ls_ptx_find_function(module, kernel->name) : NULL;
    if (!f || !f->body) return;
    ls_report_kernel *entry = ls_report_add_kernel(file, kernel->name, kernel->demangled);
    ls_report_place(entry, (ls_place){kernel->file, kernel->line, 0});
    ls_report_launch(entry, block, grid, NULL);
    ls_arena arena;
    ls_arena_init(&arena);
    uint32_t *offsets = LS_NEW_N(&arena, uint32_t, f->param_count + 1);
    size_t size = ls_emu_param_offsets(f, offsets);
    char *params = ls_arena_zalloc(&arena, size + 8);
    ls_emulator *emulator = ls_emulator_new(module, file->diags);
    for (uint32_t k = 0; emulator && k < compiled->local_count; k++)
        ls_emulator_local(emulator, compiled->locals[k].function, compiled->locals[k].offset,
                          compiled->locals[k].size);
    if (emulator &&
        put_arguments(emulator, f, a, flat->missing_zero, params, offsets, file->path, file->diags)) {
        ls_emu_launch launch = {.kernel = kernel->name, .params = params, .params_size = size};
        launch.shared_bytes = flat->has_shared       ? flat->shared
                              : kernel->shared_known ? kernel->shared_bytes
                                                     : 0;
        memcpy(launch.grid, grid, sizeof launch.grid);
        memcpy(launch.block, block, sizeof launch.block);
        ls_emu_options how = flat->run;
        how.timeout = flat->timeout;
        how.strict_exit |= compiled->language == LS_LANGUAGE_OPENCL;
        ls_emu_result *r = ls_emulator_run(emulator, &launch, &how);
        if (r->status == LS_EMU_INVALID)
            ls_diags_add(file->diags, LS_ERROR, file->path, 0, 0, "%s", r->message);
        else
            ls_tell_run(entry, r);
        ls_emu_result_free(r);
    }
    ls_emulator_free(emulator);
    ls_arena_free(&arena);
}

static char *run_flat(const char *path, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                      const uint8_t *kinds, void *const *data, const uint64_t *sizes,
                      const char *const *names, uint32_t count, const char *const *options,
                      uint32_t option_count) {
    ls_report *report = ls_report_new("run");
    ls_report_file *file = ls_report_add_file(report, path);
    ls_flat flat;
    ls_compiled compiled;
    arguments a = {kinds, data, sizes, names, count};
    bool good = ls_flat_options(&flat, options, option_count, file->diags);
    if (kernel) flat.kernel = kernel;
    flat.frontend.form = LS_FORM_AS_RUN;
    flat.frontend.checked = flat.frontend.separate_locals = true;
    if (good && ls_compile(path, &flat.frontend, &compiled, file->diags)) {
        ls_ptx_module *module = ls_ptx_parse(compiled.ptx, compiled.length, path, file->diags);
        if (module) run_kernel(&compiled, module, file, &flat, grid, block, &a);
        if (module) ls_ptx_module_free(module);
        ls_compiled_free(&compiled);
    }
    ls_flat_options_free(&flat);
    return ls_flat_print(report);
}

char *ls_flat_run(const char *path, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                  const uint8_t *kinds, void *const *data, const uint64_t *sizes, const char *const *names,
                  uint32_t count, const char *const *options, uint32_t option_count) {
    LS_GUARDED(NULL,
               run_flat(path, kernel, grid, block, kinds, data, sizes, names, count, options, option_count));
}
