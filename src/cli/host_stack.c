/* Where calls of a program's host code stand in its source: one call of addr2line for what is not known yet.
 */
#include "cli/host_stack.h"

#include "cli/child.h"
#include "lockstep/frontend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static bool is_inner(const char *function) {
    static const char *const starts[] = {"cuda", "__cuda",   "__device_stub", "void __device_stub",
                                         "cu",   "void cuda"};
    if (!function) return false;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        size_t n = strlen(starts[k]);
        if (strncmp(function, starts[k], n)) continue;
        if (n > 2 || (function[2] >= 'A' && function[2] <= 'Z')) return true;
    }
    return false;
}

/* Libraries between the program and the device, and what Python calls them with. */
static bool is_inner_object(const char *object) {
    static const char *const starts[] = {"libcublas.so",   "libcublasLt.so", "libcufft.so", "libcurand.so",
                                         "libcusparse.so", "libffi.so",      "_ctypes.",    "libOpenCL.so"};
    const char *slash = strrchr(object, '/'), *name = slash ? slash + 1 : object;
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++)
        if (!strncmp(name, starts[k], strlen(starts[k]))) return true;
    return false;
}

/* "python:file:line=function" */
static const char python[] = "python:";

static bool is_python(const char *text) {
    return !strncmp(text, python, sizeof python - 1);
}

static void read_python(ls_host_frames *known, const char *text, ls_host_frame *f) {
    const char *start = text + sizeof python - 1, *is = strrchr(start, '='), *colon = is;
    while (colon && colon > start && *colon != ':') colon--;
    if (!is || colon == start) return;
    f->file = ls_arena_strndup(&known->arena, start, (size_t)(colon - start));
    f->line = (uint32_t)strtoul(colon + 1, NULL, 10);
    f->function = strcmp(is + 1, "<module>") ? ls_arena_strdup(&known->arena, is + 1) : "the module";
}

/* "object+offset=symbol" without what addr2line has to say. */
static ls_host_frame *plain_frame(ls_host_frames *known, const char *text) {
    ls_host_frame *f = LS_NEW(&known->arena, ls_host_frame);
    f->object = "";
    if (is_python(text)) {
        read_python(known, text, f);
        return f;
    }
    const char *plus = strrchr(text, '+'), *is = plus ? strchr(plus, '=') : NULL;
    f->object = ls_arena_strndup(&known->arena, text, plus ? (size_t)(plus - text) : strlen(text));
    if (is && is[1]) {
        char name[1024];
        ls_demangle(is + 1, name, sizeof name);
        f->function = ls_arena_strdup(&known->arena, name);
    }
    f->inner = is_inner(f->function) || is_inner_object(f->object);
    return f;
}

static char *take_line(char **at) {
    char *line = *at, *end = line ? strchr(line, '\n') : NULL;
    if (end) *end = 0;
    *at = end ? end + 1 : NULL;
    return line;
}

static void read_place(ls_host_frames *known, ls_host_frame *f, const char *function, char *place) {
    char *colon = strrchr(place, ':');
    if (strcmp(function, "??")) f->function = ls_arena_strdup(&known->arena, function);
    f->inner |= is_inner(f->function);
    uint32_t line = colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0;
    if (!line || !strncmp(place, "??", 2)) return;
    *colon = 0;
    f->file = ls_arena_strdup(&known->arena, place);
    f->line = line;
    f->inner |= strstr(place, ".cudafe") || strstr(place, "cudart/") || strstr(place, "/cuda_runtime.h");
}

/* The address, then two lines each, function and file:line, for the innermost function that was inlined there
 * and for all that it was inlined into. */
static void read_answer(ls_host_frames *known, char *text, ls_host_frame **frames, uint32_t count) {
    char *line = take_line(&text);
    for (uint32_t k = 0; k < count && line && !strncmp(line, "0x", 2); k++) {
        ls_host_frame *f = NULL;
        while ((line = take_line(&text)) && strncmp(line, "0x", 2)) {
            char *place = take_line(&text);
            if (!place) return;
            ls_host_frame *next = f ? LS_NEW(&known->arena, ls_host_frame) : frames[k];
            if (f) {
                next->object = f->object;
                next->inner = is_inner_object(next->object);
                f->outer = next;
            }
            f = next;
            read_place(known, f, line, place);
        }
    }
}

static void ask(ls_host_frames *known, const char *object, char **offsets, ls_host_frame **frames,
                uint32_t count) {
    char *argv[MOST + 5] = {(char *)(uintptr_t)"addr2line", (char *)(uintptr_t)"-aifC",
                            (char *)(uintptr_t)"-e", (char *)(uintptr_t)object};
    for (uint32_t k = 0; k < count; k++) argv[4 + k] = offsets[k];
    ls_child_result r = {0};
    ls_child_run(argv, NULL, 20, &r);
    if (r.end == LS_CHILD_EXITED && r.code == 0 && r.output.text)
        read_answer(known, r.output.text, frames, count);
    ls_buf_free(&r.output);
}

void ls_host_resolve(ls_host_frames *known, char *const *texts, uint32_t count, const ls_host_frame **out) {
    char *offsets[MOST];
    ls_host_frame *fresh[MOST];
    uint32_t n = 0;
    const char *object = NULL;
    for (uint32_t k = 0; k < count; k++) {
        size_t length = strlen(texts[k]);
        void **at = ls_map_at(&known->known, ls_arena_strdup(&known->arena, texts[k]), length);
        bool is_new = !*at;
        if (is_new) *at = plain_frame(known, texts[k]);
        ls_host_frame *f = *at;
        out[k] = f;
        if (!is_new || is_python(texts[k]) || strstr(f->object, "/libc.so") || strstr(f->object, "/ld-linux"))
            continue;
        if (n && (strcmp(object, f->object) || n == MOST)) {
            ask(known, object, offsets, fresh, n);
            n = 0;
        }
        const char *plus = strrchr(texts[k], '+');
        if (!plus) continue;
        object = f->object;
        offsets[n] = ls_arena_strndup(&known->arena, plus + 1, strcspn(plus + 1, "="));
        fresh[n++] = f;
    }
    if (n) ask(known, object, offsets, fresh, n);
}

void ls_host_frames_free(ls_host_frames *known) {
    ls_map_free(&known->known);
    ls_arena_free(&known->arena);
}
