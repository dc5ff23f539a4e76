/* ELF objects with their sections and symbols, and archives of them, as they lie in a file: nothing is
 * trusted that is not within its bytes. */
#ifndef LS_BASE_ELF_H
#define LS_BASE_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Structures of ELF at any place: an archive's members begin at even ones. */
typedef Elf64_Ehdr ls_elf_head __attribute__((aligned(1)));
typedef Elf64_Shdr ls_elf_section_head __attribute__((aligned(1)));
typedef Elf64_Sym ls_elf_symbol __attribute__((aligned(1)));
typedef Elf64_Rela ls_elf_relocation __attribute__((aligned(1)));

typedef struct {
    const char *bytes;
    size_t size;
    const ls_elf_section_head *sections;
    uint32_t section_count;
    const char *section_names; /* NULL: none that can be read */
    size_t section_names_size;
    const ls_elf_symbol *symbols; /* NULL: stripped */
    size_t count;
    const char *names;
    size_t names_size;
} ls_elf;

/* False where the bytes are no ELF object of this machine's kind. */
bool ls_elf_read(ls_elf *o, const char *bytes, size_t size);
/* Its symbols become those that other objects can use, which are there in stripped ones as well; false where
 * there are none. */
bool ls_elf_dynamic(ls_elf *o);
/* An object of an archive at *at, which is then behind it; false where there are no more. */
bool ls_archive_next(const char *bytes, size_t size, size_t *at, const char **member, size_t *member_size);
const char *ls_elf_symbol_name(const ls_elf *o, const ls_elf_symbol *s);
/* The number of a section; 0: there is none. */
uint32_t ls_elf_section(const ls_elf *o, const char *name);
/* Its bytes; NULL where they are not in the file. */
const char *ls_elf_section_bytes(const ls_elf *o, uint32_t section);

#endif
