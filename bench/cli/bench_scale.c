/* How time and memory grow with the number of kernels, of basic blocks and of barriers (up to 89,176, 1.2
 * million and 1.15 million in files of 45 MB), of accesses and of variables in a file: each subcommand on
 * generated PTX of four sizes, in a process of its own. `growth` is the exponent between the smallest and the
 * largest, of time and of memory: 1 is linear. */
#include "base/scratch.h"
#include "cli/cli.h"
#include "large.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void generator(ls_buf *out, uint32_t count);

static void accesses(ls_buf *out, uint32_t count) {
    large_header(out);
    ls_buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    ls_buf_puts(out, large_start);
    for (uint32_t k = 0; k < count; k++) ls_buf_printf(out, "ld.global.u32 %%r2, [%%rd1+%u];\n", 4 * k);
    ls_buf_puts(out, "ret;\n}\n");
}

static void variables(ls_buf *out, uint32_t count) {
    large_header(out);
    for (uint32_t k = 0; k < count; k++) ls_buf_printf(out, ".global .align 4 .u32 g%u;\n", k);
    ls_buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    ls_buf_puts(out, large_start);
    for (uint32_t k = 0; k < count; k++) ls_buf_printf(out, "ld.global.u32 %%r2, [g%u];\n", k);
    ls_buf_puts(out, "ret;\n}\n");
}

/* CPU seconds and peak memory of one run. */
static double measure(const char *path, const char *command, long *kilobytes, int *status) {
    char line[512], name[] = "lockstep", *argv[16] = {name}, *rest = NULL;
    int argc = 1;
    snprintf(line, sizeof line, command, path);
    for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        argv[argc++] = word;
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1);
        dup2(nowhere, 2);
        setrlimit(RLIMIT_CPU, &(struct rlimit){300, 300}); /* a run that it ends is marked with '!' */
        _exit(ls_cli_main(argc, argv));
    }
    struct rusage used;
    wait4(child, status, 0, &used);
    *kilobytes = used.ru_maxrss;
    return (double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec * 1e-6 +
           (double)used.ru_stime.tv_sec + (double)used.ru_stime.tv_usec * 1e-6;
}

int main(void) {
    static const struct {
        const char *name;
        generator *make;
        uint32_t least;
    } kinds[] = {{"kernels", large_kernels, 11147},
                 {"blocks", large_blocks, 75000}, /* each makes two */
                 {"barriers", large_barriers, 143750},
                 {"accesses", accesses, 5000},
                 {"variables", variables, 2500}};
    static const char *const commands[] = {
        "ptx %s", "analyze %s --block 256", "run %s --block 64 -k k --timeout 100",
        "verify %s --block 256 --grid 4 -j 1 --timeout 100", "check %s --block 256 --grid 4 -j 1"};
    char *folder = ls_scratch_make(), path[512];
    if (!folder) return perror("a temporary folder"), 1;
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("%-9s %5s %-8s %28s %32s %s\n", "of", "MB", "command", "CPU s at 1, 2, 4, 8 times", "MB of memory",
           "growth of both");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
            double first = 0, last = 0;
            long least = 0, kilobytes = 0;
            size_t bytes = 0;
            char times[64] = "", sizes[64] = "";
            if (strstr(commands[c], "-k k") && kinds[k].make == large_kernels) continue;
            for (uint32_t times_more = 1; times_more <= 8; times_more *= 2) {
                ls_buf text = {0};
                int status;
                kinds[k].make(&text, kinds[k].least * times_more);
                ls_write_file(path, text.text, text.length);
                bytes = text.length;
                ls_buf_free(&text);
                last = measure(path, commands[c], &kilobytes, &status);
                if (times_more == 1) first = last, least = kilobytes;
                size_t n = strlen(times), m = strlen(sizes);
                snprintf(times + n, sizeof times - n, " %6.2f%s", last, WIFSIGNALED(status) ? "!" : "");
                snprintf(sizes + m, sizeof sizes - m, " %7ld", kilobytes >> 10);
            }
            printf("%-9s %5.1f %-8.*s %28s %32s %7.2f %6.2f\n", kinds[k].name, (double)bytes / 1e6,
                   (int)strcspn(commands[c], " "), commands[c], times, sizes,
                   log2((last + 0.01) / (first + 0.01)) / 3, log2((double)kilobytes / (double)least) / 3);
        }
    ls_scratch_remove(folder);
    return 0;
}
