#include "base/elf.h"

#include <stdlib.h>
#include <string.h>

static bool in_file(const ls_elf *o, uint64_t offset, uint64_t size) {
    return offset <= o->size && size <= o->size - offset;
}

/* A section of strings, each of which ends in it. */
static const char *strings(const ls_elf *o, uint32_t section, size_t *size) {
    const char *at = section < o->section_count ? ls_elf_section_bytes(o, section) : NULL;
    *size = at ? o->sections[section].sh_size : 0;
    return *size && !at[*size - 1] ? at : NULL;
}

/* The first table of symbols of that type whose names can be read. */
static bool take_symbols(ls_elf *o, uint32_t type) {
    for (uint32_t k = 0; k < o->section_count; k++) {
        const ls_elf_section_head *s = &o->sections[k];
        size_t size;
        if (s->sh_type != type || !ls_elf_section_bytes(o, k)) continue;
        const char *names = strings(o, s->sh_link, &size);
        if (!names) continue;
        o->names = names;
        o->names_size = size;
        o->symbols = (const void *)ls_elf_section_bytes(o, k);
        o->count = s->sh_size / sizeof(Elf64_Sym);
        return true;
    }
    return false;
}

bool ls_elf_read(ls_elf *o, const char *bytes, size_t size) {
    *o = (ls_elf){.bytes = bytes, .size = size};
    const ls_elf_head *head = (const void *)bytes;
    if (!in_file(o, 0, sizeof *head) || memcmp(head->e_ident, ELFMAG, SELFMAG) ||
        head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shentsize != sizeof(Elf64_Shdr) ||
        !in_file(o, head->e_shoff, (uint64_t)head->e_shnum * sizeof(Elf64_Shdr)))
        return false;
    o->sections = (const void *)(bytes + head->e_shoff);
    o->section_count = head->e_shnum;
    o->section_names = strings(o, head->e_shstrndx, &o->section_names_size);
    take_symbols(o, SHT_SYMTAB);
    return true;
}

bool ls_elf_dynamic(ls_elf *o) {
    return take_symbols(o, SHT_DYNSYM);
}

bool ls_archive_next(const char *bytes, size_t size, size_t *at, const char **member, size_t *member_size) {
    enum { HEAD = 60, SIZE_AT = 48, SIZE_LENGTH = 10 };
    static const char magic[] = "!<arch>\n";
    char digits[SIZE_LENGTH + 1] = "";
    if (!*at) {
        if (size < sizeof magic - 1 || memcmp(bytes, magic, sizeof magic - 1)) return false;
        *at = sizeof magic - 1;
    }
    if (*at > size || size - *at < HEAD) return false;
    memcpy(digits, bytes + *at + SIZE_AT, SIZE_LENGTH);
    *member = bytes + *at + HEAD;
    *member_size = strtoul(digits, NULL, 10);
    if (*member_size > size - *at - HEAD) return false;
    *at += HEAD + *member_size + *member_size % 2;
    return true;
}

const char *ls_elf_symbol_name(const ls_elf *o, const ls_elf_symbol *s) {
    return s->st_name < o->names_size ? o->names + s->st_name : "";
}

uint32_t ls_elf_section(const ls_elf *o, const char *name) {
    for (uint32_t k = 1; o->section_names && k < o->section_count; k++)
        if (o->sections[k].sh_name < o->section_names_size &&
            !strcmp(o->section_names + o->sections[k].sh_name, name))
            return k;
    return 0;
}

const char *ls_elf_section_bytes(const ls_elf *o, uint32_t section) {
    const ls_elf_section_head *s = &o->sections[section];
    bool there = s->sh_type != SHT_NOBITS && in_file(o, s->sh_offset, s->sh_size);
    return there ? o->bytes + s->sh_offset : NULL;
}
