/* lockstep check: everything static in one report: the proofs, as `lockstep verify` makes them with the same
 * options, and what accesses and branches cost, of one compilation. */
#include "cli/mend.h"
#include "cli/verification.h"

static void look(const ls_cli_job *job) {
    ls_verification_file(job, true);
}

static void one_file(const ls_cli_job *job) {
    look(job);
    ls_mend(job, look);
}

static void before_seal(ls_cli *cli, void *options, uint64_t bytes) {
    ls_mend_before_seal(cli, options, bytes, look);
}

static int run(ls_cli *cli, const void *parsed) {
    return ls_verification_run(cli, parsed, one_file);
}

static ls_frontend_options compiles(const void *options) {
    ls_frontend_options how = ls_cli_frontend(options, LS_FORM_SOURCE);
    how.both_forms = true;
    return how;
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
                "--format html -o report.html scan.cu\ta report for the browser\n"
                "--format sarif -o report.sarif src/*.cu\tfor code scanning in CI\n",
    .options = ls_verification_options,
    .options_size = sizeof(ls_verification_cli),
    .compiles = compiles,
    .keeps = true,
    .before_seal = before_seal,
    .run = run};
