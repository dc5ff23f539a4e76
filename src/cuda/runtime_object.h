/* Files of programs, libraries and archives as far as the linked-in runtime is looked for in them: ELF
 * objects with their sections and symbols. */
#ifndef LS_CUDA_RUNTIME_OBJECT_H
#define LS_CUDA_RUNTIME_OBJECT_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    uint32_t section_count;
    const char *section_names; /* NULL: none that can be read */
    size_t section_names_size;
    const Elf64_Sym *symbols; /* NULL: stripped */
    size_t count;
    const char *names;
    size_t names_size;
} rt_object;

/* A file in memory; its address and size, or NULL. To be unmapped by the caller. */
const char *rt_map_file(const char *path, size_t *size);
/* False where the bytes are no ELF object of this machine's kind. */
bool rt_object_read(rt_object *o, const char *bytes, size_t size);
/* An object of an archive at *at, which is then behind it; false where there are no more. */
bool rt_archive_next(const char *bytes, size_t size, size_t *at, const char **member, size_t *member_size);
const char *rt_symbol_name(const rt_object *o, const Elf64_Sym *s);
/* The number of a section; 0: there is none. */
uint32_t rt_section(const rt_object *o, const char *name);
/* Its bytes; NULL where they are not in the file. */
const char *rt_section_bytes(const rt_object *o, uint32_t section);

/* runtime_match.c: where the code of the section `text` of an archive's object is in memory, of which the
 * addresses in it are not compared; NULL where it is not there. */
const char *rt_find_code(const rt_object *o, uint32_t text, const char *memory, size_t size);
#endif
