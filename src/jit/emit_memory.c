/* Loads and stores that are not checked for races. Bounds and alignment are always looked at: of all lanes at
 * once where their distances are known, else lane by lane, against the range of memory that the instruction
 * used last. What is not within goes to the interpreter's operation. */
#ifdef LS_HAVE_JIT
#include "emulate/space.h"
#include "jit/access.h"

/* --- Where it goes --- */
static value added(emitter *e, const access *a) {
    value add = jit_int(e, e->i64, (uint64_t)a->m->offset);
    if (!a->m->base) return add;
    return B(e, Add, add, jit_block_value(e, a->m->base));
}

static void find_addresses(emitter *e, access *a) {
    const bool narrow = a->m->address_width == 4, one = a->shape >= 0;
    value add = added(e, a), reg = one ? jit_read_one(e, a->address) : jit_read_row(e, a->address);
    LLVMTypeRef wide = one ? e->i64 : jit_row_type(e, 8);
    if (narrow) add = B(e, Trunc, add, e->i32);
    if (!one) add = jit_splat(e, add, jit_row_type(e, a->m->address_width));
    a->first = B(e, Add, reg, add);
    a->half = narrow && !one && a->shared;
    if (narrow && !a->half) a->first = B(e, ZExt, a->first, wide);
}

static value of_site(const emitter *e, const access *a, size_t offset) {
    return jit_field(e, e->memory, (uint64_t)a->m->memory_site * sizeof(memory_stats) + offset, e->i64);
}

static void find_base(emitter *e, access *a) {
    a->base = a->shared ? B(e, PtrToInt, e->shared, e->i64) : of_site(e, a, offsetof(memory_stats, host));
}

static void find_range(emitter *e, access *a) {
    a->from = of_site(e, a, offsetof(memory_stats, from));
    a->count = of_site(e, a, offsetof(memory_stats, count));
}

extent jit_extent(const emitter *e, int32_t shape) {
    const int64_t *offsets = e->p->shapes.items[shape];
    extent x = {0, 0, 0};
    for (uint32_t l = 0; l < CHUNK; l++) {
        if (offsets[l] < x.low) x.low = offsets[l];
        if (offsets[l] > x.high) x.high = offsets[l];
        x.bits |= (uint64_t)offsets[l];
    }
    return x;
}

/* --- Bounds --- */
static uint32_t log2_of(uint32_t bytes) {
    return (uint32_t)__builtin_ctz(bytes);
}

/* Accesses at one register plus constants reach one range of memory, mostly: what the first one has looked at
 * for itself and for those behind it in its block need not be looked at again. */
static bool is_like(const mem_access *m, const mem_access *by) {
    const uint32_t bytes = (uint32_t)by->bytes * by->count;
    return m->address == by->address && m->base == by->base && m->space == by->space &&
           (m->write == by->write || m->space == LS_SPACE_SHARED) && /* constants are not written */
           (uint32_t)m->bytes * m->count == bytes && (m->offset - by->offset) % (int64_t)bytes == 0;
}

/* Adds to the extent what like accesses behind this one reach, which are executed if this one is. */
static void add_like(const emitter *e, const access *a, extent *x) {
    enum { MOST = 1 << 16 };
    const extent own = *x;
    if (e->guard || e->p->effects[a->k].guarded) return;
    for (uint32_t k = a->k + 1; k < e->p->insn_count && !e->p->block_of[k]; k++) {
        const effect *before = &e->p->effects[k - 1], *here = &e->p->effects[k];
        for (uint32_t n = 0; n < before->write_count; n++)
            if (before->writes[n].slot == a->m->address) return;
        if (before->unknown) return;
        if (here->deed != DO_ACCESS || here->guarded || !is_like(e->p->insns[k].extra, a->m)) continue;
        const int64_t by = ((const mem_access *)e->p->insns[k].extra)->offset - a->m->offset;
        if (by < -MOST || by > MOST) continue;
        if (own.low + by < x->low) x->low = own.low + by;
        if (own.high + by > x->high) x->high = own.high + by;
    }
}

static const reach *find_reach(const emitter *e, const access *a) {
    if (a->shape < 0) return NULL;
    const extent x = jit_extent(e, a->shape);
    for (uint32_t n = 0; n < e->reaches.length; n++) {
        const reach *r = &e->reaches.items[n];
        if (r->shape != a->shape || !is_like(a->m, r->by)) continue;
        const int64_t by = a->m->offset - r->by->offset;
        if (x.low + by >= r->low && x.high + by <= r->high) return r;
    }
    return NULL;
}

/* How many accesses from the range's first place on an address is. One that is not aligned to its size, or
 * that is below, is very many: what is not a whole number reaches the highest bits. */
static value place_in_range(emitter *e, const access *a, value address, value from, LLVMTypeRef type) {
    value apart = B(e, Sub, address, from), by = jit_int(e, a->half ? e->i32 : e->i64, log2_of(a->bytes));
    if (a->bytes == 1) return apart;
    if (a->shape < 0) by = jit_splat(e, by, type);
    if (e->quick && a->shape >= 0) { /* LLVM's quick selection of instructions does not know the other */
        value rest = B(e, Shl, apart, jit_int(e, e->i64, 64 - log2_of(a->bytes)));
        return B(e, Or, B(e, LShr, apart, by), rest);
    }
    value arguments[] = {apart, apart, by};
    return jit_intrinsic(e, "llvm.fshr", &type, 1, arguments, 3);
}

/* Whether lanes at known distances are all within the range, and aligned. */
static value is_plain(emitter *e, const access *a, const extent *x) {
    value low = B(e, Add, a->first, jit_int(e, e->i64, (uint64_t)x->low));
    value first = place_in_range(e, a, low, a->from, e->i64);
    const uint64_t places = (uint64_t)(x->high - x->low) / a->bytes;
    value within = B(e, ICmp, LLVMIntULT, B(e, Add, first, jit_int(e, e->i64, places)), a->count);
    /* of some that are below, and not aligned, the last one may have come around: of these the highest bit
     * is set, which no place has */
    return places ? B(e, And, B(e, ICmp, LLVMIntSGE, first, jit_int(e, e->i64, 0)), within) : within;
}

/* The same for lanes anywhere. */
static value are_plain(emitter *e, const access *a) {
    LLVMTypeRef each = jit_row_type(e, a->half ? 4 : 8);
    value active = jit_active(e), from = a->from, count = a->count;
    if (a->half) from = B(e, Trunc, from, e->i32), count = B(e, Trunc, count, e->i32);
    value places = place_in_range(e, a, a->first, jit_splat(e, from, each), each);
    value good = B(e, ICmp, LLVMIntULT, places, jit_splat(e, count, each));
    if (active) good = B(e, Or, good, B(e, Not, active));
    return B(e, ICmp, LLVMIntEQ, jit_bits_of(e, good), jit_int(e, e->i32, UINT32_MAX));
}

value jit_find_plain(emitter *e, access *a) {
    const reach *seen = find_reach(e, a);
    find_addresses(e, a);
    if (seen) {
        a->base = seen->base;
        return seen->within;
    }
    find_base(e, a);
    find_range(e, a);
    if (a->shape < 0) return are_plain(e, a);
    extent x = jit_extent(e, a->shape);
    add_like(e, a, &x);
    const reach r = {a->m, a->shape, x.low, x.high, is_plain(e, a, &x), a->base};
    LS_VEC_PUSH_IN(e->arena, &e->reaches, r);
    return r.within;
}

/* --- The instruction --- */
/* Lanes too far apart, or never aligned, are the interpreter's. */
static bool is_hopeless(const emitter *e, const access *a) {
    if (a->bytes & (a->bytes - 1)) return true;
    if (a->shape < 0) return false;
    const extent x = jit_extent(e, a->shape);
    return x.low < -(INT64_C(1) << 30) || x.high > INT64_C(1) << 30 || x.bits & (a->bytes - 1);
}

/* What the interpreter's operation has loaded, where all lanes have the same. */
static void take_results(emitter *e, const access *a, int32_t shape) {
    for (uint32_t k = 0; !a->m->write && k < a->m->count; k++) {
        const uint32_t r = jit_row(e->p, a->m->value[k].slot);
        if (shape == SHAPE_UNIFORM && !e->guard) jit_from_frame(e, r, SHAPE_UNIFORM);
        ls_bitset_add(&e->dirty, r); /* it is, by the other way */
    }
}

bool jit_begin_access(const emitter *e, uint32_t k, access *a) {
    const mem_access *m = e->p->insns[k].extra;
    *a = (access){.k = k, .m = m, .shared = m->space == LS_SPACE_SHARED};
    a->address = jit_row(e->p, m->address);
    a->shape = e->state[a->address];
    a->bytes = (uint32_t)m->bytes * m->count;
    return !is_hopeless(e, a);
}

static void emit_elements(emitter *e, const access *a) {
    if (a->m->counted) jit_count_access(e, a);
    jit_fetch_ahead(e, a);
    if (a->m->write)
        jit_store(e, a);
    else
        jit_load(e, a);
}

/* --- Rows that are found when it runs --- */
/* Lanes whose distances are not known beforehand mostly are side by side all the same, where their addresses
 * are computed and not loaded: of an index that would be negative in some lanes, say, which do not run. */
static bool may_be_row(const emitter *e, const access *a) {
    return a->shape < 0 && !e->quick && !e->p->rows.items[a->address].loaded &&
           e->p->block_width % CHUNK == 0;
}

/* Where the first lane's element would be, by the first lane that runs; *all: whether the others that run are
 * side by side with it. */
static value find_row(emitter *e, const access *a, value *all) {
    LLVMTypeRef type = e->L->TypeOf(a->first), one = a->half ? e->i32 : e->i64, bits = e->i32;
    value active = jit_active(e), lane = jit_int(e, e->i32, 0), steps[CHUNK];
    if (active) {
        value arguments[] = {jit_bits_of(e, active), jit_int(e, e->i1, 0)};
        lane =
            B(e, And, jit_intrinsic(e, "llvm.cttz", &bits, 1, arguments, 2), jit_int(e, e->i32, CHUNK - 1));
    }
    for (uint32_t l = 0; l < CHUNK; l++) steps[l] = jit_int(e, one, (uint64_t)l * a->bytes);
    value by = B(e, Mul, a->half ? lane : B(e, ZExt, lane, e->i64), jit_int(e, one, a->bytes));
    value first = B(e, Sub, B(e, ExtractElement, a->first, lane), by);
    value there = B(e, Add, jit_splat(e, first, type), e->L->ConstVector(steps, CHUNK));
    value same = B(e, ICmp, LLVMIntEQ, a->first, there);
    if (active) same = B(e, Or, same, B(e, Not, active));
    *all = B(e, ICmp, LLVMIntEQ, jit_bits_of(e, same), jit_int(e, e->i32, UINT32_MAX));
    return a->half ? B(e, ZExt, first, e->i64) : first;
}

/* Goes to `done` where the lanes are a row, which is within the range as a whole; else on here. */
static void emit_as_row(emitter *e, const access *a, LLVMBasicBlockRef done) {
    int64_t offsets[CHUNK];
    value is_row;
    access side = *a;
    for (uint32_t l = 0; l < CHUNK; l++) offsets[l] = (int64_t)l * a->bytes;
    const int32_t shape = jit_shape(e->p, offsets);
    if (shape < 0) return;
    LLVMBasicBlockRef likely = jit_block(e), yes = jit_block(e), no = jit_block(e);
    find_addresses(e, &side);
    find_base(e, &side);
    find_range(e, &side);
    side.first = find_row(e, &side, &is_row);
    side.shape = shape;
    side.half = false;
    e->L->BuildCondBr(e->at, is_row, likely, no);
    jit_go_on_at(e, likely);
    const extent x = jit_extent(e, side.shape);
    value within = is_plain(e, &side, &x);
    if (a->m->counted) within = B(e, And, within, jit_counts_plainly(e, &side));
    e->L->BuildCondBr(e->at, within, yes, no);
    const known before = jit_known(e);
    jit_go_on_at(e, yes);
    emit_elements(e, &side);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, no);
    jit_know(e, &before);
}

/* --- Whole blocks --- */
/* All warps of the block are within the access's range; `reached_by`: what they reach by it (block_range). */
static value is_block_within(emitter *e, uint32_t k, value reached_by) {
    access a;
    if (!jit_begin_access(e, k, &a)) return jit_int(e, e->i1, 0);
    find_range(e, &a);
    value low = B(e, Add, jit_field(e, reached_by, offsetof(block_range, low), e->i64), added(e, &a));
    value first = place_in_range(e, &a, low, a.from, e->i64);
    value last = B(e, Add, first, jit_field(e, reached_by, offsetof(block_range, places), e->i64));
    return B(e, And, B(e, ICmp, LLVMIntULT, first, a.count), B(e, ICmp, LLVMIntULT, last, a.count));
}

/* What is added to the first lane's register to get the host's address, for all warps of the block. */
static void find_added(emitter *e, uint32_t n) {
    access a;
    jit_begin_access(e, e->p->of->reaches[n].insn, &a);
    find_base(e, &a);
    e->L->BuildStore(e->at, B(e, Add, added(e, &a), a.base), e->added_at[n]);
}

void jit_look_at_block(emitter *e) {
    const compiled *c = e->p->of;
    if (!e->whole_at) return;
    LLVMBasicBlockRef several = jit_block(e), look = jit_block(e);
    value all = jit_int(e, e->i1, 1), none = jit_int(e, e->i8, 0);
    for (uint32_t n = 0; n < c->reach_count; n++) {
        find_added(e, n);
        e->L->BuildStore(e->at, jit_int(e, e->i64, 0), e->start_at[n]);
    }
    e->L->BuildStore(e->at, jit_int(e, e->i1, 0), e->whole_at);
    jit_branch(e, B(e, ICmp, LLVMIntNE, e->interval, e->L->ConstNull(e->ptr)), several, e->next_warp);
    jit_go_on_at(e, several);
    value seen = jit_field(e, e->interval, offsetof(interval, has_reached), e->i8);
    jit_branch(e, B(e, ICmp, LLVMIntNE, seen, none), look, e->next_warp);
    jit_go_on_at(e, look);
    value reached = jit_field(e, e->interval, offsetof(interval, reached), e->ptr);
    for (uint32_t n = 0; n < c->reach_count; n++) {
        value by = jit_at(e, reached, n * sizeof(block_range));
        value first = jit_field(e, by, offsetof(block_range, first), e->i64);
        all = B(e, And, all, is_block_within(e, c->reaches[n].insn, by));
        e->L->BuildStore(e->at, B(e, Add, first, B(e, Load2, e->i64, e->added_at[n])), e->start_at[n]);
    }
    e->L->BuildStore(e->at, all, e->whole_at);
}

/* --- The access --- */
enum { NOT_THERE = MOST_REACHES };
static uint32_t number_in_block(const emitter *e, uint32_t k) {
    const compiled *c = e->p->of;
    const mem_access *m = e->p->insns[k].extra;
    for (uint32_t n = 0; e->whole_at && !m->counted && n < c->reach_count; n++)
        if (c->reaches[n].insn == k) return n;
    return NOT_THERE;
}

/* Where the access is within its range as all of its block are, its place follows from that of the first warp
 * and from whose turn it is. Goes to `fast` then, with the host's address of the first lane in a place; else
 * to where it is looked at, and gives what is to be known there. */
static value look_for_itself(emitter *e, const access *a, uint32_t n, value host_at, LLVMBasicBlockRef fast) {
    LLVMBasicBlockRef whole = jit_block(e), look = jit_block(e);
    access by = *a;
    jit_branch(e, B(e, Load2, e->i1, e->whole_at), whole, look);
    jit_go_on_at(e, whole);
    value turn = B(e, Load2, e->i64, e->turn_at),
          far = B(e, Mul, turn, jit_int(e, e->i64, (uint64_t)e->p->of->reaches[n].step));
    e->L->BuildStore(e->at, B(e, Add, B(e, Load2, e->i64, e->start_at[n]), far), host_at);
    e->L->BuildBr(e->at, fast);
    jit_go_on_at(e, look);
    /* nobody writes the row: it is in the frame */
    value reg = jit_field(e, e->regs, a->m->address, e->i64);
    by.first = B(e, Add, reg, added(e, a));
    find_range(e, &by);
    e->L->BuildStore(e->at, B(e, Add, reg, B(e, Load2, e->i64, e->added_at[n])), host_at);
    const extent x = jit_extent(e, a->shape);
    return is_plain(e, &by, &x);
}

/* Goes to `fast` where the access needs no more than doing it, else to `slow`, and on there. */
static void choose_way(emitter *e, access *a, uint32_t n, LLVMBasicBlockRef fast, LLVMBasicBlockRef slow) {
    value host_at = n != NOT_THERE ? jit_place(e, e->i64) : NULL;
    value plain = host_at ? look_for_itself(e, a, n, host_at, fast) : jit_find_plain(e, a);
    if (a->m->counted) plain = B(e, And, plain, jit_counts_plainly(e, a));
    jit_branch(e, plain, fast, slow);
    if (!host_at) return;
    jit_go_on_at(e, fast);
    a->first = B(e, Load2, e->i64, host_at);
    a->base = jit_int(e, e->i64, 0);
}

void jit_emit_access(emitter *e, uint32_t k) {
    const mem_access *m = e->p->insns[k].extra;
    access a;
    const bool begun = jit_begin_access(e, k, &a);
    const int32_t result = a.shape == SHAPE_UNIFORM ? SHAPE_UNIFORM : SHAPE_VARYING;
    if (!begun || (m->counted && !jit_may_count(e, &a))) {
        jit_call(e, k);
        take_results(e, &a, result);
        return;
    }
    LLVMBasicBlockRef done = jit_block(e);
    if (may_be_row(e, &a)) emit_as_row(e, &a, done);
    LLVMBasicBlockRef fast = jit_block(e), slow = jit_block(e);
    const uint32_t number = number_in_block(e, k); /* costs are counted for each warp */
    choose_way(e, &a, number, fast, slow);
    const known before = jit_known(e);
    jit_go_on_at(e, slow);
    jit_call(e, k);
    if (number != NOT_THERE) find_added(e, number); /* of another range now */
    take_results(e, &a, result);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, fast);
    jit_know(e, &before);
    emit_elements(e, &a);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, done);
}
#endif
