/* Launches by way of other files of a project (project.h). A file is compiled, as the project does, where its
 * text, or that of a header of the project that it includes, names a kernel of this one or a function that
 * leads to a launch. What is compiled may have functions that lead there in turn, so that the search goes on
 * until nothing is new. Then the files are linked, as they are in the program, and the launches of the whole
 * are read. Where that is not possible, those of each file are. */
#include "frontend/project.h"

#ifdef LS_HAVE_LLVM
#include "base/buf.h"
#include "frontend/database.h"
#include "frontend/entries.h"
#include "frontend/host_entries.h"
#include "frontend/invoke.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 24, MOST_ROUNDS = 4, MOST_HEADERS = 200, MOST_PROGRAMS = 8 };

typedef struct {
    const char *path;
    const char *bitcode; /* NULL: it has not been compiled */
    bool has_main, failed;
} host_file;

typedef struct {
    ls_job *job;
    ls_facts *facts;
    ls_args kernels; /* their plain names */
    ls_args entries; /* functions that lead to launches, by the linker's names … */
    ls_args words;   /* … and the words that they go by in a text */
    LS_VEC(host_file) files;
    uint32_t compiled, depends;
    bool incomplete; /* not every file that may call them is there */
    bool has_own;    /* host code of the file itself, that launches … */
    bool is_program; /* … and has main */
} search;

/* What follows from this file follows from the other one, too. */
static void depend_on(search *s, const char *path) {
    if (!s->job->options->dependencies) return;
    ls_buf rule = {0};
    ls_buf_puts(&rule, "launches:");
    for (ls_buf_putc(&rule, ' '); *path; path++) {
        if (strchr(" #\\", *path)) ls_buf_putc(&rule, '\\');
        if (*path == '$') ls_buf_putc(&rule, '$');
        ls_buf_putc(&rule, *path);
    }
    ls_buf_putc(&rule, '\n');
    const char *to = ls_job_file(s->job, ls_arena_printf(s->job->arena, "project-%u.depends", ++s->depends));
    s->facts->elsewhere_failed |= !ls_write_file(to, rule.text, rule.length);
    ls_buf_free(&rule);
}

/* --- Who may call ----------------------------------------------------------------------------------------
 */

/* As ls_source_names takes them. */
static void list_names(search *s) {
    ls_buf text = {0};
    for (uint32_t i = 0; i < s->kernels.length; i++) ls_buf_printf(&text, "*%s\n", s->kernels.items[i]);
    for (uint32_t i = 0; i < s->words.length; i++) ls_buf_printf(&text, "%s\n", s->words.items[i]);
    s->facts->sought = ls_arena_strdup(s->job->arena, ls_buf_text(&text));
    ls_buf_free(&text);
}

/* What follows from this file does so as long as the other one does not name any of them. */
static void search_only(search *s, const char *path) {
    ls_args *all = &s->facts->searched;
    for (uint32_t i = 0; i < all->length; i++)
        if (!strcmp(all->items[i], path)) return;
    if (s->job->options->dependencies) LS_VEC_PUSH(all, path);
}

typedef struct {
    search *s;
    const ls_args *options; /* of the file that includes */
    ls_args seen;
    bool found;
} headers;

static void look_in(headers *h, const char *path);

/* #include "name" or <name>, beside the file or in a folder of the project's options. */
static void look_for(headers *h, const char *from, const char *name) {
    ls_arena *arena = h->s->job->arena;
    const char *slash = strrchr(from, '/');
    if (*name == '/') {
        look_in(h, name);
        return;
    }
    look_in(h, slash ? ls_arena_printf(arena, "%.*s/%s", (int)(slash - from), from, name) : name);
    for (uint32_t i = 0; i + 1 < h->options->length && !h->found; i++)
        if (!strcmp(h->options->items[i], "-I") || !strcmp(h->options->items[i], "-iquote"))
            look_in(h, ls_arena_printf(arena, "%s/%s", h->options->items[i + 1], name));
}

static void look_in_includes(headers *h, const char *path, const char *text) {
    for (const char *at = text; (at = strstr(at, "#")) && !h->found;) {
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "include", 7)) continue;
        at += 7 + strspn(at + 7, " \t");
        const char end = *at == '<' ? '>' : '"', *name = at + 1;
        size_t length = *at == '<' || *at == '"' ? strcspn(name, "\">\n") : 0;
        if (length && name[length] == end)
            look_for(h, path, ls_arena_strndup(h->s->job->arena, name, length));
    }
}

static void look_in(headers *h, const char *path) {
    char whole[PATH_MAX];
    ls_buf text = {0};
    if (h->found || h->seen.length == MOST_HEADERS || !realpath(path, whole)) return;
    for (uint32_t i = 0; i < h->seen.length; i++)
        if (!strcmp(h->seen.items[i], whole)) return;
    LS_VEC_PUSH(&h->seen, ls_arena_strdup(h->s->job->arena, whole));
    if (ls_read_file(whole, &text)) {
        h->found = ls_source_names(ls_buf_text(&text), h->s->facts->sought);
        look_in_includes(h, path, ls_buf_text(&text));
    }
    ls_buf_free(&text);
}

/* --- The files -------------------------------------------------------------------------------------------
 */

static bool is_c(const char *path) {
    size_t length = strlen(path);
    return length > 2 && !strcmp(path + length - 2, ".c");
}

/* What it defines may lead to launches as well. */
static void learn(search *s, host_file *file) {
    ls_arena *arena = s->job->arena;
    uint32_t before = s->entries.length;
    file->failed |= !ls_host_entries(file->bitcode, arena, &s->entries, &file->has_main);
    for (uint32_t i = before; i < s->entries.length; i++)
        LS_VEC_PUSH(&s->words, ls_kernel_plain_name(arena, s->entries.items[i]));
    if (s->entries.length > before) list_names(s);
}

static void compile(search *s, host_file *file, ls_job *other, const char *text, ls_diags *ignored) {
    other->traits = ls_source_look(text);
    other->text = text;
    file->bitcode = ls_job_file(
        s->job, ls_arena_printf(s->job->arena, "other-%u.bc", (uint32_t)(file - s->files.items) + 1));
    file->failed = !ls_invoke_with_remedies(
        other, LS_FRONTEND_CLANG, ls_command_host,
        ls_arena_printf(s->job->arena, "other-%u.bc", (uint32_t)(file - s->files.items) + 1), ignored);
    if (!file->failed) learn(s, file);
}

/* Compiles the file, as the project does, if it may call what leads to launches. */
static void consider(search *s, host_file *file) {
    ls_job other = {.path = file->path,
                    .options = s->job->options,
                    .language = LS_LANGUAGE_CUDA,
                    .tools = s->job->tools,
                    .arch = s->job->arch,
                    .features = s->job->features,
                    .standard = s->job->options->standard,
                    .folder = s->job->folder,
                    .leading = "",
                    .plain_c = is_c(file->path),
                    .arena = s->job->arena};
    ls_buf text = {0};
    ls_diags *ignored = ls_diags_new();
    bool known = ls_database_read(&other, s->job->options->compile_commands, ignored) &&
                 ls_read_file(file->path, &text);
    headers h = {.s = s, .options = &other.database};
    if (known) look_in(&h, file->path);
    for (uint32_t i = 0; i < h.seen.length; i++)
        (h.found || !known ? depend_on : search_only)(s, h.seen.items[i]);
    if (h.found && s->compiled == MOST_FILES) file->failed = true;
    if (h.found && s->compiled < MOST_FILES) {
        s->compiled++;
        compile(s, file, &other, ls_buf_text(&text), ignored);
    }
    s->facts->elsewhere_failed |= file->failed;
    s->incomplete |= file->failed;
    ls_diags_free(ignored);
    ls_buf_free(&text);
    LS_VEC_FREE(&h.seen);
    LS_VEC_FREE(&other.database);
    LS_VEC_FREE(&other.nearby);
}

static void add_file(void *context, const char *path) {
    search *s = context;
    char one[PATH_MAX], two[PATH_MAX];
    if (realpath(path, one) && realpath(s->job->path, two) && !strcmp(one, two)) return;
    for (uint32_t i = 0; i < s->files.length; i++)
        if (!strcmp(s->files.items[i].path, path)) return;
    host_file file = {.path = ls_arena_strdup(s->job->arena, path)};
    LS_VEC_PUSH(&s->files, file);
}

static void find_files(search *s) {
    bool more = true;
    for (uint32_t round = 0; round < MOST_ROUNDS && more; round++) {
        uint32_t before = s->words.length;
        for (uint32_t i = 0; i < s->files.length; i++)
            if (!s->files.items[i].bitcode) consider(s, &s->files.items[i]);
        more = s->words.length > before;
    }
    s->incomplete |= more;
}

/* --- Launches --------------------------------------------------------------------------------------------
 */

/* The file with all that belong to no program in particular and, where there is one, a file with main. */
static bool link_with(search *s, const host_file *program, bool whole, ls_ir_launches *launches) {
    ls_args all = {0};
    if (s->has_own) LS_VEC_PUSH(&all, ls_job_file(s->job, "host.bc"));
    for (uint32_t i = 0; i < s->files.length; i++) {
        const host_file *f = &s->files.items[i];
        if (f->bitcode && !f->failed && (!f->has_main || f == program)) LS_VEC_PUSH(&all, f->bitcode);
    }
    ls_host_link how = {.elsewhere = !s->has_own, .whole = whole};
    bool good = all.length && ls_host_launches_linked(all.items, all.length, how, s->job->arena, launches);
    LS_VEC_FREE(&all);
    return good;
}

static bool read_linked(search *s, ls_ir_launches *launches) {
    uint32_t programs = 0;
    for (uint32_t i = 0; i < s->files.length; i++)
        programs += s->files.items[i].has_main && !s->files.items[i].failed;
    if (s->is_program) return link_with(s, NULL, !s->incomplete, launches);
    if (!programs || programs > MOST_PROGRAMS) return link_with(s, NULL, false, launches);
    bool good = true;
    for (uint32_t i = 0; i < s->files.length && good; i++)
        if (s->files.items[i].has_main && !s->files.items[i].failed)
            good = link_with(s, &s->files.items[i], !s->incomplete, launches);
    return good;
}

/* Each file by itself, as far as it launches kernels that are defined here. */
static void read_apart(search *s) {
    for (uint32_t i = 0; i < s->files.length; i++) {
        const host_file *f = &s->files.items[i];
        if (f->bitcode && !f->failed)
            s->facts->elsewhere_failed |=
                !ls_host_launches(f->bitcode, s->job->arena, true, &s->facts->launches);
    }
}

static void read_launches(search *s) {
    ls_ir_launches linked = {0};
    if (!s->facts->host_failed && read_linked(s, &linked)) {
        LS_VEC_FREE(&s->facts->launches);
        s->facts->launches = linked;
        return;
    }
    LS_VEC_FREE(&linked);
    read_apart(s);
}

/* The names to look for, of what the file itself defines. */
static void begin(search *s) {
    ls_arena *arena = s->job->arena;
    ls_entries kernels = {0};
    ls_entries_scan(s->facts->ptx, arena, &kernels);
    for (uint32_t i = 0; i < kernels.length; i++)
        LS_VEC_PUSH(&s->kernels, ls_kernel_plain_name(arena, kernels.items[i].name));
    LS_VEC_FREE(&kernels);
    host_file own = {.bitcode = ls_job_file(s->job, "host.bc")};
    s->has_own = s->facts->launches.length && !s->facts->host_failed;
    if (s->has_own) learn(s, &own);
    s->is_program = own.has_main;
}

void ls_project_launches(ls_job *job, ls_facts *facts) {
    if (!job->options->compile_commands || job->language != LS_LANGUAGE_CUDA || job->options->no_launches ||
        ls_tools_missing(&job->tools, false))
        return;
    search s = {.job = job, .facts = facts};
    ls_diags *ignored = ls_diags_new();
    begin(&s);
    list_names(&s);
    if (s.kernels.length) ls_database_hosts(job->options->compile_commands, add_file, &s, ignored);
    find_files(&s);
    if (s.compiled) read_launches(&s);
    ls_diags_free(ignored);
    LS_VEC_FREE(&s.kernels);
    LS_VEC_FREE(&s.entries);
    LS_VEC_FREE(&s.words);
    LS_VEC_FREE(&s.files);
}
#else
void ls_project_launches(ls_job *job, ls_facts *facts) {
    (void)job, (void)facts;
}
#endif
