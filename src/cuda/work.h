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

/* Carried out, or added to the graph that the stream captures. 0, or the driver's error. data is copied. */
int lockstep_cuda_work(void *stream, const char *what, const lockstep_operand *operands, unsigned count,
                       void (*call)(void *data), const void *data, size_t size);
/* Where the host has the bytes of an address. */
void *lockstep_cuda_host(uint64_t address);
/* Whether the device can reach it. */
bool lockstep_cuda_reaches(uint64_t address);
/* A function that is not there was called: named in the report. */
void lockstep_cuda_missing(const char *function);
#endif
