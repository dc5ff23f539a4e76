/* Options structs of the public headers begin with their size as the caller knows it, so that a program goes
 * on working with a library whose struct has grown: what it does not know of is 0. */
#ifndef LS_BASE_OPTIONS_H
#define LS_BASE_OPTIONS_H

#include <stddef.h>
#include <string.h>

/* given: NULL, or a struct whose first member is its size (0: as large as the library's). */
static inline void ls_options_copy(void *to, size_t size, const void *given) {
    memset(to, 0, size);
    if (!given) return;
    size_t known = *(const size_t *)given;
    memcpy(to, given, known && known < size ? known : size);
}

/* Makes the parameter `options` point to a copy that has every field. */
#define LS_OWN_OPTIONS(type, options)                                                                        \
    type own_options;                                                                                        \
    ls_options_copy(&own_options, sizeof own_options, options);                                              \
    (options) = &own_options

#endif
