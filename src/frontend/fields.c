/* Fields of local structures kept apart, in the source form.
 *
 * LLVM keeps a structure in memory as a whole when one of its arrays is accessed with an index that is not a
 * constant. Block-wide primitives of CUB are such structures: they hold a pointer to shared memory beside an
 * array of items, and a pointer that is read back from memory is one of which nothing is known. Here each
 * part that is accessed by itself becomes a variable of its own; LLVM (sroa) then keeps those that can be in
 * registers there. An index is taken to stay within the array that it is written for, as C++ demands. */
#ifdef LS_HAVE_LLVM
#include "frontend/module.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint64_t from, to; /* bytes of the structure */
} range;

typedef struct {
    LLVMValueRef variable;
    range bytes;
} part;

/* Where a pointer into the structure points, and how far pointer arithmetic may take it. */
typedef struct {
    uint64_t offset;
    range extent;
} position;

typedef LS_VEC(LLVMValueRef) values;

typedef struct {
    const ls_module *module;
    LLVMTargetDataRef layout;
    LLVMBuilderRef builder;
    LLVMValueRef variable;
    uint64_t size;
    bool indexed; /* by something that is no constant */
    LS_VEC(range) ranges;
    LS_VEC(part) parts;
} structure;

enum { DEPTH_LIMIT = 64 };

static uint64_t size_of(const structure *s, LLVMTypeRef type) {
    return s->module->llvm->ABISizeOfType(s->layout, type);
}

static void move(position *at, uint64_t by) {
    at->offset += by;
}

static void enter(position *at, uint64_t size) {
    at->extent = (range){at->offset, at->offset + size};
}

/* The constant part of a GEP. *dynamic: its first operand that is no constant, whose type to index is then
 * *type; 0 where all are constants. false: a kind of GEP that is left alone. */
static bool follow(const structure *s, LLVMValueRef gep, position *at, unsigned *dynamic, LLVMTypeRef *type) {
    const ls_llvm *llvm = s->module->llvm;
    *type = llvm->GetGEPSourceElementType(gep);
    *dynamic = 0;
    for (unsigned k = 1; k < (unsigned)llvm->GetNumOperands(gep); k++) {
        LLVMValueRef index = llvm->GetOperand(gep, k);
        bool is_constant = llvm->IsAConstantInt(index) != NULL;
        LLVMTypeKind kind = llvm->GetTypeKind(*type);
        if (k > 1 && kind == LLVMStructTypeKind) {
            if (!is_constant) return false;
            unsigned field = (unsigned)llvm->ConstIntGetZExtValue(index);
            move(at, llvm->OffsetOfElement(s->layout, *type, field));
            *type = llvm->StructGetTypeAtIndex(*type, field);
            enter(at, size_of(s, *type));
            continue;
        }
        if (k > 1 && kind != LLVMArrayTypeKind) return false;
        if (k > 1) enter(at, size_of(s, *type));
        if (!is_constant) {
            *dynamic = k;
            return true;
        }
        if (k > 1) *type = llvm->GetElementType(*type);
        move(at, (uint64_t)llvm->ConstIntGetSExtValue(index) * size_of(s, *type));
    }
    return true;
}

static void uses_of(const structure *s, LLVMValueRef pointer, values *to) {
    const ls_llvm *llvm = s->module->llvm;
    for (LLVMUseRef use = llvm->GetFirstUse(pointer); use; use = llvm->GetNextUse(use))
        LS_VEC_PUSH(to, llvm->GetUser(use));
}

static bool is_lifetime(const structure *s, LLVMValueRef user) {
    const char *callee = ls_module_callee(s->module, user);
    return callee && !strncmp(callee, "llvm.lifetime.", 14);
}

/* The type that a load or store accesses at `pointer`; NULL for other instructions. */
static LLVMTypeRef accessed(const structure *s, LLVMValueRef user, LLVMValueRef pointer) {
    const ls_llvm *llvm = s->module->llvm;
    if (llvm->IsALoadInst(user)) return llvm->TypeOf(user);
    if (!llvm->IsAStoreInst(user) || llvm->GetOperand(user, 0) == pointer) return NULL;
    return llvm->TypeOf(llvm->GetOperand(user, 0));
}

static bool is_inside(const structure *s, range bytes) {
    return bytes.from <= bytes.to && bytes.to <= s->size;
}

/* --- What is accessed together ------------------------------------------------------------------------- */

static bool collect(structure *s, LLVMValueRef pointer, position at, unsigned depth);

static bool collect_use(structure *s, LLVMValueRef pointer, LLVMValueRef user, position at, unsigned depth) {
    const ls_llvm *llvm = s->module->llvm;
    if (is_lifetime(s, user)) return true;
    range bytes;
    LLVMTypeRef type = accessed(s, user, pointer);
    if (type) {
        bytes = (range){at.offset, at.offset + size_of(s, type)};
    } else {
        unsigned dynamic;
        if (!llvm->IsAGetElementPtrInst(user) || llvm->GetOperand(user, 0) != pointer) return false;
        if (!follow(s, user, &at, &dynamic, &type)) return false;
        if (!dynamic) return collect(s, user, at, depth + 1);
        s->indexed = true;
        bytes = at.extent;
    }
    if (!is_inside(s, bytes)) return false;
    LS_VEC_PUSH(&s->ranges, bytes);
    return true;
}

static bool collect(structure *s, LLVMValueRef pointer, position at, unsigned depth) {
    if (depth > DEPTH_LIMIT) return false;
    values users = {0};
    uses_of(s, pointer, &users);
    bool good = true;
    for (uint32_t i = 0; i < users.length && good; i++)
        good = collect_use(s, pointer, users.items[i], at, depth);
    LS_VEC_FREE(&users);
    return good;
}

static int by_start(const void *a, const void *b) {
    const range *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Ranges that overlap are one part. */
static void join(structure *s) {
    qsort(s->ranges.items, s->ranges.length, sizeof *s->ranges.items, by_start);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->ranges.length; i++) {
        range next = s->ranges.items[i];
        range *last = kept ? &s->ranges.items[kept - 1] : NULL;
        if (last && next.from < last->to)
            last->to = next.to > last->to ? next.to : last->to;
        else
            s->ranges.items[kept++] = next;
    }
    s->ranges.length = kept;
}

/* --- Taking it apart ----------------------------------------------------------------------------------- */

static void make_parts(structure *s) {
    const ls_llvm *llvm = s->module->llvm;
    LLVMTypeRef byte = llvm->Int8TypeInContext(s->module->context);
    llvm->PositionBuilderBefore(s->builder, s->variable);
    for (uint32_t i = 0; i < s->ranges.length; i++) {
        range bytes = s->ranges.items[i];
        unsigned align = llvm->GetAlignment(s->variable);
        while (align > 1 && bytes.from % align) align /= 2;
        LLVMTypeRef type = llvm->ArrayType2(byte, bytes.to - bytes.from);
        part p = {llvm->BuildAlloca(s->builder, type, ""), bytes};
        llvm->SetAlignment(p.variable, align ? align : 1);
        LS_VEC_PUSH(&s->parts, p);
    }
}

/* The address of byte `offset` of the structure, in front of an instruction. */
static LLVMValueRef address(structure *s, LLVMValueRef before, uint64_t offset, uint64_t inside) {
    const ls_llvm *llvm = s->module->llvm;
    const part *p = &s->parts.items[0];
    while (!(p->bytes.from <= inside && inside < p->bytes.to)) p++;
    llvm->PositionBuilderBefore(s->builder, before);
    LLVMValueRef index =
        llvm->ConstInt(llvm->Int64TypeInContext(s->module->context), offset - p->bytes.from, 1);
    return llvm->BuildGEP2(s->builder, llvm->Int8TypeInContext(s->module->context), p->variable, &index, 1,
                           "");
}

/* A GEP whose operand `dynamic` is no constant becomes one that starts there. */
static void rewrite_indexed(structure *s, LLVMValueRef gep, position at, unsigned dynamic, LLVMTypeRef type) {
    const ls_llvm *llvm = s->module->llvm;
    LLVMValueRef base = address(s, gep, at.offset, at.extent.from);
    if (dynamic == 1) {
        llvm->SetOperand(gep, 0, base);
        return;
    }
    values indices = {0};
    LS_VEC_PUSH(&indices, llvm->ConstInt(llvm->Int64TypeInContext(s->module->context), 0, 0));
    for (unsigned k = dynamic; k < (unsigned)llvm->GetNumOperands(gep); k++)
        LS_VEC_PUSH(&indices, llvm->GetOperand(gep, k));
    LLVMValueRef from_there = llvm->BuildGEP2(s->builder, type, base, indices.items, indices.length, "");
    LS_VEC_FREE(&indices);
    llvm->ReplaceAllUsesWith(gep, from_there);
}

static void rewrite(structure *s, LLVMValueRef pointer, position at) {
    const ls_llvm *llvm = s->module->llvm;
    values users = {0};
    uses_of(s, pointer, &users);
    for (uint32_t i = 0; i < users.length; i++) {
        LLVMValueRef user = users.items[i];
        LLVMTypeRef type;
        unsigned dynamic;
        position there = at;
        if (is_lifetime(s, user)) {
            llvm->InstructionEraseFromParent(user);
        } else if (accessed(s, user, pointer)) {
            unsigned operand = llvm->IsALoadInst(user) ? 0 : 1;
            llvm->SetOperand(user, operand, address(s, user, at.offset, at.offset));
        } else if (follow(s, user, &there, &dynamic, &type)) {
            if (dynamic)
                rewrite_indexed(s, user, there, dynamic, type);
            else
                rewrite(s, user, there);
        }
    }
    LS_VEC_FREE(&users);
}

static void take_apart(ls_module *module, LLVMBuilderRef builder, LLVMValueRef variable) {
    const ls_llvm *llvm = module->llvm;
    LLVMTypeRef type = llvm->GetAllocatedType(variable);
    LLVMValueRef count = llvm->GetOperand(variable, 0);
    if (llvm->GetTypeKind(type) != LLVMStructTypeKind) return;
    if (!llvm->IsAConstantInt(count) || llvm->ConstIntGetZExtValue(count) != 1) return;
    structure s = {.module = module,
                   .layout = llvm->GetModuleDataLayout(module->module),
                   .builder = builder,
                   .variable = variable};
    s.size = size_of(&s, type);
    position start = {0, {0, s.size}};
    if (collect(&s, variable, start, 0) && s.indexed) {
        join(&s);
        if (s.ranges.length > 1) {
            make_parts(&s);
            rewrite(&s, variable, start);
        }
    }
    LS_VEC_FREE(&s.ranges);
    LS_VEC_FREE(&s.parts);
}

void ls_fields_take_apart(ls_module *module) {
    const ls_llvm *llvm = module->llvm;
    LLVMBuilderRef builder = llvm->CreateBuilderInContext(module->context);
    for (LLVMValueRef f = llvm->GetFirstFunction(module->module); f; f = llvm->GetNextFunction(f)) {
        LLVMBasicBlockRef entry = llvm->GetFirstBasicBlock(f);
        if (!entry) continue;
        values variables = {0};
        for (LLVMValueRef i = llvm->GetFirstInstruction(entry); i; i = llvm->GetNextInstruction(i))
            if (llvm->IsAAllocaInst(i)) LS_VEC_PUSH(&variables, i);
        for (uint32_t i = 0; i < variables.length; i++) take_apart(module, builder, variables.items[i]);
        LS_VEC_FREE(&variables);
    }
    llvm->DisposeBuilder(builder);
}
#endif
