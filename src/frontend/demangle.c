/* Names as the source writes them. The C++ runtime's own demangler is used where it is installed, loaded on
 * first use so that nothing else depends on it. */
#include "lockstep/frontend.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

static struct {
    pthread_once_t once;
    demangler *demangle; /* NULL: not installed */
} runtime = {.once = PTHREAD_ONCE_INIT};

static void load(void) {
    void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "__cxa_demangle") : NULL;
    memcpy(&runtime.demangle, &found, sizeof found);
}

/* Static functions and variables of files that are linked have names of their own: clang writes
 * "_ZL4workPi__intern__689d203d633fe9e0", nvcc "__nv_static_21__f193f50a_4_a_cu_main__Z4workPi". What is left
 * of them is the name in the file. */
static const char *within_file(const char *name, char *room, size_t size) {
    static const char NVCC[] = "__nv_static_";
    static const char *const SUFFIXES[] = {"__intern__", "__static__"};
    if (!strncmp(name, NVCC, sizeof NVCC - 1)) {
        char *end;
        unsigned long length = strtoul(name + sizeof NVCC - 1, &end, 10);
        if (*end == '_' && length < strlen(end) && end[length + 1] == '_') return end + length + 2;
    }
    for (int k = 0; k < 2 && !strncmp(name, "_Z", 2); k++) {
        const char *suffix = strstr(name, SUFFIXES[k]);
        const size_t length = suffix ? (size_t)(suffix - name) : 0;
        const char *digits = suffix ? suffix + strlen(SUFFIXES[k]) : "";
        if (!*digits || digits[strspn(digits, "0123456789abcdef")] || length >= size) continue;
        memcpy(room, name, length);
        room[length] = 0;
        return room;
    }
    return name;
}

void ls_demangle(const char *name, char *out, size_t out_size) {
    if (!out_size) return;
    pthread_once(&runtime.once, load);
    char plain[4096];
    name = within_file(name, plain, sizeof plain);
    int status = -1;
    char *text =
        runtime.demangle && !strncmp(name, "_Z", 2) ? runtime.demangle(name, NULL, NULL, &status) : NULL;
    snprintf(out, out_size, "%s", text && !status ? text : name);
    free(text);
}

/* A mangled name of a variable ends with its length and itself: "…E4temp". NULL where it does not. */
static const char *last_part(const char *name) {
    size_t length = strlen(name);
    for (size_t i = length; i-- > 2;) {
        if (name[i] < '1' || name[i] > '9' || (name[i - 1] >= '0' && name[i - 1] <= '9')) continue;
        char *end;
        unsigned long size = strtoul(name + i, &end, 10);
        if (size && (size_t)(end - name) + size == length) return end;
    }
    return NULL;
}

/* Behind the last "::" that is not within brackets. */
static const char *behind_scopes(const char *name) {
    const char *last = name;
    int depth = 0;
    for (const char *at = name; *at; at++) {
        depth += *at == '(' || *at == '<';
        depth -= *at == ')' || *at == '>';
        if (!depth && at[0] == ':' && at[1] == ':' && at[2]) last = at + 2;
    }
    return last;
}

void ls_variable_name(const char *name, char *out, size_t out_size) {
    if (!out_size) return;
    char plain[4096];
    name = within_file(name, plain, sizeof plain);
    const char *local = NULL;
    for (const char *at = name; (at = strstr(at, "_$_")) && at[3]; at += 3) local = at + 3;
    if (strncmp(name, "_Z", 2)) {
        snprintf(out, out_size, "%s", local && local != name + 3 ? local : name);
        return;
    }
    const char *part = last_part(name);
    if (part) {
        snprintf(out, out_size, "%s", part);
        return;
    }
    char demangled[1024];
    ls_demangle(name, demangled, sizeof demangled);
    snprintf(out, out_size, "%s", behind_scopes(demangled));
}
