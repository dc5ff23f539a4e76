/* The state of the platform in this process: its lock, its objects and which of them are live, and the calls
 * back into the program that wait until the lock is left. */
#include "opencl/opencl.h"

#include "base/map.h"
#include "device/process.h"

#include <pthread.h>
#include <stdlib.h>

enum { RELEASED = 1 << 16, QUARANTINE = 8192 };

typedef struct {
    void (*call)(void *object, void *data);
    void (*event_call)(cl_event event, cl_int status, void *data);
    void *object, *data;
    cl_int status;
} later;

/* A platform is one for the process: the only state that nothing is passed in for. */
static struct {
    pthread_once_t once;
    pthread_mutex_t lock; /* recursive: what a program is called back with may call again */
    pthread_cond_t changed;
    uint32_t depth;
    ls_dev *dev;
    struct _cl_platform_id platform;
    struct _cl_device_id devices[64];
    ls_intmap known; /* handle → its kind, with RELEASED */
    void *quarantine[QUARANTINE];
    uint32_t quarantined;
    LS_VEC(later) calls;
} all = {.once = PTHREAD_ONCE_INIT, .changed = PTHREAD_COND_INITIALIZER};

static void know(const void *handle, uint64_t what) {
    bool is_new;
    *ls_intmap_at(&all.known, (uintptr_t)handle, &is_new) = what;
}

static void start(void) {
    pthread_mutexattr_t how;
    pthread_mutexattr_init(&how);
    pthread_mutexattr_settype(&how, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&all.lock, &how);
    pthread_mutexattr_destroy(&how);
    all.dev = ls_dev_of_process(LS_WORDS_OPENCL);
    all.platform.o = (ocl_object){ocl_dispatch(), OCL_PLATFORM, 1, 0};
    know(&all.platform, OCL_PLATFORM);
    for (uint32_t k = 0; k < ls_dev_count(all.dev); k++) {
        all.devices[k].o = (ocl_object){ocl_dispatch(), OCL_DEVICE, 1, 0};
        all.devices[k].number = (int)k;
        know(&all.devices[k], OCL_DEVICE);
    }
}

ls_dev *ocl_dev(void) {
    pthread_once(&all.once, start);
    return all.dev;
}
cl_platform_id ocl_platform(void) {
    pthread_once(&all.once, start);
    return &all.platform;
}
uint32_t ocl_device_count(void) {
    return ls_dev_count(ocl_dev());
}
cl_device_id ocl_device(uint32_t index) {
    return index < ocl_device_count() ? &all.devices[index] : NULL;
}

/* --- The lock --- */
void ocl_lock(void) {
    pthread_once(&all.once, start);
    pthread_mutex_lock(&all.lock);
    all.depth++;
}

void ocl_unlock(int *ignored) {
    (void)ignored;
    while (all.depth == 1 && all.calls.length) { /* with the lock left, so that they may wait */
        later call = all.calls.items[0];
        memmove(all.calls.items, all.calls.items + 1, --all.calls.length * sizeof call);
        all.depth = 0;
        pthread_mutex_unlock(&all.lock);
        if (call.call) call.call(call.object, call.data);
        if (call.event_call) call.event_call(call.object, call.status, call.data);
        pthread_mutex_lock(&all.lock);
        all.depth = 1;
        if (call.event_call) ocl_drop(call.object);
    }
    all.depth--;
    pthread_mutex_unlock(&all.lock);
}

void ocl_await(void) {
    uint32_t depth = all.depth;
    all.depth = 0;
    pthread_cond_wait(&all.changed, &all.lock);
    all.depth = depth;
}
void ocl_changed(void) {
    pthread_cond_broadcast(&all.changed);
}

void ocl_call_later(void (*call)(void *object, void *data), void *object, void *data) {
    later l = {.call = call, .object = object, .data = data};
    LS_VEC_PUSH(&all.calls, l);
}
void ocl_call_event_later(void (*call)(cl_event, cl_int, void *), cl_event event, cl_int status, void *data) {
    later l = {.event_call = call, .object = event, .data = data, .status = status};
    ocl_hold(event);
    LS_VEC_PUSH(&all.calls, l);
}

/* --- Objects --- */
static const struct {
    const char *name;
    void (*destroy)(void *object);
} kinds[] = {[OCL_PLATFORM] = {"cl_platform_id", NULL},
             [OCL_DEVICE] = {"cl_device_id", NULL},
             [OCL_CONTEXT] = {"cl_context", ocl_destroy_context},
             [OCL_QUEUE] = {"cl_command_queue", ocl_destroy_queue},
             [OCL_MEM] = {"cl_mem", ocl_destroy_mem},
             [OCL_SAMPLER] = {"cl_sampler", ocl_destroy_sampler},
             [OCL_PROGRAM] = {"cl_program", ocl_destroy_program},
             [OCL_KERNEL] = {"cl_kernel", ocl_destroy_kernel},
             [OCL_EVENT] = {"cl_event", ocl_destroy_event}};

void *ocl_new(ocl_kind kind, size_t size) {
    ocl_object *o = calloc(1, size);
    if (!o) return NULL;
    *o = (ocl_object){ocl_dispatch(), kind, 1, 0};
    know(o, kind);
    return o;
}

static bool is_released(const void *handle, ocl_kind kind) {
    uint64_t what = 0;
    return ls_intmap_get(&all.known, (uintptr_t)handle, &what) && what == (uint64_t)(kind | RELEASED);
}

static uint64_t memory_of(const void *handle, ocl_kind kind) {
    return kind == OCL_MEM ? ((const struct _cl_mem *)handle)->address : 0;
}

bool ocl_is(const void *handle, ocl_kind kind, const char *function) {
    uint64_t what = 0;
    if (!handle || !ls_intmap_get(&all.known, (uintptr_t)handle, &what)) return false;
    if (what == (uint64_t)kind) return true;
    if (is_released(handle, kind))
        ls_dev_finding(ocl_dev(), "memory.bounds", LS_ERROR, memory_of(handle, kind),
                       "%s is passed a %s that was released before", function, kinds[kind].name);
    return false;
}

/* What it was stays readable for some time: a loader looks into handles before they come here. */
static void destroy(ocl_object *o) {
    if (!kinds[o->kind].destroy) return;
    kinds[o->kind].destroy(o);
    uint32_t at = all.quarantined++ % QUARANTINE;
    void *oldest = all.quarantine[at];
    if (oldest) know(oldest, 0);
    free(oldest);
    all.quarantine[at] = o;
}

void ocl_hold(void *object) {
    ((ocl_object *)object)->holds++;
}
void ocl_drop(void *object) {
    ocl_object *o = object;
    if (!o) return;
    o->holds--;
    if (!o->holds && !o->references) destroy(o);
}

cl_int ocl_retain(void *handle, ocl_kind kind, cl_int error, const char *function) {
    if (!ocl_is(handle, kind, function)) return error;
    ((ocl_object *)handle)->references++;
    return CL_SUCCESS;
}

cl_int ocl_release(void *handle, ocl_kind kind, cl_int error, const char *function) {
    ocl_object *o = handle;
    if (handle && is_released(handle, kind)) {
        ls_dev_finding(ocl_dev(), "memory.free", LS_ERROR, memory_of(handle, kind),
                       "%s of a %s that was released before", function, kinds[kind].name);
        return error;
    }
    if (!ocl_is(handle, kind, function)) return error;
    if (kind <= OCL_DEVICE) return CL_SUCCESS;
    if (--o->references) return CL_SUCCESS;
    know(o, kind | RELEASED);
    if (!o->holds) destroy(o);
    return CL_SUCCESS;
}

/* --- Answers --- */
cl_int ocl_answer(const void *value, size_t length, size_t room, void *out, size_t *size) {
    if (out && room < length) return CL_INVALID_VALUE;
    if (out && length) memcpy(out, value, length);
    if (size) *size = length;
    return CL_SUCCESS;
}

cl_int ocl_answer_text(const char *text, size_t room, void *out, size_t *size) {
    return ocl_answer(text ? text : "", strlen(text ? text : "") + 1, room, out, size);
}
