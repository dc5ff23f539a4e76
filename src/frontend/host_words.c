/* Names of values (host_words.h). Clang names what stands for a variable or a member like it, with a number
 * behind where the function has the name already, and the passes put a dot and more behind names. A value
 * that gets its name here has a dot in it, too, so that the word is what comes before the first one. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_words.h"

#include "base/map.h"
#include "base/recover.h"
#include "frontend/lower.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 32 };

/* Names that clang has for values of its own. */
static const char *const others[] = {"add",  "agg", "and",    "arrayidx", "call", "cleanup", "cmp",    "cond",
                                     "conv", "dec", "div",    "frombool", "inc",  "lnot",    "mul",    "or",
                                     "ref",  "rem", "retval", "shl",      "shr",  "sub",     "tobool", "xor"};

static bool is_word(const char *name, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') return false;
    size_t stem = length;
    while (stem && isdigit((unsigned char)name[stem - 1])) stem--;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == stem && !strncmp(others[i], name, stem)) return false;
    return length > 0 && length < MOST && !isdigit((unsigned char)*name);
}

static const char *name_of(const ls_module *module, LLVMValueRef value, size_t *length) {
    return module->llvm->GetValueName2(value, length);
}

/* The part before the first dot, without the number that tells it from one of the same function. */
static size_t stem_of(const ls_map *names, const char *name, size_t length) {
    size_t word = 0;
    while (word < length && name[word] != '.') word++;
    size_t stem = word;
    while (stem && isdigit((unsigned char)name[stem - 1])) stem--;
    return stem && stem < word && ls_map_get(names, name, stem) ? stem : word;
}

/* What the variable or member at an address is called. */
static bool word_at(const ls_module *module, const ls_map *names, LLVMValueRef address, char *word) {
    const ls_llvm *llvm = module->llvm;
    size_t length;
    const char *name = name_of(module, address, &length);
    bool global = llvm->GetValueKind(address) == LLVMGlobalVariableValueKind;
    if (!global && !llvm->IsAAllocaInst(address) && !llvm->IsAGetElementPtrInst(address)) return false;
    char plain[256];
    if (global) {
        ls_demangle(name, plain, sizeof plain);
        const char *last = strrchr(plain, ':');
        name = last ? last + 1 : plain;
        length = strlen(name);
    }
    size_t stem = global ? length : stem_of(names, name, length);
    if (!is_word(name, stem)) return false;
    snprintf(word, MOST + 2, "%.*s.", (int)stem, name);
    return true;
}

/* The value that the instruction moves between a variable and elsewhere, where it needs a name. */
static LLVMValueRef moved(const ls_module *module, LLVMValueRef i, LLVMValueRef *address) {
    const ls_llvm *llvm = module->llvm;
    size_t length;
    bool load = llvm->IsALoadInst(i) != NULL, store = llvm->IsAStoreInst(i) != NULL;
    if (!load && !store) return NULL;
    LLVMValueRef value = load ? i : llvm->GetOperand(i, 0);
    *address = llvm->GetOperand(i, load ? 0 : 1);
    if (!llvm->IsAInstruction(value) || llvm->GetTypeKind(llvm->TypeOf(value)) != LLVMIntegerTypeKind)
        return NULL;
    const char *name = name_of(module, value, &length);
    return memchr(name, '.', length) ? NULL : value;
}

static void keep(const ls_module *module, ls_map *names, ls_arena *keys, LLVMValueRef value) {
    size_t length;
    const char *name = name_of(module, value, &length);
    if (length) *ls_map_at(names, ls_arena_strndup(keys, name, length), length) = value;
}

static void name_values(const ls_module *module, LLVMValueRef function) {
    const ls_llvm *llvm = module->llvm;
    ls_map names = {0};
    ls_arena keys;
    ls_arena_open(&keys);
    for (unsigned i = 0; i < llvm->CountParams(function); i++)
        keep(module, &names, &keys, llvm->GetParam(function, i));
    for (int pass = 0; pass < 2; pass++)
        for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
            for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i)) {
                if (!pass) keep(module, &names, &keys, i);
                char word[MOST + 2];
                LLVMValueRef address, value = pass ? moved(module, i, &address) : NULL;
                if (value && word_at(module, &names, address, word))
                    llvm->SetValueName2(value, word, strlen(word));
            }
    ls_map_free(&names);
    ls_arena_close(&keys);
}

/* atoi and the like, which headers define for inlining, are what the source calls. */
static void keep_call(const ls_module *module, LLVMValueRef function) {
    const ls_llvm *llvm = module->llvm;
    unsigned never = llvm->GetEnumAttributeKindForName("noinline", 8);
    if (llvm->GetLinkage(function) == LLVMAvailableExternallyLinkage)
        llvm->AddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                  llvm->CreateEnumAttribute(module->context, never, 0));
}

void ls_host_name_values(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        if (llvm->IsDeclaration(f)) continue;
        keep_call(module, f);
        name_values(module, f);
    }
}

/* A call of a plain name whose result the source gives none. */
static const char *result_of(const ls_module *module, LLVMValueRef value, ls_arena *arena) {
    const char *callee = module->llvm->IsAInstruction(value) ? ls_module_callee(module, value) : NULL;
    return callee && is_word(callee, strlen(callee)) && *callee != '_'
               ? ls_arena_printf(arena, "%s_result", callee)
               : NULL;
}

const char *ls_host_word(const ls_module *module, LLVMValueRef value, ls_arena *arena) {
    const ls_llvm *llvm = module->llvm;
    size_t length, word = 0;
    bool argument = llvm->IsAArgument(value) != NULL;
    if (!argument && !llvm->IsAInstruction(value)) return NULL;
    const char *name = name_of(module, value, &length);
    while (word < length && name[word] != '.') word++;
    if (!is_word(name, word) || (!argument && word == length)) return result_of(module, value, arena);
    return ls_arena_strndup(arena, name, word);
}
#endif
