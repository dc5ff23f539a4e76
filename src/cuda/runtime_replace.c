/* Programs with NVIDIA's runtime linked in (nvcc's default): the functions of the runtime stand in the
 * program itself, where no library found earlier can take their place. They are named in its symbol table, so
 * that this library, which is loaded before the program's own code runs, writes a jump to its own function
 * over the beginning of each. Nothing of the linked runtime is run then.
 *
 * A program without a symbol table (strip) cannot be treated like that; it must be linked with -cudart
 * shared. */
#include "cuda/runtime.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Which runtime the program was made for: 13 unless something says otherwise. */
static int version = 13000;

int rt_version(void) {
    return version;
}

/* --- A file that is mapped, with its symbol table --- */
typedef struct {
    const char *bytes;
    size_t size;
    const Elf64_Sym *symbols;
    size_t count;
    const char *names;
    size_t names_size;
} object;

static bool in_file(const object *o, uint64_t offset, uint64_t size) {
    return offset <= o->size && size <= o->size - offset;
}

static bool find_symbols(object *o) {
    const Elf64_Ehdr *head = (const void *)o->bytes;
    if (!in_file(o, 0, sizeof *head) || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
        !in_file(o, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    const Elf64_Shdr *sections = (const void *)(o->bytes + head->e_shoff);
    for (uint32_t k = 0; k < head->e_shnum; k++) {
        const Elf64_Shdr *s = &sections[k];
        if (s->sh_type != SHT_SYMTAB || s->sh_link >= head->e_shnum || !in_file(o, s->sh_offset, s->sh_size))
            continue;
        const Elf64_Shdr *names = &sections[s->sh_link];
        if (!in_file(o, names->sh_offset, names->sh_size) || !names->sh_size) continue;
        o->symbols = (const void *)(o->bytes + s->sh_offset);
        o->count = s->sh_size / sizeof(Elf64_Sym);
        o->names = o->bytes + names->sh_offset;
        o->names_size = names->sh_size;
        return o->names[o->names_size - 1] == 0;
    }
    return false;
}

static bool open_object(const char *path, object *o) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    bool good = fstat(file, &info) == 0 && info.st_size > 0;
    void *at = good ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (at == MAP_FAILED) return false;
    *o = (object){.bytes = at, .size = (size_t)info.st_size};
    return true;
}

/* --- Jumps --- */
enum { JUMP = 14 }; /* bytes: jmp *0(%rip), and the address */

static bool write_jump(char *at, const void *to) {
    static const unsigned char code[6] = {0xff, 0x25, 0, 0, 0, 0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)at / page * page, end = ((uintptr_t)at + JUMP + page - 1) / page * page;
    if (mprotect((void *)first, end - first, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
    memcpy(at, code, sizeof code);
    memcpy(at + sizeof code, &to, sizeof to);
    mprotect((void *)first, end - first, PROT_READ | PROT_EXEC);
    return true;
}

static const char *name_of(const object *o, const Elf64_Sym *s) {
    return s->st_name < o->names_size ? o->names + s->st_name : "";
}

static bool is_runtime(const char *name) {
    return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6);
}

/* Replaces the runtime that is linked into the object at `base`; how many of its functions. */
static uint32_t replace(const object *o, uintptr_t base, void *self) {
    uint32_t count = 0;
    for (size_t k = 0; k < o->count; k++) {
        const Elf64_Sym *s = &o->symbols[k];
        const char *name = name_of(o, s);
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || !s->st_shndx || s->st_size < JUMP || !is_runtime(name))
            continue;
        const void *ours = dlsym(self, name);
        if (ours) count += write_jump((char *)(base + s->st_value), ours);
    }
    return count;
}

/* An object that has the runtime in it defines this. */
static bool has_runtime(const object *o) {
    bool found = false, twelve = false;
    for (size_t k = 0; k < o->count; k++) {
        const Elf64_Sym *s = &o->symbols[k];
        if (!s->st_shndx) continue;
        const char *name = name_of(o, s);
        found |= !strcmp(name, "__cudaRegisterFatBinary");
        twelve |= !strcmp(name, "cudaGetDeviceProperties_v2");
    }
    if (found && twelve) version = 12000;
    return found;
}

static int each_object(struct dl_phdr_info *info, size_t size, void *self) {
    object o;
    (void)size;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    Dl_info own;
    if (dladdr((const void *)(uintptr_t)each_object, &own) && (uintptr_t)own.dli_fbase == info->dlpi_addr)
        return 0;
    if (!open_object(path, &o)) return 0;
    if (find_symbols(&o) && has_runtime(&o)) replace(&o, info->dlpi_addr, self);
    munmap((void *)(uintptr_t)o.bytes, o.size);
    return 0;
}

static __attribute__((constructor)) void start(void) {
    Dl_info own;
    if (!dladdr((const void *)(uintptr_t)start, &own)) return;
    const char *asked = getenv("LOCKSTEP_RUNTIME_VERSION");
    if (asked) version = atoi(asked);
    void *self = dlopen(own.dli_fname, RTLD_NOW);
    if (self) dl_iterate_phdr(each_object, self);
}
