/* What a confined process is refused, before its seal and after it, and what still works in it. */
#include "base/confine.h"
#include "base/pool.h"
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { GOOD = 42 };

static void take(void *context, const char *text, size_t length) {
    ls_buf_add(context, text, length);
}

static bool only_passwd(void *context, const char *path) {
    (void)context;
    return !strcmp(path, "/etc/passwd");
}

static ls_buf said;

static int confined(int (*work)(void *of), uint64_t bytes) {
    said.length = 0;
    return ls_confine(
        &(ls_confine_options){.may_read = only_passwd, .take = take, .context = &said, .bytes = bytes}, work,
        NULL);
}

/* --- Hostile actions: GOOD where they are refused ----------------------------------------------------------
 */

static bool is_refused(long result) {
    return result < 0 && (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

static int open_a_file(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    return is_refused(open("/etc/passwd", O_RDONLY)) ? GOOD : 2;
}

static int write_a_file(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    return is_refused(open("/tmp/lockstep-confined", O_CREAT | O_WRONLY, 0600)) ? GOOD : 2;
}

static int remove_a_file(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    return is_refused(unlink("/tmp/lockstep-confined")) && is_refused(rename("/tmp/a", "/tmp/b")) ? GOOD : 2;
}

static int connect_somewhere(void *of) {
    (void)of;
    if (!is_refused(socket(AF_INET, SOCK_STREAM, 0))) return 1; /* also before */
    if (!ls_confine_seal()) return 2;
    return is_refused(socket(AF_INET, SOCK_STREAM, 0)) && is_refused(socket(AF_UNIX, SOCK_STREAM, 0)) ? GOOD
                                                                                                      : 3;
}

static int run_a_program(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    execl("/bin/true", "true", (char *)NULL);
    return errno == EPERM ? GOOD : 2;
}

static int make_a_process(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    pid_t child = fork();
    if (child == 0) _exit(0);
    return is_refused(child) ? GOOD : 2;
}

static int end_the_parent(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    return is_refused(kill(getppid(), 0)) ? GOOD : 2;
}

static int make_code(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED) return 2;
    at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return at != MAP_FAILED && mprotect(at, 4096, PROT_READ | PROT_EXEC) ? GOOD : 3;
}

static void hostile_actions_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int (*work)(void *of);
    } rows[] = {
        {"open a file", open_a_file},       {"write a file", write_a_file},
        {"remove a file", remove_a_file},   {"connect", connect_somewhere},
        {"run a program", run_a_program},   {"make a process", make_a_process},
        {"end the parent", end_the_parent}, {"make code", make_code},
    };
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        int status = confined(rows[k].work, 0);
        if (status != GOOD) fail_msg("%s: status %d", rows[k].name, status);
    }
}

/* --- What works --------------------------------------------------------------------------------------------
 */

static void count_one(void *context, uint32_t index) {
    (void)index;
    atomic_fetch_add((atomic_int *)context, 1);
}

static int compute_and_print(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    atomic_int count = 0;
    ls_parallel_for(4, 100, count_one, &count);
    char *memory = malloc(64 << 20);
    if (!memory) return 2;
    memset(memory, 7, 64 << 20);
    printf("%d %d\n", (int)count, memory[12345]);
    free(memory);
    return GOOD;
}

static int read_by_the_parent(void *of) {
    (void)of;
    ls_buf text = {0};
    if (!ls_confine_seal() || !ls_confine_sealed()) return 1;
    if (!ls_read_file("/etc/passwd", &text) || !text.length) return 2;
    ls_buf_free(&text);
    if (ls_read_file("/etc/hostname", &text)) return 3; /* not that one */
    if (ls_read_file("/etc/../etc/passwd", &text)) return 4;
    return GOOD;
}

static int compile_before_the_seal(void *of) {
    (void)of;
    ls_args argv = {0};
    LS_VEC_PUSH(&argv, "sh");
    LS_VEC_PUSH(&argv, "-c");
    LS_VEC_PUSH(&argv, "echo compiled");
    ls_buf text = {0};
    int status = ls_process_run(&argv, NULL, &text);
    LS_VEC_FREE(&argv);
    bool good = !status && !strcmp(ls_buf_text(&text), "compiled\n");
    ls_buf_free(&text);
    return good && ls_confine_seal() ? GOOD : 1;
}

static void work_goes_on(void **state) {
    (void)state;
    assert_int_equal(confined(compute_and_print, 0), GOOD);
    assert_string_equal(ls_buf_text(&said), "100 7\n");
    assert_int_equal(confined(read_by_the_parent, 0), GOOD);
    assert_int_equal(confined(compile_before_the_seal, 0), GOOD);
}

/* --- Ends --------------------------------------------------------------------------------------------------
 */

static int crash(void *of) {
    (void)of;
    signal(SIGABRT, SIG_DFL);
    if (ls_confine_seal()) abort();
    return 1;
}

static int take_memory(void *of) {
    (void)of;
    if (!ls_confine_seal()) return 1;
    for (;;) {
        char *at = mmap(NULL, 16 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at == MAP_FAILED) return 2;
        memset(at, 1, 16 << 20);
        usleep(5000);
    }
}

static void ends_are_told(void **state) {
    (void)state;
    assert_int_equal(confined(crash, 0), 128 + SIGABRT);
    assert_int_equal(confined(take_memory, 512 << 20), LS_CONFINE_MEMORY);
}

/* Not in a confined process, nothing can be sealed, and files are opened as ever. */
static void nothing_changes_outside(void **state) {
    (void)state;
    assert_false(ls_confine_seal());
    assert_false(ls_confine_sealed());
    int descriptor = ls_confine_open("/etc/passwd");
    assert_true(descriptor >= 0);
    close(descriptor);
}

static int nothing(void *of) {
    (void)of;
    return GOOD;
}

int main(void) {
    if (confined(nothing, 0) == LS_CONFINE_UNABLE) {
        fprintf(stderr, "skipped: there are no system call filters here\n");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_actions_are_refused),
        cmocka_unit_test(work_goes_on),
        cmocka_unit_test(ends_are_told),
        cmocka_unit_test(nothing_changes_outside),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    ls_buf_free(&said);
    return status;
}
