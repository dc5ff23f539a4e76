/* compile_commands.json: the options with which a project compiles a file. Only options that decide what the
 * source says are taken over; optimisation, warnings and outputs are the front end's own. */
#include "frontend/database.h"

#include "base/buf.h"
#include "base/words.h"
#include "lockstep/frontend.h"

#ifdef LS_HAVE_JANSSON
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Options with a value, joined or as the next argument; `path`: relative to the entry's directory. */
static const struct {
    const char *name;
    bool path;
} OPTIONS[] = {
    {"-include", true}, {"-isystem", true}, {"-iquote", true}, {"-I", true}, {"-D", false}, {"-U", false},
};

static const char *absolute_path(ls_arena *arena, const char *directory, const char *path) {
    return *path == '/' || !directory ? path : ls_arena_printf(arena, "%s/%s", directory, path);
}

/* Files of options, which CMake's generators write: --options-file F, -optf F, @F. */
static const char *options_file(const ls_args *arguments, uint32_t *i) {
    const char *argument = arguments->items[*i];
    if (argument[0] == '@') return argument + 1;
    if (!strncmp(argument, "--options-file=", 15)) return argument + 15;
    bool named = !strcmp(argument, "--options-file") || !strcmp(argument, "-optf");
    return named && *i + 1 < arguments->length ? arguments->items[++*i] : NULL;
}

/* The arguments with those of the files in their place. */
static void expand(ls_arena *arena, const char *directory, ls_args *arguments) {
    ls_args out = {0};
    for (uint32_t i = 0; i < arguments->length; i++) {
        const char *named = options_file(arguments, &i);
        ls_buf text = {0};
        if (named && ls_read_file(absolute_path(arena, directory, named), &text)) {
            const char *rest = ls_arena_strdup(arena, ls_buf_text(&text));
            for (const char *argument; (argument = ls_word_next(arena, &rest));) LS_VEC_PUSH(&out, argument);
        } else if (!named) {
            LS_VEC_PUSH(&out, arguments->items[i]);
        }
        ls_buf_free(&text);
    }
    LS_VEC_FREE(arguments);
    *arguments = out;
}

static void arguments_of(ls_arena *arena, const json_t *entry, ls_args *out) {
    const json_t *list = json_object_get(entry, "arguments");
    size_t i;
    const json_t *item;
    json_array_foreach(list, i, item) {
        if (json_is_string(item)) LS_VEC_PUSH(out, ls_arena_strdup(arena, json_string_value(item)));
    }
    const char *command = json_string_value(json_object_get(entry, "command"));
    if (out->length || !command) return;
    for (const char *argument; (argument = ls_word_next(arena, &command));) LS_VEC_PUSH(out, argument);
}

static void take(ls_job *job, const char *directory, const ls_args *arguments) {
    for (uint32_t i = 1; i < arguments->length; i++) {
        const char *argument = arguments->items[i];
        if (!strncmp(argument, "-std=", 5) && !job->standard) job->standard = argument + 5;
        if (!strncmp(argument, "-cl-std=", 8) && !job->standard) job->standard = argument + 8;
        for (size_t o = 0; o < sizeof OPTIONS / sizeof *OPTIONS; o++) {
            size_t length = strlen(OPTIONS[o].name);
            if (strncmp(argument, OPTIONS[o].name, length)) continue;
            const char *value = argument + length;
            if (!*value) {
                if (++i == arguments->length) return;
                value = arguments->items[i];
            }
            if (OPTIONS[o].path) value = absolute_path(job->arena, directory, value);
            LS_VEC_PUSH(&job->database, OPTIONS[o].name);
            LS_VEC_PUSH(&job->database, value);
            break;
        }
    }
}

static bool same_file(const char *a, const char *b) {
    char *real_a = realpath(a, NULL), *real_b = realpath(b, NULL);
    bool same = real_a && real_b && !strcmp(real_a, real_b);
    free(real_a);
    free(real_b);
    return same;
}

/* The list of compile commands; NULL with an error in diags. */
static json_t *load(ls_arena *arena, const char *path, ls_diags *diags) {
    struct stat status;
    if (!stat(path, &status) && S_ISDIR(status.st_mode))
        path = ls_arena_printf(arena, "%s/compile_commands.json", path);
    json_error_t error;
    json_t *database = json_load_file(path, 0, &error);
    if (database && json_is_array(database)) return database;
    uint32_t line = database || error.line < 0 ? 0 : (uint32_t)error.line;
    ls_diags_add(diags, LS_ERROR, path, line, 0, "%s",
                 database ? "expected a list of compile commands" : error.text);
    json_decref(database);
    return NULL;
}

static bool has_ending(const char *file, const char *const *endings) {
    const char *dot = file ? strrchr(file, '.') : NULL;
    for (; dot && *endings; endings++)
        if (!strcmp(dot, *endings)) return true;
    return false;
}

/* The files with one of these endings. */
static bool each_file(const char *path, const char *const *endings,
                      void (*each)(void *context, const char *file), void *context, ls_diags *diags) {
    ls_arena arena;
    ls_arena_init(&arena);
    json_t *database = load(&arena, path, diags);
    size_t i;
    const json_t *entry;
    json_array_foreach(database, i, entry) {
        const char *file = json_string_value(json_object_get(entry, "file"));
        if (has_ending(file, endings))
            each(context,
                 absolute_path(&arena, json_string_value(json_object_get(entry, "directory")), file));
    }
    bool good = database != NULL;
    json_decref(database);
    ls_arena_free(&arena);
    return good;
}

bool ls_compile_commands_files(const char *path, void (*each)(void *context, const char *file), void *context,
                               ls_diags *diags) {
    static const char *const KERNELS[] = {".cu", ".cl", NULL};
    return each_file(path, KERNELS, each, context, diags);
}

bool ls_database_hosts(const char *path, void (*each)(void *context, const char *file), void *context,
                       ls_diags *diags) {
    static const char *const HOSTS[] = {".cu", ".cpp", ".cc", ".cxx", ".c++", ".C", ".c", NULL};
    return each_file(path, HOSTS, each, context, diags);
}

bool ls_database_read(ls_job *job, const char *path, ls_diags *diags) {
    json_t *database = load(job->arena, path, diags);
    if (!database) return false;
    bool found = false;
    size_t i;
    const json_t *entry;
    json_array_foreach(database, i, entry) {
        const char *directory = json_string_value(json_object_get(entry, "directory"));
        const char *file = json_string_value(json_object_get(entry, "file"));
        if (!file || !same_file(absolute_path(job->arena, directory, file), job->path)) continue;
        ls_args arguments = {0};
        arguments_of(job->arena, entry, &arguments);
        expand(job->arena, directory, &arguments);
        take(job, directory ? ls_arena_strdup(job->arena, directory) : NULL, &arguments);
        LS_VEC_FREE(&arguments);
        found = true;
        break;
    }
    json_decref(database);
    if (!found) ls_diags_add(diags, LS_WARNING, job->path, 0, 0, "%s does not name this file", path);
    return true;
}
#else
bool ls_compile_commands_files(const char *path, void (*each)(void *context, const char *file), void *context,
                               ls_diags *diags) {
    (void)each, (void)context;
    ls_diags_add(diags, LS_ERROR, path, 0, 0,
                 "this build of Lockstep cannot read compile commands (it has no jansson)");
    return false;
}

bool ls_database_hosts(const char *path, void (*each)(void *context, const char *file), void *context,
                       ls_diags *diags) {
    return ls_compile_commands_files(path, each, context, diags);
}

bool ls_database_read(ls_job *job, const char *path, ls_diags *diags) {
    (void)job;
    ls_diags_add(diags, LS_ERROR, path, 0, 0,
                 "this build of Lockstep cannot read compile commands (it has no jansson)");
    return false;
}
#endif
