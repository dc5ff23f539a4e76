/* Numbers by name (by_name.h): a map to the first, and a link from each to the next of its name. */
#include "base/by_name.h"

#include <string.h>

void ls_by_name_init(ls_by_name *list, ls_arena *arena, uint32_t count) {
    *list = (ls_by_name){.next = LS_NEW_N(arena, uint32_t, (size_t)count + 1)};
}

void ls_by_name_add(ls_by_name *list, const char *name, uint32_t number) {
    void **first = ls_map_at(&list->first, name, strlen(name));
    list->next[number] = (uint32_t)(uintptr_t)*first;
    *first = (void *)((uintptr_t)number + 1);
}

uint32_t ls_by_name_first(const ls_by_name *list, const char *name) {
    return (uint32_t)(uintptr_t)ls_map_get(&list->first, name, strlen(name));
}

void ls_by_name_free(ls_by_name *list) {
    ls_map_free(&list->first);
}
