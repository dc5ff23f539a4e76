/* Programs that compile their kernels themselves ask NVIDIA's compiler for machine code of the device's
 * architecture. Here they are given PTX: the architecture is made a virtual one on the way to the compiler,
 * and where the machine code is asked for, the PTX is returned, which cuModuleLoadData takes as well. */
#include "cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int nvrtcResult;
enum { NVRTC_FAILED = 11 }; /* internal error */

static void *next(const char *name) {
    void *f = dlsym(RTLD_NEXT, name);
    if (!f) { /* loaded later, or not for all */
        void *library = dlopen("libnvrtc.so.13", RTLD_NOW | RTLD_NOLOAD);
        if (!library) library = dlopen("libnvrtc.so.12", RTLD_NOW | RTLD_NOLOAD);
        f = library ? dlsym(library, name) : NULL;
    }
    return f;
}

/* "…=sm_90" as "…=compute_90", on the heap; NULL: the option is another. */
static char *virtual_option(const char *option) {
    const char *is = strstr(option, "=sm_");
    if (!is || (strncmp(option, "--gpu-architecture", 18) && strncmp(option, "-arch", 5))) return NULL;
    size_t size = strlen(option) + 16;
    char *made = malloc(size);
    if (made) snprintf(made, size, "%.*s=compute_%s", (int)(is - option), option, is + 4);
    return made;
}

EXPORTED nvrtcResult nvrtcCompileProgram(void *program, int count, const char *const *options);
nvrtcResult nvrtcCompileProgram(void *program, int count, const char *const *options) {
    nvrtcResult (*compile)(void *, int, const char *const *) = next("nvrtcCompileProgram");
    const char **given = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *given);
    char **made = calloc((size_t)(count > 0 ? count : 0) + 1, sizeof *made);
    nvrtcResult result = NVRTC_FAILED;
    for (int k = 0; given && made && k < count; k++) {
        made[k] = virtual_option(options[k]);
        given[k] = made[k] ? made[k] : options[k];
    }
    if (compile && given && made) result = compile(program, count, given);
    for (int k = 0; made && k < count; k++) free(made[k]);
    free(made);
    free(given);
    return result;
}

EXPORTED nvrtcResult nvrtcGetCUBINSize(void *program, size_t *size);
nvrtcResult nvrtcGetCUBINSize(void *program, size_t *size) {
    nvrtcResult (*get)(void *, size_t *) = next("nvrtcGetPTXSize");
    return get ? get(program, size) : NVRTC_FAILED;
}

EXPORTED nvrtcResult nvrtcGetCUBIN(void *program, char *text);
nvrtcResult nvrtcGetCUBIN(void *program, char *text) {
    nvrtcResult (*get)(void *, char *) = next("nvrtcGetPTX");
    return get ? get(program, text) : NVRTC_FAILED;
}
