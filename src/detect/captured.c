/* A launch from a file (capture.h) runs in the emulator, with the race checker: at the addresses and with the
 * contents that its memory had on the device. Of many blocks some are run, spread over the grid, until the
 * time is over. */
#include "base/guard.h"
#include "base/vec.h"
#include "detect/capture.h"
#include "lockstep/detect.h"

#ifdef LS_HAVE_EMULATOR
#include "lockstep/emulate.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SOME_BLOCKS = 16 };
static const uint64_t most_text = UINT64_C(1) << 30;

typedef struct {
    uint64_t from, to;
} pages;

typedef struct {
    ls_arena arena;
    ls_detect_emulated *out;
    FILE *file;
    capture_head head;
    char *kernel, *filename, *ptx, *params;
    capture_piece *pieces;
    LS_VEC(pages) mapped; /* sorted, apart */
    ls_ptx_module *module;
    ls_emulator *emulator;
    ls_emu_result *run;
} captured;

static bool fail(captured *c, const char *why) {
    c->out->why = why;
    return false;
}

static char *take(captured *c, uint64_t size) {
    char *text = size < most_text ? ls_arena_alloc(&c->arena, size + 1) : NULL;
    if (!text || fread(text, 1, size, c->file) != size) return NULL;
    text[size] = 0;
    return text;
}

static bool read_head(captured *c) {
    capture_head *h = &c->head;
    return c->file && fread(h, sizeof *h, 1, c->file) == 1 &&
           memcmp(h->magic, CAPTURE_MAGIC, sizeof h->magic) == 0 && (c->kernel = take(c, h->name)) &&
           (c->filename = take(c, h->file)) && (c->ptx = take(c, h->ptx)) &&
           (c->params = take(c, h->params)) && h->pieces < most_text / sizeof *c->pieces &&
           (c->pieces = (capture_piece *)(void *)take(c, h->pieces * sizeof *c->pieces));
}

static int by_address(const void *x, const void *y) {
    const pages *a = x, *b = y;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* Buffers may share a page. */
static bool map_pages(captured *c) {
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    LS_VEC(pages) wanted = {0};
    for (uint64_t i = 0; i < c->head.pieces; i++) {
        const capture_piece *p = &c->pieces[i];
        pages range = {p->address / page * page, (p->address + p->size + page - 1) / page * page};
        if (!p->name && p->size) LS_VEC_PUSH(&wanted, range);
    }
    if (wanted.length) qsort(wanted.items, wanted.length, sizeof *wanted.items, by_address);
    bool done = true;
    for (uint32_t i = 0, next; i < wanted.length && done; i = next) {
        pages range = wanted.items[i];
        for (next = i + 1; next < wanted.length && wanted.items[next].from <= range.to; next++)
            if (wanted.items[next].to > range.to) range.to = wanted.items[next].to;
        void *at = (void *)(uintptr_t)range.from;
        done = mmap(at, range.to - range.from, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) == at;
        if (done) LS_VEC_PUSH(&c->mapped, range);
    }
    LS_VEC_FREE(&wanted);
    return done || fail(c, "addresses of the launch's memory are taken in the emulator");
}

/* What the kernel calls the memory: the first parameter that points there. */
static const char *name_of(captured *c, const capture_piece *p) {
    const ls_ptx_function *f = ls_ptx_find_function(c->module, c->kernel);
    if (f && f->definition) f = f->definition;
    uint32_t *offsets = f ? LS_NEW_N(&c->arena, uint32_t, f->param_count + 1) : NULL;
    if (f) ls_emu_param_offsets(f, offsets);
    for (uint32_t i = 0; f && i < f->param_count; i++) {
        uint64_t value;
        if (offsets[i] + sizeof value > c->head.params || ls_ptx_variable_size(f->params[i]) < sizeof value)
            continue;
        memcpy(&value, c->params + offsets[i], sizeof value);
        if (value >= p->address && value - p->address < p->size) return f->params[i]->symbol->name;
    }
    return "global memory";
}

static bool fill(captured *c, void *to, uint64_t size) {
    return fread(to, 1, size, c->file) == size || fail(c, "the file of the launch is cut off");
}

static bool read_memory(captured *c) {
    for (uint64_t i = 0; i < c->head.pieces; i++) {
        const capture_piece *p = &c->pieces[i];
        if (!p->name) {
            void *at = (void *)(uintptr_t)p->address;
            if (!fill(c, at, p->size)) return false;
            ls_emulator_map(c->emulator, at, p->size, name_of(c, p));
            continue;
        }
        const char *name = take(c, p->name);
        uint64_t size = 0, at = name ? ls_emulator_symbol(c->emulator, name, &size) : 0;
        if (!at || size != p->size) return fail(c, "a variable of the kernel is not in its PTX");
        if (!fill(c, (void *)(uintptr_t)at, size)) return false;
    }
    return true;
}

/* Some blocks, from the first to the last; all of few. */
static uint32_t choose(const captured *c, uint32_t *chosen) {
    const uint64_t blocks = c->out->blocks;
    const uint32_t count = blocks < SOME_BLOCKS ? (uint32_t)blocks : SOME_BLOCKS;
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = (uint32_t)(count < 2 ? 0 : i * (blocks - 1) / (count - 1));
    return count;
}

/* Missing proxy fences are warnings where nobody is known to have met one. */
static bool is_told(const ls_finding *f) {
    if (f->level == LS_NOTE) return false;
    return ls_rule_is_race(f->rule) || f->rule == LS_RULE_ASYNC_PROXY || f->rule == LS_RULE_ASYNC_MBARRIER ||
           f->rule == LS_RULE_ASYNC_UNFINISHED || f->rule == LS_RULE_ASYNC_REGISTERS;
}

static bool has_told(const ls_emu_result *run) {
    for (uint32_t i = 0; i < run->finding_count; i++)
        if (is_told(&run->findings[i])) return true;
    return false;
}

static bool judge(captured *c) {
    const ls_emu_result *run = c->run;
    ls_finding **end = &c->out->findings;
    c->out->run = run->blocks_run;
    if (run->note_count) c->out->limit = run->notes[0];
    for (uint32_t i = 0; i < run->finding_count; i++)
        if (run->findings[i].rule == LS_RULE_MEMORY_BOUNDS)
            return fail(c, "the kernel accesses memory that its parameters do not point to");
    const bool stuck = run->status == LS_EMU_STUCK && has_told(run);
    if (run->status != LS_EMU_DONE && run->status != LS_EMU_CANCELLED && !stuck)
        return fail(c,
                    run->message ? ls_arena_strdup(&c->arena, run->message) : "the emulator cannot run it");
    for (uint32_t i = 0; i < run->finding_count; i++) {
        if (!is_told(&run->findings[i])) continue;
        ls_finding *told = LS_NEW(&c->arena, ls_finding);
        *told = run->findings[i];
        told->next = NULL, *end = told, end = &told->next;
        c->out->finding_count++;
    }
    return true;
}

static bool run(captured *c, double seconds, ls_diags *diags) {
    const capture_head *h = &c->head;
    if (!read_head(c)) return fail(c, "the file of the launch cannot be read");
    c->out->blocks = (uint64_t)h->grid[0] * h->grid[1] * h->grid[2];
    c->module = ls_ptx_parse(c->ptx, h->ptx, c->filename, diags);
    c->emulator = c->module ? ls_emulator_new(c->module, diags) : NULL;
    if (!c->emulator) return fail(c, "the emulator cannot read the kernel");
    if (!map_pages(c) || !read_memory(c)) return false;
    ls_emu_launch launch = {
        .kernel = c->kernel, .shared_bytes = h->shared_bytes, .params = c->params, .params_size = h->params};
    memcpy(launch.grid, h->grid, sizeof launch.grid);
    memcpy(launch.block, h->block, sizeof launch.block);
    memcpy(launch.cluster, h->cluster, sizeof launch.cluster);
    uint32_t chosen[SOME_BLOCKS];
    ls_emu_options options = {.checks = LS_CHECK_RACE | LS_CHECK_BOUNDS,
                              .timeout = seconds,
                              .cancel = ls_guard_flag(),
                              .only_blocks = chosen,
                              .only_count = choose(c, chosen)};
    c->run = ls_emulator_run(c->emulator, &launch, &options);
    return judge(c);
}

ls_detect_emulated *ls_detect_emulate(const char *path, double seconds, ls_diags *diags) {
    captured *c = ls_xmalloc(sizeof *c);
    *c = (captured){.file = fopen(path, "rb")};
    ls_arena_init(&c->arena);
    c->out = LS_NEW(&c->arena, ls_detect_emulated);
    c->out->memory = c;
    run(c, seconds, diags);
    return c->out;
}

void ls_detect_emulated_free(ls_detect_emulated *emulated) {
    if (!emulated) return;
    captured *c = emulated->memory;
    if (c->run) ls_emu_result_free(c->run);
    if (c->emulator) ls_emulator_free(c->emulator);
    if (c->module) ls_ptx_module_free(c->module);
    if (c->file) fclose(c->file);
    for (uint32_t i = 0; i < c->mapped.length; i++) {
        const pages *p = &c->mapped.items[i];
        munmap((void *)(uintptr_t)p->from, p->to - p->from);
    }
    LS_VEC_FREE(&c->mapped);
    ls_arena_free(&c->arena);
    free(c);
}
#else
ls_detect_emulated *ls_detect_emulate(const char *path, double seconds, ls_diags *diags) {
    (void)path, (void)seconds, (void)diags;
    ls_detect_emulated *made = ls_xmalloc(sizeof *made);
    *made = (ls_detect_emulated){.why = "Lockstep was built without its emulator"};
    return made;
}

void ls_detect_emulated_free(ls_detect_emulated *emulated) {
    free(emulated);
}
#endif
