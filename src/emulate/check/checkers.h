/* The hooks of the checkers that are on (checkers.c), and what the checkers' files have for them. */
#ifndef LS_EMULATE_CHECK_CHECKERS_H
#define LS_EMULATE_CHECK_CHECKERS_H

#include "emulate/machine.h"

/* State of a launch, of a block's memory (which serves one block after the other), of a warp; false: no
 * memory. */
bool em_checkers_launch(machine *m);
bool em_checkers_block(machine *m, block_run *b);
void em_checkers_warp(const machine *m, warp *w);
void em_checkers_release(const machine *m, block_run *b);
/* Findings that are only known at the end. */
void em_checkers_end(machine *m, ls_emu_result *r);

/* Races and reads of what nothing has written (race.c, memory.c). They may be called twice. */
bool em_race_launch(machine *m);
bool em_race_block(machine *m, block_run *b);
void em_race_warp(const machine *m, warp *w);
void em_race_release(const machine *m, block_run *b);
void em_race_anywhere(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask);

/* Costs (memory.c, findings.c). */
void em_count_bank(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask);
void em_count_sectors(warp *w, const mem_access *m, const uint64_t *address, uint64_t mask);
/* Of either: what compiled code cannot tell beforehand. */
void em_count_lanes(warp *w, const mem_access *m, const uint64_t *address, uint32_t lanes);
void em_bank_findings(machine *m, ls_emu_result *r);
void em_coalescing_findings(machine *m, ls_emu_result *r);
void em_branch_findings(machine *m, ls_emu_result *r);

#endif
