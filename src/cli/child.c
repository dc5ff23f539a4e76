/* Running a child process: posix_spawn, one pipe for what it prints, poll until it ends or its time is up. */
#include "cli/child.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int spawn(char *const argv[], const char *folder, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    if (folder) error = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (!error) error = posix_spawn(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Reads until the other end is closed; false where the time is up first. */
static bool read_all(int input, const ls_deadline *deadline, ls_buf *output) {
    char chunk[65536];
    for (;;) {
        double left = ls_deadline_left(deadline);
        if (left <= 0) return false;
        struct pollfd ready = {input, POLLIN, 0};
        int count = poll(&ready, 1, left > 1000 ? 1000000 : (int)ceil(left * 1000));
        if (count < 0 && errno != EINTR) return true;
        if (count <= 0) continue;
        ssize_t got = read(input, chunk, sizeof chunk);
        if (got == 0 || (got < 0 && errno != EINTR)) return true;
        if (got < 0) continue;
        size_t room = LS_CHILD_OUTPUT - output->length;
        ls_buf_add(output, chunk, (size_t)got < room ? (size_t)got : room);
    }
}

/* Waits for the child; false where the time is up first. */
static bool wait_for(pid_t child, const ls_deadline *deadline, int *status) {
    for (;;) {
        pid_t got = waitpid(child, status, isinf(deadline->end) ? 0 : WNOHANG);
        if (got == child) return true;
        if (got < 0 && errno != EINTR) return *status = 0, true;
        if (ls_deadline_passed(deadline)) return false;
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

void ls_child_run(char *const argv[], const char *folder, double timeout, ls_child_result *result) {
    *result = (ls_child_result){.end = LS_CHILD_FAILED};
    double start = ls_clock_seconds(LS_CLOCK_WALL);
    ls_deadline deadline = ls_deadline_in(LS_CLOCK_WALL, timeout);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC)) {
        result->code = errno;
        return;
    }
    pid_t child;
    result->code = spawn(argv, folder, ends[1], &child);
    close(ends[1]);
    if (!result->code) {
        int status = 0;
        bool in_time = read_all(ends[0], &deadline, &result->output) && wait_for(child, &deadline, &status);
        if (!in_time) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            result->end = LS_CHILD_TIMEOUT;
        } else if (WIFEXITED(status)) {
            result->end = LS_CHILD_EXITED;
            result->code = WEXITSTATUS(status);
        } else {
            result->end = LS_CHILD_SIGNALLED;
            result->code = WTERMSIG(status);
        }
    }
    close(ends[0]);
    result->seconds = ls_clock_seconds(LS_CLOCK_WALL) - start;
}
