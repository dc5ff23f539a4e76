/* The helper that makes trials (trials.h). It stands outside of the sealed process's group: it is told by the
 * end of its input that nobody waits any more, ends the trial that is under way, and removes the text. */
#include "cli/trials.h"

#include "base/buf.h"
#include "base/scratch.h"

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
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_NAME = 1 << 16, LONGEST_TEXT = 64 << 20, BROKER = 3 };

struct ls_trials {
    pthread_mutex_t lock;
    int to, from; /* -1: the helper is gone */
    size_t size;
};

typedef struct {
    uint32_t path, kernel, object, text; /* bytes, without ends */
} request_head;

static bool read_all(int from, void *to, size_t count) {
    for (char *at = to; count;) {
        ssize_t got = read(from, at, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        count -= (size_t)got;
    }
    return true;
}

static bool write_all(int to, const void *from, size_t count) {
    for (const char *at = from; count;) {
        ssize_t put = write(to, at, count);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        at += put;
        count -= (size_t)put;
    }
    return true;
}

/* --- The helper ------------------------------------------------------------------------------------------
 */

typedef struct {
    const ls_trials_options *options;
    int requests, outcomes;
    ls_arena arena;
} helper;

static const char *read_text(helper *h, uint32_t length) {
    char *text = ls_arena_alloc(&h->arena, (size_t)length + 1);
    text[length] = 0;
    return read_all(h->requests, text, length) ? text : NULL;
}

static bool read_request(helper *h, ls_trial *trial) {
    request_head head;
    if (!read_all(h->requests, &head, sizeof head) || head.path > LONGEST_NAME ||
        head.kernel > LONGEST_NAME || head.object > LONGEST_NAME || head.text > LONGEST_TEXT)
        return false;
    trial->path = read_text(h, head.path);
    trial->kernel = trial->path ? read_text(h, head.kernel) : NULL;
    trial->object = trial->kernel ? read_text(h, head.object) : NULL;
    trial->text = trial->object ? read_text(h, head.text) : NULL;
    trial->length = head.text;
    return trial->text != NULL;
}

_Noreturn static void be_trial(const helper *h, const ls_trial *trial, const char *folder, void *outcome,
                               int to) {
    const ls_trials_options *o = h->options;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(BROKER);               /* it is the other's */
    setenv("TMPDIR", folder, 1); /* what it leaves behind is removed with that */
    alarm(o->seconds);
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is larger than any limit */
    if (o->bytes)
        setrlimit(RLIMIT_DATA, &(struct rlimit){o->bytes, o->bytes}); /* not what is only reserved */
#endif
    char text[4096];
    snprintf(text, sizeof text, "%s/text", folder);
    o->make(o->context, trial, text, outcome);
    _exit(write_all(to, outcome, o->size) ? 0 : 1);
}

/* Waits for the outcome, or until nobody waits for it any more; whether somebody does. */
static bool await(const helper *h, pid_t pid, int from, void *outcome) {
    struct pollfd ready[] = {{from, POLLIN, 0}, {h->requests, 0, 0}};
    while (!ready[0].revents && !ready[1].revents)
        if (poll(ready, 2, -1) < 0 && errno != EINTR) break;
    if (!ready[0].revents || !read_all(from, outcome, h->options->size)) memset(outcome, 0, h->options->size);
    kill(pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
    return !ready[1].revents;
}

/* Whether there may be more. */
static bool one_trial(helper *h, const ls_trial *trial) {
    char *folder = ls_scratch_make();
    const char *text = ls_arena_printf(&h->arena, "%s/text", folder ? folder : "");
    void *outcome = ls_arena_zalloc(&h->arena, h->options->size);
    int ends[2];
    bool go_on = true;
    if (folder && ls_write_file(text, trial->text, trial->length) && !pipe2(ends, O_CLOEXEC)) {
        pid_t pid = fork();
        if (!pid) be_trial(h, trial, folder, outcome, ends[1]);
        close(ends[1]);
        if (pid > 0) go_on = await(h, pid, ends[0], outcome);
        close(ends[0]);
    }
    ls_scratch_remove(folder);
    return go_on && write_all(h->outcomes, outcome, h->options->size);
}

_Noreturn static void be_helper(const ls_trials_options *options, int requests, int outcomes) {
    helper h = {.options = options, .requests = requests, .outcomes = outcomes};
    setpgid(0, 0);
    signal(SIGPIPE, SIG_IGN);
    ls_arena_init(&h.arena);
    for (ls_trial trial; read_request(&h, &trial) && one_trial(&h, &trial);) continue;
    _exit(0);
}

/* --- Who asks --------------------------------------------------------------------------------------------
 */

ls_trials *ls_trials_start(const ls_trials_options *options, ls_arena *arena) {
    int requests[2], outcomes[2];
    if (pipe2(requests, O_CLOEXEC)) return NULL;
    if (pipe2(outcomes, O_CLOEXEC)) return close(requests[0]), close(requests[1]), NULL;
    pid_t pid = fork();
    if (!pid) {
        close(requests[1]);
        close(outcomes[0]);
        be_helper(options, requests[0], outcomes[1]);
    }
    close(requests[0]);
    close(outcomes[1]);
    if (pid < 0) return close(requests[1]), close(outcomes[0]), NULL;
    ls_trials *trials = LS_NEW(arena, ls_trials);
    *trials = (ls_trials){.to = requests[1], .from = outcomes[0], .size = options->size};
    pthread_mutex_init(&trials->lock, NULL);
    return trials;
}

bool ls_trials_ask(ls_trials *trials, const ls_trial *trial, void *outcome) {
    size_t path = strlen(trial->path), kernel = strlen(trial->kernel), object = strlen(trial->object);
    if (path > LONGEST_NAME || kernel > LONGEST_NAME || object > LONGEST_NAME || trial->length > LONGEST_TEXT)
        return false;
    request_head head = {(uint32_t)path, (uint32_t)kernel, (uint32_t)object, (uint32_t)trial->length};
    pthread_mutex_lock(&trials->lock);
    bool good = trials->to >= 0 && write_all(trials->to, &head, sizeof head) &&
                write_all(trials->to, trial->path, path) && write_all(trials->to, trial->kernel, kernel) &&
                write_all(trials->to, trial->object, object) &&
                write_all(trials->to, trial->text, trial->length) &&
                read_all(trials->from, outcome, trials->size);
    if (!good) trials->to = -1;
    pthread_mutex_unlock(&trials->lock);
    return good;
}
