/* Local arrays kept apart, for a run that checks bounds: every variable that is left in a function's frame
 * gets some bytes behind it that nobody may touch, and where each has come to lie is taken from the code
 * generator's remark on the frame's layout. */
#ifdef LS_HAVE_LLVM
#include "frontend/module.h"

#include <stdlib.h>
#include <string.h>

enum { GAP = 61 }; /* times the alignment: sums that no variable has by itself, most likely */

static LLVMTypeRef with_gap(const ls_module *module, LLVMTypeRef type, uint64_t bytes) {
    const ls_llvm *llvm = module->llvm;
    LLVMTypeRef parts[] = {type, llvm->ArrayType2(llvm->Int8TypeInContext(module->context), bytes)};
    return llvm->StructTypeInContext(module->context, parts, 2, 0);
}

static void separate(ls_module *module, LLVMValueRef variable) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef count = llvm->GetOperand(variable, 0);
    if (!count || !llvm->IsAConstantInt(count) || llvm->ConstIntGetZExtValue(count) != 1) return;
    LLVMTypeRef type = llvm->GetAllocatedType(variable);
    LLVMTargetDataRef layout = llvm->GetModuleDataLayout(module->module);
    uint64_t size = llvm->ABISizeOfType(layout, type), align = llvm->GetAlignment(variable);
    if (!align) align = 1;
    if (!size || size > 1u << 24 || size % align) return;
    LLVMBuilderRef builder = llvm->CreateBuilderInContext(module->context);
    llvm->PositionBuilderBefore(builder, variable);
    LLVMTypeRef wide = with_gap(module, type, GAP * align);
    LLVMValueRef moved = llvm->BuildAlloca(builder, wide, "");
    llvm->DisposeBuilder(builder);
    llvm->SetAlignment(moved, (unsigned)align);
    llvm->ReplaceAllUsesWith(variable, moved);
    llvm->InstructionEraseFromParent(variable);
    ls_separated s = {llvm->ABISizeOfType(layout, wide), size};
    LS_VEC_PUSH(&module->separated, s);
}

void ls_locals_separate(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f))
        for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(f); b; b = llvm->GetNextBasicBlock(b))
            for (LLVMValueRef i = llvm->GetFirstInstruction(b), next; i; i = next) {
                next = llvm->GetNextInstruction(i);
                if (llvm->IsAAllocaInst(i)) separate(module, i);
            }
}

/* The size without the gap; 0 if it is not one of ours, or not known. */
static uint64_t own_size(const ls_module *module, uint64_t size) {
    uint64_t own = 0;
    for (uint32_t k = 0; k < module->separated.length; k++) {
        const ls_separated *s = &module->separated.items[k];
        if (s->with_gap != size) continue;
        if (own && own != s->own) return 0;
        own = s->own;
    }
    return own;
}

/* "Function: NAME", then lines "Offset: [SP+64], Type: Variable, Align: 4, Size: 308". */
void ls_locals_layout(ls_module *module, const char *remark) {
    const char *name = strstr(remark, "Function: ");
    if (!name) return;
    name += strlen("Function: ");
    const char *function = ls_arena_strndup(module->arena, name, strcspn(name, "\n"));
    for (const char *at = strstr(name, "Offset: [SP"); at; at = strstr(at + 1, "Offset: [SP")) {
        const char *text = strstr(at, "Size: ");
        char *end;
        long long offset = strtoll(at + strlen("Offset: [SP"), &end, 10);
        if (*end != ']' || offset < 0 || !text) continue;
        unsigned long long size = strtoull(text + strlen("Size: "), NULL, 10);
        uint64_t own = own_size(module, size);
        ls_local_array local = {function, (uint32_t)offset, (uint32_t)(own ? own : size)};
        LS_VEC_PUSH(module->locals, local);
    }
}
#endif
