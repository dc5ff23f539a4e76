/* What stays on a device from check to check, so that a program's thousandth launch of a kernel costs no more
 * than its check: analysed kernels and their instrumented modules, by everything that they depend on; and
 * memory. The machine code on disk is the CUDA driver's business: it keeps what it compiled by the text of
 * the PTX. */
#include "base/disk.h"
#include "base/vec.h"
#include "detect/check.h"

#include "lockstep/version.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { MAX_KERNELS = 256 };

typedef struct {
    instrument_options options;
    void *module;
    uint64_t shared;
} kept_variant;

struct kept_kernel {
    ls_buf key;
    ls_buf consulted, list;  /* which bytes of the parameters the analysis looked at; where pointers are */
    ls_buf params, pointers; /* what it was analysed with */
    struct plan *plan;       /* or NULL */
    kernel *k;
    LS_VEC(kept_variant) variants;
    void *original;
    uint64_t used; /* when it was used last */
    bool busy, pinned;
};

struct kept {
    LS_VEC(kept_kernel *) kernels;
    LS_VEC(block_of_memory) memory;
    uint64_t bytes, clock;
};

static struct kept *kept_of(ls_detect_device *device) {
    if (!device->kept) {
        device->kept = ls_xmalloc(sizeof *device->kept);
        *device->kept = (struct kept){0};
    }
    return device->kept;
}

/* --- Kernels ---------------------------------------------------------------------------------------------
 */

static void free_kernel(ls_detect_device *device, kept_kernel *one) {
    dt_free_plan(device, one->plan);
    for (uint32_t i = 0; i < one->variants.length; i++)
        device->f->unload(device, one->variants.items[i].module);
    if (one->original) device->f->unload(device, one->original);
    LS_VEC_FREE(&one->variants);
    ls_buf_free(&one->key);
    ls_buf_free(&one->params);
    ls_buf_free(&one->pointers);
    ls_buf_free(&one->consulted);
    ls_buf_free(&one->list);
    dt_kernel_free(one->k);
    free(one);
}

static void add_text(ls_buf *key, const char *text, size_t length) {
    uint64_t sums[2];
    ls_sums(text, length, sums);
    ls_buf_add(key, (const char *)sums, sizeof sums);
    ls_buf_add(key, (const char *)&length, sizeof length);
}

static void add_name(ls_buf *key, const char *name) {
    if (name) ls_buf_puts(key, name);
    ls_buf_putc(key, 0);
}

/* Everything that the analysis and the rewriting look at, but for the values of parameters. */
static ls_buf key_of(const check *c) {
    ls_buf key = {0};
    const ls_detect_launch *l = c->launch;
    ls_buf_add(&key, (const char *)&l->identity, sizeof l->identity);
    if (!l->identity) add_text(&key, c->ptx, c->length);
    add_name(&key, c->filename);
    add_name(&key, l->kernel);
    ls_buf_add(&key, (const char *)l->grid, sizeof l->grid);
    ls_buf_add(&key, (const char *)l->block, sizeof l->block);
    ls_buf_add(&key, (const char *)&l->shared_bytes, sizeof l->shared_bytes);
    ls_buf_add(&key, (const char *)&l->params_size, sizeof l->params_size);
    ls_buf_putc(&key, c->options->all);
    for (uint32_t i = 0; i < c->options->race_free_count; i++) add_name(&key, c->options->race_free[i]);
    return key;
}

static void make_room(ls_detect_device *device, struct kept *kept) {
    uint32_t oldest = UINT32_MAX;
    if (kept->kernels.length < MAX_KERNELS) return;
    for (uint32_t i = 0; i < kept->kernels.length; i++)
        if (!kept->kernels.items[i]->busy && !kept->kernels.items[i]->pinned &&
            (oldest == UINT32_MAX || kept->kernels.items[i]->used < kept->kernels.items[oldest]->used))
            oldest = i;
    if (oldest == UINT32_MAX) return;
    device->f->wait(device, 0, NULL); /* what was queued may still run */
    free_kernel(device, kept->kernels.items[oldest]);
    kept->kernels.items[oldest] = kept->kernels.items[--kept->kernels.length];
}

static bool same(const ls_buf *a, const ls_buf *b) {
    return a->length == b->length && (!a->length || memcmp(a->text, b->text, a->length) == 0);
}

/* Whether the analysis would be the same with the parameters of this launch. */
static bool fits(const kept_kernel *one, const ls_detect_launch *l) {
    enum { MOST_POINTERS = 1 << 14 }; /* a list from the disk may be anything */
    const char *params = l->params;
    ls_buf pointers = {0};
    if (one->list.length > MOST_POINTERS * sizeof(uint32_t)) return false;
    if (one->params.length != l->params_size || one->consulted.length != l->params_size) return false;
    for (size_t i = 0; i < l->params_size; i++)
        if (one->consulted.text[i] && one->params.text[i] != params[i]) return false;
    dt_describe_pointers(&one->list, l, &pointers);
    bool fit = same(&pointers, &one->pointers);
    ls_buf_free(&pointers);
    return fit;
}

static kept_kernel *find_kept(const struct kept *kept, const ls_buf *key, const ls_detect_launch *l) {
    for (uint32_t i = 0; i < kept->kernels.length; i++) {
        kept_kernel *one = kept->kernels.items[i];
        if (!one->busy && same(&one->key, key) && fits(one, l)) return one;
    }
    return NULL;
}

bool dt_find_kept(check *c) {
    struct kept *kept = kept_of(c->device);
    ls_buf key = key_of(c);
    c->kept = find_kept(kept, &key, c->launch);
    ls_buf_free(&key);
    if (!c->kept) return false;
    c->kept->used = ++kept->clock;
    c->k = c->kept->k;
    return true;
}

void dt_pin(kept_kernel *kept) {
    kept->pinned = true;
}

bool dt_is_pinned(const kept_kernel *kept) {
    return kept->pinned;
}

struct plan **dt_plan_of(kept_kernel *kept) {
    return &kept->plan;
}

void dt_each_plan(ls_detect_device *device, void (*visit)(void *context, struct plan *plan), void *context) {
    struct kept *kept = kept_of(device);
    for (uint32_t i = 0; i < kept->kernels.length; i++)
        if (kept->kernels.items[i]->plan) visit(context, kept->kernels.items[i]->plan);
}

static void note_what_counts(kept_kernel *one, const ls_detect_launch *l) {
    if (one->params.length || one->list.length) return; /* from a proof on disk: the same */
    if (l->params_size) ls_buf_add(&one->params, l->params, l->params_size);
    if (!one->k) return;
    if (l->params_size) ls_buf_add(&one->consulted, (const char *)one->k->consulted, l->params_size);
    dt_list_pointers(one->k, &one->list);
    dt_describe_pointers(&one->list, l, &one->pointers);
}

static kept_kernel *add_kept(check *c, ls_buf key) {
    struct kept *kept = kept_of(c->device);
    make_room(c->device, kept);
    kept_kernel *made = ls_xmalloc(sizeof *made);
    *made = (kept_kernel){.key = key};
    LS_VEC_PUSH(&kept->kernels, made);
    return made;
}

void dt_use_kept(check *c) {
    struct kept *kept = kept_of(c->device);
    ls_buf key = key_of(c);
    c->kept = find_kept(kept, &key, c->launch);
    if (c->kept)
        ls_buf_free(&key);
    else
        c->kept = add_kept(c, key);
    if (!c->kept->k)
        c->kept->k = dt_kernel_load(c->ptx, c->length, c->filename, c->launch, c->options, NULL, c->diags);
    note_what_counts(c->kept, c->launch);
    c->kept->busy = true, c->kept->used = ++kept->clock;
    c->k = c->kept->k;
}

/* --- Proofs on disk ----------------------------------------------------------------------------------------
 * That nothing of a launch is to be checked, with what that was concluded from. */
enum { MOST_PROOFS = 16 }; /* for one kernel and its sizes */

/* Another build may reach other conclusions. */
static ls_buf disk_key_of(const check *c) {
    ls_buf key = {0}, sizes = key_of(c);
    Dl_info library;
    struct stat file;
    void *here = NULL;
    bool (*self)(check *) = dt_find_kept;
    memcpy(&here, &self, sizeof here);
    ls_buf_printf(&key, "proof %s\n", ls_version());
    if (dladdr(here, &library) && library.dli_fname && !stat(library.dli_fname, &file))
        ls_buf_printf(&key, "%lld %lld.%09ld\n", (long long)file.st_size, (long long)file.st_mtim.tv_sec,
                      file.st_mtim.tv_nsec);
    ls_buf_add(&key, sizes.text + sizeof c->launch->identity, sizes.length - sizeof c->launch->identity);
    ls_buf_add(&key, c->ptx, c->length);
    ls_buf_free(&sizes);
    return key;
}

static void put_part(ls_buf *to, const ls_buf *from) {
    uint64_t length = from->length;
    ls_buf_add(to, (const char *)&length, sizeof length);
    if (length) ls_buf_add(to, from->text, from->length);
}

static bool take_part(const ls_buf *from, size_t *at, ls_buf *to) {
    uint64_t length;
    if (from->length - *at < sizeof length) return false;
    memcpy(&length, from->text + *at, sizeof length);
    *at += sizeof length;
    if (length > from->length - *at) return false;
    if (length) ls_buf_add(to, from->text + *at, length);
    *at += length;
    return true;
}

/* One proof: the parts of `one` in their order. */
static bool take_proof(const ls_buf *from, size_t *at, kept_kernel *one) {
    return take_part(from, at, &one->params) && take_part(from, at, &one->consulted) &&
           take_part(from, at, &one->list) && take_part(from, at, &one->pointers);
}

static void drop_proof(kept_kernel *one) {
    ls_buf *parts[] = {&one->params, &one->consulted, &one->list, &one->pointers};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) ls_buf_free(parts[i]);
}

bool dt_find_proof(check *c) {
    struct kept *kept = kept_of(c->device);
    ls_buf key = key_of(c), disk_key = {0}, proofs = {0};
    kept_kernel one = {0};
    bool found = false;
    if (!find_kept(kept, &key, c->launch)) {
        disk_key = disk_key_of(c);
        if (ls_disk_get("detect", &disk_key, &proofs))
            for (size_t at = 0; !found && take_proof(&proofs, &at, &one);) {
                found = fits(&one, c->launch);
                if (!found) drop_proof(&one);
            }
    }
    if (found) {
        c->kept = add_kept(c, key);
        one.key = key;
        *c->kept = one;
        c->kept->used = ++kept->clock;
    } else {
        drop_proof(&one);
        ls_buf_free(&key);
    }
    ls_buf_free(&disk_key);
    ls_buf_free(&proofs);
    return found;
}

void dt_keep_proof(check *c) {
    ls_buf key = disk_key_of(c), proofs = {0}, old = {0};
    const ls_buf *parts[] = {&c->kept->params, &c->kept->consulted, &c->kept->list, &c->kept->pointers};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) put_part(&proofs, parts[i]);
    if (ls_disk_get("detect", &key, &old)) { /* those of other parameters */
        kept_kernel one = {0};
        size_t at = 0, from = 0;
        for (uint32_t n = 1; n < MOST_PROOFS && take_proof(&old, &at, &one); n++, from = at) {
            if (!fits(&one, c->launch)) ls_buf_add(&proofs, old.text + from, at - from);
            drop_proof(&one);
        }
        drop_proof(&one);
    }
    ls_disk_put("detect", &key, proofs.text, proofs.length);
    ls_buf_free(&key);
    ls_buf_free(&old);
    ls_buf_free(&proofs);
}

/* Variables of the module start anew with the next check. */
void dt_leave_kept(check *c) {
    struct kept *kept = kept_of(c->device);
    bool has_variables = false;
    c->kept->busy = false;
    for (uint32_t i = 0; c->k && i < c->k->object_count; i++)
        has_variables |= c->k->objects[i].symbol && !c->k->objects[i].is_shared;
    if (c->kept->original && has_variables) {
        c->device->f->unload(c->device, c->kept->original);
        c->kept->original = NULL;
    }
    if (c->k) return;
    for (uint32_t i = 0; i < kept->kernels.length;
         i++) /* it could not be read: the next time says so again */
        if (kept->kernels.items[i] == c->kept)
            kept->kernels.items[i] = kept->kernels.items[--kept->kernels.length];
    free_kernel(c->device, c->kept);
}

/* options: as the caller made them, all fields set. */
void *dt_kept_variant(const kept_kernel *kept, const instrument_options *options, uint64_t *shared) {
    for (uint32_t i = 0; i < kept->variants.length; i++) {
        const kept_variant *v = &kept->variants.items[i];
        if (memcmp(&v->options, options, sizeof *options) != 0) continue;
        if (shared) *shared = v->shared;
        return v->module;
    }
    return NULL;
}

void dt_keep_variant(kept_kernel *kept, const instrument_options *options, void *module, uint64_t shared) {
    kept_variant made = {.module = module, .shared = shared};
    memcpy(&made.options, options, sizeof *options);
    LS_VEC_PUSH(&kept->variants, made);
}

void *dt_original(check *c) {
    double start = ls_clock_ms(LS_CLOCK_WALL);
    if (!c->kept->original)
        c->kept->original = c->device->f->load(c->device, c->ptx, c->length, false, c->diags);
    c->result->load_ms += ls_clock_ms(LS_CLOCK_WALL) - start;
    return c->kept->original;
}

/* --- Memory ----------------------------------------------------------------------------------------------
 */

static void release_memory(ls_detect_device *device) {
    struct kept *kept = kept_of(device);
    for (uint32_t i = 0; i < kept->memory.length; i++)
        device->f->release(device, kept->memory.items[i].address);
    kept->memory.length = 0;
    kept->bytes = 0;
    if (device->stamps) device->f->release(device, device->stamps);
    device->stamps = device->stamps_bytes = 0;
}

/* A kept block that is not much larger, or a new one. */
uint64_t dt_take_kept_memory(ls_detect_device *device, uint64_t size) {
    struct kept *kept = kept_of(device);
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < kept->memory.length; i++) {
        uint64_t has = kept->memory.items[i].size;
        if (has >= size && has <= size + size / 4 + 4096 &&
            (best == UINT32_MAX || has < kept->memory.items[best].size))
            best = i;
    }
    if (best == UINT32_MAX) {
        uint64_t address = device->f->alloc(device, size);
        if (address || !kept->memory.length) return address;
        release_memory(device);
        return device->f->alloc(device, size);
    }
    block_of_memory found = kept->memory.items[best];
    kept->memory.items[best] = kept->memory.items[--kept->memory.length];
    kept->bytes -= found.size;
    return found.address;
}

void dt_keep_memory(ls_detect_device *device, uint64_t address, uint64_t size) {
    struct kept *kept = kept_of(device);
    if (kept->bytes + size > device->keep_memory) {
        device->f->release(device, address);
        return;
    }
    LS_VEC_PUSH(&kept->memory, ((block_of_memory){address, size}));
    kept->bytes += size;
}

bool ls_detect_give_back(ls_detect_device *device) {
    bool any = kept_of(device)->bytes || device->stamps;
    if (device->stamps) device->f->wait(device, 0, NULL); /* launches that were queued use them */
    release_memory(device);
    return any;
}

uint64_t dt_free_memory(ls_detect_device *device) {
    return device->f->free_memory(device) + kept_of(device)->bytes;
}

void dt_drop_kept(ls_detect_device *device) {
    struct kept *kept = device->kept;
    if (!kept) return;
    for (uint32_t i = 0; i < kept->kernels.length; i++) free_kernel(device, kept->kernels.items[i]);
    release_memory(device);
    LS_VEC_FREE(&kept->kernels);
    LS_VEC_FREE(&kept->memory);
    free(kept);
    device->kept = NULL;
}
