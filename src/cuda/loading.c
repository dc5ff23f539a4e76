/* Libraries that a program loads while it runs, as Python does with its modules: their code is looked at
 * before it runs, and where they are ones that this project has, its own are loaded.
 *
 * The dynamic linker calls a function without any code when it has mapped new objects, for debuggers that
 * have a breakpoint there (r_brk of <link.h>). A jump in its place tells of objects before their constructors
 * run; dlopen itself returns only after these.
 *
 * Programs mostly ask for libraries by their names, and find those of the folder cuda/ by LD_LIBRARY_PATH.
 * Python's packages ask for them by whole paths, as they bring NVIDIA's along: dlopen is replaced for these.
 */
#include "cuda/loading.h"
#include "cuda/driver.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
/* --- Objects that have been mapped --- */
static void on_change(void) {
    if (_r_debug.r_state == RT_CONSISTENT) rt_replace_in_objects();
}

/* A function that only returns, by its code: `endbr64; ret`, or `ret` and what fills up the 16 bytes in which
 * no other function begins (a prefix of nop, or nop itself). */
static bool is_empty(const char *function) {
    static const char with_mark[] = "\xf3\x0f\x1e\xfa\xc3", alone[] = "\xc3";
    if (!memcmp(function, with_mark, sizeof with_mark - 1)) return true;
    return !memcmp(function, alone, sizeof alone - 1) && (uintptr_t)function % 16 == 0 && function[1] &&
           strchr("\x66\x0f\x90\xcc", function[1]);
}

/* The short jump that fits in there reaches 2 GB. */
static bool write_short_jump(char *at, intptr_t distance) {
    enum { SHORT = 5 };
    const int32_t to = (int32_t)(distance - SHORT);
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at / page * page;
    const size_t size = (uintptr_t)at + SHORT - first;
    if (distance - SHORT != to || mprotect((void *)first, size, PROT_READ | PROT_WRITE | PROT_EXEC))
        return false;
    at[0] = (char)0xe9;
    memcpy(at + 1, &to, sizeof to);
    return !mprotect((void *)first, size, PROT_READ | PROT_EXEC);
}

void rt_watch_loading(void) {
    char *at = (char *)(uintptr_t)_r_debug.r_brk;
    if (at && is_empty(at)) write_short_jump(at, (intptr_t)on_change - (intptr_t)at);
}

/* --- Libraries in place of others --- */
typedef void *(*opener)(const char *, int);
/* Both are used by the code below, under these names. */
opener rt_next_dlopen;
const char *rt_in_place_of(const char *file);

/* What is to be loaded for a file: the library of its name in the folder cuda/, or the file. */
const char *rt_in_place_of(const char *file) {
    static _Thread_local char path[PATH_MAX];
    static const char *const prefixes[] = {"libcu", "libnvidia-ml.so"};
    if (!rt_next_dlopen) {
        void *f = dlsym(RTLD_NEXT, "dlopen");
        memcpy(&rt_next_dlopen, &f, sizeof f);
    }
    const char *slash = file ? strrchr(file, '/') : NULL, *name = slash ? slash + 1 : file;
    Dl_info own;
    for (size_t k = 0; name && k < sizeof prefixes / sizeof *prefixes; k++) {
        if (strncmp(name, prefixes[k], strlen(prefixes[k]))) continue;
        if (!dladdr((const void *)(uintptr_t)rt_in_place_of, &own)) break;
        const char *end = strrchr(own.dli_fname, '/');
        int length = snprintf(path, sizeof path, "%.*scuda/%s", end ? (int)(end + 1 - own.dli_fname) : 0,
                              own.dli_fname, name);
        if (length > 0 && length < (int)sizeof path && !access(path, F_OK)) return path;
    }
    return file;
}

/* The next dlopen is jumped to, not called: it looks for libraries in the folders of the object that it is
 * called from, which it tells by the place to return to. */
EXPORTED __attribute__((naked)) void *dlopen(const char *file, int mode);
void *dlopen(__attribute__((unused)) const char *file, __attribute__((unused)) int mode) {
    __asm__("pushq %rsi\n\t"
            "callq rt_in_place_of\n\t"
            "popq %rsi\n\t"
            "movq %rax, %rdi\n\t"
            "jmpq *rt_next_dlopen(%rip)");
}
#else
/* Jumps are written for x86-64 alone: elsewhere libraries are found by their names. */
void rt_watch_loading(void) {}
#endif
