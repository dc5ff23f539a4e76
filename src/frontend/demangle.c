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

void ls_demangle(const char *name, char *out, size_t out_size) {
    if (!out_size) return;
    pthread_once(&runtime.once, load);
    int status = -1;
    char *text =
        runtime.demangle && !strncmp(name, "_Z", 2) ? runtime.demangle(name, NULL, NULL, &status) : NULL;
    snprintf(out, out_size, "%s", text && !status ? text : name);
    free(text);
}
