/* The emulated device: memory and its findings, launches, streams that race, events that order them, graphs.
 * What it tells is read from the other end of its socket. */
#include "device/device.h"
#include "lockstep/detect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* p[i] = p[i] + n, for the threads of one block; to[i] = from[i], for all of the grid. */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".global .u32 counter = 5;\n"
                          ".visible .entry add(.param .u64 p, .param .u32 n)\n{\n"
                          "  .reg .u64 %d<4>; .reg .u32 %r<4>;\n"
                          "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n];\n"
                          "  mov.u32 %r2, %tid.x; mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
                          "  ld.global.u32 %r3, [%d3]; add.u32 %r3, %r3, %r1; st.global.u32 [%d3], %r3;\n"
                          "  ret;\n}\n"
                          ".visible .entry move(.param .u64 to, .param .u64 from)\n{\n"
                          "  .reg .u64 %d<6>; .reg .u32 %r<5>;\n"
                          "  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from];\n"
                          "  mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x;\n"
                          "  mad.lo.u32 %r1, %r2, %r3, %r1; mul.wide.u32 %d3, %r1, 4;\n"
                          "  add.u64 %d4, %d1, %d3; add.u64 %d5, %d2, %d3;\n"
                          "  ld.global.u32 %r4, [%d5]; st.global.u32 [%d4], %r4;\n"
                          "  ret;\n}\n";

typedef struct {
    ls_dev *dev;
    ls_dev_module *module;
    ls_dev_kernel *add;
    int ends[2];
    char told[1 << 16]; /* everything so far */
} fixture;

static int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, f->ends), 0);
    f->dev = ls_dev_new(&(ls_dev_options){.checks = LS_CHECK_ALL,
                                          .threads = 1,
                                          .devices = 2,
                                          .prover = ls_detect_prover(),
                                          .report = f->ends[1]});
    assert_int_equal(ls_dev_load(f->dev, 0, ptx, sizeof ptx, &f->module), LS_DEV_OK);
    f->add = ls_dev_kernel_find(f->dev, f->module, "add");
    assert_int_equal(ls_dev_kernel_info(f->add)->ptx_version, 70); /* by which libraries choose their code */
    assert_non_null(f->add);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture *f = *state;
    ls_dev_finish(f->dev, false);
    ls_dev_close(f->dev);
    close(f->ends[0]);
    close(f->ends[1]);
    free(f);
    return 0;
}

static const char *told(fixture *f) {
    size_t length = strlen(f->told);
    for (ssize_t n; (n = recv(f->ends[0], f->told + length, sizeof f->told - length - 1, MSG_DONTWAIT)) > 0;)
        f->told[length += (size_t)n] = 0;
    return f->told;
}

static ls_dev_status launch(fixture *f, ls_stream *s, uint64_t p, uint32_t n, uint32_t threads) {
    struct {
        uint64_t p;
        uint32_t n, pad;
    } params = {p, n, 0};
    ls_op op = {.kind = LS_OP_KERNEL,
                .what = "launch",
                .launch = {.kernel = f->add,
                           .grid = {1, 1, 1},
                           .block = {threads, 1, 1},
                           .params = &params,
                           .params_size = 12}};
    return ls_dev_submit(s, &op);
}

static ls_dev_status copy(ls_stream *s, uint64_t to, uint64_t from, uint64_t bytes, bool waits) {
    ls_op op = {.kind = LS_OP_COPY,
                .what = "copy",
                .copy = {.to = {.address = to}, .from = {.address = from}, .width = bytes, .waits = waits}};
    return ls_dev_submit(s, &op);
}

static uint64_t host(const void *p) {
    return (uint64_t)(uintptr_t)p;
}

static void kernels_run_on_device_memory(void **state) {
    fixture *f = *state;
    ls_stream *s = ls_dev_default_stream(f->dev, 0);
    uint32_t in[32], out[32] = {0};
    for (uint32_t k = 0; k < 32; k++) in[k] = k;
    uint64_t p = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, sizeof in, "alloc");
    assert_int_not_equal(p, 0);
    assert_int_equal(copy(s, p, host(in), sizeof in, true), LS_DEV_OK);
    assert_int_equal(launch(f, s, p, 100, 32), LS_DEV_OK);
    assert_int_equal(copy(s, host(out), p, sizeof in, true), LS_DEV_OK);
    for (uint32_t k = 0; k < 32; k++) assert_int_equal(out[k], k + 100);
    assert_null(strstr(told(f), "F\t"));
    uint64_t at, size;
    assert_int_equal(ls_dev_variable(f->dev, f->module, "counter", &at, &size), LS_DEV_OK);
    assert_int_equal(copy(s, host(out), at, 4, true), LS_DEV_OK);
    assert_int_equal(out[0], 5);
    assert_int_equal(ls_dev_free(f->dev, p, "free"), LS_DEV_OK);
}

static void wrong_uses_of_memory_are_told(void **state) {
    fixture *f = *state;
    ls_stream *s = ls_dev_default_stream(f->dev, 0);
    uint32_t bytes[64] = {0};
    uint64_t p = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, 100, "alloc");
    launch(f, s, p, 1, 8);
    assert_non_null(strstr(told(f), "memory.uninitialized"));
    assert_int_equal(copy(s, p, host(bytes), 100, true), LS_DEV_OK);
    assert_int_equal(copy(s, p, host(bytes), 104, true), LS_DEV_INVALID);
    assert_non_null(strstr(told(f), "goes beyond its allocation"));
    launch(f, s, p, 1, 32); /* 128 bytes */
    assert_non_null(strstr(told(f), "memory.bounds"));
    assert_int_equal(ls_dev_free(f->dev, p + 4, "free"), LS_DEV_INVALID);
    assert_non_null(strstr(told(f), "inside an allocation"));
    assert_int_equal(ls_dev_free(f->dev, p, "free"), LS_DEV_OK);
    assert_int_equal(ls_dev_free(f->dev, p, "free"), LS_DEV_INVALID);
    assert_non_null(strstr(told(f), "freed before"));
    launch(f, s, p, 1, 8);
    assert_non_null(strstr(told(f), "memory that was freed"));
    assert_int_equal(copy(s, p, host(bytes), 4, true), LS_DEV_INVALID);
    assert_non_null(strstr(told(f), "was freed"));
}

static void null_pointers_are_errors_that_stay(void **state) {
    fixture *f = *state;
    ls_stream *s = ls_dev_default_stream(f->dev, 0);
    assert_int_equal(launch(f, s, 0, 1, 1), LS_DEV_OK); /* as on a GPU, it comes later */
    assert_int_equal(ls_dev_wait(f->dev, 0), LS_DEV_BAD_ADDRESS);
    assert_int_equal(launch(f, s, 0, 1, 1), LS_DEV_BAD_ADDRESS);
}

static void streams_race_unless_events_order_them(void **state) {
    fixture *f = *state;
    ls_stream *a = ls_stream_new(f->dev, 0, 0, 0), *b = ls_stream_new(f->dev, 0, 0, 0);
    ls_event *e = ls_event_new(f->dev, 0);
    uint64_t p = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, 256, "alloc");
    ls_op fill = {.kind = LS_OP_FILL, .what = "fill", .fill = {p, 0, 256, 1, 0, 1, false}};
    ls_op record = {.kind = LS_OP_RECORD, .event = e}, wait = {.kind = LS_OP_WAIT, .event = e};
    ls_dev_submit(a, &fill);
    ls_dev_submit(a, &record);
    ls_dev_submit(b, &wait);
    launch(f, b, p, 1, 32);
    assert_null(strstr(told(f), "race.stream"));
    launch(f, a, p + 128, 1, 32); /* other bytes */
    assert_null(strstr(told(f), "race.stream"));
    launch(f, a, p, 1, 32);
    assert_non_null(strstr(told(f), "race.stream"));
}

/* Each reads p[i] and writes q[i]; "late" waits for the launch in front of it before, "early" behind that. */
#define DEPENDENT(name, first, then)                                                                         \
    ".visible .entry " name "(.param .u64 p, .param .u64 q)\n{\n"                                            \
    "  .reg .u64 %d<5>; .reg .u32 %r<4>;\n"                                                                  \
    "  ld.param.u64 %d1, [p]; ld.param.u64 %d2, [q];\n"                                                      \
    "  mov.u32 %r2, %tid.x; mul.wide.u32 %d3, %r2, 4; add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;\n" first \
    "  ld.global.u32 %r3, [%d1]; st.global.u32 [%d2], %r3;\n" then "  ret;\n}\n"
static const char dependents[] = ".version 7.8\n.target sm_90\n.address_size 64\n" DEPENDENT(
    "late", "  griddepcontrol.launch_dependents; griddepcontrol.wait;\n",
    "") DEPENDENT("early", "", "  griddepcontrol.wait;\n")
    DEPENDENT("met", "  .reg .pred %c; setp.eq.u32 %c, %r2, 0; @%c griddepcontrol.wait; bar.sync 0;\n", "");

static void launch_dependent(fixture *f, ls_dev_module *m, const char *name, const uint64_t *params) {
    ls_op op = {.kind = LS_OP_KERNEL,
                .what = "launch",
                .launch = {.kernel = ls_dev_kernel_find(f->dev, m, name),
                           .grid = {1, 1, 1},
                           .block = {64, 1, 1},
                           .dependent = true,
                           .params = (void *)(uintptr_t)params,
                           .params_size = 16}};
    assert_int_equal(ls_dev_submit(ls_dev_default_stream(f->dev, 0), &op), LS_DEV_OK);
}

static void dependent_launches_race_before_they_wait(void **state) {
    fixture *f = *state;
    ls_stream *s = ls_dev_default_stream(f->dev, 0);
    ls_dev_module *m;
    assert_int_equal(ls_dev_load(f->dev, 0, dependents, sizeof dependents, &m), LS_DEV_OK);
    const uint64_t p = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, 1024, "alloc");
    const uint64_t to_second[] = {p, p + 256}, to_third[] = {p + 256, p + 512}, apart[] = {p, p + 768};
    ls_op fill = {.kind = LS_OP_FILL, .what = "fill", .fill = {p, 0, 1024, 1, 0, 1, false}};
    ls_dev_submit(s, &fill);
    launch_dependent(f, m, "early", to_second); /* a fill is in front of it, which is waited for */
    launch_dependent(f, m, "late", to_third);
    launch_dependent(f, m, "early", apart); /* other bytes */
    launch_dependent(f, m, "late", to_second);
    launch_dependent(f, m, "met", to_third);
    ls_stream_wait(s);
    launch_dependent(f, m, "early", to_third); /* the host has waited */
    assert_null(strstr(told(f), "race.stream"));
    launch_dependent(f, m, "late", to_second);
    launch_dependent(f, m, "early", to_third);
    assert_non_null(strstr(told(f), "race.stream"));
    assert_non_null(strstr(told(f), "before it waits for the previous launch"));
    ls_dev_unload(f->dev, m);
}

static void waiting_orders_streams(void **state) {
    fixture *f = *state;
    ls_stream *a = ls_stream_new(f->dev, 0, LS_STREAM_NON_BLOCKING, 0), *b = ls_stream_new(f->dev, 0, 0, 0);
    ls_stream *legacy = ls_dev_default_stream(f->dev, 0);
    uint64_t p = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, 256, "alloc");
    ls_op fill = {.kind = LS_OP_FILL, .what = "fill", .fill = {p, 0, 256, 1, 0, 1, false}};
    ls_dev_submit(a, &fill);
    ls_stream_wait(a);
    launch(f, b, p, 1, 32);
    launch(f, legacy, p, 1, 32); /* waits for b, which blocks */
    launch(f, b, p, 1, 32);
    assert_null(strstr(told(f), "race.stream"));
    launch(f, a, p, 1, 32); /* does not */
    assert_non_null(strstr(told(f), "race.stream"));
}

static void captured_graphs_run_again(void **state) {
    fixture *f = *state;
    ls_stream *a = ls_stream_new(f->dev, 0, 0, 0), *b = ls_stream_new(f->dev, 0, 0, 0);
    ls_event *fork = ls_event_new(f->dev, 0), *join = ls_event_new(f->dev, 0);
    uint32_t out[64];
    uint64_t p = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, 256, "alloc");
    ls_op fill = {.kind = LS_OP_FILL, .what = "fill", .fill = {p, 0, 64, 1, 0, 4, false}};
    ls_op operations[] = {{.kind = LS_OP_RECORD, .event = fork},
                          {.kind = LS_OP_WAIT, .event = fork},
                          {.kind = LS_OP_RECORD, .event = join},
                          {.kind = LS_OP_WAIT, .event = join}};
    ls_graph *graph;
    assert_int_equal(ls_capture_begin(a, NULL, LS_CAPTURE_GLOBAL), LS_DEV_OK);
    ls_dev_submit(a, &fill);
    ls_dev_submit(a, &operations[0]);
    ls_dev_submit(b, &operations[1]);
    launch(f, b, p + 128, 7, 32);
    launch(f, a, p, 3, 32);
    ls_dev_submit(b, &operations[2]);
    ls_dev_submit(a, &operations[3]);
    assert_int_equal(ls_capture_end(a, &graph), LS_DEV_OK);
    assert_int_equal(ls_graph_nodes(graph, NULL, 0), 3);
    assert_int_equal(ls_graph_edges(graph, NULL, NULL, 0), 2);
    for (int k = 0; k < 2; k++) assert_int_equal(ls_graph_launch(graph, a), LS_DEV_OK);
    ls_stream_wait(a);
    copy(a, host(out), p, 256, true);
    assert_int_equal(out[5], 3);
    assert_int_equal(out[40], 7);
    assert_null(strstr(told(f), "race.stream"));
    ls_graph_free(graph);
}

static void branches_of_a_graph_race(void **state) {
    fixture *f = *state;
    ls_stream *s = ls_stream_new(f->dev, 0, 0, 0);
    uint64_t p = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, 256, "alloc");
    ls_op one = {.kind = LS_OP_FILL, .what = "one", .fill = {p, 0, 64, 1, 0, 4, false}},
          other = {.kind = LS_OP_FILL, .what = "other", .fill = {p, 0, 64, 1, 0, 4, false}};
    ls_graph *g = ls_graph_new(f->dev);
    ls_graph_node *first = ls_graph_add(g, &one, NULL, 0), *second = ls_graph_add(g, &other, &first, 1);
    ls_graph_launch(g, s);
    assert_null(strstr(told(f), "race.stream"));
    ls_stream_wait(s);
    ls_graph_depend(first, second, false);
    ls_graph_launch(g, s);
    assert_non_null(strstr(told(f), "race.stream"));
    ls_graph_depend(first, second, true);
    ls_graph_depend(second, first, true);
    assert_true(ls_graph_cyclic(g));
    assert_int_equal(ls_graph_launch(g, s), LS_DEV_INVALID);
    ls_graph_free(g);
}

/* What proofs spare is not looked at for races, but what was written stays known. */
static void proofs_leave_contents_known(void **state) {
    enum { BLOCKS = 64, THREADS = 256, BYTES = 4 * BLOCKS * THREADS };
    fixture *f = *state;
    ls_stream *s = ls_dev_default_stream(f->dev, 0);
    char *bytes = calloc(1, BYTES);
    const uint64_t full = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, BYTES, "alloc"),
                   half = ls_dev_alloc(f->dev, LS_MEMORY_DEVICE, 0, 2 * BYTES, "alloc");
    uint64_t params[2] = {half, full};
    ls_op op = {.kind = LS_OP_KERNEL,
                .what = "launch",
                .launch = {.kernel = ls_dev_kernel_find(f->dev, f->module, "move"),
                           .grid = {BLOCKS, 1, 1},
                           .block = {THREADS, 1, 1},
                           .params = params,
                           .params_size = sizeof params}};
    assert_int_equal(copy(s, full, host(bytes), BYTES, true), LS_DEV_OK);
    assert_int_equal(ls_dev_submit(s, &op), LS_DEV_OK); /* the first half of it has contents now */
    params[0] = full, params[1] = half;
    assert_int_equal(ls_dev_submit(s, &op), LS_DEV_OK);
    assert_null(strstr(told(f), "F\t"));
    params[1] = half + BYTES;
    assert_int_equal(ls_dev_submit(s, &op), LS_DEV_OK);
    assert_non_null(strstr(told(f), "memory.uninitialized"));
    params[0] = full, params[1] = full + 4; /* each thread reads what the next one writes */
    ls_dev_submit(s, &op);
    assert_non_null(strstr(told(f), "race."));
    free(bytes);
}

static void bad_images_are_refused(void **state) {
    fixture *f = *state;
    ls_dev_module *m;
    static const char elf[64] = "\177ELF", noise[64] = "\1\2\3\4";
    assert_int_equal(ls_dev_load(f->dev, 0, elf, sizeof elf, &m), LS_DEV_NO_PTX);
    assert_int_equal(ls_dev_load(f->dev, 0, noise, sizeof noise, &m), LS_DEV_BAD_IMAGE);
    static const char wrong[] = ".version 7.0\n.target sm_70\n.address_size 64\n.entry k( { ret; }\n";
    assert_int_equal(ls_dev_load(f->dev, 0, wrong, sizeof wrong, &m), LS_DEV_BAD_PTX);
    assert_non_null(strstr(told(f), "no PTX"));
}

/* With the sanitizers, too, there is no such memory, instead of an end to the program. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}

static void use_memory(void *data, ls_arena *memory) {
    const size_t size = *(const size_t *)data;
    uint64_t *words = ls_arena_zalloc(memory, size);
    assert_int_equal(words[0], 0);
}

/* A library's work that gets no memory is an error of its stream, not work that was left out without a word.
 */
static void work_without_memory_is_an_error(void **state) {
    fixture *f = *state;
    size_t little = 64, much = SIZE_MAX / 4;
    ls_op op = {.kind = LS_OP_WORK, .what = "work", .work = {.call = use_memory, .size = sizeof little}};
    op.work.data = &little;
    assert_int_equal(ls_dev_submit(ls_dev_default_stream(f->dev, 0), &op), LS_DEV_OK);
    op.work.data = &much;
    assert_int_equal(ls_dev_submit(ls_dev_default_stream(f->dev, 0), &op), LS_DEV_NO_MEMORY);
    assert_int_equal(ls_dev_carry_out(use_memory, &much), LS_DEV_NO_MEMORY);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(kernels_run_on_device_memory),
        TEST(wrong_uses_of_memory_are_told),
        TEST(null_pointers_are_errors_that_stay),
        TEST(streams_race_unless_events_order_them),
        TEST(dependent_launches_race_before_they_wait),
        TEST(waiting_orders_streams),
        TEST(captured_graphs_run_again),
        TEST(branches_of_a_graph_race),
        TEST(proofs_leave_contents_known),
        TEST(bad_images_are_refused),
        TEST(work_without_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
