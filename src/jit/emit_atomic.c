/* Additions to integers of 32 bits in memory (atomicAdd), where no checker looks at them and all lanes run:
 * as `combine` of emulate/lanes/memory.c has them, one lane after the other. Anything else is the
 * interpreter's. */
#ifdef LS_HAVE_JIT
#include "isa/atomic.h"
#include "jit/access.h"

/* As em_strong_access does, and what tells whether memory was changed. */
static void note_strong(emitter *e, value added) {
    enum { SHORT = 200, BY = 100 };
    value strong = jit_at(e, e->warp, offsetof(warp, strong)), one = jit_int(e, e->i32, 1);
    value budget = jit_at(e, e->warp, offsetof(warp, budget));
    value changed = jit_at(e, e->warp, offsetof(warp, changed));
    value left = jit_field(e, budget, 0, e->i32), before = jit_field(e, changed, 0, e->i8);
    value less = B(e, Select, B(e, ICmp, LLVMIntUGT, left, jit_int(e, e->i32, SHORT)),
                   B(e, Sub, left, jit_int(e, e->i32, BY)), left);
    const value stores[] = {
        e->L->BuildStore(e->at, B(e, Add, jit_field(e, strong, 0, e->i32), one), strong),
        e->L->BuildStore(e->at, jit_int(e, e->i8, 1), jit_at(e, e->warp, offsetof(warp, looked))),
        e->L->BuildStore(e->at, less, budget),
        e->L->BuildStore(e->at, B(e, Or, before, B(e, ZExt, added, e->i8)), changed),
    };
    for (size_t k = 0; k < sizeof stores / sizeof *stores; k++)
        e->L->SetMetadata(stores[k], e->tbaa, e->state_tag);
}

/* Any lane adds something. */
static value adds_any(emitter *e, uint32_t r) {
    if (e->state[r] == SHAPE_UNIFORM) return B(e, ICmp, LLVMIntNE, jit_read_one(e, r), jit_int(e, e->i32, 0));
    value lanes = B(e, ICmp, LLVMIntNE, jit_read_row(e, r), e->L->ConstNull(jit_row_type(e, 4)));
    return B(e, ICmp, LLVMIntNE, jit_bits_of(e, lanes), jit_int(e, e->i32, 0));
}

/* Lanes side by side: nobody adds where another does. */
static value add_row(emitter *e, const access *a, value added) {
    LLVMTypeRef type = jit_row_type(e, 4);
    value at = B(e, IntToPtr, B(e, Add, a->first, a->base), e->ptr), old = B(e, Load2, type, at);
    value store = e->L->BuildStore(e->at, B(e, Add, old, added), at);
    e->L->SetMetadata(old, e->tbaa, e->memory_tag);
    e->L->SetMetadata(store, e->tbaa, e->memory_tag);
    e->L->SetAlignment(old, 4);
    e->L->SetAlignment(store, 4);
    return old;
}

static value element(emitter *e, LLVMTypeRef type, value array, value index) {
    return e->L->BuildGEP2(e->at, type, array, &index, 1, "");
}

/* Puts pointers down in pieces of four, which are read one by one at once: a processor that stores a wider
 * vector in two steps takes longer to hand it on. */
static void put_pointers(emitter *e, value pointers, value places) {
    enum { FOUR = 4 };
    for (uint32_t l = 0; l < CHUNK; l += FOUR) {
        value from[FOUR];
        for (uint32_t k = 0; k < FOUR; k++) from[k] = jit_int(e, e->i32, l + k);
        value some = B(e, ShuffleVector, pointers, e->L->GetPoison(e->L->TypeOf(pointers)),
                       e->L->ConstVector(from, FOUR));
        e->L->BuildStore(e->at, some, jit_at(e, places, l * sizeof(void *)));
    }
}

/* One lane after the other: some may add at one place. The row of what was there before, where it is asked
 * for. */
static value add_in_turn(emitter *e, const access *a, uint32_t r, bool asked) {
    enum { AT_ONCE = 8 };
    LLVMTypeRef type = jit_row_type(e, 4);
    value pointers = jit_pointers_of_all(e, a, 0), places = jit_place(e, e->L->TypeOf(pointers)),
          values = jit_place(e, type), olds = jit_place(e, type), at = jit_place(e, e->i64);
    value all = e->state[r] == SHAPE_UNIFORM ? jit_read_one(e, r) : NULL; /* what each lane adds */
    LLVMBasicBlockRef loop = jit_block(e), done = jit_block(e);
    put_pointers(e, pointers, places);
    if (!all) e->L->BuildStore(e->at, jit_read_row(e, r), values);
    e->L->BuildStore(e->at, jit_int(e, e->i64, 0), at);
    e->L->BuildBr(e->at, loop);
    jit_go_on_at(e, loop);
    value from = B(e, Load2, e->i64, at);
    for (uint32_t k = 0; k < AT_ONCE; k++) {
        value l = B(e, Add, from, jit_int(e, e->i64, k));
        value to = B(e, Load2, e->ptr, element(e, e->ptr, places, l)), old = B(e, Load2, e->i32, to);
        value sum = B(e, Add, old, all ? all : B(e, Load2, e->i32, element(e, e->i32, values, l)));
        e->L->SetMetadata(old, e->tbaa, e->memory_tag);
        e->L->SetMetadata(e->L->BuildStore(e->at, sum, to), e->tbaa, e->memory_tag);
        if (asked) e->L->BuildStore(e->at, old, element(e, e->i32, olds, l));
    }
    value next = B(e, Add, from, jit_int(e, e->i64, AT_ONCE));
    e->L->BuildStore(e->at, next, at);
    e->L->BuildCondBr(e->at, B(e, ICmp, LLVMIntULT, next, jit_int(e, e->i64, CHUNK)), loop, done);
    jit_go_on_at(e, done);
    return asked ? B(e, Load2, type, olds) : NULL;
}

static bool is_row(const emitter *e, const access *a) {
    if (a->shape < 0) return false;
    for (uint32_t l = 0; l < CHUNK; l++)
        if (e->p->shapes.items[a->shape][l] != (int64_t)l * 4) return false;
    return true;
}

bool jit_emit_atomic(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    const mem_access *m = i->extra;
    access a;
    if (i->op != LANE_ATOM_GLOBAL_32 && i->op != LANE_ATOM_SHARED_32) return false;
    if (m->op != ATOMIC_ADD || m->raced || m->counted || jit_active(e) || !jit_begin_access(e, k, &a))
        return false;
    const uint32_t r = jit_row(e->p, m->value[0].slot);
    const bool asked = m->result[0].width == 4;
    LLVMBasicBlockRef fast = jit_block(e), slow = jit_block(e), done = jit_block(e);
    value plain = jit_find_plain(e, &a);
    if (!a.shared) { /* other workers may be at it, too */
        value all = jit_field(e, e->warp, offsetof(warp, machine), e->ptr);
        value several = jit_field(e, all, offsetof(machine, parallel), e->i8);
        plain = B(e, And, plain, B(e, ICmp, LLVMIntEQ, several, jit_int(e, e->i8, 0)));
    }
    jit_branch(e, plain, fast, slow);
    const known before = jit_known(e);
    jit_go_on_at(e, slow);
    jit_call(e, k);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, fast);
    jit_know(e, &before);
    note_strong(e, adds_any(e, r));
    value old = is_row(e, &a) ? add_row(e, &a, jit_read_row(e, r)) : add_in_turn(e, &a, r, asked);
    if (asked) jit_write_row(e, jit_row(e->p, m->result[0].slot), old);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, done);
    return true;
}
#endif
