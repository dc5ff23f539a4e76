/* What a server knows of a kernel already: keys of all that its verdict, its findings and its costs follow
 * from. A kernel whose key is known need not be looked at again while another one of the file is changed. */
#ifndef LS_CLI_KNOWN_H
#define LS_CLI_KNOWN_H

#include "cli/input.h"

enum { LS_KEY_SIZE = 17 };

typedef struct ls_known ls_known;

/* Reads keys, one a line, from the file; an unreadable one has none. It is the arena's. */
ls_known *ls_known_read(const char *path, ls_arena *arena);
bool ls_known_has(const ls_known *known, const char *key);

/* The key of a kernel in one launch: a hash of its PTX in both forms with all that stands outside of kernels,
 * of the lines of source that it was made from, of comments that speak to Lockstep, of the launch and of the
 * options file. source: the text of the file. */
void ls_kernel_key(const ls_cli_job *job, const ls_input *input, const ls_compiled_kernel *kernel,
                   const ls_launch_case *launch, const ls_buf *source, char key[LS_KEY_SIZE]);

#endif
