/* Names of array elements as the source writes them (element.c). */
#ifndef LS_CHECK_ELEMENT_H
#define LS_CHECK_ELEMENT_H

#include "base/arena.h"
#include "report/model.h"

/* "s[2]" or "tile[1][3]" for a byte of an array or of what a pointer points to, by the declaration of that
 * name nearest above the place, in a kernel of that name as people write it; NULL where the source does not
 * tell the size of an element, or the lengths of the inner dimensions. */
const char *ls_element_name(ls_sources *sources, ls_place place, const char *kernel, const char *object,
                            uint64_t byte, ls_arena *arena);

/* What the source file calls the parameter of that number of the kernel of that name; NULL where it does not
 * say so, or says it in two ways. */
const char *ls_source_parameter(const char *kernel, const char *file, uint32_t number, ls_arena *arena);

#endif
