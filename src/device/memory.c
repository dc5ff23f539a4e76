/* Memory of the device. Device memory stands in the window of emulate/space.h: an address is given out once,
 * with a red zone on both sides, and what is freed stays known and empty for as long as the quarantine has
 * room, so that what follows a stale pointer is seen; small places are used again after that. Pinned and
 * managed memory stands in a range of the host's own. */
#include "device/private.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* What is as large as a page begins with one, so that it can be shared by itself (share.c). */
enum { RED_ZONE = 256, ALIGN = 512, PAGE = 4096, QUARANTINE = 4096, SMALL = 1 << 16 };
static const uint64_t SLAB = UINT64_C(1) << 26; /* bytes that are made ready at once */
static const uint64_t HOST_BASE = UINT64_C(14) << LS_DEVICE_SHIFT;

bool dv_is_device(uint64_t address) {
    return address >> LS_DEVICE_SHIFT == LS_DEVICE_WINDOW;
}

/* --- Places in the window --- */
static bool open_window(ls_dev *dev) {
    void *window = mmap((void *)LS_DEVICE_BASE, LS_DEVICE_SIZE, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    void *bytes = mmap(ls_emu_host(LS_DEVICE_BASE), LS_DEVICE_SIZE, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (window != (void *)LS_DEVICE_BASE || bytes != ls_emu_host(LS_DEVICE_BASE)) return false;
    dev->window_used = ALIGN;
    return true;
}

/* Makes the window's bytes below `end` usable. */
static bool make_ready(ls_dev *dev, uint64_t end) {
    if (end <= dev->window_ready) return true;
    uint64_t to = (end + SLAB - 1) / SLAB * SLAB;
    if (to > LS_DEVICE_SIZE) return false;
    char *at = (char *)ls_emu_host(LS_DEVICE_BASE) + dev->window_ready;
    if (mprotect(at, to - dev->window_ready, PROT_READ | PROT_WRITE)) return false;
    madvise(at, to - dev->window_ready, MADV_HUGEPAGE); /* only a hint */
    dev->window_ready = to;
    return true;
}

/* A place that was used before and has left the quarantine. */
static uint64_t take_spare(ls_dev *dev, uint64_t size) {
    for (uint32_t k = dev->spare_places.length; k-- && dev->spare_places.length - k < 64;) {
        byte_range r = dev->spare_places.items[k];
        if (r.hi - r.lo != size) continue;
        dev->spare_places.items[k] = dev->spare_places.items[--dev->spare_places.length];
        return r.lo;
    }
    return 0;
}

/* The heap of kernels takes from it, too, in threads that run blocks: these two have a lock of their own, as
 * the device's is held while a kernel runs. */
static uint64_t take_window(ls_dev *dev, uint64_t size, uint64_t align) {
    uint64_t at = 0;
    pthread_mutex_lock(&dev->places);
    if (dev->window_used || open_window(dev)) {
        at = (dev->window_used + RED_ZONE + align - 1) / align * align;
        if (size > LS_DEVICE_SIZE || at > LS_DEVICE_SIZE - size || !make_ready(dev, at + size)) at = 0;
    }
    if (at) dev->window_used = at + size;
    pthread_mutex_unlock(&dev->places);
    return at ? LS_DEVICE_BASE + at : 0;
}

static uint64_t take_host(ls_dev *dev, uint64_t size) {
    uint64_t bytes = (size + 4095) / 4096 * 4096;
    pthread_mutex_lock(&dev->places);
    void *at = mmap((void *)(HOST_BASE + dev->host_used), bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) dev->host_used += bytes + 4096; /* and a page that is not there */
    pthread_mutex_unlock(&dev->places);
    return at == MAP_FAILED ? 0 : (uint64_t)(uintptr_t)at;
}

uint64_t dv_take(void *context, uint64_t size, uint64_t align, bool managed) {
    ls_dev *dev = context;
    return managed ? take_host(dev, size) : take_window(dev, size, align > 16 ? align : 16);
}

/* --- Records --- */
static uint32_t upto(const ls_dev *dev, uint64_t address) {
    uint32_t low = 0, high = dev->records.length;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (dev->records.items[middle]->m.address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static memory_record *find_any(ls_dev *dev, uint64_t address) {
    uint32_t n = upto(dev, address);
    memory_record *r = n ? dev->records.items[n - 1] : NULL;
    return r && address - r->m.address < (r->m.size ? r->m.size : 1) ? r : NULL;
}

memory_record *dv_find(ls_dev *dev, uint64_t address) {
    memory_record *r = find_any(dev, address);
    return r && !r->m.freed ? r : NULL;
}

memory_record *dv_nearest(ls_dev *dev, uint64_t address) {
    uint32_t n = upto(dev, address);
    memory_record *r = n ? dev->records.items[n - 1] : NULL;
    if (r && address - r->m.address < r->m.size + 4096) return r;
    r = n < dev->records.length ? dev->records.items[n] : NULL;
    return r && r->m.address - address < 4096 ? r : NULL;
}

static memory_record *add_record(ls_dev *dev, const ls_memory *m) {
    memory_record *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->m = *m;
    uint32_t at = upto(dev, m->address);
    LS_VEC_PUSH(&dev->records, r);
    memmove(dev->records.items + at + 1, dev->records.items + at,
            (dev->records.length - 1 - at) * sizeof *dev->records.items);
    dev->records.items[at] = r;
    return r;
}

static void free_record(memory_record *r) {
    for (uint32_t k = 0; k < r->touched.length; k++) LS_VEC_FREE(&r->touched.items[k].ranges);
    LS_VEC_FREE(&r->touched);
    free(r);
}

static void drop_record(ls_dev *dev, memory_record *r) {
    uint32_t n = upto(dev, r->m.address);
    while (n && dev->records.items[n - 1] != r) n--;
    if (!n) return;
    memmove(dev->records.items + n - 1, dev->records.items + n,
            (dev->records.length - n) * sizeof *dev->records.items);
    dev->records.length--;
    free_record(r);
}

static memory_record *know(ls_dev *dev, ls_memory *m, bool undefined) {
    char name[64];
    m->number = ++dev->allocations;
    if (m->number == 1) {
        ls_buf record = {0};
        ls_buf_puts(&record, "A\t-\n");
        dv_tell(dev, &record);
    }
    snprintf(name, sizeof name, "allocation %u", m->number);
    memory_record *r = add_record(dev, m);
    if (!r) return NULL;
    dv_stack(dev, &r->from);
    ls_emu_space_add(dev->space, m->address, m->size, name, undefined);
    return r;
}

memory_record *dv_note_variable(ls_dev *dev, int device, uint64_t address, uint64_t size, const char *name) {
    ls_memory m = {.address = address,
                   .size = size,
                   .kind = LS_MEMORY_VARIABLE,
                   .device = device,
                   .what = ls_arena_strdup(&dev->arena, name)};
    return add_record(dev, &m);
}

void dv_forget_variable(ls_dev *dev, uint64_t address) {
    memory_record *r = dv_find(dev, address);
    if (!r) return;
    ls_emu_space_remove(dev->space, address);
    drop_record(dev, r);
}

/* --- Variables of the host's --- */
void ls_dev_place(ls_dev *dev, const char *name, void *memory, uint64_t size) {
    dv_lock(dev);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < dev->placed.length; k++)
        if (strcmp(dev->placed.items[k].name, name)) dev->placed.items[kept++] = dev->placed.items[k];
    dev->placed.length = kept;
    placed_variable v = {name, memory, size};
    if (memory) LS_VEC_PUSH(&dev->placed, v);
    dv_unlock(dev);
}

uint64_t dv_place(void *context, const char *name, uint64_t size) {
    const ls_dev *dev = context;
    for (uint32_t k = 0; k < dev->placed.length; k++)
        if (!strcmp(dev->placed.items[k].name, name) && dev->placed.items[k].size >= size)
            return (uint64_t)(uintptr_t)dev->placed.items[k].memory;
    return 0;
}

/* --- Allocation --- */
uint64_t dv_alloc_word(ls_dev *dev, const char *name) {
    dv_lock(dev);
    uint64_t at = take_window(dev, ALIGN, ALIGN);
    if (at && dv_note_variable(dev, 0, at, 4, name))
        ls_emu_space_add(dev->space, at, 4, name, false);
    else
        at = 0;
    dv_unlock(dev);
    return at;
}

uint64_t ls_dev_alloc(ls_dev *dev, ls_memory_kind kind, int device, uint64_t size, const char *what) {
    dv_lock(dev);
    uint64_t at = 0, place = (size + ALIGN - 1) / ALIGN * ALIGN;
    bool on_device = kind == LS_MEMORY_DEVICE;
    if (size && (!on_device || dev->in_use[device & 63] + size <= dev->gpu->memory)) {
        if (on_device) at = place <= SMALL ? take_spare(dev, place) : 0;
        if (!at) at = on_device ? take_window(dev, place, size < PAGE ? ALIGN : PAGE) : take_host(dev, size);
    }
    ls_memory m = {.address = at, .size = size, .kind = kind, .device = device, .what = what};
    memory_record *r = at ? know(dev, &m, on_device) : NULL;
    if (r) {
        r->place = at;
        r->place_size = place;
        if (on_device) dev->in_use[device & 63] += size;
    }
    dv_unlock(dev);
    return r ? at : 0;
}

ls_dev_status ls_dev_register(ls_dev *dev, void *memory, uint64_t size, const char *what) {
    ls_memory m = {
        .address = (uint64_t)(uintptr_t)memory, .size = size, .kind = LS_MEMORY_REGISTERED, .what = what};
    if (!memory || !size) return LS_DEV_INVALID;
    dv_lock(dev);
    bool taken = dv_find(dev, m.address) || dv_find(dev, m.address + size - 1);
    if (!taken) know(dev, &m, false);
    dv_unlock(dev);
    return taken ? LS_DEV_INVALID : LS_DEV_OK;
}

/* --- Addresses and memory apart --- */
uint64_t ls_dev_reserve(ls_dev *dev, uint64_t size, uint64_t align) {
    dv_lock(dev);
    uint64_t at = take_window(dev, size, align > ALIGN ? align : ALIGN);
    dv_unlock(dev);
    return at;
}

void ls_dev_map(ls_dev *dev, int device, uint64_t address, uint64_t size, const char *what) {
    ls_memory m = {
        .address = address, .size = size, .kind = LS_MEMORY_DEVICE, .device = device, .what = what};
    dv_lock(dev);
    know(dev, &m, false);
    dv_unlock(dev);
}

void ls_dev_unmap(ls_dev *dev, uint64_t address) {
    dv_lock(dev);
    memory_record *r = dv_find(dev, address);
    if (r) {
        ls_emu_space_remove(dev->space, address);
        drop_record(dev, r);
    }
    dv_unlock(dev);
}

/* The oldest of the quarantine leaves it; small places can be used again. */
static void release_oldest(ls_dev *dev) {
    memory_record *r = dev->quarantine.items[dev->quarantine_first++];
    ls_emu_space_remove(dev->space, r->m.address);
    if (r->place_size && r->place_size <= SMALL && r->m.kind == LS_MEMORY_DEVICE) {
        byte_range again = {r->place, r->place + r->place_size};
        LS_VEC_PUSH(&dev->spare_places, again);
    }
    drop_record(dev, r);
    if (dev->quarantine_first > QUARANTINE) {
        dev->quarantine.length -= dev->quarantine_first;
        memmove(dev->quarantine.items, dev->quarantine.items + dev->quarantine_first,
                dev->quarantine.length * sizeof *dev->quarantine.items);
        dev->quarantine_first = 0;
    }
}

/* Gives whole pages back. */
static void empty(uint64_t address, uint64_t size) {
    uint64_t at = (uint64_t)(uintptr_t)ls_emu_host(address), from = (at + 4095) / 4096 * 4096,
             to = (at + size) / 4096 * 4096;
    if (to > from) madvise((void *)from, to - from, MADV_DONTNEED);
}

static void put_aside(ls_dev *dev, memory_record *r) {
    r->m.freed = true;
    dv_stack(dev, &r->freed_from);
    ls_emu_space_retire(dev->space, r->m.address);
    if (r->m.kind == LS_MEMORY_DEVICE) {
        empty(r->m.address, r->m.size);
        dev->in_use[r->m.device & 63] -= r->m.size;
    } else {
        mprotect((void *)r->m.address, (r->m.size + 4095) / 4096 * 4096, PROT_NONE);
        empty(r->m.address, r->m.size);
    }
    if (r->of_graph) return;
    LS_VEC_PUSH(&dev->quarantine, r);
    while (dev->quarantine.length - dev->quarantine_first > QUARANTINE) release_oldest(dev);
}

static ls_dev_status refuse_free(ls_dev *dev, uint64_t address, const memory_record *r, const char *what) {
    ls_buf record = {0};
    stack here;
    dv_stack(dev, &here);
    bool inside = r && r->m.address != address;
    if (!r)
        dv_begin_finding(&record, "memory.free", LS_ERROR, NULL, 1,
                         "%s of 0x%llx, which is not an allocation", what, (unsigned long long)address);
    else if (inside)
        dv_begin_finding(&record, "memory.free", LS_ERROR, NULL, 1,
                         "%s of an address inside an allocation, %llu bytes after its start", what,
                         (unsigned long long)(address - r->m.address));
    else
        dv_begin_finding(&record, "memory.free", LS_ERROR, NULL, 1, "%s of memory that was freed before",
                         what);
    dv_put_stack(&record, "freed here", &here);
    if (r) dv_put_memory(&record, r);
    dv_tell(dev, &record);
    return LS_DEV_INVALID;
}

ls_dev_status ls_dev_free(ls_dev *dev, uint64_t address, const char *what) {
    dv_lock(dev);
    memory_record *r = find_any(dev, address);
    ls_dev_status status = LS_DEV_OK;
    if (!r || r->m.address != address || r->m.freed || r->m.kind == LS_MEMORY_VARIABLE) {
        status = refuse_free(dev, address, r, what);
    } else if (r->m.kind == LS_MEMORY_REGISTERED) {
        ls_emu_space_remove(dev->space, address);
        drop_record(dev, r);
    } else {
        put_aside(dev, r);
    }
    dv_unlock(dev);
    return status;
}

void ls_dev_graph_memory(ls_dev *dev, uint64_t address) {
    dv_lock(dev);
    memory_record *r = dv_find(dev, address);
    if (r) r->of_graph = true;
    dv_unlock(dev);
}

/* It is there, without contents. */
ls_dev_status dv_graph_alloc(ls_dev *dev, uint64_t address) {
    char name[64];
    memory_record *r = find_any(dev, address);
    if (!r || !r->of_graph) return LS_DEV_OK;
    if (r->m.freed) dev->in_use[r->m.device & 63] += r->m.size;
    r->m.freed = false;
    snprintf(name, sizeof name, "allocation %u", r->m.number);
    ls_emu_space_remove(dev->space, r->m.address);
    ls_emu_space_add(dev->space, r->m.address, r->m.size, name, true);
    return LS_DEV_OK;
}

void ls_dev_reset(ls_dev *dev, int device) {
    dv_lock(dev);
    for (uint32_t k = dev->records.length; k--;) {
        memory_record *r = dev->records.items[k];
        if (!r->m.freed && r->m.kind == LS_MEMORY_DEVICE && r->m.device == device) {
            put_aside(dev, r);
            k = k < dev->records.length ? k : dev->records.length;
        }
    }
    dv_unlock(dev);
}

bool ls_dev_find(ls_dev *dev, uint64_t address, ls_memory *out) {
    dv_lock(dev);
    const memory_record *r = dv_find(dev, address);
    if (r) *out = r->m;
    dv_unlock(dev);
    return r;
}

void ls_dev_memory_info(ls_dev *dev, int device, uint64_t *free_bytes, uint64_t *total) {
    *total = dev->gpu->memory;
    *free_bytes = *total - dev->in_use[device & 63];
}

/* --- Leaks --- */
void dv_tell_leaks(ls_dev *dev) {
    for (uint32_t k = 0; k < dev->records.length; k++) {
        const memory_record *r = dev->records.items[k];
        if (r->m.freed || r->m.kind == LS_MEMORY_VARIABLE || r->m.kind == LS_MEMORY_REGISTERED || r->of_graph)
            continue;
        ls_buf record = {0};
        dv_begin_finding(&record, "memory.leak", LS_NOTE, NULL, 1, "%llu bytes from %s were never %s",
                         (unsigned long long)r->m.size, r->m.what,
                         dev->options.words == LS_WORDS_OPENCL ? "released" : "freed");
        dv_put_stack(&record, "allocated here", &r->from);
        dv_tell(dev, &record);
    }
}

void dv_free_memory(ls_dev *dev) {
    LS_VEC_FREE(&dev->placed);
    for (uint32_t k = 0; k < dev->records.length; k++) {
        memory_record *r = dev->records.items[k];
        if (r->m.kind == LS_MEMORY_PINNED || r->m.kind == LS_MEMORY_MANAGED)
            munmap((void *)r->m.address, (r->m.size + 4095) / 4096 * 4096);
        free_record(r);
    }
    LS_VEC_FREE(&dev->records);
    LS_VEC_FREE(&dev->quarantine);
    LS_VEC_FREE(&dev->spare_places);
    for (uint32_t k = 0; k < dev->shared.length; k++) close(dev->shared.items[k].file);
    LS_VEC_FREE(&dev->shared);
    if (dev->window_used) {
        munmap((void *)LS_DEVICE_BASE, LS_DEVICE_SIZE);
        munmap(ls_emu_host(LS_DEVICE_BASE), LS_DEVICE_SIZE);
    }
}

/* --- Arrays and textures --- */
ls_dev_status ls_dev_array_new(ls_dev *dev, int device, ls_array *a, const char *what) {
    uint64_t rows = a->height ? a->height : 1, slices = a->depth ? a->depth : 1;
    uint64_t size = a->width * ls_array_element(a) * rows * slices;
    if (!a->width || !ls_array_element(a)) return LS_DEV_INVALID;
    a->address = ls_dev_alloc(dev, LS_MEMORY_DEVICE, device, size, what);
    return a->address ? LS_DEV_OK : LS_DEV_NO_MEMORY;
}

uint64_t ls_dev_texture(ls_dev *dev, uint64_t handle, const ls_texture *texture) {
    dv_lock(dev);
    uint64_t made = ls_emu_space_texture(dev->space, handle, texture);
    dv_unlock(dev);
    return made;
}
