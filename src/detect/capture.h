/* A launch in a file, with the memory that it may reach: written where the device cannot be watched doing it
 * (capture.c), and run in the emulator (captured.c). Internal to src/detect. The file is read on the machine
 * that it was written on. */
#ifndef LS_DETECT_CAPTURE_H
#define LS_DETECT_CAPTURE_H

#include <stdint.h>

#define CAPTURE_MAGIC "LSLAUNCH"

/* Then the kernel's name, the file's, the PTX and the parameters, of these lengths; then the pieces, all
 * their heads first, and behind them their contents in the same order. */
typedef struct {
    char magic[8];
    uint32_t grid[3], block[3], cluster[3], shared_bytes;
    uint64_t name, file, ptx, params;
    uint64_t pieces;
} capture_head;

/* Global memory at this address, or the variable whose name comes first in its contents. */
typedef struct {
    uint64_t address, size;
    uint64_t name; /* length of the variable's name; 0: memory */
} capture_piece;

#endif
