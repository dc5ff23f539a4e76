/* Makes random PTX kernels out of the instruction forms of vocabulary.c: straight-line code, guarded
 * instructions, divergent branches, loops that lanes leave at different times, and switches, with exchanges
 * between threads where all of them are together. All registers are loaded before and stored behind it. */
#include "program.h"

#include "inputs.h"
#include "lockstep/emulate.h"

#include <stdio.h>
#include <stdlib.h>

static const struct {
    const char *prefix, *declared, *store;
} classes[EXACT_CLASSES] = {{"%r", ".b32", "b32"}, {"%q", ".b64", "b64"}, {"%f", ".f32", "f32"},
                            {"%d", ".f64", "f64"}, {"%h", ".b16", "b16"}, {"%p", ".pred", ""}};

typedef struct {
    uint64_t state;
    char *text;
    size_t length, capacity;
    unsigned labels;
} generator;

static unsigned below(generator *g, size_t n) {
    return (unsigned)(exact_next(&g->state) % n);
}

static void put(generator *g, const char *text) {
    size_t n = strlen(text);
    if (g->length + n + 1 > g->capacity) {
        g->capacity = 2 * (g->length + n + 1);
        g->text = realloc(g->text, g->capacity);
        if (!g->text) exit(2);
    }
    memcpy(g->text + g->length, text, n + 1);
    g->length += n;
}

/* --- Forms --- */
/* Chooses among <a|b|c>, each place by what is left of `choice` (NULL: by chance), and puts the text. */
static unsigned count_choices(const char *at) {
    unsigned n = 1;
    for (; *at != '>'; at++) n += *at == '|';
    return n;
}

static unsigned alternatives(const char *text) {
    unsigned n = 1;
    for (; *text; text++)
        if (*text == '<') n *= count_choices(text + 1);
    return n;
}

static void expand(generator *g, const char *text, unsigned *choice, char *out, size_t size) {
    size_t n = 0;
    for (; *text && n + 1 < size; text++) {
        if (*text == '<') {
            unsigned count = count_choices(text + 1), pick = choice ? *choice % count : below(g, count);
            if (choice) *choice /= count;
            for (text++; pick; text++) pick -= *text == '|';
            while (*text != '|' && *text != '>' && n + 1 < size) out[n++] = *text++;
            while (*text != '>') text++;
        } else {
            out[n++] = *text;
        }
    }
    out[n] = 0;
}

typedef struct {
    unsigned from, step, to, used; /* sources and destinations */
    int last;                      /* class of the last destination */
} registers;

static void put_register(generator *g, registers *r, char letter) {
    char text[32] = "";
    unsigned last = (r->to + r->used - 1) % EXACT_REGISTERS;
    if (letter == 'i') snprintf(text, sizeof text, "%u", below(g, 40));
    if (letter == 'l' || letter == 's') snprintf(text, sizeof text, "%u", below(g, 32));
    if (letter == 'x') snprintf(text, sizeof text, "0x%02x", below(g, 256));
    if (letter == '@') snprintf(text, sizeof text, "%s%u", classes[r->last].prefix, last);
    for (int c = 0; c < EXACT_CLASSES; c++) {
        if (letter == exact_letters[c])
            snprintf(text, sizeof text, "%s%u", classes[c].prefix, (r->from += r->step) % EXACT_REGISTERS);
        if (letter == exact_letters[c] - 32) {
            snprintf(text, sizeof text, "%s%u", classes[c].prefix, (r->to + r->used++) % EXACT_REGISTERS);
            r->last = c;
        }
    }
    put(g, text);
}

/* Destinations of one form are distinct, as PTX demands of vectors and pairs; so are neighbouring sources:
 * ptxas makes a move of min(x, x), which keeps another NaN. */
static void put_form(generator *g, const exact_form *f, unsigned *choice, int may_guard) {
    registers r = {
        .from = below(g, EXACT_REGISTERS), .step = 1 + below(g, 2), .to = below(g, EXACT_REGISTERS)};
    char text[1024], guard[32];
    expand(g, f->text, choice, text, sizeof text);
    put(g, "\t");
    if (may_guard && *text != '{' && !below(g, 8)) {
        snprintf(guard, sizeof guard, "@%s%%p%u ", below(g, 2) ? "!" : "", below(g, EXACT_REGISTERS));
        put(g, guard);
    }
    for (const char *t = text; *t; t++) {
        char one[2] = {*t, 0};
        if (*t == '$')
            put_register(g, &r, *++t);
        else
            put(g, one);
    }
    put(g, "\n");
}

/* --- Bodies --- */
static void put_body(generator *g, unsigned count, int depth);

static void put_if(generator *g, int depth) {
    char text[160];
    unsigned label = g->labels++;
    int with_else = (int)below(g, 2);
    snprintf(text, sizeof text, "\t@%s%%p%u bra E%u;\n", below(g, 2) ? "!" : "", below(g, EXACT_REGISTERS),
             label);
    put(g, text);
    put_body(g, 1 + below(g, 4), depth + 1);
    if (with_else) {
        snprintf(text, sizeof text, "\tbra F%u;\nE%u:\n", label, label);
        put(g, text);
        put_body(g, 1 + below(g, 4), depth + 1);
    }
    snprintf(text, sizeof text, "%c%u:\n", with_else ? 'F' : 'E', label);
    put(g, text);
}

/* Lanes leave it at different times, at its end or in its middle. */
static void put_loop(generator *g, int depth) {
    char text[256];
    unsigned label = g->labels++;
    int leaves = (int)below(g, 2);
    snprintf(text, sizeof text, "\tmov.u32 %%i%d, 0;\nL%u:\n", depth, label);
    put(g, text);
    put_body(g, 1 + below(g, 3), depth + 1);
    if (leaves) {
        snprintf(text, sizeof text, "\t@%%p%u bra M%u;\n", below(g, EXACT_REGISTERS), label);
        put(g, text);
        put_body(g, 1 + below(g, 3), depth + 1);
    }
    snprintf(text, sizeof text,
             "\tadd.u32 %%i%d, %%i%d, 1;\n\tand.b32 %%m, %%r%u, 7;\n\tsetp.lt.u32 %%c0, %%i%d, %%m;\n"
             "\t@%%c0 bra L%u;\n%s",
             depth, depth, below(g, EXACT_REGISTERS), depth, label, leaves ? "" : "\n");
    put(g, text);
    snprintf(text, sizeof text, "M%u:\n", label);
    if (leaves) put(g, text);
}

static void put_switch(generator *g, int depth) {
    char text[256];
    unsigned label = g->labels++;
    snprintf(
        text, sizeof text,
        "\tand.b32 %%m, %%r%u, 3;\nT%u: .branchtargets S%u_0, S%u_1, S%u_2, S%u_3;\n\tbrx.idx %%m, T%u;\n",
        below(g, EXACT_REGISTERS), label, label, label, label, label, label);
    put(g, text);
    for (unsigned k = 0; k < 4; k++) {
        snprintf(text, sizeof text, "S%u_%u:\n", label, k);
        put(g, text);
        put_body(g, 1 + below(g, 2), depth + 1);
        snprintf(text, sizeof text, "\tbra U%u;\n", label);
        if (below(g, 3)) put(g, text); /* else it falls through */
    }
    snprintf(text, sizeof text, "U%u:\n", label);
    put(g, text);
}

static void put_body(generator *g, unsigned count, int depth) {
    for (unsigned k = 0; k < count; k++) {
        unsigned what = below(g, 24);
        if (what == 0 && depth < 3) {
            put_if(g, depth);
        } else if (what == 1 && depth < 2) {
            put_loop(g, depth);
        } else if (what == 2 && depth < 2 && !below(g, 2)) {
            put_switch(g, depth);
        } else {
            const exact_form *f;
            do f = &exact_forms[below(g, exact_form_count)];
            while (f->place == FORM_TOGETHER && depth);
            put_form(g, f, NULL, f->place == FORM_ANYWHERE);
        }
    }
}

/* --- Kernels --- */
/* Loads or stores all registers, 8 bytes each. */
static void put_registers(generator *g, int load) {
    char text[160];
    for (int c = 0; c < EXACT_CLASSES; c++)
        for (unsigned k = 0; k < EXACT_REGISTERS; k++) {
            unsigned at = 8 * ((unsigned)c * EXACT_REGISTERS + k);
            if (exact_letters[c] == 'p' && load)
                snprintf(text, sizeof text, "\tld.global.u32 %%m, [%%in+%u];\n\tsetp.lt.s32 %%p%u, %%m, 0;\n",
                         at, k);
            else if (exact_letters[c] == 'p')
                snprintf(text, sizeof text,
                         "\tselp.u32 %%m, 1, 0, %%p%u;\n\tst.global.u32 [%%out+%u], %%m;\n", k, at);
            else if (load)
                snprintf(text, sizeof text, "\tld.global.%s %s%u, [%%in+%u];\n", classes[c].store,
                         classes[c].prefix, k, at);
            else
                snprintf(text, sizeof text, "\tst.global.%s [%%out+%u], %s%u;\n", classes[c].store, at,
                         classes[c].prefix, k);
            put(g, text);
        }
}

static void put_start(generator *g) {
    char text[512];
    put(g, ".version 8.3\n.target sm_90\n.address_size 64\n\n");
    put(g, exact_prologue);
    put(g, "\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n\t.shared .align 16 .b8 s[2048];\n"
           "\t.local .align 16 .b8 stack[64];\n");
    for (int c = 0; c < EXACT_CLASSES; c++) {
        snprintf(text, sizeof text, "\t.reg %s %s<%d>;\n", classes[c].declared, classes[c].prefix,
                 EXACT_REGISTERS);
        put(g, text);
    }
    put(g, "\t.reg .b32 %i<4>, %m, %n, %t, %a, %b, %c;\n\t.reg .pred %c0, %c1;\n"
           "\t.reg .b64 %in, %out, %o, %g, %l, %mq, %nq;\n\t.reg .b16 %mh;\n\t.reg .b128 %w<2>;\n\t.reg .f32 "
           "%mf;\n\t.reg .f64 %md;\n"
           "\tld.param.u64 %in, [in];\n\tld.param.u64 %out, [out];\n\tmov.u32 %t, %tid.x;\n");
    snprintf(text, sizeof text,
             "\tmul.wide.u32 %%o, %%t, %u;\n\tadd.u64 %%in, %%in, %%o;\n\tadd.u64 %%out, %%out, %%o;\n",
             EXACT_ROW);
    put(g, text);
    put(g, "\tmov.u32 %m, s;\n\tshl.b32 %a, %t, 4;\n\txor.b32 %b, %a, 144;\n\tadd.u32 %b, %b, %m;\n"
           "\tand.b32 %c, %a, 240;\n\tadd.u32 %c, %c, %m;\n\tadd.u32 %a, %a, %m;\n\tmov.u64 %l, stack;\n"
           "\tcvt.u64.u32 %g, %a;\n\tcvta.shared.u64 %g, %g;\n");
    put_registers(g, 1);
    put(g, "\tmov.u64 %o, 0;\n\tst.shared.v2.b64 [%a], {%o, %o};\n\tbar.sync 0;\n");
}

static char *finish(generator *g) {
    put_registers(g, 0);
    put(g, "\tret;\n}\n");
    return g->text;
}

char *exact_program(uint64_t seed, unsigned n, unsigned size) {
    generator g = {.state = seed * 1000003 + n};
    put_start(&g);
    put_body(&g, size, 0);
    return finish(&g);
}

char *exact_single(uint64_t seed, unsigned n) {
    generator g = {.state = seed * 1000003 + n};
    for (size_t k = 0; k < exact_form_count; k++) {
        unsigned count = alternatives(exact_forms[k].text);
        if (n < count) {
            put_start(&g);
            put_form(&g, &exact_forms[k], &n, 0);
            return finish(&g);
        }
        n -= count;
    }
    return NULL;
}

int exact_emulate(const char *ptx, const char *in, char *out) {
    ls_diags *diags = ls_diags_new();
    ls_ptx_module *module = ls_ptx_parse(ptx, strlen(ptx), "random.ptx", diags);
    ls_emulator *emulator = module ? ls_emulator_new(module, diags) : NULL;
    int good = 0;
    if (emulator) {
        uint64_t params[2] = {ls_emulator_alloc(emulator, EXACT_BYTES, "in"),
                              ls_emulator_alloc(emulator, EXACT_BYTES, "out")};
        memcpy((void *)(uintptr_t)params[0], in, EXACT_BYTES);
        ls_emu_launch launch = {"k", {1, 1, 1}, {EXACT_THREADS, 1, 1}, 0, params, sizeof params};
        ls_emu_result *r = ls_emulator_run(emulator, &launch, &(ls_emu_options){.threads = 1, .timeout = 20});
        good = r && r->status == LS_EMU_DONE;
        if (!good) fprintf(stderr, "%s (line %u)\n", r ? r->message : "?", r ? r->pos.ptx_line : 0);
        memcpy(out, (void *)(uintptr_t)params[1], EXACT_BYTES);
        ls_emu_result_free(r);
    }
    for (uint32_t k = 0; k < ls_diags_count(diags) && !good; k++)
        fprintf(stderr, "%u: %s\n", ls_diags_at(diags, k)->line, ls_diags_at(diags, k)->message);
    ls_emulator_free(emulator);
    if (module) ls_ptx_module_free(module);
    ls_diags_free(diags);
    return !good;
}
