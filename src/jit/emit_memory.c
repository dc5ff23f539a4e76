/* Loads and stores that are not checked for races. Bounds and alignment are always looked at: of all lanes at
 * once where their distances are known, else lane by lane, against the range of memory that the instruction
 * used last. What is not within goes to the interpreter's operation. Lanes side by side are one vector, lanes
 * at one place one element. */
#ifdef LS_HAVE_JIT
#include "emulate/space.h"
#include "jit/emit.h"

enum { MOST_RUNS = 8 };

typedef struct {
    uint32_t k;
    const mem_access *m;
    bool shared;
    uint32_t address; /* row */
    int32_t shape;
    uint32_t bytes; /* of all elements of a lane */
    value lo, size; /* the range */
    value base;     /* what is added to an address to get the host's */
    value first;    /* the first lane's address, or that of each */
    bool half;      /* the latter, of 32 bits: in shared memory */
} access;

/* --- Where it goes --- */
static value memory_access(const emitter *e, value at, const access *a) {
    e->L->SetMetadata(at, e->tbaa, e->memory_tag);
    e->L->SetAlignment(at, a->m->bytes);
    return at;
}

static value host_pointer(emitter *e, const access *a, value address, uint64_t add) {
    value sum = B(e, Add, B(e, Add, address, a->base), jit_int(e, e->i64, add));
    return B(e, IntToPtr, sum, e->ptr);
}

static value added(emitter *e, const access *a) {
    value add = jit_int(e, e->i64, (uint64_t)a->m->offset);
    if (!a->m->base) return add;
    return B(e, Add, add, jit_field(e, e->block_values, (uint64_t)a->m->base * 8, e->i64));
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

static void find_range(emitter *e, access *a) {
    const uint64_t at = (uint64_t)a->m->memory_site * sizeof(memory_stats);
    a->lo = jit_field(e, e->memory, at + offsetof(memory_stats, lo), e->i64);
    value hi = jit_field(e, e->memory, at + offsetof(memory_stats, hi), e->i64);
    a->size = B(e, Sub, hi, a->lo);
    if (a->shared) {
        a->base = B(e, PtrToInt, e->shared, e->i64);
        return;
    }
    value window = B(e, ICmp, LLVMIntEQ, B(e, LShr, a->lo, jit_int(e, e->i64, LS_DEVICE_SHIFT)),
                     jit_int(e, e->i64, LS_DEVICE_WINDOW));
    a->base = B(e, Select, window, jit_int(e, e->i64, LS_DEVICE_SIZE), jit_int(e, e->i64, 0));
}

typedef struct {
    int64_t low, high;
    uint64_t bits;
} extent;

static extent extent_of(const emitter *e, int32_t shape) {
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
/* Accesses of a block, at one register plus constants, with nothing in between that could make a difference:
 * the first one looks whether all are within the range that it used last. */
static bool is_like(const emitter *e, const access *a, uint32_t k) {
    const effect *x = &e->p->effects[k];
    const mem_access *m = e->p->insns[k].extra;
    if (x->deed != DO_ACCESS || x->guarded) return false;
    return m->address == a->m->address && m->base == a->m->base && m->space == a->m->space &&
           m->write == a->m->write && (uint32_t)m->bytes * m->count == a->bytes &&
           (m->offset - a->m->offset) % (int64_t)a->bytes == 0;
}

/* Adds to the extent what like accesses behind this one reach. */
static void add_like(emitter *e, const access *a, extent *x) {
    enum { MOST = 1 << 16 };
    const extent own = *x;
    if (e->guard || e->p->effects[a->k].guarded) return;
    for (uint32_t k = a->k + 1; k < e->p->insn_count && !e->p->block_of[k]; k++) {
        const effect *other = &e->p->effects[k - 1];
        for (uint32_t n = 0; n < other->write_count; n++)
            if (other->writes[n].slot == a->m->address) return;
        if (other->unknown) return;
        if (!is_like(e, a, k)) continue;
        const int64_t by = ((const mem_access *)e->p->insns[k].extra)->offset - a->m->offset;
        if (by < -MOST || by > MOST) continue;
        if (own.low + by < x->low) x->low = own.low + by;
        if (own.high + by > x->high) x->high = own.high + by;
        e->reaches[k].led_by = a->k + 1;
    }
}

/* Whether lanes at known distances are all within the range, and aligned. */
static value is_plain(emitter *e, const access *a) {
    extent x = extent_of(e, a->shape);
    add_like(e, a, &x);
    value span = jit_int(e, e->i64, (uint64_t)(x.high - x.low) + a->bytes);
    value from = B(e, Sub, B(e, Add, a->first, jit_int(e, e->i64, (uint64_t)x.low)), a->lo);
    value fits = B(e, ICmp, LLVMIntULE, span, a->size);
    value within = B(e, ICmp, LLVMIntULE, from, B(e, Sub, a->size, span));
    value odd = B(e, And, a->first, jit_int(e, e->i64, a->bytes - 1));
    value even = B(e, ICmp, LLVMIntEQ, odd, jit_int(e, e->i64, 0));
    return B(e, And, B(e, And, fits, within), even);
}

/* The same for lanes anywhere. */
static value are_plain(emitter *e, const access *a) {
    LLVMTypeRef each = jit_row_type(e, a->half ? 4 : 8), type = a->half ? e->i32 : e->i64;
    value bytes = jit_int(e, e->i64, a->bytes), active = jit_active(e), lo = a->lo,
          room = B(e, Sub, a->size, bytes);
    if (a->half) lo = B(e, Trunc, lo, type), room = B(e, Trunc, room, type);
    value from = B(e, Sub, a->first, jit_splat(e, lo, each));
    value most = jit_splat(e, room, each);
    value within = B(e, ICmp, LLVMIntULE, from, most);
    value odd = B(e, And, a->first, jit_splat(e, jit_int(e, type, a->bytes - 1), each));
    value even = B(e, ICmp, LLVMIntEQ, odd, e->L->ConstNull(each));
    value good = B(e, And, within, even);
    if (active) good = B(e, Or, good, B(e, Not, active));
    value all = B(e, ICmp, LLVMIntEQ, jit_bits_of(e, good), jit_int(e, e->i32, UINT32_MAX));
    return B(e, And, all, B(e, ICmp, LLVMIntULE, bytes, a->size));
}

/* Whether the access is one that needs no more than doing it; fills in what that takes. */
static value find_plain(emitter *e, access *a) {
    reach *own = &e->reaches[a->k];
    find_addresses(e, a);
    if (own->led_by && !e->guard && !e->p->effects[a->k].guarded) {
        const reach *led = &e->reaches[own->led_by - 1];
        a->base = led->base;
        return led->within;
    }
    find_range(e, a);
    own->base = a->base;
    own->within = a->shape >= 0 ? is_plain(e, a) : are_plain(e, a);
    return own->within;
}

/* --- Elements --- */
static LLVMTypeRef element_type(const emitter *e, const access *a) {
    return e->L->IntTypeInContext(e->context, 8u * a->m->bytes);
}

/* What a register has of an element. */
static value widened(emitter *e, const access *a, value x, LLVMTypeRef type) {
    if (a->m->bytes >= 4) return x;
    return a->m->sign ? B(e, SExt, x, type) : B(e, ZExt, x, type);
}

/* Lanes one behind the other, or at one place. */
typedef struct {
    uint32_t first, count;
    bool row;
} run;

static uint32_t runs_of(const emitter *e, const access *a, run *runs, uint32_t most) {
    const int64_t *o = e->p->shapes.items[a->shape];
    uint32_t n = 0;
    for (uint32_t l = 0; l < CHUNK;) {
        uint32_t same = 1, side = 1;
        while (l + same < CHUNK && o[l + same] == o[l]) same++;
        while (l + side < CHUNK && o[l + side] == o[l] + (int64_t)(side * a->bytes)) side++;
        if (n == most) return most + 1;
        runs[n] = (run){l, same > side ? same : side, side > same};
        l += runs[n++].count;
    }
    return n;
}

/* A vector of `count` elements, padded to 32 lanes: as what is joined must be of one length. */
static value padded(emitter *e, value x, uint32_t count) {
    value from[CHUNK];
    for (uint32_t l = 0; l < CHUNK; l++) from[l] = jit_int(e, e->i32, l < count ? l : 0);
    return B(e, ShuffleVector, x, e->L->GetPoison(e->L->TypeOf(x)), e->L->ConstVector(from, CHUNK));
}

static value joined(emitter *e, value all, value part, const run *r) {
    value from[CHUNK];
    for (uint32_t l = 0; l < CHUNK; l++)
        from[l] = jit_int(e, e->i32, l >= r->first && l < r->first + r->count ? CHUNK + l - r->first : l);
    return B(e, ShuffleVector, all, part, e->L->ConstVector(from, CHUNK));
}

static value load_run(emitter *e, const access *a, const run *r, uint32_t element) {
    const int64_t *o = e->p->shapes.items[a->shape];
    LLVMTypeRef type = element_type(e, a);
    value at = host_pointer(e, a, a->first, (uint64_t)o[r->first] + element * a->m->bytes);
    if (!r->row || r->count == 1)
        return jit_splat(e, memory_access(e, B(e, Load2, type, at), a), e->L->VectorType(type, CHUNK));
    value x = memory_access(e, B(e, Load2, e->L->VectorType(type, r->count), at), a);
    return r->count == CHUNK ? x : padded(e, x, r->count);
}

/* Vectors of elements side by side: one load of all, and every count-th of it. */
static value load_strided(emitter *e, const access *a, uint32_t element) {
    const uint32_t count = a->m->count;
    LLVMTypeRef type = e->L->VectorType(element_type(e, a), CHUNK * count);
    value all = memory_access(e, B(e, Load2, type, host_pointer(e, a, a->first, 0)), a), from[CHUNK];
    for (uint32_t l = 0; l < CHUNK; l++) from[l] = jit_int(e, e->i32, l * count + element);
    return B(e, ShuffleVector, all, e->L->GetPoison(type), e->L->ConstVector(from, CHUNK));
}

static value all_lanes(const emitter *e) {
    return e->L->ConstAllOnes(e->lanes);
}

static value pointers_of_all(emitter *e, const access *a, uint32_t element) {
    LLVMTypeRef wide = jit_row_type(e, 8);
    value each = a->first, add = B(e, Add, a->base, jit_int(e, e->i64, element * a->m->bytes));
    if (a->half) return e->L->BuildGEP2(e->at, e->i8, B(e, IntToPtr, add, e->ptr), &each, 1, "");
    if (a->shape >= 0) {
        value base = B(e, IntToPtr, B(e, Add, each, add), e->ptr), offsets = jit_offsets(e, a->shape, 8);
        return e->L->BuildGEP2(e->at, e->i8, base, &offsets, 1, "");
    }
    return B(e, IntToPtr, B(e, Add, each, jit_splat(e, add, wide)), e->L->VectorType(e->ptr, CHUNK));
}

/* Those of lanes that do not run are of a place that may be read and written by anybody: so that all can be,
 * without a branch for each. */
static value pointers(emitter *e, const access *a, uint32_t element) {
    value all = pointers_of_all(e, a, element), active = jit_active(e);
    if (!active) return all;
    value nowhere = jit_splat(e, jit_place(e, jit_row_type(e, 8)), e->L->TypeOf(all));
    return B(e, Select, active, all, nowhere);
}

static value intrinsic(emitter *e, const char *name, LLVMTypeRef *types, unsigned type_count,
                       value *arguments, unsigned count) {
    unsigned id = e->L->LookupIntrinsicID(name, strlen(name));
    value fn = e->L->GetIntrinsicDeclaration(e->module, id, types, type_count);
    return e->L->BuildCall2(e->at, e->L->GlobalGetValueType(fn), fn, arguments, count, "");
}

static value gather(emitter *e, const access *a, uint32_t element) {
    LLVMTypeRef types[] = {e->L->VectorType(element_type(e, a), CHUNK), e->L->VectorType(e->ptr, CHUNK)};
    value arguments[] = {pointers(e, a, element), jit_int(e, e->i32, a->m->bytes), all_lanes(e),
                         e->L->ConstNull(types[0])};
    value x = intrinsic(e, "llvm.masked.gather", types, 2, arguments, 4);
    e->L->SetMetadata(x, e->tbaa, e->memory_tag);
    return x;
}

/* Lanes at known distances from each other, one by one; all are within the range, those that do not run, too.
 */
static value load_apart(emitter *e, const access *a, uint32_t element) {
    const int64_t *o = e->p->shapes.items[a->shape];
    LLVMTypeRef type = element_type(e, a);
    value all = e->L->GetPoison(e->L->VectorType(type, CHUNK));
    for (uint32_t l = 0; l < CHUNK; l++) {
        value at = host_pointer(e, a, a->first, (uint64_t)o[l] + element * a->m->bytes);
        value x = memory_access(e, B(e, Load2, type, at), a);
        all = B(e, InsertElement, all, x, jit_int(e, e->i32, l));
    }
    return all;
}

static value load_lanes(emitter *e, const access *a, uint32_t element) {
    run runs[MOST_RUNS];
    if (a->shape < 0) return gather(e, a, element);
    uint32_t n = runs_of(e, a, runs, MOST_RUNS);
    if (n == 1 && runs[0].row && a->m->count > 1) return load_strided(e, a, element);
    bool pieces = n <= MOST_RUNS;
    for (uint32_t k = 0; pieces && k < n; k++) pieces = a->m->count == 1 || !runs[k].row;
    if (!pieces) return load_apart(e, a, element);
    value all = load_run(e, a, &runs[0], element);
    for (uint32_t k = 1; k < n; k++) all = joined(e, all, load_run(e, a, &runs[k], element), &runs[k]);
    return all;
}

/* Fetches what is behind the lanes, which warps and blocks to come are likely to need: there is too much to
 * do in between for the processor to see it coming. */
static void fetch_ahead(emitter *e, const access *a) {
    enum { AHEAD = 2048, LINE = 64 };
    run one;
    if (a->shared || e->masked || a->shape <= SHAPE_UNIFORM || runs_of(e, a, &one, 1) != 1 || !one.row)
        return;
    for (uint32_t at = 0; at < CHUNK * a->bytes; at += LINE) {
        value arguments[] = {host_pointer(e, a, a->first, AHEAD + at), jit_int(e, e->i32, a->m->write),
                             jit_int(e, e->i32, 3), jit_int(e, e->i32, 1)};
        intrinsic(e, "llvm.prefetch", &e->ptr, 1, arguments, 4);
    }
}

static void load(emitter *e, const access *a) {
    for (uint32_t k = 0; k < a->m->count; k++) {
        const uint32_t r = jit_row(e->p, a->m->value[k].slot);
        const uint8_t width = e->p->rows.items[r].width;
        if (a->shape == SHAPE_UNIFORM) {
            value at = host_pointer(e, a, a->first, k * a->m->bytes);
            value x = memory_access(e, B(e, Load2, element_type(e, a), at), a);
            jit_write_one(e, r, widened(e, a, x, jit_scalar_type(e, width)), SHAPE_UNIFORM);
        } else {
            jit_write_row(e, r, widened(e, a, load_lanes(e, a, k), jit_row_type(e, width)));
        }
    }
}

/* --- Stores --- */
/* The last lane of those that run stays, where all write one place. */
static value last_running(emitter *e, value lanes) {
    value active = jit_active(e);
    if (!active) return B(e, ExtractElement, lanes, jit_int(e, e->i32, CHUNK - 1));
    LLVMTypeRef type = e->i32;
    value arguments[] = {jit_bits_of(e, active), jit_int(e, e->i1, 0)};
    value zeros = intrinsic(e, "llvm.ctlz", &type, 1, arguments, 2);
    value lane = B(e, And, B(e, Sub, jit_int(e, e->i32, CHUNK - 1), zeros), jit_int(e, e->i32, CHUNK - 1));
    return B(e, ExtractElement, lanes, lane);
}

static value narrowed(emitter *e, const access *a, value x, LLVMTypeRef type) {
    return a->m->bytes < 4 ? B(e, Trunc, x, type) : x;
}

static void store_one(emitter *e, const access *a, uint32_t r, uint32_t element) {
    value x = e->state[r] == SHAPE_UNIFORM ? jit_read_one(e, r) : last_running(e, jit_read_row(e, r));
    value at = host_pointer(e, a, a->first, element * a->m->bytes);
    memory_access(e, e->L->BuildStore(e->at, narrowed(e, a, x, element_type(e, a)), at), a);
}

static void store_side_by_side(emitter *e, const access *a, value x) {
    value at = host_pointer(e, a, a->first, 0), active = jit_active(e);
    if (!active) {
        memory_access(e, e->L->BuildStore(e->at, x, at), a);
        return;
    }
    LLVMTypeRef types[] = {e->L->TypeOf(x), e->ptr};
    if (a->shared) { /* the block's own: nobody else writes it now */
        value old = memory_access(e, B(e, Load2, types[0], at), a);
        memory_access(e, e->L->BuildStore(e->at, B(e, Select, active, x, old), at), a);
        return;
    }
    value arguments[] = {x, at, jit_int(e, e->i32, a->m->bytes), active};
    e->L->SetMetadata(intrinsic(e, "llvm.masked.store", types, 2, arguments, 4), e->tbaa, e->memory_tag);
}

/* Runs of lanes that lie side by side, where all run. */
static bool store_runs(emitter *e, const access *a, value x) {
    run runs[MOST_RUNS];
    const int64_t *o = e->p->shapes.items[a->shape];
    uint32_t n = runs_of(e, a, runs, MOST_RUNS);
    if (n > MOST_RUNS || jit_active(e)) return false;
    for (uint32_t k = 0; k < n; k++)
        if (!runs[k].row) return false;
    for (uint32_t k = 0; k < n; k++) {
        value from[CHUNK];
        for (uint32_t l = 0; l < runs[k].count; l++) from[l] = jit_int(e, e->i32, runs[k].first + l);
        value part =
            B(e, ShuffleVector, x, e->L->GetPoison(e->L->TypeOf(x)), e->L->ConstVector(from, runs[k].count));
        value at = host_pointer(e, a, a->first, (uint64_t)o[runs[k].first]);
        memory_access(e, e->L->BuildStore(e->at, part, at), a);
    }
    return true;
}

static void store_apart(emitter *e, const access *a, value x, uint32_t element) {
    const int64_t *o = e->p->shapes.items[a->shape];
    for (uint32_t l = 0; l < CHUNK; l++) {
        value at = host_pointer(e, a, a->first, (uint64_t)o[l] + element * a->m->bytes);
        value one = B(e, ExtractElement, x, jit_int(e, e->i32, l));
        memory_access(e, e->L->BuildStore(e->at, one, at), a);
    }
}

static void scatter(emitter *e, const access *a, value x, uint32_t element) {
    if (a->shape >= 0 && !jit_active(e)) {
        store_apart(e, a, x, element);
        return;
    }
    LLVMTypeRef types[] = {e->L->TypeOf(x), e->L->VectorType(e->ptr, CHUNK)};
    value arguments[] = {x, pointers(e, a, element), jit_int(e, e->i32, a->m->bytes), all_lanes(e)};
    e->L->SetMetadata(intrinsic(e, "llvm.masked.scatter", types, 2, arguments, 4), e->tbaa, e->memory_tag);
}

static void store(emitter *e, const access *a) {
    run one;
    const bool side = a->shape > SHAPE_UNIFORM && a->m->count == 1 && runs_of(e, a, &one, 1) == 1 && one.row;
    for (uint32_t k = 0; k < a->m->count; k++) {
        const uint32_t r = jit_row(e->p, a->m->value[k].slot);
        if (a->shape == SHAPE_UNIFORM) {
            store_one(e, a, r, k);
            continue;
        }
        value x = narrowed(e, a, jit_read_row(e, r), e->L->VectorType(element_type(e, a), CHUNK));
        if (side)
            store_side_by_side(e, a, x);
        else if (a->shape < 0 || a->m->count > 1 || !store_runs(e, a, x))
            scatter(e, a, x, k);
    }
}

/* --- What they cost --- */
/* Of lanes at known distances, all of which run: bank conflicts are the same wherever the first one is,
 * sectors and lines hang on its place in a line. Nothing but adding up is left to be done. */
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

static bool may_count(const emitter *e, const access *a) {
    return a->shape >= 0 && !e->masked && a->bytes >= 4 && !(extent_of(e, a->shape).bits & 3);
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

/* --- The instruction --- */
/* Lanes too far apart, or never aligned, are the interpreter's. */
static bool is_hopeless(const emitter *e, const access *a) {
    if (a->shape < 0) return false;
    const extent x = extent_of(e, a->shape);
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

void jit_emit_access(emitter *e, uint32_t k) {
    const mem_access *m = e->p->insns[k].extra;
    access a = {.k = k, .m = m, .shared = m->space == LS_SPACE_SHARED, .address = jit_row(e->p, m->address)};
    a.shape = e->state[a.address];
    a.bytes = (uint32_t)m->bytes * m->count;
    const int32_t result = a.shape == SHAPE_UNIFORM ? SHAPE_UNIFORM : SHAPE_VARYING;
    if (is_hopeless(e, &a) || (m->counted && !may_count(e, &a))) {
        jit_call(e, k);
        take_results(e, &a, result);
        return;
    }
    const cost c = m->counted ? cost_of(e, &a) : (cost){0};
    LLVMBasicBlockRef fast = jit_block(e), slow = jit_block(e), done = jit_block(e);
    value plain = find_plain(e, &a);
    if (m->counted) plain = B(e, And, plain, counts_plainly(e, &a, &c));
    e->L->BuildCondBr(e->at, plain, fast, slow);
    const known before = jit_known(e);
    jit_go_on_at(e, slow);
    jit_call(e, k);
    take_results(e, &a, result);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, fast);
    jit_know(e, &before);
    if (m->counted) count(e, &a, &c);
    fetch_ahead(e, &a);
    if (m->write)
        store(e, &a);
    else
        load(e, &a);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, done);
}
#endif
