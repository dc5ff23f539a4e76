/* Finds an object of an archive in a program that was linked with it and has no symbols: the linker puts the
 * code of an object into the program in one piece and writes addresses into it, so that all other bytes are
 * the same. The longest piece without addresses is looked for, and then all of it is compared. */
#include "cuda/runtime_object.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that the linker may write for a relocation, around its place: the address, and the instruction that
 * it makes a simpler one of, where it may. */
static void around(uint32_t type, uint32_t *before, uint32_t *behind) {
    *before = 0;
    *behind = 4;
    switch (type) {
    case R_X86_64_64: *behind = 8; break;
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX: *before = 3; break;
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_GOTTPOFF: *before = 4, *behind = 12; break;
    default: break;
    }
}

/* One byte for each of the section's: whether the linker may have written it. NULL: out of memory. */
static char *written_by_linker(const ls_elf *o, uint32_t text, size_t size) {
    char *written = calloc(1, size + 1);
    for (uint32_t k = 1; written && k < o->section_count; k++) {
        const ls_elf_section_head *s = &o->sections[k];
        const ls_elf_relocation *list = (const void *)ls_elf_section_bytes(o, k);
        if (s->sh_type != SHT_RELA || s->sh_info != text || !list) continue;
        for (size_t r = 0; r < s->sh_size / sizeof *list; r++) {
            uint32_t before, behind;
            around((uint32_t)ELF64_R_TYPE(list[r].r_info), &before, &behind);
            uint64_t from = list[r].r_offset < before ? 0 : list[r].r_offset - before;
            for (uint64_t b = from; b < list[r].r_offset + behind && b < size; b++) written[b] = 1;
        }
    }
    return written;
}

static size_t longest_piece(const char *written, size_t size, size_t *length) {
    size_t best = 0;
    *length = 0;
    for (size_t k = 0, start = 0; k <= size; k++) {
        if (k < size && !written[k]) continue;
        if (k - start > *length) best = start, *length = k - start;
        start = k + 1;
    }
    return best;
}

static bool is_same(const char *code, const char *written, const char *memory, size_t size) {
    for (size_t k = 0; k < size; k++)
        if (!written[k] && code[k] != memory[k]) return false;
    return true;
}

const char *rt_find_code(const ls_elf *o, uint32_t text, const char *memory, size_t size) {
    const char *code = ls_elf_section_bytes(o, text), *found = NULL;
    size_t length = o->sections[text].sh_size, piece;
    char *written = code ? written_by_linker(o, text, length) : NULL;
    if (!written) return NULL;
    size_t at = longest_piece(written, length, &piece);
    for (const char *from = memory; !found && piece;) {
        const char *hit = memmem(from, size - (size_t)(from - memory), code + at, piece);
        if (!hit) break;
        size_t offset = (size_t)(hit - memory);
        bool fits = offset >= at && size - (offset - at) >= length;
        if (fits && is_same(code, written, hit - at, length)) found = hit - at;
        from = hit + 1;
    }
    free(written);
    return found;
}
