/* Places for accesses that have none. LLVM's optimiser drops the place of what it moves out of a loop, so
 * that debuggers do not jump; a finding must still say which access it means. Such an access gets the place
 * of one that uses the same address, or of what its value is used for, or comes from. */
#ifdef LS_HAVE_LLVM
#include "frontend/module.h"

/* How far values are followed (through PHIs and conversions), and how many uses of one are looked at. */
enum { MOST_STEPS = 3, MOST_USES = 16 };

static LLVMMetadataRef place_of(const ls_llvm *llvm, LLVMValueRef instruction) {
    LLVMMetadataRef place = llvm->InstructionGetDebugLoc(instruction);
    return place && llvm->DILocationGetLine(place) ? place : NULL;
}

static LLVMValueRef function_of(const ls_llvm *llvm, LLVMValueRef instruction) {
    return llvm->GetBasicBlockParent(llvm->GetInstructionParent(instruction));
}

static bool is_access(const ls_llvm *llvm, LLVMValueRef value) {
    return llvm->IsALoadInst(value) || llvm->IsAStoreInst(value);
}

static LLVMValueRef address_of(const ls_llvm *llvm, LLVMValueRef access) {
    return llvm->GetOperand(access, llvm->IsALoadInst(access) ? 0 : 1);
}

/* Another access to the same address in the same function. */
static LLVMMetadataRef of_the_same_address(const ls_llvm *llvm, LLVMValueRef access) {
    LLVMValueRef address = address_of(llvm, access), function = function_of(llvm, access);
    int left = MOST_USES;
    for (LLVMUseRef use = llvm->GetFirstUse(address); use && left--; use = llvm->GetNextUse(use)) {
        LLVMValueRef user = llvm->GetUser(use);
        if (!is_access(llvm, user) || address_of(llvm, user) != address ||
            function_of(llvm, user) != function)
            continue;
        LLVMMetadataRef place = place_of(llvm, user);
        if (place) return place;
    }
    return NULL;
}

/* What a value is used for: the first place that is found, going on through users that have none. */
static LLVMMetadataRef of_a_use(const ls_llvm *llvm, LLVMValueRef value, int steps) {
    int left = MOST_USES;
    for (LLVMUseRef use = llvm->GetFirstUse(value); use && left--; use = llvm->GetNextUse(use)) {
        LLVMValueRef user = llvm->GetUser(use);
        if (!llvm->IsAInstruction(user)) continue;
        LLVMMetadataRef place = place_of(llvm, user);
        if (!place && steps) place = of_a_use(llvm, user, steps - 1);
        if (place) return place;
    }
    return NULL;
}

static void give_place(const ls_llvm *llvm, LLVMValueRef access) {
    LLVMMetadataRef place = of_the_same_address(llvm, access);
    if (!place && llvm->IsALoadInst(access)) place = of_a_use(llvm, access, MOST_STEPS);
    LLVMValueRef stored = llvm->IsAStoreInst(access) ? llvm->GetOperand(access, 0) : NULL;
    if (!place && stored && llvm->IsAInstruction(stored)) place = place_of(llvm, stored);
    if (place) llvm->InstructionSetDebugLoc(access, place);
}

void ls_unplaced_mend(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        if (!llvm->GetSubprogram(f)) continue; /* compiled without places */
        for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(f); b; b = llvm->GetNextBasicBlock(b))
            for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i))
                if (is_access(llvm, i) && !place_of(llvm, i)) give_place(llvm, i);
    }
}
#endif
