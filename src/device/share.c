/* Memory that several processes use: the pages that an exported allocation lies in become those of a file in
 * memory, which another process finds under this one's open files and puts into its own window. Others may
 * write such memory at any time, so it counts as written, and unordered accesses by two processes are not
 * looked for. */
#include "device/private.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static const uint64_t PAGE = 4096;
static const char MARK[8] = "lockstep";

static uint64_t first_page(uint64_t address) {
    return address / PAGE * PAGE;
}
static uint64_t pages_end(uint64_t address, uint64_t size) {
    return (address + size + PAGE - 1) / PAGE * PAGE;
}

/* --- In the process that has the memory --- */

int ls_dev_memory_file(const char *bytes, uint64_t size) {
    int file = memfd_create("lockstep-device-memory", MFD_CLOEXEC);
    bool good = file >= 0 && !ftruncate(file, (off_t)size);
    for (uint64_t done = 0; good && bytes && done < size;) {
        ssize_t n = pwrite(file, bytes + done, size - done, (off_t)done);
        good = n > 0;
        done += good ? (uint64_t)n : 0;
    }
    if (good || file < 0) return file;
    close(file);
    return -1;
}

bool ls_dev_place_file(uint64_t address, uint64_t size, int file, uint64_t offset) {
    const int how = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *at = ls_emu_host(address);
    return mmap(at, size, PROT_READ | PROT_WRITE, how | MAP_FIXED, file, (off_t)offset) == at;
}

/* Pages that are shared already, for the sake of a neighbour, stay what they are. */
static const shared_pages *share_pages(ls_dev *dev, uint64_t from, uint64_t to) {
    for (uint32_t k = 0; k < dev->shared.length; k++) {
        const shared_pages *s = &dev->shared.items[k];
        if (s->from <= from && to <= s->to) return s;
        if (s->from < to && from < s->to) return NULL;
    }
    int file = ls_dev_memory_file(ls_emu_host(from), to - from);
    if (file < 0) return NULL;
    if (!ls_dev_place_file(from, to - from, file, 0)) {
        close(file);
        return NULL;
    }
    shared_pages s = {from, to, file};
    LS_VEC_PUSH(&dev->shared, s);
    return &dev->shared.items[dev->shared.length - 1];
}

ls_dev_status ls_dev_export(ls_dev *dev, uint64_t address, ls_shared_memory *out) {
    dv_lock(dev);
    ls_dev_status status = LS_DEV_INVALID;
    const memory_record *r = dv_find(dev, address);
    if (r && r->m.kind == LS_MEMORY_DEVICE) {
        const shared_pages *s =
            share_pages(dev, first_page(r->m.address), pages_end(r->m.address, r->m.size));
        status = s ? LS_DEV_OK : LS_DEV_NOT_SUPPORTED;
        if (s) {
            *out = (ls_shared_memory){.process = (int)getpid(),
                                      .file = s->file,
                                      .offset = r->m.address - s->from,
                                      .size = r->m.size};
            memcpy(out->mark, MARK, sizeof MARK);
            ls_emu_space_define(dev->space, r->m.address, r->m.size);
        }
    }
    dv_unlock(dev);
    return status;
}

/* --- In another one --- */
static int open_file(const ls_shared_memory *from) {
    char path[64];
    if (memcmp(from->mark, MARK, sizeof MARK) || from->process == (int)getpid() || !from->size) return -1;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", from->process, from->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    off_t end = file < 0 ? 0 : lseek(file, 0, SEEK_END);
    if (file < 0 || (end > 0 && from->offset < (uint64_t)end && from->size <= (uint64_t)end - from->offset))
        return file;
    close(file);
    return -1;
}

uint64_t ls_dev_import(ls_dev *dev, int device, const ls_shared_memory *from, const char *what) {
    int file = open_file(from);
    if (file < 0) return 0;
    const uint64_t start = first_page(from->offset), end = pages_end(from->offset, from->size);
    uint64_t at = ls_dev_reserve(dev, end - start, PAGE);
    if (at && !ls_dev_place_file(at, end - start, file, start)) at = 0;
    close(file);
    if (!at) return 0;
    at += from->offset - start;
    ls_dev_map(dev, device, at, from->size, what);
    return at;
}

ls_dev_status ls_dev_close_import(ls_dev *dev, uint64_t address, const char *what) {
    ls_memory m;
    if (!ls_dev_find(dev, address, &m) || m.address != address || m.what != what) return LS_DEV_INVALID;
    ls_dev_unmap(dev, address);
    const uint64_t from = first_page(address), to = pages_end(address, m.size);
    return ls_dev_place_file(from, to - from, -1, 0) ? LS_DEV_OK : LS_DEV_NO_MEMORY;
}
