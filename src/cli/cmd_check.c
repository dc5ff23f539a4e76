/* lockstep check: everything static in one report. The proofs come first, as `lockstep verify` makes them
 * with the same options; then what accesses and branches cost is added to the kernels' entries. */
#include "base/map.h"
#include "cli/mend.h"
#include "cli/performance.h"
#include "cli/verification.h"

#include <string.h>

/* The entries that the verification has made, by their names: of several with one name, the first. */
static ls_map entries_of(const ls_report_file *file) {
    ls_map entries = {0};
    for (ls_report_kernel *entry = file->kernels; entry; entry = entry->next) {
        void **slot = ls_map_at(&entries, entry->name, strlen(entry->name));
        if (!*slot) *slot = entry;
    }
    return entries;
}

static bool is_same(const char *a, const char *b) {
    return !strcmp(a ? a : "", b ? b : "");
}

/* The messages of the second compilation that the first one did not have. */
static void add_new(ls_diags *to, const ls_diags *from) {
    for (uint32_t i = 0; i < ls_diags_count(from); i++) {
        const ls_diag *d = ls_diags_at(from, i);
        bool said = false;
        for (uint32_t k = 0; k < ls_diags_count(to) && !said; k++) {
            const ls_diag *e = ls_diags_at(to, k);
            said = d->line == e->line && is_same(d->file, e->file) && is_same(d->message, e->message);
        }
        if (!said) ls_diags_add(to, d->severity, d->file, d->line, d->column, "%s", d->message);
    }
}

static void costs_of_file(const ls_cli_job *job) {
    ls_input input;
    ls_diags *diags = ls_diags_new();
    if (ls_input_load(job->common, job->path, LS_FORM_AS_RUN, &input, diags)) {
        ls_performance_options how = {.degree = 2, .verdict_stays = true};
        ls_map entries = entries_of(job->file);
        for (uint32_t i = 0; i < input.compiled.kernel_count; i++) {
            const ls_compiled_kernel *kernel = &input.compiled.kernels[i];
            if (!ls_input_wants(job->common, kernel)) continue;
            ls_report_kernel *entry = ls_map_get(&entries, kernel->name, strlen(kernel->name));
            ls_performance(job, &input, kernel, entry ? entry : ls_input_report(job, kernel), &how);
        }
        ls_map_free(&entries);
        ls_input_free(&input);
    }
    add_new(job->file->diags, diags);
    ls_diags_free(diags);
}

static void look(const ls_cli_job *job) {
    ls_verification_file(job);
    if (!ls_diags_errors(job->file->diags)) costs_of_file(job);
}

static void one_file(const ls_cli_job *job) {
    look(job);
    ls_mend(job, look);
}

static int run(ls_cli *cli, const void *parsed) {
    return ls_verification_run(cli, parsed, one_file);
}

const ls_command ls_cmd_check = {
    .name = "check",
    .operands = "FILE…",
    .summary = "check everything that can be checked without running the kernels",
    .about =
        "Proves each kernel free of data races, barrier divergence and failing assertions, or shows how it "
        "fails, and finds uncoalesced accesses, bank conflicts and divergent branches. It takes the options "
        "of "
        "`lockstep verify`. Exit status: 0 all clean, 1 something found, 2 wrong usage or unreadable input, "
        "3 "
        "nothing found but something is unknown.",
    .examples = "scan.cu\tall kernels of one file\n"
                "-p build src/scan.cu\twith the options of build/compile_commands.json\n"
                "--block 256 -k reduce scan.cu\tone kernel, for blocks of 256 threads\n"
                "--format html -o report.html scan.cu\ta page to look at in a browser\n"
                "--format sarif -o report.sarif src/*.cu\tfor code scanning in CI\n",
    .options = ls_verification_options,
    .options_size = sizeof(ls_verification_cli),
    .run = run};
