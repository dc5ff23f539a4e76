/* Child processes: a program with its arguments, no shell, its two outputs kept (see process.h). */
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* posix_spawn does not change its arguments, though its type says it may. */
static char **argument_vector(const ls_args *argv) {
    char **vector = ls_xmalloc(((size_t)argv->length + 1) * sizeof *vector);
    for (uint32_t i = 0; i < argv->length; i++) memcpy(&vector[i], &argv->items[i], sizeof *vector);
    vector[argv->length] = NULL;
    return vector;
}

bool ls_process_start(ls_process *process, const ls_args *argv) {
    int ends[2];
    process->pid = -1;
    process->output = -1;
    if (pipe2(ends, O_CLOEXEC)) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    char **vector = argument_vector(argv);
    int error = posix_spawnp(&process->pid, vector[0], &actions, NULL, vector, environ);
    free(vector);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        process->pid = -1;
        errno = error;
        return false;
    }
    process->output = ends[0];
    return true;
}

int ls_process_finish(ls_process *process, ls_buf *said) {
    char chunk[4096];
    for (;;) {
        ssize_t got = read(process->output, chunk, sizeof chunk);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        ls_buf_add(said, chunk, (size_t)got);
    }
    close(process->output);
    process->output = -1;
    int status = 0;
    while (waitpid(process->pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    process->pid = -1;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : -1;
}

int ls_process_run(const ls_args *argv, ls_buf *said) {
    ls_process process;
    if (!ls_process_start(&process, argv)) {
        ls_buf_printf(said, "%s: %s\n", argv->items[0], strerror(errno));
        return 127;
    }
    return ls_process_finish(&process, said);
}

static char *join(const char *folder, size_t length, const char *program) {
    size_t size = length + strlen(program) + 2;
    char *path = ls_xmalloc(size);
    memcpy(path, folder, length);
    path[length] = '/';
    memcpy(path + length + 1, program, strlen(program) + 1);
    return path;
}

char *ls_process_find(const char *program) {
    if (strchr(program, '/')) return access(program, X_OK) ? NULL : strdup(program);
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
