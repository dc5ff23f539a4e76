/* Variables whose address is taken (host_slots.h). Every use of one is looked at: loads, stores into it,
 * and its address in a list of arguments for a launch, which nothing writes through. With any other use
 * nothing is known of it. A value that is stored at a place that every way to a load goes through, and every
 * way there through the places where others are, is what the load gives: the store's operands are defined on
 * every way to the store, and so they have not changed since. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_slots.h"
#include "frontend/host_paths.h"
#include "frontend/host_runtime.h"

#include <string.h>

enum { MOST_USES = 500, MOST_DEPTH = 3 };

/* Calls that read arguments through a list of their addresses. */
static const char *const launchers[] = {"cudaLaunchKernel", "cudaLaunchCooperativeKernel",
                                        "cudaLaunchKernelExC"};

static bool is_one_of(const char *name, const char *const *list, size_t count) {
    for (size_t i = 0; name && i < count; i++)
        if (!strcmp(name, list[i])) return true;
    return false;
}
#define IS_ONE_OF(name, list) is_one_of(name, list, sizeof list / sizeof *list)

static LLVMOpcode opcode(const ls_llvm *llvm, LLVMValueRef v) {
    return llvm->IsAInstruction(v) ? llvm->GetInstructionOpcode(v) : LLVMRet;
}

/* Nothing but the marks of where a variable begins and ends. */
static bool is_mark(const char *callee) {
    return callee && !strncmp(callee, "llvm.lifetime.", 14);
}

/* The list is filled and given to launches, and nothing else happens to it. */
static bool is_list(const ls_module *module, LLVMValueRef list, unsigned depth) {
    const ls_llvm *llvm = module->llvm;
    if (!llvm->IsAAllocaInst(list) && opcode(llvm, list) != LLVMGetElementPtr) return false;
    unsigned count = 0;
    for (LLVMUseRef u = llvm->GetFirstUse(list); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef user = llvm->GetUser(u);
        const char *callee = ls_module_callee(module, user);
        bool stored = opcode(llvm, user) == LLVMStore && llvm->GetOperand(user, 1) == list &&
                      llvm->GetOperand(user, 0) != list;
        bool part =
            opcode(llvm, user) == LLVMGetElementPtr && depth < MOST_DEPTH && is_list(module, user, depth + 1);
        if (++count > MOST_USES) return false;
        if (!stored && !part && !is_mark(callee) && !IS_ONE_OF(callee, launchers)) return false;
    }
    return true;
}

static LLVMValueRef root_of(const ls_llvm *llvm, LLVMValueRef pointer) {
    while (llvm->IsAGetElementPtrInst(pointer)) pointer = llvm->GetOperand(pointer, 0);
    return pointer;
}

enum { MOST_WRITERS = 8 };

typedef struct {
    LLVMValueRef writers[MOST_WRITERS]; /* stores */
    uint32_t count;
    bool escapes; /* it is used in a way that is not followed */
} slot_uses;

static void look_at_use(const ls_module *module, LLVMValueRef slot, LLVMValueRef user, slot_uses *uses) {
    const ls_llvm *llvm = module->llvm;
    const char *callee = ls_module_callee(module, user);
    if (opcode(llvm, user) == LLVMLoad || is_mark(callee)) return;
    bool stores = opcode(llvm, user) == LLVMStore;
    if (stores && llvm->GetOperand(user, 0) == slot) { /* its address */
        LLVMValueRef list = root_of(llvm, llvm->GetOperand(user, 1));
        uses->escapes |= list == slot || !llvm->IsAAllocaInst(list) || !is_list(module, list, 0);
    } else if (stores && uses->count < MOST_WRITERS) {
        uses->writers[uses->count++] = user;
    } else {
        uses->escapes = true;
    }
}

/* Of instructions that set the variable, the one that did so last before the other: all the others come
 * before it, or cannot reach that one without it. */
static LLVMValueRef last_writer(const ls_llvm *llvm, const slot_uses *uses, LLVMValueRef where) {
    for (uint32_t i = 0; i < uses->count; i++) {
        LLVMValueRef w = uses->writers[i];
        bool last = ls_host_is_before(llvm, w, where);
        for (uint32_t k = 0; k < uses->count && last; k++)
            last = k == i || ls_host_is_before(llvm, uses->writers[k], w) ||
                   !ls_host_may_follow(llvm, uses->writers[k], where, w);
        if (last) return w;
    }
    return NULL;
}

/* The instruction that has set the variable last where the other stands, for certain; or NULL. */
static LLVMValueRef writer_before(const ls_module *module, LLVMValueRef slot, LLVMValueRef where) {
    const ls_llvm *llvm = module->llvm;
    slot_uses uses = {0};
    unsigned count = 0;
    if (!llvm->IsAAllocaInst(slot)) return NULL;
    for (LLVMUseRef u = llvm->GetFirstUse(slot); u && !uses.escapes; u = llvm->GetNextUse(u)) {
        look_at_use(module, slot, llvm->GetUser(u), &uses);
        uses.escapes |= ++count > MOST_USES;
    }
    return uses.escapes ? NULL : last_writer(llvm, &uses, where);
}

LLVMValueRef ls_host_held(const ls_module *module, LLVMValueRef slot, LLVMValueRef where) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef writer = writer_before(module, slot, where);
    return writer ? ls_host_loaded(module, llvm->GetOperand(writer, 0)) : NULL;
}

LLVMValueRef ls_host_loaded(const ls_module *module, LLVMValueRef value) {
    const ls_llvm *llvm = module->llvm;
    for (unsigned step = 0; step < MOST_DEPTH && opcode(llvm, value) == LLVMLoad; step++) {
        LLVMValueRef writer = writer_before(module, llvm->GetOperand(value, 0), value);
        if (!writer) return value;
        LLVMValueRef stored = llvm->GetOperand(writer, 0);
        if (llvm->TypeOf(stored) != llvm->TypeOf(value)) return value;
        value = stored;
    }
    return value;
}

LLVMValueRef ls_host_allocation(const ls_module *module, LLVMValueRef pointer) {
    pointer = ls_host_loaded(module, pointer);
    return ls_host_allocated_bytes(module, pointer) ? pointer : NULL;
}

/* The bytes from the list's start that an address is at; UINT64_MAX: not known. */
static uint64_t offset_in(const ls_module *module, LLVMValueRef list, LLVMValueRef address) {
    const ls_llvm *llvm = module->llvm;
    if (address == list) return 0;
    if (!llvm->IsAGetElementPtrInst(address) || llvm->GetOperand(address, 0) != list) return UINT64_MAX;
    LLVMTypeRef type = llvm->GetGEPSourceElementType(address);
    unsigned operands = (unsigned)llvm->GetNumOperands(address);
    LLVMValueRef last = llvm->GetOperand(address, operands - 1);
    if (!llvm->IsAConstantInt(last)) return UINT64_MAX;
    uint64_t by = llvm->ConstIntGetZExtValue(last);
    if (operands == 2) return by * llvm->ABISizeOfType(llvm->GetModuleDataLayout(module->module), type);
    LLVMValueRef first = llvm->GetOperand(address, 1);
    bool element = operands == 3 && llvm->GetTypeKind(type) == LLVMArrayTypeKind &&
                   llvm->IsAConstantInt(first) && !llvm->ConstIntGetZExtValue(first);
    return element ? by * 8 : UINT64_MAX;
}

/* The one store into this place of the list. */
static LLVMValueRef store_at(const ls_module *module, LLVMValueRef list, LLVMValueRef address, uint64_t at,
                             uint32_t *count) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef found = NULL;
    for (LLVMUseRef u = llvm->GetFirstUse(address); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef user = llvm->GetUser(u), below = NULL;
        uint64_t offset = offset_in(module, list, address);
        if (opcode(llvm, user) == LLVMGetElementPtr && address == list)
            below = store_at(module, list, user, at, count);
        if (opcode(llvm, user) == LLVMStore && offset == UINT64_MAX) *count += 2; /* anywhere */
        if (opcode(llvm, user) == LLVMStore && offset == at) below = user, ++*count;
        if (below) found = below;
    }
    return found;
}

LLVMValueRef ls_host_listed(const ls_module *module, LLVMValueRef list, unsigned index, LLVMValueRef where) {
    const ls_llvm *llvm = module->llvm;
    uint32_t count = 0;
    if (!llvm->IsAAllocaInst(list) || !is_list(module, list, 0)) return NULL;
    LLVMValueRef store = store_at(module, list, list, 8 * (uint64_t)index, &count);
    if (!store || count != 1 || !ls_host_is_before(llvm, store, where)) return NULL;
    LLVMValueRef slot = llvm->GetOperand(store, 0);
    return llvm->IsAAllocaInst(slot) ? slot : NULL;
}
#endif
