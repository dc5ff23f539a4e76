/* Fuzz target: source excerpts and JSON texts of arbitrary bytes. What is shown must have no control
 * characters, a caret within it, and the width asked for. */
#include "report/print.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    uint32_t column = data[0] | (uint32_t)data[1] << 8;
    const char *text = (const char *)data + 2;
    size_t length = size - 2;
    const char *newline = memchr(text, '\n', length);
    if (newline) length = (size_t)(newline - text);
    ls_buf shown = {0};
    size_t at = ls_source_show(&shown, text, length, column, 80);
    if (at > 80) abort();
    for (size_t i = 0; i < shown.length; i++)
        if ((unsigned char)shown.text[i] < 0x20 || shown.text[i] == 0x7f) abort();
    ls_buf_free(&shown);

    char *copy = malloc(size + 1);
    if (!copy) return 0;
    memcpy(copy, data, size);
    copy[size] = 0;
    json_t *value = ls_json_text(copy);
    if (!json_is_string(value)) abort();
    json_decref(value);
    free(copy);
    return 0;
}
