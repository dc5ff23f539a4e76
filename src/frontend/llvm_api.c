/* Loads libLLVM and looks up the functions of llvm_api.h, once per process. */
#ifdef LS_HAVE_LLVM
#include "frontend/llvm_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static const char *const LIBRARIES[] = {LS_LLVM_LIBRARY, "libLLVM.so.19.1", "libLLVM-19.so.1",
                                        "libLLVM-19.so"};

static const struct {
    const char *name;
    size_t offset;
} FUNCTIONS[] = {
#define ENTRY(name) {"LLVM" #name, offsetof(ls_llvm, name)},
    LS_LLVM_FUNCTIONS(ENTRY)
#undef ENTRY
};

/* A library is loaded once for the whole process, so this is the process's, not a compilation's. */
static struct {
    pthread_once_t once;
    ls_llvm functions;
    const char *why; /* not loaded; NULL: it is */
} loaded = {.once = PTHREAD_ONCE_INIT};

static void load(void) {
    void *library = NULL;
    for (size_t i = 0; i < sizeof LIBRARIES / sizeof *LIBRARIES && !library; i++)
        library = dlopen(LIBRARIES[i], RTLD_NOW | RTLD_LOCAL);
    loaded.why = "LLVM 19 is not installed (Debian: libllvm19)";
    if (!library) return;
    for (size_t i = 0; i < sizeof FUNCTIONS / sizeof *FUNCTIONS; i++) {
        void *found = dlsym(library, FUNCTIONS[i].name);
        loaded.why = FUNCTIONS[i].name;
        if (!found) return;
        memcpy((char *)&loaded.functions + FUNCTIONS[i].offset, &found, sizeof found);
    }
    loaded.why = NULL;
    loaded.functions.InitializeNVPTXTargetInfo();
    loaded.functions.InitializeNVPTXTarget();
    loaded.functions.InitializeNVPTXTargetMC();
    loaded.functions.InitializeNVPTXAsmPrinter();
}

const ls_llvm *ls_llvm_load(const char **why) {
    pthread_once(&loaded.once, load);
    if (why) *why = loaded.why;
    return loaded.why ? NULL : &loaded.functions;
}
#endif
