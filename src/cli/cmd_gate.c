/* lockstep gate: a generated kernel against a reference, as one JSON with a score. The work is done by a
 * child, so that there is a verdict whatever the candidate does to it; and that is confined (base/confine.h),
 * as nobody has looked at the candidate. */
#include "base/confine.h"
#include "cli/input.h"
#include "gate/gate.h"
#include "rpc/worker.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    ls_common common;
    const char *reference, *reference_kernel;
    const char *grid, *block, *shared, *tolerance;
    ls_list in, out, inout, scalars, sizes;
    uint32_t cases, seed;
    double seconds;
    bool here, trusted, no_proofs;
} gate_options;

#define FIELD(name) offsetof(gate_options, name)

static const ls_option options[] = {
    {LS_OPT_TEXT, "reference", 'r', FIELD(reference), "FILE", NULL,
     "a kernel that is right (.cu, .cl, .ptx), or its output (.npy)"},
    {LS_OPT_LIST, "kernel", 'k', LS_COMMON(kernels), "NAME", NULL,
     "the candidate's kernel, where there are several"},
    {LS_OPT_TEXT, "reference-kernel", 0, FIELD(reference_kernel), "NAME", NULL, "the reference's"},
    {LS_OPT_HEADING, .help = "Parameters and launch (also in the reference: // gate: WORD VALUE)"},
    {LS_OPT_LIST, "in", 0, FIELD(in), "NAME=TYPE[COUNT][=VALUES]", NULL,
     "an input: x=f32[n], x=u32[n]=iota; random where no values are given"},
    {LS_OPT_LIST, "out", 0, FIELD(out), "NAME=TYPE[COUNT]", NULL, "an output: y=f32[n]"},
    {LS_OPT_LIST, "inout", 0, FIELD(inout), "NAME=TYPE[COUNT][=VALUES]", NULL, "both"},
    {LS_OPT_LIST, "scalar", 0, FIELD(scalars), "NAME=VALUE", NULL,
     "a number: rows=n/4, alpha=f32=1.5; a scalar with the name of a size is that size"},
    {LS_OPT_LIST, "size", 0, FIELD(sizes), "NAME=A,B,…,LOW..HIGH", NULL,
     "a size to try: n=1,31,33,100..5000"},
    {LS_OPT_TEXT, "grid", 0, FIELD(grid), "X[,Y[,Z]]", NULL, "blocks: cdiv(n, 256)"},
    {LS_OPT_TEXT, "block", 0, FIELD(block), "X[,Y[,Z]]", NULL, "threads of a block: 256"},
    {LS_OPT_TEXT, "shared", 0, FIELD(shared), "BYTES", NULL, "dynamic shared memory: 4 * n"},
    {LS_OPT_TEXT, "tolerance", 0, FIELD(tolerance), "X", NULL,
     "accepted difference of floats, absolute and relative [1e-4]"},
    {LS_OPT_HEADING, .help = "Trials"},
    {LS_OPT_NUMBER, "cases", 0, FIELD(cases), "N", "8", "at most so many"},
    {LS_OPT_NUMBER, "seed", 0, FIELD(seed), "N", "1", "of the inputs and of sizes from a range"},
    {LS_OPT_SECONDS, "seconds", 0, FIELD(seconds), "S", "5", "for one run, and for one proof"},
    {LS_OPT_SECONDS, "timeout", 0, LS_COMMON(timeout), "S", "300", "for everything"},
    {LS_OPT_FLAG, "no-proofs", 0, FIELD(no_proofs), NULL, NULL, "only run it"},
    {LS_OPT_FLAG, "trusted", 0, FIELD(trusted), NULL, NULL,
     "trust the candidate: run it in a process that is not confined", .own = true},
    {LS_OPT_FLAG, "here", 0, FIELD(here), NULL, NULL,
     "work in this process instead of a child (for debugging)", .own = true},
    {LS_OPT_FLAG, "confined", 0, LS_COMMON(untrusted), NULL, NULL,
     "work in this process, after confining it (this is how the child is started)"},
    LS_COMPILE_OPTIONS,
    {LS_OPT_HEADING, .help = "Output"},
    {LS_OPT_TEXT, "output", 'o', LS_COMMON(output), "FILE", NULL,
     "write to FILE instead of the standard output", .own = true},
    {LS_OPT_END}};

/* --- In the child -------------------------------------------------------------------------------------- */

static int add_fact(const ls_cli *cli, ls_gate_spec *spec, const char *word, const char *value) {
    const char *wrong = value ? ls_gate_fact(spec, word, value) : NULL;
    return wrong ? ls_cli_error(cli, "--%s '%s': %s", word, value, wrong) : LS_EXIT_CLEAN;
}

static int fill_spec(const ls_cli *cli, const gate_options *o, ls_gate_spec *spec) {
    const struct {
        const char *word;
        const ls_list *values;
    } lists[] = {
        {"size", &o->sizes}, {"in", &o->in}, {"out", &o->out}, {"inout", &o->inout}, {"scalar", &o->scalars}};
    int wrong = LS_EXIT_CLEAN;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (uint32_t k = 0; k < lists[i].values->count && !wrong; k++)
            wrong = add_fact(cli, spec, lists[i].word, lists[i].values->items[k]);
    if (!wrong) wrong = add_fact(cli, spec, "grid", o->grid);
    if (!wrong) wrong = add_fact(cli, spec, "block", o->block);
    if (!wrong) wrong = add_fact(cli, spec, "shared", o->shared);
    if (!wrong) wrong = add_fact(cli, spec, "tolerance", o->tolerance);
    return wrong;
}

/* 0: it passes; 3: it holds something that is not modelled; 1: it does not pass. */
static int status_of(const json_t *verdict) {
    if (json_is_true(json_object_get(verdict, "pass"))) return LS_EXIT_CLEAN;
    return json_is_true(json_object_get(verdict, "unknown")) ? LS_EXIT_UNKNOWN : LS_EXIT_FOUND;
}

static int write_verdict(const ls_cli *cli, const ls_common *common, const json_t *verdict) {
    char *text = json_dumps(verdict, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    ls_buf out = {0};
    ls_buf_printf(&out, "%s\n", text ? text : "{}");
    int status = ls_cli_write(cli, common, out.text, out.length);
    ls_buf_free(&out);
    free(text);
    return status == LS_EXIT_CLEAN ? status_of(verdict) : status;
}

static int judge_here(ls_cli *cli, const gate_options *o) {
    ls_gate_spec spec = {.arena = &cli->arena, .tolerance = 1e-4};
    int status = fill_spec(cli, o, &spec);
    if (status == LS_EXIT_CLEAN) {
        ls_frontend_options frontend = ls_cli_frontend(&o->common, LS_FORM_AS_RUN);
        ls_gate_options how = {.candidate = o->common.operands.items[0],
                               .reference = o->reference,
                               .kernel = o->common.kernels.count ? o->common.kernels.items[0] : NULL,
                               .reference_kernel = o->reference_kernel,
                               .spec = &spec,
                               .frontend = &frontend,
                               .cases = o->cases ? o->cases : 1,
                               .seed = o->seed,
                               .seconds = o->seconds,
                               .no_proofs = o->no_proofs,
                               .seal = o->common.untrusted ? ls_confine_seal : NULL};
        ls_diags *diags = ls_diags_new();
        json_t *verdict = ls_gate(&how, diags);
        if (!verdict) ls_cli_show_diags(cli, &o->common, diags);
        status = verdict ? write_verdict(cli, &o->common, verdict) : LS_EXIT_USAGE;
        json_decref(verdict);
        ls_diags_free(diags);
    }
    ls_gate_spec_free(&spec);
    return status;
}

/* --- In the parent ------------------------------------------------------------------------------------- */

/* The options that were given, as text again: one argument each. */
static void repeat(ls_arena *arena, const gate_options *o, ls_args *argv) {
    for (const ls_option *row = options; row->kind != LS_OPT_END; row++) {
        if (row->kind == LS_OPT_HEADING || row->offset == LS_COMMON(output)) continue;
        const void *field = (const char *)o + row->offset;
        const char *dashes = *row->name == '-' ? "" : "--";
        if (row->kind == LS_OPT_TEXT && *(const char *const *)field)
            LS_VEC_PUSH(argv,
                        ls_arena_printf(arena, "%s%s=%s", dashes, row->name, *(const char *const *)field));
        if (row->kind == LS_OPT_FLAG && *(const bool *)field)
            LS_VEC_PUSH(argv, ls_arena_printf(arena, "%s%s", dashes, row->name));
        if (row->kind == LS_OPT_NUMBER)
            LS_VEC_PUSH(argv, ls_arena_printf(arena, "%s%s=%u", dashes, row->name, *(const uint32_t *)field));
        if (row->kind == LS_OPT_SECONDS)
            LS_VEC_PUSH(argv, ls_arena_printf(arena, "%s%s=%g", dashes, row->name, *(const double *)field));
        const ls_list *list = row->kind == LS_OPT_LIST ? field : NULL;
        for (uint32_t i = 0; list && i < list->count; i++) {
            bool joined = *row->name != '-'; /* -include FILE */
            if (!joined) LS_VEC_PUSH(argv, row->name);
            LS_VEC_PUSH(argv, joined ? ls_arena_printf(arena, "--%s=%s", row->name, list->items[i])
                                     : list->items[i]);
        }
    }
}

static int judge_in_child(ls_cli *cli, const gate_options *o) {
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, "gate");
    LS_VEC_PUSH(&argv, o->trusted ? "--here" : "--confined");
    repeat(&cli->arena, o, &argv);
    LS_VEC_PUSH(&argv, o->common.operands.items[0]);
    if (o->common.extra.count) LS_VEC_PUSH(&argv, "--");
    for (uint32_t i = 0; i < o->common.extra.count; i++) LS_VEC_PUSH(&argv, o->common.extra.items[i]);
    ls_worker worker = {0};
    ls_worker_options how = {.seconds = o->common.timeout, .with_report = true};
    if (!ls_worker_start(&worker, &argv, &how))
        return LS_VEC_FREE(&argv), ls_cli_error(cli, "no process can be started");
    while (!ls_worker_poll(&worker)) poll(&(struct pollfd){worker.process.output, POLLIN, 0}, 1, 200);
    json_t *verdict = worker.cancelled || worker.status == LS_EXIT_USAGE ? NULL : ls_worker_report(&worker);
    int status;
    if (!verdict && !worker.cancelled && worker.status == LS_EXIT_USAGE) {
        fputs(ls_buf_text(&worker.said), stderr);
        status = LS_EXIT_USAGE;
    } else {
        if (!verdict)
            verdict = ls_gate_failed(o->common.operands.items[0], o->reference,
                                     worker.cancelled ? "timeout" : "crash",
                                     worker.cancelled ? "it did not finish within its time limit"
                                                      : "the process that ran the candidate ended early");
        status = write_verdict(cli, &o->common, verdict);
    }
    json_decref(verdict);
    ls_worker_free(&worker);
    LS_VEC_FREE(&argv);
    return status;
}

static int run(ls_cli *cli, const void *parsed) {
    const gate_options *o = parsed;
    if (o->common.operands.count != 1)
        return ls_cli_error(cli, "expected one candidate; try 'lockstep gate --help'");
    if (!o->reference)
        return ls_cli_error(cli, "expected --reference FILE, the kernel or output to compare with");
    return o->here || o->common.untrusted ? judge_here(cli, o) : judge_in_child(cli, o);
}

const ls_command ls_cmd_gate = {
    .name = "gate",
    .operands = "CANDIDATE",
    .summary = "test a generated kernel against a reference and print a score as JSON",
    .about = "Compiles the candidate, verifies it, and compares it with the reference in the emulator on "
             "many sizes and inputs: with poisoned outputs, in several orders of blocks and warps, and twice "
             "in a row with different inputs. Reports wrong results, races, bad addresses, reads of memory "
             "that was never written, changed inputs, writes outside of the output, and results that do not "
             "depend on the input, come from old memory or depend on the order (docs/gate.md). Exit status: "
             "0 it passes, 1 it does not, 2 wrong usage or a reference "
             "that "
             "cannot be used, 3 it holds something that is not modelled.",
    .examples = "scale.cu --reference scale_ref.cu\tthe reference's comments say the rest\n"
                "scale.cu -r ref.cu --size n=1,33,1000 --in x=f32[n] --out y=f32[n] --grid 'cdiv(n,256)' "
                "--block 256\t"
                "said on the command line\n",
    .options = options,
    .time_option = "--seconds",
    .options_size = sizeof(gate_options),
    .seals = true,
    .run = run};
