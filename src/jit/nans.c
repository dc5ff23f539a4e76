/* A GPU has one NaN as the result of arithmetic, x86 many: behind each operation stands a selection that puts
 * the one in place of any other. Where the next operation is arithmetic, too, and is followed by such a
 * selection itself, it makes no difference which NaN it gets. It then takes the result as the processor left
 * it: a chain of sums does not wait for the selections, most of which nobody needs any more. */
#ifdef LS_HAVE_JIT
#include "jit/emit.h"

static bool is(const ls_llvm *L, value x, LLVMOpcode opcode) {
    return L->IsAInstruction(x) && L->GetInstructionOpcode(x) == opcode;
}

/* Whether `by` tells if x is a number (or, with LLVMRealUNO, if it is none). */
static bool asks(const ls_llvm *L, value by, value x, LLVMRealPredicate what) {
    if (!is(L, by, LLVMFCmp) || L->GetFCmpPredicate(by) != what || L->GetOperand(by, 0) != x) return false;
    value other = L->GetOperand(by, 1);
    return other == x || (L->IsConstant(other) && L->IsNull(other));
}

/* In all lanes. */
static bool is_nan(const ls_llvm *L, LLVMBuilderRef at, value x) {
    if (!L->IsConstant(x)) return false;
    value none = L->BuildFCmp(at, LLVMRealUNO, x, x, ""); /* of constants: a constant */
    return L->IsConstant(none) && none == L->ConstAllOnes(L->TypeOf(none));
}

/* What a selection gives a NaN of its own for, or NULL: it is something else. */
static value selected(const ls_llvm *L, LLVMBuilderRef at, value x) {
    if (!is(L, x, LLVMSelect)) return NULL;
    value by = L->GetOperand(x, 0), yes = L->GetOperand(x, 1), no = L->GetOperand(x, 2);
    if (asks(L, by, yes, LLVMRealORD) && is_nan(L, at, no)) return yes;
    if (asks(L, by, no, LLVMRealUNO) && is_nan(L, at, yes)) return no;
    return NULL;
}

/* The result is a NaN where an operand is one. */
static bool hands_on(const ls_llvm *L, value x) {
    switch (L->GetInstructionOpcode(x)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul: return true;
    case LLVMCall: {
        value fn = L->GetCalledValue(x);
        return L->IsAFunction(fn) && L->GetIntrinsicID(fn) == L->LookupIntrinsicID("llvm.fma", 8);
    }
    default: return false;
    }
}

/* Nobody sees which NaN it is. */
static bool is_selected_from(const ls_llvm *L, LLVMBuilderRef at, value x) {
    for (LLVMUseRef use = L->GetFirstUse(x); use; use = L->GetNextUse(use)) {
        value user = L->GetUser(use);
        if (selected(L, at, user) != x && !asks(L, user, x, LLVMRealORD) && !asks(L, user, x, LLVMRealUNO))
            return false;
    }
    return true;
}

/* Drops what nobody needs: it, what is only another type of it, and what it was made by. */
static void drop_selection(const ls_llvm *L, value x) {
    value by = L->GetOperand(x, 0);
    for (LLVMUseRef use = L->GetFirstUse(x), next; use; use = next) {
        value user = L->GetUser(use);
        next = L->GetNextUse(use);
        if (!is(L, user, LLVMBitCast) || L->GetFirstUse(user)) return;
        L->InstructionEraseFromParent(user);
    }
    L->InstructionEraseFromParent(x);
    if (!L->GetFirstUse(by)) L->InstructionEraseFromParent(by);
}

/* In the order of the blocks: what an operation is followed by is looked at before others take it so. */
void jit_delay_nans(const ls_llvm *L, value function, LLVMBuilderRef at) {
    for (LLVMBasicBlockRef b = L->GetFirstBasicBlock(function); b; b = L->GetNextBasicBlock(b))
        for (value x = L->GetFirstInstruction(b); x; x = L->GetNextInstruction(x)) {
            if (!hands_on(L, x) || !is_selected_from(L, at, x)) continue;
            const unsigned count = L->IsACallInst(x) ? L->GetNumArgOperands(x) : 2;
            for (unsigned k = 0; k < count; k++) {
                value selection = L->GetOperand(x, k), raw = selected(L, at, selection);
                if (!raw || raw == x) continue;
                L->SetOperand(x, k, raw);
                drop_selection(L, selection);
            }
        }
}
#endif
