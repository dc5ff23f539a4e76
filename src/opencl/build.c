/* Programs to PTX: the front end compiles their source, with the options that the program gave, and what
 * clGetKernelArgInfo tells of the kernels goes into comments at the end of the PTX, which so is all that a
 * binary of a program has to hold.
 *
 *   // lockstep.kernel NAME X Y Z              with its required size, or zeros
 *   // lockstep.argument SPACE  ACCESS  TYPE  QUALIFIERS  NAME       between tabs, one for each
 *
 * The source is written to a file, unless it is the text of one that is at hand: then findings are told at
 * that one's lines. */
#include "opencl/opencl.h"

#include "base/recover.h"
#include "base/scratch.h"
#include "base/words.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_MARK   "// lockstep.kernel "
#define ARGUMENT_MARK "// lockstep.argument "

typedef LS_VEC(const char *) word_list;

/* --- Options --- */
typedef enum { IS_OURS, WITH_VALUE, TO_COMPILER, DROPPED } option_use;
static const struct {
    const char *name;
    option_use use;
} options_known[] = {
    {"-D", WITH_VALUE},
    {"-I", WITH_VALUE},
    {"-cl-std=", IS_OURS},
    {"-cl-single-precision-constant", TO_COMPILER},
    {"-cl-denorms-are-zero", TO_COMPILER},
    {"-cl-fp32-correctly-rounded-divide-sqrt", TO_COMPILER},
    {"-cl-mad-enable", TO_COMPILER},
    {"-cl-no-signed-zeros", TO_COMPILER},
    {"-cl-unsafe-math-optimizations", TO_COMPILER},
    {"-cl-finite-math-only", TO_COMPILER},
    {"-cl-fast-relaxed-math", TO_COMPILER},
    {"-cl-strict-aliasing", DROPPED},
    {"-cl-opt-disable", DROPPED},
    {"-cl-uniform-work-group-size", DROPPED},
    {"-cl-no-subgroup-ifp", DROPPED},
    {"-cl-kernel-arg-info", DROPPED}, /* always */
    {"-cl-nv-", DROPPED},
    {"-cl-intel-", DROPPED},
    {"-cl-amd-", DROPPED},
    {"-create-library", DROPPED},
    {"-enable-link-options", DROPPED},
    {"-nv-", DROPPED},
    {"-save-temps", DROPPED},
    {"-O", DROPPED},
    {"-g", DROPPED},
    {"-x", DROPPED},
    {"-s", DROPPED},
    {"-fno-", TO_COMPILER},
    {"-ffp-contract", TO_COMPILER},
    {"-w", TO_COMPILER},
    {"-W", TO_COMPILER},
};

static int option_of(const char *word) {
    for (size_t k = 0; k < sizeof options_known / sizeof *options_known; k++)
        if (!strncmp(word, options_known[k].name, strlen(options_known[k].name))) return (int)k;
    return -1;
}

typedef struct {
    ls_arena *arena;
    const char *standard;
    word_list folders, defines, extra;
} build_options;

/* False with the word that is no option. */
static bool read_options(const char *text, build_options *out, const char **wrong) {
    for (const char *word; text && (word = ls_word_next(out->arena, &text));) {
        int k = option_of(word);
        if (k < 0) {
            *wrong = word;
            return false;
        }
        const char *value = word + 2;
        switch (options_known[k].use) {
        case IS_OURS: out->standard = word + strlen(options_known[k].name); break;
        case TO_COMPILER: LS_VEC_PUSH_IN(out->arena, &out->extra, word); break;
        case DROPPED: break;
        case WITH_VALUE:
            if (!*value) value = ls_word_next(out->arena, &text);
            if (!value) {
                *wrong = word;
                return false;
            }
            if (word[1] == 'D')
                LS_VEC_PUSH_IN(out->arena, &out->defines, value);
            else
                LS_VEC_PUSH_IN(out->arena, &out->folders, value);
            break;
        }
    }
    return true;
}

bool ocl_options_good(const char *options, char *wrong, size_t size) {
    LS_SCRATCH(arena);
    build_options o = {.arena = &arena};
    const char *word = "";
    bool good = read_options(options, &o, &word);
    snprintf(wrong, size, "%s", good ? "" : word);
    return good;
}

bool ocl_program_is_uniform(const struct _cl_program *program) {
    const char *options = program->options ? program->options : "";
    bool later = strstr(options, "-cl-std=CL2") || strstr(options, "-cl-std=CL3");
    return !later || strstr(options, "-cl-uniform-work-group-size");
}

/* --- Files --- */
static bool is_text_of(const char *path, const char *text) {
    struct stat what;
    size_t length = strlen(text);
    if (stat(path, &what) || !S_ISREG(what.st_mode) || (size_t)what.st_size != length) return false;
    ls_buf file = {0};
    bool same =
        ls_read_file(path, &file) && file.length == length && !memcmp(ls_buf_text(&file), text, length);
    ls_buf_free(&file);
    return same;
}

static bool is_source_name(const char *name) {
    static const char *const ends[] = {".cl", ".ocl", ".clc", ".h", ".opencl"};
    const char *dot = strrchr(name, '.');
    for (size_t k = 0; dot && k < sizeof ends / sizeof *ends; k++)
        if (!strcmp(dot, ends[k])) return true;
    return false;
}

/* A file of the folder that has the text; NULL: none. */
static const char *find_in(ls_arena *arena, const char *folder, const char *text) {
    DIR *dir = opendir(folder);
    const char *found = NULL;
    const struct dirent *entry;
    for (uint32_t k = 0; dir && !found && k < 4096 && (entry = readdir(dir)); k++) {
        if (!is_source_name(entry->d_name)) continue;
        const char *path = !strcmp(folder, ".") ? ls_arena_strdup(arena, entry->d_name)
                                                : ls_arena_printf(arena, "%s/%s", folder, entry->d_name);
        if (is_text_of(path, text)) found = path;
    }
    if (dir) closedir(dir);
    return found;
}

/* The same in the folders of a folder. */
static const char *find_below(ls_arena *arena, const char *folder, const char *text) {
    DIR *dir = opendir(folder);
    const char *found = NULL;
    const struct dirent *entry;
    for (uint32_t k = 0; dir && !found && k < 256 && (entry = readdir(dir)); k++)
        if (entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
            found = find_in(arena, ls_arena_printf(arena, "%s/%s", folder, entry->d_name), text);
    if (dir) closedir(dir);
    return found;
}

static const char *find_source(ls_arena *arena, const char *text, const word_list *folders) {
    char self[PATH_MAX];
    const char *found = find_in(arena, ".", text);
    if (!found) found = find_below(arena, ".", text);
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!found && n > 0) {
        self[n] = 0;
        *strrchr(self, '/') = 0;
        found = find_in(arena, self, text);
    }
    for (uint32_t k = 0; !found && k < folders->length; k++) found = find_in(arena, folders->items[k], text);
    return found;
}

/* The folder for sources that are in no file: the command's, so that it can show lines of them, or our own.
 */
static const char *source_folder(void) {
    static char *own;
    const char *given = getenv("LOCKSTEP_SOURCES");
    if (given && *given) return given;
    if (!own) own = ls_scratch_make();
    return own;
}

static const char *write_source(ls_arena *arena, const struct _cl_program *program) {
    const char *folder = source_folder();
    if (!folder) return NULL;
    const char *path = ls_arena_printf(arena, "%s/program-%u.cl", folder, program->number);
    return ls_write_file(path, program->source, strlen(program->source)) ? path : NULL;
}

/* Headers of clCompileProgram, in a folder of their own. */
static const char *write_headers(ls_arena *arena, const struct _cl_program *program) {
    const char *base = source_folder();
    if (!program->headers.length || !base) return NULL;
    const char *folder = ls_arena_printf(arena, "%s/headers-%u", base, program->number);
    mkdir(folder, 0700);
    for (uint32_t k = 0; k < program->headers.length; k++) {
        char *path =
            (char *)(uintptr_t)ls_arena_printf(arena, "%s/%s", folder, program->headers.items[k].name);
        if (strstr(program->headers.items[k].name, "..")) continue;
        for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
            *slash = 0;
            mkdir(path, 0700);
            *slash = '/';
        }
        const char *text = program->headers.items[k].program->source;
        if (text) ls_write_file(path, text, strlen(text));
    }
    return folder;
}

/* --- The log --- */
static void add_line(ls_buf *log, const char *file, uint32_t line, uint32_t column) {
    ls_buf text = {0};
    if (!file || !line || !ls_read_file(file, &text)) return;
    const char *at = ls_buf_text(&text);
    for (uint32_t k = 1; at && k < line; k++) at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
    if (at) {
        int length = (int)strcspn(at, "\n");
        ls_buf_printf(log, "%.*s\n", length, at);
        for (uint32_t k = 1; column && k < column && (int)k <= length; k++)
            ls_buf_putc(log, at[k - 1] == '\t' ? '\t' : ' ');
        if (column) ls_buf_puts(log, "^\n");
    }
    ls_buf_free(&text);
}

/* Sources that are in no file are called by what they are written to, without the folder for this run. */
static const char *name_of(const char *file) {
    const char *folder = source_folder();
    size_t length = folder ? strlen(folder) : 0;
    return length && !strncmp(file, folder, length) && file[length] == '/' ? file + length + 1 : file;
}

static void write_log(ls_buf *log, const ls_diags *diags) {
    static const char *const names[] = {[LS_NOTE] = "note", [LS_WARNING] = "warning", [LS_ERROR] = "error"};
    for (uint32_t k = 0; k < ls_diags_count(diags); k++) {
        const ls_diag *d = ls_diags_at(diags, k);
        if (d->file) ls_buf_printf(log, "%s:%u:%u: ", name_of(d->file), d->line, d->column);
        ls_buf_printf(log, "%s: %s\n", names[d->severity], d->message);
        add_line(log, d->file, d->line, d->column);
    }
    uint32_t errors = ls_diags_errors(diags);
    if (errors) ls_buf_printf(log, "%u error%s generated.\n", errors, errors == 1 ? "" : "s");
}

/* --- Compiling --- */
static void describe(ls_buf *ptx, const ls_compiled *compiled) {
    ls_buf_puts(ptx, "\n");
    for (uint32_t k = 0; k < compiled->kernel_count; k++) {
        const ls_compiled_kernel *kernel = &compiled->kernels[k];
        const ls_launch_size *size = &kernel->required_block;
        if (kernel->status != LS_KERNEL_DEFINED) continue;
        ls_buf_printf(ptx, KERNEL_MARK "%s %u %u %u\n", kernel->name, size->known ? size->x : 0,
                      size->known ? size->y : 0, size->known ? size->z : 0);
        for (uint32_t n = 0; n < kernel->argument_count; n++) {
            const ls_kernel_argument *a = &kernel->arguments[n];
            ls_buf_printf(ptx, ARGUMENT_MARK "%u\t%s\t%s\t%s\t%s\n", a->space, a->access, a->type,
                          a->qualifiers, a->name);
        }
    }
}

/* An architecture that clang knows, for GPUs older than the usual one. */
static const char *architecture(void) {
    const ls_gpu_model *gpu = ls_dev_gpu(ocl_dev());
    return gpu->major * 10 + gpu->minor < 75 ? "sm_70" : NULL;
}

bool ocl_needs_range(const struct _cl_program *program) {
    return program->source && strstr(program->source, "get_work_dim");
}

static bool uses_images(const char *source) {
    return strstr(source, "image") || strstr(source, "sampler");
}

static bool compile_source(const struct _cl_program *program, ocl_form form, build_options *o, ls_buf *ptx,
                           ls_buf *log) {
    ls_arena *arena = o->arena;
    const char *headers = write_headers(arena, program), *share = ls_frontend_share_dir();
    if (headers) LS_VEC_PUSH_IN(arena, &o->folders, headers);
    LS_VEC_PUSH_IN(arena, &o->folders, (const char *)".");
    LS_VEC_PUSH_IN(arena, &o->defines, (const char *)"__IMAGE_SUPPORT__=1");
    LS_VEC_PUSH_IN(arena, &o->defines,
                   (const char *)(form == OCL_RANGE ? "__LOCKSTEP_RANGE__=1" : "__LOCKSTEP_PROGRAM__=1"));
    LS_VEC_PUSH_IN(arena, &o->extra, (const char *)"-cl-kernel-arg-info");
    const char *images = ls_arena_printf(arena, "%s/opencl/images.h", share);
    const char *path = find_source(arena, program->source, &o->folders);
    if (!path) path = write_source(arena, program);
    if (!path) {
        ls_buf_puts(log, "error: no file can be written for the source\n");
        return false;
    }
    ls_frontend_options how = {.size = sizeof how,
                               .kind = LS_FRONTEND_CLANG,
                               .form = LS_FORM_AS_RUN,
                               .language = LS_LANGUAGE_OPENCL,
                               .arch = architecture(),
                               .standard = o->standard,
                               .include_dirs = o->folders.items,
                               .include_dir_count = o->folders.length,
                               .defines = o->defines.items,
                               .define_count = o->defines.length,
                               .includes = &images,
                               .include_count = uses_images(program->source),
                               .extra = o->extra.items,
                               .extra_count = o->extra.length,
                               .no_launches = true,
                               .checked = true};
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled = {0};
    bool good = ls_compile(path, &how, &compiled, diags);
    if (good) {
        ls_buf_add(ptx, compiled.ptx, compiled.length);
        describe(ptx, &compiled);
    }
    write_log(log, diags);
    ls_diags_free(diags);
    ls_compiled_free(&compiled);
    return good;
}

bool ocl_compile(cl_program program, ocl_form form, const char *options, ls_buf *ptx, ls_buf *log) {
    ls_arena arena;
    ls_arena_init(&arena);
    build_options o = {.arena = &arena};
    const char *wrong = NULL;
    bool good = read_options(options, &o, &wrong) && compile_source(program, form, &o, ptx, log);
    ls_arena_free(&arena);
    return good;
}

/* --- What is told of kernels --- */
static char *field(ls_arena *arena, char **at) {
    char *start = *at, *end = start ? strchr(start, '\t') : NULL;
    if (end) *end = 0;
    *at = end ? end + 1 : NULL;
    return ls_arena_strdup(arena, start ? start : "");
}

static void read_argument(ls_arena *arena, ocl_kernel_info *kernel, char *text) {
    ocl_argument_info a = {.space = (uint32_t)strtoul(text, NULL, 10)};
    field(arena, &text);
    a.access = field(arena, &text);
    a.type = field(arena, &text);
    a.qualifiers = field(arena, &text);
    a.name = field(arena, &text);
    if (kernel->argument_count == kernel->room)
        kernel->arguments = ls_vec_grown_in(arena, kernel->arguments, &kernel->room, sizeof a);
    kernel->arguments[kernel->argument_count++] = a;
}

static void read_kernel(cl_program program, const char *text) {
    ocl_kernel_info k = {0};
    size_t length = strcspn(text, " ");
    k.name = ls_arena_strndup(&program->built, text, length);
    if (sscanf(text + length, "%zu %zu %zu", &k.required[0], &k.required[1], &k.required[2]) != 3)
        memset(k.required, 0, sizeof k.required);
    char attributes[128] = "";
    if (k.required[0])
        snprintf(attributes, sizeof attributes, "reqd_work_group_size(%zu,%zu,%zu)", k.required[0],
                 k.required[1], k.required[2]);
    k.attributes = ls_arena_strdup(&program->built, attributes);
    LS_VEC_PUSH_IN(&program->built, &program->kernels, k);
}

void ocl_read_kernels(cl_program program) {
    LS_SCRATCH(scratch);
    char *at = program->ptx ? ls_arena_strdup(&scratch, program->ptx) : NULL;
    for (char *line; (line = strsep(&at, "\n"));) {
        if (!strncmp(line, KERNEL_MARK, strlen(KERNEL_MARK)))
            read_kernel(program, line + strlen(KERNEL_MARK));
        else if (program->kernels.length && !strncmp(line, ARGUMENT_MARK, strlen(ARGUMENT_MARK)))
            read_argument(&program->built, &program->kernels.items[program->kernels.length - 1],
                          line + strlen(ARGUMENT_MARK));
    }
}

void ocl_forget_build(cl_program program) {
    memset(&program->kernels, 0, sizeof program->kernels);
    ls_arena_free(&program->built);
    for (int f = 0; f < OCL_FORMS; f++)
        if (program->modules[f]) ls_dev_unload(ocl_dev(), program->modules[f]);
    memset(program->modules, 0, sizeof program->modules);
}

/* The module of a form, compiled and loaded where it is not there yet. */
ls_dev_module *ocl_module(cl_program program, ocl_form form) {
    if (program->modules[form] || !program->ptx) return program->modules[form];
    ls_buf made = {0}, log = {0};
    const char *text = program->ptx;
    if (form != OCL_PLAIN) {
        bool good = program->source && ocl_compile(program, form, program->options, &made, &log);
        text = good ? ls_buf_text(&made) : NULL;
    }
    if (text) ls_dev_load(ocl_dev(), 0, text, strlen(text) + 1, &program->modules[form]);
    ls_buf_free(&made);
    ls_buf_free(&log);
    return program->modules[form];
}
