/* Functions that launch kernels, as clang writes them (host_stubs.h): variables for the parameters, a list of
 * their addresses, and a call of cudaLaunchKernel with it. The list says which variable is which parameter of
 * the kernel, and the variable's type where its numbers and pointers are. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_stubs.h"
#include "frontend/host_entries.h"
#include "frontend/host_slots.h"

#include <string.h>

enum { MOST_PLACES = 128, MOST_ELEMENTS = 16, MOST_PARAMETERS = 512 };

static const char OWN[] = ".parts";

static LLVMValueRef find_call(const ls_module *module, LLVMValueRef function, const char *name) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i)) {
            const char *callee = ls_module_callee(module, i);
            if (callee && !strcmp(callee, name)) return i;
        }
    return NULL;
}

/* What is stored into the element of the list. */
static LLVMValueRef listed_at(const ls_module *module, LLVMValueRef list, uint64_t index) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMUseRef u = llvm->GetFirstUse(list); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef element = llvm->GetUser(u);
        LLVMValueRef by = llvm->IsAGetElementPtrInst(element) && llvm->GetNumOperands(element) == 2
                              ? llvm->GetOperand(element, 1)
                              : NULL;
        if (!by || !llvm->IsAConstantInt(by) || llvm->ConstIntGetZExtValue(by) != index) continue;
        for (LLVMUseRef w = llvm->GetFirstUse(element); w; w = llvm->GetNextUse(w)) {
            LLVMValueRef store = llvm->GetUser(w);
            if (llvm->IsAStoreInst(store) && llvm->GetOperand(store, 1) == element)
                return llvm->GetOperand(store, 0);
        }
    }
    return NULL;
}

/* Of a parameter's variable, or of a structure that the function gets by its address; NULL: not known. */
static LLVMTypeRef type_at(const ls_module *module, LLVMValueRef function, LLVMValueRef slot) {
    const ls_llvm *llvm = module->llvm;
    if (llvm->IsAAllocaInst(slot)) return llvm->GetAllocatedType(slot);
    unsigned kind = llvm->GetEnumAttributeKindForName("byval", 5);
    for (unsigned i = 0; i < llvm->CountParams(function); i++) {
        if (llvm->GetParam(function, i) != slot) continue;
        LLVMAttributeRef by_value = llvm->GetEnumAttributeAtIndex(function, i + 1, kind);
        return by_value ? llvm->GetTypeAttributeValue(by_value) : NULL;
    }
    return NULL;
}

/* --- Numbers and pointers in a type ----------------------------------------------------------------------
 */

typedef struct {
    const ls_module *module;
    LLVMBuilderRef builder;
    LLVMValueRef slot;
    LLVMTypeRef types[MOST_PLACES];
    LLVMValueRef values[MOST_PLACES];
    ls_host_place places[MOST_PLACES];
    uint32_t count, parameter;
    bool is_whole;
} splitter;

static void add_value(splitter *s, LLVMTypeRef type, uint64_t at) {
    const ls_llvm *llvm = s->module->llvm;
    if (s->count == MOST_PLACES) return;
    LLVMTypeRef byte = llvm->Int8TypeInContext(s->module->context);
    LLVMValueRef by = llvm->ConstInt(llvm->Int64TypeInContext(s->module->context), at, false);
    LLVMValueRef where = at ? llvm->BuildGEP2(s->builder, byte, s->slot, &by, 1, "") : s->slot;
    s->types[s->count] = type;
    s->values[s->count] = llvm->BuildLoad2(s->builder, type, where, "");
    s->places[s->count++] = (ls_host_place){s->parameter, (uint32_t)at, s->is_whole};
}

static void add_values(splitter *s, LLVMTypeRef type, uint64_t at) {
    const ls_llvm *llvm = s->module->llvm;
    LLVMTargetDataRef layout = llvm->GetModuleDataLayout(s->module->module);
    LLVMTypeKind kind = llvm->GetTypeKind(type);
    bool aggregate = kind == LLVMStructTypeKind || kind == LLVMArrayTypeKind;
    s->is_whole &= !aggregate;
    if (kind == LLVMIntegerTypeKind || kind == LLVMPointerTypeKind) add_value(s, type, at);
    uint64_t count = kind == LLVMStructTypeKind  ? llvm->CountStructElementTypes(type)
                     : kind == LLVMArrayTypeKind ? llvm->GetArrayLength2(type)
                                                 : 0;
    if (kind == LLVMArrayTypeKind && count > MOST_ELEMENTS) return;
    for (uint64_t i = 0; i < count; i++) {
        bool member = kind == LLVMStructTypeKind;
        LLVMTypeRef inner =
            member ? llvm->StructGetTypeAtIndex(type, (unsigned)i) : llvm->GetElementType(type);
        uint64_t offset = member ? llvm->OffsetOfElement(layout, type, (unsigned)i)
                                 : i * llvm->ABISizeOfType(layout, inner);
        add_values(s, inner, at + offset);
    }
}

static void remove_call(const ls_module *module, LLVMValueRef call) {
    if (!call) return;
    module->llvm->ReplaceAllUsesWith(call, module->llvm->ConstNull(module->llvm->TypeOf(call)));
    module->llvm->InstructionEraseFromParent(call);
}

static void mark_inline(const ls_module *module, LLVMValueRef function) {
    const ls_llvm *llvm = module->llvm;
    const unsigned where = (unsigned)LLVMAttributeFunctionIndex;
    llvm->RemoveEnumAttributeAtIndex(function, where, llvm->GetEnumAttributeKindForName("noinline", 8));
    llvm->RemoveEnumAttributeAtIndex(function, where, llvm->GetEnumAttributeKindForName("optnone", 7));
    unsigned kind = llvm->GetEnumAttributeKindForName("alwaysinline", 12);
    llvm->AddAttributeAtIndex(function, where, llvm->CreateEnumAttribute(module->context, kind, 0));
}

/* The call that takes the place of the launch. */
static void give(const splitter *s, ls_arena *arena, const char *stub) {
    const ls_llvm *llvm = s->module->llvm;
    LLVMTypeRef type = llvm->FunctionType(llvm->VoidTypeInContext(s->module->context),
                                          (LLVMTypeRef *)(uintptr_t)s->types, s->count, false);
    LLVMValueRef own = llvm->AddFunction(s->module->module, ls_arena_printf(arena, "%s%s", stub, OWN), type);
    llvm->BuildCall2(s->builder, type, own, (LLVMValueRef *)(uintptr_t)s->values, s->count, "");
}

static void split(const ls_module *module, ls_arena *arena, LLVMValueRef function, ls_host_layouts *layouts) {
    const ls_llvm *llvm = module->llvm;
    size_t length;
    const char *stub = ls_arena_strdup(arena, llvm->GetValueName2(function, &length));
    LLVMValueRef launch = find_call(module, function, "cudaLaunchKernel");
    LLVMValueRef list = launch && llvm->GetNumArgOperands(launch) == 8 ? llvm->GetOperand(launch, 5) : NULL;
    if (!list || !llvm->IsAAllocaInst(list)) return;
    splitter *s = LS_NEW(arena, splitter);
    *s = (splitter){.module = module, .builder = llvm->CreateBuilderInContext(module->context)};
    llvm->PositionBuilderBefore(s->builder, launch);
    while (s->parameter < MOST_PARAMETERS && (s->slot = listed_at(module, list, s->parameter))) {
        LLVMTypeRef type = type_at(module, function, s->slot);
        s->is_whole = true;
        if (type) add_values(s, type, 0);
        s->parameter++;
    }
    give(s, arena, stub);
    llvm->DisposeBuilder(s->builder);
    remove_call(module, launch);
    remove_call(module, find_call(module, function, "__cudaPopCallConfiguration"));
    mark_inline(module, function);
    LS_VEC_PUSH(layouts, ((ls_host_layout){stub, s->places, s->count, s->parameter}));
}

void ls_host_split_stubs(const ls_module *module, ls_arena *arena, ls_host_layouts *layouts) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        size_t length;
        if (!llvm->IsDeclaration(f) && ls_host_is_stub(llvm->GetValueName2(f, &length)))
            split(module, arena, f, layouts);
    }
}

const ls_host_layout *ls_host_layout_of(const ls_host_layouts *layouts, const char *name) {
    for (uint32_t i = 0; name && i < layouts->length; i++) {
        size_t length = strlen(layouts->items[i].stub);
        if (!strncmp(name, layouts->items[i].stub, length) && (!name[length] || !strcmp(name + length, OWN)))
            return &layouts->items[i];
    }
    return NULL;
}

/* --- Arguments -------------------------------------------------------------------------------------------
 */

static ls_host_arguments new_arguments(ls_arena *arena, unsigned count, uint32_t parameters) {
    return (ls_host_arguments){LS_NEW_N(arena, ls_host_argument, count + 1), count, parameters};
}

ls_host_arguments ls_host_passed(const ls_module *module, ls_arena *arena, const ls_host_layouts *layouts,
                                 LLVMValueRef call) {
    const ls_llvm *llvm = module->llvm;
    const ls_host_layout *layout = ls_host_layout_of(layouts, ls_module_callee(module, call));
    unsigned count = llvm->GetNumArgOperands(call);
    ls_host_arguments all = new_arguments(arena, count, layout ? layout->parameters : count);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef value = ls_host_loaded(module, llvm->GetOperand(call, i));
        ls_host_place place = layout ? layout->places[i] : (ls_host_place){i, 0, true};
        all.items[i] = (ls_host_argument){value, ls_host_allocation(module, value), place};
    }
    return all;
}

ls_host_arguments ls_host_in_list(const ls_module *module, ls_arena *arena, const ls_host_layouts *layouts,
                                  LLVMValueRef list, LLVMValueRef stub, LLVMValueRef call) {
    size_t length;
    const ls_host_layout *layout = ls_host_layout_of(layouts, module->llvm->GetValueName2(stub, &length));
    unsigned count = layout ? layout->parameters : module->llvm->CountParams(stub);
    ls_host_arguments all = new_arguments(arena, count, count);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef slot = ls_host_listed(module, list, i, call);
        LLVMValueRef held = slot ? ls_host_held(module, slot, call) : NULL;
        LLVMValueRef allocation = held ? ls_host_allocation(module, held) : NULL;
        all.items[i] = (ls_host_argument){held, allocation, {i, 0, true}};
    }
    return all;
}
#endif
