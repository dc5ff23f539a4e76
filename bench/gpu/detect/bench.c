/* Value-based race detection measured on a GPU: the kernels of kernels.cu natively, checked by Lockstep with
 * and without leaving out what is plainly race-free, and (by run.sh) under compute-sanitizer's racecheck.
 *
 *     bench KERNELS.ptx                 the table
 *     bench KERNELS.ptx native KERNEL   one plain launch, its time in milliseconds (what racecheck runs)
 *     bench KERNELS.ptx emulator        every verdict again in the emulator, at the same sizes: slow */
#include "base/buf.h"
#include "lockstep/detect.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    ls_detect_device *device;
    ls_detect_launch launch;
    uint8_t params[128];
    ls_detect_buffer buffers[8];
    void *inputs[8];
} job;

static uint32_t random_state = 1;

static uint32_t next_random(void) {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static void push(job *j, const void *value, size_t size) {
    j->launch.params_size = (j->launch.params_size + size - 1) / size * size;
    memcpy(j->params + j->launch.params_size, value, size);
    j->launch.params_size += size;
}

static void push_int(job *j, int value) {
    push(j, &value, sizeof value);
}

/* A buffer of 32-bit words; the caller fills what is returned before start(). */
static uint32_t *push_buffer(job *j, uint64_t words) {
    uint32_t n = j->launch.buffer_count++;
    uint64_t address = ls_detect_alloc(j->device, words * 4);
    if (!address) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    j->inputs[n] = calloc(words, 4);
    j->buffers[n] = (ls_detect_buffer){address, words * 4, NULL};
    push(j, &address, 8);
    return j->inputs[n];
}

static void fill_floats(uint32_t *words, uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        float value = (float)(next_random() % 2000) * 0.01f - 10;
        memcpy(&words[i], &value, 4);
    }
}

static void fill_words(uint32_t *words, uint64_t count, uint32_t below) {
    for (uint64_t i = 0; i < count; i++)
        words[i] = below ? next_random() % below : next_random() << 8 ^ next_random();
}

static void set_launch(job *j, uint32_t grid, uint32_t x, uint32_t y, uint32_t shared) {
    memcpy(j->launch.grid, (uint32_t[]){grid, 1, 1}, sizeof j->launch.grid);
    memcpy(j->launch.block, (uint32_t[]){x, y, 1}, sizeof j->launch.block);
    j->launch.shared_bytes = shared;
}

/* --- The inputs ------------------------------------------------------------------------------------------
 */
static void make_scan(job *j, uint32_t scale) {
    uint64_t n = 16384 / scale;
    set_launch(j, (uint32_t)n, 512, 1, 0);
    push_buffer(j, n * 1024);
    fill_floats(push_buffer(j, n * 1024), n * 1024);
}

static void make_histogram64(job *j, uint32_t scale) {
    uint64_t blocks = 2067 / scale + 1;
    set_launch(j, (uint32_t)blocks, 192, 1, 0);
    push_buffer(j, blocks * 64);
    fill_words(push_buffer(j, blocks * 192 * 48), blocks * 192 * 48, 0);
    push_int(j, 48);
}

static void make_bisection(job *j, uint32_t scale) {
    uint32_t n = 1024;
    set_launch(j, 264 / scale + 1, 256, 1, 0);
    push_buffer(j, (264 / scale + 1) * 256);
    fill_floats(push_buffer(j, n), n);
    fill_floats(push_buffer(j, n), n);
    push_int(j, (int)n);
}

static void make_nbody(job *j, uint32_t scale) {
    uint32_t n = 32768 / scale;
    set_launch(j, n / 256, 256, 1, 0);
    push_buffer(j, n * 4);
    fill_floats(push_buffer(j, n * 4), n * 4);
    push_int(j, (int)n);
}

static void make_radix(job *j, uint32_t scale) {
    uint32_t blocks = 2048 / scale;
    set_launch(j, blocks, 256, 1, 0);
    push_buffer(j, blocks * 256);
    fill_words(push_buffer(j, blocks * 256), blocks * 256, 0);
}

static void make_bfs(job *j, uint32_t scale) {
    uint32_t nodes = (1u << 22) / scale, degree = 8;
    set_launch(j, nodes / 256, 256, 1, 0);
    uint32_t *first = push_buffer(j, nodes + 1);
    for (uint32_t i = 0; i <= nodes; i++) first[i] = i * degree;
    fill_words(push_buffer(j, (uint64_t)nodes * degree), (uint64_t)nodes * degree, nodes);
    uint32_t *cost = push_buffer(j, nodes);
    for (uint32_t i = 0; i < nodes; i++) cost[i] = next_random() % 16 ? UINT32_MAX : 3;
    push_buffer(j, nodes);
    push_int(j, (int)nodes);
    push_int(j, 3);
}

static void make_backprop(job *j, uint32_t scale) {
    uint32_t blocks = 32768 / scale;
    uint64_t weights = 17ull * (16ull * blocks + 2);
    set_launch(j, blocks, 16, 16, 0);
    fill_floats(push_buffer(j, weights), weights);
    push_buffer(j, blocks * 16);
    fill_floats(push_buffer(j, blocks * 16 + 1), blocks * 16 + 1);
    push_int(j, 16);
}

static void make_btree(job *j, uint32_t scale) {
    uint32_t queries = 65536 / scale, height = 3, nodes = 1 + 128 + 128 * 128;
    set_launch(j, queries, 128, 1, 0);
    uint32_t *keys = push_buffer(j, (uint64_t)nodes * 128);
    uint32_t *children = push_buffer(j, (uint64_t)nodes * 128);
    for (uint32_t node = 0, level = 0, first = 0, width = 1; node < nodes; node++) {
        if (node == first + width) first = node, width *= 128, level++;
        uint32_t step = level == 0 ? 1 << 14 : level == 1 ? 1 << 7 : 1;
        for (uint32_t k = 0; k < 128; k++) {
            keys[node * 128 + k] = ((node - first) * 128 + k) * step;
            children[node * 128 + k] =
                level == 2 ? (node - first) * 128 + k : first + width + (node - first) * 128 + k;
        }
    }
    fill_words(push_buffer(j, queries), queries, 1 << 21);
    push_buffer(j, queries);
    push_int(j, (int)height);
}

static void make_kmeans(job *j, uint32_t scale) {
    uint32_t n = (1u << 20) / scale, k = 32;
    set_launch(j, n / 128, 128, 1, 0);
    push_buffer(j, n);
    push_buffer(j, n / 128);
    fill_floats(push_buffer(j, (uint64_t)n * 8), (uint64_t)n * 8);
    fill_floats(push_buffer(j, k * 8), k * 8);
    push_int(j, (int)n);
    push_int(j, (int)k);
}

static void make_cocluster(job *j, uint32_t scale) {
    uint32_t blocks = 1024 / scale, columns = 1024;
    set_launch(j, blocks, 256, 1, 0);
    push_buffer(j, blocks * 256);
    fill_floats(push_buffer(j, (uint64_t)blocks * 8 * columns), (uint64_t)blocks * 8 * columns);
    fill_words(push_buffer(j, columns), columns, 32);
    push_int(j, (int)columns);
}

static void make_em(job *j, uint32_t scale) {
    uint32_t n = (1u << 18) / scale, clusters = 8;
    set_launch(j, 256, 128, 1, 15 * 128 * 4);
    push_buffer(j, 256 * 9);
    fill_floats(push_buffer(j, (uint64_t)n * 3), (uint64_t)n * 3);
    fill_floats(push_buffer(j, (uint64_t)n * clusters), (uint64_t)n * clusters);
    push_int(j, (int)n);
    push_int(j, (int)clusters);
}

static const struct program {
    const char *name;
    void (*make)(job *, uint32_t);
} programs[] = {
    {"scan", make_scan},
    {"histogram64", make_histogram64},
    {"bisection", make_bisection},
    {"nbody", make_nbody},
    {"radix", make_radix},
    {"bfs", make_bfs},
    {"backprop", make_backprop},
    {"btree", make_btree},
    {"kmeans", make_kmeans},
    {"cocluster", make_cocluster},
    {"em", make_em},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

/* --- Running ---------------------------------------------------------------------------------------------
 */
static void start(job *j) {
    for (uint32_t i = 0; i < j->launch.buffer_count; i++)
        ls_detect_write(j->device, j->buffers[i].address, j->inputs[i], j->buffers[i].size);
    j->launch.params = j->params;
    j->launch.buffers = j->buffers;
}

static void open_job(job *j, ls_detect_device *device, const struct program *p, const char *name,
                     uint32_t scale) {
    *j = (job){.device = device};
    j->launch.kernel = name;
    random_state = 12345;
    p->make(j, scale);
    start(j);
}

static void close_job(job *j) {
    for (uint32_t i = 0; i < j->launch.buffer_count; i++) {
        ls_detect_free(j->device, j->buffers[i].address);
        free(j->inputs[i]);
    }
}

static uint64_t memory_hash(const job *j) {
    uint64_t hash = 14695981039346656037ull;
    for (uint32_t i = 0; i < j->launch.buffer_count; i++) {
        uint8_t *bytes = malloc(j->buffers[i].size);
        ls_detect_read(j->device, bytes, j->buffers[i].address, j->buffers[i].size);
        for (uint64_t k = 0; k < j->buffers[i].size; k++) hash = (hash ^ bytes[k]) * 1099511628211ull;
        free(bytes);
    }
    return hash;
}

static const char *status_name(const ls_detect_result *r) {
    static const char *const names[] = {"clean", "racy", "unknown", "unsupported", "FAILED"};
    return names[r->status];
}

static void print_races(const ls_detect_result *r, FILE *out) {
    static const char *const kinds[] = {"write-write", "read-write", "intra-warp"};
    for (uint32_t i = 0; i < r->race_count && i < 4; i++) {
        const ls_detect_race *x = &r->races[i];
        fprintf(out, "        %s race on %s: lines %u and %u, warps %u:%u and %u:%u, %" PRIu64 " bytes\n",
                kinds[x->kind], x->variable, x->place.line, x->other.line, x->block, x->warp, x->other_block,
                x->other_warp, x->addresses);
    }
    for (uint32_t i = 0; i < r->unchecked_count; i++)
        fprintf(out, "        not checked: %s%s%s\n", r->unchecked[i].object ? r->unchecked[i].object : "",
                r->unchecked[i].object ? ": " : "", r->unchecked[i].reason);
    if (r->message) fprintf(out, "        %s\n", r->message);
}

static void show_diags(ls_diags *diags) {
    for (uint32_t i = 0; i < ls_diags_count(diags); i++)
        printf("        %s\n", ls_diags_at(diags, i)->message);
}

/* The best of three checks. */
static ls_detect_result *timed_check(job *j, const ls_buf *ptx, const char *file,
                                     const ls_detect_options *options) {
    ls_detect_result *best = NULL;
    for (int i = 0; i < 3; i++) {
        ls_diags *diags = ls_diags_new();
        start(j);
        ls_detect_result *r =
            ls_detect_check(j->device, ptx->text, ptx->length, file, &j->launch, options, diags);
        if (r->status == LS_DETECT_FAILED) show_diags(diags);
        ls_diags_free(diags);
        bool better = !best || (r->status != LS_DETECT_FAILED && r->run_ms < best->run_ms);
        if (better) {
            ls_detect_result_free(best);
            best = r;
        } else {
            ls_detect_result_free(r);
        }
        if (best->status == LS_DETECT_FAILED) break;
    }
    return best;
}

static bool measure(ls_detect_device *device, const struct program *p, const ls_buf *ptx, const char *file,
                    double *slow, double *slow_all) {
    char racy_name[64];
    ls_diags *diags = ls_diags_new();
    job j, bad;
    open_job(&j, device, p, p->name, 1);
    ls_detect_native(device, ptx->text, ptx->length, &j.launch, 1, diags);
    uint64_t expected = memory_hash(&j);
    double native = 1e9;
    for (int i = 0; i < 3; i++) {
        double time = ls_detect_native(device, ptx->text, ptx->length, &j.launch, 20, diags);
        if (time < native) native = time;
    }
    ls_detect_options plain = {.timeout = 60}, all = {.timeout = 60, .all = true};
    ls_detect_result *r = timed_check(&j, ptx, file, &plain);
    bool same = memory_hash(&j) == expected;
    ls_detect_result *a = timed_check(&j, ptx, file, &all);
    bool same_all = memory_hash(&j) == expected;
    close_job(&j);
    snprintf(racy_name, sizeof racy_name, "%s_racy", p->name);
    open_job(&bad, device, p, racy_name, 1);
    ls_detect_result *x = ls_detect_check(device, ptx->text, ptx->length, file, &bad.launch, &plain, diags);
    close_job(&bad);
    double with = r->run_ms > 0 ? r->run_ms / native : 1; /* nothing to check: it ran as it is */
    *slow = with, *slow_all = a->run_ms / native;
    printf("%-12s %9.3f %9.3f %7.1fx %-8s %9.3f %7.1fx %-8s %8.1f %6u %5s  %-6s %u\n", p->name, native,
           r->run_ms, with, status_name(r), a->run_ms, *slow_all, status_name(a), (double)a->memory / 1e6,
           a->rounds_run, same && same_all ? "yes" : "NO", status_name(x), x->race_count);
    if (r->status != LS_DETECT_CLEAN) print_races(r, stdout);
    if (a->status != LS_DETECT_CLEAN) print_races(a, stdout);
    printf("      with the race:\n");
    print_races(x, stdout);
    show_diags(diags);
    fflush(stdout);
    bool done =
        r->status != LS_DETECT_FAILED && a->status != LS_DETECT_FAILED && x->status != LS_DETECT_FAILED;
    ls_detect_result_free(r), ls_detect_result_free(a), ls_detect_result_free(x);
    ls_diags_free(diags);
    return done;
}

static int run_table(ls_detect_device *device, const ls_buf *ptx, const char *file, const char *only) {
    double sum = 0, sum_all = 0;
    int count = 0, below5 = 0;
    printf("device: %s\n", ls_detect_device_name(device));
    printf("%-12s %9s %9s %8s %-8s %9s %8s %-8s %8s %6s %5s  %s\n", "program", "native ms", "checked", "", "",
           "all ms", "", "", "MB", "rounds", "same", "with the race");
    for (int i = 0; i < PROGRAMS; i++) {
        double slow, slow_all;
        if (only && strcmp(only, programs[i].name) != 0) continue;
        if (!measure(device, &programs[i], ptx, file, &slow, &slow_all)) return 1;
        sum += slow, sum_all += slow_all, count++, below5 += slow < 5;
    }
    if (count)
        printf("mean slowdown %.1fx (nothing left out: %.1fx); under 5x: %d of %d\n", sum / count,
               sum_all / count, below5, count);
    return 0;
}

/* Small sizes, the same kernels: verdicts only. */
static int run_emulator(ls_detect_device *device, const ls_buf *ptx, const char *file, const char *only) {
    static const uint32_t scales[] = {8192, 2000, 264, 64, 1024, 1 << 14, 8192, 32768, 1 << 13, 512, 1 << 10};
    for (int i = 0; i < PROGRAMS; i++)
        for (int racy = 0; racy < 2; racy++) {
            char name[64];
            if (only && strcmp(only, programs[i].name) != 0) continue;
            snprintf(name, sizeof name, "%s%s", programs[i].name, racy ? "_racy" : "");
            ls_diags *diags = ls_diags_new();
            job j;
            open_job(&j, device, &programs[i], name, scales[i]);
            ls_detect_native(device, ptx->text, ptx->length, &j.launch, 1, diags);
            uint64_t expected = memory_hash(&j);
            start(&j);
            ls_detect_result *r =
                ls_detect_check(device, ptx->text, ptx->length, file, &j.launch, NULL, diags);
            printf("%-18s %-8s memory %s\n", name, status_name(r),
                   memory_hash(&j) == expected ? "same" : "differs");
            print_races(r, stdout);
            show_diags(diags);
            fflush(stdout);
            close_job(&j);
            ls_detect_result_free(r);
            ls_diags_free(diags);
        }
    return 0;
}

static int run_native(ls_detect_device *device, const ls_buf *ptx, const char *kernel) {
    for (int i = 0; i < PROGRAMS; i++) {
        if (strcmp(programs[i].name, kernel) != 0) continue;
        ls_diags *diags = ls_diags_new();
        job j;
        open_job(&j, device, &programs[i], kernel, 1);
        printf("native %s %.3f ms\n", kernel,
               ls_detect_native(device, ptx->text, ptx->length, &j.launch, 1, diags));
        show_diags(diags);
        return 0;
    }
    return 2;
}

int main(int argc, char **argv) {
    ls_buf ptx = {0};
    if (argc < 2 || !ls_read_file(argv[1], &ptx)) {
        fprintf(stderr, "usage: bench KERNELS.ptx [native KERNEL | emulator [KERNEL] | KERNEL]\n");
        return 2;
    }
    ls_diags *diags = ls_diags_new();
    bool emulator = argc > 2 && strcmp(argv[2], "emulator") == 0;
#ifdef LS_HAVE_EMULATOR
    ls_detect_device *device = emulator ? ls_detect_emulator(diags) : ls_detect_cuda(diags);
#else
    ls_detect_device *device = ls_detect_cuda(diags);
#endif
    if (!device) {
        show_diags(diags);
        return 1;
    }
    if (emulator) return run_emulator(device, &ptx, "kernels.cu", argc > 3 ? argv[3] : NULL);
    if (argc > 3 && strcmp(argv[2], "native") == 0) return run_native(device, &ptx, argv[3]);
    return run_table(device, &ptx, "kernels.cu", argc > 2 ? argv[2] : NULL);
}
