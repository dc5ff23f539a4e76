/* A CUDA driver for tests: libcuda.so.1 with the few functions that the detector and the test's program call,
 * carried out by the emulator. */
#include "base/arena.h"
#include "lockstep/emulate.h"
#include "ptx/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *ptx;
    ls_ptx_module *module;
    ls_emulator *emulator;
    ls_diags *diags;
} fake_module;

typedef struct {
    fake_module *module;
    char name[256];
} fake_function;

enum { OK = 0, INVALID = 1, NOT_FOUND = 500, LAUNCH_FAILED = 719 };

static void *current_context;

#define API(name, parameters)                                                                                \
    __attribute__((visibility("default"))) int name parameters;                                              \
    int name parameters

API(cuInit, (unsigned flags)) {
    return flags ? INVALID : OK;
}

API(cuDeviceGet, (int *device, int number)) {
    *device = number;
    return OK;
}

API(cuDeviceGetName, (char *out, int size, int device)) {
    snprintf(out, (size_t)size, "fake GPU %d", device);
    return OK;
}

API(cuDeviceGetAttribute, (int *out, int which, int device)) {
    (void)device;
    *out = which == 97 ? 227 << 10 : 2;
    return OK;
}

API(cuDevicePrimaryCtxRetain, (void **context, int device)) {
    (void)device;
    *context = &current_context;
    return OK;
}

API(cuCtxSetCurrent, (void *context)) {
    current_context = context;
    return OK;
}

API(cuCtxGetCurrent, (void **context)) {
    *context = current_context;
    return OK;
}

API(cuCtxGetDevice, (int *device)) {
    *device = 0;
    return OK;
}

API(cuCtxSynchronize, (void)) {
    return OK;
}

API(cuStreamQuery, (void *stream)) {
    return stream ? INVALID : OK;
}

/* "Machine code" is PTX behind the header of an ELF file, up to where that says the sections are. */
static bool is_machine_code(const void *image, fake_module *m, size_t *length) {
    uint64_t end;
    if (memcmp(image, "\177ELF", 4) != 0) return false;
    memcpy(&end, (const char *)image + 40, 8);
    *length = end - 64;
    m->ptx = strndup((const char *)image + 64, *length);
    m->module = ls_ptx_parse(m->ptx, *length, "fake.cubin", m->diags);
    return true;
}

API(cuModuleLoadData, (void **out, const void *image)) {
    fake_module *m = calloc(1, sizeof *m);
    size_t length;
    const char *why;
    m->diags = ls_diags_new();
    if (!is_machine_code(image, m, &length) &&
        ls_image_ptx(image, SIZE_MAX, &m->ptx, &length, &why) == IMAGE_PTX)
        m->module = ls_ptx_parse(m->ptx, length, "fake.ptx", m->diags);
    if (m->module) m->emulator = ls_emulator_new(m->module, m->diags);
    for (uint32_t i = 0; i < ls_diags_count(m->diags); i++)
        fprintf(stderr, "fake driver: %s\n", ls_diags_at(m->diags, i)->message);
    *out = m;
    return m->emulator ? OK : INVALID;
}

API(cuModuleLoadDataEx, (void **out, const void *image, unsigned n, int *options, void **values)) {
    (void)n, (void)options, (void)values;
    return cuModuleLoadData(out, image);
}

API(cuModuleUnload, (void *module)) {
    fake_module *m = module;
    ls_emulator_free(m->emulator);
    ls_ptx_module_free(m->module);
    ls_diags_free(m->diags);
    free(m->ptx);
    free(m);
    return OK;
}

API(cuModuleGetFunction, (void **out, void *module, const char *name)) {
    fake_module *m = module;
    fake_function *f = calloc(1, sizeof *f); /* lives as long as the process */
    if (!ls_ptx_find_function(m->module, name)) {
        free(f);
        return NOT_FOUND;
    }
    f->module = m;
    snprintf(f->name, sizeof f->name, "%s", name);
    *out = f;
    return OK;
}

API(cuModuleGetGlobal_v2, (uint64_t *address, size_t *size, void *module, const char *name)) {
    uint64_t bytes = 0;
    *address = ls_emulator_symbol(((fake_module *)module)->emulator, name, &bytes);
    if (size) *size = bytes;
    return *address ? OK : NOT_FOUND;
}

API(cuFuncSetAttribute, (void *f, int which, int value)) {
    (void)f, (void)which, (void)value;
    return OK;
}

static size_t pack(const ls_ptx_function *f, void **params, void **extra, char *out) {
    uint32_t offsets[64];
    size_t size = ls_emu_param_offsets(f, offsets);
    for (void **e = extra; e && *e; e += 2)
        if (*e == (void *)1) memcpy(out, e[1], size);
    for (uint32_t i = 0; params && i < f->param_count; i++)
        memcpy(out + offsets[i], params[i], ls_ptx_variable_size(f->params[i]));
    return size;
}

/* --- Graphs: one that is recorded, of launches and fills on one stream, and one that is built by hand
 * -------------------------------------------- While it is recorded, calls that would disturb that are
 * refused, unless the thread has asked for them. */
typedef struct {
    fake_function *function; /* NULL: a fill */
    ls_emu_launch launch;
    char params[4096];
    void *extra[5];
    uint64_t to, size;
    unsigned char value;
} recorded_step;

static struct fake_graph {
    recorded_step steps[16];
    unsigned count;
    void *stream; /* that is recorded */
    int mode;
} graph, built;

static bool is_refused(void) {
    return graph.stream && graph.mode != 2;
}

API(cuThreadExchangeStreamCaptureMode, (int *mode)) {
    int before = graph.mode;
    graph.mode = *mode, *mode = before;
    return OK;
}

API(cuStreamIsCapturing, (void *stream, int *status)) {
    *status = stream && stream == graph.stream;
    return OK;
}

API(cuStreamBeginCapture_v2, (void *stream, int mode)) {
    graph.stream = stream, graph.mode = mode, graph.count = 0;
    return OK;
}

API(cuStreamEndCapture, (void *stream, void **out)) {
    *out = stream == graph.stream ? &graph : NULL;
    graph.stream = NULL;
    return *out ? OK : INVALID;
}

API(cuStreamCreate, (void **stream, unsigned flags)) {
    static char all[8];
    static unsigned made;
    *stream = &all[made++ % sizeof all];
    return flags <= 1 ? OK : INVALID;
}

API(cuStreamSynchronize, (void *stream)) {
    return stream && stream == graph.stream ? INVALID : OK;
}

static recorded_step *step_of(struct fake_graph *of) {
    recorded_step *made = &of->steps[of->count++];
    *made = (recorded_step){0};
    return made;
}

static recorded_step *record(void) {
    return step_of(&graph);
}

static int run(fake_function *f, const ls_emu_launch *l) {
    ls_emu_options options = {.unchecked_memory = true, .threads = 1};
    ls_emu_result *r = ls_emulator_run(f->module->emulator, l, &options);
    bool done = r->status == LS_EMU_DONE;
    if (!done) fprintf(stderr, "fake driver: %s\n", r->message);
    ls_emu_result_free(r);
    return done ? OK : LAUNCH_FAILED;
}

API(cuGraphLaunch, (void *g, void *stream)) {
    (void)stream;
    struct fake_graph *of = g;
    for (unsigned i = 0; i < of->count; i++) {
        recorded_step *s = &of->steps[i];
        if (!s->function) memset((void *)(uintptr_t)s->to, s->value, s->size);
        if (s->function && run(s->function, &s->launch)) return LAUNCH_FAILED;
    }
    return OK;
}

static void fill_step(recorded_step *s, fake_function *f, const unsigned *grid, const unsigned *block,
                      unsigned shared, void **params, void **extra) {
    s->function = f;
    s->launch = (ls_emu_launch){.kernel = f->name,
                                .grid = {grid[0], grid[1], grid[2]},
                                .block = {block[0], block[1], block[2]},
                                .shared_bytes = shared,
                                .params = s->params};
    s->launch.params_size = pack(ls_ptx_find_function(f->module->module, f->name), params, extra, s->params);
}

static int launch(fake_function *f, const unsigned *grid, const unsigned *block, unsigned shared,
                  void **params, void **extra, void *stream) {
    recorded_step now = {0}, *s = stream && stream == graph.stream ? record() : &now;
    fill_step(s, f, grid, block, shared, params, extra);
    return s == &now ? is_refused() ? INVALID : run(f, &s->launch) : OK;
}

API(cuLaunchKernel, (void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                     unsigned bz, unsigned shared, void *stream, void **params, void **extra)) {
    unsigned grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
    return launch(function, grid, block, shared, params, extra, stream);
}

typedef struct {
    unsigned grid[3], block[3], shared;
    void *stream;
    const void *attributes;
    unsigned attribute_count;
} launch_config;

API(cuLaunchKernelEx, (const launch_config *c, void *function, void **params, void **extra)) {
    return launch(function, c->grid, c->block, c->shared, params, extra, c->stream);
}

API(cuMemAlloc_v2, (uint64_t *address, size_t size)) {
    if (is_refused()) return INVALID;
    *address = (uint64_t)(uintptr_t)aligned_alloc(256, (size + 255) / 256 * 256);
    return *address ? OK : INVALID;
}

API(cuMemFree_v2, (uint64_t address)) {
    free((void *)(uintptr_t)address);
    return OK;
}

API(cuMemcpyHtoD_v2, (uint64_t to, const void *from, size_t size)) {
    if (graph.stream) return INVALID; /* it waits for all streams */
    memcpy((void *)(uintptr_t)to, from, size);
    return OK;
}

API(cuMemcpyDtoH_v2, (void *to, uint64_t from, size_t size)) {
    memcpy(to, (void *)(uintptr_t)from, size);
    return OK;
}

API(cuMemcpyDtoDAsync_v2, (uint64_t to, uint64_t from, size_t size, void *stream)) {
    (void)stream;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, size);
    return OK;
}

API(cuMemsetD8Async, (uint64_t to, unsigned char value, size_t size, void *stream)) {
    if (stream && stream == graph.stream) {
        recorded_step *s = record();
        s->to = to, s->size = size, s->value = value;
        return OK;
    }
    if (is_refused() || (graph.stream && !stream)) return INVALID;
    memset((void *)(uintptr_t)to, value, size);
    return OK;
}

API(cuMemcpyHtoDAsync_v2, (uint64_t to, const void *from, size_t size, void *stream)) {
    if (graph.stream && (!stream || stream == graph.stream))
        return INVALID; /* `from` may be gone when it runs */
    memcpy((void *)(uintptr_t)to, from, size);
    return OK;
}

API(cuMemHostAlloc, (void **memory, size_t size, unsigned flags)) {
    (void)flags;
    *memory = aligned_alloc(256, (size + 255) / 256 * 256);
    return *memory ? OK : INVALID;
}

API(cuMemHostGetDevicePointer_v2, (uint64_t *address, void *memory, unsigned flags)) {
    *address = (uint64_t)(uintptr_t)memory;
    return flags ? INVALID : OK;
}

/* Everything is done when a call returns: events have nothing to say. */
API(cuEventCreate, (void **event, unsigned flags)) {
    static int one;
    (void)flags;
    *event = &one;
    return OK;
}

API(cuEventRecord, (void *event, void *stream)) {
    (void)event, (void)stream;
    return OK;
}

API(cuStreamWaitEvent, (void *stream, void *event, unsigned flags)) {
    (void)stream, (void)event, (void)flags;
    return OK;
}

API(cuMemGetInfo_v2, (size_t *available, size_t *total)) {
    *available = *total = 1 << 30;
    return OK;
}

API(cuGetErrorName, (int code, const char **name)) {
    (void)code;
    *name = "FAKE_ERROR";
    return OK;
}

API(cuGetErrorString, (int code, const char **text)) {
    (void)code;
    *text = "a fake error";
    return OK;
}

/* A compiler at run time: its program is the PTX itself. */
API(nvrtcGetPTXSize, (const char *program, size_t *size)) {
    *size = strlen(program) + 1;
    return OK;
}

API(nvrtcGetPTX, (const char *program, char *out)) {
    strcpy(out, program);
    return OK;
}

API(nvrtcGetCUBINSize, (const char *program, size_t *size)) {
    *size = 64 + strlen(program);
    return OK;
}

API(nvrtcGetCUBIN, (const char *program, char *out)) {
    uint64_t end = 64 + strlen(program);
    memset(out, 0, 64);
    memcpy(out, "\177ELF\2", 5);
    memcpy(out + 40, &end, sizeof end);
    memcpy(out + 64, program, strlen(program));
    return OK;
}

/* --- The linker: machine code of PTX. FAKE_COMPILED in the environment: a file that gets a line each time.
 */
typedef struct {
    char *code;
    size_t size;
} fake_link;

API(cuDriverGetVersion, (int *version)) {
    *version = 13000;
    return OK;
}

API(cuLinkCreate_v2, (unsigned n, int *options, void **values, void **out)) {
    (void)n, (void)options, (void)values;
    *out = calloc(1, sizeof(fake_link));
    return OK;
}

API(cuLinkAddData_v2, (void *link, int kind, void *data, size_t size, const char *name, unsigned n,
                       int *options, void **values)) {
    (void)name, (void)n, (void)options, (void)values;
    fake_link *l = link;
    FILE *log = getenv("FAKE_COMPILED") ? fopen(getenv("FAKE_COMPILED"), "a") : NULL;
    if (log) fprintf(log, "compiled\n"), fclose(log);
    if (kind != 1 || l->code || !size) return INVALID;
    nvrtcGetCUBINSize(data, &l->size);
    l->code = malloc(l->size);
    return nvrtcGetCUBIN(data, l->code);
}

API(cuLinkComplete, (void *link, void **code, size_t *size)) {
    *code = ((fake_link *)link)->code, *size = ((fake_link *)link)->size;
    return *code ? OK : INVALID;
}

API(cuLinkDestroy, (void *link)) {
    free(((fake_link *)link)->code);
    free(link);
    return OK;
}

typedef struct {
    void *function;
    unsigned grid[3], block[3], shared;
    void **params, **extra, *kernel, *context;
} kernel_node;

typedef struct {
    uint64_t to;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} memset_node;

/* Nodes run in the order in which they were added: only those may be named that were. */
static bool are_there(const struct fake_graph *g, void *const *behind, size_t count) {
    for (size_t i = 0; i < count; i++)
        if ((recorded_step *)behind[i] < g->steps || (recorded_step *)behind[i] >= g->steps + g->count)
            return false;
    return true;
}

API(cuGraphCreate, (void **out, unsigned flags)) {
    built.count = flags;
    *out = &built;
    return OK;
}

API(cuGraphDestroy, (void *g)) {
    return g ? OK : INVALID;
}

API(cuGraphAddKernelNode_v2,
    (void **node, void *g, void *const *behind, size_t count, const kernel_node *n)) {
    if (!g || !are_there(g, behind, count)) return g ? INVALID : OK;
    recorded_step *s = step_of(g);
    fill_step(s, n->function, n->grid, n->block, n->shared, n->params, n->extra);
    *node = s;
    return OK;
}

API(cuGraphKernelNodeSetParams_v2, (void *node, const kernel_node *n)) {
    fill_step(node, n->function, n->grid, n->block, n->shared, n->params, n->extra);
    return OK;
}

API(cuGraphAddMemsetNode,
    (void **node, void *g, void *const *behind, size_t count, const memset_node *n, void *context)) {
    (void)context;
    if (!are_there(g, behind, count) || n->element != 1 || n->height != 1) return INVALID;
    recorded_step *s = step_of(g);
    s->to = n->to, s->size = n->width, s->value = (unsigned char)n->value;
    *node = s;
    return OK;
}

API(cuGraphDestroyNode, (void *node)) {
    return node ? OK : INVALID;
}

API(cuGraphGetNodes, (void *g, void **nodes, size_t *count)) {
    struct fake_graph *of = g;
    for (unsigned i = 0; nodes && i < of->count; i++) nodes[i] = &of->steps[of->count - 1 - i];
    *count = of->count;
    return OK;
}

API(cuGraphNodeGetType, (void *node, int *type)) {
    *type = ((recorded_step *)node)->function ? 0 : 2;
    return OK;
}

API(cuGraphKernelNodeGetParams_v2, (void *node, kernel_node *n)) {
    recorded_step *s = node;
    *n = (kernel_node){.function = s->function, .shared = s->launch.shared_bytes, .extra = s->extra};
    memcpy(n->grid, s->launch.grid, sizeof n->grid), memcpy(n->block, s->launch.block, sizeof n->block);
    void *extra[] = {(void *)1, s->params, (void *)2, &s->launch.params_size, NULL};
    memcpy(s->extra, extra, sizeof extra);
    return OK;
}

API(cuGraphMemsetNodeGetParams, (void *node, memset_node *n)) {
    recorded_step *s = node;
    *n = (memset_node){s->to, 0, s->value, 1, s->size, 1};
    return OK;
}

/* What the CUDA runtime asks for. */
API(cuGetProcAddress_v2, (const char *name, void **out, int version, uint64_t flags, int *status)) {
    static const struct {
        const char *name;
        void *function;
    } table[] = {
        {"cuLaunchKernel", (void *)cuLaunchKernel},     {"cuLaunchKernelEx", (void *)cuLaunchKernelEx},
        {"cuModuleLoadData", (void *)cuModuleLoadData}, {"cuModuleGetFunction", (void *)cuModuleGetFunction},
        {"cuMemAlloc", (void *)cuMemAlloc_v2},          {"cuMemFree", (void *)cuMemFree_v2}};
    (void)version, (void)flags, (void)status;
    *out = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(name, table[i].name) == 0) *out = table[i].function;
    return *out ? OK : NOT_FOUND;
}
