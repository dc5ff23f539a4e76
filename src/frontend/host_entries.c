/* Functions that lead to launches (host_entries.h): those that use a kernel's stub, and those that use such a
 * function. Who takes an address may call it, so every use counts, also by way of a table. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_entries.h"

#include "base/map.h"

#include <string.h>

bool ls_host_is_stub(const char *name) {
    return name && strstr(name, LS_STUB_PREFIX);
}

typedef struct {
    ls_module *module;
    ls_intmap seen;
    LS_VEC(LLVMValueRef) pending;
} walk;

static void add(walk *w, LLVMValueRef value) {
    bool is_new;
    ls_intmap_at(&w->seen, (uint64_t)(uintptr_t)value, &is_new);
    if (is_new) LS_VEC_PUSH(&w->pending, value);
}

/* Functions by the instructions in them; of constants, who uses those. */
static void add_users(walk *w, LLVMValueRef value) {
    const ls_llvm *llvm = w->module->llvm;
    for (LLVMUseRef u = llvm->GetFirstUse(value); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef user = llvm->GetUser(u);
        bool is_code = llvm->IsAInstruction(user);
        add(w, is_code ? llvm->GetBasicBlockParent(llvm->GetInstructionParent(user)) : user);
    }
}

static bool is_named(const ls_args *names, const char *name) {
    for (uint32_t i = 0; i < names->length; i++)
        if (!strcmp(names->items[i], name)) return true;
    return false;
}

typedef struct {
    ls_arena *arena;
    ls_args *names;
    bool *has_main;
} entries;

static const char *name_of(const ls_module *module, LLVMValueRef function) {
    size_t length;
    return module->llvm->GetValueName2(function, &length);
}

static void find_entries(ls_module *module, void *context) {
    const ls_llvm *llvm = module->llvm;
    const entries *e = context;
    walk w = {.module = module};
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f))
        if (ls_host_is_stub(name_of(module, f)) || is_named(e->names, name_of(module, f))) add(&w, f);
    while (w.pending.length) add_users(&w, w.pending.items[--w.pending.length]);
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        const char *name = name_of(module, f);
        uint64_t ignored;
        if (llvm->IsDeclaration(f)) continue;
        if (!strcmp(name, "main")) *e->has_main = true;
        bool leads = ls_intmap_get(&w.seen, (uint64_t)(uintptr_t)f, &ignored);
        if (!leads || ls_host_is_stub(name) || llvm->GetLinkage(f) == LLVMInternalLinkage ||
            !strcmp(name, "main") || is_named(e->names, name))
            continue;
        LS_VEC_PUSH(e->names, ls_arena_strdup(e->arena, name));
    }
    LS_VEC_FREE(&w.pending);
    ls_intmap_free(&w.seen);
}

bool ls_host_entries(const char *bitcode_path, ls_arena *arena, ls_args *names, bool *has_main) {
    ls_module module = {.llvm = ls_llvm_load(NULL), .source = bitcode_path};
    if (!module.llvm) return false;
    entries e = {arena, names, has_main};
    bool good = ls_module_open(&module, bitcode_path) && ls_module_guard(&module, find_entries, &e);
    ls_module_close(&module);
    return good;
}
#endif
