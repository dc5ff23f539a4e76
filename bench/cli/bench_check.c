/* What `lockstep check` takes for a file with eight kernels, beside `verify` and `analyze` one after the
 * other, which compile it once each: CPU and wall time, the best of three. Then without what is kept on disk,
 * as the compiled form of Lockstep's headers is. */
#include "base/clock.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    double cpu, wall;
} cost;

static double seconds(struct timeval t) {
    return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

/* One run, with the compilers that it starts. */
static cost run(const char *command, const char *jobs) {
    char name[] = "lockstep", j[] = "-j", path[] = BENCH_DIR "/several.cu";
    char word[16], number[8], *argv[] = {name, word, j, number, path, NULL};
    snprintf(word, sizeof word, "%s", command);
    snprintf(number, sizeof number, "%s", jobs);
    double start = ls_clock_seconds(LS_CLOCK_WALL);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        _exit(ls_cli_main(5, argv));
    }
    struct rusage used;
    int status;
    wait4(child, &status, 0, &used);
    return (cost){seconds(used.ru_utime) + seconds(used.ru_stime), ls_clock_seconds(LS_CLOCK_WALL) - start};
}

static cost best(const char *command, const char *jobs) {
    cost least = {1e9, 1e9};
    for (int i = 0; i < 3; i++) {
        cost c = run(command, jobs);
        if (c.cpu < least.cpu) least.cpu = c.cpu;
        if (c.wall < least.wall) least.wall = c.wall;
    }
    return least;
}

int main(void) {
    static const char *const commands[] = {"verify", "analyze", "check"}, *const jobs[] = {"1", "2"};
    printf("check of eight kernels   -j   CPU s   wall s\n");
    for (size_t j = 0; j < 2; j++)
        for (size_t i = 0; i < 3; i++) {
            cost c = best(commands[i], jobs[j]);
            printf("%-24s %2s %7.2f %8.2f\n", commands[i], jobs[j], c.cpu, c.wall);
        }
    setenv("LOCKSTEP_CACHE", "off", 1);
    cost c = best("check", jobs[0]);
    printf("%-24s %2s %7.2f %8.2f\n", "check, nothing kept", jobs[0], c.cpu, c.wall);
    return 0;
}
