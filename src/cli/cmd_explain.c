/* lockstep explain: what a rule means, with an example and how to mend it. */
#include "cli/cli.h"
#include "cli/explanations.h"

#include <string.h>

typedef struct {
    ls_common common;
} explain_options;

static const ls_option options[] = {{LS_OPT_TEXT, "output", 'o', LS_COMMON(output), "FILE", NULL,
                                     "write to FILE instead of the standard output", .own = true},
                                    {LS_OPT_END}};

static void add_code(ls_buf *out, const char *title, const char *code) {
    if (!*code) return;
    ls_buf_printf(out, "\n%s:\n\n", title);
    for (; *code; code += strcspn(code, "\n") + 1)
        ls_buf_printf(out, "    %.*s\n", (int)strcspn(code, "\n"), code);
}

static void explain(ls_buf *out, ls_rule rule) {
    const ls_rule_info *info = ls_rule_get(rule);
    const ls_explanation *how = ls_explanation_of(rule);
    ls_buf_printf(out, "%s: %s\n\n", info->name, info->title);
    ls_help_wrapped(out, info->help);
    ls_buf line = {0};
    ls_buf_printf(&line, "Example, as `lockstep %s` finds it", how->command);
    add_code(out, ls_buf_text(&line), how->wrong);
    ls_buf_free(&line);
    add_code(out, "Fixed", how->right);
    ls_buf_puts(out, "\nHow to fix it:\n\n");
    ls_help_wrapped(out, how->mend);
}

static void list_rules(ls_buf *out) {
    for (int i = 0; i < LS_RULE_COUNT; i++) {
        const ls_rule_info *info = ls_rule_get((ls_rule)i);
        ls_buf_printf(out, "%-22s %s\n", info->name, info->title);
    }
}

static int unknown_rule(const ls_cli *cli, const char *name) {
    const char *names[LS_RULE_COUNT + 1] = {0};
    for (int i = 0; i < LS_RULE_COUNT; i++) names[i] = ls_rule_get((ls_rule)i)->name;
    const char *near = ls_nearest(name, names);
    if (near) return ls_cli_error(cli, "there is no rule '%s'; did you mean '%s'?", name, near);
    return ls_cli_error(cli, "there is no rule '%s'; 'lockstep explain' lists them", name);
}

static int run(ls_cli *cli, const void *parsed) {
    const explain_options *o = parsed;
    ls_buf out = {0};
    int status = LS_EXIT_CLEAN;
    if (!o->common.operands.count) list_rules(&out);
    for (uint32_t i = 0; i < o->common.operands.count && !status; i++) {
        ls_rule rule = ls_rule_find(o->common.operands.items[i]);
        if (i) ls_buf_putc(&out, '\n');
        if (rule == LS_RULE_COUNT)
            status = unknown_rule(cli, o->common.operands.items[i]);
        else
            explain(&out, rule);
    }
    if (!status) status = ls_cli_write(cli, &o->common, ls_buf_text(&out), out.length);
    ls_buf_free(&out);
    return status;
}

const ls_command ls_cmd_explain = {.name = "explain",
                                   .operands = "[RULE…]",
                                   .summary = "explain a rule: what it means, an example, and how to fix it",
                                   .about = "Explains the rules that findings name in brackets, such as "
                                            "[race.shared]. Without a rule all of them are listed.",
                                   .examples = "race.shared\twhat a race in shared memory is\n"
                                               "\tall rules\n",
                                   .options = options,
                                   .options_size = sizeof(explain_options),
                                   .run = run,
                                   .never_finds = true};
