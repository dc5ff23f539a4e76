/* What is known of the program, for program.c, which collects it, and launch.c, which uses it. */
#ifndef LS_DETECT_PRELOAD_KNOWN_H
#define LS_DETECT_PRELOAD_KNOWN_H

#include "base/vec.h"
#include "detect/preload/program.h"
#include "detect/report.h"
#include "lockstep/detect.h"
#include "lockstep/ptx.h"
#include "ptx/image.h"

#include <pthread.h>

typedef struct {
    void *handle; /* CUmodule or CUlibrary */
    bool is_library;
    image_kind kind;
    const char *why;
    char *ptx;
    size_t length;
    uint64_t number;
} image;

typedef struct {
    void *handle; /* CUfunction or CUkernel */
    char *name;
    image *image;
    uint32_t launches;
    dt_report_counted counts;
    uint64_t counted;
    const char *said; /* the last reason for which it was not checked */
    /* from its first launch on: its share of the image's text */
    ls_buf ptx;
    ls_ptx_module *module;
    const ls_ptx_function *entry;
    bool was_read;
    /* the last launch of which nothing was to be checked */
    ls_buf plain;
    uint64_t plain_memory;
} known_kernel;

/* One for the process; the lock is for all that the detector does. */
typedef struct {
    pthread_mutex_t lock;
    LS_VEC(image *) images;
    LS_VEC(known_kernel *) kernels;
    LS_VEC(ls_detect_buffer) buffers;
    uint64_t memory;  /* how often they have changed */
    uint32_t streams; /* that the program made */
} known_program;

extern known_program dp_known;

/* The kernel with that handle that was made known last, or NULL; behind the lock. */
known_kernel *dp_kernel_of(const void *handle);

#endif
