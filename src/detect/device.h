/* Where instrumented kernels run: a GPU (device_cuda.c) or the emulator (device_emulator.c), behind one table
 * of functions. Internal to src/detect. */
#ifndef LS_DETECT_DEVICE_H
#define LS_DETECT_DEVICE_H

#include "lockstep/detect.h"

typedef struct {
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    const void *params;
    size_t params_size;
    double timeout;
} device_launch;

typedef struct {
    void (*free)(ls_detect_device *device);
    /* Modules; NULL with an error in diags. quick: somebody waits for it, so that compiling should be quick.
     */
    void *(*load)(ls_detect_device *device, const char *ptx, size_t length, bool quick, ls_diags *diags);
    void (*unload)(ls_detect_device *device, void *module);
    uint64_t (*symbol)(ls_detect_device *device, void *module, const char *name, uint64_t *size);
    bool (*launch)(ls_detect_device *device, void *module, const char *kernel, const device_launch *launch,
                   ls_diags *diags); /* does not wait */
    bool (*wait)(ls_detect_device *device, double timeout, ls_diags *diags);
    uint64_t (*alloc)(ls_detect_device *device, uint64_t size);
    void (*release)(ls_detect_device *device, uint64_t address);
    bool (*write)(ls_detect_device *device, uint64_t to, const void *from, uint64_t size);
    bool (*read)(ls_detect_device *device, void *to, uint64_t from, uint64_t size);
    bool (*copy)(ls_detect_device *device, uint64_t to, uint64_t from, uint64_t size);
    bool (*clear)(ls_detect_device *device, uint64_t at, uint8_t value, uint64_t size);
    uint64_t (*free_memory)(ls_detect_device *device);
    /* Launches, copies and fills go to that stream of the program's from now on, behind what was queued
     * before; NULL: the default stream. put: as write, without waiting. */
    bool (*use_stream)(ls_detect_device *device, void *stream);
    void (*leave_stream)(ls_detect_device *device, void *stream); /* it ends: waits for what is there */
    /* For launches by their callers: the kernel as the driver knows it. While a program records a graph:
     * work that does not belong into it is done aside, and done at the end of that; what belongs into it goes
     * to the stream that is recorded. NULL where there is nothing of this kind. */
    void *(*function)(ls_detect_device *device, void *module, const char *kernel, uint32_t shared_bytes);
    bool (*aside)(ls_detect_device *device, bool begin);
    void *(*record)(ls_detect_device *device, void *stream); /* the stream that was used until then */
    bool (*put)(ls_detect_device *device, uint64_t to, const void *from, uint64_t size);
    /* Memory that host and device both see, cleared; NULL where there is none. */
    void *(*both_see)(ls_detect_device *device, uint64_t size, uint64_t *address);
    /* Memory of the caller's that kernels may access; NULL where the device knows by itself. */
    void (*know)(ls_detect_device *device, uint64_t address, uint64_t size);
} device_functions;

struct ls_detect_device {
    const device_functions *f;
    char name[128];
    uint64_t max_shared;  /* of one block, bytes */
    bool has_redux;       /* redux.sync */
    uint32_t workers;     /* blocks of 256 threads that the sweeps over global memory use */
    void *sweeps;         /* module of grid_kernels.c, or NULL */
    struct kept *kept;    /* kept.c, or NULL */
    uint64_t keep_memory; /* bytes at most that stay allocated between checks */
    uint64_t *flags;      /* queue.c: of plans, seen by both sides; where the device has them */
    uint64_t flags_at;
    uint64_t flags_taken[8];                   /* bits */
    uint64_t stamps, stamps_bytes, generation; /* watch.c: of global memory; the next launch's */
    const void *last_plan;                     /* the one that was queued last: its memory is as it left it */
};

#endif
