/* A fuzz target on very many inputs of random bytes, in worker processes that a supervisor watches: it counts
 * executions, crashes, leaks, hangs and memory over the limit, says which input it was, and starts a new
 * worker in the place of one that has ended. The sanitizers' reports, if the build has them, are kept.
 *
 *   soak_NAME [--runs N] [--seconds S] [--workers W] [--first SEED] [--keep FOLDER] [--hang S] [--memory MB]
 *   soak_NAME --here SEED [N]     runs these inputs in this process, for a debugger
 */
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The sanitizers end a process with a status of their own, so that no other end is taken for a crash. */
enum { SANITIZER_STATUS = 86, MOST_WORKERS = 256, CHUNK = 32, MOST_KEPT = 200 };
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__asan_default_options(void) {
    /* Each run has threads of its own: signals' stacks and large stand-ins for stacks are much of their cost.
     */
    return "exitcode=86:quarantine_size_mb=16:intercept_tls_get_addr=0:allocator_may_return_null=1:"
           "malloc_context_size=6:use_sigaltstack=0:max_uar_stack_size_log=16";
}
const char *__ubsan_default_options(void) {
    return "print_stacktrace=1:exitcode=86";
}

typedef struct {
    atomic_uint_fast64_t seed;  /* of the input that runs */
    atomic_uint_fast64_t since; /* when it began, in ns; 0: none runs */
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t at, end; /* inputs that this worker has taken and not begun */
    pid_t pid;
    uint64_t cpu; /* of the worker when this input was first seen by the supervisor, in ns */
    uint64_t seen;
} slot;

typedef struct {
    atomic_uint_fast64_t next; /* input that nobody has taken */
    slot slots[MOST_WORKERS];
} board;

typedef struct {
    uint64_t runs, first, memory;
    double seconds, hang;
    uint32_t workers;
    const char *keep;
} plan;

typedef struct {
    uint64_t crashes, leaks, hangs, fat, ended, kept, largest;
} tally;

/* --- One input ----------------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void run_seed(uint64_t seed) {
    uint64_t state = seed;
    uint8_t data[1024];
    size_t size = 64 + next(&state) % (sizeof data - 64);
    for (size_t k = 0; k < size; k++) data[k] = (uint8_t)(next(&state) >> 32);
    LLVMFuzzerTestOneInput(data, size);
}

static uint64_t now(clockid_t clock) {
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* --- A worker ------------------------------------------------------------------------------------------ */

static void log_path(const plan *p, uint32_t index, char *out, size_t size) {
    snprintf(out, size, "%s/worker-%u.log", p->keep, index);
}

_Noreturn static void work(const plan *p, board *b, uint32_t index) {
    slot *s = &b->slots[index];
    char path[512];
    log_path(p, index, path, sizeof path);
    int out = open(path, O_CREAT | O_WRONLY | O_APPEND, 0644);
    dup2(out, 2);
    close(out);
    for (uint32_t ran = 0; ran < 4096; ran++) { /* then a new one: what little is left over does not add up */
        if (s->at == s->end) {
            s->at = atomic_fetch_add(&b->next, CHUNK);
            s->end = s->at + CHUNK;
        }
        if (s->at >= p->runs) break;
        if (ftruncate(2, 0)) _exit(SANITIZER_STATUS + 1);
        uint64_t seed = p->first + s->at++;
        s->seed = seed;
        s->since = now(CLOCK_MONOTONIC);
        run_seed(seed);
        s->since = 0;
        s->done++;
    }
    if (ftruncate(2, 0)) perror("soak");
    exit(0); /* with the check for leaks */
}

/* --- The supervisor ------------------------------------------------------------------------------------ */

static uint64_t resident(pid_t pid) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *file = fopen(path, "r");
    unsigned long all = 0, pages = 0;
    if (file && fscanf(file, "%lu %lu", &all, &pages) != 2) pages = 0;
    if (file) fclose(file);
    return (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Says what happened, and keeps what the worker said. */
static void keep(const plan *p, tally *t, uint32_t index, uint64_t seed, const char *what) {
    char from[512], to[600];
    printf("%s: input %llu\n", what, (unsigned long long)seed);
    fflush(stdout);
    if (t->kept++ >= MOST_KEPT) return;
    log_path(p, index, from, sizeof from);
    snprintf(to, sizeof to, "%s/%s-%llu.log", p->keep, what, (unsigned long long)seed);
    rename(from, to);
}

static void start(const plan *p, board *b, uint32_t index) {
    slot *s = &b->slots[index];
    s->since = 0;
    pid_t pid = fork();
    if (pid == 0) work(p, b, index); /* which does not write to its own slot's pid */
    s->pid = pid;
}

/* A worker has ended. Whether there is more for it to do. */
static void bury(const plan *p, board *b, tally *t, uint32_t index, int status) {
    slot *s = &b->slots[index];
    bool running = s->since != 0;
    bool crashed = WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == SANITIZER_STATUS);
    if (crashed && running)
        keep(p, t, index, s->seed, "crash"), t->crashes++;
    else if (crashed || (!running && status))
        keep(p, t, index, s->seed, "leak"), t->leaks++;
    else if (running)
        t->ended++; /* by its own watch, at a limit */
    if (running) s->done++;
    s->pid = 0;
    if (b->next < p->runs || (s->at < s->end && s->at < p->runs)) start(p, b, index);
}

/* Whether the worker's input has run for too long: by its CPU time, or by the clock by far. */
static bool is_stuck(const plan *p, slot *s) {
    uint64_t since = s->since;
    clockid_t clock;
    if (!since || clock_getcpuclockid(s->pid, &clock)) return false;
    uint64_t used = now(clock);
    if (!used) return false; /* it has just ended */
    if (s->seen != since) {
        s->seen = since;
        s->cpu = used;
    }
    double cpu = (double)(used - s->cpu) * 1e-9, wall = (double)(now(CLOCK_MONOTONIC) - since) * 1e-9;
    bool stuck = cpu > p->hang || wall > 100 * p->hang; /* on a loaded machine others run for long */
    if (stuck) printf("input %llu: %.1f s of CPU time, %.1f s\n", (unsigned long long)s->seed, cpu, wall);
    return stuck;
}

static void look_at(const plan *p, board *b, tally *t, uint32_t index) {
    slot *s = &b->slots[index];
    int status = 0;
    if (!s->pid) return;
    if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
        bury(p, b, t, index, status);
        return;
    }
    uint64_t bytes = resident(s->pid);
    if (bytes > t->largest) t->largest = bytes;
    const char *wrong = is_stuck(p, s) ? "hang" : bytes > p->memory << 20 ? "memory" : NULL;
    if (!wrong) return;
    kill(s->pid, SIGKILL);
    waitpid(s->pid, &status, 0);
    keep(p, t, index, s->seed, wrong);
    (*wrong == 'h' ? t->hangs++ : t->fat++);
    s->done++;
    start(p, b, index);
}

/* Nobody begins a further input. */
static void stop_all(const plan *p, board *b) {
    b->next = p->runs;
    for (uint32_t k = 0; k < p->workers; k++) b->slots[k].end = b->slots[k].at = p->runs;
}

static uint64_t total(const plan *p, const board *b) {
    uint64_t sum = 0;
    for (uint32_t k = 0; k < p->workers; k++) sum += b->slots[k].done;
    return sum;
}

static void show(const plan *p, const board *b, const tally *t, double seconds, const char *end) {
    printf("%llu executions in %.0f s; crashes %llu, leaks %llu, hangs %llu, over %llu MB %llu; ended by the "
           "watch at a limit %llu; largest worker %llu MB%s",
           (unsigned long long)total(p, b), seconds, (unsigned long long)t->crashes,
           (unsigned long long)t->leaks, (unsigned long long)t->hangs, (unsigned long long)p->memory,
           (unsigned long long)t->fat, (unsigned long long)t->ended, (unsigned long long)(t->largest >> 20),
           end);
    fflush(stdout);
}

static int supervise(const plan *p) {
    board *b = mmap(NULL, sizeof *b, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (b == MAP_FAILED) return perror("soak"), 2;
    mkdir(p->keep, 0755);
    prctl(PR_SET_THP_DISABLE, 1, 0, 0,
          0); /* runs are short: clearing two megabytes for each is most of some */
    tally t = {0};
    uint64_t begin = now(CLOCK_MONOTONIC), said = begin;
    for (uint32_t k = 0; k < p->workers; k++) start(p, b, k);
    bool any = true;
    while (any) {
        nanosleep(&(struct timespec){0, 20000000}, NULL);
        uint64_t at = now(CLOCK_MONOTONIC);
        if (p->seconds > 0 && (double)(at - begin) * 1e-9 > p->seconds) stop_all(p, b);
        any = false;
        for (uint32_t k = 0; k < p->workers; k++) {
            look_at(p, b, &t, k);
            any |= b->slots[k].pid != 0;
        }
        if (at - said > 30000000000u) {
            said = at;
            show(p, b, &t, (double)(at - begin) * 1e-9, "\n");
        }
    }
    show(p, b, &t, (double)(now(CLOCK_MONOTONIC) - begin) * 1e-9, "\n");
    return t.crashes || t.leaks || t.hangs || t.fat;
}

int main(int argc, char **argv) {
    if (argc > 2 && !strcmp(argv[1], "--here")) {
        uint64_t first = strtoull(argv[2], NULL, 10), count = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
        for (uint64_t k = 0; k < count; k++) run_seed(first + k);
        return 0;
    }
    plan p = {.runs = 10000, .first = 1, .memory = 3072, .hang = 2.1, .workers = 1, .keep = "soak"};
    for (int k = 1; k < argc; k += 2) {
        const char *name = argv[k], *value = k + 1 < argc ? argv[k + 1] : "";
        if (!strcmp(name, "--runs"))
            p.runs = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--seconds"))
            p.seconds = strtod(value, NULL);
        else if (!strcmp(name, "--first"))
            p.first = strtoull(value, NULL, 10);
        else if (!strcmp(name, "--workers"))
            p.workers = (uint32_t)strtoul(value, NULL, 10);
        else if (!strcmp(name, "--keep"))
            p.keep = value;
        else if (!strcmp(name, "--hang"))
            p.hang = strtod(value, NULL);
        else if (!strcmp(name, "--memory"))
            p.memory = strtoull(value, NULL, 10);
        else
            return fprintf(stderr, "soak: unknown option '%s'\n", name), 2;
    }
    if (!p.workers || p.workers > MOST_WORKERS) return fprintf(stderr, "soak: 1 to 256 workers\n"), 2;
    return supervise(&p);
}
