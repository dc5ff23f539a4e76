/* Children that do a server's work (worker.h). They are ended by SIGTERM first, upon which they remove their
 * temporary files. */
#include "rpc/worker.h"

#include "base/clock.h"
#include "base/scratch.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_OUTPUT = 1 << 20, PATIENCE = 5 /* seconds, for one that was asked to end */ };

static bool has_folder(ls_worker *worker) {
    if (!worker->folder) worker->folder = ls_scratch_make();
    return worker->folder != NULL;
}

const char *ls_worker_file(ls_worker *worker, ls_arena *arena, const char *name, const char *text,
                           size_t length) {
    if (!has_folder(worker)) return NULL;
    const char *path = ls_arena_printf(arena, "%s/%s", worker->folder, name);
    return ls_write_file(path, text, length) ? path : NULL;
}

bool ls_worker_start(ls_worker *worker, const ls_args *arguments, const ls_worker_options *options) {
    char self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0 || !has_folder(worker)) return false;
    self[length] = 0;
    ls_arena arena;
    ls_arena_init(&arena);
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, self);
    for (uint32_t i = 0; i < arguments->length; i++) {
        LS_VEC_PUSH(&argv, arguments->items[i]);
        if (!i && options->confined) LS_VEC_PUSH(&argv, "--untrusted");
        if (i || !options->with_report) continue;
        LS_VEC_PUSH(&argv, "-o");
        LS_VEC_PUSH(&argv, ls_arena_printf(&arena, "%s/report", worker->folder));
    }
    ls_process_limits limits = {.output = LONGEST_OUTPUT, .folder = options->folder};
    worker->running = ls_process_start(&worker->process, &argv, &limits);
    worker->cancelled = false;
    worker->kill_at = options->seconds > 0 ? ls_clock_seconds(LS_CLOCK_WALL) + options->seconds : 0;
    LS_VEC_FREE(&argv);
    ls_arena_free(&arena);
    return worker->running;
}

bool ls_worker_poll(ls_worker *worker) {
    if (!worker->running) return true;
    if (worker->kill_at > 0 && ls_clock_seconds(LS_CLOCK_WALL) > worker->kill_at) {
        if (worker->cancelled)
            kill(-worker->process.pid, SIGKILL);
        else
            ls_worker_cancel(worker);
    }
    struct pollfd ready = {worker->process.output, POLLIN, 0};
    while (poll(&ready, 1, 0) > 0) {
        char chunk[16384];
        ssize_t got = read(worker->process.output, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            worker->status = ls_process_finish(&worker->process, &worker->said);
            worker->running = false;
            return true;
        }
        size_t room = LONGEST_OUTPUT > worker->said.length ? LONGEST_OUTPUT - worker->said.length : 0;
        ls_buf_add(&worker->said, chunk, (size_t)got < room ? (size_t)got : room);
    }
    return false;
}

void ls_worker_cancel(ls_worker *worker) {
    if (!worker->running || worker->cancelled) return;
    worker->cancelled = true;
    worker->kill_at = ls_clock_seconds(LS_CLOCK_WALL) + PATIENCE;
    kill(worker->process.pid, SIGTERM);
}

json_t *ls_worker_report(const ls_worker *worker) {
    if (worker->running || !worker->folder) return NULL;
    char path[4096];
    snprintf(path, sizeof path, "%s/report", worker->folder);
    return json_load_file(path, 0, NULL);
}

void ls_worker_free(ls_worker *worker) {
    if (worker->running) {
        ls_worker_cancel(worker);
        while (!ls_worker_poll(worker)) poll(&(struct pollfd){worker->process.output, POLLIN, 0}, 1, 200);
    }
    ls_scratch_remove(worker->folder);
    ls_buf_free(&worker->said);
    *worker = (ls_worker){0};
}
