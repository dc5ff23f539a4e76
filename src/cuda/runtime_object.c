#include "cuda/runtime_object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

const char *rt_map_file(const char *path, size_t *size) {
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    bool good = fstat(file, &info) == 0 && info.st_size > 0;
    void *at = good ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (at == MAP_FAILED) return NULL;
    *size = (size_t)info.st_size;
    return at;
}

bool rt_in_section(const void *address, const char *name) {
    Dl_info info;
    size_t size;
    ls_elf o;
    if (!dladdr(address, &info) || !info.dli_fname) return false;
    const char *bytes = rt_map_file(info.dli_fname, &size);
    if (!bytes) bytes = rt_map_file("/proc/self/exe", &size);
    bool found = false;
    if (bytes && ls_elf_read(&o, bytes, size)) {
        const ls_elf_head *head = (const void *)bytes;
        uint64_t at =
            (uint64_t)(uintptr_t)address - (head->e_type == ET_EXEC ? 0 : (uintptr_t)info.dli_fbase);
        uint32_t section = ls_elf_section(&o, name);
        found = section && at - o.sections[section].sh_addr < o.sections[section].sh_size;
    }
    if (bytes) munmap((void *)(uintptr_t)bytes, size);
    return found;
}
