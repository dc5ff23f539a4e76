/* Child processes (process.h). The child is forked, not spawned, as it is to have limits and a group of its
 * own; between fork and exec it calls nothing but the system. A second small child, the warden, holds the
 * read end of a pipe of which only this process has the other end: when that is closed, by whatever ends this
 * process, the warden ends the group. */
#include "base/process.h"

#include "base/clock.h"
#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- Those that run ------------------------------------------------------------------------------------ */

static struct {
    pthread_mutex_t lock;
    LS_VEC(pid_t) groups;
} running = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(pid_t pid) {
    pthread_mutex_lock(&running.lock);
    LS_VEC_PUSH(&running.groups, pid);
    pthread_mutex_unlock(&running.lock);
}

static void leave(pid_t pid) {
    pthread_mutex_lock(&running.lock);
    uint32_t k = 0;
    while (k < running.groups.length && running.groups.items[k] != pid) k++;
    if (k < running.groups.length) running.groups.items[k] = running.groups.items[--running.groups.length];
    if (!running.groups.length) LS_VEC_FREE(&running.groups);
    pthread_mutex_unlock(&running.lock);
}

void ls_process_end_all(void) {
    pthread_mutex_lock(&running.lock);
    for (uint32_t k = 0; k < running.groups.length; k++) kill(-running.groups.items[k], SIGKILL);
    pthread_mutex_unlock(&running.lock);
}

/* --- Starting ------------------------------------------------------------------------------------------ */

/* execv does not change its arguments, though its type says it may. */
static char **argument_vector(const ls_args *argv) {
    char **vector = ls_xmalloc(((size_t)argv->length + 1) * sizeof *vector);
    for (uint32_t i = 0; i < argv->length; i++) memcpy(&vector[i], &argv->items[i], sizeof *vector);
    vector[argv->length] = NULL;
    return vector;
}

/* The limit, or a lower one that holds already: only root could raise that one. */
static bool limit_memory(uint64_t bytes) {
    struct rlimit most;
    if (getrlimit(RLIMIT_AS, &most)) return false;
    if (most.rlim_max == RLIM_INFINITY || most.rlim_max > bytes) most.rlim_max = bytes;
    most.rlim_cur = most.rlim_max;
    return !setrlimit(RLIMIT_AS, &most);
}

_Noreturn static void become(const char *path, char **vector, const ls_process_limits *limits, int output) {
    setpgid(0, 0);
    ls_default_signals();
    int nothing = open("/dev/null", O_RDONLY);
    struct rlimit no_core = {0, 0};
    bool good = nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0 &&
                (!limits->folder || !chdir(limits->folder)) &&
                (!limits->bytes || limit_memory(limits->bytes));
    setrlimit(RLIMIT_CORE, &no_core);
    if (good) execv(path, vector);
    _exit(127);
}

_Noreturn static void keep_watch(int lifeline, pid_t group) {
    setpgid(0, 0);
    char nothing;
    if (lifeline != 3) dup2(lifeline, 3);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, 4u, ~0u, 0u))
#endif
        for (int fd = 4; fd < 4096; fd++) close(fd);
    for (int fd = 0; fd < 3; fd++) close(fd);
    ssize_t got;
    do got = read(3, &nothing, 1);
    while (got < 0 && errno == EINTR);
    kill(-group, SIGKILL);
    _exit(0);
}

static bool fork_both(ls_process *process, const char *path, char **vector, const ls_process_limits *limits) {
    int ends[2] = {-1, -1}, life[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) || pipe2(life, O_CLOEXEC)) {
        if (ends[0] >= 0) close(ends[0]), close(ends[1]);
        return false;
    }
    process->pid = fork();
    if (process->pid == 0) become(path, vector, limits, ends[1]);
    int error = errno;
    if (process->pid > 0) {
        setpgid(process->pid, process->pid); /* the child does so, too; whichever is first counts */
        process->warden = fork();
        if (process->warden == 0) keep_watch((close(life[1]), life[0]), process->pid);
    }
    close(ends[1]);
    close(life[0]);
    process->output = ends[0];
    process->lifeline = life[1];
    if (process->pid > 0) return true;
    close(ends[0]);
    close(life[1]);
    errno = error;
    return false;
}

bool ls_process_start(ls_process *process, const ls_args *argv, const ls_process_limits *limits) {
    static const ls_process_limits none = {0};
    if (!limits) limits = &none;
    *process = (ls_process){.pid = -1, .output = -1, .warden = -1, .lifeline = -1};
    char *path = ls_process_find(argv->items[0]);
    if (!path) return errno = ENOENT, false;
    char **vector = argument_vector(argv);
    bool good = fork_both(process, path, vector, limits);
    int error = errno;
    free(vector);
    free(path);
    if (good) enter(process->pid);
    if (limits->seconds > 0) process->deadline = ls_clock_seconds(LS_CLOCK_WALL) + limits->seconds;
    process->most_said = limits->output;
    process->cancel = limits->cancel;
    errno = error;
    return good;
}

/* --- Its end ------------------------------------------------------------------------------------------- */

static const double A_LOOK = 0.03; /* seconds from one look at whether it is to end to the next */

static bool is_cancelled(const ls_process *process) {
    return process->cancel && *process->cancel;
}

/* Reads until the other end is closed; false where the time is up first. */
static bool read_all(const ls_process *process, ls_buf *said) {
    char chunk[65536];
    for (;;) {
        double left = process->deadline > 0 ? process->deadline - ls_clock_seconds(LS_CLOCK_WALL) : 3600;
        if (left <= 0 || is_cancelled(process)) return false;
        if (process->cancel && left > A_LOOK) left = A_LOOK;
        struct pollfd ready = {process->output, POLLIN, 0};
        int count = poll(&ready, 1, left > 1000 ? 1000000 : (int)(left * 1000) + 1);
        if (count < 0 && errno != EINTR) return true;
        if (count <= 0) continue;
        ssize_t got = read(process->output, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        size_t most = process->most_said ? process->most_said : SIZE_MAX;
        size_t room = most > said->length ? most - said->length : 0;
        ls_buf_add(said, chunk, (size_t)got < room ? (size_t)got : room);
    }
}

/* Waits for the child; false where the time is up first. */
static bool wait_for(const ls_process *process, int *status) {
    for (;;) {
        pid_t got = waitpid(process->pid, status, process->deadline > 0 || process->cancel ? WNOHANG : 0);
        if (got == process->pid) return true;
        if (got < 0 && errno != EINTR) return *status = -1, true;
        if (process->deadline > 0 && ls_clock_seconds(LS_CLOCK_WALL) >= process->deadline) return false;
        if (is_cancelled(process)) return false;
        if (got == 0) nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

int ls_process_finish(ls_process *process, ls_buf *said) {
    int status = 0;
    bool in_time = read_all(process, said) && wait_for(process, &status);
    kill(-process->pid, SIGKILL); /* also what it has left behind */
    if (!in_time)
        while (waitpid(process->pid, &status, 0) < 0 && errno == EINTR) continue;
    leave(process->pid);
    close(process->output);
    close(process->lifeline);
    while (process->warden > 0 && waitpid(process->warden, NULL, 0) < 0 && errno == EINTR) continue;
    *process = (ls_process){.pid = -1, .output = -1, .warden = -1, .lifeline = -1};
    if (!in_time) return LS_PROCESS_LATE;
    if (status == -1) return -1;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : -1;
}

int ls_process_run(const ls_args *argv, const ls_process_limits *limits, ls_buf *said) {
    ls_process process;
    if (!ls_process_start(&process, argv, limits)) {
        ls_buf_printf(said, "%s: %s\n", argv->items[0], strerror(errno));
        return 127;
    }
    return ls_process_finish(&process, said);
}

/* --- Finding programs ---------------------------------------------------------------------------------- */

static char *join(const char *folder, size_t length, const char *program) {
    size_t size = length + strlen(program) + 2;
    char *path = ls_xmalloc(size);
    memcpy(path, folder, length);
    path[length] = '/';
    memcpy(path + length + 1, program, strlen(program) + 1);
    return path;
}

char *ls_process_find(const char *program) {
    if (strchr(program, '/')) return access(program, X_OK) ? NULL : ls_xstrdup(program);
    const char *path = getenv("PATH");
    if (!path) path = "/usr/local/bin:/usr/bin:/bin";
    while (*path) {
        size_t length = strcspn(path, ":");
        char *candidate = join(path, length, program);
        if (length && !access(candidate, X_OK)) return candidate;
        free(candidate);
        path += length + (path[length] == ':');
    }
    return NULL;
}
