/* The device of this process: the command's options come in the environment, host code that follows a device
 * pointer is noticed by a signal's handler, and what is left over is told when the process ends. */
#include "device/process.h"

#include "lockstep/detect.h"
#include "lockstep/jit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* A driver is one for the process: the only state that nothing is passed in for. */
static struct {
    pthread_once_t once;
    ls_dev_words words;
    ls_dev *dev;
    pid_t pid;
    struct sigaction before[2];
} process = {.once = PTHREAD_ONCE_INIT};

/* --- Options --- */
static double number(const char *name, double otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtod(text, NULL) : otherwise;
}

/* --- Host code that follows a device pointer --- */
static const int faults[] = {SIGSEGV, SIGBUS};

static void on_fault(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        if (faults[k] == signal_number) sigaction(signal_number, &process.before[k], NULL);
    if (process.dev) ls_dev_fault(process.dev, (uint64_t)(uintptr_t)info->si_addr);
    /* what faulted is executed again, and ends the program as it would without this */
}

static void watch_faults(void) {
    struct sigaction how = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&how.sa_mask);
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        sigaction(faults[k], &how, &process.before[k]);
}

static void start(void) {
    ls_dev_options o = {.checks = (uint32_t)number("LOCKSTEP_CHECKS", LS_CHECK_ALL),
                        .devices = (uint32_t)number("LOCKSTEP_DEVICES", 1),
                        .threads = (uint32_t)number("LOCKSTEP_THREADS", 0),
                        .gpu = getenv("LOCKSTEP_GPU"),
                        .kernels = getenv("LOCKSTEP_KERNELS"),
                        .first_launch = (uint64_t)number("LOCKSTEP_FIRST", 0),
                        .last_launch = (uint64_t)number("LOCKSTEP_LAST", 0),
                        .sample = (uint32_t)number("LOCKSTEP_SAMPLE", 0),
                        .timeout = number("LOCKSTEP_TIMEOUT", 0),
                        .record = getenv("LOCKSTEP_RECORD"),
                        .modules = getenv("LOCKSTEP_MODULES"),
                        .profile = number("LOCKSTEP_PROFILE", 0) != 0,
                        .jit = (ls_emu_jit)number("LOCKSTEP_JIT", LS_JIT_AUTO),
                        .compiler = ls_jit_compiler(),
                        .prover = number("LOCKSTEP_CHECK_PROVED", 0) != 0 ? NULL : ls_detect_prover(),
                        .report = (int)number("LOCKSTEP_REPORT_FD", -1),
                        .words = process.words};
    process.dev = ls_dev_new(&o);
    process.pid = getpid();
    watch_faults();
}

ls_dev *ls_dev_of_process(ls_dev_words words) {
    if (!process.dev) process.words = words;
    pthread_once(&process.once, start);
    return process.dev;
}

static __attribute__((destructor)) void end(void) {
    if (process.dev) ls_dev_finish(process.dev, getpid() == process.pid);
}
