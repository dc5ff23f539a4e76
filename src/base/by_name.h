/* The numbers of things that have a name, by that name: several may have the same one. */
#ifndef LS_BASE_BY_NAME_H
#define LS_BASE_BY_NAME_H

#include "base/arena.h"
#include "base/map.h"

typedef struct {
    ls_map first;   /* number + 1 of the one that was added last */
    uint32_t *next; /* by number: number + 1 of the next of the same name, or 0 */
} ls_by_name;

/* For things with the numbers below count. The arena has the links; the map is to be freed. */
void ls_by_name_init(ls_by_name *list, ls_arena *arena, uint32_t count);
/* The name must outlive the list. What is added from the highest number down is found from the lowest up. */
void ls_by_name_add(ls_by_name *list, const char *name, uint32_t number);
/* for (uint32_t i = ls_by_name_first(&list, name); i; i = list.next[i - 1]): the number is i - 1. */
uint32_t ls_by_name_first(const ls_by_name *list, const char *name);
void ls_by_name_free(ls_by_name *list);

#endif
