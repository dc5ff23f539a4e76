/* Random µ-SIMD programs that always end and are well formed: every branch has its sync at its immediate
 * post-dominator, loops count down, addresses and divisors are in range. For comparing the machines. */
#include "base/recover.h"
#include "usimd/program.h"

#include <stdio.h>

enum { VARIABLES = 6, CELLS = 32, DEEPEST = 4 };

typedef struct {
    ls_buf out;
    uint64_t state;
    uint32_t labels, budget; /* statements still to be made */
} maker;

static uint32_t random_below(maker *m, uint32_t bound) {
    uint64_t z = (m->state += UINT64_C(0x9E3779B97F4A7C15)); /* splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)((z ^ (z >> 31)) >> 33) % bound;
}

static void put_operand(maker *m) {
    uint32_t which = random_below(m, 10);
    if (which < 6)
        ls_buf_printf(&m->out, "v%u", random_below(m, VARIABLES));
    else if (which < 8)
        ls_buf_puts(&m->out, "tid");
    else
        ls_buf_printf(&m->out, "%d", (int)random_below(m, 16) - 4);
}

static void put_arithmetic(maker *m) {
    uint32_t op = random_below(m, BINARY_COUNT);
    bool call = op == BINARY_MIN || op == BINARY_MAX;
    ls_buf_printf(&m->out, "v%u = %s%s", random_below(m, VARIABLES), call ? usimd_binaries[op].text : "",
                  call ? "(" : "");
    put_operand(m);
    if (op == BINARY_DIV || op == BINARY_REM) {
        ls_buf_printf(&m->out, " %s %d\n", usimd_binaries[op].text, (int)random_below(m, 7) - 9);
        return;
    }
    if (call)
        ls_buf_puts(&m->out, ", ");
    else
        ls_buf_printf(&m->out, " %s ", usimd_binaries[op].text);
    put_operand(m);
    ls_buf_puts(&m->out, call ? ")\n" : "\n");
}

static void put_copy(maker *m) {
    ls_buf_printf(&m->out, "v%u = ", random_below(m, VARIABLES));
    put_operand(m);
    ls_buf_putc(&m->out, '\n');
}

/* An address of its own is made first: a = v & 31. */
static void put_memory(maker *m) {
    ls_buf_puts(&m->out, "a = ");
    put_operand(m);
    ls_buf_printf(&m->out, " & %d\n", CELLS - 1);
    switch (random_below(m, 3)) {
    case 0: ls_buf_printf(&m->out, "v%u = ↓a\n", random_below(m, VARIABLES)); break;
    case 1: ls_buf_printf(&m->out, "v%u ←a a + 1\n", random_below(m, VARIABLES)); break;
    default:
        ls_buf_puts(&m->out, "↑a = ");
        put_operand(m);
        ls_buf_putc(&m->out, '\n');
    }
}

static void put_statements(maker *m, uint32_t depth);

static const char *branch(maker *m) {
    return random_below(m, 2) ? "bz" : "bnz";
}

static void put_if(maker *m, uint32_t depth) {
    uint32_t end = m->labels++;
    ls_buf_printf(&m->out, "%s v%u, end%u\n", branch(m), random_below(m, VARIABLES), end);
    put_statements(m, depth + 1);
    ls_buf_printf(&m->out, "end%u: sync\n", end);
}

static void put_if_else(maker *m, uint32_t depth) {
    uint32_t end = m->labels++;
    ls_buf_printf(&m->out, "%s v%u, else%u\n", branch(m), random_below(m, VARIABLES), end);
    put_statements(m, depth + 1);
    ls_buf_printf(&m->out, "jump end%u\nelse%u: v%u = tid\n", end, end, random_below(m, VARIABLES));
    put_statements(m, depth + 1);
    ls_buf_printf(&m->out, "end%u: sync\n", end);
}

/* Loops have counters of their own, one for each depth, with bounds that differ between PEs. */
static void put_while(maker *m, uint32_t depth) {
    uint32_t head = m->labels++;
    ls_buf_printf(&m->out, "n%u = v%u & 3\nhead%u: p%u = n%u > 0\nbz p%u, end%u\n", depth,
                  random_below(m, VARIABLES), head, depth, depth, depth, head);
    put_statements(m, depth + 1);
    ls_buf_printf(&m->out, "n%u = n%u - 1\njump head%u\nend%u: sync\n", depth, depth, head, head);
}

static void put_do_while(maker *m, uint32_t depth) {
    uint32_t head = m->labels++;
    ls_buf_printf(&m->out, "n%u = v%u & 3\nhead%u: n%u = n%u - 1\n", depth, random_below(m, VARIABLES), head,
                  depth, depth);
    put_statements(m, depth + 1);
    ls_buf_printf(&m->out, "p%u = n%u > 0\nbnz p%u, head%u\nsync\n", depth, depth, depth, head);
}

static void put_statements(maker *m, uint32_t depth) {
    static void (*const nested[])(maker *, uint32_t) = {put_if, put_if_else, put_while, put_do_while};
    static void (*const simple[])(maker *) = {put_arithmetic, put_arithmetic, put_copy, put_memory};
    for (uint32_t n = 1 + random_below(m, 4); n && m->budget; n--) {
        m->budget--;
        if (depth < DEEPEST && !random_below(m, 3))
            nested[random_below(m, 4)](m, depth);
        else
            simple[random_below(m, 4)](m);
    }
}

static char *random_text(uint64_t seed) {
    maker m = {.state = seed, .budget = 40};
    ls_buf_printf(&m.out, "threads %u\nmemory %u = {", 1 + random_below(&m, LS_USIMD_THREADS), CELLS);
    for (uint32_t i = 0; i < CELLS; i++) ls_buf_printf(&m.out, "%s%u", i ? ", " : "", random_below(&m, 9));
    ls_buf_printf(&m.out, "}\ninput v0 = %d\n", (int)random_below(&m, 100));
    for (uint32_t i = 1; i < VARIABLES; i++) {
        if (random_below(&m, 2))
            ls_buf_printf(&m.out, "v%u = tid\n", i);
        else
            ls_buf_printf(&m.out, "v%u = %u\n", i, random_below(&m, 8));
    }
    while (m.budget) put_statements(&m, 0);
    ls_buf_puts(&m.out, "stop\n");
    return m.out.text;
}

char *ls_usimd_random(uint64_t seed) {
    LS_GUARDED((ls_escape_further(), NULL), random_text(seed));
}
