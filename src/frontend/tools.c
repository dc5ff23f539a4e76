/* Where the compilers, libclc and the bundled headers are: the environment's word first, then the usual
 * places. */
#include "frontend/tools.h"

#include "base/process.h"
#include "lockstep/frontend.h"
#ifdef LS_HAVE_LLVM
#include "frontend/llvm_api.h"
#endif

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const CLANGS[] = {"clang-19", "/usr/lib/llvm-19/bin/clang", NULL};
static const char *const NVCCS[] = {"nvcc", "/usr/local/cuda/bin/nvcc", NULL};
static const char *const LIBCLCS[] = {"/usr/lib/clc/nvptx64--nvidiacl.bc",
                                      "/usr/share/clc/nvptx64--nvidiacl.bc",
                                      "/usr/lib/clc/nvptx64-nvidia-cuda.bc", NULL};

static const char *find_program(ls_arena *arena, const char *variable, const char *const *names) {
    const char *named = getenv(variable);
    const char *only[] = {named, NULL};
    if (named && *named) names = only;
    for (; *names; names++) {
        char *found = ls_process_find(*names);
        if (!found) continue;
        const char *path = ls_arena_strdup(arena, found);
        free(found);
        return path;
    }
    return NULL;
}

static const char *find_file(ls_arena *arena, const char *variable, const char *const *paths) {
    const char *named = getenv(variable);
    if (named && *named) return access(named, R_OK) ? NULL : ls_arena_strdup(arena, named);
    for (; *paths; paths++)
        if (!access(*paths, R_OK)) return *paths;
    return NULL;
}

/* --- Bundled headers ----------------------------------------------------------------------------------- */

static struct {
    pthread_once_t once;
    char folder[PATH_MAX];
} share = {.once = PTHREAD_ONCE_INIT};

static bool is_share(const char *format, const char *prefix) {
    char probe[PATH_MAX + 64];
    char folder[PATH_MAX + 32];
    snprintf(folder, sizeof folder, format, prefix);
    snprintf(probe, sizeof probe, "%s/lockstep.h", folder);
    if (access(probe, R_OK)) return false;
    return realpath(folder, share.folder) != NULL;
}

/* LOCKSTEP_SHARE, then beside the running program, then where it was to be installed, then the sources. */
static void find_share(void) {
    const char *named = getenv("LOCKSTEP_SHARE");
    if (named && *named && is_share("%s", named)) return;
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
        program[length] = 0;
        char *slash = strrchr(program, '/');
        if (slash) *slash = 0;
        if (is_share("%s/../share/lockstep", program)) return;
    }
    if (is_share("%s/share/lockstep", LS_INSTALL_PREFIX) || is_share("%s/share/lockstep", LS_SOURCE_DIR))
        return;
    share.folder[0] = 0;
}

const char *ls_frontend_share_dir(void) {
    pthread_once(&share.once, find_share);
    return share.folder;
}

/* --- CCCL ---------------------------------------------------------------------------------------------- */

/* A toolkit has its headers together; a copy of the repository has them in three folders. */
static const char *const CCCL_FOLDERS[] = {"include/cccl", "include", "",
                                           "cub",          "thrust",  "libcudacxx/include"};
static const char *const CCCL_PROBES[] = {"thrust/version.h", "cub/version.cuh", "cuda/std/type_traits"};
static const char *const CCCL_PLACES[] = {"/usr/local/cuda", "/opt/cuda", "/usr/lib/cuda", NULL};

static void find_cccl(ls_arena *arena, const char *place, ls_tools *tools) {
    bool found[3] = {false};
    for (size_t f = 0; f < sizeof CCCL_FOLDERS / sizeof *CCCL_FOLDERS; f++) {
        const char *folder = ls_arena_printf(arena, "%s/%s", place, CCCL_FOLDERS[f]);
        bool adds = false;
        for (size_t p = 0; p < 3; p++) {
            if (found[p] || access(ls_arena_printf(arena, "%s/%s", folder, CCCL_PROBES[p]), R_OK)) continue;
            found[p] = adds = true;
        }
        if (adds) tools->cccl.items[tools->cccl.length++] = folder;
    }
}

/* --- All of them --------------------------------------------------------------------------------------- */

ls_tools ls_tools_find(ls_arena *arena, const char *cccl) {
    const char *folder = ls_frontend_share_dir();
    ls_tools tools = {.clang = find_program(arena, "LOCKSTEP_CLANG", CLANGS),
                      .nvcc = find_program(arena, "LOCKSTEP_NVCC", NVCCS),
                      .libclc = find_file(arena, "LOCKSTEP_LIBCLC", LIBCLCS),
                      .share = *folder ? folder : NULL};
    const char *named = cccl ? cccl : getenv("LOCKSTEP_CCCL");
    if (named && *named) find_cccl(arena, named, &tools);
    for (size_t i = 0; !named && CCCL_PLACES[i] && !tools.cccl.length; i++)
        find_cccl(arena, CCCL_PLACES[i], &tools);
    return tools;
}

const char *ls_tools_missing(const ls_tools *tools, bool opencl) {
    if (!tools->clang) return "clang 19 is not installed (Debian: clang-19)";
    if (!tools->share)
        return "the bundled headers were not found: set LOCKSTEP_SHARE to the folder that contains "
               "lockstep.h";
    if (opencl && !tools->libclc) return "libclc is not installed (Debian: libclc-19)";
#ifdef LS_HAVE_LLVM
    const char *why;
    return ls_llvm_load(&why) ? NULL : why;
#else
    return "this build of Lockstep has no LLVM: build it with LLVM 19's headers (Debian: llvm-19-dev)";
#endif
}

bool ls_frontend_available(ls_frontend_kind kind, char *reason, size_t reason_size) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_tools tools = ls_tools_find(&arena, NULL);
    const char *clang = ls_tools_missing(&tools, false);
    const char *nvcc = tools.nvcc ? NULL : "nvcc is not installed";
    const char *why = kind == LS_FRONTEND_NVCC    ? nvcc
                      : kind == LS_FRONTEND_CLANG ? clang
                      : nvcc                      ? clang
                                                  : NULL;
    if (reason && reason_size) snprintf(reason, reason_size, "%s", why ? why : "");
    ls_arena_free(&arena);
    return !why;
}
