/* The way back when memory runs out: setjmp and longjmp in this one place. A point to go back to is on the
 * stack of its thread; so is all that is known about it, but for the pointer to the innermost one. */
#include "base/recover.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HELD = 64 }; /* by one thread at a time */

static _Thread_local struct { /* of the thread */
    ls_point *innermost;
    unsigned count;
    struct {
        void (*release)(void *what);
        void *what;
    } held[MOST_HELD];
} own;

void ls_point_set(ls_point *point) {
    point->outer = own.innermost;
    point->count = own.count;
    own.innermost = point;
}

void ls_point_unset(const ls_point *point) {
    own.innermost = point->outer;
}

bool ls_try(void (*work)(void *context), void *context) {
    ls_point point;
    ls_point_set(&point);
    if (setjmp(point.here)) return false;
    work(context);
    ls_point_unset(&point);
    return true;
}

void ls_escape_further(void) {
    if (own.innermost) ls_escape();
}

void ls_escape(void) {
    ls_point *to = own.innermost;
    if (!to) {
        fputs("lockstep: out of memory\n", stderr);
        abort();
    }
    while (own.count > to->count) {
        own.count--;
        own.held[own.count].release(own.held[own.count].what);
    }
    own.innermost = to->outer;
    longjmp(to->here, 1);
}

void ls_hold(void (*release)(void *what), void *what) {
    assert(own.count < MOST_HELD);
    if (own.count == MOST_HELD) return; /* lost where memory runs out, not before */
    own.held[own.count].release = release;
    own.held[own.count++].what = what;
}

void ls_let_go(const void *what) {
    unsigned at = own.count;
    while (at-- > 0)
        if (own.held[at].what == what) {
            own.count--;
            for (; at < own.count; at++) own.held[at] = own.held[at + 1];
            break;
        }
}

static void unlock(void *lock) {
    pthread_mutex_unlock(lock);
}

void ls_lock(pthread_mutex_t *lock) {
    pthread_mutex_lock(lock);
    ls_hold(unlock, lock);
}

void ls_unlock(pthread_mutex_t *lock) {
    ls_let_go(lock);
    pthread_mutex_unlock(lock);
}

static void free_arena(void *arena) {
    ls_arena_free(arena);
}

void ls_arena_open(ls_arena *arena) {
    ls_arena_init(arena);
    ls_hold(free_arena, arena);
}

void ls_arena_close(ls_arena *arena) {
    ls_let_go(arena);
    ls_arena_free(arena);
}

char *ls_guarded_text(char *(*work)(const void *context), const void *context) {
    static const char words[] = "out of memory";
    char *volatile spare = malloc(sizeof words);
    ls_point point;
    ls_point_set(&point);
    if (!spare || setjmp(point.here)) {
        if (!spare) ls_point_unset(&point);
        if (!spare) ls_escape_further();
        return spare;
    }
    memcpy(spare, words, sizeof words);
    char *given = work(context);
    ls_point_unset(&point);
    free(spare);
    return given;
}
