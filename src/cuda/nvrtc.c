/* Programs that compile their kernels themselves ask NVIDIA's compiler for machine code of the device's
 * architecture. The compiler makes PTX on the way there, and that is what they are given, which
 * cuModuleLoadData takes as well: its functions for machine code become those for PTX. */
#include "cuda/loading.h"

#include <string.h>

static char *function_of(const ls_elf *o, uintptr_t base, const char *name) {
    for (size_t k = 0; k < o->count; k++) {
        const ls_elf_symbol *s = &o->symbols[k];
        const bool defined = s->st_shndx && ELF64_ST_TYPE(s->st_info) == STT_FUNC && s->st_size >= RT_JUMP;
        if (defined && !strcmp(ls_elf_symbol_name(o, s), name)) return (char *)(base + s->st_value);
    }
    return NULL;
}

void rt_give_ptx(const ls_elf *o, uintptr_t base, const char *path) {
    static const struct {
        const char *asked, *given;
    } functions[] = {{"nvrtcGetCUBIN", "nvrtcGetPTX"}, {"nvrtcGetCUBINSize", "nvrtcGetPTXSize"}};
    const char *slash = strrchr(path, '/');
    ls_elf compiler = *o;
    if (strncmp(slash ? slash + 1 : path, "libnvrtc.so", strlen("libnvrtc.so")) || !ls_elf_dynamic(&compiler))
        return;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        char *asked = function_of(&compiler, base, functions[k].asked),
             *given = function_of(&compiler, base, functions[k].given);
        if (asked && given) rt_write_jump(asked, given);
    }
}
