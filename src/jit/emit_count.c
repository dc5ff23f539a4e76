/* What loads and stores cost, in compiled code: bank conflicts, sectors and lines. Of lanes at known
 * distances that is worked out beforehand; of others a glance shows whether they are in banks of their own,
 * and the emulator counts the rest. */
#ifdef LS_HAVE_JIT
#include "emulate/check/checkers.h"
#include "jit/access.h"

/* --- Known distances --- */
/* Of lanes at known distances, all of which run: bank conflicts are the same wherever the first one is,
 * sectors and lines depend on its place in a line. Nothing but adding up is left to be done. */
typedef struct {
    access_cost shared;
    uint32_t worst;         /* of the parts of a wide access: turns */
    const uint8_t *sectors; /* by the place in a line … */
    const uint8_t *lines;   /* … as these */
    uint32_t ideal;
} cost;

static void addresses_of(const emitter *e, const access *a, uint64_t first, uint64_t *out) {
    const int64_t *offsets = e->p->shapes.items[a->shape];
    for (uint32_t l = 0; l < MAX_LANES; l++) out[l] = first + (uint64_t)offsets[l % CHUNK];
}

static cost cost_of(emitter *e, const access *a) {
    enum { FAR = 1 << 30, LINE = 128 };
    static const machine gpu = {.warp_size = CHUNK, .options.banks = 32};
    uint64_t address[MAX_LANES];
    memory_stats seen = {0};
    cost c = {0};
    if (a->shared) {
        addresses_of(e, a, 2 * (uint64_t)FAR, address);
        c.shared = em_access_cost(&seen, &gpu, true, a->bytes, address, UINT32_MAX);
        c.worst = seen.worst;
        return c;
    }
    uint8_t *tables = LS_NEW_N(&e->p->arena, uint8_t, 2 * LINE);
    for (uint32_t at = 0; at < LINE; at += a->bytes) {
        addresses_of(e, a, 2 * (uint64_t)FAR + at, address);
        const access_cost here = em_access_cost(&seen, &gpu, false, a->bytes, address, UINT32_MAX);
        tables[at] = (uint8_t)here.sectors;
        tables[LINE + at] = (uint8_t)here.lines;
        c.ideal = here.ideal;
    }
    c.sectors = tables;
    c.lines = tables + LINE;
    return c;
}

static value counter(const emitter *e, const access *a, size_t field) {
    return jit_at(e, e->memory, (uint64_t)a->m->memory_site * sizeof(memory_stats) + field);
}

static void add_to(emitter *e, const access *a, size_t field, value add) {
    value place = counter(e, a, field), old = B(e, Load2, e->i64, place);
    e->L->SetMetadata(old, e->tbaa, e->state_tag);
    e->L->SetMetadata(e->L->BuildStore(e->at, B(e, Add, old, add), place), e->tbaa, e->state_tag);
}

static value looked_up(emitter *e, const uint8_t *table, value at) {
    value base = jit_use(e, table);
    value there = B(e, Load2, e->i8, e->L->BuildGEP2(e->at, e->i8, base, &at, 1, ""));
    e->L->SetMetadata(there, e->invariant, e->nothing);
    return B(e, ZExt, there, e->i64);
}

static bool has_fixed_cost(const emitter *e, const access *a) {
    return a->shape >= 0 && !e->masked &&
           (!a->shared || (a->bytes >= 4 && !(jit_extent(e, a->shape).bits & 3)));
}

static bool are_words(const access *a) {
    return a->shared && a->bytes == 4;
}

bool jit_may_count(const emitter *e, const access *a) {
    return has_fixed_cost(e, a) || are_words(a);
}

/* Whether adding up is all: all lanes run, and no access so far was better than this one, which else is
 * remembered with its banks. */
static value counts_plainly(emitter *e, const access *a, const cost *c) {
    value good = jit_int(e, e->i1, 1);
    if (e->guard) good = B(e, ICmp, LLVMIntEQ, jit_bits_of(e, e->guard), jit_int(e, e->i32, UINT32_MAX));
    if (!a->shared) return good;
    value worst =
        jit_field(e, e->memory,
                  (uint64_t)a->m->memory_site * sizeof(memory_stats) + offsetof(memory_stats, worst), e->i32);
    return B(e, And, good, B(e, ICmp, LLVMIntUGE, worst, jit_int(e, e->i32, c->worst)));
}

static void count(emitter *e, const access *a, const cost *c) {
    e->p->of->costs[a->m->memory_site] =
        (plain_cost){c->shared.turns, a->shared ? c->shared.ideal : c->ideal};
    add_to(e, a, offsetof(memory_stats, plain), jit_int(e, e->i64, 1));
    if (a->shared) return;
    value at = B(e, And, a->first, jit_int(e, e->i64, 127)), sectors = looked_up(e, c->sectors, at);
    add_to(e, a, offsetof(memory_stats, sectors), sectors);
    add_to(e, a, offsetof(memory_stats, lines), looked_up(e, c->lines, at));
    value place = counter(e, a, offsetof(memory_stats, worst)), old = B(e, Load2, e->i32, place);
    value now = B(e, Trunc, sectors, e->i32), most = B(e, Select, B(e, ICmp, LLVMIntUGT, now, old), now, old);
    e->L->SetMetadata(old, e->tbaa, e->state_tag);
    e->L->SetMetadata(e->L->BuildStore(e->at, most, place), e->tbaa, e->state_tag);
}

/* --- Any lanes --- */
static value addresses_now(emitter *e, const access *a) {
    LLVMTypeRef wide = jit_row_type(e, 8);
    if (a->shape < 0) return a->half ? B(e, ZExt, a->first, wide) : a->first;
    return B(e, Add, jit_splat(e, a->first, wide), jit_offsets(e, a->shape, 8));
}

static value lanes_now(emitter *e) {
    value active = jit_active(e);
    return active ? jit_bits_of(e, active) : jit_int(e, e->i32, UINT32_MAX);
}

static void count_by_call(emitter *e, const access *a) {
    value place = jit_place(e, jit_row_type(e, 8)), lanes = lanes_now(e);
    e->L->BuildStore(e->at, addresses_now(e, a), place);
    value arguments[] = {e->warp, jit_use(e, a->m), place, lanes};
    jit_call_emulator(e, (uintptr_t)em_count_lanes, e->L->VoidTypeInContext(e->context), arguments, 4);
}

/* Whether words of shared memory are each in a bank of its own, and this is not the first access, which is
 * remembered. */
static value are_apart(emitter *e, const access *a) {
    LLVMTypeRef type = jit_row_type(e, 4), one = e->i32;
    value each = a->shape < 0 && a->half ? a->first : B(e, Trunc, addresses_now(e, a), type);
    value bank = B(e, And, B(e, LShr, each, jit_splat(e, jit_int(e, e->i32, 2), type)),
                   jit_splat(e, jit_int(e, e->i32, 31), type));
    value bits = B(e, Shl, jit_splat(e, jit_int(e, e->i32, 1), type), bank), active = jit_active(e);
    if (active) bits = B(e, Select, active, bits, e->L->ConstNull(type));
    value all = jit_intrinsic(e, "llvm.vector.reduce.or", &type, 1, &bits, 1), lanes = lanes_now(e);
    value same = B(e, ICmp, LLVMIntEQ, jit_intrinsic(e, "llvm.ctpop", &one, 1, &all, 1),
                   jit_intrinsic(e, "llvm.ctpop", &one, 1, &lanes, 1));
    value worst = B(e, Load2, e->i32, counter(e, a, offsetof(memory_stats, worst)));
    e->L->SetMetadata(worst, e->tbaa, e->state_tag);
    return B(e, And, same, B(e, ICmp, LLVMIntNE, worst, jit_int(e, e->i32, 0)));
}

static void count_one_turn(emitter *e, const access *a) {
    static const size_t fields[] = {offsetof(memory_stats, accesses), offsetof(memory_stats, ideal),
                                    offsetof(memory_stats, turns)};
    for (size_t n = 0; n < sizeof fields / sizeof *fields; n++)
        add_to(e, a, fields[n], jit_int(e, e->i64, 1));
}

/* Words whose lanes are as they come. */
static void count_words(emitter *e, const access *a) {
    LLVMBasicBlockRef free = jit_block(e), other = jit_block(e), done = jit_block(e);
    e->L->BuildCondBr(e->at, are_apart(e, a), free, other);
    jit_go_on_at(e, free);
    count_one_turn(e, a);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, other);
    count_by_call(e, a);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, done);
}

value jit_counts_plainly(emitter *e, const access *a) {
    if (are_words(a)) return jit_int(e, e->i1, 1);
    const cost c = cost_of(e, a);
    return counts_plainly(e, a, &c);
}

void jit_count_access(emitter *e, const access *a) {
    if (!has_fixed_cost(e, a)) {
        count_words(e, a);
        return;
    }
    const cost c = cost_of(e, a);
    if (!are_words(a)) {
        count(e, a, &c);
        return;
    }
    LLVMBasicBlockRef plain = jit_block(e), other = jit_block(e), done = jit_block(e);
    jit_branch(e, counts_plainly(e, a, &c), plain, other);
    jit_go_on_at(e, plain);
    count(e, a, &c);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, other);
    count_words(e, a);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, done);
}
#endif
