/* Precompiled headers (precompiled.h). The name of one is a hash of the command that makes it, with the
 * includes that go into it: another option makes another one. It is written under another name first, as
 * several processes may make it at a time. What cannot be made leaves a note, and is not tried again.
 *
 * In the user's cache there are only Lockstep's own headers with those of the system that they include, for
 * files of all projects: folders that a project names (-I) are no part of the command there. Where one of
 * them has a file that could stand for one of these headers, the headers are read as they are. */
#include "frontend/precompiled.h"

#include "base/disk.h"
#include "base/hash.h"
#include "base/makefile.h"
#include "frontend/overlay.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 60, MAKE_SECONDS = 60 };

/* --- The includes -------------------------------------------------------------------------------------- */

/* Behind the comments and blanks at text. */
static const char *skip_blank(const char *text) {
    for (;;) {
        while (isspace((unsigned char)*text)) text++;
        const char *end = NULL;
        if (text[0] == '/' && text[1] == '/') end = strchr(text, '\n');
        if (text[0] == '/' && text[1] == '*') {
            end = strstr(text + 2, "*/");
            if (end) end += 2;
        }
        if (!end) return text;
        text = end;
    }
}

/* The end of "#include <…>", alone in its line, or NULL. */
static const char *after_include(const char *text) {
    if (*text++ != '#') return NULL;
    while (*text == ' ' || *text == '\t') text++;
    if (strncmp(text, "include", 7) != 0) return NULL;
    text += 7;
    while (*text == ' ' || *text == '\t') text++;
    if (*text != '<') return NULL;
    text += strcspn(text, ">\n");
    if (*text++ != '>') return NULL;
    while (*text == ' ' || *text == '\t' || *text == '\r') text++;
    return *text == '\n' || !*text ? text : NULL;
}

const char *ls_leading_includes(const char *text, ls_arena *arena) {
    ls_buf lines = {0};
    for (const char *start = text, *end; start = skip_blank(start), (end = after_include(start));
         start = end) {
        ls_buf_add(&lines, start, (size_t)(end - start));
        ls_buf_puts(&lines, "\n");
    }
    const char *copy = ls_arena_strdup(arena, ls_buf_text(&lines));
    ls_buf_free(&lines);
    return copy;
}

/* --- The commands -------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && !strcmp(text + a - b, end);
}

/* How many arguments from here on ask for what goes into the compiled form. */
static uint32_t own_headers(const ls_args *argv, uint32_t at) {
    if (at + 1 >= argv->length) return 0;
    const char *option = argv->items[at], *value = argv->items[at + 1];
    if (!strcmp(option, "-Xclang") && !strcmp(value, "-finclude-default-header")) return 2;
    bool own = !strcmp(option, "-include") &&
               (ends_with(value, "/cuda/lockstep_cuda.h") || ends_with(value, "/opencl/prelude.h"));
    return own ? 2 : 0;
}

/* How many arguments from here on say what is read, or what becomes of it: not part of how headers are read.
 */
static uint32_t of_this_file(const ls_args *argv, uint32_t at) {
    static const char *const pairs[] = {"-ivfsoverlay", "-include", "-c", "-o"};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (!strcmp(argv->items[at], pairs[i]) && at + 1 < argv->length) return 2;
    return 0;
}

/* Options that bring headers in another way. */
static bool is_usual(const ls_args *argv) {
    for (uint32_t i = 0; i < argv->length; i++) {
        const char *item = argv->items[i];
        if (!strncmp(item, "-include", 8) && item[8]) return false;
        if (!strncmp(item, "--include", 9) || !strncmp(item, "-imacros", 8) || !strcmp(item, "-emit-pch"))
            return false;
    }
    return true;
}

/* The folder that a project names here; NULL: none. */
static const char *folder_at(const ls_args *argv, uint32_t at) {
    return !strcmp(argv->items[at], "-I") && at + 1 < argv->length ? argv->items[at + 1] : NULL;
}

/* The command that makes the compiled form, but for its input and output; where it is for all projects,
 * without their folders. */
static void make_command(const ls_args *argv, bool for_all, ls_args *out) {
    for (uint32_t i = 0; i < argv->length;) {
        uint32_t own = own_headers(argv, i), skipped = own ? 0 : of_this_file(argv, i);
        if (for_all && folder_at(argv, i)) skipped = 2;
        for (uint32_t k = 0; k < own; k++) LS_VEC_PUSH(out, argv->items[i + k]);
        if (!own && !skipped) LS_VEC_PUSH(out, argv->items[i]);
        i += own ? own : skipped ? skipped : 1;
    }
    LS_VEC_PUSH(out, "-Xclang");
    LS_VEC_PUSH(out, "-emit-pch");
}

/* --- The folder ---------------------------------------------------------------------------------------- */

/* Others are made again where they are needed. */
static void make_room(const char *folder) {
    DIR *list = opendir(folder);
    if (!list) return;
    uint32_t count = 0;
    while (readdir(list)) count++;
    rewinddir(list);
    for (const struct dirent *entry; count > MOST_FILES && (entry = readdir(list));)
        if (*entry->d_name != '.') unlinkat(dirfd(list), entry->d_name, 0);
    closedir(list);
}

/* What it was made of, beside it. */
static const char *list_of(const ls_job *job, const char *name) {
    return ls_arena_printf(job->arena, "%s.depends", name);
}

static bool make(const ls_job *job, const ls_args *command, const char *folder, const char *name) {
    ls_arena *arena = job->arena;
    make_room(folder);
    const char *source = ls_arena_printf(arena, "%s.%ld%s", name, (long)getpid(),
                                         job->language == LS_LANGUAGE_OPENCL ? ".cl" : ".cu");
    const char *output = ls_arena_printf(arena, "%s.%ld", name, (long)getpid());
    if (!ls_write_file(source, job->leading, strlen(job->leading))) return false;
    ls_args argv = {0};
    for (uint32_t i = 0; i < command->length; i++) LS_VEC_PUSH(&argv, command->items[i]);
    const char *const rest[] = {"-MD", "-MF", list_of(job, name), "-c", source, "-o", output};
    for (int i = 0; i < 7; i++) LS_VEC_PUSH(&argv, rest[i]);
    ls_buf said = {0};
    ls_process_limits limits = {
        .seconds = MAKE_SECONDS, .bytes = job->options->compile_bytes, .output = 1 << 16};
    bool good =
        !ls_process_run(&argv, &limits, &said) && !rename(output, ls_arena_printf(arena, "%s.pch", name));
    if (!good) {
        unlink(output);
        ls_write_file(ls_arena_printf(arena, "%s.no", name), "", 0);
    }
    LS_VEC_FREE(&argv);
    ls_buf_free(&said);
    return good;
}

/* The text without the includes that are compiled already, in which every line has its number: as a list for
 * clang; NULL where it cannot be written. */
static const char *rest_of_text(const ls_job *job) {
    char *rest = ls_arena_strdup(job->arena, job->text);
    for (const char *at = rest, *end; at = skip_blank(at), (end = after_include(at)); at = end)
        memset(rest + (at - rest), ' ', (size_t)(end - at));
    const char *path = ls_arena_printf(job->arena, "%s/rest", job->folder);
    return ls_write_file(path, rest, strlen(rest)) ? ls_overlay(job, "rest.yaml", path) : NULL;
}

/* The command with the compiled form in place of what went into it. */
static bool change_command(const ls_job *job, const char *form, ls_args *argv) {
    const char *overlay = *job->leading ? rest_of_text(job) : job->overlay;
    if (*job->leading && !overlay) return false;
    ls_args changed = {0};
    bool placed = false;
    for (uint32_t i = 0; i < argv->length;) {
        uint32_t own = own_headers(argv, i), other = strcmp(argv->items[i], "-ivfsoverlay") ? 0 : 2;
        if (!own && !other) LS_VEC_PUSH(&changed, argv->items[i++]);
        i += own + other;
        if (!own || placed) continue;
        const char *const use[] = {"-Xclang", "-include-pch", "-Xclang", form, "-ivfsoverlay", overlay};
        for (int k = 0; k < (overlay ? 6 : 4); k++) LS_VEC_PUSH(&changed, use[k]);
        placed = true;
    }
    LS_VEC_FREE(argv);
    *argv = changed;
    return true;
}

/* --- Those for all projects ------------------------------------------------------------------------------
 */

typedef struct {
    const ls_args *argv;
    ls_arena *arena;
} folders;

/* Whether the path up to `end` is below a folder that headers are looked for in: what is there is included
 * with that part of its name. */
static bool is_below(const char *file, const char *end) {
    static const char *const parts[] = {"/bits", "/types", "/ext",   "/debug",      "/sys",
                                        "/gnu",  "/asm",   "/linux", "/asm-generic"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t length = strlen(parts[i]);
        if ((size_t)(end - file) > length && !strncmp(end - length, parts[i], length)) return true;
    }
    return false;
}

/* Whether no folder has a file of that name, by any number of its last parts by which it may be included. */
static bool is_not_there(void *context, const char *file) {
    const folders *all = context;
    bool found = false;
    for (const char *name = strrchr(file, '/'); name && name > file && !found;) {
        for (uint32_t i = 0; i < all->argv->length && !found && !is_below(file, name); i++) {
            const char *folder = folder_at(all->argv, i);
            found = folder && !access(ls_arena_printf(all->arena, "%s%s", folder, name), F_OK);
        }
        for (name--; name > file && *name != '/';) name--;
    }
    return !found;
}

/* No file in the folders of the project can stand for one of the headers. */
static bool is_undisturbed(const ls_job *job, const ls_args *argv, const char *name) {
    bool any = false;
    for (uint32_t i = 0; i < argv->length; i++) any |= folder_at(argv, i) != NULL;
    if (!any) return true;
    ls_buf rule = {0};
    ls_arena arena;
    ls_arena_init(&arena);
    bool good = ls_read_file(list_of(job, name), &rule) &&
                ls_makefile_each(ls_buf_text(&rule), is_not_there, &(folders){argv, &arena});
    ls_arena_free(&arena);
    ls_buf_free(&rule);
    return good;
}

/* It takes longer to make than to do without: whether it was asked for before. */
static bool was_asked_for(const ls_job *job, const char *name) {
    const char *note = ls_arena_printf(job->arena, "%s.once", name);
    bool known = !access(note, F_OK);
    if (!known) ls_write_file(note, "", 0);
    return known;
}

/* The source stays beside it: clang asks for what a compiled form was made from. */
void ls_precompiled_use(ls_job *job, ls_args *argv) {
    const bool for_all = !job->options->precompiled;
    if (job->not_precompiled || !job->leading || !is_usual(argv)) return;
    const char *folder = for_all ? ls_disk_folder(job->arena, "headers") : job->options->precompiled;
    if (!folder) return;
    ls_args command = {0};
    make_command(argv, for_all, &command);
    uint64_t hash = ls_hash_text(LS_HASH_START, job->leading);
    for (uint32_t i = 0; i < command.length; i++) hash = ls_hash_text(hash, command.items[i]);
    char here[PATH_MAX]; /* what a project's own options name may stand there */
    bool own = job->database.length || job->options->extra_count;
    if (for_all && own) hash = ls_hash_text(hash, getcwd(here, sizeof here));
    const char *name = ls_arena_printf(job->arena, "%s/%016llx", folder, (unsigned long long)hash);
    const char *form = ls_arena_printf(job->arena, "%s.pch", name);
    bool good = !access(form, R_OK);
    if (!good && access(ls_arena_printf(job->arena, "%s.no", name), F_OK) &&
        (!for_all || was_asked_for(job, name)))
        good = make(job, &command, folder, name);
    LS_VEC_FREE(&command);
    good = good && (!for_all || is_undisturbed(job, argv, name));
    if (good && change_command(job, form, argv)) job->precompiled = form;
}

bool ls_precompiled_is_beside(const ls_job *job, const char *file) {
    const char *end = job->precompiled ? strrchr(job->precompiled, '/') : NULL;
    return end && !strncmp(file, job->precompiled, (size_t)(end + 1 - job->precompiled));
}

bool ls_precompiled_is_old(ls_job *job, const char *said) {
    static const char *const words[] = {"precompiled header", "PCH file", "precompiled file"};
    if (!job->precompiled || job->not_precompiled) return false;
    /* Or what it was made from is gone, whose name begins as its own does. */
    const char *name =
        ls_arena_strndup(job->arena, job->precompiled, strlen(job->precompiled) - strlen(".pch"));
    bool old = strstr(said, name) != NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) old |= strstr(said, words[i]) != NULL;
    if (!old) return false;
    unlink(job->precompiled);
    job->not_precompiled = true;
    return true;
}
