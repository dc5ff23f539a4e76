/* What stays on a device from check to check, so that a program's thousandth launch of a kernel costs no more
 * than its check: analysed kernels and their instrumented modules, by everything that they depend on; and
 * memory. The machine code on disk is the CUDA driver's business: it keeps what it compiled by the text of
 * the PTX. */
#include "base/vec.h"
#include "detect/check.h"
#include "detect/disk.h"

#include <stdlib.h>

enum { MAX_KERNELS = 256 };

typedef struct {
    instrument_options options;
    void *module;
    uint64_t shared;
} kept_variant;

struct kept_kernel {
    ls_buf key;
    ls_buf params, pointers; /* what it was analysed with */
    struct plan *plan;       /* or NULL */
    kernel *k;
    LS_VEC(kept_variant) variants;
    void *original;
    uint64_t used; /* when it was used last */
    bool busy;
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
    dt_kernel_free(one->k);
    free(one);
}

static void add_text(ls_buf *key, const char *text, size_t length) {
    uint64_t sums[2];
    dt_sums(text, length, sums);
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
        if (!kept->kernels.items[i]->busy &&
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
    const char *params = l->params;
    ls_buf pointers = {0};
    if (!one->k || one->params.length != l->params_size) return !one->k;
    for (size_t i = 0; i < l->params_size; i++)
        if (one->k->consulted[i] && one->params.text[i] != params[i]) return false;
    dt_describe_pointers(one->k, l, &pointers);
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

struct plan **dt_plan_of(kept_kernel *kept) {
    return &kept->plan;
}

void dt_each_plan(ls_detect_device *device, void (*visit)(void *context, struct plan *plan), void *context) {
    struct kept *kept = kept_of(device);
    for (uint32_t i = 0; i < kept->kernels.length; i++)
        if (kept->kernels.items[i]->plan) visit(context, kept->kernels.items[i]->plan);
}

void dt_use_kept(check *c) {
    struct kept *kept = kept_of(c->device);
    ls_buf key = key_of(c);
    c->kept = find_kept(kept, &key, c->launch);
    if (c->kept) {
        ls_buf_free(&key);
    } else {
        make_room(c->device, kept);
        c->kept = ls_xmalloc(sizeof *c->kept);
        *c->kept = (kept_kernel){.key = key};
        c->kept->k = dt_kernel_load(c->ptx, c->length, c->filename, c->launch, c->options, c->diags);
        if (c->launch->params_size) ls_buf_add(&c->kept->params, c->launch->params, c->launch->params_size);
        if (c->kept->k) dt_describe_pointers(c->kept->k, c->launch, &c->kept->pointers);
        LS_VEC_PUSH(&kept->kernels, c->kept);
    }
    c->kept->busy = true, c->kept->used = ++kept->clock;
    c->k = c->kept->k;
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
