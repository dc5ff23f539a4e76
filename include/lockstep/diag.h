/* Diagnostics: what the library has to say about its input. The library never prints or exits; it adds to
 * a list that the caller shows. Severity ERROR means that the input could not be used as asked. */
#ifndef LOCKSTEP_DIAG_H
#define LOCKSTEP_DIAG_H

#include "lockstep/version.h"

#include <stdbool.h>
#include <stdint.h>

LS_BEGIN_DECLS

typedef enum { LS_NOTE, LS_WARNING, LS_ERROR } ls_severity;

typedef struct {
    ls_severity severity;
    const char *file; /* NULL where no file is meant */
    uint32_t line;    /* from 1; 0: the file as a whole */
    uint32_t column;  /* from 1; 0: the line as a whole */
    const char *message;
} ls_diag;

/* An opaque, growing list; it copies what it is given. Safe for use from one thread at a time. */
typedef struct ls_diags ls_diags;

ls_diags *ls_diags_new(void);
void ls_diags_free(ls_diags *diags);
void ls_diags_add(ls_diags *diags, ls_severity severity, const char *file, uint32_t line, uint32_t column,
                  const char *format, ...) __attribute__((format(printf, 6, 7)));
/* Adds all that the other list has. */
void ls_diags_append(ls_diags *diags, const ls_diags *other);
uint32_t ls_diags_count(const ls_diags *diags);
uint32_t ls_diags_errors(const ls_diags *diags);
const ls_diag *ls_diags_at(const ls_diags *diags, uint32_t index);

LS_END_DECLS

#endif
