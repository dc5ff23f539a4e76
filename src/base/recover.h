/* What happens when memory runs out: whoever asks for it (arenas, vectors, ls_xmalloc) goes back to the
 * innermost ls_try of its thread, which returns false. There the call fails with a status: ls_try stands in
 * the library's entry points, at the start of every thread, and in the command's main.
 *
 * Locks that were taken with ls_lock behind that point are given back. What is in an arena is freed by
 * whoever owns that; what functions in between had on the heap for a moment is lost. Where there is no ls_try
 * (a caller that fills a report or a list of diagnostics by itself), the process ends with a message. */
#ifndef LS_BASE_RECOVER_H
#define LS_BASE_RECOVER_H

#include "base/arena.h"
#include "lockstep/diag.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>

/* Calls the work; false: memory ran out. */
bool ls_try(void (*work)(void *context), void *context);
/* The body of an entry point that has nothing to give back: returns what the call gives, or `failed` where
 * memory ran out. */
#define LS_GUARDED(failed, call)                                                                             \
    do {                                                                                                     \
        ls_point point_;                                                                                     \
        ls_point_set(&point_);                                                                               \
        if (setjmp(point_.here)) return failed;                                                              \
        __typeof__(call) given_ = call;                                                                      \
        ls_point_unset(&point_);                                                                             \
        return given_;                                                                                       \
    } while (0)

/* The same for text on the heap that says what is wrong, and NULL where nothing is: "out of memory" where
 * that ran out, unless there is not even room for these words. */
char *ls_guarded_text(char *(*work)(const void *context), const void *context);

/* A point to go back to: on the stack of the thread. */
typedef struct ls_point {
    jmp_buf here;
    struct ls_point *outer;
    unsigned count; /* of what was held when it was set */
} ls_point;

void ls_point_set(ls_point *point);
void ls_point_unset(const ls_point *point);

/* Memory has run out. */
_Noreturn void ls_escape(void);
/* … and the caller has no other way to say so: goes on to the next ls_try outwards; returns where there is
 * none. */
void ls_escape_further(void);

/* Adds "out of memory" as an error, without memory. */
void ls_diags_no_memory(ls_diags *diags);

/* Something that is given back when the way back is taken, until it is let go. */
void ls_hold(void (*release)(void *what), void *what);
void ls_let_go(const void *what);
/* A lock, and an arena on the stack, that are held so. */
void ls_lock(pthread_mutex_t *lock);
void ls_unlock(pthread_mutex_t *lock);
void ls_arena_open(ls_arena *arena);
void ls_arena_close(ls_arena *arena);
/* An arena for what a function needs for a moment: it is closed where the block ends, however that is left.
 */
#define LS_SCRATCH(arena)                                                                                    \
    __attribute__((cleanup(ls_arena_close))) ls_arena arena;                                                 \
    ls_arena_open(&(arena))

#endif
