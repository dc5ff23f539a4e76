/* Programs that link device code themselves, optimised as a whole (-lto), ask NVIDIA's linker for machine
 * code. Here they are given PTX (see nvrtc.c): the linker is told to make it, and where the machine code is
 * asked for, the PTX is returned. The header of each version calls functions with that version in their
 * names. */
#include "cuda/driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { NVJITLINK_FAILED = 6 }; /* internal error */

static void *next(const char *name) {
    void *f = dlsym(RTLD_NEXT, name);
    for (int k = 0; !f && k < 2; k++) { /* loaded later, or not for all */
        void *library = dlopen(k ? "libnvJitLink.so.12" : "libnvJitLink.so.13", RTLD_NOW | RTLD_NOLOAD);
        f = library ? dlsym(library, name) : NULL;
    }
    return f;
}

static bool is_given(uint32_t count, const char *const *options, const char *option) {
    for (uint32_t k = 0; k < count; k++)
        if (!strcmp(options[k], option)) return true;
    return false;
}

static int create(const char *name, void **handle, uint32_t count, const char **options) {
    int (*make)(void **, uint32_t, const char **) = next(name);
    const char **given = calloc((size_t)count + 1, sizeof *given);
    int result = NVJITLINK_FAILED;
    if (make && given) {
        if (count) memcpy(given, options, count * sizeof *given);
        if (is_given(count, options, "-lto") && !is_given(count, options, "-ptx")) given[count++] = "-ptx";
        result = make(handle, count, given);
    }
    free(given);
    return result;
}

/* What was linked: PTX where there is some, else what the program asked for. */
static int get(const char *ptx, const char *asked, void *handle, void *out) {
    int (*of_ptx)(void *, void *) = next(ptx), (*of_code)(void *, void *) = next(asked);
    if (of_ptx && !of_ptx(handle, out)) return 0;
    return of_code ? of_code(handle, out) : NVJITLINK_FAILED;
}

#define VERSION(V)                                                                                           \
    EXPORTED int __nvJitLinkCreate_##V(void **handle, uint32_t count, const char **options);                 \
    int __nvJitLinkCreate_##V(void **handle, uint32_t count, const char **options) {                         \
        return create("__nvJitLinkCreate_" #V, handle, count, options);                                      \
    }                                                                                                        \
    EXPORTED int __nvJitLinkGetLinkedCubinSize_##V(void *handle, size_t *size);                              \
    int __nvJitLinkGetLinkedCubinSize_##V(void *handle, size_t *size) {                                      \
        return get("__nvJitLinkGetLinkedPtxSize_" #V, "__nvJitLinkGetLinkedCubinSize_" #V, handle, size);    \
    }                                                                                                        \
    EXPORTED int __nvJitLinkGetLinkedCubin_##V(void *handle, void *code);                                    \
    int __nvJitLinkGetLinkedCubin_##V(void *handle, void *code) {                                            \
        return get("__nvJitLinkGetLinkedPtx_" #V, "__nvJitLinkGetLinkedCubin_" #V, handle, code);            \
    }
VERSION(12_0)
VERSION(12_1)
VERSION(12_2)
VERSION(12_3)
VERSION(12_4)
VERSION(12_5)
VERSION(12_6)
VERSION(12_7)
VERSION(12_8)
VERSION(12_9)
VERSION(13_0)
VERSION(13_1)
