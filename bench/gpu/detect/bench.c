/* Value-based race detection measured on a GPU: the kernels of kernels.cu natively, checked by Lockstep with
 * and without leaving out what is plainly race-free, and (by run.sh) under compute-sanitizer's racecheck.
 *
 *     bench KERNELS.ptx                 the table
 *     bench KERNELS.ptx native KERNEL   one plain launch, its time in milliseconds (what racecheck runs)
 *     bench KERNELS.ptx emulator        every verdict again in the emulator, at the same sizes: slow */
#include "base/buf.h"
#include "lockstep/detect.h"
#include "programs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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
    uint32_t shown = 0;
    for (const ls_finding *f = r->findings; f && shown < 4; f = f->next, shown++)
        fprintf(out, "        %s: lines %u and %u\n", f->message, f->place.line, ls_finding_other(f)->line);
    for (uint32_t i = 0; i < r->unchecked_count; i++)
        fprintf(out, "        not checked: %s%s%s\n", r->unchecked[i].object ? r->unchecked[i].object : "",
                r->unchecked[i].object ? ": " : "", r->unchecked[i].reason);
    if (r->message) fprintf(out, "        %s\n", r->message);
}

static void show_diags(ls_diags *diags) {
    for (uint32_t i = 0; i < ls_diags_count(diags); i++)
        printf("        %s\n", ls_diags_at(diags, i)->message);
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The best of three checks; *once: of the first one, what is done once for a kernel and its sizes; *first_ms:
 * all of it. */
static ls_detect_result *timed_check(job *j, const ls_buf *ptx, const char *file,
                                     const ls_detect_options *options, ls_detect_result *once,
                                     double *first_ms) {
    ls_detect_result *best = NULL;
    for (int i = 0; i < 3; i++) {
        ls_diags *diags = ls_diags_new();
        start(j);
        double begun = now_ms();
        ls_detect_result *r =
            ls_detect_check(j->device, ptx->text, ptx->length, file, &j->launch, options, diags);
        if (!i) *once = *r, *first_ms = now_ms() - begun;
        if (r->status == LS_DETECT_FAILED) show_diags(diags);
        ls_diags_free(diags);
        bool better = !best || (r->status != LS_DETECT_FAILED && r->run_ms < best->run_ms);
        ls_detect_result *worse = better ? best : r;
        if (better) best = r;
        if (worse && worse->memory_used > best->memory_used) best->memory_used = worse->memory_used;
        ls_detect_result_free(worse);
        if (best->status == LS_DETECT_FAILED) break;
    }
    return best;
}

/* The mean time of launches that are queued with their check, as from a program's second launch on, each
 * waited for, and the shortest (on a GPU that others use, too); 0: nothing is to be checked, negative: it is
 * not queued. */
static double steady(job *j, const ls_buf *ptx, const char *file, const ls_detect_options *options,
                     uint64_t identity, double *least) {
    enum { TIMES = 20 };
    uint32_t word;
    ls_diags *diags = ls_diags_new();
    ls_detect_launch l = j->launch;
    l.keep = l.leave_plain = l.alone = true, l.identity = identity;
    start(j);
    l.number = 1;
    ls_detect_result_free(ls_detect_check(j->device, ptx->text, ptx->length, file, &l, options, diags));
    double total = 0;
    *least = 1e9;
    for (int i = 0; i < TIMES + 2; i++) { /* the first two take memory */
        l.number++;
        double begun = now_ms();
        ls_detect_next next = ls_detect_queue(j->device, ptx->text, ptx->length, file, &l, options, diags);
        ls_detect_read(j->device, &word, j->buffers[0].address, sizeof word);
        double time = now_ms() - begun;
        if (i >= 2) total += time;
        if (i >= 2 && time < *least) *least = time;
        if (next != LS_DETECT_QUEUED) total = next == LS_DETECT_PLAIN ? 0 : -1, *least = 0;
        if (next != LS_DETECT_QUEUED) break;
    }
    if (ls_detect_has_found(j->device)) printf("        FALSE ALARM in a queued launch\n");
    show_diags(diags);
    ls_diags_free(diags);
    return total < 0 ? total : total / TIMES;
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
    ls_detect_result first, unused;
    double first_ms, unused_ms;
    ls_detect_result *r = timed_check(&j, ptx, file, &plain, &first, &first_ms);
    bool same = memory_hash(&j) == expected;
    ls_detect_result *a = timed_check(&j, ptx, file, &all, &unused, &unused_ms);
    bool same_all = memory_hash(&j) == expected;
    double least, least_all, waited = 1e9;
    double queued = steady(&j, ptx, file, &plain, 1, &least),
           queued_all = steady(&j, ptx, file, &all, 2, &least_all);
    for (int i = 0; i < 20; i++) {
        double time = ls_detect_native(device, ptx->text, ptx->length, &j.launch, 1, diags);
        if (time > 0 && time < waited) waited = time;
    }
    close_job(&j);
    snprintf(racy_name, sizeof racy_name, "%s_racy", p->name);
    open_job(&bad, device, p, racy_name, 1);
    ls_detect_result *x = ls_detect_check(device, ptx->text, ptx->length, file, &bad.launch, &plain, diags);
    close_job(&bad);
    double with = r->run_ms / native;
    *slow = with, *slow_all = a->run_ms / native;
    printf("%-12s %9.3f %9.3f %7.1fx %-8s %9.3f %7.1fx %-8s %8.1f %8.1f %6u %5s  %-6s %u\n", p->name, native,
           r->run_ms, with, status_name(r), a->run_ms, *slow_all, status_name(a), (double)a->memory / 1e6,
           (double)(r->memory_used + a->memory_used) / 1e6, a->rounds_run, same && same_all ? "yes" : "NO",
           status_name(x), x->finding_count);
    printf("      intervals looked at: %u of %u, %s; at first rewriting %.1f ms, loading %.1f ms, memory "
           "%.1f ms, in all "
           "%.1f ms\n",
           r->checked_regions, r->regions, r->watched ? "watched in place" : "by values", first.instrument_ms,
           first.load_ms, first.alloc_ms, first_ms);
    printf("      from the second launch on, waited for: %.3f ms (%.1fx); nothing left out %.3f ms (%.1fx)\n",
           queued, queued / native, queued_all, queued_all / native);
    printf("      at least: native %.3f ms, then %.3f ms (%.1fx), nothing left out %.3f ms (%.1fx)\n", waited,
           least, least / waited, least_all, least_all / waited);
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

/* A device for each program, so that no memory is kept from the one before. (From the first check to the
 * second some is, so that what both used is added up.) */
static int run_table(ls_detect_device *device, const ls_buf *ptx, const char *file, const char *only) {
    double sum = 0, sum_all = 0;
    int count = 0, below5 = 0;
    printf("device: %s\n", ls_detect_device_name(device));
    printf("%-12s %9s %9s %8s %-8s %9s %8s %-8s %8s %8s %6s %5s  %s\n", "program", "native ms", "checked", "",
           "", "all ms", "", "", "MB plan", "MB used", "rounds", "same", "with the race");
    for (int i = 0; i < PROGRAMS; i++) {
        double slow, slow_all;
        if (only && strcmp(only, programs[i].name) != 0) continue;
        ls_diags *diags = ls_diags_new();
        ls_detect_device_free(device);
        device = ls_detect_cuda(diags);
        if (!device) show_diags(diags);
        ls_diags_free(diags);
        if (!device || !measure(device, &programs[i], ptx, file, &slow, &slow_all)) return 1;
        sum += slow, sum_all += slow_all, count++, below5 += slow < 5;
    }
    ls_detect_device_free(device);
    if (count)
        printf("mean slowdown %.1fx (nothing left out: %.1fx); under 5x: %d of %d\n", sum / count,
               sum_all / count, below5, count);
    return 0;
}

/* Small sizes, the same kernels: verdicts only. */
static int run_emulator(ls_detect_device *device, const ls_buf *ptx, const char *file, const char *only) {
    for (int i = 0; i < PROGRAMS; i++)
        for (int racy = 0; racy < 2; racy++) {
            char name[64];
            if (only && strcmp(only, programs[i].name) != 0) continue;
            snprintf(name, sizeof name, "%s%s", programs[i].name, racy ? "_racy" : "");
            ls_diags *diags = ls_diags_new();
            job j;
            open_job(&j, device, &programs[i], name, programs[i].small);
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
