/* Addresses and memory apart (cuMemAddressReserve, cuMemCreate, cuMemMap): a range of addresses is reserved,
 * and memory is put there piece by piece. Pieces side by side are one allocation for the checkers, as code
 * may treat them so. What a piece holds stays with it when it is taken away and put elsewhere. One that was
 * exported, or comes from another process, is a file in memory (device/share.c), with what it is behind its
 * bytes. One piece at several addresses at once is not there. */
#include "cuda/driver.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GRANULARITY = 2 << 20, FILE_DESCRIPTOR = 1 };

typedef struct {
    int type, handleTypes;
    CUmemLocation location;
    void *security;
    unsigned char rest[8];
} CUmemAllocationProp;

typedef struct {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

typedef struct piece {      /* a CUmemGenericAllocationHandle */
    uint64_t size, address; /* address 0: nowhere */
    CUmemAllocationProp how;
    uint32_t references;
    char *contents; /* while it is nowhere … */
    int file;       /* … or here at all times; -1: not shared */
    struct piece *next;
} piece;

typedef struct range {
    uint64_t address, size;
    struct range *next;
} range;

static struct {
    pthread_mutex_t lock;
    piece *pieces;
    range *ranges;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static range *range_of(uint64_t address) {
    range *r = all.ranges;
    while (r && address - r->address >= r->size) r = r->next;
    return r;
}

static piece *piece_at(uint64_t address) {
    piece *p = all.pieces;
    while (p && (!p->address || address - p->address >= p->size)) p = p->next;
    return p;
}

/* Makes the pieces of the range known, those side by side as one; or, before they change, forgets them. */
static void know_range(const range *r, bool known) {
    for (uint64_t at = r->address; at < r->address + r->size;) {
        const piece *first = piece_at(at), *p = first;
        uint64_t from = at;
        if (!first) {
            at += GRANULARITY;
            continue;
        }
        for (; p; p = piece_at(at)) at = p->address + p->size;
        if (known)
            ls_dev_map(cu_dev(), first->how.location.id, from, at - from, "cuMemMap");
        else
            ls_dev_unmap(cu_dev(), from);
    }
}

API(cuMemGetAllocationGranularity, size_t *size, const CUmemAllocationProp *how, int option) {
    (void)how, (void)option;
    *size = GRANULARITY;
    return CU_OK;
}

API(cuMemAddressReserve, CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wanted,
    unsigned long long flags) {
    (void)wanted, (void)flags;
    if (!size || size % GRANULARITY) return RESULT(LS_DEV_INVALID);
    range *r = calloc(1, sizeof *r);
    *address = r ? ls_dev_reserve(cu_dev(), size, alignment > GRANULARITY ? alignment : GRANULARITY) : 0;
    if (!*address) {
        free(r);
        return RESULT(LS_DEV_NO_MEMORY);
    }
    pthread_mutex_lock(&all.lock);
    *r = (range){*address, size, all.ranges};
    all.ranges = r;
    pthread_mutex_unlock(&all.lock);
    return CU_OK;
}
API(cuMemAddressFree, CUdeviceptr address, size_t size) {
    pthread_mutex_lock(&all.lock);
    range **at = &all.ranges;
    while (*at && (*at)->address != address) at = &(*at)->next;
    range *r = *at && (*at)->size == size ? *at : NULL;
    if (r) *at = r->next;
    pthread_mutex_unlock(&all.lock);
    free(r);
    return r ? CU_OK : RESULT(LS_DEV_INVALID);
}

static void add(piece *p) {
    p->references = 1;
    pthread_mutex_lock(&all.lock);
    p->next = all.pieces;
    all.pieces = p;
    pthread_mutex_unlock(&all.lock);
}

API(cuMemCreate, piece **handle, size_t size, const CUmemAllocationProp *how, unsigned long long flags) {
    (void)flags;
    if (!size || size % GRANULARITY || !how) return RESULT(LS_DEV_INVALID);
    piece *p = calloc(1, sizeof *p);
    if (!p) return RESULT(LS_DEV_NO_MEMORY);
    p->size = size;
    p->how = *how;
    p->file = -1;
    add(p);
    *handle = p;
    return CU_OK;
}

/* Gone when nobody holds it and it is nowhere. */
static void drop(piece *p) {
    if (p->references || p->address) return;
    piece **at = &all.pieces;
    while (*at && *at != p) at = &(*at)->next;
    if (*at) *at = p->next;
    if (p->file >= 0) close(p->file);
    free(p->contents);
    free(p);
}
API(cuMemRelease, piece *p) {
    pthread_mutex_lock(&all.lock);
    if (p->references) p->references--;
    drop(p);
    pthread_mutex_unlock(&all.lock);
    return CU_OK;
}
API(cuMemRetainAllocationHandle, piece **handle, void *address) {
    pthread_mutex_lock(&all.lock);
    *handle = piece_at((uint64_t)(uintptr_t)address);
    if (*handle) (*handle)->references++;
    pthread_mutex_unlock(&all.lock);
    return *handle ? CU_OK : RESULT(LS_DEV_INVALID);
}
API(cuMemGetAllocationPropertiesFromHandle, CUmemAllocationProp *how, const piece *p) {
    *how = p->how;
    return CU_OK;
}

API(cuMemMap, CUdeviceptr address, size_t size, size_t offset, piece *p, unsigned long long flags) {
    (void)flags;
    pthread_mutex_lock(&all.lock);
    const range *r = range_of(address);
    ls_dev_status status = LS_DEV_OK;
    if (!r || address % GRANULARITY || address + size > r->address + r->size || size != p->size || offset)
        status = LS_DEV_INVALID;
    else if (p->address)
        status = LS_DEV_NOT_SUPPORTED;
    for (uint64_t at = address; !status && at < address + size; at += GRANULARITY)
        if (piece_at(at)) status = LS_DEV_INVALID;
    if (!status && p->file >= 0 && !ls_dev_place_file(address, size, p->file, 0)) status = LS_DEV_NO_MEMORY;
    if (!status) {
        know_range(r, false);
        p->address = address;
        know_range(r, true);
        if (p->contents) memcpy(ls_emu_host(address), p->contents, size);
        free(p->contents);
        p->contents = NULL;
    }
    pthread_mutex_unlock(&all.lock);
    if (status == LS_DEV_NOT_SUPPORTED)
        ls_dev_missing(cu_dev(), "cuMemMap of one memory at several addresses");
    return RESULT(status);
}

/* Keeps what the piece holds, where anybody can ask for it again; false where there is no memory for that. */
static bool take_away(piece *p) {
    if (p->file >= 0) return ls_dev_place_file(p->address, p->size, -1, 0);
    p->contents = p->references ? malloc(p->size) : NULL;
    if (p->contents) memcpy(p->contents, ls_emu_host(p->address), p->size);
    return p->contents || !p->references;
}

API(cuMemUnmap, CUdeviceptr address, size_t size) {
    pthread_mutex_lock(&all.lock);
    const range *r = range_of(address);
    if (r) know_range(r, false);
    bool any = false;
    ls_dev_status status = LS_DEV_OK;
    for (piece *p = all.pieces, *next; r && p; p = next) {
        next = p->next;
        if (!p->address || p->address < address || p->address + p->size > address + size) continue;
        any = true;
        if (!take_away(p)) { /* it stays mapped */
            status = LS_DEV_NO_MEMORY;
            continue;
        }
        p->address = 0;
        drop(p);
    }
    if (r) know_range(r, true);
    pthread_mutex_unlock(&all.lock);
    return RESULT(any ? status : LS_DEV_INVALID);
}

API(cuMemSetAccess, CUdeviceptr address, size_t size, const CUmemAccessDesc *access, size_t count) {
    (void)size, (void)access, (void)count;
    pthread_mutex_lock(&all.lock);
    bool known = piece_at(address);
    pthread_mutex_unlock(&all.lock);
    return known ? CU_OK : RESULT(LS_DEV_INVALID);
}
API(cuMemGetAccess, unsigned long long *flags, const CUmemLocation *location, CUdeviceptr address) {
    enum { READ_WRITE = 3 };
    (void)location, (void)address;
    *flags = READ_WRITE;
    return CU_OK;
}

/* --- Pieces of other processes --- */
typedef struct { /* behind the bytes of the file */
    char mark[8];
    uint64_t size;
    CUmemAllocationProp how;
} piece_name;
static const char MARK[8] = "ls-part";

static bool share(piece *p) {
    if (p->file >= 0) return true;
    piece_name name = {.size = p->size, .how = p->how};
    memcpy(name.mark, MARK, sizeof MARK);
    const char *bytes = p->address ? ls_emu_host(p->address) : p->contents;
    const int file = ls_dev_memory_file(bytes, p->size);
    if (file < 0) return false;
    if (pwrite(file, &name, sizeof name, (off_t)p->size) != sizeof name ||
        (p->address && !ls_dev_place_file(p->address, p->size, file, 0))) {
        close(file);
        return false;
    }
    p->file = file;
    free(p->contents);
    p->contents = NULL;
    return true;
}

API(cuMemExportToShareableHandle, void *out, piece *p, int type, unsigned long long flags) {
    if (!out || !p || flags || type != FILE_DESCRIPTOR || !(p->how.handleTypes & type))
        return RESULT(LS_DEV_INVALID);
    pthread_mutex_lock(&all.lock);
    const int file = share(p) ? fcntl(p->file, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&all.lock);
    if (file < 0) return RESULT(LS_DEV_NO_MEMORY);
    *(int *)out = file;
    return CU_OK;
}

API(cuMemImportFromShareableHandle, piece **handle, void *from, int type) {
    const int theirs = (int)(intptr_t)from;
    const off_t end = lseek(theirs, 0, SEEK_END), at = end - (off_t)sizeof(piece_name);
    piece_name name;
    if (!handle || type != FILE_DESCRIPTOR || at <= 0 ||
        pread(theirs, &name, sizeof name, at) != sizeof name || memcmp(name.mark, MARK, sizeof MARK) ||
        name.size != (uint64_t)at || name.size % GRANULARITY)
        return RESULT(LS_DEV_INVALID);
    piece *p = calloc(1, sizeof *p);
    const int file = p ? fcntl(theirs, F_DUPFD_CLOEXEC, 0) : -1;
    if (file < 0) {
        free(p);
        return RESULT(LS_DEV_NO_MEMORY);
    }
    p->size = name.size;
    p->how = name.how;
    p->file = file;
    add(p);
    *handle = p;
    return CU_OK;
}
