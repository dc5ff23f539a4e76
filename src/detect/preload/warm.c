/* The driver's compiler is loaded, and has compiled something, before a kernel waits for it. Its first
 * compilation takes twice as long as the same one later (measured: 15 and 8 ms for an empty kernel), and
 * whether a launch needs it is known only when somebody waits for that launch. So a thread of its own
 * compiles an empty kernel when the program allocates memory for the first time. */
#include "detect/preload/program.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_t thread;
static pid_t process; /* that it runs in: a child does not have it */

static void compile_nothing(void) {
    enum { CU_JIT_INPUT_PTX = 1 };
    static char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";
    CUresult (*create)(unsigned, int *, void **, void **) = NULL,
                                                      (*complete)(void *, void **, size_t *) = NULL,
                                                      (*destroy)(void *) = NULL;
    CUresult (*add)(void *, int, void *, size_t, const char *, unsigned, int *, void **) = NULL;
    *(void **)&create = dp_driver_function("cuLinkCreate_v2");
    *(void **)&add = dp_driver_function("cuLinkAddData_v2");
    *(void **)&complete = dp_driver_function("cuLinkComplete");
    *(void **)&destroy = dp_driver_function("cuLinkDestroy");
    void *link = NULL, *made = NULL;
    size_t size = 0;
    if (!create || !add || !complete || !destroy || create(0, NULL, NULL, &link) != CUDA_SUCCESS) return;
    if (add(link, CU_JIT_INPUT_PTX, ptx, sizeof ptx, "nothing", 0, NULL, NULL) == CUDA_SUCCESS)
        complete(link, &made, &size);
    destroy(link);
}

static void *run(void *context) {
    dp_inside++;
    CUresult (*set)(void *) = NULL;
    *(void **)&set = dp_driver_function("cuCtxSetCurrent");
    if (set && set(context) == CUDA_SUCCESS) compile_nothing();
    return NULL;
}

/* The driver must not end under it. */
static void wait_for_it(void) {
    if (process == getpid()) pthread_join(thread, NULL);
}

static void begin(void) {
    CUresult (*current)(void **) = NULL;
    void *context = NULL;
    *(void **)&current = dp_driver_function("cuCtxGetCurrent");
    if (!getenv("LOCKSTEP_REPORT") || !current || current(&context) != CUDA_SUCCESS || !context) return;
    sigset_t all, before; /* the program's handlers run in the program's threads */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    process = getpid();
    if (pthread_create(&thread, NULL, run, context) == 0) atexit(wait_for_it);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void dp_warm_compiler(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!dp_inside) pthread_once(&once, begin);
}
