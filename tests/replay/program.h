/* Random small kernels of what is easily got wrong: scopes, strong accesses, releases, fences, atomic
 * operations of several sizes, barriers that some go round, barriers of a part of the block, early returns,
 * operations of lanes with masks, arithmetic that wraps around, traps. A kernel is made as a program first:
 * statements, of which its PTX is written (program_emit), and which tests/replay/reference.h executes in its
 * own way. Nothing that is loaded decides where a thread goes or what it accesses; such kernels are in
 * tests/replay/messages.h. */
#ifndef LS_TESTS_REPLAY_PROGRAM_H
#define LS_TESTS_REPLAY_PROGRAM_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

enum { MOST_STATEMENTS = 48, ROUNDS = 3, REGISTERS = 320, BUFFER_BYTES = 8192 };

typedef struct {
    uint64_t state;
} dice;

static inline uint32_t draw(dice *d, uint32_t below) {
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return (uint32_t)(d->state >> 33) % below;
}

static inline dice dice_of(uint64_t seed) {
    dice d = {seed * UINT64_C(0x9E3779B97F4A7C15) + 1};
    for (int i = 0; i < 8; i++) draw(&d, 2);
    return d;
}

/* --- Numbers that a thread knows --- */
typedef enum { OF_THREAD, OF_BLOCK, OF_GRID, OF_ROUND, OF_PARAMETER, OF_NOTHING } source;

typedef struct {
    uint32_t thread, block, size, round, parameter;
} place;

static inline uint32_t source_value(source s, const place *at) {
    const uint32_t values[] = {at->thread, at->block, at->block * at->size + at->thread, at->round,
                               at->parameter};
    return s == OF_NOTHING ? 0 : values[s];
}

typedef enum { INDEX_IS, INDEX_HALF, INDEX_XOR, INDEX_PLUS, INDEX_HIGH, INDEX_LOW, INDEX_REST } index_kind;
typedef struct {
    index_kind kind;
    source of;
    uint32_t factor, number;
} index_of;

static inline uint32_t index_value(const index_of *i, const place *at) {
    const uint32_t v = source_value(i->of, at);
    switch (i->kind) {
    case INDEX_HALF: return v >> 1;
    case INDEX_XOR: return v ^ i->number;
    case INDEX_PLUS: return v + i->number;
    case INDEX_HIGH: return (v * i->factor) >> i->number;
    case INDEX_LOW: return (v * i->factor) & i->number;
    case INDEX_REST: return ((v ^ 2166136261u) * i->factor) % i->number;
    default: return i->of == OF_NOTHING ? i->number : v;
    }
}

typedef enum { IS_LESS, IS_NOT_LESS, IS_EQUAL, IS_OTHER } relation;
typedef struct {
    source left, right; /* right: OF_NOTHING, the number */
    uint32_t mask;      /* of the left side */
    relation is;
    uint32_t number;
} condition;

static inline bool condition_holds(const condition *c, const place *at) {
    const uint32_t a = source_value(c->left, at) & c->mask,
                   b = c->right == OF_NOTHING ? c->number : source_value(c->right, at);
    return c->is == IS_LESS ? a < b : c->is == IS_NOT_LESS ? a >= b : c->is == IS_EQUAL ? a == b : a != b;
}

/* --- Statements --- */
typedef enum { READS, WRITES, ADDS, EXCHANGES, REDUCES } operation;
typedef enum { WEAK, VOLATILE, RELAXED, ACQUIRE, RELEASE, ACQ_REL } strength;
typedef enum { CTA, GPU, SYS } scope;
typedef struct {
    operation does;
    strength strong;
    scope scope;
    int object; /* 0, 1: buffers in global memory; 2: in shared memory */
    uint32_t bytes;
    index_of index;
    source value;
    uint32_t number; /* where the value is OF_NOTHING */
} memory_access;

typedef enum { DO_ACCESS, DO_BARRIER, DO_MEET, DO_VOTE, DO_FENCE, DO_RETURN, DO_TRAP, DO_IF, DO_LOOP } what;
typedef struct {
    what does;
    condition when; /* of DO_RETURN, DO_TRAP, DO_IF; of DO_LOOP: it is left behind its body */
    memory_access access;
    uint32_t mask;      /* of lanes */
    uint32_t id, count; /* of a barrier; count 0: of all threads */
    bool unaligned;     /* barrier.sync */
    scope scope;        /* of a fence */
    uint32_t end;       /* of DO_IF, DO_LOOP: the first statement behind its body */
} statement;

typedef struct {
    statement statements[MOST_STATEMENTS];
    uint32_t count, block, grid;
} program;

/* --- Drawing one --- */
static inline index_of draw_index(dice *d, bool in_loop) {
    static const uint32_t factors[] = {2654435761u, 16777619u, 1664525u, 2, 3};
    index_of i = {.kind = INDEX_IS, .of = (source)draw(d, in_loop ? 4 : 3)};
    switch (draw(d, 10)) {
    case 0: return (index_of){.kind = INDEX_IS, .of = OF_NOTHING, .number = draw(d, 4)};
    case 1: i.kind = INDEX_HALF; break;
    case 2: i.kind = INDEX_XOR, i.number = 1 + draw(d, 3); break;
    case 3: i.kind = INDEX_PLUS, i.number = draw(d, 3); break;
    case 4: i.kind = INDEX_HIGH, i.factor = factors[draw(d, 3)], i.number = 26 + draw(d, 2); break;
    case 5: i.kind = INDEX_LOW, i.factor = factors[draw(d, 5)], i.number = draw(d, 2) ? 31 : 63; break;
    case 6: i.kind = INDEX_REST, i.factor = factors[draw(d, 3)], i.number = draw(d, 2) ? 101 : 61; break;
    default: break;
    }
    return i;
}

static inline condition draw_condition(dice *d, bool in_loop) {
    condition c = {.left = (source)draw(d, 3), .right = OF_NOTHING, .mask = UINT32_MAX};
    if (!draw(d, 5)) c.left = OF_PARAMETER;
    if (!draw(d, 8)) c.mask = draw(d, 2) ? 31 : 1;
    c.is = (relation)draw(d, 4);
    c.number = draw(d, 2) ? 16 * (1 + draw(d, 4)) : draw(d, 40);
    if (in_loop && !draw(d, 3)) c.right = OF_ROUND;
    return c;
}

static inline memory_access draw_access(dice *d, bool in_loop) {
    static const uint32_t sizes[] = {4, 4, 4, 4, 4, 8, 8, 2, 1};
    memory_access a = {.object = draw(d, 2) ? 2 : (int)draw(d, 2), .bytes = sizes[draw(d, 9)]};
    a.scope = (scope)draw(d, 3);
    switch (draw(d, 12)) {
    case 0: a.does = ADDS, a.strong = (strength)(RELAXED + draw(d, 4)); break;
    case 1: a.does = REDUCES, a.strong = draw(d, 2) ? RELAXED : RELEASE; break;
    case 2: a.does = EXCHANGES, a.strong = (strength)(RELAXED + draw(d, 4)); break;
    case 3: a.does = WRITES, a.strong = draw(d, 3) ? RELAXED : RELEASE; break;
    case 4: a.does = READS, a.strong = draw(d, 3) ? RELAXED : ACQUIRE; break;
    case 5: a.does = WRITES, a.strong = VOLATILE; break;
    case 6: a.does = READS, a.strong = VOLATILE; break;
    case 7:
    case 8: a.does = READS; break;
    default: a.does = WRITES; break;
    }
    if (a.does >= ADDS && a.bytes < 4) a.bytes = 4;
    a.index = draw_index(d, in_loop);
    a.value = (source)draw(d, in_loop ? 4 : 3);
    if (!draw(d, 3)) a.value = OF_NOTHING, a.number = draw(d, 2);
    return a;
}

static inline statement draw_barrier(dice *d) {
    statement s = {.does = DO_BARRIER, .id = draw(d, 6) ? 0 : 1, .unaligned = !draw(d, 12)};
    if (!draw(d, 8)) s.count = 32 * (1 + draw(d, 2)), s.id = 2 + draw(d, 2);
    return s;
}

static inline statement draw_lanes(dice *d) {
    static const uint32_t masks[] = {UINT32_MAX, UINT32_MAX, 0xffff, 0xffff0000, 0x55555555};
    return (statement){.does = draw(d, 2) ? DO_MEET : DO_VOTE, .mask = masks[draw(d, 5)]};
}

static inline void draw_statements(program *p, dice *d, uint32_t count, uint32_t depth, bool in_loop);

static inline void draw_statement(program *p, dice *d, uint32_t depth, bool in_loop) {
    if (p->count + 4 >= MOST_STATEMENTS) return;
    statement *s = &p->statements[p->count++];
    const uint32_t kind = draw(d, depth < 2 ? 14 : 9);
    switch (kind) {
    case 0:
    case 1: *s = draw_barrier(d); break;
    case 2: *s = draw_lanes(d); break;
    case 3:
        *s = (statement){.does = DO_FENCE, .scope = (scope)draw(d, 3)};
        if (draw(d, 3)) *s = (statement){.does = DO_ACCESS, .access = draw_access(d, in_loop)};
        break;
    case 9: *s = (statement){.does = DO_RETURN, .when = draw_condition(d, in_loop)}; break;
    case 10:
        *s = (statement){.does = draw(d, 4) ? DO_RETURN : DO_TRAP, .when = draw_condition(d, in_loop)};
        break;
    case 11:
    case 12:
        *s = (statement){.does = DO_IF, .when = draw_condition(d, in_loop)};
        draw_statements(p, d, 1 + draw(d, 2), depth + 1, in_loop);
        s->end = p->count;
        break;
    case 13:
        if (!in_loop) {
            *s = (statement){.does = DO_LOOP, .when = draw_condition(d, true)};
            draw_statements(p, d, 1 + draw(d, 3), 1, true);
            s->end = p->count;
            break;
        }
        /* fall through */
    default: *s = (statement){.does = DO_ACCESS, .access = draw_access(d, in_loop)}; break;
    }
}

static inline void draw_statements(program *p, dice *d, uint32_t count, uint32_t depth, bool in_loop) {
    for (uint32_t i = 0; i < count; i++) draw_statement(p, d, depth, in_loop);
}

static inline program program_draw(uint64_t seed) {
    dice d = dice_of(seed);
    program p = {.block = draw(&d, 3) ? 64 : 40, .grid = 1 + draw(&d, 2)};
    draw_statements(&p, &d, 2 + draw(&d, 5), 0, false);
    return p;
}

/* --- As PTX --- */
typedef struct {
    ls_buf out;
    uint32_t next; /* register */
} emitter;

static const char *const source_names[] = {"%thread", "%block", "%all", "%round", "%n"};
static const char *const scope_names[] = {"cta", "gpu", "sys"};

static inline uint32_t emit_index(emitter *e, const index_of *i) {
    uint32_t r = e->next++;
    const char *from = i->of == OF_NOTHING ? "" : source_names[i->of];
    switch (i->kind) {
    case INDEX_HALF: ls_buf_printf(&e->out, "shr.u32 %%r%u, %s, 1;\n", r, from); break;
    case INDEX_XOR: ls_buf_printf(&e->out, "xor.b32 %%r%u, %s, %u;\n", r, from, i->number); break;
    case INDEX_PLUS: ls_buf_printf(&e->out, "add.u32 %%r%u, %s, %u;\n", r, from, i->number); break;
    case INDEX_HIGH:
        ls_buf_printf(&e->out, "mul.lo.u32 %%r%u, %s, %u;\nshr.u32 %%r%u, %%r%u, %u;\n", r, from, i->factor,
                      r, r, i->number);
        break;
    case INDEX_LOW:
        ls_buf_printf(&e->out, "mul.lo.u32 %%r%u, %s, %u;\nand.b32 %%r%u, %%r%u, %u;\n", r, from, i->factor,
                      r, r, i->number);
        break;
    case INDEX_REST:
        ls_buf_printf(&e->out, "xor.b32 %%r%u, %s, 2166136261;\nmul.lo.u32 %%r%u, %%r%u, %u;\n", r, from, r,
                      r, i->factor);
        ls_buf_printf(&e->out, "rem.u32 %%r%u, %%r%u, %u;\n", r, r, i->number);
        break;
    default:
        if (i->of == OF_NOTHING)
            ls_buf_printf(&e->out, "mov.u32 %%r%u, %u;\n", r, i->number);
        else
            ls_buf_printf(&e->out, "mov.u32 %%r%u, %s;\n", r, from);
    }
    return r;
}

/* In %pN. */
static inline void emit_condition(emitter *e, const condition *c, int p) {
    static const char *const relations[] = {"lt", "ge", "eq", "ne"};
    uint32_t r = e->next++;
    ls_buf_printf(&e->out, "and.b32 %%r%u, %s, %u;\n", r, source_names[c->left], c->mask);
    ls_buf_printf(&e->out, "setp.%s.u32 %%p%d, %%r%u, ", relations[c->is], p, r);
    if (c->right == OF_NOTHING)
        ls_buf_printf(&e->out, "%u;\n", c->number);
    else
        ls_buf_printf(&e->out, "%s;\n", source_names[c->right]);
}

/* ".relaxed.gpu" and the like. */
static inline void emit_order(emitter *e, const memory_access *a) {
    static const char *const orders[] = {"", ".volatile", ".relaxed", ".acquire", ".release", ".acq_rel"};
    ls_buf_puts(&e->out, orders[a->strong]);
    if (a->strong >= RELAXED) ls_buf_printf(&e->out, ".%s", scope_names[a->scope]);
}

static inline void emit_access(emitter *e, const memory_access *a) {
    static const char *const names[] = {"ld", "st", "atom", "atom", "red"};
    static const char *const kinds[] = {"", "", ".add", ".exch", ".add"};
    const uint32_t i = emit_index(e, &a->index), at = e->next++, v = e->next++, bits = 8 * a->bytes;
    const char type = a->does == EXCHANGES ? 'b' : 'u', reg = a->bytes == 8 ? 'd' : 'r';
    ls_buf_printf(&e->out, "mul.wide.u32 %%d%u, %%r%u, %u;\nadd.s64 %%d%u, %%d%u, %%base%d;\n", at, i,
                  a->bytes, at, at, a->object);
    if (a->value == OF_NOTHING)
        ls_buf_printf(&e->out, "mov.u32 %%r%u, %u;\n", v, a->number);
    else
        ls_buf_printf(&e->out, "mov.u32 %%r%u, %s;\n", v, source_names[a->value]);
    if (a->bytes == 8) ls_buf_printf(&e->out, "cvt.u64.u32 %%d%u, %%r%u;\n", v, v);
    ls_buf_puts(&e->out, names[a->does]);
    emit_order(e, a);
    ls_buf_printf(&e->out, ".%s%s.%c%u ", a->object == 2 ? "shared" : "global", kinds[a->does], type, bits);
    if (a->does == READS)
        ls_buf_printf(&e->out, "%%%c%u, [%%d%u];\n", reg, v, at);
    else if (a->does == ADDS || a->does == EXCHANGES)
        ls_buf_printf(&e->out, "%%%c%u, [%%d%u], %%%c%u;\n", reg, e->next++, at, reg, v);
    else
        ls_buf_printf(&e->out, "[%%d%u], %%%c%u;\n", at, reg, v);
}

static inline void emit_statement(emitter *e, const program *p, uint32_t *n);

/* Whether there is another round: by an order, by the number that ends it, or by one that counts down; by
 * where the loop stands. */
static inline void emit_another_round(emitter *e, uint32_t at, uint32_t left) {
    if (at % 3 == 0) ls_buf_printf(&e->out, "setp.lt.u32 %%p2, %%round, %d;\n", (int)ROUNDS);
    if (at % 3 == 1) ls_buf_printf(&e->out, "setp.ne.u32 %%p2, %%round, %d;\n", (int)ROUNDS);
    if (at % 3 == 2)
        ls_buf_printf(&e->out, "sub.u32 %%r%u, %%r%u, 2;\nsetp.ne.u32 %%p2, %%r%u, 0;\n", left, left, left);
}

static inline void emit_loop(emitter *e, const program *p, uint32_t at) {
    const statement *s = &p->statements[at];
    const uint32_t left = e->next++;
    ls_buf_printf(&e->out, "mov.u32 %%round, 0;\nmov.u32 %%r%u, %d;\nL%u:\n", left, 2 * ROUNDS, at);
    for (uint32_t n = at + 1; n < s->end;) emit_statement(e, p, &n);
    emit_condition(e, &s->when, 1);
    ls_buf_printf(&e->out, "@%%p1 bra E%u;\nadd.u32 %%round, %%round, 1;\n", at);
    emit_another_round(e, at, left);
    ls_buf_printf(&e->out, "@%%p2 bra L%u;\nE%u:\n", at, at);
}

/* One of the operations of lanes that order no memory, by where it stands. */
static inline void emit_vote(emitter *e, const statement *s, uint32_t at) {
    static const char *const before[] = {"vote.sync.ballot.b32", "redux.sync.add.u32", "match.any.sync.b32",
                                         "shfl.sync.bfly.b32"};
    static const char *const behind[] = {"%p0", "%thread", "%thread", "%thread, 1, 31"};
    ls_buf_printf(&e->out, "%s %%r%u, %s, 0x%x;\n", before[at % 4], e->next++, behind[at % 4], s->mask);
}

static inline void emit_statement(emitter *e, const program *p, uint32_t *n) {
    const uint32_t at = (*n)++;
    const statement *s = &p->statements[at];
    switch (s->does) {
    case DO_ACCESS: emit_access(e, &s->access); break;
    case DO_BARRIER:
        ls_buf_printf(&e->out, "%s %u", s->unaligned ? "barrier.sync" : "bar.sync", s->id);
        if (s->count) ls_buf_printf(&e->out, ", %u", s->count);
        ls_buf_puts(&e->out, ";\n");
        break;
    case DO_MEET: ls_buf_printf(&e->out, "bar.warp.sync 0x%x;\n", s->mask); break;
    case DO_VOTE: emit_vote(e, s, at); break;
    case DO_FENCE: ls_buf_printf(&e->out, "fence.acq_rel.%s;\n", scope_names[s->scope]); break;
    case DO_RETURN:
        emit_condition(e, &s->when, 1);
        ls_buf_puts(&e->out, "@%p1 ret;\n");
        break;
    case DO_TRAP:
        emit_condition(e, &s->when, 1);
        ls_buf_puts(&e->out, "@%p1 trap;\n");
        break;
    case DO_IF:
        emit_condition(e, &s->when, 1);
        ls_buf_printf(&e->out, "@!%%p1 bra J%u;\n", at);
        while (*n < s->end) emit_statement(e, p, n);
        ls_buf_printf(&e->out, "J%u:\n", at);
        break;
    case DO_LOOP:
        emit_loop(e, p, at);
        *n = s->end;
        break;
    }
}

/* The last store is where all ways that do not leave the kernel meet. */
static inline char *program_emit(const program *p) {
    emitter e = {0};
    ls_buf_printf(&e.out,
                  ".version 8.0\n.target sm_80\n.address_size 64\n"
                  ".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 last, .param .u32 n) {\n"
                  ".shared .align 8 .b8 s[%d];\n.reg .pred %%p<4>; .reg .b32 %%r<%d>; .reg .b64 %%d<%d>;\n"
                  ".reg .b32 %%thread, %%block, %%all, %%round, %%n, %%size; .reg .b64 %%base<4>;\n",
                  (int)BUFFER_BYTES, (int)REGISTERS, (int)REGISTERS);
    ls_buf_puts(&e.out, "ld.param.u64 %base0, [p];\nld.param.u64 %base1, [q];\nld.param.u64 %base3, [last];\n"
                        "ld.param.u32 %n, [n];\ncvta.to.global.u64 %base0, %base0;\n"
                        "cvta.to.global.u64 %base1, %base1;\ncvta.to.global.u64 %base3, %base3;\n"
                        "mov.u64 %base2, s;\nmov.u32 %thread, %tid.x;\nmov.u32 %block, %ctaid.x;\n"
                        "mov.u32 %size, %ntid.x;\nmad.lo.u32 %all, %block, %size, %thread;\n"
                        "mov.u32 %round, 0;\nsetp.gt.u32 %p0, %thread, 3;\n");
    for (uint32_t n = 0; n < p->count;) emit_statement(&e, p, &n);
    ls_buf_puts(&e.out, "st.global.u32 [%base3], 1;\nret;\n}\n");
    return e.out.text;
}

#endif
