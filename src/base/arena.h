/* Arena: memory that is freed whole. One per module or analysis; nothing in it is freed alone. */
#ifndef LS_BASE_ARENA_H
#define LS_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct ls_arena ls_arena;
typedef struct ls_arena_chunk ls_arena_chunk;

struct ls_arena {
    ls_arena_chunk *chunks; /* newest first */
    char *next, *end;       /* free room of the newest chunk */
    size_t total;           /* bytes taken from malloc, for statistics */
};

void ls_arena_init(ls_arena *arena);
void ls_arena_free(ls_arena *arena);

/* Never returns NULL: where memory runs out, it goes back to where that is dealt with (recover.h). */
void *ls_arena_slow_alloc(ls_arena *arena, size_t size);

static inline void *ls_arena_alloc(ls_arena *arena, size_t size) {
    size = (size + 15) & ~(size_t)15;
    if ((size_t)(arena->end - arena->next) < size || !arena->next) return ls_arena_slow_alloc(arena, size);
    void *memory = arena->next;
    arena->next += size;
    return memory;
}

static inline void *ls_arena_zalloc(ls_arena *arena, size_t size) {
    return memset(ls_arena_alloc(arena, size), 0, size);
}

#define LS_NEW(arena, T)      ((T *)ls_arena_zalloc((arena), sizeof(T)))
#define LS_NEW_N(arena, T, n) ((T *)ls_arena_zalloc((arena), sizeof(T) * (size_t)(n)))

char *ls_arena_strndup(ls_arena *arena, const char *text, size_t length);
char *ls_arena_strdup(ls_arena *arena, const char *text);
char *ls_arena_printf(ls_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* malloc, calloc, realloc and copies of text on the heap that are never NULL either. */
void *ls_xmalloc(size_t size);
void *ls_xcalloc(size_t count, size_t size);
void *ls_xrealloc(void *memory, size_t size);
char *ls_xstrdup(const char *text);
char *ls_xstrndup(const char *text, size_t length);

#endif
