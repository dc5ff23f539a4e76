/* Programs with NVIDIA's runtime linked in (nvcc's default): the functions of the runtime stand in the
 * program itself, where no library found earlier can take their place. They are named in its symbol table, so
 * that this library, which is loaded before the program's own code runs, writes a jump to its own function
 * over the beginning of each. Nothing of the linked runtime is run then. The same is done for libraries that
 * are loaded later, before their code runs (loading.c): modules of Python have the runtime linked in, too.
 *
 * In a program without a symbol table (strip) the code of the runtime is looked for instead, as the archive
 * of an installed toolkit has it (runtime_match.c). */
#include "base/buf.h"
#include "base/map.h"
#include "cuda/loading.h"
#include "cuda/runtime.h"
#include "cuda/runtime_object.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Which runtime the program was made for: 13 unless something says otherwise. */
static int version = 13000;

int rt_version(void) {
    return version;
}

/* --- Jumps --- */
/* jmp *0(%rip), and the address */

bool rt_write_jump(char *at, const void *to) {
    static const unsigned char code[6] = {0xff, 0x25, 0, 0, 0, 0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = (uintptr_t)at / page * page, end = ((uintptr_t)at + RT_JUMP + page - 1) / page * page;
    if (mprotect((void *)first, end - first, PROT_READ | PROT_WRITE | PROT_EXEC)) return false;
    memcpy(at, code, sizeof code);
    memcpy(at + sizeof code, &to, sizeof to);
    mprotect((void *)first, end - first, PROT_READ | PROT_EXEC);
    return true;
}

static bool is_runtime(const char *name) {
    return !strncmp(name, "cuda", 4) || !strncmp(name, "__cuda", 6);
}

/* Replaces the functions of the runtime that have symbols in the object, at `base` in memory; section: 0, or
 * the only one that is there. */
static void replace(const ls_elf *o, uintptr_t base, uint32_t section, void *self) {
    for (size_t k = 0; k < o->count; k++) {
        const ls_elf_symbol *s = &o->symbols[k];
        const char *name = ls_elf_symbol_name(o, s);
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || !s->st_shndx || s->st_size < RT_JUMP ||
            !is_runtime(name))
            continue;
        if (section && s->st_shndx != section) continue;
        const void *ours = dlsym(self, name);
        if (ours) rt_write_jump((char *)(base + s->st_value), ours);
    }
}

/* An object that has the runtime in it defines this. */
static bool has_runtime(const ls_elf *o) {
    bool found = false, twelve = false;
    for (size_t k = 0; k < o->count; k++) {
        const ls_elf_symbol *s = &o->symbols[k];
        if (!s->st_shndx) continue;
        const char *name = ls_elf_symbol_name(o, s);
        found |= !strcmp(name, "__cudaRegisterFatBinary");
        twelve |= !strcmp(name, "cudaGetDeviceProperties_v2");
    }
    if (found && twelve) version = 12000;
    return found;
}

/* --- Programs without symbols --- */
/* The runtime's archive, as toolkits install it; LOCKSTEP_CUDART_STATIC names another. */
static const char *const archives[] = {
    "/usr/local/cuda/lib64/libcudart_static.a", "/usr/local/cuda-*/lib64/libcudart_static.a",
    "/opt/cuda/lib64/libcudart_static.a", "/usr/lib/x86_64-linux-gnu/libcudart_static.a"};

typedef struct {
    const struct dl_phdr_info *info;
    void *self;
} stripped;

/* The code of one of the archive's objects in what is loaded of the program. */
static bool replace_found(const stripped *p, const ls_elf *o) {
    uint32_t text = ls_elf_section(o, ".text");
    for (int k = 0; text && k < p->info->dlpi_phnum; k++) {
        const ElfW(Phdr) *segment = &p->info->dlpi_phdr[k];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || !(segment->p_flags & PF_R)) continue;
        uintptr_t memory = p->info->dlpi_addr + segment->p_vaddr;
        const char *at = rt_find_code(o, text, (const char *)memory, segment->p_memsz);
        if (!at) continue;
        replace(o, (uintptr_t)at, text, p->self);
        return true;
    }
    return false;
}

static bool replace_from(const stripped *p, const char *path) {
    size_t size, member_size, at = 0;
    const char *bytes = rt_map_file(path, &size), *member;
    bool done = false;
    while (bytes && !done && ls_archive_next(bytes, size, &at, &member, &member_size)) {
        ls_elf o;
        done = ls_elf_read(&o, member, member_size) && has_runtime(&o) && replace_found(p, &o);
    }
    if (bytes) munmap((void *)(uintptr_t)bytes, size);
    return done;
}

static void replace_stripped(const stripped *p) {
    const char *named = getenv("LOCKSTEP_CUDART_STATIC");
    bool done = false;
    if (named) {
        replace_from(p, named);
        return;
    }
    for (size_t k = 0; k < sizeof archives / sizeof *archives && !done; k++) {
        glob_t found;
        if (glob(archives[k], 0, NULL, &found)) continue;
        for (size_t n = 0; n < found.gl_pathc && !done; n++) done = replace_from(p, found.gl_pathv[n]);
        globfree(&found);
    }
}

/* Whether it calls a runtime of another library. */
static bool imports_runtime(const ls_elf *o) {
    uint32_t section = ls_elf_section(o, ".dynstr");
    const char *names = section ? ls_elf_section_bytes(o, section) : NULL;
    return names && memmem(names, o->sections[section].sh_size, "__cudaRegisterFatBinary",
                           sizeof "__cudaRegisterFatBinary");
}

/* Once for each object. */
void rt_unreplaced(const void *address) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static ls_intmap said;
    Dl_info info;
    ls_buf text = {0};
    bool is_new;
    if (!dladdr(address, &info) || !info.dli_fname) return;
    pthread_mutex_lock(&lock);
    ls_intmap_at(&said, (uintptr_t)info.dli_fbase, &is_new);
    pthread_mutex_unlock(&lock);
    if (!is_new) return;
    ls_buf_printf(&text,
                  "%s has the CUDA runtime linked in and no symbols, and no installed toolkit has that "
                  "runtime: name its libcudart_static.a in LOCKSTEP_CUDART_STATIC, link with -cudart "
                  "shared, or do not strip it",
                  info.dli_fname);
    ls_dev_failed(cu_dev(), ls_buf_text(&text));
    ls_buf_free(&text);
}

/* The object's file is read, and the runtime in it replaced. */
static void look_into(struct dl_phdr_info *info, const char *bytes, size_t size, void *self) {
    ls_elf o;
    if (!ls_elf_read(&o, bytes, size)) return;
    if (info->dlpi_name) rt_give_ptx(&o, info->dlpi_addr, info->dlpi_name);
    if (has_runtime(&o))
        replace(&o, info->dlpi_addr, 0, self);
    else if (ls_elf_section(&o, ".nv_fatbin") && !o.symbols && !imports_runtime(&o))
        replace_stripped(&(stripped){info, self});
}

/* Objects that were looked at, by the address at which they are: the last time at which they were there,
 * above a hash of their names. One that was not there the last time was loaded again. */
static ls_intmap looked_at;
static uint64_t times;

static int each_object(struct dl_phdr_info *info, size_t unused, void *self) {
    (void)unused;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    bool is_new;
    uint64_t *seen = ls_intmap_at(&looked_at, info->dlpi_addr, &is_new);
    const uint64_t before = *seen, name = ls_hash_bytes(path, strlen(path));
    *seen = times << 32 | name;
    if (!is_new && before == ((times - 1) << 32 | name)) return 0;
    Dl_info own;
    if (dladdr((const void *)(uintptr_t)each_object, &own) && (uintptr_t)own.dli_fbase == info->dlpi_addr)
        return 0;
    size_t size;
    const char *bytes = rt_map_file(path, &size);
    if (!bytes) return 0;
    look_into(info, bytes, size, self);
    munmap((void *)(uintptr_t)bytes, size);
    return 0;
}

void rt_replace_in_objects(void) {
    static void *self;
    Dl_info own;
    if (!self && dladdr((const void *)(uintptr_t)each_object, &own)) self = dlopen(own.dli_fname, RTLD_NOW);
    times++;
    if (self) dl_iterate_phdr(each_object, self);
}

static __attribute__((constructor)) void start(void) {
    const char *asked = getenv("LOCKSTEP_RUNTIME_VERSION");
    if (asked) version = atoi(asked);
    rt_replace_in_objects();
    rt_watch_loading();
}
