/* A program launches the same kernels again and again. Where the check of a launch found nothing, the next
 * launch like it is put on the program's stream together with its check, and nobody waits: the modules, the
 * contexts and the plan of the rounds are there from before, and memory for the copies comes from what is
 * kept. The first record of a report leaves the launch's number in a flag that the host sees (CTX_FLAG).
 * Flags are looked at when the program itself has waited for the device, before it frees memory and at its
 * next launch; a launch whose flag is set is then checked again as a first one is, with source lines. */
#include "base/options.h"
#include "detect/check.h"

#include <stdlib.h>

enum { MAX_FLAGS = 512, MAX_LOOKS = 3 };

struct plan {
    bool plain; /* nothing is to be checked */
    bool found; /* races were told */
    bool look;  /* a flag was set, but the launch could not be repeated: the next one is checked by itself */
    uint32_t looks;
    bool grid, block, in_place; /* in_place: the kernel may read what it writes */
    bool watch;                 /* … watched in place */
    const char *no_repeat;      /* NULL, or why only the program can launch it */
    uint64_t stamps;            /* of its own: a graph has them */
    instrument_options watched;
    uint32_t stamp_kinds;
    bool has_gaps; /* not all of `others` is written */
    rounds_plan rounds;
    uint32_t round_count;
    void *block_module;
    uint64_t block_shared, copy_count, stride, undo_entries;
    uint64_t context, contexts, context_size, report; /* its own memory */
    uint64_t snapshot_bytes, scratch_bytes, undo_bytes, others_bytes;
    uint64_t target_bytes, saved_bytes;
    uint64_t used[8]; /* where the memory was that the contexts mention */
    LS_VEC(part) parts;
    uint64_t *object_part;
    bool has_flag;
    uint32_t flag; /* its number among the device's */
    /* the last launch that was queued */
    ls_detect_launch last;
    ls_buf params, buffers, kernel;
    const char *ptx, *filename;
    size_t length;
};

/* --- Flags -------------------------------------------------------------------------------------------------
 */

static bool take_flag(ls_detect_device *d, uint32_t *out) {
    if (!d->flags && d->f->both_see) d->flags = d->f->both_see(d, MAX_FLAGS * 8, &d->flags_at);
    for (uint32_t i = 0; i < MAX_FLAGS && d->flags; i++) {
        if (d->flags_taken[i / 64] >> i % 64 & 1) continue;
        d->flags_taken[i / 64] |= UINT64_C(1) << i % 64;
        *out = i;
        return true;
    }
    return false;
}

static volatile uint64_t *flag_of(const ls_detect_device *d, const struct plan *p) {
    return &d->flags[p->flag];
}

bool ls_detect_has_found(const ls_detect_device *device) {
    const volatile uint64_t *flags = device->flags;
    for (uint32_t w = 0; w < MAX_FLAGS / 64; w++)
        for (uint64_t left = device->flags_taken[w]; left; left &= left - 1)
            if (flags[w * 64 + (uint32_t)__builtin_ctzll(left)]) return true;
    return false;
}

/* --- Plans -------------------------------------------------------------------------------------------------
 */

void dt_free_plan(ls_detect_device *device, struct plan *p) {
    if (!p) return;
    uint64_t own[] = {p->context, p->contexts, p->report, p->stamps};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i]) device->f->release(device, own[i]);
    if (p->has_flag) {
        *flag_of(device, p) = 0;
        device->flags_taken[p->flag / 64] &= ~(UINT64_C(1) << p->flag % 64);
    }
    if (device->last_plan == p) device->last_plan = NULL;
    LS_VEC_FREE(&p->parts);
    ls_buf_free(&p->params);
    ls_buf_free(&p->buffers);
    ls_buf_free(&p->kernel);
    free(p->object_part);
    free(p);
}

static bool reads_what_it_writes(const kernel *k) {
    for (uint32_t i = 0; i < k->ir->access_count; i++) {
        const access_info *info = &k->accesses[i];
        if (!info->in_global || k->ir->accesses[i]->kind == LS_ACCESS_WRITE) continue;
        for (uint32_t o = 0; o < k->object_count; o++) {
            const object *x = &k->objects[o];
            bool meant = info->object == LS_IR_NONE || k->objects[info->object].group == x->group;
            if (!x->is_shared && x->written && meant) return true;
        }
    }
    return false;
}

/* The launch as it was, for looking into it later. */
static void remember(struct plan *p, const check *c) {
    p->last = *c->launch;
    p->params.length = p->buffers.length = p->kernel.length = 0;
    if (c->launch->params_size) ls_buf_add(&p->params, c->launch->params, c->launch->params_size);
    if (c->launch->buffer_count)
        ls_buf_add(&p->buffers, (const char *)c->launch->buffers,
                   sizeof *c->launch->buffers * c->launch->buffer_count);
    ls_buf_puts(&p->kernel, c->launch->kernel);
    p->last.params = p->params.text;
    p->last.buffers = (const ls_detect_buffer *)(const void *)p->buffers.text;
    p->last.kernel = ls_buf_text(&p->kernel);
    p->ptx = c->ptx, p->length = c->length, p->filename = c->filename;
}

static void place_memory(check *c, struct plan *p) {
    uint64_t at[] = {c->snapshot, c->united,    c->copies,    c->scratch,
                     c->undo,     c->others[0], c->others[1], c->stamps};
    memcpy(p->used, at, sizeof at);
}

static void keep_parts(struct plan *p, const check *c) {
    p->parts.length = 0;
    for (uint32_t i = 0; i < c->parts.length; i++) LS_VEC_PUSH(&p->parts, c->parts.items[i]);
    for (uint32_t i = 0; i < p->parts.length; i++) p->parts.items[i].name = NULL; /* the result's memory */
    for (uint32_t i = 0; i < p->parts.length; i++)
        p->has_gaps |=
            !p->parts.items[i].is_target && (p->parts.items[i].size % 16 || p->parts.items[i].is_atomic);
    if (!p->object_part) p->object_part = ls_xcalloc(c->k->object_count + 1, sizeof *p->object_part);
    memcpy(p->object_part, c->object_part, sizeof *p->object_part * c->k->object_count);
}

static bool fill_plan(check *c, struct plan *p) {
    p->grid = c->ran_grid, p->block = c->ran_block;
    p->watch = c->result->watched, p->watched = c->watched, p->stamp_kinds = dt_stamp_kinds(c->k);
    p->in_place = reads_what_it_writes(c->k);
    p->rounds = c->rounds, p->round_count = c->result->rounds;
    p->block_module = p->watch ? c->watched_module : c->block_module;
    p->block_shared = p->watch ? c->watched_shared : c->block_shared;
    p->copy_count = c->copy_count, p->stride = c->stride, p->undo_entries = c->undo_entries;
    p->context_size = c->context_size;
    p->target_bytes = c->target_bytes, p->saved_bytes = c->saved_bytes;
    p->scratch_bytes = c->scratch_bytes, p->undo_bytes = c->undo_bytes;
    p->others_bytes = c->others[0] ? c->saved_bytes - c->target_bytes : 0;
    p->snapshot_bytes = p->grid ? c->saved_bytes : 0;
    keep_parts(p, c);
    ls_detect_device *d = c->device;
    uint64_t report = REPORT_RECORDS + (uint64_t)REPORT_CAPACITY * REPORT_RECORD_BYTES;
    p->context = d->f->alloc(d, p->context_size);
    p->contexts = d->f->alloc(d, p->context_size * (p->rounds.most + 1));
    p->report = d->f->alloc(d, report);
    return p->context && p->contexts && p->report && d->f->clear(d, p->report, 0, REPORT_RECORDS) &&
           (p->has_flag = take_flag(d, &p->flag));
}

/* The check has reached its end. */
void dt_prepare_plan(check *c) {
    struct plan **slot = dt_plan_of(c->kept), *p = *slot;
    if (p && p->watch && c->k && c->k->met && !dt_is_pinned(c->kept)) { /* from now on values are compared */
        dt_free_plan(c->device, p);
        p = *slot = NULL;
    }
    bool again = p && p->looks;
    if (c->options->deterministic || (p && !again && !p->look)) return;
    for (uint32_t i = 0; c->k && i < c->k->object_count && !c->launch->symbol; i++)
        if (c->k->objects[i].symbol && !c->k->objects[i].is_shared)
            return; /* they start anew with each check */
    if (!p) {
        p = *slot = ls_xcalloc(1, sizeof *p);
        p->plain = c->result->left;
        if (!p->plain && !c->records.length && !c->races.length && !fill_plan(c, p)) {
            dt_free_plan(c->device, p);
            *slot = NULL;
            return;
        }
    }
    p->look = c->records.length && !c->races.length && ++p->looks <= MAX_LOOKS;
    p->found |= c->races.length || (c->records.length && !p->look);
}

/* --- Queueing ----------------------------------------------------------------------------------------------
 */

/* From what is kept; in the order in which they were taken before, so that it mostly is where it was. */
static bool take_for(check *c, uint64_t bytes, uint64_t *out) {
    *out = bytes ? dt_take_memory(c, bytes) : 0;
    return *out || !bytes;
}

static bool take_memory(check *c, const struct plan *p) {
    uint64_t copies = p->grid ? p->stride : 0;
    return take_for(c, p->snapshot_bytes, &c->snapshot) && take_for(c, copies, &c->united) &&
           take_for(c, copies * p->copy_count, &c->copies) && take_for(c, p->scratch_bytes, &c->scratch) &&
           take_for(c, p->undo_bytes, &c->undo) && take_for(c, p->others_bytes, &c->others[0]) &&
           take_for(c, p->others_bytes, &c->others[1]);
}

static bool pointers_moved(const struct plan *p, const ls_detect_launch *l) {
    return p->params.length != l->params_size ||
           (l->params_size && memcmp(p->params.text, l->params, l->params_size) != 0);
}

/* Contexts have addresses in them: of memory that was taken, of the program's buffers. */
static bool bind(check *c, struct plan *p) {
    uint64_t at[] = {c->snapshot, c->united,    c->copies,    c->scratch,
                     c->undo,     c->others[0], c->others[1], c->stamps};
    bool moved = !p->last.kernel || pointers_moved(p, c->launch);
    if (moved) {
        dt_place_parts(c);
        keep_parts(p, c);
        remember(p, c);
        LS_VEC_FREE(&c->parts);
    }
    c->parts.items = p->parts.items, c->parts.length = p->parts.length;
    c->object_part = p->object_part;
    c->target_bytes = p->target_bytes, c->saved_bytes = p->saved_bytes;
    p->last.number = c->launch->number;
    if (!moved && memcmp(p->used, at, sizeof at) == 0) return true;
    place_memory(c, p);
    return (!p->grid || dt_write_contexts(c, p->rounds.most)) &&
           dt_write_context(c, 1, UINT64_MAX, 0, UINT64_MAX);
}

static bool queue_checks(check *c, const struct plan *p) {
    if (p->watch) {
        dt_copy_constants(c, p->block_module);
        c->context_now = c->context;
        return dt_run_watched(c, p->block_module, p->block_shared, &p->watched, p->stamp_kinds);
    }
    void *modules[] = {p->rounds.first, p->rounds.second, p->block_module};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        if (modules[i]) dt_copy_constants(c, modules[i]);
    for (int i = 0; i < 2; i++) /* what is not copied there must be the same in both */
        if (c->others[i] && p->has_gaps && !c->device->f->clear(c->device, c->others[i], 0, p->others_bytes))
            return false;
    if (p->grid && (!dt_save_parts(c) || !dt_queue_rounds(c))) return false;
    if (!p->block) return dt_scatter_union(c);
    c->context_now = c->context;
    return (!p->grid || dt_restore_parts(c, true, true)) &&
           dt_run_variant(c, p->block_module, p->block_shared);
}

/* A graph runs what is recorded again and again: its stamps are its own, and cleared each time. */
static bool queue_recorded(check *c, struct plan *p) {
    ls_detect_device *d = c->device;
    dt_pin(c->kept);
    if (!d->f->aside || !d->f->aside(d, true)) return false;
    c->plane = (dt_stamp_place(p->saved_bytes, c->granule) + 511) / 256 * 256, c->generation = 1;
    uint64_t bytes = p->watched.stamps ? c->plane * dt_stamp_planes(c->k, &p->watched) : 0;
    if (bytes && !p->stamps) p->stamps = d->f->alloc(d, bytes);
    c->stamps = p->stamps;
    bool done = (!bytes || p->stamps) && bind(c, p);
    done = d->f->aside(d, false) && done;
    if (!done) return false;
    void *before = d->f->record(d, c->launch->stream);
    done = (!bytes || d->f->clear(d, p->stamps, 0, bytes)) && queue_checks(c, p);
    d->f->record(d, before);
    return done;
}

static ls_detect_next queue(check *c, struct plan *p) {
    c->queued = true;
    c->copy_count = p->copy_count, c->stride = p->stride, c->undo_entries = p->undo_entries;
    c->rounds = p->rounds, c->result->rounds = p->round_count;
    c->context = c->context_now = p->context, c->contexts = p->contexts, c->context_size = p->context_size;
    c->report = p->report, c->flag = c->device->flags_at + p->flag * 8;
    c->watching = p->watch, c->granule = p->watched.granule, c->saved_bytes = p->saved_bytes;
    c->device->last_plan = p;
    if (c->launch->captured) return queue_recorded(c, p) ? LS_DETECT_QUEUED : LS_DETECT_NEW;
    bool done = c->device->f->use_stream(c->device, c->launch->stream) && take_memory(c, p) &&
                (!p->watched.stamps || dt_take_stamps(c, &p->watched));
    ls_detect_next next = LS_DETECT_NEW;
    if (done && bind(c, p)) next = queue_checks(c, p) ? LS_DETECT_QUEUED : LS_DETECT_NEW;
    dt_give_memory_back(c); /* who takes it next is queued behind this */
    return next;
}

ls_detect_next ls_detect_queue(ls_detect_device *device, const char *ptx, size_t length, const char *filename,
                               const ls_detect_launch *launch, const ls_detect_options *options,
                               ls_diags *diags) {
    LS_OWN_OPTIONS(ls_detect_options, options);
    ls_arena arena;
    ls_detect_result result = {0};
    check c = {.device = device,
               .launch = launch,
               .options = options,
               .diags = diags,
               .arena = &arena,
               .result = &result,
               .ptx = ptx,
               .filename = filename,
               .length = length};
    if (!dt_find_kept(&c) || !*dt_plan_of(c.kept)) return LS_DETECT_NEW;
    struct plan *p = *dt_plan_of(c.kept);
    if (p->plain) return LS_DETECT_PLAIN;
    if (p->found) return LS_DETECT_KNOWN;
    bool by_caller = launch->as_it_is && p->watch && launch->start;
    if (p->look || !p->report || (launch->as_it_is && !by_caller) || (p->grid && !launch->alone))
        return LS_DETECT_NEW;
    bool plain =
        launch->repeats || !memmem(ptx, length, "cluster", 7); /* clusters that the kernel knows nothing of */
    bool repeats = launch->captured || (plain && p->watched.stamps);
    p->no_repeat = by_caller && !repeats ? launch->as_it_is : NULL;
    ls_arena_init(&arena);
    c.threads = launch->block[0] * launch->block[1] * launch->block[2];
    c.warps = (c.threads + 31) / 32;
    c.blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    ls_detect_next next = queue(&c, p);
    ls_arena_free(&arena);
    return next;
}

void ls_detect_leave_stream(ls_detect_device *device, void *stream) {
    device->f->leave_stream(device, stream);
}

/* --- Settling ----------------------------------------------------------------------------------------------
 */

typedef struct {
    ls_detect_device *device;
    const ls_detect_options *options;
    void (*tell)(void *context, const ls_detect_launch *launch, const ls_detect_result *result);
    void *context;
    ls_diags *diags;
    struct plan *plan; /* that is to be looked into */
} settlement;

static void find_flagged(void *context, struct plan *p) {
    settlement *s = context;
    if (!p->plain && p->report && *flag_of(s->device, p)) s->plan = p;
}

/* Copies the parts of the program's memory to or from a place for them. */
static bool copy_parts(const settlement *s, uint64_t place, bool back) {
    bool done = true;
    for (uint32_t i = 0; i < s->plan->parts.length && done; i++) {
        const part *p = &s->plan->parts.items[i];
        uint64_t kept = place + p->offset;
        done = s->device->f->copy(s->device, back ? p->address : kept, back ? kept : p->address, p->size);
    }
    return done;
}

static bool has_snapshot(const settlement *s) {
    return s->plan->grid && s->device->last_plan == s->plan;
}

/* The launch once more, on the memory that it found where there is a snapshot; or on what it only reads,
 * where it reads nothing that it writes; or, of kernels that are watched, on what is there: where units meet
 * seldom depends on values. Then memory is put back. True where there is no race. */
static bool repeat(settlement *s, uint64_t number) {
    struct plan *p = s->plan;
    ls_detect_launch launch = p->last;
    launch.number = number, launch.leave_plain = launch.keep = launch.captured = false;
    launch.as_it_is = NULL, launch.start = NULL;
    uint64_t now = s->device->f->alloc(s->device, p->saved_bytes);
    if (!now && p->saved_bytes) return false;
    bool ready = copy_parts(s, now, false) && (!has_snapshot(s) || copy_parts(s, p->used[0], true));
    ls_detect_result *r =
        ready ? ls_detect_check(s->device, p->ptx, p->length, p->filename, &launch, s->options, s->diags)
              : NULL;
    if (r && r->finding_count) p->found = true;
    if (r && r->finding_count) s->tell(s->context, &launch, r);
    bool benign = r && r->status == LS_DETECT_CLEAN;
    p->look |= benign && p->watch;
    ls_detect_result_free(r);
    copy_parts(s, now, true);
    s->device->f->wait(s->device, 0, s->diags);
    s->device->f->release(s->device, now);
    return benign;
}

static void say_unseen(settlement *s, uint64_t number) {
    static const char met[] =
        "threads accessed the same memory, one of them writing; whether that is a race was not decided",
                      seen[] = "a race was found by comparing values, but not its lines: memory had changed "
                               "before they were looked for";
    ls_detect_unchecked why = {.reason = s->plan->watch ? met : seen};
    ls_detect_result r = {.status = LS_DETECT_UNKNOWN, .unchecked = &why, .unchecked_count = 1};
    ls_detect_launch launch = s->plan->last;
    launch.number = number;
    s->tell(s->context, &launch, &r);
}

void ls_detect_settle(ls_detect_device *device, const ls_detect_options *options,
                      void (*tell)(void *, const ls_detect_launch *, const ls_detect_result *), void *context,
                      ls_diags *diags) {
    settlement s = {.device = device, .options = options, .tell = tell, .context = context, .diags = diags};
    if (!ls_detect_has_found(device)) return;
    device->f->use_stream(device, NULL);
    device->f->wait(device, 0, diags);
    for (;;) {
        s.plan = NULL;
        dt_each_plan(device, find_flagged, &s);
        if (!s.plan) break;
        uint64_t number = *flag_of(device, s.plan);
        *flag_of(device, s.plan) = 0;
        device->f->clear(device, s.plan->report, 0, REPORT_RECORDS);
        if (s.plan->found) continue; /* told before: a graph goes on as it was recorded */
        bool benign = !s.plan->no_repeat && (s.plan->watch || has_snapshot(&s) || !s.plan->in_place) &&
                      repeat(&s, number);
        if (s.plan->found || (benign && s.plan->watch && !s.plan->in_place)) continue;
        s.plan->look = true;
        if (++s.plan->looks > MAX_LOOKS) s.plan->found = true;
        say_unseen(&s, number);
    }
    device->f->wait(device, 0, diags);
}
