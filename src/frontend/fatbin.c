/* Fat binaries: a header (magic 0xba55ed50) and entries, each with a header of its own. What clang embeds in
 * host code, and what a CUDA runtime or driver reads from there. */
#include "frontend/fatbin.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = 0xba55ed50, KIND_PTX = 1, FLAG_64_BIT = 1, FLAG_LINUX = 0x10 };

typedef struct {
    uint32_t magic;
    uint16_t version, header_size;
    uint64_t size; /* of all entries */
} fatbin_header;

typedef struct {
    uint16_t kind, version;
    uint32_t header_size;
    uint64_t size; /* of what follows the header, padded */
    uint32_t packed_size, options;
    uint16_t minor, major; /* of the PTX version */
    uint32_t arch, name, name_size;
    uint64_t flags, reserved, unpacked_size;
} entry_header;

void ls_fatbin_of_ptx(const char *ptx, size_t length, const char *arch, ls_buf *out) {
    static const char ZEROS[8];
    size_t padding = 8 - length % 8; /* at least one: the text ends with a zero */
    entry_header entry = {.kind = KIND_PTX,
                          .version = 0x101,
                          .header_size = sizeof entry,
                          .size = length + padding,
                          .arch = (uint32_t)strtoul(arch + strcspn(arch, "0123456789"), NULL, 10),
                          .flags = FLAG_64_BIT | FLAG_LINUX};
    const char *version = strstr(ptx, ".version");
    if (version) {
        char *end;
        entry.major = (uint16_t)strtoul(version + strlen(".version"), &end, 10);
        entry.minor = *end == '.' ? (uint16_t)strtoul(end + 1, NULL, 10) : 0;
    }
    fatbin_header header = {MAGIC, 1, sizeof header, sizeof entry + entry.size};
    ls_buf_add(out, (const char *)&header, sizeof header);
    ls_buf_add(out, (const char *)&entry, sizeof entry);
    ls_buf_add(out, ptx, length);
    ls_buf_add(out, ZEROS, padding);
}
