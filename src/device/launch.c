/* Launches: a kernel runs on the emulator, with its checkers where it is asked for, and what they find is
 * told at once. A finding that comes again, in the same launch or a later one, is told with its count now and
 * then.
 */
#include "device/private.h"
#include "finding/library.h"
#include "finding/wire.h"

#include "base/clock.h"
#include "lockstep/finding.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Findings --- */
static void put_place(ls_buf *to, char letter, const ls_place *p, const char *message) {
    ls_buf_putc(to, letter);
    ls_wire_put(to, p->file);
    ls_buf_printf(to, "\t%u\t%u", p->line, p->column);
    if (message) ls_wire_put(to, message);
    ls_buf_putc(to, '\n');
}

static void put_calls(ls_buf *to, const ls_place *p) {
    for (const ls_place *at = p->at; at; at = at->at) put_place(to, 'R', at, LS_INLINED_HERE);
}

static void put_witness(ls_buf *to, const char *key, const char *format, ...) {
    char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ls_buf_putc(to, 'W');
    ls_wire_put(to, key);
    ls_wire_put(to, text);
    ls_buf_putc(to, '\n');
}

/* The allocation that a finding names: the emulator knows it as "allocation N". */
static const memory_record *memory_of(const ls_dev *dev, const ls_finding *f) {
    unsigned number;
    const char *object = f->story ? f->story->object : NULL;
    if (!object || sscanf(object, "allocation %u", &number) != 1) return NULL;
    for (uint32_t k = 0; k < dev->records.length; k++)
        if (dev->records.items[k]->m.number == number) return dev->records.items[k];
    return NULL;
}

/* The number that a finding was told under; a new one where it was not told yet, with *again false. */
static uint32_t number_of(ls_dev *dev, const ls_dev_kernel *k, const ls_finding *f, bool *again) {
    char key[1024];
    ls_place other = f->related ? f->related->place : (ls_place){0};
    int n = snprintf(key, sizeof key, "%u %d %d %s:%u:%u:%u %s:%u:%u", k->number, f->rule, f->level,
                     f->place.file ? f->place.file : "", f->place.line, f->place.column, f->place.ptx_line,
                     other.file ? other.file : "", other.line, other.column);
    size_t length = n < 0 ? 0 : (size_t)n < sizeof key ? (size_t)n : sizeof key - 1;
    void *known = ls_map_get(&dev->said, key, length);
    *again = known;
    if (known) return (uint32_t)(uintptr_t)known;
    *ls_map_at(&dev->said, ls_arena_strdup(&dev->arena, key), length) =
        (void *)(uintptr_t)++dev->findings_told;
    return dev->findings_told;
}

/* The one parameter that points into the memory, and where, so that the source's name can be told. */
static void put_parameter(ls_buf *record, const ls_launch *l, const memory_record *m) {
    const ls_ptx_function *function = l->kernel->function;
    ls_arena arena;
    ls_arena_init(&arena);
    uint32_t *offsets = LS_NEW_N(&arena, uint32_t, function->param_count + 1), which = 0, found = 0;
    uint64_t at = 0;
    ls_emu_param_offsets(function, offsets);
    for (uint32_t k = 0; k < function->param_count; k++) {
        uint64_t value;
        if (ls_ptx_variable_size(function->params[k]) != sizeof value) continue;
        if (offsets[k] + sizeof value > l->params_size) continue;
        memcpy(&value, (const char *)l->params + offsets[k], sizeof value);
        if (value - m->m.address >= m->m.size) continue;
        which = k, at = value - m->m.address, found++;
    }
    if (found == 1) ls_buf_printf(record, "M\t%u\t%" PRIu64 "\n", which, at);
    ls_arena_free(&arena);
}

static bool is_cost(ls_rule rule) {
    return rule == LS_RULE_COALESCING || rule == LS_RULE_BANK_CONFLICT || rule == LS_RULE_DIVERGENCE_BRANCH;
}

/* A whole finding; number: what later records call it, or 0. */
static void put_finding(ls_buf *record, ls_dev *dev, const ls_dev_kernel *k, const ls_finding *f,
                        const ls_launch *l, const stack *from, uint32_t number) {
    dv_begin_finding(record, ls_rule_get(f->rule)->name, f->level, k, f->count, "%s", f->message);
    put_place(record, 'P', &f->place, NULL);
    put_calls(record, &f->place);
    for (const ls_related *r = f->related; r; r = r->next) {
        put_place(record, 'R', &r->place, r->message ? r->message : "here");
        put_calls(record, &r->place);
    }
    if (f->story) ls_story_write(record, f->story);
    if (number) ls_buf_printf(record, "I\t%u\n", number);
    if (is_cost(f->rule)) return;
    bool opencl = dev->options.words == LS_WORDS_OPENCL;
    put_witness(record, "launch",
                opencl ? "%" PRIu64 ", %u × %u × %u work-groups of %u × %u × %u"
                       : "%" PRIu64 ", grid (%u, %u, %u), block (%u, %u, %u)",
                dev->launches, l->grid[0], l->grid[1], l->grid[2], l->block[0], l->block[1], l->block[2]);
    const memory_record *m = memory_of(dev, f);
    if (m) dv_put_memory(record, m);
    if (m && l->params) put_parameter(record, l, m);
    dv_put_stack(record, "launched here", from);
}

static void tell_finding(ls_dev *dev, ls_dev_kernel *k, const ls_finding *f, const ls_launch *l,
                         const stack *from) {
    bool again;
    if (is_cost(f->rule) && !dev->options.kernels && ls_is_in_library(&f->place))
        return; /* not for its users to mend */
    uint32_t number = number_of(dev, k, f, &again);
    ls_buf record = {0};
    if (again)
        ls_buf_printf(&record, "C\t%u\t%" PRIu64 "\n", number, f->count ? f->count : 1);
    else
        put_finding(&record, dev, k, f, l, from, number);
    dv_tell(dev, &record);
}

/* --- One launch --- */
static bool is_checked(const ls_dev *dev, const ls_dev_kernel *k) {
    const ls_dev_options *o = &dev->options;
    if (!o->checks || !k->wanted) return false;
    return dev->launches >= o->first_launch && (!o->last_launch || dev->launches <= o->last_launch);
}

static void print_text(void *context, const char *text, size_t length) {
    (void)context;
    fwrite(text, 1, length, stdout);
}

static void write_complaint(void *context, const char *text, size_t length) {
    (void)context;
    fflush(stdout);
    fwrite(text, 1, length, stderr);
}

/* An access that is far from every allocation is what a GPU would stop at. */
static bool is_wild(ls_dev *dev, const ls_finding *f) {
    const ls_story *s = f->story;
    return f->rule == LS_RULE_MEMORY_BOUNDS && f->level == LS_ERROR && !(s && s->object) &&
           !dv_nearest(dev, s ? s->byte : 0);
}

static ls_dev_status status_of(ls_dev *dev, const ls_emu_result *r) {
    for (uint32_t k = 0; k < r->finding_count; k++)
        if (r->findings[k].rule == LS_RULE_ASSERT && r->findings[k].level == LS_ERROR) return LS_DEV_ASSERT;
    switch (r->status) {
    case LS_EMU_DONE: break;
    case LS_EMU_UNSUPPORTED: return LS_DEV_NOT_SUPPORTED;
    case LS_EMU_STUCK: return LS_DEV_TIMEOUT;
    case LS_EMU_TRAPPED: return LS_DEV_LAUNCH_FAILED;
    case LS_EMU_CANCELLED: return LS_DEV_TIMEOUT;
    case LS_EMU_INVALID: return LS_DEV_INVALID;
    }
    for (uint32_t k = 0; k < r->finding_count; k++) {
        const ls_finding *f = &r->findings[k];
        if (is_wild(dev, f)) return LS_DEV_BAD_ADDRESS;
    }
    return LS_DEV_OK;
}

static void tell_failure(ls_dev *dev, const ls_dev_kernel *k, const ls_emu_result *r) {
    ls_buf record = {0};
    ls_buf_printf(&record, "X\t%u", k->number);
    char text[1024];
    const char *message = r->message ? r->message : "the launch failed";
    if (r->pos.file)
        snprintf(text, sizeof text, "%s, at %s:%u", message, r->pos.file, r->pos.line);
    else
        snprintf(text, sizeof text, "%s", message);
    ls_wire_put(&record, text);
    ls_buf_printf(&record, "\t%u\n", r->pos.line);
    dv_tell(dev, &record);
}

typedef struct {
    ls_stream *stream;
    const ls_dev_kernel *kernel;
    const stack *from;
} toucher;

static void on_touch(void *context, uint64_t address, uint64_t size, bool write, bool rough) {
    const toucher *t = context;
    dv_touch(t->stream, address, size, write, rough, t->kernel->info.name, t->from);
}

static void on_early(void *context, uint64_t address, uint64_t size, bool write, bool rough) {
    const toucher *t = context;
    if (!rough) dv_touch_early(t->stream, address, size, write, t->kernel->info.name, t->from);
}

/* A launch that takes long says how far it is, once a second, and what is wrong so far: the program may end
 * before the launch does. */
typedef struct {
    ls_dev *dev;
    const ls_dev_kernel *kernel;
    double next;
    const ls_launch *launch;
    const stack *from;
    bool told; /* something that is wrong */
} progress;

static void on_so_far(void *context, const ls_finding *error) {
    progress *p = context;
    ls_buf record = {0};
    put_finding(&record, p->dev, p->kernel, error, p->launch, p->from, 0);
    record.text[0] = 'T';
    dv_tell(p->dev, &record);
    p->told = true;
}

static void end_so_far(const progress *p) {
    ls_buf record = {0};
    if (!p->told) return;
    ls_buf_printf(&record, "D\n");
    dv_tell(p->dev, &record);
}

static void on_progress(void *context, uint64_t done, uint64_t all) {
    progress *p = context;
    if (done == all) return;
    double now = ls_clock_seconds(LS_CLOCK_WALL);
    if (now < p->next) return;
    p->next = now + 1;
    ls_buf record = {0};
    ls_buf_printf(&record, "G\t%u\t%" PRIu64 "\t%" PRIu64 "\n", p->kernel->number, done, all);
    dv_tell(p->dev, &record);
}

static void count(ls_record_stats *s, const ls_emu_result *r, const ls_emu_options *o, bool checked) {
    s->checked += checked;
    s->counted += o->profile;
    s->instructions += r->warp_instructions;
    s->lane_instructions += r->lane_instructions;
    s->blocks += r->blocks_run;
    s->divergent_branches += r->divergent_branches;
    s->accesses += r->global_accesses;
    s->sectors += r->global_sectors;
    s->seconds += r->seconds;
}

/* What is counted is not compiled: where it may be, a kernel's instructions are counted until it has run for
 * so many seconds in all. */
static bool is_counted(const ls_dev *dev, const ls_dev_kernel *k) {
    static const double YOUNG = 0.25;
    return dev->options.profile && (dev->options.jit == LS_JIT_OFF || k->stats.seconds < YOUNG);
}

/* Runs the launch; only: NULL, or the blocks that are meant. */
static ls_dev_status run(ls_stream *s, ls_dev_kernel *k, const ls_launch *l, bool checked, const stack *from,
                         child_list *children, const uint32_t *only, uint32_t only_count) {
    ls_dev *dev = s->dev;
    ls_emulator **emulator = checked ? &k->checked : &k->plain;
    if (!*emulator) *emulator = ls_emulator_twin(k->info.module->emulator);
    toucher touch = {s, k, from};
    progress far = {dev, k, ls_clock_seconds(LS_CLOCK_WALL) + 2, l, from, false};
    ls_emu_launch launch = {.kernel = k->info.name,
                            .shared_bytes = l->shared_bytes,
                            .params = l->params,
                            .params_size = l->params_size,
                            .locals = l->locals,
                            .local_count = l->local_count};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    memcpy(launch.cluster, l->cluster, sizeof launch.cluster);
    ls_emu_options o = {.checks = checked ? dev->options.checks : 0,
                        .threads = dev->options.threads,
                        .timeout = dev->options.timeout,
                        .profile = checked && is_counted(dev, k),
                        .jit = dev->options.jit,
                        .compiler = dev->options.compiler,
                        .prover = dev->options.prover,
                        .strict_exit = dev->options.words == LS_WORDS_OPENCL,
                        .cancel = &dev->cancel,
                        .print = print_text,
                        .complain = write_complaint,
                        .progress = on_progress,
                        .progress_context = &far,
                        .so_far = on_so_far,
                        .only_blocks = only,
                        .only_count = only_count,
                        .touched = checked && dev->racing ? on_touch : NULL,
                        .touched_context = &touch,
                        .early = checked && s->early ? on_early : NULL,
                        .child = dv_take_child,
                        .child_context = children};
    ls_emu_result *r = ls_emulator_run(*emulator, &launch, &o);
    end_so_far(&far);
    if (!r) return LS_DEV_NO_MEMORY;
    for (uint32_t n = 0; n < r->finding_count; n++) tell_finding(dev, k, &r->findings[n], l, from);
    ls_dev_status status = status_of(dev, r);
    if (r->status != LS_EMU_DONE) tell_failure(dev, k, r);
    count(&k->stats, r, &o, checked);
    ls_emu_result_free(r);
    return status;
}

/* Some blocks are checked, the others only run: for blocks that do not wait for each other. */
static ls_dev_status run_sampled(ls_stream *s, ls_dev_kernel *k, const ls_launch *l, const stack *from,
                                 child_list *children, uint32_t blocks) {
    uint32_t *order = malloc(blocks * sizeof *order), step = blocks / s->dev->options.sample, n = 0,
             m = blocks;
    if (!order) return LS_DEV_NO_MEMORY;
    for (uint32_t b = 0; b < blocks; b++)
        if (b % step == 0)
            order[n++] = b;
        else
            order[--m] = b;
    ls_dev_status status = run(s, k, l, true, from, children, order, n);
    if (status == LS_DEV_OK) status = run(s, k, l, false, from, children, order + n, blocks - n);
    free(order);
    return status;
}

bool dv_launch_valid(const ls_dev *dev, const ls_kernel_info *i, const ls_launch *l) {
    uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
    if (!threads || threads > (uint64_t)i->max_threads || l->block[0] > 1024 || l->block[1] > 1024 ||
        l->block[2] > 64)
        return false;
    if (!l->grid[0] || !l->grid[1] || !l->grid[2] || l->grid[0] > 2147483647 || l->grid[1] > 65535 ||
        l->grid[2] > 65535)
        return false;
    uint64_t dynamic = l->shared_bytes;
    for (uint32_t k = 0; k < l->local_count; k++) dynamic += l->locals[k].bytes;
    return dynamic <= (uint64_t)i->max_dynamic_shared &&
           i->shared_bytes + dynamic <= ls_gpu_limits(dev->gpu)->block_shared;
}

ls_dev_status dv_run_launch(ls_stream *s, const ls_launch *l, const stack *from, child_list *children) {
    ls_dev *dev = s->dev;
    ls_dev_kernel *k = l->kernel;
    dev->launches++;
    dev->racing |= l->dependent;
    s->early = dv_follows_launch(s) && l->dependent;
    dv_tell_kernel(dev, k);
    k->stats.launches++;
    k->changed = true;
    if (dev->options.record) dv_record_launch(dev, k, l);
    bool checked = is_checked(dev, k);
    uint64_t blocks = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    ls_dev_status status;
    if (checked && dev->options.sample && blocks > 2 * (uint64_t)dev->options.sample && !l->cooperative &&
        blocks < UINT32_MAX)
        status = run_sampled(s, k, l, from, children, (uint32_t)blocks);
    else
        status = run(s, k, l, checked, from, children, NULL, 0);
    if (status != LS_DEV_OK && status != LS_DEV_INVALID) dev->sticky = status;
    dv_tell_stats(dev, false);
    return status;
}

ls_dev_status dv_run_kernel(ls_stream *s, const ls_launch *l) {
    if (!l->kernel->function) return LS_DEV_BAD_HANDLE;
    if (!dv_launch_valid(s->dev, &l->kernel->info, l)) return LS_DEV_INVALID;
    stack from;
    dv_stack(s->dev, &from);
    ls_dev_status status = dv_run_family(s, l, &from);
    return status == LS_DEV_INVALID ? status : LS_DEV_OK; /* as on a GPU: errors of kernels come later */
}
