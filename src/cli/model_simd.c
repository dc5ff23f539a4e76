/* lockstep model FILE.simd: runs a µ-SIMD program (003 §3.1) in the emulator and by the paper's rules,
 * compares, and shows what was in the memory and the variables at the end, or every cycle as in Figure 8; or
 * shows the program in gated form (Figure 9) and what the analyses say of it (Figures 10–15). */
#include "cli/model_simd.h"

#include "base/recover.h"
#include "lockstep/usimd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 10000, CELLS_IN_ROW = 8, CELL_WIDTH = 11 };

typedef struct {
    const simd_options *o;
    const char *path;
    const ls_usimd *program;
    ls_usimd_result *rules, *emulated;
    char *difference; /* NULL: none */
    ls_buf *out;
} simd_run;

/* --- Tables ----------------------------------------------------------------------------------------------
 */

static uint32_t width_of(const char *text) {
    uint32_t width = 0;
    for (; *text; text++) width += (*text & 0xC0) != 0x80;
    return width;
}

static void put_padded(ls_buf *out, const char *text, uint32_t width) {
    ls_buf_puts(out, text);
    for (uint32_t w = width_of(text); w < width; w++) ls_buf_putc(out, ' ');
}

static void put_line_end(ls_buf *out) {
    while (out->length && out->text[out->length - 1] == ' ') out->text[--out->length] = 0;
    ls_buf_putc(out, '\n');
}

static void put_heads(ls_buf *out, uint32_t threads, uint32_t width) {
    for (uint32_t t = 0; t < threads; t++) {
        char head[16];
        snprintf(head, sizeof head, "t%u", t);
        ls_buf_printf(out, "%*s", (int)width, head);
    }
    ls_buf_putc(out, '\n');
}

/* --- Figure 8 --------------------------------------------------------------------------------------------
 */

static const char *labelled(ls_arena *arena, const ls_usimd *p, uint32_t instruction) {
    const char *label = ls_usimd_label(p, instruction);
    ls_buf out = {0};
    put_padded(&out, label ? label : "", label ? width_of(label) : 0);
    if (label) ls_buf_putc(&out, ':');
    while (width_of(ls_buf_text(&out)) < 6) ls_buf_putc(&out, ' ');
    ls_buf_putc(&out, ' ');
    ls_buf_take(&out, ls_usimd_instruction(p, instruction));
    const char *text = ls_arena_strdup(arena, ls_buf_text(&out));
    ls_buf_free(&out);
    return text;
}

static void put_trace(const simd_run *s) {
    const ls_usimd_result *r = s->rules;
    uint32_t width = 0, count = ls_usimd_instruction_count(s->program);
    LS_SCRATCH(scratch);
    const char **texts = LS_NEW_N(&scratch, const char *, count);
    for (uint32_t i = 0; i < count; i++) {
        texts[i] = labelled(&scratch, s->program, i);
        if (width_of(texts[i]) > width) width = width_of(texts[i]);
    }
    ls_buf_puts(s->out, "cycle  ");
    put_padded(s->out, "instruction", width);
    put_heads(s->out, r->threads, 4);
    for (uint32_t c = 0; c < r->trace_length && c < MOST_ROWS; c++) {
        ls_buf_printf(s->out, "%5u  ", c + 1);
        put_padded(s->out, texts[r->trace[c].instruction], width);
        for (uint32_t t = 0; t < r->threads; t++)
            ls_buf_puts(s->out, r->trace[c].active >> t & 1 ? "   ✓" : "   •");
        ls_buf_putc(s->out, '\n');
    }
    if (r->trace_length > MOST_ROWS) ls_buf_printf(s->out, "… %u more cycles\n", r->trace_length - MOST_ROWS);
}

/* --- What is there at the end ------------------------------------------------------------------------------
 */

static void put_variables(const simd_run *s, const ls_usimd_result *r) {
    uint32_t count = ls_usimd_variable_count(s->program), width = 8;
    for (uint32_t v = 0; v < count; v++)
        if (width_of(ls_usimd_variable(s->program, v)) > width)
            width = width_of(ls_usimd_variable(s->program, v));
    put_padded(s->out, "variable", width);
    put_heads(s->out, r->threads, CELL_WIDTH + 1);
    for (uint32_t v = 0; v < count; v++) {
        put_padded(s->out, ls_usimd_variable(s->program, v), width);
        for (uint32_t t = 0; t < r->threads; t++) {
            if (s->rules->defined[v] >> t & 1)
                ls_buf_printf(s->out, " %*d", CELL_WIDTH, r->variables[v * r->threads + t]);
            else
                ls_buf_printf(s->out, " %*s", CELL_WIDTH, "-");
        }
        ls_buf_putc(s->out, '\n');
    }
}

/* Rows of zeros are left out. */
static void put_memory(const simd_run *s, const ls_usimd_result *r) {
    bool shown = false;
    ls_buf_puts(s->out, "memory\n");
    for (uint32_t i = 0; i < r->memory_size; i += CELLS_IN_ROW) {
        uint32_t end = i + CELLS_IN_ROW < r->memory_size ? i + CELLS_IN_ROW : r->memory_size, k = i;
        while (k < end && !r->memory[k]) k++;
        if (k == end && r->memory_size > 2 * CELLS_IN_ROW) continue;
        shown = true;
        ls_buf_printf(s->out, "%7u:", i);
        for (k = i; k < end; k++) ls_buf_printf(s->out, " %*d", CELL_WIDTH, r->memory[k]);
        ls_buf_putc(s->out, '\n');
    }
    if (!shown) ls_buf_printf(s->out, "%7u: %u cells, all 0\n", 0, r->memory_size);
}

static void put_run(const simd_run *s) {
    const ls_usimd_result *r = s->emulated && s->emulated->status == LS_USIMD_DONE ? s->emulated : s->rules;
    ls_buf_printf(s->out, "%s: %u PEs, %llu cycles%s\n", s->path, r->threads,
                  (unsigned long long)s->rules->cycles,
                  s->emulated && !s->difference ? ", emulator and paper's rules agree" : "");
    if (s->o->trace) put_trace(s);
    put_variables(s, r);
    put_memory(s, r);
}

/* --- The report ------------------------------------------------------------------------------------------
 */

static ls_place place_of(const simd_run *s, uint32_t instruction) {
    return (ls_place){s->path, ls_usimd_line(s->program, instruction), 0};
}

static void add_findings(const simd_run *s, ls_report_kernel *kernel) {
    const ls_usimd_result *r = s->rules;
    ls_place at = {s->path, r->line, r->column};
    if (r->status == LS_USIMD_STUCK)
        ls_report_add(kernel, ls_rule_find(r->rule), LS_ERROR, at, "stuck in cycle %llu: %s",
                      (unsigned long long)r->cycles, r->message);
    else if (r->status != LS_USIMD_DONE)
        ls_report_unknown(kernel, at, "raise --max-states", "%s", r->message);
    else if (s->difference)
        ls_report_unknown(kernel, (ls_place){0}, "please report this program",
                          "the emulator disagrees with the paper's rules, a fault in Lockstep: %s",
                          s->difference);
    for (uint32_t i = 0; i < r->race_count; i++) {
        const ls_usimd_race *race = &r->races[i];
        ls_finding *f =
            ls_report_add(kernel, LS_RULE_RACE_SHARED, LS_ERROR, place_of(s, race->instruction),
                          "PEs %u and %u store different values into cell %u by one instruction: the "
                          "result is undefined",
                          race->first, race->second, race->cell);
        ls_finding_count(f, race->count);
    }
}

static void add_numbers(ls_fields *list, const int32_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) ls_fields_int(list, NULL, numbers[i]);
}

static void add_state(const simd_run *s, ls_report_kernel *kernel) {
    const ls_usimd_result *r = s->rules;
    ls_fields *stats = ls_report_stats(kernel);
    ls_fields_uint(stats, "cycles", r->cycles);
    ls_fields_bool(stats, "machines_agree", s->emulated && !s->difference);
    ls_fields *variables = ls_fields_object(stats, "variables");
    for (uint32_t v = 0; v < ls_usimd_variable_count(s->program); v++)
        add_numbers(ls_fields_list(variables, ls_usimd_variable(s->program, v)),
                    &r->variables[v * r->threads], r->threads);
    add_numbers(ls_fields_list(stats, "memory"), r->memory, r->memory_size);
    ls_fields *trace = s->o->trace ? ls_fields_list(stats, "trace") : NULL;
    for (uint32_t c = 0; trace && c < r->trace_length && c < MOST_ROWS; c++) {
        ls_fields *row = ls_fields_object(trace, NULL);
        char *text = ls_usimd_instruction(s->program, r->trace[c].instruction);
        ls_fields_uint(row, "cycle", c + 1);
        ls_fields_uint(row, "line", ls_usimd_line(s->program, r->trace[c].instruction));
        ls_fields_text(row, "instruction", "%s", text);
        ls_fields_uint(row, "active", r->trace[c].active);
        free(text);
    }
}

static void run_program(simd_run *s, ls_report_file *file) {
    ls_usimd_options options = {.threads = s->o->threads,
                                .max_cycles = s->o->max_cycles,
                                .trace = true,
                                .timeout = s->o->common->timeout};
    s->rules = ls_usimd_run(s->program, LS_USIMD_REFERENCE, &options);
    if (s->rules->status == LS_USIMD_DONE) {
        options.max_cycles = s->rules->cycles + 1;
        s->emulated = ls_usimd_run(s->program, LS_USIMD_EMULATOR, &options);
        s->difference = ls_usimd_difference(s->program, s->rules, s->emulated);
    }
    const char *name = strrchr(s->path, '/');
    ls_report_kernel *kernel = ls_report_add_kernel(file, name ? name + 1 : s->path, NULL);
    ls_report_launch(kernel, (uint32_t[3]){s->rules->threads, 1, 1}, (uint32_t[3]){1, 1, 1},
                     s->o->threads ? "--threads" : NULL);
    add_findings(s, kernel);
    if (s->emulated && !s->difference)
        ls_report_scope(
            kernel, NULL,
            "one run: the emulator's cycles, variables and memory are those of the paper's rules");
    add_state(s, kernel);
    if (s->o->common->format == LS_FORMAT_TEXT) put_run(s);
    free(s->difference);
    ls_usimd_result_free(s->rules);
    ls_usimd_result_free(s->emulated);
}

/* --- Analyses --------------------------------------------------------------------------------------------
 */

static void put_values(ls_buf *out, const ls_usimd_analysis *a) {
    static const char *const heads[] = {"variable", "definition", "§3.3", "degree 1", "degree 2"};
    uint32_t widths[5] = {0};
    for (uint32_t row = 0; row <= 2 * a->value_count + 1; row++) { /* first the widths, then the rows */
        uint32_t i = row % (a->value_count + 1);
        const ls_usimd_value *v = i ? &a->values[i - 1] : NULL;
        for (uint32_t c = 0; c < 5; c++) {
            const char *text = !v ? heads[c] : c == 0 ? v->name : c == 1 ? v->definition : v->states[c - 2];
            if (row > a->value_count)
                put_padded(out, text, widths[c] + 2);
            else if (width_of(text) > widths[c])
                widths[c] = width_of(text);
        }
        if (row > a->value_count) put_line_end(out);
    }
}

static void put_branches(ls_buf *out, const ls_usimd *p, const ls_usimd_analysis *a) {
    static const char *const by[] = {"§3.3", "degree 1", "degree 2"};
    for (uint32_t i = 0; i < a->branch_count; i++) {
        ls_buf_printf(out, "line %u: ", ls_usimd_line(p, a->branches[i].instruction));
        ls_buf_take(out, ls_usimd_instruction(p, a->branches[i].instruction));
        ls_buf_putc(out, ':');
        for (uint32_t k = 0; k < LS_USIMD_ANALYSES; k++)
            ls_buf_printf(out, "%s %s (%s)", k ? "," : "",
                          a->branches[i].divergent[k] ? "divergent" : "uniform", by[k]);
        ls_buf_putc(out, '\n');
    }
}

static void print_program(const simd_options *o, const ls_usimd *p, ls_diags *diags, ls_buf *out) {
    if (o->task == SIMD_PROGRAM || o->task == SIMD_PTX) {
        ls_buf_take(out, ls_usimd_print(p, o->task == SIMD_PTX ? LS_USIMD_PTX : LS_USIMD_PROGRAM));
        return;
    }
    ls_usimd_analysis *a = ls_usimd_analyze(p, diags);
    if (!a) return;
    if (o->task == SIMD_GATED) ls_buf_puts(out, a->gated);
    if (o->task == SIMD_DEPENDENCES) ls_buf_take(out, ls_usimd_dependences(a, LS_USIMD_DEGREE1));
    if (o->task == SIMD_DIVERGENCE) {
        put_values(out, a);
        put_branches(out, p, a);
    }
    ls_usimd_analysis_free(a);
}

/* --- Files -----------------------------------------------------------------------------------------------
 */

static void one_file(const simd_options *o, const char *path, ls_report_file *file, ls_buf *out) {
    ls_buf text = {0};
    ls_usimd *program = NULL;
    if (ls_read_file(path, &text))
        program = ls_usimd_parse(ls_buf_text(&text), text.length, path, file->diags);
    else
        ls_diags_add(file->diags, LS_ERROR, path, 0, 0, "cannot read: %s", strerror(errno));
    ls_buf_free(&text);
    if (program && o->task == SIMD_RUN)
        run_program(&(simd_run){.o = o, .path = path, .program = program, .out = out}, file);
    else if (program)
        print_program(o, program, file->diags, out);
    ls_usimd_free(program);
}

int model_simd(const ls_cli *cli, const simd_options *o) {
    const ls_common *common = o->common;
    bool text = common->format == LS_FORMAT_TEXT || o->task != SIMD_RUN;
    ls_report *report = ls_report_new("model");
    ls_buf out = {0};
    for (uint32_t i = 0; i < common->operands.count; i++) {
        const char *path = common->operands.items[i];
        ls_report_file *file = ls_report_add_file(report, path);
        one_file(o, path, file, &out);
        if (text) ls_cli_show_diags(cli, common, file->diags);
    }
    ls_report_finish(report);
    if (o->task == SIMD_RUN) {
        ls_print_options print = {.format = (ls_format)common->format, .no_diags = true};
        print.color = text && !common->output && ls_cli_colors(common, stdout);
        size_t length;
        char *printed = ls_report_print(report, &print, &length);
        ls_buf_add(&out, printed, length);
        free(printed);
    }
    int status = ls_cli_write(cli, common, ls_buf_text(&out), out.length);
    if (status == LS_EXIT_CLEAN) status = ls_report_status(report, LS_FAIL_UNKNOWN);
    ls_buf_free(&out);
    ls_report_free(report);
    return status;
}
