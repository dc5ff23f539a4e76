/* Loops that the source asks to be unrolled (#pragma unroll), in kernels with asynchronous operations. There
 * a short loop with a constant number of iterations is how copies, products and arrivals of one step are
 * written, and the step is what proofs count; so such a loop becomes its iterations, one behind the other.
 * Loops of other kernels, loops without the pragma and loops whose number of iterations is not a constant
 * stay as they are written. */
#ifdef LS_HAVE_LLVM
#include "frontend/module.h"

#include <string.h>

static const char *const ASYNCHRONOUS[] = {"mbarrier.", "cp.async.bulk", "wgmma.", "tcgen05."};

static bool is_asynchronous(const ls_module *module, LLVMValueRef i) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef called = llvm->IsACallInst(i) ? llvm->GetCalledValue(i) : NULL;
    if (!called || llvm->GetValueKind(called) != LLVMInlineAsmValueKind) return false;
    size_t length;
    const char *text = llvm->GetInlineAsmAsmString(called, &length);
    for (size_t k = 0; k < sizeof ASYNCHRONOUS / sizeof *ASYNCHRONOUS; k++)
        if (memmem(text, length, ASYNCHRONOUS[k], strlen(ASYNCHRONOUS[k]))) return true;
    return false;
}

/* An annotation belongs to the loop that it stands in. */
static bool is_invariant(const ls_module *module, LLVMValueRef i) {
    const char *callee = ls_module_callee(module, i);
    return callee && strstr(callee, "invariant");
}

static bool is_meant(const ls_module *module, LLVMValueRef function) {
    const ls_llvm *llvm = module->llvm;
    bool asynchronous = false, annotated = false;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i)) {
            asynchronous |= is_asynchronous(module, i);
            annotated |= is_invariant(module, i);
        }
    return asynchronous && !annotated;
}

/* --- What the source says of a loop, at the branch back to its head --- */

static const char ASKED[] = "llvm.loop.unroll.enable";
enum { MOST_PROPERTIES = 16 };

static bool asks(const ls_llvm *llvm, LLVMValueRef loop) {
    const unsigned count = loop ? llvm->GetMDNodeNumOperands(loop) : 0;
    LLVMValueRef properties[MOST_PROPERTIES], name;
    if (count > MOST_PROPERTIES) return false;
    if (count) llvm->GetMDNodeOperands(loop, properties);
    for (unsigned k = 1; k < count; k++) { /* the first is the loop itself */
        unsigned length = 0;
        if (!properties[k] || llvm->GetMDNodeNumOperands(properties[k]) != 1) continue;
        llvm->GetMDNodeOperands(properties[k], &name);
        const char *text = name ? llvm->GetMDString(name, &length) : NULL;
        if (text && length == sizeof ASKED - 1 && !memcmp(text, ASKED, length)) return true;
    }
    return false;
}

/* A loop with these properties. */
static LLVMValueRef loop_with(const ls_module *module, const char *const *names, size_t count) {
    const ls_llvm *llvm = module->llvm;
    LLVMMetadataRef parts[3] = {llvm->TemporaryMDNode(module->context, NULL, 0)};
    for (size_t k = 0; k < count; k++) {
        LLVMMetadataRef name = llvm->MDStringInContext2(module->context, names[k], strlen(names[k]));
        parts[k + 1] = llvm->MDNodeInContext2(module->context, &name, 1);
    }
    LLVMMetadataRef loop = llvm->MDNodeInContext2(module->context, parts, count + 1);
    llvm->MetadataReplaceAllUsesWith(parts[0], loop); /* it names itself */
    return llvm->MetadataAsValue(module->context, loop);
}

static void tell_loops(ls_module *module, LLVMValueRef function, unsigned kind, LLVMValueRef unrolled,
                       LLVMValueRef kept) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b)) {
        LLVMValueRef end = llvm->GetBasicBlockTerminator(b);
        if (end) llvm->SetMetadata(end, kind, asks(llvm, llvm->GetMetadata(end, kind)) ? unrolled : kept);
    }
}

/* --- Accesses: none that others could meet is dropped on the way --- */

static unsigned kept_kind(const ls_module *module) {
    static const char NAME[] = "lockstep.kept";
    return module->llvm->GetMDKindIDInContext(module->context, NAME, sizeof NAME - 1);
}

static void hold(const ls_module *module, LLVMValueRef i) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef load = llvm->IsALoadInst(i), store = llvm->IsAStoreInst(i);
    if ((!load && !store) || llvm->GetVolatile(i)) return;
    if (llvm->IsAAllocaInst(ls_shape_base_of(llvm, llvm->GetOperand(i, load ? 0 : 1)))) return;
    llvm->SetVolatile(i, 1);
    LLVMMetadataRef mark = llvm->MDNodeInContext2(module->context, NULL, 0);
    llvm->SetMetadata(i, kept_kind(module), llvm->MetadataAsValue(module->context, mark));
}

static void let_go(const ls_module *module, LLVMValueRef i) {
    const ls_llvm *llvm = module->llvm;
    if (!llvm->GetMetadata(i, kept_kind(module))) return;
    llvm->SetVolatile(i, 0);
    llvm->SetMetadata(i, kept_kind(module), NULL);
}

static void each_instruction(const ls_module *module, LLVMValueRef function,
                             void (*what)(const ls_module *module, LLVMValueRef i)) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i))
            what(module, i);
}

/* --- Unrolling --- */

static void forget_loops(ls_module *module, LLVMValueRef function, unsigned kind) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
        if (llvm->GetBasicBlockTerminator(b)) llvm->SetMetadata(llvm->GetBasicBlockTerminator(b), kind, NULL);
}

/* Not to be changed, or as any other. */
static void pass_over(ls_module *module, LLVMValueRef function, bool yes) {
    const ls_llvm *llvm = module->llvm;
    const unsigned kind = llvm->GetEnumAttributeKindForName("optnone", strlen("optnone"));
    if (yes)
        llvm->AddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                  llvm->CreateEnumAttribute(module->context, kind, 0));
    else
        llvm->RemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
}

bool ls_unroll_as_asked(ls_module *module) {
    static const char *const FULL[] = {"llvm.loop.unroll.full", "llvm.loop.unroll.runtime.disable"},
                             *const NONE[] = {"llvm.loop.unroll.disable"};
    const ls_llvm *llvm = module->llvm;
    const unsigned kind = llvm->GetMDKindIDInContext(module->context, "llvm.loop", strlen("llvm.loop"));
    LLVMValueRef unrolled = loop_with(module, FULL, 2), kept = loop_with(module, NONE, 1);
    bool any = false;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        if (llvm->IsDeclaration(f)) continue;
        const bool meant = is_meant(module, f);
        if (meant) tell_loops(module, f, kind, unrolled, kept);
        if (meant) each_instruction(module, f, hold);
        pass_over(module, f, !meant);
        any |= meant;
    }
    bool good = !any || ls_module_run(module, "function(loop-unroll<O1;no-partial;no-peeling;no-runtime>)");
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        if (llvm->IsDeclaration(f)) continue;
        if (is_meant(module, f)) forget_loops(module, f, kind);
        each_instruction(module, f, let_go);
        pass_over(module, f, false);
    }
    return good;
}
#endif
