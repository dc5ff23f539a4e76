/* From a plan to a function of LLVM's: each block of the stream becomes one of the function's. It begins with
 * a jump to the head that is entered, in front of which the rows that are live there are taken from the
 * frame. Lanes that a branch divides are left to the interpreter, which runs them one part after the other;
 * each part comes back to compiled code with its lanes as the mask. */
#ifdef LS_HAVE_JIT
#include "jit/emit.h"
#include "emulate/exec.h"

#include <stdio.h>

/* --- Leaving and calling --- */
value jit_insn_at(const emitter *e, uint32_t k) {
    return jit_at(e, e->insns, (uint64_t)k * sizeof(insn));
}

value jit_use(emitter *e, const void *what) {
    uint32_t k = 0;
    while (k < e->uses.length && e->uses.items[k] != what) k++;
    if (k == e->uses.length) LS_VEC_PUSH_IN(e->arena, &e->uses, what);
    value address = jit_field(e, e->used, (uint64_t)k * sizeof(void *), e->ptr);
    e->L->SetMetadata(address, e->invariant, e->nothing);
    return address;
}

/* With pointers and numbers as they come. */
value jit_call_emulator(emitter *e, uintptr_t fn, LLVMTypeRef result, value *arguments, unsigned count) {
    LLVMTypeRef types[4];
    for (unsigned k = 0; k < count; k++) types[k] = e->L->TypeOf(arguments[k]);
    value address = jit_use(e, (const void *)fn);
    return e->L->BuildCall2(e->at, e->L->FunctionType(result, types, count, 0), address, arguments, count,
                            "");
}

static uint32_t numbered(const emitter *e, uint32_t number) {
    return e->quick ? number | QUICK_NUMBER : number;
}

static uint32_t add_exit(emitter *e, const compiled_exit *x) {
    LS_VEC_PUSH_IN(e->arena, &e->exits, *x);
    return numbered(e, e->exits.length);
}

void jit_leave(emitter *e, uint32_t k) {
    exec_fn fn = em_interpreted(e->p->of, &e->p->insns[k]);
    spread_rows rows = {0};
    for (uint32_t r = 0; r < e->p->rows.length; r++)
        if (ls_bitset_has(e->live, r)) jit_hand_over(e, r, &rows);
    /* who runs the block looks at these itself (together.c) */
    if (fn == em_exec_barrier || fn == em_exec_exit) fn = NULL;
    const compiled_exit x = {&e->p->insns[k], fn, rows.length, rows.items};
    jit_put_block_down(e);
    e->L->BuildRet(e->at, jit_int(e, e->i32, add_exit(e, &x)));
}

uint32_t jit_exit_in_front(emitter *e, uint32_t k) {
    return add_exit(e, &(compiled_exit){.at = &e->p->insns[k]});
}

static void call_operation(emitter *e, uint32_t k, const spread_rows *rows) {
    const insn *i = &e->p->insns[k];
    const compiled_call call = {em_interpreted(e->p->of, i), i, rows->length, rows->items};
    value lanes = e->guard ? jit_bits_of(e, e->guard) : jit_int(e, e->i32, 0);
    value arguments[] = {e->warp, e->of, jit_int(e, e->i32, numbered(e, e->calls.length)), lanes};
    const uintptr_t by = e->masked ? (uintptr_t)em_call_from_masked : (uintptr_t)em_call_from_full;
    LS_VEC_PUSH_IN(e->arena, &e->calls, call);
    jit_put_block_down(e);
    jit_call_emulator(e, by, e->L->VoidTypeInContext(e->context), arguments, 4);
}

void jit_call(emitter *e, uint32_t k) {
    const effect *x = &e->p->effects[k];
    spread_rows rows = {0};
    for (uint32_t n = 0; n < x->read_count; n++) jit_hand_over(e, jit_row(e->p, x->reads[n].slot), &rows);
    for (uint32_t n = 0; e->guard && n < x->write_count; n++)
        jit_hand_over(e, jit_row(e->p, x->writes[n].slot), &rows);
    call_operation(e, k, &rows);
    for (uint32_t n = 0; n < x->write_count; n++) {
        const uint32_t r = jit_row(e->p, x->writes[n].slot);
        jit_from_frame(e, r, SHAPE_VARYING);
        ls_bitset_remove(&e->dirty, r);
    }
}

/* --- Vector loops --- */
static value call_library(emitter *e, const char *kind, uint16_t op, value *arguments, unsigned count) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", kind, jit_lane_ops[op].name);
    value fn = e->L->GetNamedFunction(e->module, name),
          there = fn ? NULL : e->L->GetNamedFunction(e->library, name);
    if (there) fn = e->L->AddFunction(e->module, name, e->L->GlobalGetValueType(there));
    return fn ? e->L->BuildCall2(e->at, e->L->GlobalGetValueType(fn), fn, arguments, count, "") : NULL;
}

/* Lanes are not at the distances that they were taken to be at. */
static void stray(emitter *e) {
    value place = jit_at(e, e->warp, offsetof(warp, strayed));
    e->L->SetMetadata(e->L->BuildStore(e->at, jit_int(e, e->i8, 1), place), e->tbaa, e->state_tag);
}

/* The sums of a source of 32 bits must not overflow where they are extended: else the interpreter goes on, to
 * the end of the block. */
static void check_extension(emitter *e, uint32_t k, extension how) {
    const insn *i = &e->p->insns[k];
    const uint32_t a = jit_row(e->p, i->a), b = jit_row(e->p, i->b);
    const uint32_t r = e->state[a] > SHAPE_UNIFORM ? a : b;
    const int64_t *offsets = e->p->shapes.items[e->state[r]];
    int64_t low = 0, high = 0;
    for (uint32_t l = 0; l < CHUNK; l++) {
        if (offsets[l] < low) low = offsets[l];
        if (offsets[l] > high) high = offsets[l];
    }
    value base = jit_read_one(e, r);
    base = how == EXTEND_SIGNED ? B(e, SExt, base, e->i64) : B(e, ZExt, base, e->i64);
    const int64_t least = how == EXTEND_SIGNED ? INT32_MIN : 0,
                  most = how == EXTEND_SIGNED ? INT32_MAX : UINT32_MAX;
    value from = B(e, ICmp, LLVMIntSGE, base, jit_int(e, e->i64, (uint64_t)(least - low)));
    value to = B(e, ICmp, LLVMIntSLE, base, jit_int(e, e->i64, (uint64_t)(most - high)));
    LLVMBasicBlockRef good = jit_block(e), bad = jit_block(e);
    jit_branch(e, B(e, And, from, to), good, bad);
    jit_go_on_at(e, bad);
    stray(e);
    jit_leave(e, k);
    jit_go_on_at(e, good);
}

static void emit_one(emitter *e, uint32_t k, int32_t shape) {
    const insn *i = &e->p->insns[k];
    const lane_op *x = &jit_lane_ops[i->op];
    const uint32_t slots[] = {i->a, i->b, i->c};
    value arguments[3];
    for (uint32_t n = 0; n < x->sources; n++) arguments[n] = jit_read_one(e, jit_row(e->p, slots[n]));
    value result = call_library(e, "one", i->op, arguments, x->sources);
    if (x->result == WIDTH_PRED) result = B(e, Trunc, result, e->i1);
    jit_write_one(e, jit_row(e->p, i->d), result, shape);
}

static void emit_row(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    const lane_op *x = &jit_lane_ops[i->op];
    const uint32_t slots[] = {i->a, i->b, i->c}, d = jit_row(e->p, i->d);
    extension checked;
    const int32_t shape = jit_result_shape(e->p, k, e->state, &checked);
    if (shape >= 0) {
        if (checked) check_extension(e, k, checked);
        emit_one(e, k, shape);
        return;
    }
    if (e->p->effects[k].slow) {
        jit_call(e, k);
        return;
    }
    value arguments[4];
    for (uint32_t n = 0; n < x->sources; n++) arguments[1 + n] = jit_row_place(e, jit_row(e->p, slots[n]));
    const bool predicate = x->result == WIDTH_PRED;
    if (!predicate && !e->guard) { /* all lanes are read before any is written */
        arguments[0] = jit_written_place(e, d);
        call_library(e, "row", i->op, arguments, 1 + x->sources);
        return;
    }
    LLVMTypeRef type = predicate ? e->L->VectorType(e->i8, CHUNK) : jit_row_type(e, x->result);
    arguments[0] = jit_place(e, type);
    call_library(e, "row", i->op, arguments, 1 + x->sources);
    value result = B(e, Load2, type, arguments[0]);
    jit_write_row(e, d, predicate ? B(e, Trunc, result, e->lanes) : result);
}

/* --- The written-out ones --- */
typedef value (*reader)(emitter *e, uint32_t r);

/* Reads as the result is: scalars where it is one. */
static reader reader_of(emitter *e, uint32_t k, int32_t *shape) {
    extension checked;
    *shape = jit_result_shape(e->p, k, e->state, &checked);
    return *shape >= 0 ? jit_read_one : jit_read_row;
}

static void give(emitter *e, uint32_t slot, value x, int32_t shape) {
    const uint32_t r = jit_row(e->p, slot);
    if (shape >= 0)
        jit_write_one(e, r, x, shape);
    else
        jit_write_row(e, r, x);
}

static void emit_select(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    int32_t shape;
    reader read = reader_of(e, k, &shape);
    const uint32_t c = jit_row(e->p, i->c);
    value by = e->state[c] == SHAPE_UNIFORM ? jit_read_one(e, c) : jit_read_row(e, c);
    if (i->guard_not) by = B(e, Not, by);
    give(e, i->d, B(e, Select, by, read(e, jit_row(e->p, i->a)), read(e, jit_row(e->p, i->b))), shape);
}

static void emit_predicate(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    int32_t shape;
    reader read = reader_of(e, k, &shape);
    value a = read(e, jit_row(e->p, i->a)), r = a;
    switch (i->op) {
    case LANE_NOT_PRED: r = B(e, Not, a); break;
    case LANE_AND_PRED: r = B(e, And, a, read(e, jit_row(e->p, i->b))); break;
    case LANE_OR_PRED: r = B(e, Or, a, read(e, jit_row(e->p, i->b))); break;
    case LANE_XOR_PRED: r = B(e, Xor, a, read(e, jit_row(e->p, i->b))); break;
    default: break;
    }
    give(e, i->d, r, shape);
}

/* zero where `by` has zeros, one where it has ones. */
static value pick(emitter *e, value zero, value one, value by) {
    return B(e, Xor, zero, B(e, And, B(e, Xor, zero, one), by));
}

static void emit_logic(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    int32_t shape;
    reader read = reader_of(e, k, &shape);
    value a = read(e, jit_row(e->p, i->a)), b = read(e, jit_row(e->p, i->b)),
          c = read(e, jit_row(e->p, i->c));
    LLVMTypeRef type = e->L->TypeOf(a);
    value m[8];
    for (uint32_t n = 0; n < 8; n++)
        m[n] = i->aux >> n & 1 ? e->L->ConstAllOnes(type) : e->L->ConstNull(type);
    value low = pick(e, pick(e, m[0], m[1], c), pick(e, m[2], m[3], c), b);
    value high = pick(e, pick(e, m[4], m[5], c), pick(e, m[6], m[7], c), b);
    give(e, i->d, pick(e, low, high, a), shape);
}

static LLVMTypeRef like(const emitter *e, int32_t shape, uint8_t width) {
    return shape >= 0 ? jit_scalar_type(e, width) : jit_row_type(e, width);
}

static value thirty_two(const emitter *e, LLVMTypeRef type, int32_t shape) {
    value n = jit_int(e, e->i64, 32), all[CHUNK];
    (void)type;
    for (uint32_t l = 0; l < CHUNK; l++) all[l] = n;
    return shape >= 0 ? n : e->L->ConstVector(all, CHUNK);
}

static void emit_pack(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    int32_t shape;
    reader read = reader_of(e, k, &shape);
    LLVMTypeRef wide = like(e, shape, 8);
    value low = B(e, ZExt, read(e, jit_row(e->p, i->a)), wide);
    value high = B(e, ZExt, read(e, jit_row(e->p, i->b)), wide);
    give(e, i->d, B(e, Or, low, B(e, Shl, high, thirty_two(e, wide, shape))), shape);
}

static void emit_unpack(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    int32_t shape;
    reader read = reader_of(e, k, &shape);
    value x = read(e, jit_row(e->p, i->a));
    LLVMTypeRef narrow = like(e, shape, 4);
    value low = B(e, Trunc, x, narrow);
    value high = B(e, Trunc, B(e, LShr, x, thirty_two(e, NULL, shape)), narrow);
    give(e, i->d, low, shape);
    give(e, i->b, high, shape);
}

/* The row is fixed, or varies from warp to warp. All lanes get it, those that do not run, too. */
static void emit_sum(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    const value guard = e->guard;
    int32_t shape;
    reader read = reader_of(e, k, &shape);
    if (guard) read = jit_read_row, shape = SHAPE_VARYING;
    e->guard = NULL;
    const uint8_t width = i->op == LANE_SUM_64 ? 8 : 4;
    value add = jit_block_value(e, i->b);
    if (width == 4) add = B(e, Trunc, add, e->i32);
    if (shape < 0) add = jit_splat(e, add, jit_row_type(e, width));
    give(e, i->d, B(e, Add, read(e, jit_row(e->p, i->a)), add), shape);
    e->guard = guard;
}

/* --- Between lanes --- */
/* A shuffle of which it is known whose value each lane gets, where all lanes run and nothing can be found. */
static bool emit_shuffle(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    const warp_info *x = i->extra;
    if (em_interpreted(e->p->of, i) != em_exec_shfl || !x->fixed || x->dst[0].width != 4 ||
        x->src[0].width != 4 || (x->dst_count > 1 && x->dst[1].width != WIDTH_PRED))
        return false;
    if (x->has_members && e->p->checks & LS_CHECK_BARRIER) {
        const row *members = &e->p->rows.items[jit_row(e->p, x->members.slot)];
        if (!members->constant || (uint32_t)members->bits != UINT32_MAX) return false;
    }
    value from[CHUNK], values = jit_read_row(e, jit_row(e->p, x->src[0].slot));
    for (uint32_t l = 0; l < CHUNK; l++) from[l] = jit_int(e, e->i32, x->from[l]);
    value moved =
        B(e, ShuffleVector, values, e->L->GetPoison(e->L->TypeOf(values)), e->L->ConstVector(from, CHUNK));
    jit_write_row(e, jit_row(e->p, x->dst[0].slot), moved);
    if (x->dst_count > 1)
        jit_write_row(e, jit_row(e->p, x->dst[1].slot),
                      e->L->BuildBitCast(e->at, jit_int(e, e->i32, (uint32_t)x->valid), e->lanes, ""));
    return true;
}

/* As the call does, of the first lane that runs. */
static void emit_fences(emitter *e, uint32_t k) {
    const call_info *x = e->p->insns[k].extra;
    const uint32_t r = jit_row(e->p, x->args[0].reg.slot);
    if (e->state[r] != SHAPE_UNIFORM || x->args[0].reg.width != 4 || e->guard) {
        jit_call(e, k);
        return;
    }
    value bits = B(e, And, jit_read_one(e, r), jit_int(e, e->i32, FENCE_SHARED | FENCE_GLOBAL));
    value place = jit_at(e, e->warp, offsetof(warp, fences));
    e->L->SetMetadata(e->L->BuildStore(e->at, B(e, Trunc, bits, e->i8), place), e->tbaa, e->state_tag);
}

/* --- Straight code --- */
void jit_emit_plain(emitter *e, uint32_t k) {
    switch (e->p->effects[k].deed) {
    case DO_CALL:
        if (!jit_emit_atomic(e, k)) jit_call(e, k);
        break;
    case DO_ROW: emit_row(e, k); break;
    case DO_SELECT: emit_select(e, k); break;
    case DO_PREDICATE: emit_predicate(e, k); break;
    case DO_LOGIC: emit_logic(e, k); break;
    case DO_PACK: emit_pack(e, k); break;
    case DO_UNPACK: emit_unpack(e, k); break;
    case DO_SUM: emit_sum(e, k); break;
    case DO_ACCESS: jit_emit_access(e, k); break;
    case DO_FENCES: emit_fences(e, k); break;
    default: break;
    }
}

/* What the guard's predicate has, for all lanes or for each. */
value jit_guard_value(emitter *e, const insn *i) {
    const uint32_t r = jit_row(e->p, i->guard);
    value p = e->state[r] == SHAPE_UNIFORM ? jit_read_one(e, r) : jit_read_row(e, r);
    return i->guard_not ? B(e, Not, p) : p;
}

/* A guard and what it covers, up to `end`; `live`: behind it. */
void jit_emit_guard(emitter *e, uint32_t k, uint32_t end, const ls_bitset *live) {
    const insn *i = &e->p->insns[k];
    const uint32_t rows = e->p->rows.length;
    const value outer = e->guard;
    const int32_t own = e->state[jit_row(e->p, i->guard)], guard = outer ? SHAPE_VARYING : own;
    int32_t *before = LS_NEW_N(e->arena, int32_t, rows + 1), *after = LS_NEW_N(e->arena, int32_t, rows + 1);
    const known seen = jit_known(e);
    memcpy(before, e->state, rows * sizeof *before);
    memcpy(after, e->state, rows * sizeof *after);
    for (uint32_t n = k + 1; n < end; n++) jit_transfer(e->p, n, after, guard);
    LLVMBasicBlockRef then = jit_block(e), skip = jit_block(e), join = jit_block(e);
    value p = jit_guard_value(e, i), any = p;
    if (guard != SHAPE_UNIFORM) {
        value active = jit_active(e);
        if (own == SHAPE_UNIFORM) p = jit_splat(e, p, e->lanes);
        if (active) p = B(e, And, p, active);
        any = B(e, ICmp, LLVMIntNE, jit_bits_of(e, p), jit_int(e, e->i32, 0));
    }
    e->L->BuildCondBr(e->at, any, then, skip);
    jit_go_on_at(e, then);
    e->guard = guard == SHAPE_UNIFORM ? NULL : p;
    for (uint32_t n = k + 1; n < end; n++) jit_emit_plain(e, n);
    e->guard = outer;
    jit_convert(e, after, live);
    e->L->BuildBr(e->at, join);
    jit_go_on_at(e, skip);
    memcpy(e->state, before, rows * sizeof *before);
    jit_convert(e, after, live);
    e->L->BuildBr(e->at, join);
    jit_go_on_at(e, join);
    memcpy(e->state, after, rows * sizeof *after);
    jit_know_reaches(e, &seen);
    for (uint32_t n = k + 1; n < end; n++)
        for (uint32_t x = 0; x < e->p->effects[n].write_count; x++) {
            const uint32_t r = jit_row(e->p, e->p->effects[n].writes[x].slot);
            ls_bitset_add(&e->dirty, r);
            jit_change(e, r);
        }
}

/* --- Blocks --- */
/* The instruction at the end of a block; true where it ends there, false where control falls through. */
static bool emit_end(emitter *e, uint32_t k) {
    const insn *i = &e->p->insns[k];
    switch (e->p->effects[k].deed) {
    case DO_STOP: jit_emit_stop(e, k); return true;
    case DO_BRANCH: jit_emit_branch(e, k); return true;
    case DO_JUMP: {
        const branch_info *b = i->extra;
        jit_emit_edge(e, jit_block_at(e->p, b->target), k, b->backward);
        return true;
    }
    case DO_ACROSS:
        if (e->masked) {
            jit_leave(e, k);
            return true;
        }
        if (!emit_shuffle(e, k)) jit_call(e, k);
        return false;
    case DO_RECONVERGE: jit_emit_reconverge(e, k); return false;
    default: jit_emit_plain(e, k); return false;
    }
}

static void emit_block(emitter *e, uint32_t n, const ls_bitset *dirty) {
    const basic_block *b = &e->p->blocks.items[n];
    ls_bitset *live = jit_live_in_block(e->p, e->arena, b);
    jit_go_on_at(e, e->blocks[n]);
    memcpy(e->state, b->in, e->p->rows.length * sizeof *e->state);
    memcpy(e->dirty.words, dirty->words, ls_bitset_words(dirty->bits) * sizeof *dirty->words);
    e->reaches.length = 0;
    if (e->handed[n]) jit_know_reaches(e, e->handed[n]);
    for (uint32_t k = b->first; k < b->end;) {
        e->live = &live[k - b->first];
        if (e->p->effects[k].deed == DO_GUARD) {
            const uint32_t end = k + 1 + (uint32_t)e->p->insns[k].imm;
            jit_emit_guard(e, k, end, &live[end - b->first]);
            k = end;
            continue;
        }
        if (emit_end(e, k)) return;
        k++;
    }
    e->live = &live[b->end - b->first];
    if (b->successors.length)
        jit_emit_edge(e, b->successors.items[0], b->end, false);
    else
        e->L->BuildRet(e->at, jit_int(e, e->i32, 0)); /* never reached: the stream ends with an exit */
}

/* --- Dirty rows --- */
/* Rows that may be other than in the frame, at the start of each block. */
static ls_bitset *find_dirty(emitter *e) {
    jit_plan *p = e->p;
    ls_bitset *in = LS_NEW_N(e->arena, ls_bitset, p->blocks.length + 1), out;
    for (uint32_t n = 0; n < p->blocks.length; n++) in[n] = ls_bitset_new(e->arena, p->rows.length);
    out = ls_bitset_new(e->arena, p->rows.length);
    for (uint32_t k = 0; k < p->insn_count && !e->masked; k++) {
        const basic_block *behind = jit_behind_barrier(p, k);
        for (uint32_t r = 0; behind && r < p->rows.length; r++)
            if (jit_is_kept(p, behind, r)) ls_bitset_add(&in[behind - p->blocks.items], r);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < p->blocks.length; n++) {
            const basic_block *b = &p->blocks.items[n];
            memcpy(out.words, in[n].words, ls_bitset_words(out.bits) * sizeof *out.words);
            bool leaves = false;
            for (uint32_t k = b->first; k < b->end; k++) {
                const effect *x = &p->effects[k];
                leaves |= x->deed == DO_STOP || (x->deed == DO_ACROSS && e->masked);
                for (uint32_t w = 0; w < x->write_count; w++)
                    ls_bitset_add(&out, jit_row(p, x->writes[w].slot));
            }
            for (uint32_t k = 0; !leaves && k < b->successors.length; k++)
                changed |= ls_bitset_union(&in[b->successors.items[k]], &out);
        }
    }
    return in;
}

/* --- The function --- */
LLVMBasicBlockRef jit_block_of(emitter *e, uint32_t n) {
    if (!e->blocks[n]) e->blocks[n] = jit_block(e);
    return e->blocks[n];
}

/* What all warps of a block have in common. */
static void load_common(emitter *e, value any) {
    e->worker = jit_field(e, any, offsetof(warp, worker), e->ptr);
    e->memory = jit_field(e, e->worker, offsetof(worker, memory), e->ptr);
    e->branches = jit_field(e, e->worker, offsetof(worker, branches), e->ptr);
    value block = jit_field(e, any, offsetof(warp, block), e->ptr);
    e->block_values = jit_field(e, block, offsetof(block_run, values), e->ptr);
    e->shared = jit_field(e, block, offsetof(block_run, shared), e->ptr);
}

static void load_state(emitter *e) {
    e->regs = jit_field(e, e->warp, offsetof(warp, regs), e->ptr);
    e->mask =
        e->masked ? jit_field(e, e->warp, offsetof(warp, mask), e->i32) : jit_int(e, e->i32, UINT32_MAX);
    if (!e->masked) return;
    value paths = jit_field(e, e->warp, offsetof(warp, paths), e->ptr);
    value current = jit_field(e, e->warp, offsetof(warp, current), e->i32);
    value index = B(e, Mul, B(e, ZExt, current, e->i64), jit_int(e, e->i64, sizeof(path)));
    value at = e->L->BuildGEP2(e->at, e->i8, paths, &index, 1, "");
    e->reconverge = jit_field(e, at, offsetof(path, reconverge), e->ptr);
}

/* The head of a kernel that can be entered nowhere else, plus one; else 0. */
static uint32_t only_head(const emitter *e) {
    const compiled *c = e->p->of;
    uint32_t only = 0;
    for (uint32_t h = 0; h < c->head_count; h++) {
        if (c->heads[h].masked_only && !e->masked) continue;
        if (only) return 0;
        only = h + 1;
    }
    return only;
}

static void start_block(emitter *e) {
    if (!e->p->of->alone || e->masked) {
        e->L->BuildBr(e->at, e->next_warp);
        return;
    }
    if (!e->quick && e->p->of->reach_count) e->whole_at = jit_place(e, e->i1);
    for (uint32_t n = 0; e->whole_at && n < e->p->of->reach_count; n++) {
        e->added_at[n] = jit_place(e, e->i64);
        e->start_at[n] = jit_place(e, e->i64);
    }
    jit_begin_blocks(e);
}

/* Where there is one head only, it is looked at once and not for each warp. */
static void go_to_first_warp(emitter *e, LLVMBasicBlockRef none) {
    const uint32_t head = only_head(e);
    e->straight = head;
    if (head) {
        LLVMBasicBlockRef here = jit_block(e);
        e->entry = jit_int(e, e->i32, head - 1);
        value there = B(e, ICmp, LLVMIntEQ, e->L->GetParam(e->function, 2), e->entry);
        e->L->BuildCondBr(e->at, there, here, none);
        jit_go_on_at(e, here);
    }
    start_block(e);
}

static void emit_heads(emitter *e, LLVMBasicBlockRef none) {
    const compiled *c = e->p->of;
    value choice = e->L->BuildSwitch(e->at, e->entry, none, c->head_count);
    for (uint32_t h = 0; h < c->head_count; h++) {
        if (c->heads[h].masked_only && !e->masked) continue;
        const uint32_t n = e->p->block_of[c->heads[h].insn] - 1;
        const basic_block *b = &e->p->blocks.items[n];
        LLVMBasicBlockRef head = jit_block(e);
        if (e->heads) e->heads[h] = head;
        e->L->AddCase(choice, jit_int(e, e->i32, h), head);
        jit_go_on_at(e, head);
        for (uint32_t r = 0; r < e->p->rows.length; r++)
            if (ls_bitset_has(&b->live, r)) jit_from_frame(e, r, b->in[r]);
        e->L->BuildBr(e->at, jit_block_of(e, n));
    }
}

/* Those that something leads to, which other blocks may be the first to do. */
static void emit_blocks(emitter *e) {
    const ls_bitset *dirty = find_dirty(e);
    ls_bitset done = ls_bitset_new(e->arena, e->p->blocks.length);
    for (bool more = true; more;) {
        more = false;
        for (uint32_t n = 0; n < e->p->blocks.length; n++) {
            if (!e->blocks[n] || ls_bitset_has(&done, n)) continue;
            ls_bitset_add(&done, n);
            emit_block(e, n, &dirty[n]);
            more = true;
        }
    }
}

static void prepare(emitter *e) {
    jit_plan *p = e->p;
    e->one = LS_NEW_N(e->arena, value, p->rows.length + 1);
    e->row = LS_NEW_N(e->arena, value, p->rows.length + 1);
    e->state = LS_NEW_N(e->arena, int32_t, p->rows.length + 1);
    for (uint32_t r = 0; r < p->rows.length; r++) e->state[r] = p->rows.items[r].shape;
    e->dirty = ls_bitset_new(e->arena, p->rows.length);
    e->fresh = ls_bitset_new(e->arena, p->rows.length);
    e->loose = ls_bitset_new(e->arena, p->rows.length);
    e->blocks = LS_NEW_N(e->arena, LLVMBasicBlockRef, p->blocks.length + 1);
    e->handed = LS_NEW_N(e->arena, known *, p->blocks.length + 1);
    e->entries = LS_NEW_N(e->arena, uint32_t, p->blocks.length + 1);
    for (uint32_t n = 0; n < p->blocks.length; n++) {
        const basic_block *b = &p->blocks.items[n];
        e->entries[n] += b->is_head || (b->is_masked_head && e->masked);
        for (uint32_t k = 0; k < b->successors.length; k++) e->entries[b->successors.items[k]]++;
        if (b->end > b->first &&
            jit_is_own_loop(p, b->end - 1)) /* its rest comes there by a way of its own */
            e->entries[jit_block_at(p, ((const branch_info *)p->insns[b->end - 1].extra)->other)]++;
    }
}

value jit_emit_function(emitter *e, const char *name) {
    LLVMTypeRef parameters[] = {e->ptr, e->ptr, e->i32, e->ptr};
    e->function = e->L->AddFunction(e->module, name, e->L->FunctionType(e->i32, parameters, 4, 0));
    e->interval = e->L->GetParam(e->function, 3);
    prepare(e);
    LLVMBasicBlockRef places = jit_block(e), start = jit_block(e), none = jit_block(e);
    e->L->PositionBuilderAtEnd(e->slots, places);
    e->warp_at = jit_place(e, e->ptr);
    e->head_at = jit_place(e, e->i32);
    e->next_warp = jit_block(e);
    if (!e->quick && !e->masked && e->p->sources) {
        e->regs_at = jit_place(e, e->ptr);
        e->heads = LS_NEW_N(e->arena, LLVMBasicBlockRef, e->p->of->head_count + 1);
    }
    jit_go_on_at(e, start);
    e->of = e->L->GetParam(e->function, 1);
    e->insns = jit_field(e, e->of, offsetof(compiled, insns), e->ptr);
    const size_t table =
        (e->quick ? CODE_QUICK : CODE_GOOD) * VARIANTS + (e->masked ? VARIANT_MASKED : VARIANT_FULL);
    e->used = jit_field(e, e->of, offsetof(compiled, used) + table * sizeof(void *), e->ptr);
    load_common(e, e->L->GetParam(e->function, 0));
    e->L->BuildStore(e->at, e->L->GetParam(e->function, 0), e->warp_at);
    e->L->BuildStore(e->at, e->L->GetParam(e->function, 2), e->head_at);
    go_to_first_warp(e, none);
    jit_go_on_at(e, e->next_warp);
    e->warp = B(e, Load2, e->ptr, e->warp_at);
    if (!e->entry) e->entry = B(e, Load2, e->i32, e->head_at);
    load_state(e);
    jit_begin_turn(e);
    emit_heads(e, none);
    jit_go_on_at(e, none);
    e->L->BuildRet(e->at, jit_int(e, e->i32, 0));
    emit_blocks(e);
    jit_emit_arrival(e);
    jit_emit_block_start(e);
    e->L->BuildBr(e->slots, start);
    return e->function;
}
#endif
