/* What the emulated device tells the command that started the program: packets on a socket, each a few lines
 * of fields between tabs. The first line says what it is:
 *
 *   F  rule  level  kernel  count  message    a finding; kernel 0: of the host. Lines that may follow:
 *        P  file  line  column                  where it is
 *        A, O                                   its story (finding/wire.h)
 *        M  parameter  byte                     the one that points into the memory, and where
 *        R  file  line  column  message         another place
 *        S  label  frame  frame …               a stack of the host, innermost first; a frame is
 *                                               object+offset=symbol or python:file:line=function
 *        W  key  value                          of the witness
 *        I  number                              what later records call it
 *   T  …                                      as F, of a launch that still runs: it holds if the program ends
 *   D                                         that launch is done: what T told is told anew, by F and C
 *   C  number  count                          a finding came again, so many times
 *   A                                         memory was allocated: the program has found the device
 *   K  kernel  name  ["opencl"]               a kernel is known by this number from now on
 *   L  …                                      figures of a kernel (ls_record_stats)
 *   G  kernel  blocks  all                    how far a launch is that takes long
 *   U  function                               called, and not there
 *   X  kernel  message                        a launch did not run to its end
 *   N  text                                   a note on what the findings cover
 *   E                                         the program has reached its end
 *
 * Each packet is of one process: behind the first line's letter stands the process's number. */
#ifndef LS_DEVICE_RECORD_H
#define LS_DEVICE_RECORD_H

#include "base/wire.h"

/* L: of all launches of a kernel so far. */
typedef struct {
    uint32_t kernel;
    uint64_t launches, checked, counted; /* counted: of which instructions and accesses were counted */
    uint64_t instructions, lane_instructions, blocks, divergent_branches, accesses, sectors;
    double seconds;
} ls_record_stats;

extern const ls_wire_row ls_record_stats_row;

enum { LS_RECORD_MOST = 65536 }; /* bytes of a packet */

#endif
