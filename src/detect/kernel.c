/* Loading a kernel for the detector: its own parse of the module (rewriting changes the tree), control flow
 * and accesses with calls and local memory left as they are, then objects and regions. */
#include "detect/kernel.h"

#include "detect/extract.h"

#include <stdlib.h>

static bool find_function(kernel *k, const ls_ptx_module *module, const char *name, ls_diags *diags) {
    ls_ptx_function *found = ls_ptx_find_function(module, name);
    if (found && found->definition) found = found->definition;
    if (!found || !found->is_entry || !found->body) {
        ls_diags_add(diags, LS_ERROR, module->filename, 0, 0, "there is no kernel '%s' in it", name);
        return false;
    }
    k->function = found;
    return true;
}

/* Where the kernel refers to other ones, with all of them. */
static ls_ptx_module *parse(const char *ptx, size_t length, const char *filename, const char *kernel_name,
                            ls_diags *diags) {
    ls_buf text = {0};
    ls_diags *first = ls_diags_new();
    dt_only_kernel(ptx, length, kernel_name, &text);
    ls_ptx_module *module = ls_ptx_parse(ls_buf_text(&text), text.length, filename, first);
    if (!module || ls_diags_errors(first)) {
        if (module) ls_ptx_module_free(module);
        module = ls_ptx_parse(ptx, length, filename, diags);
    }
    ls_diags_free(first);
    ls_buf_free(&text);
    return module;
}

static kernel *new_kernel(const ls_detect_launch *launch) {
    kernel *k = ls_xmalloc(sizeof *k);
    memset(k, 0, sizeof *k);
    ls_arena_init(&k->arena);
    k->steps = LS_NEW(&k->arena, uint32_t);
    k->consulted = LS_NEW_N(&k->arena, uint8_t, launch->params_size + 1);
    return k;
}

/* What the rehearsal of the other one showed. */
static void take_over(kernel *k, const kernel *like) {
    for (uint32_t i = 0; i < k->region_count; i++) k->regions[i].own = like->regions[i].own;
    for (uint32_t i = 0; i < k->object_count; i++)
        k->objects[i].state = like->objects[i].state, k->objects[i].mixed = like->objects[i].mixed;
    k->mixed_shared = like->mixed_shared, k->not_rehearsed = like->not_rehearsed;
}

static bool analyse(kernel *k, const ls_ptx_module *module, const ls_detect_launch *launch,
                    const ls_detect_options *options, const kernel *like, ls_diags *diags) {
    ls_ir_options how = {.no_inline = true, .no_promote = true, .quiet = true};
    if (!find_function(k, module, launch->kernel, diags) ||
        !(k->ir = ls_ir_build(module, k->function, &how, diags)))
        return false;
    for (uint32_t i = 0; i < k->ir->instr_count; i++) {
        bool is_new;
        ls_ir_instr *instr = k->ir->instrs[i];
        if (!instr->ast) continue;
        *ls_intmap_at(&k->instr_of, (uint64_t)(uintptr_t)instr->ast, &is_new) = (uint64_t)(uintptr_t)instr;
    }
    dt_add_products(k);
    dt_find_asynchronous(k);
    dt_find_objects(k, launch, options);
    dt_find_regions(k, launch, options);
    dt_find_mixed(k, launch);
    bool known = like && like->region_count == k->region_count && like->object_count == k->object_count;
    if (known)
        take_over(k, like);
    else if (!options->all)
        dt_rehearse(k, launch);
    dt_find_checked(k, launch);
    dt_find_watched(k);
    return true;
}

static kernel *load(const char *ptx, size_t length, const char *filename, const ls_detect_launch *launch,
                    const ls_detect_options *options, const kernel *like, ls_diags *diags) {
    kernel *k = new_kernel(launch);
    k->module = parse(ptx, length, filename, launch->kernel, diags);
    if (k->module && k->module->address_size != 64) {
        ls_diags_add(diags, LS_ERROR, filename, 0, 0, "32-bit PTX cannot be instrumented");
        dt_kernel_free(k);
        return NULL;
    }
    if (!k->module || !analyse(k, k->module, launch, options, like, diags)) {
        dt_kernel_free(k);
        return NULL;
    }
    return k;
}

/* Calls that access memory are carried out in place, where that can be. */
kernel *dt_kernel_load(const char *ptx, size_t length, const char *filename, const ls_detect_launch *launch,
                       const ls_detect_options *options, const kernel *like, ls_diags *diags) {
    kernel *k = load(ptx, length, filename, launch, options, like, diags);
    ls_buf text = {0};
    if (!k || !k->call_pos || !dt_inline_calls(ptx, length, launch->kernel, &text)) return k;
    ls_diags *second = ls_diags_new();
    kernel *better = load(ls_buf_text(&text), text.length, filename, launch, options, like, second);
    ls_diags_free(second);
    ls_buf_free(&text);
    bool is_better = better && !better->call_pos;
    dt_kernel_free(is_better ? k : better);
    return is_better ? better : k;
}

kernel *dt_kernel_of(const ls_ptx_module *module, const ls_detect_launch *launch, bool contents,
                     ls_diags *diags) {
    kernel *k = new_kernel(launch);
    k->contents = contents;
    static const ls_detect_options plain;
    if (module->address_size == 64 && analyse(k, module, launch, &plain, NULL, diags)) return k;
    dt_kernel_free(k);
    return NULL;
}

void dt_kernel_free(kernel *k) {
    if (!k) return;
    if (k->ir) ls_ir_free(k->ir);
    if (k->module) ls_ptx_module_free(k->module);
    ls_intmap_free(&k->instr_of);
    ls_arena_free(&k->arena);
    free(k);
}
