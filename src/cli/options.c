/* Option parsing from a subcommand's table: --name value, --name=value, -x value, -xvalue, -include FILE;
 * everything after "--" is kept as it is. Errors name the option, what was expected and, for a mistyped
 * one, the nearest that exists. */
#include "base/guard.h"
#include "cli/config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void ls_list_push(ls_arena *arena, ls_list *list, const char *item) {
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 8;
        const char **items = LS_NEW_N(arena, const char *, capacity);
        if (list->count) memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
}

char **ls_list_argv(ls_arena *arena, const ls_list *words) {
    char **argv = LS_NEW_N(arena, char *, words->count + 1);
    for (uint32_t i = 0; i < words->count; i++) argv[i] = ls_arena_strdup(arena, words->items[i]);
    return argv;
}

bool ls_choice_word(const char *words, uint32_t index, const char **word, size_t *length) {
    for (;; words += *length + 1) {
        *length = strcspn(words, "|");
        *word = words;
        if (index-- == 0) return true;
        if (!words[*length]) return false;
    }
}

bool ls_size_parse(const char *text, ls_size *size) {
    ls_size parsed = {{1, 1, 1}, true};
    bool bracket = *text == '[';
    text += bracket;
    for (int i = 0; i < 3; i++) {
        if (*text < '0' || *text > '9') return false;
        char *end;
        errno = 0;
        unsigned long number = strtoul(text, &end, 10);
        if (errno || number == 0 || number > UINT32_MAX) return false;
        parsed.of[i] = (uint32_t)number;
        parsed.dimensions = (uint8_t)(i + 1);
        text = end;
        if (i == 2 || (*text != ',' && *text != 'x')) break;
        text++;
        while (*text == ' ') text++;
    }
    if (bracket && *text++ != ']') return false;
    if (*text) return false;
    *size = parsed;
    return true;
}

/* --- Values -------------------------------------------------------------------------------------------- */

/* A parser of one kind of value: false where the text is not one. */
typedef bool (*value_parser)(ls_arena *arena, const ls_option *option, const char *text, void *field);

static bool parse_flag(ls_arena *arena, const ls_option *option, const char *text, void *field) {
    (void)arena, (void)option, (void)text;
    *(bool *)field = true;
    return true;
}

static bool parse_text(ls_arena *arena, const ls_option *option, const char *text, void *field) {
    (void)arena, (void)option;
    *(const char **)field = text;
    return true;
}

static bool parse_list(ls_arena *arena, const ls_option *option, const char *text, void *field) {
    (void)option;
    ls_list_push(arena, field, text);
    return true;
}

static bool parse_number(ls_arena *arena, const ls_option *option, const char *text, void *field) {
    (void)arena, (void)option;
    char *end;
    errno = 0;
    unsigned long number = strtoul(text, &end, 0);
    if (errno || *end || *text < '0' || *text > '9' || number > UINT32_MAX) return false;
    *(uint32_t *)field = (uint32_t)number;
    return true;
}

static bool parse_seconds(ls_arena *arena, const ls_option *option, const char *text, void *field) {
    (void)arena, (void)option;
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= 0) || number > 1e9) return false;
    *(double *)field = number;
    return true;
}

static bool parse_choice(ls_arena *arena, const ls_option *option, const char *text, void *field) {
    (void)arena;
    const char *word;
    size_t length;
    for (uint32_t i = 0; ls_choice_word(option->value, i, &word, &length); i++)
        if (strlen(text) == length && !memcmp(text, word, length)) {
            *(int *)field = (int)i;
            return true;
        }
    return false;
}

static bool parse_bytes(ls_arena *arena, const ls_option *option, const char *text, void *field) {
    (void)arena, (void)option;
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno || end == text || *text < '0' || *text > '9') return false;
    const char *unit = *end ? strchr(units, *end >= 'a' ? *end - 32 : *end) : NULL;
    if (*end && (!unit || (end[1] && strcmp(end + 1, "B") && strcmp(end + 1, "iB")))) return false;
    uint32_t shift = unit ? 10 * (uint32_t)(unit - units + 1) : 0;
    if (number > UINT64_MAX >> shift) return false;
    *(uint64_t *)field = (uint64_t)number << shift;
    return true;
}

static bool parse_size(ls_arena *arena, const ls_option *option, const char *text, void *field) {
    (void)arena, (void)option;
    return ls_size_parse(text, field);
}

static const struct {
    value_parser parse;
    const char *expected;
} kinds[] = {
    [LS_OPT_FLAG] = {parse_flag, "no value"},
    [LS_OPT_TEXT] = {parse_text, "a string"},
    [LS_OPT_LIST] = {parse_list, "a string"},
    [LS_OPT_NUMBER] = {parse_number, "a number"},
    [LS_OPT_SECONDS] = {parse_seconds, "a number of seconds"},
    [LS_OPT_CHOICE] = {parse_choice, "one of"},
    [LS_OPT_SIZE] = {parse_size, "one to three numbers from 1, such as 64 or 8,8"},
    [LS_OPT_BYTES] = {parse_bytes, "a number of bytes, such as 512M or 4G"},
};

/* --- Finding the option -------------------------------------------------------------------------------- */

static const ls_option help_options[] = {
    {LS_OPT_FLAG, "help", 'h', LS_COMMON(help), NULL, NULL, "show this help"}, {LS_OPT_END}};

static bool is_option(const ls_option *option) {
    return option->kind > LS_OPT_HEADING;
}

const ls_option *ls_option_match(const ls_option *table, const char *argument, const char **value) {
    for (const ls_option *option = table; option->kind != LS_OPT_END; option++) {
        if (!is_option(option)) continue;
        *value = NULL;
        const char *name = option->name;
        if (name[0] == '-') { /* one dash, long name; two are taken as well */
            if (!strcmp(argument, name) || (argument[1] == '-' && !strcmp(argument + 1, name))) return option;
            continue;
        }
        size_t length = strlen(name);
        if (argument[1] == '-' && !strncmp(argument + 2, name, length)) {
            if (!argument[2 + length]) return option;
            if (argument[2 + length] == '=') return *value = argument + 3 + length, option;
        }
    }
    if (argument[1] == '-') return NULL;
    for (const ls_option *option = table; option->kind != LS_OPT_END; option++)
        if (is_option(option) && option->letter && argument[1] == option->letter) {
            *value = argument[2] ? argument + 2 : NULL;
            if (*value && **value == '=') ++*value;
            return option;
        }
    return NULL;
}

/* Results may be kept where they always are. */
bool ls_option_is_harmless(const ls_option *option, const char *value) {
    return !option->own ||
           (option->offset == LS_COMMON(cache) && value && (!strcmp(value, "on") || !strcmp(value, "off")));
}

static void explain_unknown(const ls_cli *cli, const char *argument) {
    const ls_option *table = cli->command->options;
    const char *names[128];
    size_t count = 0, length = strcspn(argument, "=");
    for (const ls_option *o = table; o->kind != LS_OPT_END && count < 126; o++)
        if (is_option(o)) names[count++] = o->name[0] == '-' ? o->name + 1 : o->name;
    names[count++] = "help";
    names[count] = NULL;
    char name[64];
    const char *start = argument + strspn(argument, "-");
    length -= (size_t)(start - argument);
    if (length >= sizeof name) length = sizeof name - 1;
    memcpy(name, start, length);
    name[length] = 0;
    const char *near = length > 1 ? ls_nearest(name, names) : NULL;
    if (near)
        ls_cli_error(cli, "unknown option '%s'; did you mean '--%s'?", argument, near);
    else
        ls_cli_error(cli, "unknown option '%s'", argument);
    fprintf(stderr, "Try 'lockstep %s --help'.\n", cli->command->name);
}

static bool set(ls_cli *cli, const ls_option *option, const char *given, const char *value, void *options) {
    if (kinds[option->kind].parse(&cli->arena, option, value, (char *)options + option->offset)) return true;
    bool choice = option->kind == LS_OPT_CHOICE;
    ls_cli_error(cli, "%s expects %s%s%s, not '%s'", given, kinds[option->kind].expected, choice ? " " : "",
                 choice ? option->value : "", value);
    return false;
}

static void set_defaults(ls_cli *cli, void *options) {
    for (const ls_option *o = cli->command->options; o->kind != LS_OPT_END; o++)
        if (is_option(o) && o->initial) set(cli, o, o->name, o->initial, options);
}

/* --- .lockstep.toml --------------------------------------------------------------------------------------
 */

static const ls_option *find_option(const ls_option *table, const char *name) {
    for (const ls_option *o = table; o->kind != LS_OPT_END; o++)
        if (is_option(o) && !strcmp(o->name[0] == '-' ? o->name + 1 : o->name, name)) return o;
    return NULL;
}

/* Some subcommand takes it, though this one does not. */
static bool is_known(const char *name) {
    for (const ls_command *const *c = ls_commands; *c; c++)
        if (find_option((*c)->options, name)) return true;
    return false;
}

/* Paths in the file are relative to its folder. */
static const char *value_of(ls_cli *cli, const ls_option *option, const char *value) {
    static const char *const paths[] = {"include-dir", "-include", "compile-commands", "baseline", NULL};
    for (const char *const *p = paths; *p; p++)
        if (!strcmp(option->name, *p) && *value != '/')
            return ls_arena_printf(&cli->arena, "%s%s", cli->config->folder, value);
    return value;
}

static bool set_entry(ls_cli *cli, const ls_toml_entry *e, void *options, ls_diags *diags) {
    const ls_option *option = find_option(cli->command->options, e->key);
    bool flag = option && option->kind == LS_OPT_FLAG, all = !strcmp(e->table, "options");
    const char *wrong = NULL;
    if (!option && (!all || !is_known(e->key)))
        wrong = "there is no such option";
    else if (option && flag != (e->kind == LS_TOML_BOOL))
        wrong = flag ? "true or false is expected" : "a string or a number is expected";
    else if (option && e->is_list && option->kind != LS_OPT_LIST)
        wrong = "a single value is expected";
    for (uint32_t i = 0; option && i < e->values.count && !wrong; i++)
        if (!ls_option_is_harmless(option, e->values.items[i]))
            wrong = "this can only be given on the command line";
    for (uint32_t i = 0; option && i < e->values.count && !wrong; i++) {
        const char *value = value_of(cli, option, e->values.items[i]);
        if (flag)
            *(bool *)((char *)options + option->offset) = !strcmp(value, "true");
        else if (!kinds[option->kind].parse(&cli->arena, option, value, (char *)options + option->offset))
            wrong = ls_arena_printf(&cli->arena, "%s%s%s is expected", kinds[option->kind].expected,
                                    option->kind == LS_OPT_CHOICE ? " " : "",
                                    option->kind == LS_OPT_CHOICE ? option->value : "");
    }
    if (wrong) ls_diags_add(diags, LS_ERROR, cli->config->file, e->line, 0, "%s: %s", e->key, wrong);
    return !wrong;
}

/* The file that --config names, before the other options are read. */
static const char *config_named(int argc, char **argv) {
    const char *named = NULL;
    for (int i = 0; i < argc && strcmp(argv[i], "--"); i++) {
        if (!strncmp(argv[i], "--config=", 9)) named = argv[i] + 9;
        if (!strcmp(argv[i], "--config") && i + 1 < argc) named = argv[i + 1];
    }
    return named;
}

/* What .lockstep.toml says, between the defaults and the command line. */
static bool set_configured(ls_cli *cli, int argc, char **argv, void *options) {
    if (!find_option(cli->command->options, "config")) return true;
    ls_diags *diags = ls_diags_new();
    cli->config = LS_NEW(&cli->arena, struct ls_config);
    bool good = ls_config_read(config_named(argc, argv), &cli->arena, cli->config, diags);
    for (int own = 0; own < 2; own++) /* [options], then the subcommand's own table */
        for (uint32_t i = 0; i < cli->config->toml.count && good; i++) {
            const ls_toml_entry *e = &cli->config->toml.entries[i];
            if (!strcmp(e->table, own ? cli->command->name : "options"))
                good = set_entry(cli, e, options, diags);
        }
    ls_common *common = options;
    if (common->max_memory > ls_half_of_memory()) common->max_memory = 0; /* a file does not raise it */
    ls_cli_show_diags(cli, options, diags);
    ls_diags_free(diags);
    return good;
}

bool ls_options_parse(ls_cli *cli, int argc, char **argv, void *options) {
    ls_common *common = options;
    set_defaults(cli, options);
    if (!set_configured(cli, argc, argv, options)) return false;
    for (int i = 0; i < argc; i++) {
        const char *argument = argv[i], *value;
        if (!strcmp(argument, "--")) {
            common->divided = true;
            for (i++; i < argc; i++) ls_list_push(&cli->arena, &common->extra, argv[i]);
            break;
        }
        if (argument[0] != '-' || !argument[1]) {
            ls_list_push(&cli->arena, &common->operands, argument);
            continue;
        }
        const ls_option *option = ls_option_match(cli->command->options, argument, &value);
        if (!option) option = ls_option_match(help_options, argument, &value);
        if (!option) return explain_unknown(cli, argument), false;
        if (option->kind == LS_OPT_FLAG && value) {
            ls_cli_error(cli, "%.*s takes no value", (int)strcspn(argument, "="), argument);
            return false;
        }
        if (option->kind != LS_OPT_FLAG && !value) {
            if (++i == argc) {
                ls_cli_error(cli, "%s needs a value: %s", argument, option->value);
                return false;
            }
            value = argv[i];
        }
        if (!set(cli, option, argument, value, options)) return false;
    }
    return true;
}
