/* Shell completion scripts for bash, zsh and fish, written from the tables of subcommands and options. */
#include "cli/cli.h"

#include <string.h>

#define FOR_COMMANDS(c) for (const ls_command *const *c = ls_commands; *c; c++)
#define FOR_OPTIONS(o, command)                                                                              \
    for (const ls_option *o = (command)->options; o->kind != LS_OPT_END; o++)                                \
        if (o->kind != LS_OPT_HEADING)

static const char *dashes(const ls_option *option) {
    return option->name[0] == '-' ? "" : "--";
}

/* The words of a choice, separated by blanks. */
static void add_words(ls_buf *out, const char *words) {
    for (; *words; words++) ls_buf_putc(out, *words == '|' ? ' ' : *words);
}

/* Text inside single quotes of a shell; in zsh's specifications brackets and colons are special too. */
static void add_quoted(ls_buf *out, const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'') {
            ls_buf_puts(out, "'\\''");
            continue;
        }
        if (strchr(special, *text)) ls_buf_putc(out, '\\');
        ls_buf_putc(out, *text);
    }
}

static void bash(ls_buf *out) {
    ls_buf_puts(out,
                "# bash completion for lockstep\n"
                "_lockstep() {\n"
                "    local cur prev sub\n"
                "    cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} sub=${COMP_WORDS[1]}\n"
                "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                "        COMPREPLY=($(compgen -W '");
    FOR_COMMANDS(c) ls_buf_printf(out, "%s ", (*c)->name);
    ls_buf_puts(out,
                "help --help --version' -- \"$cur\"))\n        return\n    fi\n    case $sub,$prev in\n");
    ls_buf_puts(out, "    help,*) COMPREPLY=($(compgen -W '");
    FOR_COMMANDS(c) ls_buf_printf(out, "%s ", (*c)->name);
    ls_buf_puts(out, "' -- \"$cur\")); return ;;\n");
    FOR_COMMANDS(c) FOR_OPTIONS(o, *c) if (o->kind == LS_OPT_CHOICE) {
        ls_buf_printf(out, "    %s,%s%s) COMPREPLY=($(compgen -W '", (*c)->name, dashes(o), o->name);
        add_words(out, o->value);
        ls_buf_puts(out, "' -- \"$cur\")); return ;;\n");
    }
    ls_buf_puts(out, "    esac\n    case $cur in\n    -*)\n        case $sub in\n");
    FOR_COMMANDS(c) {
        ls_buf_printf(out, "        %s) COMPREPLY=($(compgen -W '", (*c)->name);
        FOR_OPTIONS(o, *c) ls_buf_printf(out, "%s%s ", dashes(o), o->name);
        ls_buf_puts(out, "--help' -- \"$cur\")) ;;\n");
    }
    ls_buf_puts(out, "        esac ;;\n    *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n    esac\n}\n"
                     "complete -o filenames -F _lockstep lockstep\n");
}

static void zsh_option(ls_buf *out, const ls_option *option) {
    const char *repeat = option->kind == LS_OPT_LIST ? "*" : "";
    ls_buf_printf(out, "                '%s%s%s[", repeat, dashes(option), option->name);
    add_quoted(out, option->help, "[]:");
    ls_buf_putc(out, ']');
    if (option->kind == LS_OPT_CHOICE) {
        ls_buf_printf(out, ":%s:(", option->name);
        add_words(out, option->value);
        ls_buf_putc(out, ')');
    } else if (option->kind != LS_OPT_FLAG) {
        ls_buf_putc(out, ':');
        add_quoted(out, option->value, "[]:");
        bool path =
            strstr(option->value, "FILE") || strstr(option->value, "DIR") || strstr(option->value, "PATH");
        ls_buf_puts(out, path ? ":_files" : ":");
    }
    ls_buf_puts(out, "' \\\n");
}

static void zsh(ls_buf *out) {
    ls_buf_puts(out, "#compdef lockstep\n"
                     "_lockstep() {\n"
                     "    local -a subcommands\n"
                     "    subcommands=(\n");
    FOR_COMMANDS(c) {
        ls_buf_printf(out, "        '%s:", (*c)->name);
        add_quoted(out, (*c)->summary, ":");
        ls_buf_puts(out, "'\n");
    }
    ls_buf_puts(out, "        'help:what a subcommand does'\n"
                     "    )\n"
                     "    if (( CURRENT == 2 )); then\n"
                     "        _describe subcommand subcommands\n"
                     "        return\n"
                     "    fi\n"
                     "    local subcommand=$words[2]\n"
                     "    shift words; (( CURRENT-- ))\n"
                     "    case $subcommand in\n"
                     "        help) _describe subcommand subcommands ;;\n");
    FOR_COMMANDS(c) {
        ls_buf_printf(out, "        %s)\n            _arguments -s \\\n", (*c)->name);
        FOR_OPTIONS(o, *c) zsh_option(out, o);
        ls_buf_puts(out, "                '--help[show this help]' '*:file:_files' ;;\n");
    }
    ls_buf_puts(out, "    esac\n}\n_lockstep \"$@\"\n");
}

static void fish(ls_buf *out) {
    ls_buf_puts(out, "# fish completion for lockstep\n");
    FOR_COMMANDS(c) {
        ls_buf_printf(out, "complete -c lockstep -n __fish_use_subcommand -f -a %s -d '", (*c)->name);
        add_quoted(out, (*c)->summary, "");
        ls_buf_puts(out, "'\n");
        FOR_OPTIONS(o, *c) {
            ls_buf_printf(out, "complete -c lockstep -n '__fish_seen_subcommand_from %s' ", (*c)->name);
            if (o->letter) ls_buf_printf(out, "-s %c ", o->letter);
            ls_buf_printf(out, "%s %s ", o->name[0] == '-' ? "-o" : "-l", o->name + (o->name[0] == '-'));
            if (o->kind != LS_OPT_FLAG) ls_buf_puts(out, "-r ");
            if (o->kind == LS_OPT_CHOICE) {
                ls_buf_puts(out, "-f -a '");
                add_words(out, o->value);
                ls_buf_puts(out, "' ");
            }
            ls_buf_puts(out, "-d '");
            add_quoted(out, o->help, "");
            ls_buf_puts(out, "'\n");
        }
    }
}

bool ls_completion(const char *shell, ls_buf *out) {
    static const struct {
        const char *name;
        void (*write)(ls_buf *out);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(shell, shells[i].name)) return shells[i].write(out), true;
    return false;
}
