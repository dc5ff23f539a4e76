/* An emulated GPU for whole programs: memory, modules, streams, events, arrays and graphs as the CUDA driver
 * and OpenCL have them, with kernels run by the emulator and its checkers. What stands in for a driver
 * (src/cuda) translates its calls to these.
 *
 *     ls_dev *dev = ls_dev_new(&(ls_dev_options){.checks = LS_CHECK_ALL, .report = -1});
 *     uint64_t data = ls_dev_alloc(dev, LS_MEMORY_DEVICE, 0, 4096, "cuMemAlloc");
 *     ls_dev_module *module; ls_dev_load(dev, 0, ptx, SIZE_MAX, &module);
 *     ls_op op = {.kind = LS_OP_KERNEL, .kernel = {…}};
 *     ls_dev_submit(ls_dev_default_stream(dev, 0), &op);
 *
 * A device address is no address of the host: there the host has no pages (emulate/space.h). Pinned and
 * managed memory has one address for both. Operations are carried out when they are submitted, in the order
 * of the calls, which every stream's order allows; which of them nothing else orders is kept as vector clocks
 * (race.c). Any thread may call; kernels run one at a time, on all cores.
 *
 * Everything that is found goes to `report` as records (record.h), when it happens. */
#ifndef LS_DEVICE_DEVICE_H
#define LS_DEVICE_DEVICE_H

#include "base/arena.h"
#include "emulate/space.h"
#include "lockstep/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ls_dev ls_dev;
typedef struct ls_dev_module ls_dev_module;
typedef struct ls_dev_kernel ls_dev_kernel;
typedef struct ls_stream ls_stream;
typedef struct ls_event ls_event;
typedef struct ls_graph ls_graph;
typedef struct ls_graph_node ls_graph_node;

/* The result of a call; the numbers are those of CUDA's driver. */
typedef enum {
    LS_DEV_OK = 0,
    LS_DEV_INVALID = 1,
    LS_DEV_NO_MEMORY = 2,
    LS_DEV_BAD_IMAGE = 200,
    LS_DEV_NO_PTX = 209, /* machine code only */
    LS_DEV_BAD_PTX = 218,
    LS_DEV_BAD_HANDLE = 400,
    LS_DEV_BAD_STATE = 401,
    LS_DEV_NOT_FOUND = 500,
    LS_DEV_NOT_READY = 600,
    LS_DEV_BAD_ADDRESS = 700,
    LS_DEV_BAD_LAUNCH = 701,
    LS_DEV_TIMEOUT = 702,
    LS_DEV_ASSERT = 710,
    LS_DEV_LAUNCH_FAILED = 719,
    LS_DEV_NOT_SUPPORTED = 801,
    LS_DEV_CAPTURE_UNSUPPORTED = 900,
    LS_DEV_CAPTURE_INVALIDATED = 901,
    LS_DEV_CAPTURE_MERGE = 902,
    LS_DEV_CAPTURE_UNMATCHED = 903,
    LS_DEV_CAPTURE_UNJOINED = 904,
    LS_DEV_CAPTURE_ISOLATION = 905,
    LS_DEV_CAPTURE_IMPLICIT = 906,
    LS_DEV_CAPTURED_EVENT = 907,
    LS_DEV_CAPTURE_THREAD = 908,
    LS_DEV_BAD_CLUSTER = 912,
} ls_dev_status;

/* --- The system --------------------------------------------------------------------------------------------
 */
typedef enum { LS_WORDS_CUDA, LS_WORDS_OPENCL } ls_dev_words;

typedef struct {
    uint32_t checks;       /* LS_CHECK_… */
    uint32_t devices;      /* 0: one */
    uint32_t threads;      /* host threads that run blocks; 0: one per core */
    const char *gpu;       /* NULL: the usual one (gpus.c) */
    const char *kernels;   /* NULL, or names, one a line: others run unchecked */
    uint64_t first_launch; /* 0, or of the only launches that are checked … */
    uint64_t last_launch;  /* … and of the last; 0: all behind it */
    uint32_t sample;       /* 0, or about so many blocks of a launch are checked */
    double timeout;        /* seconds for one launch; 0: none */
    const char *record;    /* NULL, or a file that is given every distinct launch */
    const char *modules;   /* NULL, or a folder that is given the PTX of each module with a recorded launch */
    bool profile;          /* count instructions */
    ls_emu_jit jit;        /* whether kernels that are not counted are compiled … */
    const ls_emu_compiler *compiler; /* … by what, or NULL */
    const ls_emu_prover *prover;     /* NULL, or what says which accesses need no check for races */
    int report;                      /* a descriptor for records; negative: standard error, as text */
    ls_dev_words words;              /* that findings are written in, and whose rules kernels are held to */
} ls_dev_options;

ls_dev *ls_dev_new(const ls_dev_options *options);
/* Says what is left over: statistics, and leaks where this is the process that made the device (and not one
 * that it forked). To be called at the end; nothing may be used after. */
void ls_dev_finish(ls_dev *dev, bool leaks);
/* Frees all of it, and the window of its addresses: a process has one such device at a time. Streams, events
 * and modules of it must not be used after; graphs are the caller's. */
void ls_dev_close(ls_dev *dev);
/* Code of the host was stopped at an address: a finding where it is the device's. From a signal's handler. */
void ls_dev_fault(ls_dev *dev, uint64_t address);
/* All memory of a device is freed. */
void ls_dev_reset(ls_dev *dev, int device);
uint32_t ls_dev_count(const ls_dev *dev);

/* Something of the program cannot be run: what, in the report. */
void ls_dev_failed(ls_dev *dev, const char *text);
/* A function that is not there was called: named once in the report. */
void ls_dev_missing(ls_dev *dev, const char *function);
/* A finding of the host's, with the stack of the call and, where `address` is in or near memory of the
 * device's, freed or not, where that comes from. */
void ls_dev_finding(ls_dev *dev, const char *rule, ls_severity level, uint64_t address, const char *format,
                    ...) __attribute__((format(printf, 5, 6)));
/* An error that a call has returned, and whether the program has looked at one since. */
void ls_dev_error(ls_dev *dev, const char *function, int error, const char *name);
void ls_dev_looked(ls_dev *dev);
/* The last kernel's error stays: 0 where there was none. */
ls_dev_status ls_dev_sticky(const ls_dev *dev);
void ls_dev_clear_sticky(ls_dev *dev);

/* --- Properties --------------------------------------------------------------------------------------------
 */
typedef struct {
    const char *key, *name;
    int major, minor, processors; /* compute capability; multiprocessors */
    uint64_t memory;
    int clock_khz, memory_clock_khz, bus_bits, l2_bytes;
} ls_gpu_model;

/* What its architecture allows. */
static inline const ls_gpu *ls_gpu_limits(const ls_gpu_model *gpu) {
    return ls_gpu_of((uint32_t)(gpu->major * 10 + gpu->minor));
}

const ls_gpu_model *ls_dev_gpu(const ls_dev *dev);
/* By key ("h200"); NULL where there is none. */
const ls_gpu_model *ls_gpu_model_find(const char *key);
/* A device attribute by CUDA's number; false where it is not known. */
bool ls_gpu_model_attribute(const ls_gpu_model *gpu, int attribute, int device, int *value);

/* --- Memory ------------------------------------------------------------------------------------------------
 */
typedef enum {
    LS_MEMORY_DEVICE,
    LS_MEMORY_PINNED,     /* of the host, which the device may use */
    LS_MEMORY_MANAGED,    /* of both */
    LS_MEMORY_REGISTERED, /* the caller's, made known */
    LS_MEMORY_VARIABLE,   /* of a module */
} ls_memory_kind;

typedef struct {
    uint64_t address, size;
    uint32_t number; /* counts allocations from 1 */
    ls_memory_kind kind;
    int device;
    const char *what; /* the function that made it */
    bool freed;
} ls_memory;

/* 0 where there is no room. */
uint64_t ls_dev_alloc(ls_dev *dev, ls_memory_kind kind, int device, uint64_t size, const char *what);
ls_dev_status ls_dev_register(ls_dev *dev, void *memory, uint64_t size, const char *what);
/* what: the function that frees, as the message calls it. */
ls_dev_status ls_dev_free(ls_dev *dev, uint64_t address, const char *what);
/* A node of a graph allocates it (LS_OP_ALLOC), whenever the graph is launched: it keeps its address, and is
 * no leak. */
void ls_dev_graph_memory(ls_dev *dev, uint64_t address);
/* False where the address is in no memory of the device's; freed memory counts as none. */
bool ls_dev_find(ls_dev *dev, uint64_t address, ls_memory *out);
/* Addresses without memory; memory that is known at some of them; and no longer. */
uint64_t ls_dev_reserve(ls_dev *dev, uint64_t size, uint64_t align);
void ls_dev_map(ls_dev *dev, int device, uint64_t address, uint64_t size, const char *what);
void ls_dev_unmap(ls_dev *dev, uint64_t address);
/* share.c: memory that another process may use, as that one is told of it; the same there, 0 where there is
 * no such memory; and no longer there. */
typedef struct {
    char mark[8];
    int process, file;
    uint64_t offset, size;
} ls_shared_memory;
ls_dev_status ls_dev_export(ls_dev *dev, uint64_t address, ls_shared_memory *out);
/* what: the function that imports, as messages call it; the same text closes it. */
uint64_t ls_dev_import(ls_dev *dev, int device, const ls_shared_memory *from, const char *what);
ls_dev_status ls_dev_close_import(ls_dev *dev, uint64_t address, const char *what);
/* A file in memory with these bytes (NULL: zeros), -1 where there is no room; a part of it at these pages of
 * the window, or, for file -1, memory of their own. */
int ls_dev_memory_file(const char *bytes, uint64_t size);
bool ls_dev_place_file(uint64_t address, uint64_t size, int file, uint64_t offset);
void ls_dev_memory_info(ls_dev *dev, int device, uint64_t *free_bytes, uint64_t *total);

/* --- Modules -----------------------------------------------------------------------------------------------
 */
/* From PTX text or a fat binary; size SIZE_MAX: the image itself says. */
ls_dev_status ls_dev_load(ls_dev *dev, int device, const void *image, size_t size, ls_dev_module **module);
/* Why the thread's last module could not be loaded. */
const char *ls_dev_load_error(void);
/* A variable of modules that are loaded from now on, until it is told with memory NULL, is this memory of the
 * host's. */
void ls_dev_place(ls_dev *dev, const char *name, void *memory, uint64_t size);
void ls_dev_unload(ls_dev *dev, ls_dev_module *module);
ls_dev_status ls_dev_variable(ls_dev *dev, ls_dev_module *module, const char *name, uint64_t *address,
                              uint64_t *size);
ls_dev_kernel *ls_dev_kernel_find(ls_dev *dev, ls_dev_module *module, const char *name);
uint32_t ls_dev_kernel_count(const ls_dev_module *module);
ls_dev_kernel *ls_dev_kernel_at(ls_dev *dev, ls_dev_module *module, uint32_t index);

/* Whether the pointer is a kernel of some module. */
bool ls_dev_is_kernel(ls_dev *dev, const void *pointer);

/* What a kernel needs; the figures that a compiler would choose (registers) are estimates. */
typedef struct {
    const char *name;
    ls_dev_module *module;
    uint32_t param_count;
    const uint32_t *param_offsets, *param_sizes; /* in the parameter block */
    size_t params_size;
    int registers, max_threads, ptx_version, binary_version;
    uint64_t shared_bytes, const_bytes, local_bytes;
    int max_dynamic_shared, carveout; /* may be set */
    int cluster[3];                   /* required by the kernel, or 0 */
    bool wide_clusters;               /* may be set: of more blocks than all GPUs have */
} ls_kernel_info;
ls_kernel_info *ls_dev_kernel_info(ls_dev_kernel *kernel);
/* Blocks of a kernel that fit on one multiprocessor. */
int ls_dev_occupancy(const ls_dev *dev, const ls_kernel_info *kernel, int threads, uint64_t dynamic_shared);

/* --- Arrays and textures -----------------------------------------------------------------------------------
 */
typedef struct ls_array {
    uint64_t address;              /* of the memory; row after row, without gaps */
    uint64_t width, height, depth; /* height, depth 0: fewer dimensions */
    uint32_t channels, bits;
    ls_texel_kind kind;
    uint32_t flags; /* the caller's */
    int format;     /* the caller's */
} ls_array;

static inline uint64_t ls_array_element(const ls_array *a) {
    return (uint64_t)a->channels * a->bits / 8;
}
ls_dev_status ls_dev_array_new(ls_dev *dev, int device, ls_array *array, const char *what);
uint64_t ls_dev_texture(ls_dev *dev, uint64_t handle, const ls_texture *texture);

/* --- Operations --------------------------------------------------------------------------------------------
 */
typedef struct {
    ls_dev_kernel *kernel;
    uint32_t grid[3], block[3], cluster[3];
    uint32_t shared_bytes;
    bool cooperative;
    bool dependent; /* it may begin before the launch in front of it has ended */
    void *params;   /* as laid out by the kernel's offsets; copied on submission */
    size_t params_size;
    const ls_emu_local *locals; /* OpenCL's local pointers among them; kept by the caller while it runs */
    uint32_t local_count;
} ls_launch;

/* One side of a copy. With an array x, y, z are its coordinates (x in bytes) and the rest is ignored. */
typedef enum { LS_SIDE_ANY, LS_SIDE_HOST, LS_SIDE_DEVICE } ls_side_kind;
typedef struct {
    uint64_t address, pitch, rows; /* bytes from row to row, rows from slice to slice */
    const ls_array *array;
    uint64_t x, y, z;
    ls_side_kind kind; /* where the caller says that it is */
} ls_side;

typedef struct {
    ls_side to, from;
    uint64_t width, height, depth; /* width in bytes */
    bool waits;                    /* the host waits for it */
} ls_copy;

typedef struct {
    uint64_t address, pitch, width, height; /* width in elements */
    uint32_t value, element;                /* of 1, 2 or 4 bytes */
    bool waits;
} ls_fill;

/* Work that a library does on memory of the device by code of the host: what it reads and writes is looked at
 * before it is called. The call is given a copy of the data. */
enum { LS_WORK_OPERANDS = 8 };
typedef struct {
    uint64_t address, size;
    bool write;
    bool rough; /* not all bytes of it are touched */
} ls_operand;

/* What it takes of the memory is gone when it returns; where there is not enough, it does not. */
typedef void (*ls_work_call)(void *data, ls_arena *memory);

typedef struct {
    ls_work_call call;
    void *data;
    size_t size;
    ls_operand operands[LS_WORK_OPERANDS];
    uint32_t count;
} ls_work;

typedef enum {
    LS_OP_EMPTY,
    LS_OP_KERNEL,
    LS_OP_COPY,
    LS_OP_FILL,
    LS_OP_HOST,
    LS_OP_WORK,
    LS_OP_RECORD, /* an event */
    LS_OP_WAIT,   /* for one */
    LS_OP_GRAPH,  /* a graph in a graph */
    LS_OP_ALLOC,  /* memory of a graph */
    LS_OP_FREE,
    LS_OP_CONDITION, /* one of several graphs, or one again and again */
} ls_op_kind;

/* A node whose graphs run as a word says that kernels set (ls_graph_condition): the first where it is not 0
 * and the second where it is, the first as long as it is not 0, or the one that it numbers. */
typedef enum { LS_CONDITION_IF, LS_CONDITION_WHILE, LS_CONDITION_SWITCH } ls_condition_kind;
typedef struct {
    uint64_t word;
    ls_condition_kind kind;
    uint32_t count;
    ls_graph **bodies;
} ls_condition;

typedef struct {
    ls_op_kind kind;
    const char *what; /* the function that was called */
    bool external;    /* an event that a captured graph is to record, or wait for, itself */
    union {
        ls_launch launch;
        ls_copy copy;
        ls_fill fill;
        ls_work work;
        struct {
            void (*call)(void *data);
            void *data;
        } host;
        ls_event *event;
        ls_graph *graph;
        struct {
            uint64_t address, size;
        } memory;
        ls_condition condition;
    };
} ls_op;

/* Carried out, or added to the graph that the stream captures. */
ls_dev_status ls_dev_submit(ls_stream *stream, const ls_op *op);
/* Work that is of no stream: LS_DEV_OK or LS_DEV_NO_MEMORY. */
ls_dev_status ls_dev_carry_out(ls_work_call call, void *data);

/* --- Streams and events ------------------------------------------------------------------------------------
 */
enum { LS_STREAM_NON_BLOCKING = 1 };
ls_stream *ls_stream_new(ls_dev *dev, int device, uint32_t flags, int priority);
void ls_stream_free(ls_stream *stream);
/* The legacy one, which waits for others and they for it; and the calling thread's own. */
ls_stream *ls_dev_default_stream(ls_dev *dev, int device);
ls_stream *ls_dev_thread_stream(ls_dev *dev, int device);
bool ls_stream_valid(ls_dev *dev, const ls_stream *stream);
uint32_t ls_stream_flags(const ls_stream *stream);
int ls_stream_priority(const ls_stream *stream);
int ls_stream_device(const ls_stream *stream);
uint64_t ls_stream_id(const ls_stream *stream);
/* The host waits: for one stream, or for all of a device (negative: of all devices). */
ls_dev_status ls_stream_wait(ls_stream *stream);
ls_dev_status ls_dev_wait(ls_dev *dev, int device);

ls_event *ls_event_new(ls_dev *dev, uint32_t flags);
void ls_event_free(ls_event *event);
bool ls_event_valid(ls_dev *dev, const ls_event *event);
uint32_t ls_event_flags(const ls_event *event);
ls_dev_status ls_event_wait(ls_event *event);  /* the host */
ls_dev_status ls_event_query(ls_event *event); /* LS_DEV_OK: the host knows that it has happened */
/* Milliseconds; BAD_HANDLE where one was not recorded. */
ls_dev_status ls_event_elapsed(const ls_event *from, const ls_event *to, float *ms);

/* --- Graphs ------------------------------------------------------------------------------------------------
 */
ls_graph *ls_graph_new(ls_dev *dev);
void ls_graph_free(ls_graph *graph);
/* A word for a node with a condition: its address, or 0. assign: it is `value` whenever the graph begins. */
uint64_t ls_graph_condition(ls_graph *graph, uint32_t value, bool assign);
ls_graph *ls_graph_copy(const ls_graph *graph);
ls_graph_node *ls_graph_add(ls_graph *graph, const ls_op *op, ls_graph_node *const *before, size_t count);
void ls_graph_remove(ls_graph_node *node);
ls_dev_status ls_graph_depend(ls_graph_node *from, ls_graph_node *to, bool add);
size_t ls_graph_nodes(const ls_graph *graph, ls_graph_node **out, size_t capacity);
size_t ls_graph_roots(const ls_graph *graph, ls_graph_node **out, size_t capacity);
size_t ls_graph_edges(const ls_graph *graph, ls_graph_node **from, ls_graph_node **to, size_t capacity);
/* Behind (or before) one node. */
size_t ls_graph_near(const ls_graph_node *node, bool behind, ls_graph_node **out, size_t capacity);
ls_op *ls_graph_op(ls_graph_node *node);
void ls_graph_set_op(ls_graph_node *node, const ls_op *op);
/* The node of a copy that stands for this one; NULL where the graph is no copy of it. */
ls_graph_node *ls_graph_twin(const ls_graph *copy, const ls_graph_node *node);
void ls_graph_enable(ls_graph_node *node, bool enabled);
bool ls_graph_enabled(const ls_graph_node *node);
ls_dev_status ls_graph_launch(ls_graph *graph, ls_stream *stream);
/* A node's dependencies have a cycle. */
bool ls_graph_cyclic(const ls_graph *graph);

/* Whose calls that could wait for it a capture forbids: every thread's, its own thread's, nobody's; and what
 * a thread wants to be forbidden. */
typedef enum { LS_CAPTURE_GLOBAL, LS_CAPTURE_THREAD, LS_CAPTURE_RELAXED } ls_capture_mode;
typedef enum { LS_CAPTURE_NONE, LS_CAPTURE_ACTIVE, LS_CAPTURE_BROKEN } ls_capture_state;
ls_dev_status ls_capture_begin(ls_stream *stream, ls_graph *into, ls_capture_mode mode);
ls_dev_status ls_capture_end(ls_stream *stream, ls_graph **graph);
bool ls_capture_active(const ls_stream *stream); /* it, or a broken one */
ls_capture_state ls_capture_of(const ls_stream *stream);
/* What a call answers, LS_DEV_OK where it is allowed; captures that do not allow it are broken. A call that
 * could wait, of a thread with this mode; one that no captured stream allows, of a stream, of a device, and
 * of an event. */
ls_dev_status ls_capture_unsafe(ls_dev *dev, ls_capture_mode mode);
ls_dev_status ls_capture_refuse(ls_stream *stream);
ls_dev_status ls_capture_refuse_all(ls_dev *dev, int device);
ls_dev_status ls_capture_refuse_event(const ls_event *event, bool breaks);
/* Whether the stream captures cannot be asked: others do, for which it would wait. Nothing is broken. */
ls_dev_status ls_capture_asked(const ls_stream *stream);
uint64_t ls_capture_id(const ls_stream *stream);
ls_graph *ls_capture_graph(const ls_stream *stream, ls_graph_node *const **last, size_t *count);
void ls_capture_set_last(ls_stream *stream, ls_graph_node *const *nodes, size_t count, bool add);

#endif
