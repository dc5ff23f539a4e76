/* --untrusted: the subcommand runs in a confined child (base/confine.h). Files are compiled first, by
 * compilers that have no network; then the child is sealed, and only then anything is parsed, proved or run.
 * This process opens the files that the child shows lines of, and those that the command line names, and
 * writes what the child prints. */
#include "cli/untrusted.h"

#include "base/confine.h"
#include "cli/input.h"
#include "report/source.h"

#include <errno.h>
#include <string.h>

typedef struct {
    ls_cli *cli;
    void *options;
    const ls_guard_options *guard;
    const char *output; /* the file that the result goes to; NULL: the standard output */
    ls_buf text;        /* for that file */
    bool failed;        /* the standard output could not be written */
} untrusted_run;

/* --- In the child ----------------------------------------------------------------------------------------
 */

static int work(void *of) {
    untrusted_run *run = of;
    ls_cli *cli = run->cli;
    ls_common *common = run->options;
    const ls_command *command = cli->command;
    if (command->before_seal) command->before_seal(cli, run->options, run->guard->bytes);
    ls_guard_start(run->guard);
    common->output = NULL; /* the parent writes it */
    if (!command->seals) {
        ls_frontend_options how = command->compiles(run->options);
        common->prepared = ls_input_prepare(common, &how, &cli->arena);
    }
    char name[16];
    ls_demangle("_Z1fv", name, sizeof name); /* its library is loaded while that can be done */
    int status = command->seals || ls_confine_seal()
                     ? command->run(cli, run->options)
                     : ls_cli_error(cli, "--untrusted: the process could not be confined");
    ls_guard_stop();
    ls_prepared_free(common->prepared);
    return status;
}

/* --- In the parent ---------------------------------------------------------------------------------------
 */

/* The word itself, or what stands behind a '=' or ':' in it, as in --launches=FILE and -a x=file:FILE. */
static bool names(const char *word, const char *path) {
    size_t all = strlen(word), length = strlen(path);
    if (!length || all < length || strcmp(word + all - length, path) != 0) return false;
    return all == length || word[all - length - 1] == '=' || word[all - length - 1] == ':';
}

static bool may_read(void *context, const char *path) {
    const untrusted_run *run = context;
    const ls_cli *cli = run->cli;
    for (int k = 0; k < cli->word_count; k++)
        if (names(cli->words[k], path)) return true;
    return ls_source_is_below(&cli->roots, path);
}

static void take(void *context, const char *text, size_t length) {
    untrusted_run *run = context;
    if (run->output)
        ls_buf_add(&run->text, text, length);
    else
        run->failed |= fwrite(text, 1, length, stdout) != length || fflush(stdout);
}

static int finish(untrusted_run *run, int status) {
    const ls_cli *cli = run->cli;
    if (status == LS_CONFINE_UNABLE)
        return ls_cli_error(cli,
                            "--untrusted needs Linux's system call filters, which are not available here");
    if (status == LS_CONFINE_MEMORY)
        return ls_cli_error(cli, "the confined process was stopped: it used too much memory"),
               LS_EXIT_UNKNOWN;
    if (status > 128)
        return ls_cli_error(cli, "the confined process was ended by signal %d", status - 128),
               LS_EXIT_UNKNOWN;
    if (run->output && run->text.length && !ls_write_file(run->output, run->text.text, run->text.length))
        return ls_cli_error(cli, "cannot write '%s': %s", run->output, strerror(errno));
    return run->failed ? ls_cli_error(cli, "cannot write the output: %s", strerror(errno)) : status;
}

int ls_cli_run_untrusted(ls_cli *cli, void *options, const ls_guard_options *guard) {
    const char *output = cli->common->output;
    if (cli->common->extra.count && !strcmp(cli->command->name, "run"))
        return ls_cli_error(cli, "--untrusted is for kernels only: a program cannot be confined");
    untrusted_run run = {.cli = cli, .options = options, .guard = guard};
    run.output = output && strcmp(output, "-") ? output : NULL;
    ls_confine_options how = {.may_read = may_read, .take = take, .context = &run};
    how.bytes = guard->bytes + guard->bytes / 8; /* the child's own watch comes first */
    int status = finish(&run, ls_confine(&how, work, &run));
    ls_buf_free(&run.text);
    return status;
}
