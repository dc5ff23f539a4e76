/* The source shape of a module: what makes the PTX that proofs are made on say what the source says.
 * - Device functions are inlined, so that pointers keep their address spaces; a function with a contract of
 *   its own (__requires, __ensures, …) stays a call, as its contract belongs to its boundary.
 * - Each load and store is made volatile before LLVM simplifies anything, as its code generator drops a
 *   load whose value is not used, and such a load can race. Those that are volatile in the source get a
 *   marker in front of them. In the printed PTX, `.volatile` is then taken off all but the marked ones.
 * - Where a pointer is made from a number, which PTX does not show, a .pragma says so. */
#ifdef LS_HAVE_LLVM
#include "base/map.h"
#include "finding/library.h"
#include "frontend/module.h"
#include "ptx/marks.h"

#include <string.h>

#define MARKER "// lockstep.volatile"

/* --- Inlining ------------------------------------------------------------------------------------------ */

static const char *const CONTRACTS[] = {"__requires",
                                        "__global_requires",
                                        "__ensures",
                                        "__global_ensures",
                                        "__function_wide_invariant",
                                        "__function_wide_candidate_invariant",
                                        "__reads_from",
                                        "__writes_to",
                                        "__return_val",
                                        "__old_"};

enum { INLINE_LIMIT = 50000 }; /* instructions of one function, with all that it would take in */
enum { LIBRARY_LIMIT = 100 };  /* the same, of one that only kernels of a library reach */

typedef enum { UNSEEN, OPEN, CLOSED } visit;
typedef struct {
    visit state;
    bool stays;  /* a call of it is left a call */
    bool wanted; /* a kernel that is no library's reaches it */
    uint64_t size;
} function_facts;

static bool is_contract(const char *name) {
    for (size_t i = 0; i < sizeof CONTRACTS / sizeof *CONTRACTS; i++)
        if (!strncmp(name, CONTRACTS[i], strlen(CONTRACTS[i]))) return true;
    return false;
}

static function_facts *facts_of(ls_map *map, ls_arena *arena, const char *name) {
    void **place = ls_map_at(map, name, strlen(name));
    if (!*place) *place = LS_NEW(arena, function_facts);
    return *place;
}

/* Depth first over calls: a function met again while open is recursive and stays. */
static function_facts *measure(const ls_module *module, LLVMValueRef function, ls_map *map, ls_arena *arena,
                               uint32_t depth) {
    const ls_llvm *llvm = module->llvm;
    size_t length;
    function_facts *facts = facts_of(map, arena, llvm->GetValueName2(function, &length));
    if (facts->state == OPEN || depth > 500) facts->stays = true;
    if (facts->state != UNSEEN || depth > 500) return facts;
    facts->state = OPEN;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i)) {
            facts->size++;
            const char *callee = ls_module_callee(module, i);
            if (!callee) continue;
            if (is_contract(callee)) facts->stays = true;
            LLVMValueRef called = llvm->GetCalledValue(i);
            if (llvm->IsDeclaration(called)) continue;
            const function_facts *inner = measure(module, called, map, arena, depth + 1);
            if (!inner->stays) facts->size += inner->size;
        }
    if (facts->size > INLINE_LIMIT) facts->stays = true;
    facts->state = CLOSED;
    return facts;
}

static void want(const ls_module *module, LLVMValueRef function, ls_map *map, ls_arena *arena,
                 uint32_t depth) {
    const ls_llvm *llvm = module->llvm;
    size_t length;
    function_facts *facts = facts_of(map, arena, llvm->GetValueName2(function, &length));
    if (facts->wanted || depth > 500) return;
    facts->wanted = true;
    for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(function); b; b = llvm->GetNextBasicBlock(b))
        for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i))
            if (ls_module_callee(module, i) && !llvm->IsDeclaration(llvm->GetCalledValue(i)))
                want(module, llvm->GetCalledValue(i), map, arena, depth + 1);
}

static void set_inlining(const ls_module *module, LLVMValueRef function, bool stays) {
    const ls_llvm *llvm = module->llvm;
    static const char *const NAMES[] = {"alwaysinline", "noinline", "optnone"};
    for (size_t i = 0; i < 3; i++) {
        unsigned kind = llvm->GetEnumAttributeKindForName(NAMES[i], strlen(NAMES[i]));
        llvm->RemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, kind);
        if (i == (stays ? 1 : 0)) {
            LLVMAttributeRef attribute = llvm->CreateEnumAttribute(module->context, kind, 0);
            llvm->AddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
        }
    }
}

void ls_shape_inline(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    ls_arena arena;
    ls_arena_init(&arena);
    ls_map map = {0};
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        if (llvm->IsDeclaration(f)) continue;
        measure(module, f, &map, &arena, 0);
        size_t length;
        if (llvm->GetLinkage(f) != LLVMInternalLinkage &&
            !ls_is_library_kernel(llvm->GetValueName2(f, &length)))
            want(module, f, &map, &arena, 0);
    }
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        if (llvm->IsDeclaration(f)) continue;
        size_t length;
        const char *name = llvm->GetValueName2(f, &length);
        bool is_kernel = llvm->GetLinkage(f) != LLVMInternalLinkage;
        const function_facts *facts = facts_of(&map, &arena, name);
        bool is_for_library = !facts->wanted && facts->size > LIBRARY_LIMIT;
        set_inlining(module, f, is_kernel || facts->stays || is_for_library);
    }
    ls_map_free(&map);
    ls_arena_free(&arena);
}

/* --- Keeping accesses ---------------------------------------------------------------------------------- */

LLVMValueRef ls_shape_base_of(const ls_llvm *llvm, LLVMValueRef address) {
    for (int step = 0; step < 64; step++) {
        LLVMOpcode opcode = 0;
        if (llvm->GetValueKind(address) == LLVMInstructionValueKind)
            opcode = llvm->GetInstructionOpcode(address);
        else if (llvm->IsAConstantExpr(address))
            opcode = llvm->GetConstOpcode(address);
        if (opcode != LLVMGetElementPtr && opcode != LLVMBitCast && opcode != LLVMAddrSpaceCast) break;
        address = llvm->GetOperand(address, 0);
    }
    return address;
}

/* A structure passed by value is read from parameter space, where nothing can race. */
static bool is_parameter(const ls_module *module, LLVMValueRef address) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef base = ls_shape_base_of(llvm, address);
    if (!llvm->IsAArgument(base)) return false;
    LLVMValueRef function = llvm->GetParamParent(base);
    unsigned byval = llvm->GetEnumAttributeKindForName("byval", 5);
    for (unsigned i = 0; i < llvm->CountParams(function); i++)
        if (llvm->GetParam(function, i) == base)
            return llvm->GetEnumAttributeAtIndex(function, i + 1, byval) != NULL;
    return false;
}

static void mark(const ls_module *module, LLVMBuilderRef builder, LLVMValueRef access, const char *text) {
    const ls_llvm *llvm = module->llvm;
    LLVMTypeRef type = llvm->FunctionType(llvm->VoidTypeInContext(module->context), NULL, 0, 0);
    LLVMValueRef marker =
        llvm->GetInlineAsm(type, text, strlen(text), "~{memory}", 9, 1, 0, LLVMInlineAsmDialectATT, 0);
    llvm->PositionBuilderBefore(builder, access);
    llvm->BuildCall2(builder, type, marker, NULL, 0, "");
}

/* A number that becomes a pointer, which is then used as one, not only passed on. */
static bool is_made_pointer(const ls_module *module, LLVMValueRef i) {
    const ls_llvm *llvm = module->llvm;
    if (llvm->GetInstructionOpcode(i) != LLVMIntToPtr) return false;
    LLVMValueRef number = llvm->GetOperand(i, 0);
    if (llvm->GetValueKind(number) == LLVMInstructionValueKind &&
        llvm->GetInstructionOpcode(number) == LLVMPtrToInt)
        return false; /* there and back */
    for (LLVMUseRef use = llvm->GetFirstUse(i); use; use = llvm->GetNextUse(use))
        if (!llvm->IsACallInst(llvm->GetUser(use))) return true;
    return false;
}

void ls_shape_keep_accesses(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    LLVMBuilderRef builder = llvm->CreateBuilderInContext(module->context);
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f))
        for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(f); b; b = llvm->GetNextBasicBlock(b))
            for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i)) {
                if (is_made_pointer(module, i))
                    mark(module, builder, i, ".pragma \"" LS_PRAGMA_POINTER "\";");
                LLVMValueRef load = llvm->IsALoadInst(i), store = llvm->IsAStoreInst(i);
                if (!load && !store) continue;
                if (llvm->GetVolatile(i))
                    mark(module, builder, i, MARKER);
                else if (!is_parameter(module, llvm->GetOperand(i, load ? 0 : 1)))
                    llvm->SetVolatile(i, 1);
            }
    llvm->DisposeBuilder(builder);
}

/* The condition of an annotation stays a comparison: else the code generator passes `i >= 0` on as the
 * inverted sign bit. An empty piece of assembly is all that it cannot see through. */
#define OPAQUE "// lockstep.condition"

static void keep_condition(const ls_module *module, LLVMBuilderRef builder, LLVMValueRef call) {
    const ls_llvm *llvm = module->llvm;
    for (unsigned i = 0; i < llvm->GetNumArgOperands(call); i++) {
        LLVMValueRef condition = llvm->GetOperand(call, i);
        LLVMTypeRef type = llvm->TypeOf(condition);
        if (llvm->GetTypeKind(type) != LLVMIntegerTypeKind || llvm->GetIntTypeWidth(type) != 1) continue;
        if (llvm->IsAConstantInt(condition)) continue;
        LLVMTypeRef function = llvm->FunctionType(type, &type, 1, 0);
        LLVMValueRef opaque = llvm->GetInlineAsm(function, OPAQUE, sizeof OPAQUE - 1, "=b,0", 4, 0, 0,
                                                 LLVMInlineAsmDialectATT, 0);
        llvm->PositionBuilderBefore(builder, call);
        llvm->SetOperand(call, i, llvm->BuildCall2(builder, function, opaque, &condition, 1, ""));
    }
}

void ls_shape_keep_conditions(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    LLVMBuilderRef builder = llvm->CreateBuilderInContext(module->context);
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f))
        for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(f); b; b = llvm->GetNextBasicBlock(b))
            for (LLVMValueRef i = llvm->GetFirstInstruction(b); i; i = llvm->GetNextInstruction(i)) {
                const char *callee = ls_module_callee(module, i);
                if (callee && !strncmp(callee, "__", 2) && llvm->IsDeclaration(llvm->GetCalledValue(i)))
                    keep_condition(module, builder, i);
            }
    llvm->DisposeBuilder(builder);
}

/* __non_temporal_loads_begin and _end say that the loads between them belong to an annotation. Where there
 * are none, they say nothing. */
static void drop_brackets_in(const ls_module *module, LLVMBasicBlockRef block) {
    const ls_llvm *llvm = module->llvm;
    LLVMValueRef open = NULL, next;
    for (LLVMValueRef i = llvm->GetFirstInstruction(block); i; i = next) {
        next = llvm->GetNextInstruction(i);
        const char *callee = ls_module_callee(module, i);
        if (llvm->IsALoadInst(i))
            open = NULL;
        else if (callee && !strcmp(callee, "__non_temporal_loads_begin"))
            open = i;
        else if (callee && !strcmp(callee, "__non_temporal_loads_end") && open) {
            llvm->InstructionEraseFromParent(open);
            llvm->InstructionEraseFromParent(i);
            open = NULL;
        }
    }
}

void ls_shape_drop_brackets(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f))
        for (LLVMBasicBlockRef b = llvm->GetFirstBasicBlock(f); b; b = llvm->GetNextBasicBlock(b))
            drop_brackets_in(module, b);
}

static size_t line_length(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? (size_t)(end - line) + 1 : strlen(line);
}

static bool line_has(const char *line, size_t length, const char *word) {
    return memmem(line, length, word, strlen(word)) != NULL;
}

/* "ld.volatile" or "st.volatile" in a line: where ".volatile" starts; NULL where there is none. */
static const char *volatile_access(const char *line, size_t length) {
    const char *at = memmem(line, length, ".volatile", 9);
    if (!at || at - line < 2) return NULL;
    return !memcmp(at - 2, "ld", 2) || !memcmp(at - 2, "st", 2) ? at : NULL;
}

/* What is left of a line without the comment that numbers calls through the whole process. */
static size_t without_number(const char *line, size_t length) {
    const char *comment = memmem(line, length, " // callseq ", 12);
    return comment ? (size_t)(comment - line) : length;
}

/* The name in ".func (.param .b32 r) name (…". */
static const char *function_name(const char *line, size_t *length) {
    const char *at = line + strlen(".func");
    at += strspn(at, " \t\n");
    if (*at == '(') at += strcspn(at, ")") + 1;
    at += strspn(at, " \t\n");
    *length = strcspn(at, " \t\n(;{");
    return at;
}

static bool is_defined_below(const char *line) {
    size_t length, other_length;
    const char *name = function_name(line, &length);
    for (const char *other = line; (other = strstr(other + 1, "\n.func "));) {
        const char *other_name = function_name(other + 1, &other_length);
        if (other_length == length && !memcmp(name, other_name, length) && other[strcspn(other, "{;")] == '{')
            return true;
    }
    return false;
}

/* LLVM prints no linkage for OpenCL: a kernel is visible, and a function without a body is extern, unless it
 * is only declared ahead of its body. */
static const char *linkage(const char *line) {
    if (!strncmp(line, ".entry ", 7)) return ".visible ";
    if (strncmp(line, ".func ", 6)) return "";
    return line[strcspn(line, "{;")] == ';' && !is_defined_below(line) ? ".extern " : "";
}

void ls_shape_tidy(ls_buf *ptx, bool keep_volatile) {
    ls_buf out = {0};
    ls_buf_reserve(&out, ptx->length + 1);
    bool is_volatile = keep_volatile;
    size_t last = 0; /* where the last line stands in `out` */
    for (const char *line = ls_buf_text(ptx); *line;) {
        size_t length = line_length(line), kept = without_number(line, length);
        const char *next = line + length;
        const char *access = volatile_access(line, length);
        if (line_has(line, length, MARKER) || line_has(line, length, OPAQUE)) {
            is_volatile |= line_has(line, length, MARKER);
            out.length = last; /* "// begin inline asm" */
            next += line_length(next);
        } else if (access && !is_volatile) {
            last = out.length;
            ls_buf_add(&out, line, (size_t)(access - line));
            ls_buf_add(&out, access + 9, length - (size_t)(access - line) - 9);
        } else {
            last = out.length;
            ls_buf_puts(&out, linkage(line));
            ls_buf_add(&out, line, kept);
            if (kept < length) ls_buf_putc(&out, '\n');
            if (access || line_has(line, length, ".local.") || line_has(line, length, "ld.const"))
                is_volatile = keep_volatile;
        }
        line = next;
    }
    ls_buf_free(ptx);
    *ptx = out;
}

/* --- Library calls ------------------------------------------------------------------------------------- */

/* Functions for which NVPTX has an instruction only where the source allows approximations. */
static const struct {
    const char *intrinsic, *function;
} LIBRARY[] = {
    {"llvm.sin.f32", "sinf"},
    {"llvm.cos.f32", "cosf"},
    {"llvm.tan.f32", "tanf"},
    {"llvm.exp.f32", "expf"},
    {"llvm.exp2.f32", "exp2f"},
    {"llvm.exp10.f32", "exp10f"},
    {"llvm.log.f32", "logf"},
    {"llvm.log2.f32", "log2f"},
    {"llvm.log10.f32", "log10f"},
    {"llvm.pow.f32", "powf"},
    {"llvm.sin.f64", "sin"},
    {"llvm.cos.f64", "cos"},
    {"llvm.tan.f64", "tan"},
    {"llvm.exp.f64", "exp"},
    {"llvm.exp2.f64", "exp2"},
    {"llvm.exp10.f64", "exp10"},
    {"llvm.log.f64", "log"},
    {"llvm.log2.f64", "log2"},
    {"llvm.log10.f64", "log10"},
    {"llvm.pow.f64", "pow"},
    {"llvm.powi.f32.i32", "__lockstep_powif"},
    {"llvm.ldexp.f32.i32", "ldexpf"},
    {"llvm.ldexp.f64.i32", "ldexp"},
    {"llvm.powi.f64.i32", "__lockstep_powi"},
    {"llvm.asin.f32", "asinf"},
    {"llvm.acos.f32", "acosf"},
    {"llvm.atan.f32", "atanf"},
    {"llvm.sinh.f32", "sinhf"},
    {"llvm.cosh.f32", "coshf"},
    {"llvm.tanh.f32", "tanhf"},
};

void ls_shape_library_calls(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    for (size_t i = 0; i < sizeof LIBRARY / sizeof *LIBRARY; i++) {
        LLVMValueRef intrinsic = llvm->GetNamedFunction(module->module, LIBRARY[i].intrinsic);
        if (!intrinsic) continue;
        LLVMUseRef next;
        for (LLVMUseRef use = llvm->GetFirstUse(intrinsic); use; use = next) {
            next = llvm->GetNextUse(use);
            LLVMValueRef call = llvm->GetUser(use);
            if (!llvm->IsACallInst(call)) continue;
            if (llvm->CanValueUseFastMathFlags(call) &&
                (llvm->GetFastMathFlags(call) & LLVMFastMathApproxFunc))
                continue;
            LLVMValueRef function = llvm->GetNamedFunction(module->module, LIBRARY[i].function);
            if (!function)
                function = llvm->AddFunction(module->module, LIBRARY[i].function,
                                             llvm->GlobalGetValueType(intrinsic));
            llvm->SetOperand(call, (unsigned)llvm->GetNumOperands(call) - 1, function);
        }
    }
}
#endif
