/* Help texts, shell completion and the man page's option lists, all written from the tables. */
#include "cli/cli.h"

#include <string.h>

/* Terminal columns of UTF-8 text: bytes that do not continue a character. */
static size_t columns(const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < length; i++) count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Text broken at blanks into lines of at most `width` columns, later ones led by `indent` blanks. */
static void add_wrapped(ls_buf *out, const char *text, size_t indent, size_t width) {
    size_t at = indent;
    while (*text) {
        size_t length = strcspn(text, " \n"), wide = columns(text, length);
        if (at > indent && at + wide > width) {
            ls_buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        }
        ls_buf_add(out, text, length);
        at += wide;
        text += length;
        if (*text == '\n') {
            ls_buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
            text++;
        } else if (*text == ' ') {
            text++;
            if (*text && at + 1 + columns(text, strcspn(text, " \n")) <= width)
                ls_buf_putc(out, ' '), at++;
            else if (*text)
                ls_buf_printf(out, "\n%*s", (int)indent, ""), at = indent;
        }
    }
    ls_buf_putc(out, '\n');
}

static void add_names(ls_buf *out, const ls_option *option) {
    const char *dashes = option->name[0] == '-' ? "" : "--";
    if (option->letter) ls_buf_printf(out, "-%c, ", option->letter);
    ls_buf_printf(out, "%s%s", dashes, option->name);
    if (option->value) ls_buf_printf(out, " %s", option->value);
}

static void add_option(ls_buf *out, const ls_option *option) {
    enum { HELP_COLUMN = 30, WIDTH = 100 };
    if (option->kind == LS_OPT_HEADING) {
        ls_buf_printf(out, "\n%s:\n", option->help);
        return;
    }
    ls_buf names = {0};
    add_names(&names, option);
    int indent = option->letter || option->name[0] == '-' ? 2 : 6;
    size_t wide = (size_t)indent + columns(ls_buf_text(&names), names.length);
    ls_buf_printf(out, "%*s%s", indent, "", ls_buf_text(&names));
    if (wide + 2 > HELP_COLUMN) {
        ls_buf_putc(out, '\n');
        wide = 0;
    }
    ls_buf_printf(out, "%*s", (int)(HELP_COLUMN - wide), "");
    ls_buf_free(&names);
    ls_buf help = {0};
    ls_buf_puts(&help, option->help);
    if (option->initial && strcmp(option->initial, "0")) ls_buf_printf(&help, " [%s]", option->initial);
    add_wrapped(out, ls_buf_text(&help), HELP_COLUMN, WIDTH);
    ls_buf_free(&help);
}

void ls_help_wrapped(ls_buf *out, const char *text) {
    add_wrapped(out, text, 0, 100);
}

void ls_help_main(ls_buf *out) {
    ls_buf_puts(out, "Lockstep: verifier, sanitizer and performance analyser for GPU kernels.\n\n"
                     "Usage: lockstep SUBCOMMAND [OPTION…] FILE…\n\nSubcommands:\n");
    for (const ls_command *const *c = ls_commands; *c; c++) {
        size_t wide = strlen((*c)->name) + 1 + columns((*c)->operands, strlen((*c)->operands));
        ls_buf_printf(out, "  %s %s%s%*s%s\n", (*c)->name, (*c)->operands, wide < 20 ? "" : "\n",
                      (int)(wide < 20 ? 20 - wide : 22), "", (*c)->summary);
    }
    ls_buf_puts(out, "\n"
                     "  lockstep SUBCOMMAND --help, lockstep help SUBCOMMAND   what it does, its options\n"
                     "  lockstep --version                                     the version\n"
                     "  lockstep --completion bash|zsh|fish                    shell completion script\n\n"
                     "Exit status: 0 all clean, 1 something found, 2 wrong usage or unreadable input,\n"
                     "3 nothing found but something unknown.\n");
}

void ls_help_command(const ls_command *command, ls_buf *out) {
    ls_buf_printf(out, "Usage: lockstep %s [OPTION…] %s\n\n", command->name, command->operands);
    add_wrapped(out, command->about, 0, 100);
    if (command->options->kind != LS_OPT_HEADING) ls_buf_puts(out, "\nOptions:\n");
    for (const ls_option *o = command->options; o->kind != LS_OPT_END; o++) add_option(out, o);
    ls_buf_puts(out, "\n  -h, --help                  show this help\n");
    if (command->examples) ls_buf_puts(out, "\nExamples:\n");
    for (const char *at = command->examples; at && *at;) {
        size_t words = strcspn(at, "\t"), meaning = strcspn(at + words + 1, "\n");
        ls_buf_printf(out, "  lockstep %s %.*s\n      %.*s\n", command->name, (int)words, at, (int)meaning,
                      at + words + 1);
        at += words + meaning + 2;
    }
}

/* --- The man page -------------------------------------------------------------------------------------- */

static void add_roff(ls_buf *out, const char *text) {
    bool line_start = true;
    for (; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) ls_buf_puts(out, "\\&");
        line_start = *text == '\n';
        if (*text == '-')
            ls_buf_puts(out, "\\-");
        else if (*text == '\\')
            ls_buf_puts(out, "\\e");
        else
            ls_buf_putc(out, *text);
    }
}

static void add_roff_option(ls_buf *out, const ls_option *option) {
    if (option->kind == LS_OPT_HEADING) {
        ls_buf_puts(out, ".PP\n");
        add_roff(out, option->help);
        ls_buf_puts(out, ":\n");
        return;
    }
    ls_buf_puts(out, ".TP\n.B ");
    ls_buf names = {0};
    add_names(&names, option);
    add_roff(out, ls_buf_text(&names));
    ls_buf_free(&names);
    ls_buf_putc(out, '\n');
    add_roff(out, option->help);
    if (option->initial && strcmp(option->initial, "0")) {
        ls_buf_puts(out, " (default: ");
        add_roff(out, option->initial);
        ls_buf_putc(out, ')');
    }
    ls_buf_putc(out, '\n');
}

static void add_roff_examples(ls_buf *out, const ls_command *command) {
    for (const char *at = command->examples; at && *at;) {
        size_t words = strcspn(at, "\t"), meaning = strcspn(at + words + 1, "\n");
        ls_buf line = {0};
        ls_buf_printf(&line, "lockstep %s %.*s", command->name, (int)words, at);
        ls_buf_puts(out, ".PP\nExample: ");
        add_roff(out, ls_buf_text(&line));
        ls_buf_free(&line);
        ls_buf_printf(&line, "\n.br\n    %.*s\n", (int)meaning, at + words + 1);
        ls_buf_puts(out, ls_buf_text(&line));
        ls_buf_free(&line);
        at += words + meaning + 2;
    }
}

void ls_man_commands(ls_buf *out) {
    for (const ls_command *const *c = ls_commands; *c; c++) {
        ls_buf_puts(out, ".SS lockstep ");
        add_roff(out, (*c)->name);
        ls_buf_puts(out, " [OPTION…] ");
        add_roff(out, (*c)->operands);
        ls_buf_putc(out, '\n');
        add_roff(out, (*c)->about);
        ls_buf_putc(out, '\n');
        add_roff_examples(out, *c);
        for (const ls_option *o = (*c)->options; o->kind != LS_OPT_END; o++) add_roff_option(out, o);
    }
}
