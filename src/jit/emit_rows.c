/* Values of rows in compiled code. A row whose lanes lie at known distances from the first one is a scalar:
 * what the first lane has, or would have. Any other is a vector of 32 lanes. Both stand in places that LLVM
 * makes registers of. In the frame they stand as the interpreter has them. */
#ifdef LS_HAVE_JIT
#include "jit/emit.h"

/* --- Types and constants --- */
value jit_int(const emitter *e, LLVMTypeRef type, uint64_t bits) {
    return e->L->ConstInt(type, bits, 0);
}

LLVMTypeRef jit_scalar_type(const emitter *e, uint8_t width) {
    return width == 8 ? e->i64 : width == 4 ? e->i32 : e->i1;
}

LLVMTypeRef jit_row_type(const emitter *e, uint8_t width) {
    return e->L->VectorType(jit_scalar_type(e, width), CHUNK);
}

LLVMBasicBlockRef jit_block(const emitter *e) {
    return e->L->AppendBasicBlockInContext(e->context, e->function, "");
}

void jit_go_on_at(emitter *e, LLVMBasicBlockRef block) {
    e->L->PositionBuilderAtEnd(e->at, block);
    if (!e->regs_at) return;
    e->warp = B(e, Load2, e->ptr, e->warp_at);
    e->regs = B(e, Load2, e->ptr, e->regs_at);
}

void jit_branch(const emitter *e, value by, LLVMBasicBlockRef usual, LLVMBasicBlockRef rare) {
    e->L->SetMetadata(e->L->BuildCondBr(e->at, by, usual, rare), e->weights, e->nearly_always);
}

value jit_place(emitter *e, LLVMTypeRef type) {
    return e->L->BuildAlloca(e->slots, type, "");
}

/* --- Memory of the emulator --- */
static value tagged(const emitter *e, value access) {
    e->L->SetMetadata(access, e->tbaa, e->state_tag);
    return access;
}

static value unaligned(const emitter *e, value access, unsigned align) {
    e->L->SetAlignment(access, align);
    return access;
}

value jit_at(const emitter *e, value base, uint64_t offset) {
    value index = jit_int(e, e->i64, offset);
    return e->L->BuildGEP2(e->at, e->i8, base, &index, 1, "");
}

value jit_field(const emitter *e, value base, uint64_t offset, LLVMTypeRef type) {
    return tagged(e, B(e, Load2, type, jit_at(e, base, offset)));
}

/* --- Vectors --- */
value jit_splat(const emitter *e, value x, LLVMTypeRef type) {
    value first = B(e, InsertElement, e->L->GetPoison(type), x, jit_int(e, e->i32, 0));
    return B(e, ShuffleVector, first, e->L->GetPoison(type),
             e->L->ConstNull(e->L->VectorType(e->i32, CHUNK)));
}

value jit_offsets(const emitter *e, int32_t shape, uint8_t width) {
    value items[CHUNK];
    for (uint32_t l = 0; l < CHUNK; l++)
        items[l] = jit_int(e, jit_scalar_type(e, width), (uint64_t)e->p->shapes.items[shape][l]);
    return e->L->ConstVector(items, CHUNK);
}

static value spread(const emitter *e, value x, int32_t shape, uint8_t width) {
    value all = jit_splat(e, x, jit_row_type(e, width));
    return shape == SHAPE_UNIFORM ? all : B(e, Add, all, jit_offsets(e, shape, width));
}

value jit_bits_of(const emitter *e, value lanes) {
    return B(e, BitCast, lanes, e->i32);
}

value jit_active(emitter *e) {
    if (e->guard) return e->guard;
    return e->masked ? B(e, BitCast, e->mask, e->lanes) : NULL;
}

/* --- What is known --- */
known jit_known(const emitter *e) {
    const uint32_t rows = e->p->rows.length, reaches = e->reaches.length;
    reach *kept = LS_NEW_N(e->arena, reach, reaches + 1);
    known k = {LS_NEW_N(e->arena, int32_t, rows + 1), ls_bitset_new(e->arena, rows),
               ls_bitset_new(e->arena, rows), kept, reaches};
    if (reaches) memcpy(kept, e->reaches.items, reaches * sizeof *kept);
    memcpy(k.state, e->state, rows * sizeof *k.state);
    ls_bitset_union(&k.dirty, &e->dirty);
    ls_bitset_union(&k.fresh, &e->fresh);
    return k;
}

void jit_know(emitter *e, const known *k) {
    const uint32_t rows = e->p->rows.length, bytes = ls_bitset_words(rows) * (uint32_t)sizeof(uint64_t);
    memcpy(e->state, k->state, rows * sizeof *k->state);
    memcpy(e->dirty.words, k->dirty.words, bytes);
    memcpy(e->fresh.words, k->fresh.words, bytes);
    jit_know_reaches(e, k);
}

void jit_know_reaches(emitter *e, const known *k) {
    e->reaches.length = 0;
    for (uint32_t n = 0; n < k->reach_count; n++) LS_VEC_PUSH_IN(e->arena, &e->reaches, k->reaches[n]);
}

void jit_change(emitter *e, uint32_t r) {
    uint32_t kept = 0;
    for (uint32_t n = 0; n < e->reaches.length; n++)
        if (e->reaches.items[n].by->address != e->p->rows.items[r].slot)
            e->reaches.items[kept++] = e->reaches.items[n];
    e->reaches.length = kept;
}

/* --- Rows --- */
static value invariant(emitter *e, uint32_t r, LLVMTypeRef type) {
    const row *x = &e->p->rows.items[r];
    value loaded = unaligned(e, jit_field(e, e->regs, x->slot, type), x->width ? x->width : 8);
    e->L->SetMetadata(loaded, e->invariant, e->nothing);
    return loaded;
}

static value one_place(emitter *e, uint32_t r) {
    if (!e->one[r]) e->one[r] = jit_place(e, jit_scalar_type(e, e->p->rows.items[r].width));
    return e->one[r];
}

value jit_read_one(emitter *e, uint32_t r) {
    const row *x = &e->p->rows.items[r];
    LLVMTypeRef type = jit_scalar_type(e, x->width);
    if (x->constant) return jit_int(e, type, x->width ? x->bits : x->bits & 1);
    if (!x->written) return invariant(e, r, type);
    return B(e, Load2, type, one_place(e, r));
}

static value row_place(emitter *e, uint32_t r) {
    if (!e->row[r]) e->row[r] = jit_place(e, jit_row_type(e, e->p->rows.items[r].width));
    return e->row[r];
}

static value predicate_from_frame(const emitter *e, const row *x) {
    value bits = jit_field(e, e->regs, x->slot, e->i64);
    return B(e, BitCast, B(e, Trunc, bits, e->i32), e->lanes);
}

value jit_read_row(emitter *e, uint32_t r) {
    const row *x = &e->p->rows.items[r];
    if (e->state[r] >= 0) return spread(e, jit_read_one(e, r), e->state[r], x->width);
    if (x->written) return B(e, Load2, jit_row_type(e, x->width), row_place(e, r));
    if (x->width == WIDTH_PRED) return predicate_from_frame(e, x);
    return invariant(e, r, jit_row_type(e, x->width));
}

value jit_row_place(emitter *e, uint32_t r) {
    if (e->p->rows.items[r].written && e->state[r] == SHAPE_VARYING) return row_place(e, r);
    value place = jit_place(e, jit_row_type(e, e->p->rows.items[r].width));
    e->L->BuildStore(e->at, jit_read_row(e, r), place);
    return place;
}

value jit_written_place(emitter *e, uint32_t r) {
    ls_bitset_remove(&e->fresh, r);
    ls_bitset_remove(&e->loose, r);
    jit_change(e, r);
    e->state[r] = SHAPE_VARYING;
    ls_bitset_add(&e->dirty, r);
    return row_place(e, r);
}

void jit_write_row(emitter *e, uint32_t r, value x) {
    const bool any = ls_bitset_has(&e->fresh, r) || ls_bitset_has(&e->loose, r);
    if (e->guard && !any) x = B(e, Select, e->guard, x, jit_read_row(e, r));
    e->L->BuildStore(e->at, x, jit_written_place(e, r));
}

void jit_write_one(emitter *e, uint32_t r, value x, int32_t shape) {
    if (e->guard || shape == SHAPE_VARYING) {
        jit_write_row(e, r, spread(e, x, shape, e->p->rows.items[r].width));
        return;
    }
    jit_change(e, r);
    e->L->BuildStore(e->at, x, one_place(e, r));
    e->state[r] = shape;
    ls_bitset_add(&e->dirty, r);
}

/* --- The frame --- */
/* What the lanes that do not run have stays as it is. */
static value keep_others(emitter *e, uint32_t r, value x, value place, LLVMTypeRef type) {
    if (!e->masked || e->p->rows.items[r].whole) return x;
    value old = unaligned(e, tagged(e, B(e, Load2, type, place)), 4);
    return B(e, Select, B(e, BitCast, e->mask, e->lanes), x, old);
}

static void predicate_to_frame(emitter *e, const row *x, value lanes, value place) {
    value bits = jit_bits_of(e, lanes);
    if (e->masked) {
        value old = tagged(e, B(e, Load2, e->i32, place));
        bits = B(e, Or, B(e, And, bits, e->mask), B(e, And, old, B(e, Not, e->mask)));
    }
    (void)x;
    tagged(e, e->L->BuildStore(e->at, B(e, ZExt, bits, e->i64), place));
}

void jit_to_frame(emitter *e, uint32_t r) {
    const row *x = &e->p->rows.items[r];
    if (!x->written || !ls_bitset_has(&e->dirty, r)) return;
    value place = jit_at(e, e->regs, x->slot), all = jit_read_row(e, r);
    if (x->width == WIDTH_PRED) {
        predicate_to_frame(e, x, all, place);
        return;
    }
    all = keep_others(e, r, all, place, jit_row_type(e, x->width));
    unaligned(e, tagged(e, e->L->BuildStore(e->at, all, place)), x->width);
}

void jit_hand_over(emitter *e, uint32_t r, spread_rows *rows) {
    const row *x = &e->p->rows.items[r];
    if (!x->written || !ls_bitset_has(&e->dirty, r) || ls_bitset_has(&e->fresh, r)) return;
    if (e->state[r] < 0) {
        jit_to_frame(e, r);
        return;
    }
    value one = jit_read_one(e, r);
    if (x->width == WIDTH_PRED) one = B(e, ZExt, one, e->i64);
    const uint64_t at = offsetof(worker, bases) + rows->length * sizeof(uint64_t);
    tagged(e, e->L->BuildStore(e->at, one, jit_at(e, e->worker, at)));
    const spread_row s = {x->slot, x->width, x->whole, e->p->shapes.items[e->state[r]]};
    LS_VEC_PUSH_IN(&e->p->arena, rows, s);
}

void jit_first_to_frame(emitter *e, uint32_t r) {
    const row *x = &e->p->rows.items[r];
    if (!x->written || !ls_bitset_has(&e->dirty, r)) return;
    tagged(e, e->L->BuildStore(e->at, jit_read_one(e, r), jit_at(e, e->regs, x->slot)));
}

/* The first lane that runs, as an index. */
static value first_running(emitter *e) {
    if (!e->masked) return NULL;
    LLVMTypeRef type = e->i32;
    unsigned id = e->L->LookupIntrinsicID("llvm.cttz", 9);
    value fn = e->L->GetIntrinsicDeclaration(e->module, id, &type, 1),
          arguments[] = {e->mask, jit_int(e, e->i1, 0)};
    value n = e->L->BuildCall2(e->at, e->L->GlobalGetValueType(fn), fn, arguments, 2, "");
    return B(e, And, n, jit_int(e, e->i32, CHUNK - 1));
}

/* What the first lane has or would have. */
static value base_in_frame(emitter *e, const row *x, int32_t shape) {
    LLVMTypeRef type = jit_scalar_type(e, x->width);
    value lane = first_running(e);
    if (!lane) return jit_field(e, e->regs, x->slot, type);
    value index = B(e, ZExt, lane, e->i64);
    value place = e->L->BuildGEP2(e->at, type, jit_at(e, e->regs, x->slot), &index, 1, "");
    value there = tagged(e, B(e, Load2, type, place));
    if (shape == SHAPE_UNIFORM) return there;
    return B(e, Sub, there, B(e, ExtractElement, jit_offsets(e, shape, x->width), lane));
}

static value row_in_frame(emitter *e, const row *x) {
    return unaligned(e, jit_field(e, e->regs, x->slot, jit_row_type(e, x->width)), x->width);
}

void jit_from_frame(emitter *e, uint32_t r, int32_t shape) {
    const row *x = &e->p->rows.items[r];
    if (!x->written) return;
    ls_bitset_remove(&e->fresh, r);
    ls_bitset_remove(&e->loose, r);
    jit_change(e, r);
    e->state[r] = shape;
    if (x->width == WIDTH_PRED) {
        value lanes = predicate_from_frame(e, x);
        if (shape == SHAPE_VARYING) {
            e->L->BuildStore(e->at, lanes, row_place(e, r));
            return;
        }
        value running = jit_bits_of(e, lanes);
        if (e->masked) running = B(e, And, running, e->mask);
        e->L->BuildStore(e->at, B(e, ICmp, LLVMIntNE, running, jit_int(e, e->i32, 0)), one_place(e, r));
    } else if (shape == SHAPE_VARYING) {
        e->L->BuildStore(e->at, row_in_frame(e, x), row_place(e, r));
    } else {
        e->L->BuildStore(e->at, base_in_frame(e, x, shape), one_place(e, r));
    }
}

void jit_convert(emitter *e, const int32_t *to, const ls_bitset *live) {
    for (uint32_t r = 0; r < e->p->rows.length; r++) {
        if (!e->p->rows.items[r].written || !ls_bitset_has(live, r) || e->state[r] == to[r]) continue;
        if (to[r] >= 0) e->astray = true; /* a join is never less than varying */
        e->L->BuildStore(e->at, jit_read_row(e, r), row_place(e, r));
        e->state[r] = to[r];
    }
}
#endif
