/* What nvcc does, without it: each .cu file is compiled by the front end to an object file with its PTX
 * inside, other sources by clang with the bundled headers, and all is linked with Lockstep's runtime. Device
 * code of several files (-rdc=true, -dc) is linked by that runtime, from the PTX that the linker has put
 * together (lockstep_linked.h); whether it can be is looked at here, in the linked program. */
#include "cli/build.h"
#include "cli/link_advice.h"
#include "frontend/fatbin.h"

#include "base/cache.h"
#include "base/elf.h"
#include "base/makefile.h"
#include "base/process.h"
#include "base/scratch.h"
#include "frontend/command.h"
#include "frontend/tools.h"
#include "lockstep/frontend.h"
#include "ptx/image.h"
#include "ptx/link.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    ls_cli *cli;
    ls_arena *arena;
    const ls_nvcc_options *o;
    ls_common common; /* for messages */
    ls_tools tools;
    const char *cxx;     /* clang++ */
    const char *runtime; /* the folder with libcudart.so; NULL: it is not there */
    char *folder;        /* temporary objects; NULL: none were made */
    ls_list objects;     /* to be linked, in their order */
    uint32_t temporaries;
} build;

/* Of one run of a compiler or linker. */
static const ls_process_limits LIMITS = {.seconds = 600, .output = 64 << 20};

#define PRINTF(b, ...) ls_arena_printf((b)->arena, __VA_ARGS__)

/* --- Places ----------------------------------------------------------------------------------------------
 */

/* The runtime stands in a folder of its own beside the command, or where it is installed. */
static const char *find_runtime(ls_arena *arena) {
    static const char *const PLACES[] = {"cuda", "../lib/cuda", "../lib64/cuda",
                                         "../lib/x86_64-linux-gnu/cuda", "../lib/aarch64-linux-gnu/cuda"};
    const char *named = getenv("LOCKSTEP_CUDA_LIBRARY");
    if (named && *named) return named;
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0) return NULL;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
        const char *folder = ls_arena_printf(arena, "%s/%s", self, PLACES[i]);
        if (!access(ls_arena_printf(arena, "%s/libcudart.so", folder), R_OK)) return folder;
    }
    return NULL;
}

/* "/usr/bin/clang-19" → "/usr/bin/clang++-19" */
static const char *cxx_of(ls_arena *arena, const char *clang) {
    const char *slash = strrchr(clang, '/'), *name = slash ? slash + 1 : clang;
    const char *at = strstr(name, "clang");
    if (!at) return clang;
    at += strlen("clang");
    return ls_arena_printf(arena, "%.*s++%s", (int)(at - clang), clang, at);
}

static bool prepare(build *b, ls_cli *cli, const ls_nvcc_options *o) {
    *b = (build){.cli = cli, .arena = &cli->arena, .o = o};
    b->tools = ls_tools_find(b->arena, o->cccl);
    const char *missing = ls_tools_missing(&b->tools, false);
    if (missing) return ls_cli_error(cli, "%s", missing), false;
    b->cxx = cxx_of(b->arena, b->tools.clang);
    b->runtime = find_runtime(b->arena);
    return true;
}

static const char *new_object(build *b) {
    if (!b->folder && !(b->folder = ls_scratch_make())) {
        ls_cli_error(b->cli, "cannot make a temporary folder: %s", strerror(errno));
        return NULL;
    }
    return PRINTF(b, "%s/%u.o", b->folder, b->temporaries++);
}

/* --- Commands --------------------------------------------------------------------------------------------
 */

static void add_list(ls_args *argv, const ls_list *list) {
    for (uint32_t i = 0; i < list->count; i++) LS_VEC_PUSH(argv, list->items[i]);
}

static void add_prefixed(build *b, ls_args *argv, const char *prefix, const ls_list *list) {
    for (uint32_t i = 0; i < list->count; i++) LS_VEC_PUSH(argv, PRINTF(b, "%s%s", prefix, list->items[i]));
}

/* The command as nvcc's -v and --dryrun show it; build systems read these lines. */
static void show(const build *b, const ls_args *argv) {
    if (!b->o->verbose && !b->o->dry_run) return;
    fputs("#$", stderr);
    for (uint32_t i = 0; i < argv->length; i++) {
        bool quoted = strpbrk(argv->items[i], "/. ") && i;
        fprintf(stderr, quoted ? " \"%s\"" : " %s", argv->items[i]);
    }
    fputc('\n', stderr);
}

static bool run(build *b, ls_args *argv, bool links) {
    ls_buf said = {0};
    show(b, argv);
    int status = b->o->dry_run ? 0 : ls_process_run(argv, &LIMITS, &said);
    fputs(ls_buf_text(&said), stderr);
    if (status && links) ls_link_advise(ls_buf_text(&said), b->o->own_libraries);
    if (status > 128) ls_cli_error(b->cli, "%s crashed (signal %d)", argv->items[0], status - 128);
    if (status && !said.length) ls_cli_error(b->cli, "%s failed with status %d", argv->items[0], status);
    ls_buf_free(&said);
    LS_VEC_FREE(argv);
    return !status;
}

/* --- Sources ---------------------------------------------------------------------------------------------
 */

static const char *suffix_of(const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? dot : "";
}

typedef enum { CUDA_SOURCE, HOST_SOURCE, FOR_LINKER } input_kind;

static input_kind kind_of(const build *b, const char *path) {
    static const char *const HOST[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".c++", NULL};
    const char *suffix = suffix_of(path);
    if (b->o->language) return strcmp(b->o->language, "cu") ? HOST_SOURCE : CUDA_SOURCE;
    if (!strcmp(suffix, ".cu")) return CUDA_SOURCE;
    for (int i = 0; HOST[i]; i++)
        if (!strcmp(suffix, HOST[i])) return HOST_SOURCE;
    return FOR_LINKER;
}

/* "dir/name.cu" → "name.o" */
static const char *usual_output(build *b, const char *path, const char *suffix) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    return PRINTF(b, "%.*s%s", (int)(strlen(name) - strlen(suffix_of(path))), name, suffix);
}

/* Device functions and variables of other files, in device code that is not linked with theirs. */
typedef struct {
    const build *b;
    const char *path;
    uint32_t count;
} unlinked;

static void tell_unlinked(void *context, ls_link_problem problem, const char *name) {
    unlinked *u = context;
    if (problem != LS_LINK_UNDEFINED) return;
    u->count++;
    if (u->b->o->needs_others) return;
    char demangled[1024];
    ls_demangle(name, demangled, sizeof demangled);
    fprintf(stderr,
            "%s: warning: %s is device code from another file: kernels that use it need -dc or -rdc=true to "
            "run\n",
            u->path, demangled);
}

static bool write_text(const build *b, const char *path, const char *text, size_t length) {
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(text, 1, length, file) == length;
    if (file) good = !fclose(file) && good;
    if (!good) ls_cli_error(b->cli, "%s cannot be written: %s", path, strerror(errno));
    return good;
}

/* CMake's probe asks which compiler this is; the project's own files are not told that it is nvcc. */
static bool is_probe(const char *path) {
    return strstr(path, "CMakeCUDACompilerId") != NULL;
}

static bool device_only(const ls_nvcc_options *o) {
    return o->step == LS_NVCC_PTX || o->step == LS_NVCC_FATBIN;
}

static bool write_device(build *b, const char *path, const ls_compiled *compiled) {
    if (b->o->step == LS_NVCC_PTX) return write_text(b, path, compiled->ptx, compiled->length);
    ls_buf binary = {0};
    ls_fatbin_of_ptx(compiled->ptx, compiled->length, b->o->arch ? b->o->arch : "sm_75", &binary);
    bool good = write_text(b, path, binary.text, binary.length);
    ls_buf_free(&binary);
    return good;
}

static bool compile_cuda(build *b, const char *path, const char *object) {
    const ls_nvcc_options *o = b->o;
    ls_list defines = {0};
    for (uint32_t i = 0; i < o->defines.count; i++) ls_list_push(b->arena, &defines, o->defines.items[i]);
    if (is_probe(path)) ls_list_push(b->arena, &defines, "__NVCC__");
    ls_frontend_options options = {.kind = LS_FRONTEND_CLANG,
                                   .form = LS_FORM_AS_RUN,
                                   .language = LS_LANGUAGE_CUDA,
                                   .arch = o->arch,
                                   .standard = o->standard,
                                   .include_dirs = o->include_dirs.items,
                                   .include_dir_count = o->include_dirs.count,
                                   .defines = defines.items,
                                   .define_count = defines.count,
                                   .includes = o->includes.items,
                                   .include_count = o->includes.count,
                                   .extra = o->both.items,
                                   .extra_count = o->both.count,
                                   .cccl = o->cccl,
                                   .no_launches = true,
                                   .compile_seconds = LIMITS.seconds,
                                   .host_object = device_only(o) ? NULL : object,
                                   .relocatable = o->relocatable && !device_only(o),
                                   .host_extra = o->host.items,
                                   .host_extra_count = o->host.count};
    if (o->verbose || o->dry_run)
        fprintf(stderr, "#$ lockstep -arch compute_%s \"%s\" -o \"%s\"\n", o->arch ? o->arch + 3 : "75", path,
                object);
    if (o->dry_run) return true;
    ls_diags *diags = ls_diags_new();
    ls_compiled compiled;
    bool good = ls_compile(path, &options, &compiled, diags);
    ls_cli_show_diags(b->cli, &b->common, diags);
    ls_diags_free(diags);
    if (!good) return false;
    unlinked u = {b, path, 0};
    if (!o->relocatable) ls_ptx_link_check((const char *const[]){compiled.ptx}, 1, tell_unlinked, &u);
    if (u.count && o->needs_others) *o->needs_others = true;
    if (device_only(o)) good = write_device(b, object, &compiled);
    ls_compiled_free(&compiled);
    return good;
}

static bool compile_host(build *b, const char *path, const char *object) {
    const ls_nvcc_options *o = b->o;
    bool is_c = !strcmp(suffix_of(path), ".c");
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, is_c ? b->tools.clang : b->cxx);
    if (o->standard && !is_c) LS_VEC_PUSH(&argv, PRINTF(b, "-std=%s", o->standard));
    for (uint32_t i = 0; i < o->include_dirs.count; i++) { /* the bundled headers come before a toolkit's */
        LS_VEC_PUSH(&argv, ls_is_toolkit_folder(o->include_dirs.items[i]) ? "-idirafter" : "-I");
        LS_VEC_PUSH(&argv, o->include_dirs.items[i]);
    }
    add_prefixed(b, &argv, "-D", &o->defines);
    for (uint32_t i = 0; i < o->includes.count; i++) {
        LS_VEC_PUSH(&argv, "-include");
        LS_VEC_PUSH(&argv, o->includes.items[i]);
    }
    add_list(&argv, &o->both);
    add_list(&argv, &o->host);
    LS_VEC_PUSH(&argv, "-isystem");
    LS_VEC_PUSH(&argv, PRINTF(b, "%s/cuda", b->tools.share));
    LS_VEC_PUSH(&argv, "-isystem");
    LS_VEC_PUSH(&argv, PRINTF(b, "%s/samples", b->tools.share));
    LS_VEC_PUSH(&argv, "-c");
    LS_VEC_PUSH(&argv, path);
    LS_VEC_PUSH(&argv, "-o");
    LS_VEC_PUSH(&argv, object);
    return run(b, &argv, false);
}

static bool compile_one(build *b, const char *path) {
    bool link = b->o->step == LS_NVCC_LINK;
    input_kind kind = kind_of(b, path);
    if (kind == FOR_LINKER) {
        ls_list_push(b->arena, &b->objects, path);
        return true;
    }
    const char *suffix = b->o->step == LS_NVCC_PTX ? ".ptx" : b->o->step == LS_NVCC_FATBIN ? ".fatbin" : ".o";
    const char *object = link ? new_object(b) : b->o->output ? b->o->output : usual_output(b, path, suffix);
    if (!object) return false;
    if (link) ls_list_push(b->arena, &b->objects, object);
    return kind == CUDA_SOURCE ? compile_cuda(b, path, object) : compile_host(b, path, object);
}

/* --- Linking ---------------------------------------------------------------------------------------------
 */

/* share/lib has what build systems name besides: libcudadevrt.a, libcudart_static.a. */
static void add_library_folders(build *b, ls_args *argv) {
    LS_VEC_PUSH(argv, PRINTF(b, "-L%s/lib", b->tools.share));
    if (b->runtime) LS_VEC_PUSH(argv, PRINTF(b, "-L%s", b->runtime));
}

/* Lockstep's own libraries, as far as the program calls them: sources alone do not say which to link with. */
static void add_own_libraries(build *b, ls_args *argv) {
    static const char *const names[] = {"cublas", "cublasLt", "cufft", "curand", "cusparse", "nvidia-ml"};
    LS_VEC_PUSH(argv, "-Wl,--as-needed");
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *path = PRINTF(b, "%s/lib%s.so", b->runtime, names[k]);
        if (!access(path, R_OK)) LS_VEC_PUSH(argv, path);
    }
}

static bool link_program(build *b) {
    ls_args argv = {0};
    if (!b->runtime && !b->o->no_runtime && !b->o->dry_run) {
        ls_cli_error(b->cli, "Lockstep's runtime (cuda/libcudart.so beside the command) was not found; set "
                             "LOCKSTEP_CUDA_LIBRARY to its folder");
        return false;
    }
    LS_VEC_PUSH(&argv, b->cxx);
    if (b->o->shared) LS_VEC_PUSH(&argv, "-shared");
    LS_VEC_PUSH(&argv, "-o");
    LS_VEC_PUSH(&argv, b->o->output ? b->o->output : "a.out");
    add_list(&argv, &b->objects);
    add_list(&argv, &b->o->link);
    add_library_folders(b, &argv);
    if (b->o->own_libraries && b->runtime) add_own_libraries(b, &argv);
    if (!b->o->no_runtime) {
        LS_VEC_PUSH(&argv, PRINTF(b, "-Wl,-rpath,%s:%s/..", b->runtime, b->runtime));
        LS_VEC_PUSH(&argv, "-lcudart");
    }
    return run(b, &argv, true);
}

/* --- Device code of several files ------------------------------------------------------------------------
 */

static void tell_link_problem(void *context, ls_link_problem problem, const char *name) {
    unlinked *u = context;
    char demangled[1024];
    u->count++;
    ls_demangle(name, demangled, sizeof demangled);
    ls_cli_error(u->b->cli,
                 problem == LS_LINK_SEVERAL ? "%s: several files define the device code %s"
                                            : "%s: no file defines the device code %s",
                 u->path, demangled);
}

/* Whether the device code of the linked program is whole: what nvlink says when a program is linked. */
static bool is_device_code_whole(const build *b, const char *program) {
    ls_buf file = {0};
    ls_elf elf = {0};
    LS_VEC(const char *) texts = {0};
    unlinked u = {b, program, 0};
    bool read = ls_read_file(program, &file) && ls_elf_read(&elf, ls_buf_text(&file), file.length);
    uint32_t section = read ? ls_elf_section(&elf, "lockstep_relfatbin") : 0;
    const char *at = section ? ls_elf_section_bytes(&elf, section) : NULL;
    size_t left = at ? elf.sections[section].sh_size : 0;
    for (size_t extent; (extent = ls_image_extent(at, left)); at += extent, left -= extent) {
        char *ptx = NULL;
        size_t length;
        const char *why;
        if (ls_image_ptx(at, extent, &ptx, &length, &why) == IMAGE_PTX) LS_VEC_PUSH(&texts, ptx);
    }
    if (texts.length) ls_ptx_link_check(texts.items, texts.length, tell_link_problem, &u);
    for (uint32_t i = 0; i < texts.length; i++) free((char *)(uintptr_t)texts.items[i]);
    LS_VEC_FREE(&texts);
    ls_buf_free(&file);
    if (u.count) remove(program);
    return !u.count;
}

/* There is nothing to link on the device's side: an object without anything in it. */
static bool link_device(build *b) {
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, b->tools.clang);
    LS_VEC_PUSH(&argv, "-x");
    LS_VEC_PUSH(&argv, "c");
    LS_VEC_PUSH(&argv, "-fPIC");
    LS_VEC_PUSH(&argv, "-c");
    LS_VEC_PUSH(&argv, "/dev/null");
    LS_VEC_PUSH(&argv, "-o");
    LS_VEC_PUSH(&argv, b->o->output ? b->o->output : "a_dlink.o");
    return run(b, &argv, false);
}

/* --- The command -----------------------------------------------------------------------------------------
 */

static void show_version(void) {
    puts("Lockstep, with clang in the place of\nnvcc: NVIDIA (R) Cuda compiler driver\n"
         "Cuda compilation tools, release 12.8, V12.8.0");
}

/* What nvcc says of itself with -v. */
static void show_places(build *b) {
    const char *path = getenv("PATH");
    fprintf(stderr, "#$ TOP=%s/toolkit\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n#$ PATH=%s\n",
            b->tools.share, b->tools.share, path ? path : "");
    fprintf(stderr, "#$ INCLUDES=\"-I%s/cuda\"\n#$ LIBRARIES= \"-L%s/lib\"", b->tools.share, b->tools.share);
    if (b->runtime) fprintf(stderr, " \"-L%s\"", b->runtime);
    fputc('\n', stderr);
}

int ls_build(ls_cli *cli, const ls_nvcc_options *o) {
    build b;
    if (o->step == LS_NVCC_VERSION) return show_version(), LS_EXIT_CLEAN;
    if (!prepare(&b, cli, o)) return LS_EXIT_USAGE;
    if (o->verbose || o->dry_run) show_places(&b);
    if (!o->inputs.count) return ls_cli_error(cli, "no input file");
    uint32_t sources = 0;
    for (uint32_t i = 0; i < o->inputs.count; i++) sources += kind_of(&b, o->inputs.items[i]) != FOR_LINKER;
    if (sources > 1 && o->output && (o->step == LS_NVCC_OBJECTS || device_only(o)))
        return ls_cli_error(cli, "-o names one output file, but %u source files are given", sources);
    bool good = true;
    if (o->step == LS_NVCC_DEVICE_LINK) {
        good = link_device(&b);
    } else {
        for (uint32_t i = 0; i < o->inputs.count && good; i++) good = compile_one(&b, o->inputs.items[i]);
        if (good && o->step == LS_NVCC_LINK)
            good =
                link_program(&b) && (o->dry_run || is_device_code_whole(&b, o->output ? o->output : "a.out"));
    }
    ls_scratch_remove(b.folder);
    return good ? LS_EXIT_CLEAN : LS_EXIT_USAGE;
}

/* --- Programs that are kept ------------------------------------------------------------------------------
 */

static uint64_t mix(uint64_t hash, const char *text) {
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

static uint64_t mix_list(uint64_t hash, const ls_list *list) {
    for (uint32_t i = 0; i < list->count; i++) hash = mix(hash, list->items[i]);
    return mix(hash, "|");
}

/* What decides what is built, but for the files' contents. */
static uint64_t key_of(const ls_common *common, const ls_list *sources) {
    char self[PATH_MAX] = "", folder[PATH_MAX] = "", text[128] = "";
    struct stat status;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) self[length] = 0;
    if (!stat(self, &status)) snprintf(text, sizeof text, "%lld", (long long)status.st_mtime);
    if (!getcwd(folder, sizeof folder)) folder[0] = 0;
    uint64_t hash = mix(mix(UINT64_C(0xcbf29ce484222325), folder), text);
    hash = mix_list(mix_list(mix_list(hash, sources), &common->include_dirs), &common->defines);
    hash = mix_list(mix_list(hash, &common->includes), &common->extra);
    const char *const texts[] = {common->standard, common->arch, common->cccl};
    for (int i = 0; i < 3; i++) hash = mix(hash, texts[i] ? texts[i] : "");
    return hash;
}

static bool is_older(const char *path, const struct stat *than) {
    struct stat status;
    return !stat(path, &status) && (status.st_mtim.tv_sec < than->st_mtim.tv_sec ||
                                    (status.st_mtim.tv_sec == than->st_mtim.tv_sec &&
                                     status.st_mtim.tv_nsec <= than->st_mtim.tv_nsec));
}

static bool is_older_than(void *program, const char *path) {
    return is_older(path, program);
}

/* Whether everything that the compiler's list of dependencies names is older than the program. */
static bool is_fresh(const char *list, struct stat *program) {
    ls_buf text = {0};
    bool fresh = ls_read_file(list, &text) && ls_makefile_each(ls_buf_text(&text), is_older_than, program);
    ls_buf_free(&text);
    return fresh;
}

static ls_list joined(ls_arena *arena, const ls_list *first, const ls_list *second) {
    ls_list list = {0};
    for (uint32_t i = 0; i < first->count; i++) ls_list_push(arena, &list, first->items[i]);
    for (uint32_t i = 0; i < second->count; i++) ls_list_push(arena, &list, second->items[i]);
    return list;
}

/* The command's own options, and those for the compilers, which may be nvcc's. */
static bool options_of(ls_cli *cli, const ls_common *common, ls_nvcc_options *o) {
    ls_arena *arena = &cli->arena;
    if (!ls_nvcc_parse_mixed(cli, &common->extra, o)) return false;
    if (common->arch) o->arch = common->arch;
    if (common->standard) o->standard = common->standard;
    if (common->cccl) o->cccl = common->cccl;
    o->include_dirs = joined(arena, &common->include_dirs, &o->include_dirs);
    o->defines = joined(arena, &common->defines, &o->defines);
    o->includes = joined(arena, &common->includes, &o->includes);
    o->step = LS_NVCC_OBJECTS;
    return true;
}

/* As nvcc does it, and where a file uses device code of another one, as with -rdc=true. */
static const char *build_kept(ls_cli *cli, const ls_nvcc_options *given, const ls_list *sources,
                              const char *folder, const char *program, bool relocatable) {
    ls_arena *arena = &cli->arena;
    bool needs_others = false;
    ls_nvcc_options o = *given;
    o.relocatable = given->relocatable || relocatable;
    o.needs_others = sources->count > 1 ? &needs_others : NULL;
    ls_nvcc_options link = {
        .step = LS_NVCC_LINK, .output = program, .link = given->link, .own_libraries = true};
    for (uint32_t i = 0; i < sources->count; i++) {
        o.inputs = (ls_list){0};
        o.output = ls_arena_printf(arena, "%s/%u.o", folder, i);
        ls_list_push(arena, &o.inputs, sources->items[i]);
        const char *const words[] = {"-O1", "-g", "-MD", "-MF", ls_arena_printf(arena, "%s/%u.d", folder, i)};
        ls_list own = {0};
        for (size_t w = 0; w < sizeof words / sizeof *words; w++) ls_list_push(arena, &own, words[w]);
        o.host = joined(arena, &own, &given->host);
        if (ls_build(cli, &o)) return NULL;
        if (needs_others) return build_kept(cli, given, sources, folder, program, true);
        ls_list_push(arena, &link.inputs, o.output);
    }
    return ls_build(cli, &link) ? NULL : program;
}

const char *ls_build_program(ls_cli *cli, const ls_common *common, const ls_list *sources) {
    ls_arena *arena = &cli->arena;
    const char *name = ls_arena_printf(arena, "%016llx", (unsigned long long)key_of(common, sources));
    const char *folder = ls_cache_folder(arena, name);
    const char *first =
        strrchr(sources->items[0], '/') ? strrchr(sources->items[0], '/') + 1 : sources->items[0];
    const char *program =
        ls_arena_printf(arena, "%s/%.*s", folder, (int)(strlen(first) - strlen(suffix_of(first))), first);
    struct stat status;
    bool fresh = ls_cache_is_own(folder) && !stat(program, &status);
    for (uint32_t i = 0; fresh && i < sources->count; i++)
        fresh = is_fresh(ls_arena_printf(arena, "%s/%u.d", folder, i), &status);
    if (fresh) return program;
    if (!ls_make_folders(folder))
        return ls_cli_error(cli, "%s cannot be made: %s", folder, strerror(errno)), NULL;
    if (!ls_cache_is_own(folder))
        return ls_cli_error(cli, "%s belongs to another user, or everyone may write to it", folder), NULL;
    ls_nvcc_options options;
    if (!options_of(cli, common, &options)) return NULL;
    return build_kept(cli, &options, sources, folder, program, false);
}
