/* Modules of LLVM's IR: opened, run passes over, closed; and the guard that brings a thread back when LLVM
 * gives up on one. */
#ifdef LS_HAVE_LLVM
#include "frontend/module.h"

#include "base/recover.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>

static void on_diagnostic(LLVMDiagnosticInfoRef info, void *context) {
    ls_module *module = context;
    LLVMDiagnosticSeverity severity = module->llvm->GetDiagInfoSeverity(info);
    if (severity != LLVMDSError && !(severity == LLVMDSRemark && module->locals)) return;
    char *text = module->llvm->GetDiagInfoDescription(info);
    if (severity == LLVMDSRemark) {
        ls_locals_layout(module, text);
        module->llvm->DisposeMessage(text);
        return;
    }
    if (module->diags) ls_diags_add(module->diags, LS_ERROR, module->source, 0, 0, "%s", text);
    module->llvm->DisposeMessage(text);
    module->failed = true;
}

/* Into the module's context. */
static bool parse(ls_module *module, const char *path) {
    const ls_llvm *llvm = module->llvm;
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    if (llvm->CreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        if (module->diags) ls_diags_add(module->diags, LS_ERROR, module->source, 0, 0, "%s", message);
        llvm->DisposeMessage(message);
        return false;
    }
    LLVMBool bad = llvm->ParseBitcodeInContext2(module->context, buffer, &module->module);
    llvm->DisposeMemoryBuffer(buffer);
    if (bad) module->module = NULL;
    return !bad && !module->failed;
}

bool ls_module_open(ls_module *module, const char *path) {
    module->context = module->llvm->ContextCreate();
    module->llvm->ContextSetDiagnosticHandler(module->context, on_diagnostic, module);
    return parse(module, path);
}

bool ls_module_link(ls_module *module, const char *path, void (*prepare)(ls_module *other)) {
    ls_module other = {.llvm = module->llvm, .context = module->context, .diags = module->diags};
    bool good = parse(&other, path);
    if (good) prepare(&other);
    if (good) good = !module->llvm->LinkModules2(module->module, other.module); /* which ends the other */
    return good && !module->failed;
}

void ls_module_close(ls_module *module) {
    if (module->machine) module->llvm->DisposeTargetMachine(module->machine);
    if (module->module) module->llvm->DisposeModule(module->module);
    if (module->context) module->llvm->ContextDispose(module->context);
    module->machine = NULL;
    module->module = NULL;
    module->context = NULL;
    LS_VEC_FREE(&module->separated);
    LS_VEC_FREE(&module->inlined);
    LS_VEC_FREE(&module->clusters);
}

bool ls_module_run(ls_module *module, const char *passes) {
    const ls_llvm *llvm = module->llvm;
    LLVMPassBuilderOptionsRef options = llvm->CreatePassBuilderOptions();
    LLVMErrorRef error = llvm->RunPasses(module->module, passes, module->machine, options);
    llvm->DisposePassBuilderOptions(options);
    if (!error) return !module->failed;
    char *message = llvm->GetErrorMessage(error);
    if (module->diags) ls_diags_add(module->diags, LS_ERROR, module->source, 0, 0, "%s", message);
    llvm->DisposeErrorMessage(message);
    module->failed = true;
    return false;
}

const char *ls_module_callee(const ls_module *module, LLVMValueRef instruction) {
    const ls_llvm *llvm = module->llvm;
    if (!llvm->IsACallInst(instruction) && !llvm->IsAInvokeInst(instruction)) return NULL;
    LLVMValueRef callee = llvm->GetCalledValue(instruction);
    if (!callee || !llvm->IsAFunction(callee)) return NULL;
    size_t length;
    return llvm->GetValueName2(callee, &length);
}

const char *ls_module_path(ls_arena *arena, const char *folder, size_t folder_size, const char *name,
                           size_t size) {
    if (!folder || !folder_size || (size && (*name == '/' || *name == '<')))
        return ls_arena_strndup(arena, name, size);
    return ls_arena_printf(arena, "%.*s/%.*s", (int)folder_size, folder, (int)size, name);
}

/* Where LLVM meets what it cannot lower, it calls its fatal-error handler, which must not return. The
 * thread then leaves by longjmp; the module's memory is given up, as nothing of it can be trusted. */
static _Thread_local struct {
    jmp_buf *way_out;
    char reason[512];
} fatal;

static void on_fatal_error(const char *reason) {
    if (!fatal.way_out) return;
    snprintf(fatal.reason, sizeof fatal.reason, "%s", reason);
    longjmp(*fatal.way_out, 1);
}

static pthread_once_t fatal_once = PTHREAD_ONCE_INIT;

static void install_handler(void) {
    ls_llvm_load(NULL)->InstallFatalErrorHandler(on_fatal_error);
}

typedef struct {
    ls_module *module;
    void (*body)(ls_module *module, void *context);
    void *context;
} guarded;

static void run_guarded(void *context) {
    const guarded *all = context;
    all->body(all->module, all->context);
}

bool ls_module_guard(ls_module *module, void (*body)(ls_module *module, void *context), void *context) {
    pthread_once(&fatal_once, install_handler);
    jmp_buf way_out;
    fatal.way_out = &way_out;
    if (setjmp(way_out)) {
        fatal.way_out = NULL;
        module->failed = true;
        module->machine = NULL;
        module->module = NULL;
        module->context = NULL;
        if (module->diags)
            ls_diags_add(module->diags, LS_ERROR, module->source, 0, 0, "the code generator gave up: %s",
                         fatal.reason);
        return false;
    }
    guarded all = {module, body, context};
    bool memory = ls_try(run_guarded, &all);
    fatal.way_out = NULL;
    if (!memory) ls_escape();
    return !module->failed;
}
#endif
