/* Hostile modules, made from a stream of choices (hostile.h). */
#include "hostile.h"

#include <string.h>

uint32_t hostile_byte(hostile *m) {
    return m->at < m->end ? *m->at++ : 0;
}

uint32_t hostile_pick(hostile *m, uint32_t count) {
    return hostile_byte(m) % count;
}

static const char *word(hostile *m, const char *const *words, uint32_t count) {
    return words[hostile_pick(m, count)];
}
#define WORD(m, ...)                                                                                         \
    word(m, (const char *const[]){__VA_ARGS__}, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *))

/* 2^k and its neighbours, small numbers, limits. */
uint64_t hostile_number(hostile *m) {
    static const uint64_t limits[] = {48 * 1024, 227 * 1024, 232448, 65536, 524288,
                                      32764,     4096,       1024,   65535, 288};
    switch (hostile_pick(m, 4)) {
    case 0: return hostile_byte(m);
    case 1: return limits[hostile_pick(m, sizeof limits / sizeof *limits)] + hostile_byte(m) % 3 - 1;
    case 2: return hostile_byte(m) * 4;
    default: return (UINT64_C(1) << hostile_pick(m, 64)) + hostile_byte(m) % 5 - 2;
    }
}

/* Few at a time are beyond a limit: a module is refused for one of them, and the others are not looked at. */
static void put_size(hostile *m) {
    if (hostile_pick(m, 24)) {
        ls_buf_printf(&m->out, "[%u]", 1 + hostile_byte(m));
        return;
    }
    uint32_t dimensions = hostile_pick(m, 4) ? 1 : hostile_pick(m, 3);
    for (uint32_t k = 0; k < dimensions; k++)
        ls_buf_printf(&m->out, "[%llu]",
                      (unsigned long long)hostile_number(m) >> (hostile_pick(m, 2) ? 0 : 40));
}

static void put_align(hostile *m) {
    if (!hostile_pick(m, 2))
        ls_buf_printf(&m->out, ".align %llu ", 1ull << hostile_pick(m, hostile_pick(m, 16) ? 8 : 34));
}

static void put_type(hostile *m) {
    ls_buf_puts(&m->out,
                WORD(m, ".b8 ", ".u32 ", ".b64 ", ".f32 ", ".v4 .b32 ", ".b16 ", ".v2 .b64 ", ".b128 "));
}

static void put_variable(hostile *m, const char *space, const char *name) {
    ls_buf_printf(&m->out, "%s ", space);
    put_align(m);
    put_type(m);
    ls_buf_puts(&m->out, name);
    put_size(m);
}

static void put_offset(hostile *m) {
    switch (hostile_pick(m, 4)) {
    case 0: return;
    case 1: ls_buf_printf(&m->out, "+%u", hostile_byte(m)); return;
    case 2: ls_buf_printf(&m->out, "+-%u", hostile_byte(m)); return;
    default: ls_buf_printf(&m->out, "+%lld", (long long)(int64_t)hostile_number(m) % (1ll << 40)); return;
    }
}

void hostile_address(hostile *m) {
    ls_buf_puts(&m->out, "[");
    ls_buf_puts(&m->out, WORD(m, "%rd1", "%rd2", "g", "s", "l", "c", "a", "d", "%rd3", "%r1"));
    put_offset(m);
    ls_buf_puts(&m->out, "]");
}

void hostile_values(hostile *m, uint32_t count, const char *registers) {
    if (count == 1 && hostile_pick(m, 8)) {
        ls_buf_printf(&m->out, "%%%s%u", registers, hostile_pick(m, 9));
        return;
    }
    ls_buf_puts(&m->out, "{");
    for (uint32_t k = 0; k < count; k++)
        ls_buf_printf(&m->out, "%s%%%s%u", k ? ", " : "", registers, hostile_pick(m, 9));
    ls_buf_puts(&m->out, "}");
}

static const char *const spaces[] = {".global", ".shared", ".local", ""};

static void put_access(hostile *m) {
    static const struct {
        const char *type, *registers, *atomic;
    } types[] = {{".u32", "r", ".add"},  {".b64", "rd", ".exch"}, {".u8", "r", NULL},
                 {".f32", "f", ".add"},  {".b16", "h", ".cas"},   {".b128", "q", ".exch"},
                 {".b32", "r", ".cas"},  {".s32", "r", ".min"},   {".b128", "q", ".cas"},
                 {".u64", "rd", ".max"}, {".s64", "rd", NULL},    {".u16", "h", NULL}};
    static const char *const vectors[] = {"", "", ".v2", ".v4", ".v8"};
    static const uint32_t counts[] = {1, 1, 2, 4, 8};
    uint32_t t = hostile_pick(m, sizeof types / sizeof *types), v = hostile_pick(m, 5);
    uint32_t count = hostile_byte(m) % 64 ? counts[v] : hostile_pick(m, 10);
    const char *space = hostile_pick(m, 8) ? word(m, spaces, 4) : WORD(m, ".const", ".param");
    switch (hostile_pick(m, 8)) {
    default:
        ls_buf_printf(&m->out, "ld%s%s%s ", space, vectors[v], types[t].type);
        hostile_values(m, count, types[t].registers);
        ls_buf_puts(&m->out, ", ");
        hostile_address(m);
        break;
    case 3:
    case 4:
        ls_buf_printf(&m->out, "st%s%s%s ", word(m, spaces, 4), vectors[v], types[t].type);
        hostile_address(m);
        ls_buf_puts(&m->out, ", ");
        hostile_values(m, count, types[t].registers);
        break;
    case 5:
    case 6:
        if (!types[t].atomic) return;
        ls_buf_printf(&m->out, "atom%s%s%s %%%s1, ", word(m, spaces, 2), types[t].atomic, types[t].type,
                      types[t].registers);
        hostile_address(m);
        ls_buf_printf(&m->out, ", %%%s%u", types[t].registers, hostile_pick(m, 9));
        if (!strcmp(types[t].atomic, ".cas")) ls_buf_printf(&m->out, ", %%%s2", types[t].registers);
        break;
    case 7: {
        bool discard = hostile_pick(m, 2);
        ls_buf_puts(&m->out, discard ? "discard.global.L2 " : "prefetch.global.L1 ");
        hostile_address(m);
        if (discard) ls_buf_puts(&m->out, ", 128");
        break;
    }
    }
    ls_buf_puts(&m->out, ";\n");
}

static void put_instruction(hostile *m, uint32_t functions) {
    if (m->forms && hostile_pick(m, 2)) {
        hostile_form(m);
        return;
    }
    uint32_t kind = hostile_pick(m, 20);
    if (!hostile_pick(m, 4) && kind != 9 && kind < 12)
        ls_buf_printf(&m->out, "@%s%%p1 ", hostile_pick(m, 2) ? "!" : "");
    switch (kind) {
    case 0:
        ls_buf_printf(&m->out, "mov.u32 %%r%u, %s;\n", hostile_pick(m, 9),
                      WORD(m, "%tid.x", "%ctaid.x", "%laneid", "%nctaid.y", "%clock"));
        break;
    case 1:
        ls_buf_printf(&m->out, "mov.u64 %%rd%u, %s;\n", hostile_pick(m, 9),
                      WORD(m, "g", "s", "l", "k0", "f0", "c"));
        break;
    case 2:
        ls_buf_printf(&m->out, "mad.wide.u32 %%rd%u, %%r%u, %llu, %%rd%u;\n", hostile_pick(m, 9),
                      hostile_pick(m, 9), (unsigned long long)(uint32_t)hostile_number(m),
                      hostile_pick(m, 9));
        break;
    case 3:
        ls_buf_printf(&m->out, "shl.b64 %%rd%u, %%rd%u, %u;\n", hostile_pick(m, 9), hostile_pick(m, 9),
                      hostile_byte(m));
        break;
    case 4:
        ls_buf_printf(&m->out, "shfl.sync.%s.b32 %%r%u|%%p1, %%r%u, %u, %u, %u;\n",
                      WORD(m, "up", "down", "bfly", "idx"), hostile_pick(m, 9), hostile_pick(m, 9),
                      hostile_byte(m), hostile_byte(m) << 5, hostile_pick(m, 2) ? ~0u : hostile_byte(m));
        break;
    case 5:
        ls_buf_printf(
            &m->out, "bar.%s %llu, %llu;\n", WORD(m, "sync", "arrive"),
            (unsigned long long)(hostile_pick(m, 4) ? hostile_pick(m, 17) : hostile_number(m) & 0xffffffff),
            (unsigned long long)(hostile_number(m) & 0xffffffff));
        break;
    case 6:
        ls_buf_printf(&m->out, "setp.%s.u32 %%p1, %%r%u, %u;\n", WORD(m, "eq", "lt", "ge"),
                      hostile_pick(m, 9), hostile_byte(m));
        break;
    case 7: ls_buf_printf(&m->out, "bra L%u;\n", hostile_pick(m, 3)); break;
    case 8:
        ls_buf_printf(&m->out, "bfi.b32 %%r%u, %%r1, %%r2, %u, %u;\n", hostile_pick(m, 9), hostile_byte(m),
                      hostile_byte(m));
        break;
    case 9:
        if (hostile_pick(m, 2))
            ls_buf_printf(
                &m->out, "{ .param .align 8 .b8 x[%llu]; st.param.b32 [x], %%r1; call f%u, (x); }\n",
                (unsigned long long)(hostile_pick(m, 8) ? 8 : hostile_number(m)), hostile_pick(m, functions));
        else
            ls_buf_puts(&m->out, "{ .param .b64 x; st.param.b64 [x], %rd1; pt: .callprototype _ (.param .b64 "
                                 "_); call %rd2, (x), pt; }\n");
        break;
    case 10:
        ls_buf_printf(&m->out, "cp.async.ca.shared.global [%%rd1+%u], [%%rd2], %u;\n", hostile_byte(m),
                      1u << hostile_pick(m, 7));
        break;
    case 11:
        ls_buf_printf(&m->out, "%s;\n",
                      WORD(m, "mov.b64 %rd1, {%r1, %r2}", "mov.b64 {%r1, %r2}, %rd1",
                           "mov.b128 %q1, {%rd1, %rd2}", "mov.b128 {%rd1, %rd2}, %q3",
                           "mov.b32 {%h1, %h2}, %r1", "mov.b32 %r1, {%h1, %h2}", "mov.b128 %q1, %q2",
                           "mov.b64 %rd4, %rd5"));
        break;
    default: put_access(m); break;
    }
}

static void put_body(hostile *m, uint32_t functions) {
    ls_buf_puts(&m->out, "{\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n.reg .f32 %f<9>;\n.reg .b16 %h<9>;\n.reg "
                         ".b128 %q<9>;\n.reg .pred %p<3>;\n");
    put_variable(m, ".local", "l");
    ls_buf_puts(&m->out, ";\n");
    uint32_t count = 1 + hostile_pick(m, m->forms ? 6 : 24);
    for (uint32_t k = 0; k < count; k++) {
        if (k < 3) ls_buf_printf(&m->out, "L%u:\n", k);
        put_instruction(m, functions);
    }
    for (uint32_t k = count; k < 3; k++) ls_buf_printf(&m->out, "L%u:\n", k);
    ls_buf_puts(&m->out, "ret;\n}\n");
}

void hostile_module(hostile *m) {
    ls_buf_printf(&m->out, ".version 8.6\n.target %s\n.address_size 64\n",
                  WORD(m, "sm_90", "sm_75", "sm_90a", "sm_120", "sm_50"));
    static const char *const names[][2] = {{".global", "g"}, {".const", "c"}, {".shared", "s"}};
    for (uint32_t k = 0; k < 3; k++) {
        put_variable(m, names[k][0], names[k][1]);
        ls_buf_puts(&m->out, ";\n");
    }
    ls_buf_puts(&m->out, ".extern .shared .align 16 .b8 d[];\n.visible .entry k0(.param .u64 z) { ret; }\n");
    m->forms = !hostile_pick(m, 4); /* most such modules are refused: there are few of them, and small ones */
    uint32_t functions = m->forms ? 0 : hostile_pick(m, 3);
    for (uint32_t k = 0; k <= functions; k++) {
        ls_buf_printf(&m->out, ".func f%u(", k);
        put_variable(m, ".param", "a");
        ls_buf_puts(&m->out, ")\n");
        put_body(m, k + 1);
    }
    ls_buf_puts(&m->out, ".visible .entry k(");
    put_variable(m, ".param", "a");
    ls_buf_puts(&m->out, ", ");
    put_variable(m, ".param", "b");
    for (uint32_t k = 0, more = hostile_pick(m, 16) ? 0 : 8 * hostile_byte(m); k < more; k++)
        ls_buf_printf(&m->out, ", .param .u32 q%u", k);
    ls_buf_puts(&m->out, ")\n");
    if (!hostile_pick(m, 8))
        ls_buf_printf(&m->out, ".reqntid %llu\n", (unsigned long long)(hostile_number(m) & 0xffffffff));
    put_body(m, functions + 1);
}
