/* Arena: a list of chunks that double in size up to 1 MiB, so small modules stay small and large ones
 * need few calls of malloc. Blocks larger than a chunk get a chunk of their own. */
#include "base/arena.h"

#include "base/recover.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct ls_arena_chunk {
    ls_arena_chunk *next;
    size_t size;
    _Alignas(16) char memory[];
};

enum { FIRST_CHUNK = 4096, LARGEST_CHUNK = 1 << 20 };

static void *checked(void *memory) {
    if (!memory) ls_escape();
    return memory;
}

void *ls_xmalloc(size_t size) {
    return checked(malloc(size ? size : 1));
}

void *ls_xcalloc(size_t count, size_t size) {
    return checked(calloc(count ? count : 1, size ? size : 1));
}

void *ls_xrealloc(void *memory, size_t size) {
    return checked(realloc(memory, size ? size : 1));
}

char *ls_xstrdup(const char *text) {
    return checked(strdup(text));
}

char *ls_xstrndup(const char *text, size_t length) {
    return checked(strndup(text, length));
}

void ls_arena_init(ls_arena *arena) {
    memset(arena, 0, sizeof *arena);
}

void ls_arena_free(ls_arena *arena) {
    for (ls_arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    ls_arena_init(arena);
}

static ls_arena_chunk *new_chunk(ls_arena *arena, size_t size) {
    ls_arena_chunk *chunk = ls_xmalloc(sizeof *chunk + size);
    chunk->size = size;
    arena->total += sizeof *chunk + size;
    return chunk;
}

void *ls_arena_slow_alloc(ls_arena *arena, size_t size) {
    size_t grown = arena->chunks ? arena->chunks->size * 2 : FIRST_CHUNK;
    if (grown > LARGEST_CHUNK) grown = LARGEST_CHUNK;
    if (size > grown / 2) { /* a chunk of its own, behind the one that is being filled */
        ls_arena_chunk *own = new_chunk(arena, size);
        if (arena->chunks) {
            own->next = arena->chunks->next;
            arena->chunks->next = own;
        } else {
            own->next = NULL;
            own->size = FIRST_CHUNK / 2; /* the next chunk starts small again */
            arena->chunks = own;
        }
        return own->memory;
    }
    ls_arena_chunk *chunk = new_chunk(arena, grown);
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->next = chunk->memory + size;
    arena->end = chunk->memory + grown;
    return chunk->memory;
}

char *ls_arena_strndup(ls_arena *arena, const char *text, size_t length) {
    char *copy = ls_arena_alloc(arena, length + 1);
    memcpy(copy, text, length);
    copy[length] = 0;
    return copy;
}

char *ls_arena_strdup(ls_arena *arena, const char *text) {
    return ls_arena_strndup(arena, text, strlen(text));
}

char *ls_arena_printf(ls_arena *arena, const char *format, ...) {
    va_list args, again;
    char few[256]; /* most texts are short: they are made once, and copied */
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(few, sizeof few, format, args);
    va_end(args);
    char *text = ls_arena_alloc(arena, (size_t)length + 1);
    if ((size_t)length < sizeof few)
        memcpy(text, few, (size_t)length + 1);
    else
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}
