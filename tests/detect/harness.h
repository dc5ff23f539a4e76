/* For tests of the detector: launches kernels of tests/detect/data in the emulator, as they are and checked,
 * on the same input. */
#ifndef TESTS_DETECT_HARNESS_H
#define TESTS_DETECT_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/buf.h"
#include "lockstep/detect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARGS = 8 };

typedef struct {
    ls_diags *diags;
    ls_detect_device *device;
    ls_buf ptx;
    const char *file;
    ls_detect_launch launch;
    uint8_t params[64];
    size_t params_size;
    ls_detect_buffer buffers[MAX_ARGS];
    uint8_t *inputs[MAX_ARGS]; /* what the buffers held before, and what the plain launch leaves in them */
    uint8_t *expected[MAX_ARGS];
    uint32_t buffer_count;
} harness;

static inline harness open_harness(const char *file, const char *kernel, uint32_t grid, uint32_t block) {
    char path[512];
    harness h = {.diags = ls_diags_new(), .file = file};
    setenv("LOCKSTEP_CACHE", "off", 0);
    h.device = ls_detect_emulator(h.diags);
    snprintf(path, sizeof path, "%s/data/%s", TEST_DIR, file);
    assert_true(ls_read_file(path, &h.ptx));
    h.launch = (ls_detect_launch){.kernel = kernel, .grid = {grid, 1, 1}, .block = {block, 1, 1}};
    return h;
}

static inline void push_bytes(harness *h, const void *value, size_t size) {
    h->params_size = (h->params_size + size - 1) / size * size;
    memcpy(h->params + h->params_size, value, size);
    h->params_size += size;
}

static inline void push_int(harness *h, int value) {
    push_bytes(h, &value, sizeof value);
}

/* A buffer of 32-bit words: word i is i·factor + offset. */
static inline uint64_t push_words(harness *h, uint32_t count, uint32_t factor, uint32_t offset) {
    uint32_t *words = malloc(4 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) words[i] = i * factor + offset;
    uint64_t address = ls_detect_alloc(h->device, 4 * (uint64_t)count);
    ls_detect_write(h->device, address, words, 4 * (uint64_t)count);
    h->inputs[h->buffer_count] = (uint8_t *)words;
    h->buffers[h->buffer_count++] = (ls_detect_buffer){address, 4 * (uint64_t)count, NULL};
    push_bytes(h, &address, 8);
    return address;
}

static inline uint64_t push_floats(harness *h, uint32_t count) {
    float *words = malloc(4 * (size_t)count);
    for (uint32_t i = 0; i < count; i++) words[i] = (float)((i * 7919u) % 1000u) + 0.25f;
    uint64_t address = ls_detect_alloc(h->device, 4 * (uint64_t)count);
    ls_detect_write(h->device, address, words, 4 * (uint64_t)count);
    h->inputs[h->buffer_count] = (uint8_t *)words;
    h->buffers[h->buffer_count++] = (ls_detect_buffer){address, 4 * (uint64_t)count, NULL};
    push_bytes(h, &address, 8);
    return address;
}

static inline void seal(harness *h) {
    h->launch.params = h->params;
    h->launch.params_size = h->params_size;
    h->launch.buffers = h->buffers;
    h->launch.buffer_count = h->buffer_count;
}

static inline void reset_inputs(harness *h) {
    for (uint32_t i = 0; i < h->buffer_count; i++)
        ls_detect_write(h->device, h->buffers[i].address, h->inputs[i], h->buffers[i].size);
}

static inline void show_diags(const harness *h) {
    for (uint32_t i = 0; i < ls_diags_count(h->diags); i++) {
        const ls_diag *d = ls_diags_at(h->diags, i);
        fprintf(stderr, "%s:%u: %s\n", d->file ? d->file : "", d->line, d->message);
    }
}

/* Whether only values are compared; else kernels are watched in place, where that is possible. */
static bool by_values;

/* The plain launch, then the checked one. */
static inline ls_detect_result *check_launch(harness *h, const ls_detect_options *given) {
    ls_detect_options options = given ? *given : (ls_detect_options){0};
    options.by_values |= by_values;
    seal(h);
    if (!h->expected[0] && h->buffer_count) {
        double time = ls_detect_native(h->device, h->ptx.text, h->ptx.length, &h->launch, 1, h->diags);
        if (time < 0) show_diags(h);
        assert_true(time >= 0);
        for (uint32_t i = 0; i < h->buffer_count; i++) {
            h->expected[i] = malloc(h->buffers[i].size);
            ls_detect_read(h->device, h->expected[i], h->buffers[i].address, h->buffers[i].size);
        }
    }
    reset_inputs(h);
    ls_detect_result *r =
        ls_detect_check(h->device, h->ptx.text, h->ptx.length, h->file, &h->launch, &options, h->diags);
    if (ls_diags_errors(h->diags)) show_diags(h);
    for (const ls_finding *f = r->findings; f && getenv("SHOW"); f = f->next)
        fprintf(stderr, "%s at byte %llu: lines %u and %u\n", f->message, (unsigned long long)f->story->byte,
                f->place.line, ls_finding_other(f)->line);
    for (uint32_t i = 0; i < r->unchecked_count && getenv("SHOW"); i++)
        fprintf(stderr, "unchecked %s: %s (line %u)\n", r->unchecked[i].object ? r->unchecked[i].object : "-",
                r->unchecked[i].reason, r->unchecked[i].line);
    return r;
}

/* Memory after the checked launch equals that after the plain one. */
static inline void assert_same_memory(const harness *h) {
    for (uint32_t i = 0; i < h->buffer_count; i++) {
        uint8_t *now = malloc(h->buffers[i].size);
        ls_detect_read(h->device, now, h->buffers[i].address, h->buffers[i].size);
        assert_memory_equal(now, h->expected[i], h->buffers[i].size);
        free(now);
    }
}

static inline bool is_kind(const ls_finding *f, const char *kind) {
    const ls_field *field = ls_fields_find(f->detail, "kind");
    return field && !strcmp(field->value.text, kind);
}

static inline bool does(const ls_actor *actor, const char *what) {
    return actor && !strcmp(actor->does, what);
}

/* The race is between different blocks; between different warps, both of which are known. */
static inline bool are_blocks(const ls_finding *f) {
    return strstr(f->message, "between threads of different blocks") != NULL;
}

static inline bool are_warps(const ls_finding *f) {
    const ls_actor *first = f->story->actors;
    return first->next && first->warp != first->next->warp;
}

static inline const ls_finding *find_race(const ls_detect_result *r, const char *kind, uint32_t line,
                                          uint32_t other) {
    for (const ls_finding *f = r->findings; f; f = f->next) {
        uint32_t first = f->place.line, second = ls_finding_other(f)->line;
        if (!is_kind(f, kind)) continue;
        if ((first == line && second == other) || (first == other && second == line)) return f;
    }
    return NULL;
}

static inline int watched(void **state) {
    (void)state;
    by_values = false;
    return 0;
}

static inline int compared_by_values(void **state) {
    (void)state;
    by_values = true;
    return 0;
}

static inline void close_harness(harness *h) {
    for (uint32_t i = 0; i < h->buffer_count; i++) {
        ls_detect_free(h->device, h->buffers[i].address);
        free(h->inputs[i]);
        free(h->expected[i]);
    }
    ls_detect_device_free(h->device);
    ls_diags_free(h->diags);
    ls_buf_free(&h->ptx);
}

#endif
