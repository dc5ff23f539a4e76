/* What the libraries beside the runtime (src/libraries) are built on: work by code of the host on memory of
 * the device, in a stream's order, looked at by the checkers. Exported by liblockstep-cuda.so for them alone.
 */
#ifndef LS_CUDA_WORK_H
#define LS_CUDA_WORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t address, size;
    bool write;
    bool rough; /* not all bytes of it are touched */
} lockstep_operand;

/* Memory of a piece of work, for as long as that is carried out: of zeros, and never NULL. Where there is not
 * enough of it, the work ends there, and the stream has the error. */
typedef struct ls_arena lockstep_memory;
void *lockstep_cuda_memory(lockstep_memory *memory, size_t size);

/* Carried out, or added to the graph that the stream captures. 0, or the driver's error. data is copied. */
int lockstep_cuda_work(void *stream, const char *what, const lockstep_operand *operands, unsigned count,
                       void (*call)(void *data, lockstep_memory *memory), const void *data, size_t size);
/* The same without a stream: at once, on memory of the host. */
int lockstep_cuda_call(void (*call)(void *data, lockstep_memory *memory), void *data);
/* Where the host has the bytes of an address. */
void *lockstep_cuda_host(uint64_t address);
/* Whether the device can reach it. */
bool lockstep_cuda_reaches(uint64_t address);
/* A function that is not there was called: named in the report. */
void lockstep_cuda_missing(const char *function);
#endif
