/* Confined work (confine.h): the two processes and what they say to each other. A request is a path, the
 * answer an errno and, where that is 0, a descriptor. What the kernel is asked to refuse is in
 * confine_filter.c. */
#include "base/confine.h"

#include "base/confine_filter.h"
#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_PATH = 4096, TICK_MS = 40, MOST_OPEN = 256, BROKER = 3 };

/* Of the child, as its seal is. */
static struct {
    pthread_mutex_t lock; /* of the conversation */
    bool confined, sealed;
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* --- A descriptor on its way -----------------------------------------------------------------------------
 */

typedef union {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header; /* for its alignment */
} ancillary;

static bool send_answer(int to, int error, int descriptor) {
    ancillary extra = {{0}};
    struct iovec text = {&error, sizeof error};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
    if (!error) {
        message.msg_control = extra.bytes;
        message.msg_controllen = sizeof extra.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
        header->cmsg_len = CMSG_LEN(sizeof descriptor);
        memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    }
    return sendmsg(to, &message, MSG_NOSIGNAL) >= 0;
}

static int receive_answer(int from) {
    ancillary extra = {{0}};
    int error = 0, descriptor = -1;
    struct iovec text = {&error, sizeof error};
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = extra.bytes, .msg_controllen = sizeof extra.bytes};
    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof error) return errno = EPIPE, -1;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!error && header && header->cmsg_type == SCM_RIGHTS)
        memcpy(&descriptor, CMSG_DATA(header), sizeof(int));
    if (descriptor < 0) errno = error ? error : EPERM;
    return descriptor;
}

/* --- The child -------------------------------------------------------------------------------------------
 */

bool ls_confine_sealed(void) {
    return own.sealed;
}

bool ls_confine_seal(void) {
    if (!own.confined || own.sealed) return own.confined;
    own.sealed = ls_filter_install(LS_FILTER_SEAL, BROKER);
    return own.sealed;
}

int ls_confine_open(const char *path) {
    if (!own.sealed) return open(path, O_RDONLY | O_CLOEXEC);
    size_t length = strlen(path);
    if (length >= MOST_PATH) return errno = ENAMETOOLONG, -1;
    struct iovec text = {(char *)(uintptr_t)path, length + 1};
    struct msghdr message = {.msg_iov = &text, .msg_iovlen = 1};
    pthread_mutex_lock(&own.lock);
    int descriptor = -1;
    if (sendmsg(BROKER, &message, MSG_NOSIGNAL) >= 0) descriptor = receive_answer(BROKER);
    int error = errno;
    pthread_mutex_unlock(&own.lock);
    errno = error;
    return descriptor;
}

static void close_from(int first) {
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, (unsigned)first, ~0u, 0u)) return;
#endif
    for (int fd = first; fd < 4096; fd++) close(fd);
}

_Noreturn static void be_child(int broker, int output, pid_t parent, int (*work)(void *of), void *of,
                               const sigset_t *signals) {
    struct rlimit no_core = {0, 0}, files = {MOST_OPEN, MOST_OPEN};
    setpgid(0, 0); /* signals come through the parent */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    bool good = dup2(output, 1) >= 0 && (broker == BROKER || dup2(broker, BROKER) >= 0) &&
                !fcntl(BROKER, F_SETFD, FD_CLOEXEC) && !setrlimit(RLIMIT_CORE, &no_core) &&
                !setrlimit(RLIMIT_NOFILE, &files);
    close_from(BROKER + 1);
    own.confined = good && ls_filter_install(LS_FILTER_START, BROKER);
    if (!own.confined) _exit(127);
    pthread_sigmask(SIG_SETMASK, signals, NULL);
    int status = work(of);
    fflush(NULL);
    _exit(status & 127);
}

/* --- The parent ------------------------------------------------------------------------------------------
 */

typedef struct {
    const ls_confine_options *options;
    int broker, output;
    pid_t child;
    sigset_t signals, before;
    bool too_large;
} watched;

static void answer_request(const watched *w) {
    char path[MOST_PATH + 1];
    ssize_t got = recv(w->broker, path, MOST_PATH, 0);
    if (got <= 0) return;
    path[got] = 0;
    const ls_confine_options *o = w->options;
    int descriptor = -1, error = EACCES;
    if (o->may_read && o->may_read(o->context, path)) {
        struct stat info;
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        error = descriptor < 0 ? errno : 0;
        if (descriptor >= 0 && (fstat(descriptor, &info) || !S_ISREG(info.st_mode))) error = EACCES;
    }
    send_answer(w->broker, error, descriptor);
    if (descriptor >= 0) close(descriptor);
}

/* Whether more may come. */
static bool take_output(const watched *w) {
    char text[65536];
    ssize_t got = read(w->output, text, sizeof text);
    if (got > 0 && w->options->take) w->options->take(w->options->context, text, (size_t)got);
    return got > 0 || (got < 0 && errno == EINTR);
}

static void look_at_memory(watched *w) {
    if (!w->options->bytes) return;
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)w->child);
    FILE *file = fopen(path, "r");
    unsigned long all = 0, pages = 0;
    if (file && fscanf(file, "%lu %lu", &all, &pages) != 2) pages = 0;
    if (file) fclose(file);
    w->too_large |= (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) > w->options->bytes;
    if (w->too_large) kill(w->child, SIGKILL);
}

static int watch_over(watched *w) {
    int status = 0;
    bool ended = false, open = true;
    while (open || !ended) {
        struct pollfd ready[] = {{w->output, POLLIN, 0}, {w->broker, POLLIN, 0}};
        if (!open) ready[0].fd = -1;
        if (ended) ready[1].fd = -1;
        bool seen = poll(ready, 2, TICK_MS) >= 0;
        /* Once it has ended all of its output is in the pipe, which what it has started may hold open. */
        if (ready[0].revents || (ended && seen)) open = ready[0].revents && take_output(w);
        if (ready[1].revents & POLLIN) answer_request(w);
        int number = sigtimedwait(&w->signals, NULL, &(struct timespec){0, 0});
        if (number > 0) kill(w->child, number);
        if (!ended) look_at_memory(w);
        if (!ended) ended = waitpid(w->child, &status, WNOHANG) == w->child;
    }
    kill(-w->child, SIGKILL); /* what it may have left behind */
    if (w->too_large) return LS_CONFINE_MEMORY;
    if (WIFSIGNALED(status)) return 128 + WTERMSIG(status);
    return WIFEXITED(status) && WEXITSTATUS(status) != 127 ? WEXITSTATUS(status) : LS_CONFINE_UNABLE;
}

int ls_confine(const ls_confine_options *options, int (*work)(void *of), void *of) {
    int broker[2] = {-1, -1}, output[2] = {-1, -1};
    if (!ls_filter_possible() || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, broker))
        return LS_CONFINE_UNABLE;
    if (pipe2(output, O_CLOEXEC)) return close(broker[0]), close(broker[1]), LS_CONFINE_UNABLE;
    watched w = {.options = options, .broker = broker[0], .output = output[0]};
    sigemptyset(&w.signals);
    ls_ending_signals(&w.signals);
    fflush(NULL);
    pid_t parent = getpid();
    pthread_sigmask(SIG_BLOCK, &w.signals, &w.before); /* what comes from now on is passed on */
    w.child = fork();
    if (w.child == 0) be_child(broker[1], output[1], parent, work, of, &w.before);
    close(broker[1]);
    close(output[1]);
    int status = LS_CONFINE_UNABLE;
    if (w.child > 0) status = watch_over(&w);
    pthread_sigmask(SIG_SETMASK, &w.before, NULL);
    close(w.broker);
    close(w.output);
    return status;
}
