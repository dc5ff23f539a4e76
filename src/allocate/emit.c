/* The code that spilling adds (003 §4, Figure 18): loads, stores and computations, as lines of PTX.
 *
 *     rule    value again                          value saved
 *     (i)     v = c                                –
 *     (ii)    v = shared[x]                        shared[x] = v
 *     (iii)   v = c1·T + c2                        –
 *     (iv)    t = shared[x]; v = c·T + t           t = v − c·T; shared[x] = t
 *     else    v = local[x]                         local[x] = v
 *
 * A warp's slots start at base = depot + stride · (number of the warp in the block), in a register from the
 * kernel's first instruction on. */
#include "allocate/private.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#define LOCAL_DEPOT  "__lockstep_spill_local"
#define SHARED_DEPOT "__lockstep_spill_shared"

static void put_line(emitter *e, const char *line, size_t length) {
    ls_ptx_stmt stmt = {.kind = LS_STMT_RAW};
    stmt.text = ls_arena_strndup(e->arena, line, length);
    LS_VEC_PUSH(&e->stmts, stmt);
    e->added += line[0] == '\t';
}

void ls_emit(emitter *e, const char *format, ...) {
    char line[256];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    assert(length > 0 && (size_t)length < sizeof line);
    put_line(e, line, (size_t)length);
}

/* --- Names -----------------------------------------------------------------------------------------------
 */
typedef struct {
    uint32_t bits;
    char letter;
} register_class;

static const register_class classes[] = {{1, 'p'}, {16, 'h'}, {32, 's'}, {64, 'd'}, {128, 'q'}};

static char letter_of(uint32_t bits) {
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].bits == bits) return classes[i].letter;
    return 's';
}

typedef struct {
    char text[16];
} name;

/* Numbers of names and slots: printf would be half of the time that rewriting takes. */
static char *put_number(char *at, uint32_t number) {
    char digits[12];
    int count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count) *at++ = digits[--count];
    *at = 0;
    return at;
}

static name name_of(uint32_t bits, uint32_t word) {
    name out = {{'%', letter_of(bits)}};
    put_number(out.text + 2, word);
    return out;
}

void ls_word_name(uint32_t bits, uint32_t word, char out[16]) {
    memcpy(out, name_of(bits, word).text, sizeof(name));
}

/* --- Addresses -------------------------------------------------------------------------------------------
 */
typedef struct {
    char text[64];
} address;

static address slot_of(const job *j, const web *w) {
    address out;
    char *at = out.text;
    *at++ = '[';
    if (ls_in_shared(w) && j->base_word != NONE)
        at = stpcpy(at, name_of(32, j->base_word).text);
    else
        at = stpcpy(at, ls_in_shared(w) ? SHARED_DEPOT : LOCAL_DEPOT);
    *at++ = '+';
    at = put_number(at, w->slot);
    at[0] = ']';
    at[1] = 0;
    return out;
}

/* ptxas would keep in registers what it sees stored and loaded again; local memory has no volatile access. */
static const char *space_of(const job *j, const web *w) {
    if (!ls_in_shared(w)) return "local";
    return j->volatile_slots ? "volatile.shared" : "shared";
}

/* --- Polynomials -----------------------------------------------------------------------------------------
 */
typedef struct {
    const char *first, *second; /* second NULL: of degree one */
} factors;

#define SREG_X "%tid.x"
#define SREG_Y "%tid.y"
#define SREG_Z "%tid.z"
#define SREG_L "%laneid"

static const factors factors_of[LS_MONO_COUNT] = {
    [LS_MONO_X] = {SREG_X, NULL},    [LS_MONO_Y] = {SREG_Y, NULL},    [LS_MONO_Z] = {SREG_Z, NULL},
    [LS_MONO_L] = {SREG_L, NULL},    [LS_MONO_XX] = {SREG_X, SREG_X}, [LS_MONO_XY] = {SREG_X, SREG_Y},
    [LS_MONO_XZ] = {SREG_X, SREG_Z}, [LS_MONO_XL] = {SREG_X, SREG_L}, [LS_MONO_YY] = {SREG_Y, SREG_Y},
    [LS_MONO_YZ] = {SREG_Y, SREG_Z}, [LS_MONO_YL] = {SREG_Y, SREG_L}, [LS_MONO_ZZ] = {SREG_Z, SREG_Z},
    [LS_MONO_ZL] = {SREG_Z, SREG_L}, [LS_MONO_LL] = {SREG_L, SREG_L},
};

/* The monomial's value, in `to` or in the register that is kept for threadIdx.x; `other` is for a product. */
static name emit_monomial(const job *j, emitter *e, uint32_t monomial, name to, name other) {
    const factors *f = &factors_of[monomial];
    if (monomial == LS_MONO_X && j->tid_word != NONE) return name_of(32, j->tid_word);
    ls_emit(e, "\tmov.u32\t%s, %s;", to.text, f->first);
    if (!f->second) return to;
    bool square = f->first == f->second;
    if (!square) ls_emit(e, "\tmov.u32\t%s, %s;", other.text, f->second);
    ls_emit(e, "\tmul.lo.s32\t%s, %s, %s;", to.text, to.text, square ? to.text : other.text);
    return to;
}

/* to = c · id + sum. */
static void emit_term(emitter *e, const char *op, const char *to, const char *id, int64_t c,
                      const char *sum) {
    bool narrow = strcmp(op, "mad.wide.s32") != 0;
    bool plain = narrow && c == 1;
    if (plain && !strcmp(sum, "0")) {
        if (strcmp(to, id)) ls_emit(e, "\tmov.b32\t%s, %s;", to, id);
    } else if (plain) {
        ls_emit(e, "\tadd.s32\t%s, %s, %s;", to, id, sum);
    } else {
        ls_emit(e, "\t%s\t%s, %s, %" PRId64 ", %s;", op, to, id, c, sum);
    }
}

/* to = sum ± Σ terms, where `sum` is a register or a constant. Words: t and u for identifiers; the first term
 * of 32 bits may use `to` itself, which is not `sum` then. */
static void emit_terms(const job *j, emitter *e, const web *w, name to, const char *sum, int64_t sign, name t,
                       name u) {
    bool wide = w->bits == 64;
    const char *op = wide ? "mad.wide.s32" : "mad.lo.s32";
    for (uint32_t i = 0; i < w->poly.count; i++) {
        bool in_place = !wide && i == 0 && strcmp(sum, to.text) != 0;
        bool square = factors_of[w->poly.monomials[i]].first == factors_of[w->poly.monomials[i]].second;
        bool single = square || !factors_of[w->poly.monomials[i]].second;
        name id = emit_monomial(j, e, w->poly.monomials[i], in_place ? to : t, in_place && !single ? t : u);
        int64_t c = sign * w->poly.coefficients[i];
        if (!wide) c = (int32_t)(uint32_t)(uint64_t)c;
        emit_term(e, op, to.text, id.text, c, i ? to.text : sum);
    }
}

static void emit_constant(emitter *e, uint32_t bits, name to, int64_t value) {
    uint64_t cut = bits >= 64 ? (uint64_t)value : (uint64_t)value & ((UINT64_C(1) << bits) - 1);
    if (bits == 1)
        ls_emit(e, "\tsetp.eq.u32\t%s, 0, %d;", to.text, cut ? 0 : 1);
    else
        ls_emit(e, "\tmov.b%u\t%s, 0x%" PRIx64 ";", bits, to.text, cut);
}

/* "ld.shared.b32 to, [slot];" and "st.shared.b32 [slot], from;". */
static void emit_access(const job *j, emitter *e, const web *w, uint32_t bits, const char *reg, bool is_store,
                        const char *guard) {
    char line[192], *at = line;
    address slot = slot_of(j, w);
    *at++ = '\t';
    at = stpcpy(at, guard ? guard : "");
    at = stpcpy(at, is_store ? "st." : "ld.");
    at = stpcpy(at, space_of(j, w));
    at = put_number(stpcpy(at, ".b"), bits);
    *at++ = '\t';
    at = stpcpy(at, is_store ? slot.text : reg);
    at = stpcpy(at, ", ");
    at = stpcpy(at, is_store ? reg : slot.text);
    at = stpcpy(at, ";");
    put_line(e, line, (size_t)(at - line));
}

/* --- Values again, and values saved ----------------------------------------------------------------------
 */
void ls_emit_reload(job *j, emitter *e, const web *w, uint32_t word, const helpers *h) {
    name to = name_of(w->bits, word), t = name_of(32, h->narrow_words[0]),
         u = name_of(32, h->narrow_words[1]);
    j->out->loads[w->place]++;
    if (w->place == LS_PLACE_CONSTANT) {
        emit_constant(e, w->bits, to, w->poly.constant);
    } else if (w->place == LS_PLACE_AFFINE) {
        char sum[32];
        int64_t constant = w->bits == 32 ? (int32_t)(uint32_t)(uint64_t)w->poly.constant : w->poly.constant;
        snprintf(sum, sizeof sum, "%" PRId64, constant);
        emit_terms(j, e, w, to, sum, 1, t, u);
    } else if (w->bits == 1) {
        emit_access(j, e, w, 32, t.text, false, NULL);
        ls_emit(e, "\tsetp.ne.s32\t%s, %s, 0;", to.text, t.text);
    } else {
        emit_access(j, e, w, w->bits, to.text, false, NULL);
        if (w->place == LS_PLACE_AFFINE_SHARED) emit_terms(j, e, w, to, to.text, 1, t, u);
    }
}

void ls_emit_store(job *j, emitter *e, const web *w, uint32_t word, const helpers *h, const char *guard) {
    j->out->stores[w->place]++;
    if (w->place == LS_PLACE_CONSTANT || w->place == LS_PLACE_AFFINE) return;
    name from = name_of(w->bits, word);
    uint32_t bits = w->bits;
    if (w->bits == 1) {
        name t = name_of(32, h->narrow_words[0]);
        ls_emit(e, "\tselp.b32\t%s, 1, 0, %s;", t.text, from.text);
        from = t;
        bits = 32;
    } else if (w->place == LS_PLACE_AFFINE_SHARED) {
        bool wide = w->bits == 64;
        name to = wide ? name_of(64, h->wide_word) : name_of(32, h->narrow_words[0]);
        name t = name_of(32, h->narrow_words[wide ? 0 : 1]), u = name_of(32, h->narrow_words[wide ? 1 : 2]);
        emit_terms(j, e, w, to, from.text, -1, t, u);
        from = to;
    }
    emit_access(j, e, w, bits, from.text, true, guard);
}

/* --- The kernel's first instructions, and declarations ----------------------------------------------------
 */

/* base = depot + stride · (linear thread index / 32). Nothing is live yet: every other word is free. */
static void emit_base(job *j, emitter *e) {
    name base = name_of(32, j->base_word), t = name_of(32, 0), u = name_of(32, 1);
    bool flat = j->block[0] && j->block[1] == 1 && j->block[2] == 1;
    if (!flat) {
        ls_emit(e, "\tmov.u32\t%s, %%tid.z;", base.text);
        ls_emit(e, "\tmov.u32\t%s, %%ntid.y;", t.text);
        ls_emit(e, "\tmov.u32\t%s, %%tid.y;", u.text);
        ls_emit(e, "\tmad.lo.u32\t%s, %s, %s, %s;", base.text, base.text, t.text, u.text);
        ls_emit(e, "\tmov.u32\t%s, %%ntid.x;", t.text);
        ls_emit(e, "\tmov.u32\t%s, %%tid.x;", u.text);
        ls_emit(e, "\tmad.lo.u32\t%s, %s, %s, %s;", base.text, base.text, t.text, u.text);
    } else {
        ls_emit(e, "\tmov.u32\t%s, %%tid.x;", base.text);
    }
    ls_emit(e, "\tshr.u32\t%s, %s, 5;", base.text, base.text);
    ls_emit(e, "\tmov.u32\t%s, " SHARED_DEPOT ";", t.text);
    ls_emit(e, "\tmad.lo.u32\t%s, %s, %u, %s;", base.text, base.text, j->shared_stride, t.text);
}

/* One store whose place is not known before the kernel runs keeps ptxas from taking the depot apart. */
static void emit_launder(emitter *e) {
    name t = name_of(32, 0), u = name_of(32, 1);
    ls_emit(e, "\tmov.u32\t%s, %%tid.x;", t.text);
    ls_emit(e, "\tand.b32\t%s, %s, 1;", t.text, t.text);
    ls_emit(e, "\tmov.u32\t%s, " LOCAL_DEPOT ";", u.text);
    ls_emit(e, "\tmad.lo.u32\t%s, %s, 4, %s;", u.text, t.text, u.text);
    ls_emit(e, "\tst.local.b32\t[%s], %s;", u.text, t.text);
}

void ls_emit_setup(job *j, emitter *e) {
    if (j->options->keep_spills && j->local_bytes) emit_launder(e);
    if (j->base_word != NONE && j->shared_stride) emit_base(j, e);
    if (j->tid_word != NONE) ls_emit(e, "\tmov.u32\t%s, %%tid.x;", name_of(32, j->tid_word).text);
}

void ls_emit_declarations(job *j, emitter *e, uint32_t used) {
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const register_class *c = &classes[i];
        bool always = c->bits == 32;
        if (!(used >> i & 1) && !always) continue;
        if (c->bits == 1)
            ls_emit(e, ".reg .pred %%p<%u>;", j->predicates);
        else
            ls_emit(e, ".reg .b%u %%%c<%u>;", c->bits, c->letter, j->words);
    }
    uint32_t local = j->local_bytes < 8 ? 8 : j->local_bytes;
    if (j->local_bytes) ls_emit(e, ".local .align 16 .b8 " LOCAL_DEPOT "[%u];", local);
    if (j->shared_stride)
        ls_emit(e, ".shared .align 8 .b8 " SHARED_DEPOT "[%u];", j->shared_stride * j->warps);
}

uint32_t ls_class_bit(uint32_t bits) {
    for (uint32_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (classes[i].bits == bits) return 1u << i;
    return 0;
}
