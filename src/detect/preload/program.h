/* What the detector knows of the program that it is preloaded into: images with their PTX, kernels, memory;
 * and what becomes of a launch. One for the process, behind one lock. */
#ifndef LS_DETECT_PRELOAD_PROGRAM_H
#define LS_DETECT_PRELOAD_PROGRAM_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>

typedef int CUresult;
typedef uint64_t CUdeviceptr;

enum { CUDA_SUCCESS = 0, CUDA_ERROR_OUT_OF_MEMORY = 2, CUDA_ERROR_NOT_FOUND = 500 };

typedef struct {
    void *function;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
    void *stream;
    const char *unusual; /* NULL, or why only the program itself can launch it … */
    bool (*start)(void *context, void *function, const void *params, size_t size, uint32_t shared_bytes);
    const void *start_context; /* … and how it does, with another function */
    bool captured;             /* … into a graph */
    bool in_clusters;          /* … or with what a plain launch does not have */
    unsigned cluster[3];       /* 0: as the kernel says */
} program_launch;

/* The detector's own calls of the driver go through: not 0 while it is at work in this thread. */
extern _Thread_local int dp_inside;

void *dp_dlsym(void *handle, const char *name); /* the C library's own */
void *dp_driver_function(const char *name);

void dp_add_image(void *handle, bool is_library, const void *data, size_t size);
void dp_add_image_file(void *handle, bool is_library, const char *path);
void dp_alias_image(void *module, const void *library);
void dp_add_kernel(void *handle, const void *owner, const char *name);
void dp_alias_kernel(void *function, const void *kernel);
void dp_add_buffer(CUdeviceptr address, uint64_t size);
void dp_drop_buffer(CUdeviceptr address);
void dp_add_stream(void);                          /* the program has streams of its own */
void dp_drop_stream(void *stream);                 /* before it is destroyed */
bool dp_give_memory_back(void);                    /* the program needs it */
bool dp_take_launch(const program_launch *launch); /* true where the detector has launched it */
void dp_settle(void);                              /* looks at what checks that were queued have found */

/* Machine code, and the PTX that it was made of: a compiler in the program has said so. */
void dp_add_ptx(const void *cubin, size_t size, const char *ptx);

/* warm.c: the driver's compiler gets ready beside the program, once. */
void dp_warm_compiler(void);

/* triton.c: how long an ELF image is by its own header; 0: it is none. */
size_t dp_elf_size(const void *image, size_t size);
/* triton.c: the PTX that Triton keeps beside this machine code; NULL where there is none. On the heap. */
char *dp_triton_ptx(const void *cubin, size_t size, size_t *length);

#endif
