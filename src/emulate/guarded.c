/* Guard pages (guarded.h): the memory ends where a page ends, and lies between two ranges that nobody may
 * touch. */
#include "emulate/guarded.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct {
    size_t pages, all; /* bytes in whole pages, and with the guards */
    size_t start;      /* of the memory, in all */
} layout;

static layout layout_of(size_t bytes, bool guarded) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = bytes ? (bytes + 127) / 128 * 128 : 128;
    size_t pages = (size + page - 1) / page * page;
    if (!guarded) return (layout){pages, pages, 0};
    return (layout){pages, pages + 2 * (size_t)LS_EM_GUARD, LS_EM_GUARD + (pages - size)};
}

void *em_guarded(size_t bytes, bool guarded) {
    if (bytes > SIZE_MAX / 2) return NULL;
    layout l = layout_of(bytes, guarded);
    char *at = mmap(NULL, l.all, guarded ? PROT_NONE : PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    if (guarded && mprotect(at + LS_EM_GUARD, l.pages, PROT_READ | PROT_WRITE)) {
        munmap(at, l.all);
        return NULL;
    }
    return at + l.start;
}

void em_guarded_free(void *at, size_t bytes, bool guarded) {
    if (!at) return;
    layout l = layout_of(bytes, guarded);
    munmap((char *)at - l.start, l.all);
}
