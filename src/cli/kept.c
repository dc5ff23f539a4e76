/* Kept results (kept.h). An entry is a file whose name is a hash of its key: the build of Lockstep, the
 * command, the folder it was called in, all options but those that only say how to show things, and the
 * file's name. In it stand the key itself, the files that were read with hashes of their contents, those of a
 * project that were searched for names with what the search depends on, and the report of the file. */
#include "cli/kept.h"

#include "base/cache.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/recover.h"
#include "base/vec.h"
#include "cli/config.h"
#include "lockstep/frontend.h"
#include "report/keep.h"

#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_READ = 8 << 20 }; /* of larger files (compilers) size and time stand for the contents */
#define MOST_BYTES (UINT64_C(256) << 20)

typedef LS_VEC(const char *) paths;

typedef struct {
    const char *path;
    paths read;         /* what was read for it */
    paths searched;     /* files of the project that may come to name … */
    const char *sought; /* … what leads to its launches; NULL: nothing */
    bool known;         /* … is known, all of it */
} source;

struct ls_kept {
    const char *folder;
    const char *key; /* of all files: what follows is the file's name */
    paths always;    /* files that options name */
    struct timespec started;
    double timeout; /* seconds; what took nearly so long may come out differently the next time */
    ls_arena arena;
    pthread_mutex_t lock; /* of the arena and what follows */
    LS_VEC(source *) sources;
    ls_map hashes;      /* path → hash of its contents, of this run */
    _Atomic bool grown; /* something was put */
};

/* --- The key ------------------------------------------------------------------------------------------- */

static void put_file_state(ls_buf *key, const char *path) {
    struct stat info;
    if (stat(path, &info)) return;
    ls_buf_printf(key, "%s %lld %lld.%09ld\n", path, (long long)info.st_size, (long long)info.st_mtim.tv_sec,
                  info.st_mtim.tv_nsec);
}

/* Names, sizes and times of the bundled headers and summaries. */
static uint64_t hash_tree(const char *folder) {
    char *roots[] = {(char *)(uintptr_t)folder, NULL};
    uint64_t hash = LS_HASH_START;
    FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    for (const FTSENT *entry; tree && (entry = fts_read(tree));) {
        if (entry->fts_info != FTS_F) continue;
        uint64_t one = ls_hash_text(LS_HASH_START, entry->fts_path);
        one = ls_hash_add(one, &entry->fts_statp->st_size, sizeof entry->fts_statp->st_size);
        hash +=
            ls_hash_add(one, &entry->fts_statp->st_mtim, sizeof entry->fts_statp->st_mtim); /* any order */
    }
    if (tree) fts_close(tree);
    return hash;
}

/* Only these say how a report is shown, or how fast it is made. */
static bool only_shows(const ls_option *option) {
    static const size_t offsets[] = {LS_COMMON(output),  LS_COMMON(format),   LS_COMMON(color),
                                     LS_COMMON(verbose), LS_COMMON(quiet),    LS_COMMON(fail_on),
                                     LS_COMMON(jobs),    LS_COMMON(baseline), LS_COMMON(cache),
                                     LS_COMMON(help),    LS_COMMON(config)};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        if (option->offset == offsets[i]) return true;
    return false;
}

/* An option's value; a file that it names counts with its contents. */
static void put_text(ls_kept *kept, ls_buf *key, const char *text) {
    struct stat info;
    ls_buf_printf(key, " '%s'", text ? text : "");
    if (text && !stat(text, &info) && S_ISREG(info.st_mode))
        LS_VEC_PUSH(&kept->always, ls_arena_strdup(&kept->arena, text));
}

static void put_list(ls_kept *kept, ls_buf *key, const ls_list *list) {
    for (uint32_t i = 0; i < list->count; i++) put_text(kept, key, list->items[i]);
}

static void put_option(ls_kept *kept, ls_buf *key, const ls_option *option, const ls_common *common) {
    const char *at = (const char *)common + option->offset;
    ls_buf_printf(key, "%s", option->name);
    switch (option->kind) {
    case LS_OPT_FLAG: ls_buf_printf(key, " %d", *(const bool *)at); break;
    case LS_OPT_TEXT: put_text(kept, key, *(const char *const *)at); break;
    case LS_OPT_LIST: put_list(kept, key, (const ls_list *)at); break;
    case LS_OPT_NUMBER: ls_buf_printf(key, " %" PRIu32, *(const uint32_t *)at); break;
    case LS_OPT_SECONDS: ls_buf_printf(key, " %g", *(const double *)at); break;
    case LS_OPT_CHOICE: ls_buf_printf(key, " %d", *(const int *)at); break;
    case LS_OPT_BYTES: ls_buf_printf(key, " %" PRIu64, *(const uint64_t *)at); break;
    case LS_OPT_SIZE: {
        const ls_size *size = (const ls_size *)at;
        ls_buf_printf(key, " %d %u %u %u", size->given, size->of[0], size->of[1], size->of[2]);
        break;
    }
    default: break;
    }
    ls_buf_putc(key, '\n');
}

static const char *make_key(ls_kept *kept, const ls_cli *cli, const ls_common *common) {
    static const char *const variables[] = {"PATH",      "CPATH",    "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                                            "CUDA_PATH", "CUDA_HOME"};
    char folder[4096];
    ls_buf key = {0};
    ls_buf_printf(&key, "%s\n%s\n%s\n", ls_version(), cli->command->name,
                  getcwd(folder, sizeof folder) ? folder : "");
    put_file_state(&key, "/proc/self/exe");
    ls_buf_printf(&key, "%016" PRIx64 "\n", hash_tree(ls_frontend_share_dir()));
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        ls_buf_printf(&key, "%s=%s\n", variables[i], getenv(variables[i]) ? getenv(variables[i]) : "");
    for (const ls_option *o = cli->command->options; o->kind != LS_OPT_END; o++)
        if (o->kind > LS_OPT_HEADING && !only_shows(o)) put_option(kept, &key, o, common);
    ls_buf_printf(&key, "--");
    put_list(kept, &key, &common->extra);
    if (cli->config && cli->config->file) put_text(kept, &key, cli->config->file);
    ls_buf_putc(&key, '\n');
    const char *copy = ls_arena_strdup(&kept->arena, ls_buf_text(&key));
    ls_buf_free(&key);
    return copy;
}

ls_kept *ls_kept_open(ls_cli *cli, const ls_common *common) {
    const char *asked = common->cache;
    if (common->untrusted || common->text || common->precompiled ||
        (asked ? !strcmp(asked, "off") : !common->compile_commands))
        return NULL;
    ls_kept *kept = LS_NEW(&cli->arena, ls_kept);
    ls_arena_init(&kept->arena);
    pthread_mutex_init(&kept->lock, NULL);
    clock_gettime(CLOCK_REALTIME, &kept->started);
    kept->timeout = common->timeout;
    kept->folder = asked && strcmp(asked, "on") != 0 ? asked : ls_cache_folder(&kept->arena, "results");
    if (kept->folder != asked && ls_make_folders(kept->folder) && !ls_cache_is_own(kept->folder)) {
        ls_kept_free(kept);
        return NULL;
    }
    kept->key = make_key(kept, cli, common);
    return kept;
}

void ls_kept_free(ls_kept *kept) {
    if (!kept) return;
    if (kept->grown) ls_cache_trim(kept->folder, MOST_BYTES);
    for (uint32_t i = 0; i < kept->sources.length; i++) {
        LS_VEC_FREE(&kept->sources.items[i]->read);
        LS_VEC_FREE(&kept->sources.items[i]->searched);
    }
    LS_VEC_FREE(&kept->sources);
    LS_VEC_FREE(&kept->always);
    ls_map_free(&kept->hashes);
    pthread_mutex_destroy(&kept->lock);
    ls_arena_free(&kept->arena);
}

/* --- Contents ------------------------------------------------------------------------------------------ */

static uint64_t hash_now(const char *path) {
    struct stat info;
    uint64_t hash = LS_HASH_START;
    if (stat(path, &info) || !S_ISREG(info.st_mode)) return 0;
    hash = ls_hash_add(hash, &info.st_size, sizeof info.st_size);
    if (info.st_size > LARGEST_READ) return ls_hash_add(hash, &info.st_mtim, sizeof info.st_mtim);
    ls_buf text = {0};
    bool read = ls_read_file(path, &text);
    hash = read ? ls_hash_add(hash, text.text, text.length) : 0;
    ls_buf_free(&text);
    return hash;
}

/* The hash of a file's contents, which are taken not to change during a run; 0: there is none. */
static uint64_t hash_of(ls_kept *kept, const char *path) {
    ls_lock(&kept->lock);
    uint64_t *known = ls_map_get(&kept->hashes, path, strlen(path));
    ls_unlock(&kept->lock);
    if (known) return *known;
    uint64_t hash = hash_now(path);
    ls_lock(&kept->lock);
    known = LS_NEW(&kept->arena, uint64_t);
    *known = hash;
    const char *copy = ls_arena_strdup(&kept->arena, path);
    *ls_map_at(&kept->hashes, copy, strlen(copy)) = known;
    ls_unlock(&kept->lock);
    return hash;
}

/* What a search for names in the file depends on. */
static uint64_t hash_sought(const char *path, const char *sought) {
    ls_buf text = {0};
    const uint64_t hash = ls_read_file(path, &text) ? ls_source_sought(ls_buf_text(&text), sought) : 0;
    ls_buf_free(&text);
    return hash;
}

/* --- Entries ------------------------------------------------------------------------------------------- */

static char *entry_path(const ls_kept *kept, const char *path, char *out, size_t size) {
    uint64_t hash = ls_hash_text(ls_hash_text(LS_HASH_START, kept->key), path);
    snprintf(out, size, "%s/%016" PRIx64, kept->folder, hash);
    return out;
}

/* The next text of an entry, behind *at; NULL where it has none. */
static const char *next_text(const ls_buf *entry, size_t *at) {
    const char *text = entry->text + *at;
    size_t length = *at < entry->length ? strnlen(text, entry->length - *at) : 0;
    if (*at + length >= entry->length) return NULL;
    *at += length + 1;
    return text;
}

static bool are_as_read(ls_kept *kept, const ls_buf *entry, size_t *at) {
    const char *file;
    while ((file = next_text(entry, at)) && *file) {
        const char *hash = next_text(entry, at);
        if (!hash || strtoull(hash, NULL, 16) != hash_of(kept, file)) return false;
    }
    return file != NULL;
}

/* Where a file is another one now, it may still have none of the names. */
static bool are_as_searched(ls_kept *kept, const ls_buf *entry, size_t *at) {
    const char *sought = next_text(entry, at), *file = NULL;
    while (sought && (file = next_text(entry, at)) && *file) {
        const char *whole = next_text(entry, at), *part = whole ? next_text(entry, at) : NULL;
        if (!part) return false;
        if (strtoull(whole, NULL, 16) != hash_of(kept, file) &&
            strtoull(part, NULL, 16) != hash_sought(file, sought))
            return false;
    }
    return file != NULL;
}

static bool still_true(ls_kept *kept, const ls_buf *entry, const char *path, size_t *at) {
    const char *key = next_text(entry, at), *name = key ? next_text(entry, at) : NULL;
    return name && !strcmp(key, kept->key) && !strcmp(name, path) && are_as_read(kept, entry, at) &&
           are_as_searched(kept, entry, at);
}

bool ls_kept_find(ls_kept *kept, const ls_cli_job *job) {
    if (!kept) return false;
    char path[4352];
    ls_buf entry = {0};
    size_t at = 0;
    bool found = ls_read_file(entry_path(kept, job->path, path, sizeof path), &entry) && entry.length &&
                 still_true(kept, &entry, job->path, &at) &&
                 ls_report_restore(job->file, entry.text + at, entry.length - at);
    if (found) utimensat(AT_FDCWD, path, NULL, 0); /* the ones that are not used go first */
    ls_buf_free(&entry);
    return found;
}

static source *source_of(ls_kept *kept, const char *path) {
    for (uint32_t i = 0; i < kept->sources.length; i++)
        if (!strcmp(kept->sources.items[i]->path, path)) return kept->sources.items[i];
    source *s = LS_NEW(&kept->arena, source);
    *s = (source){.path = ls_arena_strdup(&kept->arena, path), .known = true};
    LS_VEC_PUSH(&kept->sources, s);
    return s;
}

void ls_kept_depends(ls_kept *kept, const char *path, const ls_compiled *compiled) {
    if (!kept) return;
    ls_lock(&kept->lock);
    source *s = source_of(kept, path);
    s->known &= compiled->dependencies || compiled->language == LS_LANGUAGE_PTX;
    LS_VEC_PUSH(&s->read, s->path);
    for (uint32_t i = 0; i < compiled->dependency_count; i++)
        LS_VEC_PUSH(&s->read, ls_arena_strdup(&kept->arena, compiled->dependencies[i]));
    for (uint32_t i = 0; i < compiled->searched_count; i++)
        LS_VEC_PUSH(&s->searched, ls_arena_strdup(&kept->arena, compiled->searched[i]));
    if (compiled->sought) s->sought = ls_arena_strdup(&kept->arena, compiled->sought);
    ls_unlock(&kept->lock);
}

/* Whether another run would say the same: nothing was wrong with the input, and no time was over. */
static bool is_settled(const ls_kept *kept, const ls_report_file *file) {
    if (ls_diags_errors(file->diags)) return false;
    for (const ls_report_kernel *k = file->kernels; k; k = k->next)
        if (k->verdict == LS_UNKNOWN && kept->timeout > 0 && k->time_ms > 500 * kept->timeout) return false;
    return true;
}

/* A file that was changed since the run began may have been read before that. */
static bool is_older(const ls_kept *kept, const char *path) {
    struct stat info;
    if (stat(path, &info)) return true;
    return info.st_mtim.tv_sec < kept->started.tv_sec ||
           (info.st_mtim.tv_sec == kept->started.tv_sec && info.st_mtim.tv_nsec < kept->started.tv_nsec);
}

static void put_hash(ls_buf *entry, uint64_t hash) {
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    ls_buf_add(entry, text, sizeof text);
}

/* sought: with what a search for these names depends on; or NULL. */
static bool put_paths(ls_kept *kept, const paths *from, const char *sought, ls_buf *entry) {
    for (uint32_t i = 0; i < from->length; i++) {
        const char *path = from->items[i];
        if (!is_older(kept, path)) return false;
        ls_buf_add(entry, path, strlen(path) + 1);
        put_hash(entry, hash_of(kept, path));
        if (sought) put_hash(entry, hash_sought(path, sought));
    }
    return true;
}

/* All that the result depends on; each list ends with an empty name. */
static bool put_inputs(ls_kept *kept, const source *s, ls_buf *entry) {
    const char *sought = s->sought ? s->sought : "";
    if (!put_paths(kept, &kept->always, NULL, entry) || !put_paths(kept, &s->read, NULL, entry)) return false;
    ls_buf_putc(entry, 0);
    ls_buf_add(entry, sought, strlen(sought) + 1);
    if (!put_paths(kept, &s->searched, sought, entry)) return false;
    ls_buf_putc(entry, 0);
    return true;
}

void ls_kept_put(ls_kept *kept, const ls_cli_job *job) {
    if (!kept || !is_settled(kept, job->file)) return;
    ls_lock(&kept->lock);
    const source *s = source_of(kept, job->path);
    ls_unlock(&kept->lock);
    if (!s->known || !s->read.length) return;
    ls_buf entry = {0};
    ls_buf_add(&entry, kept->key, strlen(kept->key) + 1);
    ls_buf_add(&entry, job->path, strlen(job->path) + 1);
    if (put_inputs(kept, s, &entry)) {
        char path[4352];
        ls_report_keep(job->file, &entry);
        if (ls_make_folders(kept->folder) &&
            ls_write_file(entry_path(kept, job->path, path, sizeof path), entry.text, entry.length))
            kept->grown = true;
    }
    ls_buf_free(&entry);
}
