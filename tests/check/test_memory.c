/* Allocations that fail: the k-th one, or all from the k-th on, for many k, in each of the library's entry
 * points. Every call comes back with a status that says so, without a crash, a hang, or the memory that it
 * had taken: at most what single functions held for a moment is lost, and how much that is at worst is
 * limited here.
 *
 * The linker sends what the library's code asks of malloc, calloc, realloc and free here
 * (src/check/layer.cmake). */
#include "base/recover.h"
#include "lockstep/lockstep.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

enum { SLOTS = 1 << 16, TRIES = 400, MOST_LOST = 64 << 10 };

static struct {
    atomic_bool armed, all;            /* all: not only the one */
    atomic_uint_fast64_t asked, fails; /* so far; the number that fails first */
    pthread_mutex_t lock;
    void *live[SLOTS]; /* what was allocated while armed and is still there */
} heap = {.lock = PTHREAD_MUTEX_INITIALIZER};

static bool refuses(void) {
    if (!atomic_load(&heap.armed)) return false;
    uint64_t now = atomic_fetch_add(&heap.asked, 1) + 1;
    return now == heap.fails || (heap.all && now > heap.fails);
}

static void **place_of(const void *memory) {
    uintptr_t at = ((uintptr_t)memory >> 4) * 0x9E3779B1u;
    for (uint32_t k = 0; k < SLOTS; k++)
        if (heap.live[(at + k) % SLOTS] == memory) return &heap.live[(at + k) % SLOTS];
    return NULL;
}

static void *keep(void *memory) {
    if (!memory || !atomic_load(&heap.armed)) return memory;
    uintptr_t at = ((uintptr_t)memory >> 4) * 0x9E3779B1u;
    pthread_mutex_lock(&heap.lock);
    for (uint32_t k = 0; k < SLOTS; k++)
        if (!heap.live[(at + k) % SLOTS]) {
            heap.live[(at + k) % SLOTS] = memory;
            break;
        }
    pthread_mutex_unlock(&heap.lock);
    return memory;
}

static void drop(const void *memory) {
    if (!memory) return;
    pthread_mutex_lock(&heap.lock);
    void **place = place_of(memory);
    if (place) *place = NULL;
    pthread_mutex_unlock(&heap.lock);
}

void *__wrap_malloc(size_t size) {
    return refuses() ? NULL : keep(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size) {
    return refuses() ? NULL : keep(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size) {
    if (refuses()) return NULL;
    drop(memory);
    return keep(__real_realloc(memory, size));
}

void __wrap_free(void *memory) {
    drop(memory);
    __real_free(memory);
}

/* Bytes that are still there; they are given back. */
static size_t take_lost(void) {
    size_t bytes = 0;
    for (uint32_t k = 0; k < SLOTS; k++) {
        if (!heap.live[k]) continue;
        bytes += malloc_usable_size(heap.live[k]);
        __real_free(heap.live[k]);
        heap.live[k] = NULL;
    }
    return bytes;
}

/* --- What is called ----------------------------------------------------------------------------------------
 */

static const char TEXT[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry add(.param .u64 out, .param .u32 n)\n{\n"
    "  .reg .pred %p<2>;\n  .reg .b32 %r<8>;\n  .reg .b64 %rd<6>;\n  .shared .align 4 .b8 tile[1024];\n"
    "  ld.param.u64 %rd1, [out];\n  ld.param.u32 %r1, [n];\n  mov.u32 %r2, %tid.x;\n"
    "  mul.wide.u32 %rd2, %r2, 4;\n  mov.u64 %rd3, tile;\n  add.s64 %rd4, %rd3, %rd2;\n"
    "  st.shared.u32 [%rd4], %r1;\n  bar.sync 0;\n  ld.shared.u32 %r3, [%rd4];\n"
    "  mov.u32 %r4, %ctaid.x;\n  mov.u32 %r5, %ntid.x;\n  mad.lo.s32 %r6, %r4, %r5, %r2;\n"
    "  setp.ge.u32 %p1, %r6, %r1;\n  @%p1 bra END;\n  mul.wide.u32 %rd5, %r6, 4;\n"
    "  add.s64 %rd5, %rd1, %rd5;\n  st.global.u32 [%rd5], %r3;\nEND:\n  ret;\n}\n";

static const char SIMD[] = "threads 4\nmemory 8\n  a = tid * 2\n  \xe2\x86\x91"
                           "a = tid\n  stop\n";

static char path[] = "/tmp/lockstep-memory-XXXXXX";

typedef struct { /* where a call says that memory ran out */
    ls_diags *diags;
    bool told, done;
} outcome;

static bool is_told(const ls_diags *diags) {
    for (uint32_t i = 0; i < ls_diags_count(diags); i++)
        if (!strcmp(ls_diags_at(diags, i)->message, "out of memory")) return true;
    return false;
}

static void check_file(outcome *o) {
    ls_report *report = ls_report_new("check");
    ls_verify_options verify = LS_OPTIONS(ls_verify_options, .block = {64, 1, 1}, .grid = {2, 1, 1});
    ls_check_options how = LS_OPTIONS(ls_check_options, .verify = &verify, .threads = 2);
    how.frontend = &LS_OPTIONS(ls_frontend_options, .language = LS_LANGUAGE_PTX);
    atomic_store(&heap.armed, true);
    ls_status status = ls_check_file(path, &how, report);
    char *text = status == LS_STATUS_CLEAN ? ls_report_print(report, NULL, NULL) : NULL;
    atomic_store(&heap.armed, false);
    o->done = status == LS_STATUS_CLEAN && text;
    o->told = status == LS_STATUS_UNUSABLE || status == LS_STATUS_UNKNOWN || (!status && !text);
    free(text);
    ls_report_free(report);
}

static ls_ptx_module *parse(outcome *o) {
    return ls_ptx_parse(TEXT, strlen(TEXT), "add.ptx", o->diags);
}

static void parse_only(outcome *o) {
    atomic_store(&heap.armed, true);
    ls_ptx_module *module = parse(o);
    atomic_store(&heap.armed, false);
    o->done = module;
    ls_ptx_module_free(module);
}

static void build_and_analyze(outcome *o) {
    ls_ptx_module *module = parse(o);
    atomic_store(&heap.armed, true);
    ls_ir_function *ir = ls_ir_build(module, module->functions[0], NULL, o->diags);
    ls_analysis *analysis = ir ? ls_analyze(ir, NULL) : NULL;
    atomic_store(&heap.armed, false);
    o->done = analysis;
    o->told = ir && !analysis;
    ls_analysis_free(analysis);
    ls_ir_free(ir);
    ls_ptx_module_free(module);
}

/* What is printed: a text, or NULL. */
static void print(outcome *o) {
    ls_ptx_module *module = parse(o);
    ls_ir_function *ir = ls_ir_build(module, module->functions[0], NULL, o->diags);
    char *texts[5] = {0};
    atomic_store(&heap.armed, true);
    texts[0] = ls_ptx_print(module, NULL);
    texts[1] = ls_ptx_dump_ast(module);
    texts[2] = ls_ir_dump(ir, LS_DUMP_GSA);
    texts[3] = ls_ir_dot(ir, LS_DUMP_CFG);
    texts[4] = ls_diags_print(o->diags, false, NULL);
    atomic_store(&heap.armed, false);
    o->done = texts[0] && texts[1] && texts[2] && texts[3] && texts[4];
    o->told = !o->done;
    for (int i = 0; i < 5; i++) free(texts[i]);
    ls_ir_free(ir);
    ls_ptx_module_free(module);
}

static void run(outcome *o) {
    ls_ptx_module *module = parse(o);
    static const char *const given[] = {"out=u32[128]", "n=100"};
    uint32_t grid[3] = {2, 1, 1}, block[3] = {64, 1, 1};
    atomic_store(&heap.armed, true);
    ls_emulator *e = ls_emulator_new(module, o->diags);
    ls_emu_args *args =
        e ? ls_launch_args(e, module->functions[0], grid, block, 0, given, 2, NULL, o->diags) : NULL;
    ls_emu_launch launch = {.kernel = "add", .grid = {2, 1, 1}, .block = {64, 1, 1}};
    if (args) launch.params = args->params, launch.params_size = args->params_size;
    ls_emu_result *r = args ? ls_emulator_run(e, &launch, &LS_OPTIONS(ls_emu_options, .threads = 2)) : NULL;
    atomic_store(&heap.armed, false);
    o->done = r && r->status == LS_EMU_DONE;
    o->told = !r || (r->message && !strcmp(r->message, "out of memory"));
    ls_emu_result_free(r);
    ls_launch_args_free(args);
    if (e) ls_emulator_free(e);
    ls_ptx_module_free(module);
}

/* What is wrong with the IR: nothing, or that memory ran out. A NULL that only means that there was not even
 * room for these words cannot be told from the first. */
static void check_ir(outcome *o) {
    ls_ptx_module *module = parse(o);
    ls_ir_function *ir = ls_ir_build(module, module->functions[0], NULL, o->diags);
    atomic_store(&heap.armed, true);
    char *wrong = ls_ir_check(ir);
    atomic_store(&heap.armed, false);
    o->done = !wrong;
    o->told = wrong && !strcmp(wrong, "out of memory");
    free(wrong);
    ls_ir_free(ir);
    ls_ptx_module_free(module);
}

/* A GPU, or that there is none; the driver's own memory is not counted. */
static void open_gpu(outcome *o) {
    atomic_store(&heap.armed, true);
    ls_detect_device *device = ls_detect_cuda(o->diags);
    atomic_store(&heap.armed, false);
    o->done = device || (ls_diags_count(o->diags) && !is_told(o->diags));
    if (device) ls_detect_device_free(device);
}

/* Two results of a program of the SIMD model that differ. */
static void compare_simd(outcome *o) {
    ls_usimd *p = ls_usimd_parse(SIMD, strlen(SIMD), "sum.simd", o->diags);
    ls_usimd_result *four = ls_usimd_run(p, LS_USIMD_REFERENCE, &(ls_usimd_options){.threads = 4});
    ls_usimd_result *two = ls_usimd_run(p, LS_USIMD_REFERENCE, &(ls_usimd_options){.threads = 2});
    atomic_store(&heap.armed, true);
    char *difference = ls_usimd_difference(p, four, two);
    atomic_store(&heap.armed, false);
    o->done = difference && strcmp(difference, "out of memory") != 0;
    o->told = !o->done;
    free(difference);
    ls_usimd_result_free(four);
    ls_usimd_result_free(two);
    ls_usimd_free(p);
}

static void allocate(outcome *o) {
    ls_ptx_module *module = parse(o);
    atomic_store(&heap.armed, true);
    ls_allocation *a = ls_allocate(module, &LS_OPTIONS(ls_allocate_options, .registers = 6), o->diags);
    atomic_store(&heap.armed, false);
    o->done = a;
    ls_allocation_free(a);
    ls_ptx_module_free(module);
}

/* --- With every allocation that fails ----------------------------------------------------------------------
 */

static uint64_t once(void (*call)(outcome *o), uint64_t fails, bool all, size_t *lost) {
    outcome o = {.diags = ls_diags_new()};
    atomic_store(&heap.asked, 0);
    atomic_store(&heap.fails, fails);
    atomic_store(&heap.all, all);
    call(&o);
    uint64_t asked = atomic_load(&heap.asked);
    bool told = o.told || is_told(o.diags);
    ls_diags_free(o.diags);
    size_t bytes = take_lost();
    if (bytes > *lost) *lost = bytes;
    if (!fails) assert_true(o.done);
    if (!fails) assert_int_equal(bytes, 0);
    if (!o.done) assert_true(told);
    return asked;
}

static void fail_everywhere(void (*call)(outcome *o), const char *name) {
    size_t lost = 0;
    once(call, 0, false, &lost); /* what is made once and kept */
    uint64_t count = once(call, 0, false, &lost), step = count / TRIES + 1;
    for (int all = 0; all < 2; all++)
        for (uint64_t k = 1; k <= count; k += step) once(call, k, all, &lost);
    print_message("%s: %u allocations, at most %zu bytes lost\n", name, (unsigned)count, lost);
    assert_true(count > 0);
    assert_true(lost <= MOST_LOST);
}

#define TEST(name, call)                                                                                     \
    static void name(void **state) {                                                                         \
        (void)state;                                                                                         \
        fail_everywhere(call, #call);                                                                        \
    }

TEST(test_parse, parse_only)
TEST(test_analyze, build_and_analyze)
TEST(test_print, print)
TEST(test_run, run)
TEST(test_allocate, allocate)
TEST(test_ir_check, check_ir)
TEST(test_open_gpu, open_gpu)
TEST(test_compare_simd, compare_simd)
TEST(test_check, check_file)

/* --- The way back ------------------------------------------------------------------------------------------
 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void fail_with_lock(void *context) {
    (void)context;
    ls_lock(&lock);
    ls_escape();
}

static void fail_inside(void *context) {
    *(int *)context = ls_try(fail_with_lock, NULL) ? 1 : 2;
    ls_escape();
}

static void test_way_back(void **state) {
    (void)state;
    int inner = 0;
    assert_false(ls_try(fail_inside, &inner));
    assert_int_equal(inner, 2);
    assert_int_equal(pthread_mutex_trylock(&lock), 0);
    pthread_mutex_unlock(&lock);
    ls_escape_further(); /* nothing to go back to */
}

int main(void) {
    int file = mkstemp(path);
    if (file < 0 || write(file, TEXT, strlen(TEXT)) < 0) return 1;
    close(file);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_way_back),     cmocka_unit_test(test_ir_check), cmocka_unit_test(test_open_gpu),
        cmocka_unit_test(test_compare_simd), cmocka_unit_test(test_parse),    cmocka_unit_test(test_analyze),
        cmocka_unit_test(test_print),        cmocka_unit_test(test_run),      cmocka_unit_test(test_allocate),
        cmocka_unit_test(test_check),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
