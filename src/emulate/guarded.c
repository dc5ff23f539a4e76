/* Guard pages (guarded.h): the memory ends where a page ends, and lies between two ranges that nobody may
 * touch. */
#include "emulate/guarded.h"

#include <stdint.h>
#include <string.h>
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

void *em_guarded_from(em_guarded_pool *p, size_t bytes, bool guarded) {
    for (int k = 0; p && guarded && k < LS_EM_KEPT; k++) {
        void *at = p->kept[k].at;
        if (!at || p->kept[k].bytes != bytes) continue;
        p->kept[k].at = NULL;
        return memset(at, 0, bytes);
    }
    return em_guarded(bytes, guarded);
}

void em_guarded_keep(em_guarded_pool *p, void *at, size_t bytes, bool guarded) {
    enum { MOST = 256 << 10 };
    for (int k = 0; p && at && guarded && bytes <= MOST && k < LS_EM_KEPT; k++) {
        if (p->kept[k].at) continue;
        p->kept[k].at = at;
        p->kept[k].bytes = bytes;
        return;
    }
    em_guarded_free(at, bytes, guarded);
}

void em_guarded_forget(em_guarded_pool *p) {
    for (int k = 0; k < LS_EM_KEPT; k++) {
        em_guarded_free(p->kept[k].at, p->kept[k].bytes, true);
        p->kept[k].at = NULL;
    }
}
