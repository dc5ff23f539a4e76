/* Text form of the kernel language (000, §3.1), files *.kernel:
 *
 *     kernel scan;                       the name (optional)
 *     threads 4;                         TS where the user does not say (optional)
 *     shared  sum[TS] : 0..15 = 1;       class name[length] : domain = initial value
 *     private offset : 0..2*TS;          domains: low..high, bool, u1 … u64; no initial value: any
 *     const   n : 0..3;                  the same for all threads, never written
 *
 *     Start:                             the first block; then others
 *       offset := 1;
 *       goto W, Wend;
 *     W:
 *       assume offset < TS; … goto End;
 *
 * Statements: x := e; a[i] := e; havoc x; assume e; assert e; skip; barrier; goto A, B; */
#ifndef LS_MODEL_PARSE_H
#define LS_MODEL_PARSE_H

#include "lockstep/diag.h"
#include "model/lang.h"

/* The program in text[0…length-1], for this number of threads (0: what the text says, or 2), or NULL with at
 * least one error in diags. The context is made, and on failure freed again. */
ls_kprog *ls_kernel_parse(const char *text, size_t length, const char *file, uint32_t threads,
                          ls_diags *diags);

enum { LS_KERNEL_MAX_THREADS = 16, LS_KERNEL_MAX_DEPTH = 400 };

#endif
