/* Calls of the CUDA runtime in host code, rewritten for the passes that follow (host_runtime.h). A call that
 * allocates is left for what it returns, without the address that it sets; before it stand
 *   p = lockstep.allocation(bytes); *address = p
 * so that the variable need not stay in memory for its address. That allocations succeed is taken for granted
 * (docs/verify.md). What other calls do is a table: they read and write what they are given pointers to, and
 * nothing else that the host's code can see. With memory that host and device share, launches and what waits
 * for them may write any of it. */
#ifdef LS_HAVE_LLVM
#include "frontend/host_runtime.h"
#include "frontend/host_paths.h"

#include <string.h>

static const char ALLOCATION[] = "lockstep.allocation", PITCH[] = "lockstep.pitch";

/* Calls that set the variable whose address comes first to memory of so many bytes, which come second. */
static const struct {
    const char *name;
    bool is_shared; /* the host can see it, too */
} allocators[] = {{"cudaMalloc", false},
                  {"cudaMallocAsync", false},
                  {"cudaMallocManaged", true},
                  {"cudaMallocHost", true},
                  {"cudaHostAlloc", true}};

/* It sets a pointer and, second, the length of rows, which are at least as long as what comes third. */
static const char PITCHED[] = "cudaMallocPitch";

/* Other calls by which the host gets to see memory of the device. */
static const char *const sharers[] = {"__cudaRegisterManagedVar", "cuMemAllocHost_v2",
                                      "cuMemAllocManaged",        "cuMemHostAlloc",
                                      "cudaHostGetDevicePointer", "cudaHostRegister"};

/* Calls that touch only what they are given pointers to. */
static const struct {
    const char *name;
    bool waits;     /* or what kernels write that are done then */
    unsigned reads; /* the argument that is only read, counted from 1; 0: none */
} calls[] = {
    {"__cudaPushCallConfiguration", false},
    {"cudaDeviceGetAttribute", false},
    {"cudaDeviceSetCacheConfig", false},
    {"cudaDeviceSynchronize", true},
    {"cudaEventCreate", false},
    {"cudaEventCreateWithFlags", false},
    {"cudaEventDestroy", false},
    {"cudaEventElapsedTime", false},
    {"cudaEventRecord", false},
    {"cudaEventSynchronize", true},
    {"cudaFree", true},
    {"cudaFuncSetAttribute", false},
    {"cudaFuncSetCacheConfig", false},
    {"cudaGetDevice", false},
    {"cudaGetDeviceCount", false},
    {"cudaGetDeviceProperties", false},
    {"cudaGetDeviceProperties_v2", false},
    {"cudaGetErrorString", false},
    {"cudaGetLastError", false},
    {"cudaMemcpy", true, 2},
    {"cudaMemcpy2D", true, 3},
    {"cudaMemcpyAsync", true, 2},
    {"cudaMemcpyToSymbol", true, 2},
    {"cudaMemset", true},
    {"cudaMemset2D", true},
    {"cudaMemsetAsync", true},
    {"cudaPeekAtLastError", false},
    {"cudaSetDevice", false},
    {"cudaStreamCreate", false},
    {"cudaStreamCreateWithFlags", false},
    {"cudaStreamDestroy", false},
    {"cudaStreamSynchronize", true},
    {"cudaThreadSynchronize", true},
    {"clock", false},
    {"fprintf", false},
    {"printf", false},
    {"putchar", false},
    {"puts", false},
    {"rand", false},
    {"srand", false},
    {"time", false},
};

enum { ARGUMENTS_AND_OWN = 15, OWN = 12 }; /* of LLVM's attribute `memory` */

static LLVMValueRef declared(const ls_module *module, const char *name) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef function = llvm->GetNamedFunction(module->module, name);
    return function && llvm->IsDeclaration(function) && llvm->GetFirstUse(function) ? function : NULL;
}

static void add_attribute(const ls_module *module, LLVMValueRef function, unsigned at, const char *name,
                          uint64_t value) {
    const ls_llvm *llvm = module->llvm;
    unsigned kind = llvm->GetEnumAttributeKindForName(name, strlen(name));
    if (kind)
        llvm->AddAttributeAtIndex(function, at, llvm->CreateEnumAttribute(module->context, kind, value));
}

static void touches(const ls_module *module, LLVMValueRef function, uint64_t memory) {
    add_attribute(module, function, (unsigned)LLVMAttributeFunctionIndex, "memory", memory);
}

/* A function of a name of our own, which takes and gives what it says. */
static LLVMValueRef own(const ls_module *module, const char *name, LLVMTypeRef *type) {
    const ls_llvm *llvm = module->llvm;
    LLVMTypeRef number = llvm->Int64TypeInContext(module->context);
    LLVMTypeRef pointer = llvm->PointerTypeInContext(module->context, 0);
    *type = llvm->FunctionType(name == PITCH ? number : pointer, &number, 1, false);
    LLVMValueRef function = llvm->GetNamedFunction(module->module, name);
    if (function) return function;
    function = llvm->AddFunction(module->module, name, *type);
    touches(module, function, OWN);
    if (name == ALLOCATION) add_attribute(module, function, (unsigned)LLVMAttributeReturnIndex, "noalias", 0);
    return function;
}

/* address = name(number), where the call stands. */
static LLVMValueRef set(const ls_module *module, LLVMBuilderRef b, LLVMValueRef call, const char *name,
                        LLVMValueRef number, unsigned address) {
    const ls_llvm *llvm = module->llvm;
    LLVMTypeRef type;
    LLVMValueRef function = own(module, name, &type);
    LLVMValueRef made = llvm->BuildCall2(b, type, function, &number, 1, "");
    LLVMMetadataRef where = llvm->InstructionGetDebugLoc(call);
    if (where) llvm->InstructionSetDebugLoc(made, where);
    llvm->BuildStore(b, made, llvm->GetOperand(call, address));
    llvm->SetOperand(call, address, llvm->ConstNull(llvm->PointerTypeInContext(module->context, 0)));
    return made;
}

static bool is_number(const ls_llvm *llvm, LLVMValueRef value) {
    LLVMTypeRef type = llvm->TypeOf(value);
    return llvm->GetTypeKind(type) == LLVMIntegerTypeKind && llvm->GetIntTypeWidth(type) == 64;
}

static bool is_pointer(const ls_llvm *llvm, LLVMValueRef value) {
    return llvm->GetTypeKind(llvm->TypeOf(value)) == LLVMPointerTypeKind;
}

static void write_out(const ls_module *module, LLVMBuilderRef b, LLVMValueRef call, bool pitched) {
    const ls_llvm *llvm = module->llvm;
    if (llvm->GetNumArgOperands(call) < (pitched ? 4u : 2u) || !is_pointer(llvm, llvm->GetOperand(call, 0)))
        return;
    LLVMValueRef bytes = llvm->GetOperand(call, 1);
    if (!pitched && !is_number(llvm, bytes)) return;
    llvm->PositionBuilderBefore(b, call);
    if (pitched) {
        LLVMValueRef width = llvm->GetOperand(call, 2), height = llvm->GetOperand(call, 3);
        if (!is_pointer(llvm, bytes) || !is_number(llvm, width) || !is_number(llvm, height)) return;
        bytes = llvm->BuildMul(b, set(module, b, call, PITCH, width, 1), height, "");
    }
    set(module, b, call, ALLOCATION, bytes, 0);
}

static void write_out_calls(const ls_module *module, LLVMBuilderRef b, LLVMValueRef function, bool pitched) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMUseRef u = llvm->GetFirstUse(function); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef user = llvm->GetUser(u);
        bool calls_it =
            (llvm->IsACallInst(user) || llvm->IsAInvokeInst(user)) && llvm->GetCalledValue(user) == function;
        if (calls_it) write_out(module, b, user, pitched);
    }
    touches(module, function, OWN);
}

void ls_host_runtime(ls_module *module, bool (*is_stub)(const char *name)) {
    const ls_llvm *llvm = module->llvm;
    LLVMBuilderRef b = llvm->CreateBuilderInContext(module->context);
    bool shared = false;
    for (size_t i = 0; i < sizeof sharers / sizeof *sharers; i++)
        shared |= declared(module, sharers[i]) != NULL;
    for (size_t i = 0; i < sizeof allocators / sizeof *allocators; i++) {
        LLVMValueRef function = declared(module, allocators[i].name);
        if (!function) continue;
        shared |= allocators[i].is_shared;
        write_out_calls(module, b, function, false);
    }
    LLVMValueRef pitched = declared(module, PITCHED);
    if (pitched) write_out_calls(module, b, pitched, true);
    llvm->DisposeBuilder(b);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        LLVMValueRef function = declared(module, calls[i].name);
        if (!function || (shared && calls[i].waits)) continue;
        touches(module, function, ARGUMENTS_AND_OWN);
        if (calls[i].reads) add_attribute(module, function, calls[i].reads, "readonly", 0);
    }
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f && !shared;
         f = llvm->GetNextFunction(f)) {
        size_t length;
        if (is_stub(llvm->GetValueName2(f, &length))) touches(module, f, ARGUMENTS_AND_OWN);
    }
}

/* The first argument of a call of the function. */
static LLVMValueRef given_to(const ls_module *module, LLVMValueRef value, const char *name) {
    const char *callee = module->llvm->IsAInstruction(value) ? ls_module_callee(module, value) : NULL;
    return callee && !strcmp(callee, name) ? module->llvm->GetOperand(value, 0) : NULL;
}

LLVMValueRef ls_host_allocated_bytes(const ls_module *module, LLVMValueRef value) {
    return given_to(module, value, ALLOCATION);
}

LLVMValueRef ls_host_least_pitch(const ls_module *module, LLVMValueRef value) {
    return given_to(module, value, PITCH);
}

/* --- What memory holds -----------------------------------------------------------------------------------
 */

static bool is_one_of(const char *name, const char *const *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name, list[i])) return true;
    return false;
}

/* cudaMemset(allocation, 0, all of it) */
static bool clears(const ls_module *module, LLVMValueRef call, LLVMValueRef allocation) {
    static const char *const names[] = {"cudaMemset", "cudaMemsetAsync"};
    const ls_llvm *llvm = module->llvm;
    const char *callee = ls_module_callee(module, call);
    if (!callee || !is_one_of(callee, names, 2) || llvm->GetOperand(call, 0) != allocation) return false;
    LLVMValueRef value = llvm->GetOperand(call, 1), bytes = llvm->GetOperand(call, 2);
    LLVMValueRef all = ls_host_allocated_bytes(module, allocation);
    bool whole = bytes == all || (llvm->IsAConstantInt(bytes) && llvm->IsAConstantInt(all) &&
                                  llvm->ConstIntGetZExtValue(bytes) >= llvm->ConstIntGetZExtValue(all));
    return whole && llvm->IsAConstantInt(value) && !llvm->ConstIntGetZExtValue(value);
}

typedef enum { READS, WRITES, ESCAPES } effect;

static effect effect_of(const ls_module *module, LLVMValueRef user, LLVMValueRef allocation,
                        bool (*is_stub)(const char *name)) {
    static const char *const writers[] = {"cudaMemcpy", "cudaMemcpyAsync", "cudaMemset", "cudaMemsetAsync"};
    const ls_llvm *llvm = module->llvm;
    const char *callee = ls_module_callee(module, user);
    if (llvm->IsAInstruction(user) && llvm->GetInstructionOpcode(user) == LLVMICmp) return READS;
    if (!callee) return ESCAPES;
    if (is_stub(callee)) return WRITES;
    if (!strcmp(callee, "cudaFree")) return READS;
    if (!is_one_of(callee, writers, sizeof writers / sizeof *writers)) return ESCAPES;
    return llvm->GetOperand(user, 0) == allocation ? WRITES : READS;
}

/* The one that clears it last before the launch; NULL where there is none, or the pointer goes elsewhere. */
static LLVMValueRef clearing_call(const ls_module *module, LLVMValueRef allocation, LLVMValueRef launch,
                                  bool (*is_stub)(const char *name)) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef found = NULL;
    for (LLVMUseRef u = llvm->GetFirstUse(allocation); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef user = llvm->GetUser(u);
        if (effect_of(module, user, allocation, is_stub) == ESCAPES) return NULL;
        bool before = clears(module, user, allocation) && ls_host_is_before(llvm, user, launch);
        if (before && (!found || ls_host_is_before(llvm, found, user))) found = user;
    }
    return found;
}

bool ls_host_is_zeroed(const ls_module *module, LLVMValueRef allocation, LLVMValueRef launch,
                       bool (*is_stub)(const char *name)) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef by = clearing_call(module, allocation, launch, is_stub);
    if (!by) return false;
    for (LLVMUseRef u = llvm->GetFirstUse(allocation); u; u = llvm->GetNextUse(u)) {
        LLVMValueRef user = llvm->GetUser(u);
        bool writes = user != by && effect_of(module, user, allocation, is_stub) == WRITES;
        if (writes && ls_host_may_follow(llvm, user, launch, by)) return false;
    }
    return true;
}
#endif
