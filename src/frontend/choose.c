/* The kernel of a compiled file that is meant, where one is named or there is but one. */
#include "frontend/choose.h"

const ls_compiled_kernel *ls_compiled_only(const ls_compiled *compiled, const char *path, const char *name,
                                           ls_diags *diags) {
    const ls_compiled_kernel *found = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < compiled->kernel_count; i++) {
        const ls_compiled_kernel *k = &compiled->kernels[i];
        if (k->status != LS_KERNEL_DEFINED || (name && !ls_kernel_is_named(k->name, k->demangled, name)))
            continue;
        found = k;
        count++;
    }
    if (count == 1) return found;
    if (name)
        ls_diags_add(diags, LS_ERROR, path, 0, 0,
                     count ? "there are several kernels '%s'" : "there is no kernel '%s'", name);
    else
        ls_diags_add(diags, LS_ERROR, path, 0, 0,
                     count ? "there are %u kernels in it: name one" : "there is no kernel in it", count);
    return NULL;
}
