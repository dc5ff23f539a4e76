/* OpenCL's objects on the emulated device, and what the files of this layer share. An object begins with the
 * table of functions that an ICD loader calls through. All of them share one state (object.c), which a lock
 * guards: an entry point begins with ENTER and leaves the lock when it returns.
 *
 * A handle that the program has released is still known for what it was (ocl_is), so that its use can be
 * told. */
#ifndef LS_OPENCL_OPENCL_H
#define LS_OPENCL_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include "base/buf.h"
#include "base/vec.h"
#include "device/device.h"
#include "lockstep/frontend.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef enum {
    OCL_PLATFORM = 1,
    OCL_DEVICE,
    OCL_CONTEXT,
    OCL_QUEUE,
    OCL_MEM,
    OCL_SAMPLER,
    OCL_PROGRAM,
    OCL_KERNEL,
    OCL_EVENT,
} ocl_kind;

typedef struct {
    const cl_icd_dispatch *dispatch; /* first: a loader looks here */
    ocl_kind kind;
    cl_uint references; /* the program's; at 0 it has released the object … */
    uint32_t holds;     /* … which stays while other objects and commands use it */
} ocl_object;

typedef struct {
    void (*call)(void *data); /* in the form that its kind has: see ocl_callback_kind */
    void *data;
    cl_int type; /* of events: the status that it waits for */
} ocl_callback;
typedef LS_VEC(ocl_callback) ocl_callbacks;

struct _cl_platform_id {
    ocl_object o;
};

struct _cl_device_id {
    ocl_object o;
    int number;
};

struct _cl_context {
    ocl_object o;
    LS_VEC(cl_device_id) devices;
    LS_VEC(cl_context_properties) properties;
    ocl_callbacks destructors;
};

enum { OCL_LANES = 16 };
struct _cl_command_queue {
    ocl_object o;
    cl_context context;
    cl_device_id device;
    cl_command_queue_properties properties;
    LS_VEC(cl_queue_properties) given; /* as clCreateCommandQueueWithProperties got them */
    ls_stream *stream;                 /* the order of its commands */
    bool is_default;                   /* `stream` is the device's default one */
    ls_stream *lanes[OCL_LANES];       /* out of order: commands run on these in turn */
    uint32_t next_lane;
    ls_event *barrier;        /* out of order: what later commands come after; NULL: nothing */
    cl_int failed;            /* of the first command that has, since the program last asked */
    LS_VEC(cl_event) pending; /* not carried out yet, in the order of the calls */
};

typedef struct {
    void *pointer;
    uint64_t offset, size; /* of buffers: bytes */
    size_t origin[3], region[3];
    cl_map_flags flags;
} ocl_map;

struct _cl_mem {
    ocl_object o;
    cl_context context;
    cl_mem_object_type type;
    cl_mem_flags flags;
    uint64_t size, address;
    void *host;    /* CL_MEM_USE_HOST_PTR */
    cl_mem parent; /* of a sub-buffer, or of an image in a buffer */
    size_t origin; /* of a sub-buffer */
    bool borrows;  /* the memory is another's: the parent's, or the program's (SVM) */
    LS_VEC(ocl_map) maps;
    LS_VEC(cl_mem_properties) properties;
    ocl_callbacks destructors;
    /* Images (image.c): */
    cl_image_format format;
    cl_image_desc image;
    uint64_t element, row_pitch, slice_pitch; /* bytes, of the device's memory */
    uint64_t descriptor;                      /* what kernels are given: share/lockstep/opencl/images.h */
};

struct _cl_sampler {
    ocl_object o;
    cl_context context;
    cl_bool normalized;
    cl_addressing_mode addressing;
    cl_filter_mode filter;
    LS_VEC(cl_sampler_properties) properties;
};

/* --- Programs --- */
typedef struct {
    char *name, *type, *access, *qualifiers;
    uint32_t space; /* as ls_kernel_argument has it */
} ocl_argument_info;

typedef struct {
    char *name;
    uint32_t argument_count, room;
    ocl_argument_info *arguments;
    size_t required[3]; /* reqd_work_group_size, or 0 */
    char *attributes;
} ocl_kernel_info;

/* The forms that a program is compiled in. RANGE is for launches with an offset or work-groups of several
 * sizes, and made when the first of them comes. */
typedef enum { OCL_PLAIN, OCL_RANGE, OCL_FORMS } ocl_form;

typedef struct {
    const char *name;
    cl_program program;
} ocl_header;

struct _cl_program {
    ocl_object o;
    cl_context context;
    ls_arena texts; /* what follows is in it */
    char *source;   /* NULL: from a binary */
    char *options, *log;
    cl_build_status status;
    cl_program_binary_type binary_type;
    char *ptx;      /* with what is told of the kernels in comments: this is the binary */
    ls_arena built; /* what follows is in it */
    LS_VEC(ocl_kernel_info) kernels;
    ls_dev_module *modules[OCL_FORMS];
    uint32_t number; /* in the names of files */
    uint32_t kernel_objects;
    LS_VEC(ocl_header) headers; /* of clCompileProgram, in texts */
    ocl_callbacks releases;
};

typedef struct {
    bool set;
    size_t size;
    unsigned char *bytes; /* of a value */
    cl_mem mem;           /* not held: the program may release it, and then it must not be used */
    uint64_t address;     /* of its memory, or a sampler's value */
} ocl_argument;

struct _cl_kernel {
    ocl_object o;
    cl_program program;
    const ocl_kernel_info *info;
    ocl_argument *arguments;
};

/* --- Commands --- */
/* A command is its event, whether the program asked for one or not. */
typedef cl_int ocl_work(cl_event command, ls_stream *stream);

struct _cl_event {
    ocl_object o;
    cl_context context;
    cl_command_queue queue; /* NULL: a user event */
    cl_command_type type;
    cl_int status;
    cl_ulong times[4]; /* queued, submitted, started, ended: nanoseconds */
    ls_event *order;   /* recorded behind it; NULL where nobody can ask */
    bool is_barrier, waits_for_all;
    ocl_work *work;
    void *data; /* on the heap, its own */
    LS_VEC(cl_event) waits;
    LS_VEC(ocl_object *) uses; /* held while it is not done */
    ocl_callbacks callbacks;
};

/* --- object.c --- */
typedef struct ocl_system ocl_system;
ls_dev *ocl_dev(void);
cl_platform_id ocl_platform(void);
uint32_t ocl_device_count(void);
cl_device_id ocl_device(uint32_t index);

void ocl_lock(void);
void ocl_unlock(int *ignored);
/* Waits until something has changed; the lock must be held once. */
void ocl_await(void);
void ocl_changed(void);
#define ENTER                                                                                                \
    int entered __attribute__((cleanup(ocl_unlock), unused)) = 0;                                            \
    ocl_lock()

/* All zero, known, with one reference. */
void *ocl_new(ocl_kind kind, size_t size);
/* Whether it is such an object and not released; a released one is told. */
bool ocl_is(const void *handle, ocl_kind kind, const char *function);
void ocl_hold(void *object);
void ocl_drop(void *object);
cl_int ocl_retain(void *handle, ocl_kind kind, cl_int error, const char *function);
cl_int ocl_release(void *handle, ocl_kind kind, cl_int error, const char *function);
/* Calls back when the lock is left. */
void ocl_call_later(void (*call)(void *object, void *data), void *object, void *data);
void ocl_call_event_later(void (*call)(cl_event, cl_int, void *), cl_event event, cl_int status, void *data);

/* The size of work-groups that is recommended for a kernel: 256, as an H200's driver says of every kernel,
 * which takes larger groups nevertheless. */
static inline size_t ocl_recommended_group(const ls_kernel_info *info) {
    return info->max_threads < 256 ? (size_t)info->max_threads : 256;
}

/* Answers of clGet…Info: what is asked for, with the size that the caller has room for. */
cl_int ocl_answer(const void *value, size_t length, size_t room, void *out, size_t *size);
cl_int ocl_answer_text(const char *text, size_t room, void *out, size_t *size);
#define ANSWER(type, value) return ocl_answer(&(type){value}, sizeof(type), room, out, size)
#define FAIL(code)                                                                                           \
    do {                                                                                                     \
        if (error) *error = (code);                                                                          \
        return NULL;                                                                                         \
    } while (0)

/* What destroys the objects of each kind, by its file. */
void ocl_destroy_context(void *object);
void ocl_destroy_queue(void *object);
void ocl_destroy_mem(void *object);
void ocl_destroy_sampler(void *object);
void ocl_destroy_program(void *object);
void ocl_destroy_kernel(void *object);
void ocl_destroy_event(void *object);

/* icd.c */
const cl_icd_dispatch *ocl_dispatch(void);

/* --- event.c --- */
uint64_t ocl_now(void);
/* A command with room for its data. */
cl_event ocl_command(cl_command_queue queue, cl_command_type type, ocl_work *work, const void *data,
                     size_t size);
void ocl_uses(cl_event command, void *object);
/* Takes the command: it runs when what it waits for is done, at once where that is so. */
cl_int ocl_enqueue(cl_event command, cl_uint count, const cl_event *list, cl_bool blocking, cl_event *out);
/* Whether a wait list is one. To be asked before a command is made. */
cl_int ocl_check_waits(cl_context context, cl_uint count, const cl_event *list, const char *function);
/* Carries out what can be. */
void ocl_pump(void);
cl_int ocl_wait(cl_event event);
cl_int ocl_result(ls_dev_status status);

/* queue.c */
uint32_t ocl_queue_count(void);
cl_command_queue ocl_queue_at(uint32_t index);

/* --- memory.c, transfer.c --- */
cl_mem ocl_new_mem(cl_context context, cl_mem_object_type type, cl_mem_flags flags, uint64_t size, void *host,
                   const char *function, cl_int *error);
cl_int ocl_check_flags(cl_mem_flags flags, const void *host);
/* Now, for the host: bytes of a buffer that was just made. */
void ocl_copy_now(uint64_t to, const void *from, uint64_t size, const char *function);
cl_int ocl_submit_copy(ls_stream *stream, const ls_copy *copy, const char *function);
/* A copy as a command: what it does, for the function that it is called by. */
typedef struct {
    ls_copy copy;
    const char *function;
} ocl_transfer;
cl_int ocl_run_transfer(cl_event command, ls_stream *stream);
/* Touches the bytes as the command does, with a function of the host's in between. */
cl_int ocl_submit_work(ls_stream *stream, const char *function, ls_work_call call, void *data,
                       uint64_t address, uint64_t size, bool write, bool rough);
cl_int ocl_check_queue_mem(cl_command_queue queue, cl_mem mem, const char *function);
/* Repeats a pattern. */
void ocl_repeat(char *to, uint64_t size, const void *pattern, uint64_t pattern_size);

/* --- image.c --- */
uint64_t ocl_sampler_value(const struct _cl_sampler *sampler);
uint64_t ocl_image_address(cl_mem image, const size_t origin[3]);

/* --- build.c --- */
bool ocl_compile(cl_program program, ocl_form form, const char *options, ls_buf *ptx, ls_buf *log);
/* Kernels out of the comments of a PTX text. */
void ocl_read_kernels(cl_program program);
void ocl_forget_build(cl_program program);
bool ocl_options_good(const char *options, char *wrong, size_t size);
/* Whether it asks for what only the form for ranges knows. */
bool ocl_needs_range(const struct _cl_program *program);
bool ocl_program_is_uniform(const struct _cl_program *program);
ls_dev_module *ocl_module(cl_program program, ocl_form form);

#endif
