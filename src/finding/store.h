/* Where findings live: an arena that several threads may take from. */
#ifndef LS_FINDING_STORE_H
#define LS_FINDING_STORE_H

#include "base/arena.h"
#include "lockstep/finding.h"

#include <pthread.h>
#include <stdarg.h>

typedef struct ls_store {
    ls_arena arena;
    pthread_mutex_t lock; /* of the arena */
} ls_store;

void ls_store_init(ls_store *store);
void ls_store_free(ls_store *store);

/* Zeroed memory, and copies of texts (NULL stays NULL) and places. */
void *ls_store_take(ls_store *store, size_t size);
const char *ls_store_text(ls_store *store, const char *text);
const char *ls_store_format(ls_store *store, const char *format, va_list args);
ls_place ls_store_place(ls_store *store, ls_place place);

/* The text of a printf-like function's `format` and what follows it. */
#define LS_STORE_FORMAT(store, out)                                                                          \
    do {                                                                                                     \
        va_list args_;                                                                                       \
        va_start(args_, format);                                                                             \
        (out) = ls_store_format((store), format, args_);                                                     \
        va_end(args_);                                                                                       \
    } while (0)

/* Appends to a singly linked list whose links are called next. */
#define LS_APPEND(T, list, item)                                                                             \
    do {                                                                                                     \
        T **end_ = &(list);                                                                                  \
        while (*end_) end_ = &(*end_)->next;                                                                 \
        *end_ = (item);                                                                                      \
    } while (0)

ls_fields *ls_fields_new(ls_store *store, bool is_list);
/* A further field, of which only the key is there; in a list the key is ignored. */
ls_field *ls_fields_append(ls_fields *fields, const char *key);

/* A finding of which only this is known yet. The message is copied; NULL where it is still to be said. */
ls_finding *ls_finding_new(ls_store *store, ls_rule rule, ls_severity level, ls_place place,
                           const char *message);
/* All of a finding but the execution, which stays with the result that it is of. */
ls_finding *ls_finding_copy(ls_store *store, const ls_finding *from);
/* Its object has this name, in the message as well. */
void ls_finding_rename(ls_finding *finding, const char *object);

#endif
