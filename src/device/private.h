/* What the files of this layer share: the system, its allocations, streams and clocks. */
#ifndef LS_DEVICE_PRIVATE_H
#define LS_DEVICE_PRIVATE_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "device/device.h"
#include "device/record.h"
#include "lockstep/ptx.h"

#include <pthread.h>

enum { STACK_DEPTH = 24 };

/* Where the program called: return addresses, innermost first. */
typedef struct {
    uint32_t count;
    void *frames[STACK_DEPTH];
    const char *python; /* NULL, or the lines of a Python program (python.c) */
} stack;

/* --- Clocks (race.c) --- */
typedef LS_VEC(uint32_t) clock_vector; /* by stream */

/* Bytes that an operation touched: sorted ranges. */
typedef struct {
    uint64_t lo, hi;
} byte_range;
typedef LS_VEC(byte_range) range_list;

typedef struct {
    uint32_t stream, time; /* when: the clock of this stream itself */
    bool write;
    bool rough; /* not all bytes of the range were touched: there are too many pieces */
    range_list ranges;
    const char *what; /* the kernel or function */
    stack from;
} touched;
typedef LS_VEC(touched) touched_list;

typedef struct allocation_record {
    ls_memory m;
    stack from, freed_from;
    touched_list touched;
    uint64_t place, place_size; /* what was taken from the window, with red zones */
    bool of_graph;              /* a node of a graph allocates it, again and again */
} memory_record;

struct ls_stream {
    ls_dev *dev;
    int device, priority;
    uint32_t flags;
    uint32_t number; /* index in clocks; 0 is the host */
    bool is_legacy, freed;
    pthread_t thread; /* of a thread's own */
    bool of_thread;
    clock_vector clock;
    uint32_t kernel_time; /* of the last launch */
    bool early;           /* the launch that runs may have begun before that one ended */
    /* Capture: */
    ls_graph *capture;
    bool capture_origin, capture_given, capture_broken;
    ls_capture_mode capture_mode;
    pthread_t capture_thread; /* which began it */
    uint64_t capture_id;
    LS_VEC(ls_graph_node *) last;
};

struct ls_event {
    ls_dev *dev;
    uint32_t flags;
    bool recorded, known; /* known: the host has waited behind it */
    double time;          /* seconds */
    clock_vector clock;
    uint32_t stream;
    /* Recorded in a capture: */
    ls_graph *capture;
    uint64_t capture_id;
    LS_VEC(ls_graph_node *) last;
};

struct ls_dev_kernel {
    ls_kernel_info info;
    const ls_ptx_function *function;
    ls_emulator *checked, *plain;
    bool wanted;     /* by --kernel */
    uint32_t number; /* in the records; 0: not introduced yet */
    ls_record_stats stats;
    bool changed;
};

/* Clocks of what may run at the same time within one operation of a stream. */
typedef LS_VEC(ls_stream *) lane_list;

/* Kernels that a launch has launched itself, in the order of its blocks once they are sorted. */
typedef struct {
    ls_launch launch;
    uint64_t by;    /* block */
    uint32_t order; /* among all of them */
    bool tail;      /* after the others */
    uint64_t stream;
} child_launch;
typedef struct {
    ls_dev *dev;
    ls_dev_module *module;
    uint32_t depth;
    LS_VEC(child_launch) items;
} child_list;

struct ls_dev_module {
    ls_dev *dev;
    uint32_t written; /* its number in the folder of modules; 0: not there */
    int device;
    char *text;
    ls_ptx_module *ptx;
    ls_diags *diags;
    ls_emulator *emulator;
    LS_VEC(ls_dev_kernel *) kernels;
    ls_buf log;
    LS_VEC(uint64_t) variables;
};

typedef struct {
    const char *name;
    void *memory;
    uint64_t size;
} placed_variable;

/* Pages of the window that are those of a file (share.c). */
typedef struct {
    uint64_t from, to;
    int file;
} shared_pages;

struct ls_dev {
    ls_dev_options options;
    const ls_gpu_model *gpu;
    pthread_mutex_t lock;   /* recursive */
    pthread_mutex_t places; /* of the window and the host's memory: take_window */
    ls_emu_space *space;
    /* Memory: */
    LS_VEC(memory_record *) records; /* by address */
    LS_VEC(memory_record *) quarantine;
    uint32_t quarantine_first;
    uint64_t window_used, window_ready, host_used;
    uint64_t in_use[64]; /* bytes, by device */
    uint32_t allocations;
    LS_VEC(byte_range) spare_places;
    LS_VEC(placed_variable) placed; /* ls_dev_place */
    LS_VEC(shared_pages) shared;
    /* Streams: */
    LS_VEC(ls_stream *) streams;
    lane_list lanes, child_lanes; /* of graphs' nodes, and of kernels that kernels launch */
    LS_VEC(ls_event *) events;
    clock_vector host;
    bool racing; /* there is more than the default stream */
    touched_list host_touched;
    uint64_t captures;
    uint32_t graph_depth; /* graphs that are being launched, one in another */
    /* Modules: */
    LS_VEC(ls_dev_module *) modules;
    LS_VEC(ls_dev_kernel *) used_kernels;
    int told_by; /* the process that has told of them */
    uint64_t launches;
    uint32_t modules_written;
    /* Errors: */
    ls_dev_status sticky;
    ls_map missing;
    ls_arena arena;
    stack error_from;
    char error_text[128];
    bool error_open;
    uint32_t errors_unseen;
    double last_told;
    const void *python;   /* the object of the process that is Python's interpreter, or NULL */
    ls_map python_stacks; /* texts of stacks */
    ls_map recorded;      /* launches in the file already */
    ls_map said;          /* findings that were told, and need not be again */
    uint32_t findings_told;
    void *record_file;
    uint32_t record_count;
    volatile int cancel;
    bool finished;
};

void dv_lock(ls_dev *dev);
void dv_unlock(ls_dev *dev);

/* memory.c */
memory_record *dv_find(ls_dev *dev, uint64_t address);
/* The allocation that an address is in, just behind or just before, freed ones included. */
memory_record *dv_nearest(ls_dev *dev, uint64_t address);
uint64_t dv_take(void *context, uint64_t size, uint64_t align, bool managed);
uint64_t dv_place(void *context, const char *name, uint64_t size);
memory_record *dv_note_variable(ls_dev *dev, int device, uint64_t address, uint64_t size, const char *name);
void dv_forget_variable(ls_dev *dev, uint64_t address);
ls_dev_status dv_graph_alloc(ls_dev *dev, uint64_t address); /* a node of a graph */
uint64_t dv_alloc_word(ls_dev *dev, const char *name);       /* 4 bytes that no program frees; 0: no room */
bool dv_is_device(uint64_t address);
void dv_free_memory(ls_dev *dev);

/* stream.c */
void dv_free_streams(ls_dev *dev);

/* record.c */
void dv_stack(ls_dev *dev, stack *to); /* dev NULL: without the lines of a Python program */
void dv_put_stack(ls_buf *to, const char *label, const stack *from);
/* python.c: the interpreter of the process, and where it is, "python:file:line=function" in lines; NULL: not
 * known. */
const void *dv_python_object(void);
const char *dv_python_stack(ls_dev *dev);
void dv_put_memory(ls_buf *to, const memory_record *m);
void dv_tell(ls_dev *dev, ls_buf *record);
/* A finding of the host's: rule, message; the stacks follow it in the buffer. */
void dv_begin_finding(ls_buf *to, const char *rule, ls_severity level, const ls_dev_kernel *kernel,
                      uint64_t count, const char *format, ...) __attribute__((format(printf, 6, 7)));
void dv_tell_kernel(ls_dev *dev, ls_dev_kernel *kernel);
void dv_tell_stats(ls_dev *dev, bool all);
void dv_tell_leaks(ls_dev *dev);

/* copy.c, work.c, launch.c */
ls_dev_status dv_run_copy(ls_stream *s, const ls_copy *c, const char *what);
ls_dev_status dv_run_fill(ls_stream *s, const ls_fill *f, const char *what);
ls_dev_status dv_run_work(ls_stream *s, const ls_work *w, const char *what);
ls_dev_status dv_run_kernel(ls_stream *s, const ls_launch *l);
/* One launch, whose sizes are valid; the kernels that it launches are put into the list. */
ls_dev_status dv_run_launch(ls_stream *s, const ls_launch *l, const stack *from, child_list *children);
bool dv_launch_valid(const ls_dev *dev, const ls_kernel_info *i, const ls_launch *l);
/* children.c: a launch and those that its kernel makes, and theirs; depth: how many there are above it. */
ls_dev_status dv_run_family(ls_stream *s, const ls_launch *l, const stack *from);
int dv_take_child(void *children, const ls_emu_child *child);
void dv_record_launch(ls_dev *dev, const ls_dev_kernel *k, const ls_launch *l);

/* race.c */
void dv_clock_join(clock_vector *to, const clock_vector *from);
/* The next operation of a stream begins: what comes before it is ordered. */
void dv_begin(ls_stream *s);
/* Whether the operation that has begun follows a launch directly; it is the last launch from now on. */
bool dv_follows_launch(ls_stream *s);
/* A dependent launch has touched bytes before it waited for the one in front of it. */
void dv_touch_early(ls_stream *s, uint64_t address, uint64_t size, bool write, const char *what,
                    const stack *from);
/* It touches these bytes. */
void dv_touch(ls_stream *s, uint64_t address, uint64_t size, bool write, bool rough, const char *what,
              const stack *from);
void dv_host_knows(ls_dev *dev, const clock_vector *clock);

/* stream.c */
ls_stream *dv_lane(ls_dev *dev, lane_list *lanes, uint32_t index);
/* What the stream runs between the two is in that lane, after what `start` knows. */
typedef struct {
    clock_vector clock;
    uint32_t number;
} lane_state;
lane_state dv_enter_lane(ls_stream *s, const ls_stream *lane, const clock_vector *start);
void dv_leave_lane(ls_stream *s, ls_stream *lane, const lane_state *kept);
ls_dev_status dv_carry_out(ls_stream *s, const ls_op *op);
/* graph.c */
void dv_op_copy(ls_op *to, const ls_op *from);
void dv_op_free(ls_op *op);
ls_dev_status dv_run_condition(ls_stream *s, const ls_condition *c);
bool dv_capture(ls_stream *s, const ls_op *op, ls_dev_status *status);

#endif
