/* A program's launches. The first launch of a kernel with new sizes is checked by itself, when the device is
 * idle; what was found is appended to the file LOCKSTEP_REPORT (report.h). Further launches like it are put
 * on their stream together with their check (ls_detect_queue), and looked into when the program has waited.
 */
#include "base/clock.h"
#include "detect/extract.h"
#include "detect/preload/known.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Launches of one kernel with the same sizes: what --every and --budget count. */
typedef struct {
    const known_kernel *kernel;
    unsigned grid[3], block[3], shared;
    uint64_t launches, checked;
    double cost; /* milliseconds of a check */
} shape;

static struct { /* behind the lock of what is known */
    LS_VEC(shape) shapes;
    ls_detect_device *device;
    void *context; /* that it was opened in */
    uint32_t launches;
    FILE *report;
    bool has_options;
    ls_detect_options options;
    uint64_t captures, room; /* launches that may still be written to files, and bytes */
    uint64_t every;
    double budget, started, spent; /* a share; milliseconds */
} state;

/* --- Settings ----------------------------------------------------------------------------------------------
 */

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static uint64_t number_setting(const char *name, uint64_t otherwise) {
    const char *value = setting(name);
    return value ? strtoull(value, NULL, 10) : otherwise;
}

static void read_settings(void) {
    if (state.has_options) return;
    state.has_options = true;
    state.options = (ls_detect_options){.all = setting("LOCKSTEP_ALL"),
                                        .by_values = setting("LOCKSTEP_VALUES"),
                                        .deterministic = setting("LOCKSTEP_DETERMINISTIC"),
                                        .no_lines = setting("LOCKSTEP_NO_LINES"),
                                        .no_shared = setting("LOCKSTEP_NO_SHARED"),
                                        .no_global = setting("LOCKSTEP_NO_GLOBAL"),
                                        .memory = number_setting("LOCKSTEP_MEMORY", 0),
                                        .copies = (uint32_t)number_setting("LOCKSTEP_COPIES", 0),
                                        .rounds = (uint32_t)number_setting("LOCKSTEP_ROUNDS", 0),
                                        .timeout = (double)number_setting("LOCKSTEP_TIMEOUT", 60)};
    state.captures = number_setting("LOCKSTEP_CAPTURES", 0), state.room = UINT64_C(1) << 31;
    state.every = number_setting("LOCKSTEP_EVERY", 1);
    state.budget = (double)number_setting("LOCKSTEP_BUDGET", 0) / 100;
    state.started = ls_clock_ms(LS_CLOCK_WALL);
}

/* --- What a launch needs -----------------------------------------------------------------------------------
 */

/* Its text is what it needs of the image's. Of the kernel itself only its parameters are looked at here. */
static void read_kernel(known_kernel *k) {
    ls_buf head = {0};
    ls_diags *diags = ls_diags_new();
    k->was_read = true;
    dt_only_kernel(k->image->ptx, k->image->length, k->name, &k->ptx);
    dt_only_head(ls_buf_text(&k->ptx), k->ptx.length, k->name, &head);
    k->module = ls_ptx_parse(ls_buf_text(&head), head.length, "program.ptx", diags);
    const ls_ptx_function *f = k->module ? ls_ptx_find_function(k->module, k->name) : NULL;
    k->entry = f && f->definition ? f->definition : f;
    ls_buf_free(&head);
    ls_diags_free(diags);
}

/* The parameters as one block, from the array of pointers or the buffer that the program gave. */
static bool pack_params(const ls_ptx_function *f, const program_launch *l, uint8_t *out, size_t room,
                        size_t *size) {
    uint64_t at = 0;
    if (!l->params && l->extra) {
        const void *buffer = NULL;
        size_t bytes = 0;
        for (void **e = l->extra; *e; e += 2) {
            if (*e == (void *)1) buffer = e[1];
            if (*e == (void *)2) bytes = *(size_t *)e[1];
        }
        if (!buffer || bytes > room) return false;
        memcpy(out, buffer, bytes);
        *size = bytes;
        return true;
    }
    for (uint32_t i = 0; i < f->param_count; i++) {
        uint64_t bytes = ls_ptx_variable_size(f->params[i]), align = ls_ptx_variable_align(f->params[i]);
        uint64_t next = (at + align - 1) / align * align;
        if (next + bytes > room) return false;
        memset(out + at, 0, next - at);
        memcpy(out + next, l->params[i], bytes);
        at = next + bytes;
    }
    *size = at;
    return true;
}

static uint64_t program_symbol(void *context, const char *name, uint64_t *size) {
    const image *i = context;
    CUdeviceptr address = 0;
    size_t bytes = 0;
    static CUresult (*of_module)(CUdeviceptr *, size_t *, void *, const char *);
    static CUresult (*of_library)(CUdeviceptr *, size_t *, void *, const char *);
    if (!of_module) *(void **)&of_module = dp_driver_function("cuModuleGetGlobal_v2");
    if (!of_library) *(void **)&of_library = dp_driver_function("cuLibraryGetGlobal");
    CUresult code = 1;
    if (i->is_library && of_library) code = of_library(&address, &bytes, i->handle, name);
    if (!i->is_library && of_module) code = of_module(&address, &bytes, i->handle, name);
    if (size) *size = bytes;
    return code == CUDA_SUCCESS ? address : 0;
}

/* Buffers that a parameter points to but that no call of the program's has made known. */
static void add_pointed(ls_detect_buffer *buffers, uint32_t *count, const uint8_t *params, size_t size) {
    static CUresult (*range)(CUdeviceptr *, size_t *, CUdeviceptr);
    if (!range) *(void **)&range = dp_driver_function("cuMemGetAddressRange_v2");
    for (size_t at = 0; range && at + 8 <= size; at += 8) {
        CUdeviceptr pointer, base = 0;
        size_t bytes = 0;
        bool known = false;
        memcpy(&pointer, params + at, 8);
        for (uint32_t i = 0; i < *count && !known; i++)
            known = pointer >= buffers[i].address && pointer - buffers[i].address < buffers[i].size;
        if (known || pointer < 4096 || range(&base, &bytes, pointer) != CUDA_SUCCESS) continue;
        buffers[(*count)++] = (ls_detect_buffer){base, bytes, NULL};
    }
}

/* --- Which launches ----------------------------------------------------------------------------------------
 */

static bool is_wanted(const known_kernel *k) {
    const char *names = setting("LOCKSTEP_KERNELS");
    uint64_t first = number_setting("LOCKSTEP_FIRST", 1), last = number_setting("LOCKSTEP_LAST", UINT64_MAX);
    if (state.launches < first || state.launches > last) return false;
    if (k->launches <= number_setting("LOCKSTEP_SKIP", 0)) return false;
    if (!names) return true;
    size_t length = strlen(k->name);
    for (const char *at = names; *at;) {
        size_t n = strcspn(at, "\n");
        /* the name itself, or a mangled name with it: _Z4scanPf */
        if (n == length && memcmp(at, k->name, n) == 0) return true;
        char piece[256];
        if (n < 200) {
            snprintf(piece, sizeof piece, "%zu%.*s", n, (int)n, at);
            if (strncmp(k->name, "_Z", 2) == 0 && strstr(k->name, piece)) return true;
        }
        at += n + (at[n] == '\n');
    }
    return false;
}

static shape *shape_of(const known_kernel *k, const program_launch *l) {
    for (uint32_t i = 0; i < state.shapes.length; i++) {
        shape *s = &state.shapes.items[i];
        if (s->kernel == k && s->shared == l->shared && memcmp(s->grid, l->grid, sizeof s->grid) == 0 &&
            memcmp(s->block, l->block, sizeof s->block) == 0)
            return s;
    }
    shape made = {.kernel = k, .shared = l->shared};
    memcpy(made.grid, l->grid, sizeof made.grid);
    memcpy(made.block, l->block, sizeof made.block);
    LS_VEC_PUSH(&state.shapes, made);
    return &state.shapes.items[state.shapes.length - 1];
}

/* --every and --budget: sizes that were not checked before come first; those that were may use half of what
 * the budget leaves. A queued check is taken to cost what the first one took, which is more. */
static bool is_its_turn(shape *s) {
    bool turn = s->launches++ % (state.every ? state.every : 1) == 0;
    if (turn && state.budget > 0) {
        double allowed = state.budget * (ls_clock_ms(LS_CLOCK_WALL) - state.started - state.spent);
        turn = s->checked ? state.spent + s->cost <= allowed / 2 : !state.spent || state.spent <= allowed;
        if (turn && s->checked) state.spent += s->cost;
    }
    s->checked += turn;
    return turn;
}

static const char *why_not(const known_kernel *k) {
    if (!k || !k->image) return "the program loaded the kernel in a way that is not tracked";
    const image *i = k->image;
    if (i->kind == IMAGE_WITHOUT_PTX || i->kind == IMAGE_UNKNOWN)
        return "the program has no PTX for it: compile with `lockstep nvcc`, or add to nvcc -gencode "
               "arch=compute_XX,code=compute_XX";
    if (i->kind == IMAGE_UNREADABLE) return i->why;
    return NULL;
}

static void tell_launch(const known_kernel *k, const program_launch *l, uint32_t number,
                        ls_detect_status status) {
    dt_report_launch line = {.kernel = k ? k->name : "?", .number = number, .status = status};
    memcpy(line.grid, l->grid, sizeof line.grid);
    memcpy(line.block, l->block, sizeof line.block);
    dt_report_write_launch(state.report, &line);
}

static void cannot_check(known_kernel *k, const program_launch *l, uint32_t number, const char *why) {
    tell_launch(k, l, number, LS_DETECT_UNSUPPORTED);
    dt_report_write_unchecked(state.report, &(ls_detect_unchecked){.reason = why});
    fflush(state.report);
    if (setting("LOCKSTEP_STOP")) {
        fprintf(stderr, "lockstep: launch %u of %s cannot be checked: %s\n", number, k ? k->name : "a kernel",
                why);
        _exit(3);
    }
}

/* Said once for each kernel and reason. */
static void cannot_check_once(known_kernel *k, const program_launch *l, const char *why) {
    if (k && k->said == why) return;
    if (k) k->said = why;
    cannot_check(k, l, state.launches, why);
}

/* --- A launch ----------------------------------------------------------------------------------------------
 */

static void count(known_kernel *k, uint64_t *which) {
    ++*which;
    uint64_t all = ++k->counted;
    if ((all & (all - 1)) == 0) dt_report_write_counts(state.report, k->name, &k->counts); /* 1, 2, 4, … */
}

/* What queued checks have found. */
static void tell(void *context, const ls_detect_launch *launch, const ls_detect_result *r) {
    (void)context;
    dt_report_launch line = {
        .kernel = launch->kernel, .number = (uint32_t)launch->number, .status = r->status};
    memcpy(line.grid, launch->grid, sizeof line.grid);
    memcpy(line.block, launch->block, sizeof line.block);
    dt_report_write_launch(state.report, &line);
    dt_report_write_result(state.report, r);
    fflush(state.report);
}

static void settle(void) {
    if (!state.device || !ls_detect_has_found(state.device)) return;
    static CUresult (*synchronize)(void);
    if (!synchronize) *(void **)&synchronize = dp_driver_function("cuCtxSynchronize");
    if (synchronize) synchronize();
    ls_diags *diags = ls_diags_new();
    ls_detect_settle(state.device, &state.options, tell, NULL, diags);
    ls_diags_free(diags);
}

void dp_settle(void) {
    if (dp_inside || !state.device) return;
    dp_inside++;
    pthread_mutex_lock(&dp_known.lock);
    settle();
    pthread_mutex_unlock(&dp_known.lock);
    dp_inside--;
}

void dp_drop_stream(void *stream) {
    dp_inside++;
    pthread_mutex_lock(&dp_known.lock);
    if (state.device) ls_detect_leave_stream(state.device, stream);
    pthread_mutex_unlock(&dp_known.lock);
    dp_inside--;
}

bool dp_give_memory_back(void) {
    if (dp_inside) return false;
    dp_inside++;
    pthread_mutex_lock(&dp_known.lock);
    bool any = state.device && ls_detect_give_back(state.device);
    pthread_mutex_unlock(&dp_known.lock);
    dp_inside--;
    return any;
}

/* The launch is in a file now: not many are. */
static void tell_captured(const known_kernel *k, const program_launch *l, const ls_detect_launch *launch,
                          const ls_detect_result *r) {
    if (!r || !r->captured) return;
    struct stat file;
    const uint64_t bytes = stat(launch->capture, &file) == 0 ? (uint64_t)file.st_size : 0;
    state.captures--;
    state.room -= bytes < state.room ? bytes : state.room;
    tell_launch(k, l, state.launches, LS_DETECT_UNSUPPORTED);
    dt_report_write_captured(state.report, launch->capture);
    fflush(state.report);
}

/* A launch that only the program itself can make: what is known about it is reported once for each kernel.
 * True if it can be watched. */
static bool judge_unusual(known_kernel *k, const program_launch *l, const ls_detect_launch *launch,
                          ls_diags *diags) {
    ls_detect_result *r = ls_detect_check(state.device, k->ptx.text, k->ptx.length, "program.ptx", launch,
                                          &state.options, diags);
    tell_captured(k, l, launch, r);
    bool watched = r && r->watched;
    if (watched) {
        tell_launch(k, l, state.launches, r->status);
        dt_report_write_result(state.report, r);
        fflush(state.report);
    } else if (!r || r->status == LS_DETECT_UNSUPPORTED || r->unchecked_count) {
        cannot_check_once(k, l, l->unusual);
    } else if (k->said != l->unusual) {
        k->said = l->unusual;
        tell_launch(k, l, state.launches, r->status);
        fflush(state.report);
    } else {
        count(k, &k->counts.queued);
    }
    ls_detect_result_free(r);
    return watched;
}

/* By itself, with everything else at rest. True where the launch was done. */
static bool check_now(known_kernel *k, const program_launch *l, const ls_detect_launch *launch,
                      ls_diags *diags) {
    static CUresult (*synchronize)(void);
    if (!synchronize) *(void **)&synchronize = dp_driver_function("cuCtxSynchronize");
    if (synchronize) synchronize();
    ls_detect_result *r = ls_detect_check(state.device, k->ptx.text, k->ptx.length, "program.ptx", launch,
                                          &state.options, diags);
    tell_captured(k, l, launch, r);
    bool done = r && r->status != LS_DETECT_UNSUPPORTED && r->status != LS_DETECT_FAILED;
    if (done) {
        tell_launch(k, l, state.launches, r->status);
        dt_report_write_result(state.report, r);
        fflush(state.report);
    } else {
        uint32_t messages = ls_diags_count(diags);
        cannot_check(k, l, state.launches,
                     messages ? ls_diags_at(diags, messages - 1)->message : "the check failed");
    }
    if (r && r->status == LS_DETECT_FAILED)
        done = r->launches > 0; /* it ran, and broke: the program sees the error itself */
    if (r && r->left) done = false;
    ls_detect_result_free(r);
    return done;
}

/* The memory that the program has allocated, and what the launch's parameters point to. */
static ls_detect_buffer *find_buffers(const known_kernel *k, const uint8_t *params, size_t size,
                                      uint32_t *count) {
    ls_detect_buffer *buffers = ls_xmalloc(sizeof *buffers * (dp_known.buffers.length + size / 8 + 1));
    *count = dp_known.buffers.length;
    if (*count) memcpy(buffers, dp_known.buffers.items, sizeof *buffers * *count);
    for (uint64_t n = 0, at = 0; n < k->entry->param_count; n++) { /* numbers of 32 bits are no pointers */
        uint64_t bytes = ls_ptx_variable_size(k->entry->params[n]),
                 align = ls_ptx_variable_align(k->entry->params[n]);
        at = (at + align - 1) / align * align;
        if (bytes >= 8 && at + bytes <= size) add_pointed(buffers, count, params + at, bytes);
        at += bytes;
    }
    return buffers;
}

static bool queue_or_check(known_kernel *k, const program_launch *l, shape *s, const uint8_t *params,
                           size_t size, bool *plain) {
    image *i = k->image;
    uint32_t buffer_count;
    ls_detect_buffer *buffers = find_buffers(k, params, size, &buffer_count);
    ls_detect_launch launch = {.kernel = k->name,
                               .shared_bytes = l->shared,
                               .params = params,
                               .params_size = size,
                               .buffers = buffers,
                               .buffer_count = buffer_count,
                               .symbol = program_symbol,
                               .symbol_context = i,
                               .leave_plain = true,
                               .as_it_is = l->unusual,
                               .start = l->unusual ? l->start : NULL,
                               .start_context = (void *)(uintptr_t)l->start_context,
                               .captured = l->captured,
                               .repeats = !l->in_clusters,
                               .keep = true,
                               .identity = i->number,
                               .number = state.launches,
                               .stream = l->stream,
                               .alone = !dp_known.streams};
    for (int d = 0; d < 3; d++) {
        launch.grid[d] = l->grid[d], launch.block[d] = l->block[d];
        launch.cluster[d] = l->cluster[d];
    }
    ls_buf file = {0}; /* beside the report */
    ls_buf_printf(&file, "%s-%ld-%u", setting("LOCKSTEP_REPORT"), (long)getpid(), state.launches);
    if (state.captures && state.room) launch.capture = ls_buf_text(&file);
    ls_diags *diags = ls_diags_new();
    bool done = false;
    switch (ls_detect_queue(state.device, k->ptx.text, k->ptx.length, "program.ptx", &launch, &state.options,
                            diags)) {
    case LS_DETECT_QUEUED: count(k, &k->counts.queued), done = true; break;
    case LS_DETECT_PLAIN: count(k, &k->counts.queued), *plain = true; break;
    case LS_DETECT_KNOWN: count(k, &k->counts.known); break;
    default: {
        double start = ls_clock_ms(LS_CLOCK_WALL);
        if (l->unusual)
            done = judge_unusual(k, l, &launch, diags) &&
                   ls_detect_queue(state.device, k->ptx.text, k->ptx.length, "program.ptx", &launch,
                                   &state.options, diags) == LS_DETECT_QUEUED;
        else
            done = check_now(k, l, &launch, diags);
        s->cost = ls_clock_ms(LS_CLOCK_WALL) - start;
        state.spent += s->cost;
    }
    }
    ls_diags_free(diags);
    ls_buf_free(&file);
    free(buffers);
    return done;
}

static bool open_device(known_kernel *k, const program_launch *l) {
    static CUresult (*current)(void **);
    void *context = NULL;
    if (!current) *(void **)&current = dp_driver_function("cuCtxGetCurrent");
    if (current) current(&context);
    if (state.device && context != state.context)
        cannot_check_once(k, l, "it runs on another GPU than the first launch, or in another context");
    if (state.device) return context == state.context;
    ls_diags *diags = ls_diags_new();
    state.device = ls_detect_cuda_current(diags);
    if (current) current(&state.context);
    uint32_t messages = ls_diags_count(diags);
    if (!state.device)
        cannot_check(k, l, state.launches,
                     messages ? ls_diags_at(diags, messages - 1)->message : "no device");
    ls_diags_free(diags);
    return state.device != NULL;
}

/* Whether it is the same launch once more, of which nothing is to be checked. */
static bool is_plain_again(const known_kernel *k, const ls_buf *launch) {
    return k->plain.length && k->plain_memory == dp_known.memory && state.every <= 1 && state.budget <= 0 &&
           k->plain.length == launch->length && memcmp(k->plain.text, launch->text, launch->length) == 0;
}

/* True where the launch was done by the check. */
static bool check_launch(const program_launch *l) {
    known_kernel *k = dp_kernel_of(l->function);
    state.launches++;
    if (k) k->launches++;
    if (k && !is_wanted(k)) return false;
    const char *why = why_not(k);
    if (!why && !k->was_read) read_kernel(k);
    const ls_ptx_function *f = why ? NULL : k->entry;
    if (!why && !f) why = k->module ? "its PTX has no such kernel" : "its PTX cannot be read";
    uint8_t params[4096];
    size_t size = 0;
    if (!why && !pack_params(f, l, params, sizeof params, &size)) why = "its parameters cannot be read";
    if (why) {
        cannot_check_once(k, l, why);
        return false;
    }
    ls_buf launch = {0};
    ls_buf_add(&launch, (const char *)l->grid, sizeof l->grid);
    ls_buf_add(&launch, (const char *)l->block, sizeof l->block);
    ls_buf_add(&launch, (const char *)&l->shared, sizeof l->shared);
    ls_buf_add(&launch, (const char *)params, size);
    bool done = false, plain = is_plain_again(k, &launch);
    if (plain) {
        count(k, &k->counts.queued);
    } else if (open_device(k, l)) {
        shape *s = shape_of(k, l);
        if (is_its_turn(s))
            done = queue_or_check(k, l, s, params, size, &plain);
        else
            count(k, &k->counts.skipped);
        if (plain) {
            ls_buf swap = k->plain;
            k->plain = launch, launch = swap, k->plain_memory = dp_known.memory;
        }
    }
    ls_buf_free(&launch);
    return done;
}

bool dp_take_launch(const program_launch *l) {
    if (dp_inside || !setting("LOCKSTEP_REPORT")) return false;
    dp_inside++;
    pthread_mutex_lock(&dp_known.lock);
    read_settings();
    if (!state.report && (state.report = fopen(setting("LOCKSTEP_REPORT"), "a")))
        setvbuf(state.report, NULL, _IOFBF, 1 << 20); /* several processes may write: whole groups at once */
    bool done = false;
    if (state.report) {
        if (!l->unusual) settle();
        done = check_launch(l);
    }
    pthread_mutex_unlock(&dp_known.lock);
    dp_inside--;
    return done;
}

/* The last counts; nothing of CUDA's is there any more. */
static void __attribute__((destructor)) end(void) {
    if (!state.report) return;
    for (uint32_t i = 0; i < dp_known.kernels.length; i++) {
        known_kernel *k = dp_known.kernels.items[i];
        if (k->counts.queued + k->counts.skipped + k->counts.known)
            dt_report_write_counts(state.report, k->name, &k->counts);
    }
    fflush(state.report);
}
