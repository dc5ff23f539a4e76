/* Modules: PTX text or fat binaries, parsed once, with their variables in the device's memory. A kernel is
 * decoded when it is launched first, and stays so: it has an emulator of its own, which shares the module's
 * variables. */
#include "device/private.h"

#include "base/recover.h"
#include "ptx/image.h"

#include <stdio.h>
#include <stdlib.h>

enum { REGISTERS = 32 }; /* of a thread, where the PTX does not say: what most kernels need */

/* --- Kernels --- */
static bool is_wanted(const ls_dev *dev, const char *name) {
    const char *at = dev->options.kernels;
    if (!at || !*at) return true;
    size_t length = strlen(name);
    while (*at) {
        size_t n = strcspn(at, "\n");
        /* the plain name of a C++ function stands in the mangled one with its length before it */
        char part[256];
        int digits = snprintf(part, sizeof part, "%zu%.*s", n, (int)n, at);
        if ((n == length && !memcmp(at, name, n)) ||
            (digits > 0 && (size_t)digits < sizeof part && strstr(name, part)))
            return true;
        at += n + (at[n] == '\n');
    }
    return false;
}

static uint64_t tune(const ls_ptx_function *f, ls_ptx_tune_kind kind, uint64_t otherwise) {
    const ls_ptx_tune *t = ls_ptx_tune_of(f, kind);
    uint64_t n = 1;
    for (uint8_t k = 0; t && k < t->count; k++) n *= t->values[k];
    return t && t->count ? n : otherwise;
}

/* The architecture that the PTX was made for: libraries choose their code by it. */
static int target_of(const ls_ptx_module *ptx, int otherwise) {
    for (uint32_t k = 0; k < ptx->target_count; k++)
        if (!strncmp(ptx->targets[k], "sm_", 3)) return atoi(ptx->targets[k] + 3);
    return otherwise;
}

static void fill_info(ls_dev_module *module, ls_dev_kernel *k) {
    const ls_ptx_function *f = k->function;
    ls_kernel_info *i = &k->info;
    i->name = f->symbol->name;
    i->module = module;
    i->param_count = f->param_count;
    uint32_t *offsets = calloc(2 * (size_t)f->param_count + 1, sizeof *offsets),
             *sizes = offsets + f->param_count;
    if (!offsets) ls_escape();
    i->params_size = ls_emu_param_offsets(f, offsets);
    for (uint32_t n = 0; n < f->param_count; n++) {
        uint64_t bytes = ls_ptx_variable_size(f->params[n]);
        bool opaque = ls_ptx_type_kind_of((ls_ptx_type)f->params[n]->type) == LS_KIND_OPAQUE;
        sizes[n] = opaque ? 8 : (uint32_t)bytes;
    }
    i->param_offsets = offsets;
    i->param_sizes = sizes;
    i->max_threads = (int)tune(f, LS_TUNE_MAXNTID, tune(f, LS_TUNE_REQNTID, 1024));
    if (i->max_threads > 1024) i->max_threads = 1024;
    i->registers = (int)tune(f, LS_TUNE_MAXNREG, REGISTERS);
    if (i->registers * i->max_threads > 65536) i->registers = 65536 / i->max_threads;
    i->shared_bytes = ls_emu_static_shared(f);
    i->max_dynamic_shared = i->shared_bytes < (48 << 10) ? (int)((48 << 10) - i->shared_bytes) : 0;
    i->carveout = -1;
    i->binary_version = module->dev->gpu->major * 10 + module->dev->gpu->minor;
    i->ptx_version = target_of(module->ptx, i->binary_version);
    uint32_t cluster[3];
    bool required = ls_ptx_cluster_of(f, cluster);
    for (int n = 0; required && n < 3; n++) i->cluster[n] = (int)cluster[n];
}

static void add_kernels(ls_dev_module *module) {
    for (uint32_t n = 0; n < module->ptx->function_count; n++) {
        const ls_ptx_function *f = module->ptx->functions[n];
        if (!f->is_entry || !f->body) continue;
        ls_dev_kernel *k = calloc(1, sizeof *k);
        if (!k) return;
        k->function = f;
        k->wanted = is_wanted(module->dev, f->symbol->name);
        fill_info(module, k);
        LS_VEC_PUSH(&module->kernels, k);
    }
}

ls_dev_kernel *ls_dev_kernel_find(ls_dev *dev, ls_dev_module *module, const char *name) {
    (void)dev;
    for (uint32_t n = 0; n < module->kernels.length; n++)
        if (!strcmp(module->kernels.items[n]->info.name, name)) return module->kernels.items[n];
    return NULL;
}

uint32_t ls_dev_kernel_count(const ls_dev_module *module) {
    return module->kernels.length;
}
ls_dev_kernel *ls_dev_kernel_at(ls_dev *dev, ls_dev_module *module, uint32_t index) {
    (void)dev;
    return index < module->kernels.length ? module->kernels.items[index] : NULL;
}
bool ls_dev_is_kernel(ls_dev *dev, const void *pointer) {
    bool found = false;
    dv_lock(dev);
    for (uint32_t m = 0; m < dev->modules.length; m++)
        for (uint32_t k = 0; k < dev->modules.items[m]->kernels.length; k++)
            found |= dev->modules.items[m]->kernels.items[k] == pointer;
    dv_unlock(dev);
    return found;
}
ls_kernel_info *ls_dev_kernel_info(ls_dev_kernel *kernel) {
    return &kernel->info;
}

/* --- Variables --- */
static void add_variables(ls_dev_module *module) {
    for (uint32_t n = 0; n < module->ptx->variable_count; n++) {
        const char *name = module->ptx->variables[n]->symbol->name;
        uint64_t size = 0, address = ls_emulator_symbol(module->emulator, name, &size);
        if (!address || dv_find(module->dev, address)) continue;
        dv_note_variable(module->dev, module->device, address, size, name);
        LS_VEC_PUSH(&module->variables, address);
    }
}

ls_dev_status ls_dev_variable(ls_dev *dev, ls_dev_module *module, const char *name, uint64_t *address,
                              uint64_t *size) {
    uint64_t bytes = 0, at = ls_emulator_symbol(module->emulator, name, &bytes);
    (void)dev;
    if (address) *address = at;
    if (size) *size = bytes;
    return at ? LS_DEV_OK : LS_DEV_NOT_FOUND;
}

/* --- Loading --- */
static _Thread_local char told[512];

const char *ls_dev_load_error(void) {
    return told;
}

static void tell_image(ls_dev *dev, const char *text, const char *why) {
    ls_buf record = {0};
    ls_buf_puts(&record, "X\t0");
    snprintf(told, sizeof told, "%s%s%s", text, why ? ": " : "", why ? why : "");
    ls_wire_put(&record, told);
    ls_buf_putc(&record, '\n');
    dv_tell(dev, &record);
}

void ls_dev_failed(ls_dev *dev, const char *text) {
    tell_image(dev, text, NULL);
}

static ls_dev_status image_failed(ls_dev *dev, image_kind kind, const char *why) {
    switch (kind) {
    case IMAGE_WITHOUT_PTX:
        tell_image(dev,
                   "the program has machine code only and no PTX: compile with -gencode arch=compute_90,"
                   "code=[compute_90,sm_90] or -arch=compute_90 (lockstep nvcc adds it)",
                   why);
        return LS_DEV_NO_PTX;
    case IMAGE_UNREADABLE: tell_image(dev, "a module cannot be read", why); return LS_DEV_BAD_IMAGE;
    default: tell_image(dev, "a module is neither PTX nor a fat binary", why); return LS_DEV_BAD_IMAGE;
    }
}

static bool parse(ls_dev_module *m, size_t length) {
    char name[32];
    snprintf(name, sizeof name, "module %u", m->dev->modules.length + 1);
    m->ptx = ls_ptx_parse(m->text, length, ls_arena_strdup(&m->dev->arena, name), m->diags);
    if (m->ptx && !ls_diags_errors(m->diags))
        m->emulator = ls_emulator_new_in(m->dev->space, m->ptx, m->diags);
    for (uint32_t k = 0; k < ls_diags_count(m->diags); k++) {
        const ls_diag *d = ls_diags_at(m->diags, k);
        ls_buf_printf(&m->log, "%s:%u: %s\n", d->file ? d->file : "ptx", d->line, d->message);
    }
    return m->emulator;
}

typedef struct {
    ls_dev_module *m;
    size_t length;
    bool good;
} loading;

static void load(void *context) {
    loading *all = context;
    if (!parse(all->m, all->length)) return;
    add_kernels(all->m);
    add_variables(all->m);
    LS_VEC_PUSH(&all->m->dev->modules, all->m);
    all->good = true;
}

ls_dev_status ls_dev_load(ls_dev *dev, int device, const void *image, size_t size, ls_dev_module **out) {
    char *text = NULL;
    size_t length = 0;
    const char *why = NULL;
    image_kind kind = ls_image_ptx(image, size, &text, &length, &why);
    if (kind != IMAGE_PTX) return image_failed(dev, kind, why);
    ls_dev_module *m = calloc(1, sizeof *m);
    if (!m) return LS_DEV_NO_MEMORY;
    dv_lock(dev);
    m->dev = dev;
    m->device = device;
    m->text = text;
    m->diags = ls_diags_new();
    ls_dev_status status = LS_DEV_OK;
    loading all = {m, length, false};
    if (!ls_try(load, &all)) {
        ls_dev_unload(dev, m);
        status = LS_DEV_NO_MEMORY;
    } else if (all.good) {
        dev->racing |= memmem(text, length, "griddepcontrol", 14) != NULL; /* of launches that overlap */
        *out = m;
    } else {
        tell_image(dev, "a module's PTX cannot be used", m->log.text);
        ls_dev_unload(dev, m);
        status = LS_DEV_BAD_PTX;
    }
    dv_unlock(dev);
    return status;
}

/* The kernels' names and figures stay: reports mention them. */
void ls_dev_unload(ls_dev *dev, ls_dev_module *m) {
    dv_lock(dev);
    for (uint32_t k = 0; k < dev->modules.length; k++)
        if (dev->modules.items[k] == m) dev->modules.items[k] = dev->modules.items[--dev->modules.length];
    for (uint32_t k = 0; k < m->kernels.length; k++) {
        ls_dev_kernel *kernel = m->kernels.items[k];
        ls_emulator_free(kernel->checked);
        ls_emulator_free(kernel->plain);
        kernel->checked = kernel->plain = NULL;
        kernel->info.name = ls_arena_strdup(&dev->arena, kernel->info.name);
        kernel->function = NULL;
        free((void *)(uintptr_t)kernel->info.param_offsets);
        kernel->info.param_offsets = kernel->info.param_sizes = NULL;
        kernel->info.param_count = 0;
        if (!kernel->number) free(kernel);
    }
    for (uint32_t k = 0; k < m->variables.length; k++) dv_forget_variable(dev, m->variables.items[k]);
    LS_VEC_FREE(&m->variables);
    LS_VEC_FREE(&m->kernels);
    ls_emulator_free(m->emulator);
    ls_ptx_module_free(m->ptx);
    ls_diags_free(m->diags);
    ls_buf_free(&m->log);
    free(m->text);
    free(m);
    dv_unlock(dev);
}
