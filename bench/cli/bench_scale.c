/* How time and memory grow with the number of kernels, of basic blocks, of barriers, of accesses and of
 * variables in a file: each subcommand on generated PTX of four sizes, in a process of its own. `growth` is
 * the exponent between the smallest and the largest, of time and of memory: 1 is linear. */
#include "base/buf.h"
#include "base/scratch.h"
#include "cli/cli.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void generator(ls_buf *out, uint32_t count);

static void header(ls_buf *out) {
    ls_buf_puts(out, ".version 8.5\n.target sm_90\n.address_size 64\n");
}

static const char start[] =
    "{\n.reg .b32 %r<9>;\n.reg .pred %p<3>;\n.reg .b64 %rd<5>;\n.shared .align 4 .b32 s[1024];\n"
    "ld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, "
    "4;\n"
    "add.s64 %rd1, %rd1, %rd2;\nmov.u64 %rd3, s;\nadd.s64 %rd3, %rd3, %rd2;\n";

static void kernels(ls_buf *out, uint32_t count) {
    header(out);
    for (uint32_t k = 0; k < count; k++) {
        ls_buf_printf(out, ".visible .entry kernel_%u(.param .u64 p)\n", k);
        ls_buf_puts(out, start);
        ls_buf_puts(out, "st.global.u32 [%rd1], %r1;\nret;\n}\n");
    }
}

static void blocks(ls_buf *out, uint32_t count) {
    header(out);
    ls_buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    ls_buf_puts(out, start);
    for (uint32_t k = 0; k < count; k++)
        ls_buf_printf(out, "setp.eq.u32 %%p1, %%r1, %u;\n@%%p1 bra $L%u;\nadd.u32 %%r2, %%r2, 1;\n$L%u:\n", k,
                      k, k);
    ls_buf_puts(out, "st.global.u32 [%rd1], %r2;\nret;\n}\n");
}

static void barriers(ls_buf *out, uint32_t count) {
    header(out);
    ls_buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    ls_buf_puts(out, start);
    for (uint32_t k = 0; k < count; k++) ls_buf_puts(out, "st.shared.u32 [%rd3], %r1;\nbar.sync 0;\n");
    ls_buf_puts(out, "ret;\n}\n");
}

static void accesses(ls_buf *out, uint32_t count) {
    header(out);
    ls_buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    ls_buf_puts(out, start);
    for (uint32_t k = 0; k < count; k++) ls_buf_printf(out, "ld.global.u32 %%r2, [%%rd1+%u];\n", 4 * k);
    ls_buf_puts(out, "ret;\n}\n");
}

static void variables(ls_buf *out, uint32_t count) {
    header(out);
    for (uint32_t k = 0; k < count; k++) ls_buf_printf(out, ".global .align 4 .u32 g%u;\n", k);
    ls_buf_puts(out, ".visible .entry k(.param .u64 p)\n");
    ls_buf_puts(out, start);
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
    } kinds[] = {{"kernels", kernels, 4000},
                 {"blocks", blocks, 12500}, /* each makes two */
                 {"barriers", barriers, 2500},
                 {"accesses", accesses, 5000},
                 {"variables", variables, 2500}};
    static const char *const commands[] = {"ptx %s", "analyze %s --block 256",
                                           "run %s --block 64 -k k --timeout 100",
                                           "verify %s --block 256 --grid 4 -j 1 --timeout 100"};
    char *folder = ls_scratch_make(), path[512];
    if (!folder) return perror("a temporary folder"), 1;
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    printf("%-9s %-8s %28s %32s %s\n", "of", "command", "CPU s at 1, 2, 4, 8 times", "MB", "growth of both");
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t c = 0; c < sizeof commands / sizeof *commands; c++) {
            double first = 0, last = 0;
            long least = 0, kilobytes = 0;
            char times[64] = "", sizes[64] = "";
            if (strstr(commands[c], "-k k") && kinds[k].make == kernels) continue;
            for (uint32_t times_more = 1; times_more <= 8; times_more *= 2) {
                ls_buf text = {0};
                int status;
                kinds[k].make(&text, kinds[k].least * times_more);
                ls_write_file(path, text.text, text.length);
                ls_buf_free(&text);
                last = measure(path, commands[c], &kilobytes, &status);
                if (times_more == 1) first = last, least = kilobytes;
                size_t n = strlen(times), m = strlen(sizes);
                snprintf(times + n, sizeof times - n, " %6.2f%s", last, WIFSIGNALED(status) ? "!" : "");
                snprintf(sizes + m, sizeof sizes - m, " %7ld", kilobytes >> 10);
            }
            printf("%-9s %-8.*s %28s %32s %7.2f %6.2f\n", kinds[k].name, (int)strcspn(commands[c], " "),
                   commands[c], times, sizes, log2((last + 0.01) / (first + 0.01)) / 3,
                   log2((double)kilobytes / (double)least) / 3);
        }
    ls_scratch_remove(folder);
    return 0;
}
