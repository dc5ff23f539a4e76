/* Files of programs, libraries and archives as far as the linked-in runtime is looked for in them. */
#ifndef LS_CUDA_RUNTIME_OBJECT_H
#define LS_CUDA_RUNTIME_OBJECT_H

#include "base/elf.h"

/* A file in memory; its address and size, or NULL. To be unmapped by the caller. */
const char *rt_map_file(const char *path, size_t *size);

/* Whether an address of the process is in the section of that name, of the object that it belongs to. */
bool rt_in_section(const void *address, const char *name);

/* runtime_match.c: where the code of the section `text` of an archive's object is in memory, of which the
 * addresses in it are not compared; NULL where it is not there. */
const char *rt_find_code(const ls_elf *o, uint32_t text, const char *memory, size_t size);
#endif
