/* For other languages: a few functions without structs. Results are reports as JSON (docs/json.md), which
 * ls_flat_free frees; never NULL. Options are texts "word=value" (several of one word where that makes
 * sense):
 *
 *     kernel=scan           only this kernel                      block=256, grid=4,4    launch sizes
 *     define=N=4            a macro (also include_dir=, include=, std=, arch=, compile_commands=, extra=)
 *     timeout=10            seconds
 *   of checks: assume=n > 0, size=a=4*n, bounds=1
 *   of runs:   schedule=reverse, seed=7, check=race,bounds, shared=1024, missing=zero, strict_exit=1
 *
 * A word that is not known is an error in the report. */
#ifndef LOCKSTEP_FLAT_H
#define LOCKSTEP_FLAT_H

#include "lockstep/version.h"

#include <stdint.h>

LS_BEGIN_DECLS

/* What an argument of a kernel is: bytes as they are; memory that the kernel reads and writes in place; a
 * whole number of 64 bits or a double, which become what the parameter is. */
typedef enum { LS_FLAT_BYTES, LS_FLAT_MEMORY, LS_FLAT_INTEGER, LS_FLAT_REAL } ls_flat_kind;

/* Verifies every kernel of a file (ls_check_file). Not there in a library that was built without Z3. */
char *ls_flat_check(const char *path, const char *const *options, uint32_t option_count);

/* Runs a kernel in the emulator, with arguments in the order of its parameters: `data` points to what each
 * is, of `sizes` bytes. kernel: NULL for the only one of the file. names: NULL, or what to call each one's
 * memory (entries may be NULL). */
char *ls_flat_run(const char *path, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                  const uint8_t *kinds, void *const *data, const uint64_t *sizes, const char *const *names,
                  uint32_t count, const char *const *options, uint32_t option_count);

void ls_flat_free(char *text);

LS_END_DECLS

#endif
