/* Moving the elements of loads and stores between memory and rows: lanes side by side are one vector, lanes
 * at one place one element, lanes that lie close together vectors of all that is between them; only the rest
 * is gathered. */
#ifdef LS_HAVE_JIT
#include "jit/access.h"

enum { MOST_RUNS = 8 };

/* --- Elements --- */
static value memory_access(const emitter *e, value at, const access *a) {
    e->L->SetMetadata(at, e->tbaa, e->memory_tag);
    e->L->SetAlignment(at, a->m->bytes);
    return at;
}

static value host_pointer(emitter *e, const access *a, value address, uint64_t add) {
    value sum = B(e, Add, B(e, Add, address, a->base), jit_int(e, e->i64, add));
    return B(e, IntToPtr, sum, e->ptr);
}

static LLVMTypeRef element_type(const emitter *e, const access *a) {
    return e->L->IntTypeInContext(e->context, 8u * a->m->bytes);
}

/* What a register has of an element. */
static value widened(emitter *e, const access *a, value x, LLVMTypeRef type) {
    if (a->m->bytes >= 4) return x;
    return a->m->sign ? B(e, SExt, x, type) : B(e, ZExt, x, type);
}

static value narrowed(emitter *e, const access *a, value x, LLVMTypeRef type) {
    return a->m->bytes < 4 ? B(e, Trunc, x, type) : x;
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

/* Of two vectors of 16 lanes. */
static value both_halves(emitter *e, value low, value high) {
    value from[CHUNK];
    for (uint32_t l = 0; l < CHUNK; l++) from[l] = jit_int(e, e->i32, l);
    return B(e, ShuffleVector, low, high, e->L->ConstVector(from, CHUNK));
}

/* --- Parts of words --- */
/* One byte or two of each of 32 words side by side, as `x & 255` of a loaded x becomes. */
static bool is_in_words(const emitter *e, const access *a) {
    if (a->shape < 0 || a->m->count > 1 || a->m->bytes > 2) return false;
    for (uint32_t l = 0; l < CHUNK; l++)
        if (e->p->shapes.items[a->shape][l] != (int64_t)l * 4) return false;
    return true;
}

/* The words from there on of half the lanes, with the element in their lowest or their highest bytes. */
static value load_half_words(emitter *e, const access *a, uint64_t from, bool high) {
    enum { HALF = CHUNK / 2, WORD = 32 };
    LLVMTypeRef type = e->L->VectorType(e->i32, HALF);
    value x = memory_access(e, B(e, Load2, type, host_pointer(e, a, a->first, from)), a), by[HALF];
    for (uint32_t l = 0; l < HALF; l++) by[l] = jit_int(e, e->i32, WORD - 8 * a->m->bytes);
    value shift = e->L->ConstVector(by, HALF);
    if (!high) x = B(e, Shl, x, shift);
    return a->m->sign ? B(e, AShr, x, shift) : B(e, LShr, x, shift);
}

/* What is behind the last element may be out of the range: the second half of the words is taken from before
 * it, so that it ends with the element. */
static value load_from_words(emitter *e, const access *a) {
    const uint64_t second = CHUNK / 2 * 4 + a->m->bytes - 4;
    return both_halves(e, load_half_words(e, a, 0, false), load_half_words(e, a, second, true));
}

static value all_lanes(const emitter *e) {
    return e->L->ConstAllOnes(e->lanes);
}

value jit_pointers_of_all(emitter *e, const access *a, uint32_t element) {
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
    value all = jit_pointers_of_all(e, a, element), active = jit_active(e);
    if (!active) return all;
    value nowhere = jit_splat(e, jit_place(e, jit_row_type(e, 8)), e->L->TypeOf(all));
    return B(e, Select, active, all, nowhere);
}

value jit_intrinsic(emitter *e, const char *name, LLVMTypeRef *types, unsigned type_count, value *arguments,
                    unsigned count) {
    unsigned id = e->L->LookupIntrinsicID(name, strlen(name));
    value fn = e->L->GetIntrinsicDeclaration(e->module, id, types, type_count);
    return e->L->BuildCall2(e->at, e->L->GlobalGetValueType(fn), fn, arguments, count, "");
}

/* --- Pieces --- */
/* Lanes of a block that is 16 or 8 threads wide mostly are side by side in pieces of so many, even where the
 * distance of the pieces is not known: whether they are is looked at. 0: it is not worth it. */
static uint32_t piece_length(emitter *e, const access *a) {
    if (a->shape >= 0 || a->m->count > 1 || a->m->bytes < 4 || jit_active(e)) return 0;
    if (e->p->rows.items[a->address].loaded || e->p->block_width % CHUNK == 0) return 0;
    return e->p->block_width % 16 == 0 ? 16 : e->p->block_width % 8 == 0 ? 8 : 0;
}

static value are_pieces(emitter *e, const access *a, uint32_t length) {
    const uint8_t width = a->half ? 4 : 8;
    value index[CHUNK], offsets[CHUNK];
    for (uint32_t l = 0; l < CHUNK; l++) {
        index[l] = jit_int(e, e->i32, l - l % length);
        offsets[l] = jit_int(e, jit_scalar_type(e, width), l % length * a->m->bytes);
    }
    value firsts = B(e, ShuffleVector, a->first, e->L->GetPoison(e->L->TypeOf(a->first)),
                     e->L->ConstVector(index, CHUNK));
    value there = B(e, ICmp, LLVMIntEQ, a->first, B(e, Add, firsts, e->L->ConstVector(offsets, CHUNK)));
    return B(e, ICmp, LLVMIntEQ, jit_bits_of(e, there), jit_int(e, e->i32, UINT32_MAX));
}

static value piece_pointer(emitter *e, const access *a, uint32_t lane) {
    value at = B(e, ExtractElement, a->first, jit_int(e, e->i32, lane));
    if (a->half) at = B(e, ZExt, at, e->i64);
    return host_pointer(e, a, at, 0);
}

enum { LINE = 64, BESIDE = 512 }; /* bytes; the second: what is fetched beside pieces */

static void fetch(emitter *e, const access *a, value at) {
    value arguments[] = {at, jit_int(e, e->i32, a->m->write), jit_int(e, e->i32, 3), jit_int(e, e->i32, 1)};
    jit_intrinsic(e, "llvm.prefetch", &e->ptr, 1, arguments, 4);
}

static void fetch_piece(emitter *e, const access *a, uint32_t lane, uint32_t length) {
    value beside = jit_int(e, e->i64, BESIDE);
    if (a->shared || length * a->m->bytes < LINE / 2) return;
    fetch(e, a, e->L->BuildGEP2(e->at, e->i8, piece_pointer(e, a, lane), &beside, 1, ""));
}

static value load_pieces(emitter *e, const access *a, uint32_t length) {
    LLVMTypeRef type = e->L->VectorType(element_type(e, a), length);
    value all = NULL;
    for (uint32_t l = 0; l < CHUNK; l += length) {
        const run r = {l, length, true};
        fetch_piece(e, a, l, length);
        value part = padded(e, memory_access(e, B(e, Load2, type, piece_pointer(e, a, l)), a), length);
        all = all ? joined(e, all, part, &r) : part;
    }
    return all;
}

static void store_pieces(emitter *e, const access *a, value x, uint32_t length) {
    for (uint32_t l = 0; l < CHUNK; l += length) {
        value from[CHUNK];
        fetch_piece(e, a, l, length);
        for (uint32_t k = 0; k < length; k++) from[k] = jit_int(e, e->i32, l + k);
        value part =
            B(e, ShuffleVector, x, e->L->GetPoison(e->L->TypeOf(x)), e->L->ConstVector(from, length));
        memory_access(e, e->L->BuildStore(e->at, part, piece_pointer(e, a, l)), a);
    }
}

/* --- Anywhere --- */
/* With few instructions for LLVM to look at: where the processor gathers and scatters, and lanes are at known
 * distances, permutations of vectors take more than twice as long to compile. */
static bool is_by_index(const emitter *e, const access *a) {
    return e->quick && e->scatters && a->shape > SHAPE_UNIFORM && a->m->bytes >= 4;
}

static value indexed_pointers(emitter *e, const access *a, uint32_t element) {
    value base = host_pointer(e, a, a->first, element * a->m->bytes), offsets = jit_offsets(e, a->shape, 4);
    return e->L->BuildGEP2(e->at, e->i8, base, &offsets, 1, "");
}

static value gather(emitter *e, const access *a, uint32_t element) {
    LLVMTypeRef types[] = {e->L->VectorType(element_type(e, a), CHUNK), e->L->VectorType(e->ptr, CHUNK)};
    value arguments[] = {is_by_index(e, a) ? indexed_pointers(e, a, element) : pointers(e, a, element),
                         jit_int(e, e->i32, a->m->bytes), all_lanes(e), e->L->ConstNull(types[0])};
    value x = jit_intrinsic(e, "llvm.masked.gather", types, 2, arguments, 4);
    e->L->SetMetadata(x, e->tbaa, e->memory_tag);
    return x;
}

/* --- Spans --- */
/* Lanes that lie close together: vectors of 32 elements, windows, hold all that is between the lowest and the
 * highest, which is within the range. The last one ends with it, and may overlap the one before. */
enum { MOST_WINDOWS = 4, NOBODY = UINT32_MAX };
typedef struct {
    int64_t low;    /* from the first lane */
    uint32_t count; /* elements */
    uint32_t windows;
    uint32_t at[CHUNK]; /* by lane: its first element */
} span;

static uint32_t window_start(const span *s, uint32_t w) {
    return (w + 1) * CHUNK <= s->count ? w * CHUNK : s->count - CHUNK;
}

static bool find_span(const emitter *e, const access *a, span *s) {
    const extent x = jit_extent(e, a->shape);
    if (x.bits % a->m->bytes || x.low % a->m->bytes) return false;
    const int64_t count = (x.high - x.low) / a->m->bytes + a->m->count;
    if (count < CHUNK || count > MOST_WINDOWS * CHUNK) return false;
    s->low = x.low;
    s->count = (uint32_t)count;
    s->windows = (s->count + CHUNK - 1) / CHUNK;
    for (uint32_t l = 0; l < CHUNK; l++)
        s->at[l] = (uint32_t)((e->p->shapes.items[a->shape][l] - x.low) / a->m->bytes);
    return true;
}

static value window_pointer(emitter *e, const access *a, const span *s, uint32_t w) {
    return host_pointer(e, a, a->first, (uint64_t)(s->low + (int64_t)window_start(s, w) * a->m->bytes));
}

/* Each lane's from one of two vectors; NOBODY: from any. */
static value picked(emitter *e, value a, value b, const uint32_t *from) {
    value index[CHUNK];
    for (uint32_t l = 0; l < CHUNK; l++) index[l] = jit_int(e, e->i32, from[l] == NOBODY ? l : from[l]);
    return B(e, ShuffleVector, a, b, e->L->ConstVector(index, CHUNK));
}

/* Of two windows, for the lanes whose element is in one of them; NULL: none is. */
static value load_windows(emitter *e, const access *a, const span *s, uint32_t w, uint32_t element) {
    LLVMTypeRef type = e->L->VectorType(element_type(e, a), CHUNK);
    uint32_t from[CHUNK];
    value loaded[2] = {NULL, NULL};
    for (uint32_t l = 0; l < CHUNK; l++) {
        const uint32_t at = s->at[l] + element, in = at / CHUNK;
        from[l] = NOBODY;
        if (in != w && in != w + 1) continue;
        from[l] = at - window_start(s, in) + (in - w) * CHUNK;
        if (!loaded[in - w])
            loaded[in - w] = memory_access(e, B(e, Load2, type, window_pointer(e, a, s, in)), a);
    }
    if (!loaded[0] && !loaded[1]) return NULL;
    for (uint32_t k = 0; k < 2; k++)
        if (!loaded[k]) loaded[k] = e->L->GetPoison(type);
    return picked(e, loaded[0], loaded[1], from);
}

static value load_span(emitter *e, const access *a, const span *s, uint32_t element) {
    value low = load_windows(e, a, s, 0, element),
          high = s->windows > 2 ? load_windows(e, a, s, 2, element) : NULL;
    if (!low || !high) return low ? low : high;
    uint32_t from[CHUNK];
    for (uint32_t l = 0; l < CHUNK; l++) from[l] = s->at[l] + element < 2 * CHUNK ? l : CHUNK + l;
    return picked(e, low, high, from);
}

/* By element of a window: which lane writes it, or, behind those, which lane's second one; false where two
 * do of which some may not run. */
static bool writers_of(const emitter *e, const access *a, const span *s, uint32_t w, uint32_t *from) {
    const uint32_t start = window_start(s, w);
    const bool all = !e->guard && !e->masked;
    for (uint32_t k = 0; k < CHUNK; k++) from[k] = NOBODY;
    for (uint32_t l = 0; l < CHUNK; l++)
        for (uint32_t n = 0; n < a->m->count; n++) {
            const uint32_t at = s->at[l] + n;
            if (at / CHUNK != w) continue;
            if (from[at - start] != NOBODY && !all) return false;
            from[at - start] = l + n * CHUNK;
        }
    return true;
}

/* The lanes that write each element, where they run; NULL: all elements are written. */
static value written_elements(emitter *e, const uint32_t *from) {
    uint32_t missing = 0;
    value active = jit_active(e), bits[CHUNK];
    for (uint32_t k = 0; k < CHUNK; k++) {
        bits[k] = jit_int(e, e->i1, from[k] != NOBODY);
        missing += from[k] == NOBODY;
    }
    value some = e->L->ConstVector(bits, CHUNK);
    if (!active) return missing ? some : NULL;
    value theirs = picked(e, active, active, from);
    return missing ? B(e, And, theirs, some) : theirs;
}

/* Puts the elements that have a writer into memory; the others stay as they are. */
static void store_some(emitter *e, const access *a, value x, value at, value lanes) {
    LLVMTypeRef types[] = {e->L->TypeOf(x), e->ptr};
    if (!lanes) {
        memory_access(e, e->L->BuildStore(e->at, x, at), a);
        return;
    }
    if (a->shared) { /* the block's own: nobody else writes it now */
        value old = memory_access(e, B(e, Load2, types[0], at), a);
        memory_access(e, e->L->BuildStore(e->at, B(e, Select, lanes, x, old), at), a);
        return;
    }
    value arguments[] = {x, at, jit_int(e, e->i32, a->m->bytes), lanes};
    e->L->SetMetadata(jit_intrinsic(e, "llvm.masked.store", types, 2, arguments, 4), e->tbaa, e->memory_tag);
}

static value stored_row(emitter *e, const access *a, uint32_t element) {
    value x = jit_read_row(e, jit_row(e->p, a->m->value[element].slot));
    return narrowed(e, a, x, e->L->VectorType(element_type(e, a), CHUNK));
}

static bool store_span(emitter *e, const access *a) {
    span s;
    uint32_t from[MOST_WINDOWS][CHUNK];
    if (a->shape <= SHAPE_UNIFORM || a->m->count > 2 || !find_span(e, a, &s)) return false;
    for (uint32_t w = 0; w < s.windows; w++)
        if (!writers_of(e, a, &s, w, from[w])) return false;
    value x = stored_row(e, a, 0), second = a->m->count > 1 ? stored_row(e, a, 1) : x;
    for (uint32_t w = 0; w < s.windows; w++) {
        uint32_t any = 0;
        for (uint32_t k = 0; k < CHUNK; k++) any += from[w][k] != NOBODY;
        if (any)
            store_some(e, a, picked(e, x, second, from[w]), window_pointer(e, a, &s, w),
                       written_elements(e, from[w]));
    }
    return true;
}

/* --- Any distances --- */
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

static value load_scattered(emitter *e, const access *a, uint32_t element) {
    const uint32_t length = piece_length(e, a);
    if (!length) return gather(e, a, element);
    LLVMBasicBlockRef pieces = jit_block(e), apart = jit_block(e), done = jit_block(e);
    value place = jit_place(e, e->L->VectorType(element_type(e, a), CHUNK));
    e->L->BuildCondBr(e->at, are_pieces(e, a, length), pieces, apart);
    jit_go_on_at(e, pieces);
    e->L->BuildStore(e->at, load_pieces(e, a, length), place);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, apart);
    e->L->BuildStore(e->at, gather(e, a, element), place);
    e->L->BuildBr(e->at, done);
    jit_go_on_at(e, done);
    return B(e, Load2, e->L->VectorType(element_type(e, a), CHUNK), place);
}

/* Two rows of 16 lanes. */
static bool are_halves(const run *runs, uint32_t n) {
    return n == 2 && runs[0].count == CHUNK / 2 && runs[0].row && runs[1].row;
}

static value load_half(emitter *e, const access *a, const run *r) {
    const int64_t *o = e->p->shapes.items[a->shape];
    LLVMTypeRef type = e->L->VectorType(element_type(e, a), r->count);
    return memory_access(e, B(e, Load2, type, host_pointer(e, a, a->first, (uint64_t)o[r->first])), a);
}

static value load_lanes(emitter *e, const access *a, uint32_t element) {
    run runs[MOST_RUNS];
    if (a->shape < 0) return load_scattered(e, a, element);
    uint32_t n = runs_of(e, a, runs, MOST_RUNS);
    if (are_halves(runs, n) && a->m->count == 1)
        return both_halves(e, load_half(e, a, &runs[0]), load_half(e, a, &runs[1]));
    if (n > 1 || a->m->count > 1)
        if (is_by_index(e, a)) return gather(e, a, element);
    if (n == 1 && runs[0].row && a->m->count > 1) return load_strided(e, a, element);
    bool pieces = n <= MOST_RUNS;
    for (uint32_t k = 0; pieces && k < n; k++) pieces = a->m->count == 1 || !runs[k].row;
    span s;
    if ((!pieces || n > 2) && find_span(e, a, &s) && (!pieces || n > s.windows))
        return load_span(e, a, &s, element);
    if (!pieces) return e->quick ? gather(e, a, element) : load_apart(e, a, element);
    value all = load_run(e, a, &runs[0], element);
    for (uint32_t k = 1; k < n; k++) all = joined(e, all, load_run(e, a, &runs[k], element), &runs[k]);
    return all;
}

/* Lanes of a block that is 16 or 8 threads wide are in pieces, and so are those of the next block: they lie
 * beside these. */
static void fetch_beside(emitter *e, const access *a, const run *runs, uint32_t count) {
    const int64_t *o = e->p->shapes.items[a->shape];
    for (uint32_t k = 0; k < count; k++)
        fetch(e, a, host_pointer(e, a, a->first, (uint64_t)o[runs[k].first] + BESIDE));
}

void jit_fetch_ahead(emitter *e, const access *a) {
    enum { AHEAD = 2048, SHORT = 32, PIECES = 4, FAR = 1024 };
    run runs[PIECES];
    if (e->p->of->alone && e->straight && e->p->insn_count < SHORT) return; /* there is not */
    if (a->shared || e->masked || e->quick || a->shape <= SHAPE_UNIFORM) return;
    const uint32_t count = runs_of(e, a, runs, PIECES);
    for (uint32_t k = 0; k < count && count <= PIECES; k++)
        if (!runs[k].row || runs[k].count * a->bytes < LINE / 2) return;
    if (count > 1 && count <= PIECES) {
        fetch_beside(e, a, runs, count);
        return;
    }
    const extent x = jit_extent(e, a->shape);
    if (x.high - x.low >= FAR) return;
    for (int64_t at = x.low; at <= x.high; at += LINE)
        fetch(e, a, host_pointer(e, a, a->first, AHEAD + (uint64_t)at));
}

void jit_load(emitter *e, const access *a) {
    for (uint32_t k = 0; k < a->m->count; k++) {
        const uint32_t r = jit_row(e->p, a->m->value[k].slot);
        const uint8_t width = e->p->rows.items[r].width;
        if (a->shape == SHAPE_UNIFORM) {
            value at = host_pointer(e, a, a->first, k * a->m->bytes);
            value x = memory_access(e, B(e, Load2, element_type(e, a), at), a);
            jit_write_one(e, r, widened(e, a, x, jit_scalar_type(e, width)), SHAPE_UNIFORM);
        } else if (width == 4 && is_in_words(e, a)) {
            jit_write_row(e, r, load_from_words(e, a));
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
    value zeros = jit_intrinsic(e, "llvm.ctlz", &type, 1, arguments, 2);
    value lane = B(e, And, B(e, Sub, jit_int(e, e->i32, CHUNK - 1), zeros), jit_int(e, e->i32, CHUNK - 1));
    return B(e, ExtractElement, lanes, lane);
}

static void store_one(emitter *e, const access *a, uint32_t r, uint32_t element) {
    value x = e->state[r] == SHAPE_UNIFORM ? jit_read_one(e, r) : last_running(e, jit_read_row(e, r));
    value at = host_pointer(e, a, a->first, element * a->m->bytes);
    memory_access(e, e->L->BuildStore(e->at, narrowed(e, a, x, element_type(e, a)), at), a);
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

static void scatter_anywhere(emitter *e, const access *a, value x, uint32_t element) {
    LLVMTypeRef types[] = {e->L->TypeOf(x), e->L->VectorType(e->ptr, CHUNK)};
    const bool by_index = is_by_index(e, a);
    value active = by_index ? jit_active(e) : NULL,
          at = by_index ? indexed_pointers(e, a, element) : pointers(e, a, element);
    value arguments[] = {x, at, jit_int(e, e->i32, a->m->bytes), active ? active : all_lanes(e)};
    e->L->SetMetadata(jit_intrinsic(e, "llvm.masked.scatter", types, 2, arguments, 4), e->tbaa,
                      e->memory_tag);
}

static void scatter(emitter *e, const access *a, value x, uint32_t element) {
    const uint32_t length = piece_length(e, a);
    if (length) {
        LLVMBasicBlockRef pieces = jit_block(e), apart = jit_block(e), done = jit_block(e);
        e->L->BuildCondBr(e->at, are_pieces(e, a, length), pieces, apart);
        jit_go_on_at(e, pieces);
        store_pieces(e, a, x, length);
        e->L->BuildBr(e->at, done);
        jit_go_on_at(e, apart);
        scatter_anywhere(e, a, x, element);
        e->L->BuildBr(e->at, done);
        jit_go_on_at(e, done);
        return;
    }
    if (a->shape >= 0 && !jit_active(e) && !e->quick) {
        store_apart(e, a, x, element);
        return;
    }
    scatter_anywhere(e, a, x, element);
}

void jit_store(emitter *e, const access *a) {
    enum { FEW = 4 };
    run runs[FEW];
    const uint32_t n = a->shape > SHAPE_UNIFORM && a->m->count == 1 ? runs_of(e, a, runs, FEW) : 0;
    if (n > 1 && n <= FEW && store_runs(e, a, stored_row(e, a, 0))) return;
    if (!(is_by_index(e, a) && n != 1) && store_span(e, a)) return;
    if (n > FEW && store_runs(e, a, stored_row(e, a, 0))) return;
    for (uint32_t k = 0; k < a->m->count; k++) {
        if (a->shape == SHAPE_UNIFORM)
            store_one(e, a, jit_row(e->p, a->m->value[k].slot), k);
        else
            scatter(e, a, stored_row(e, a, k), k);
    }
}
#endif
