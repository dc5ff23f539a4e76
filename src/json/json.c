/* Values of JSON and their text: see jansson.h. */
#include "json/jansson.h"

#include "base/arena.h"
#include "base/buf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    KIND_OBJECT,
    KIND_ARRAY,
    KIND_STRING,
    KIND_INTEGER,
    KIND_REAL,
    KIND_TRUE,
    KIND_FALSE,
    KIND_NULL
} json_kind;

struct json_t {
    json_kind kind;
    uint32_t owners;
    json_t **items;
    char **keys; /* of an object */
    uint32_t count, capacity;
    char *text;
    json_int_t integer;
    double real;
};

static json_t *make(json_kind kind) {
    json_t *value = ls_xmalloc(sizeof *value);
    *value = (json_t){.kind = kind, .owners = 1};
    return value;
}

json_t *json_object(void) {
    return make(KIND_OBJECT);
}

json_t *json_array(void) {
    return make(KIND_ARRAY);
}

static bool is_utf8(const char *text) {
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        int more = *at < 0x80                  ? 0
                   : *at >= 0xC2 && *at < 0xE0 ? 1
                   : *at >= 0xE0 && *at < 0xF0 ? 2
                   : *at >= 0xF0 && *at < 0xF5 ? 3
                                               : -1;
        if (more < 0) return false;
        unsigned first = *at++;
        for (int i = 0; i < more; i++, at++) {
            if ((*at & 0xC0) != 0x80) return false;
            if (i == 0 && ((first == 0xE0 && *at < 0xA0) || (first == 0xED && *at > 0x9F) ||
                           (first == 0xF0 && *at < 0x90) || (first == 0xF4 && *at > 0x8F)))
                return false;
        }
    }
    return true;
}

json_t *json_string(const char *text) {
    if (!text || !is_utf8(text)) return NULL;
    json_t *value = make(KIND_STRING);
    value->text = ls_xmalloc(strlen(text) + 1);
    strcpy(value->text, text);
    return value;
}

json_t *json_integer(json_int_t number) {
    json_t *value = make(KIND_INTEGER);
    value->integer = number;
    return value;
}

json_t *json_real(double number) {
    json_t *value = make(KIND_REAL);
    value->real = number;
    return value;
}

json_t *json_boolean(int truth) {
    return make(truth ? KIND_TRUE : KIND_FALSE);
}

json_t *json_null(void) {
    return make(KIND_NULL);
}

static void append(json_t *to, const char *key, json_t *value) {
    if (to->count == to->capacity) {
        to->capacity = to->capacity ? 2 * to->capacity : 8;
        to->items = ls_xrealloc(to->items, to->capacity * sizeof *to->items);
        if (to->kind == KIND_OBJECT) to->keys = ls_xrealloc(to->keys, to->capacity * sizeof *to->keys);
    }
    if (key) {
        to->keys[to->count] = ls_xmalloc(strlen(key) + 1);
        strcpy(to->keys[to->count], key);
    }
    to->items[to->count++] = value;
}

static uint32_t find(const json_t *object, const char *key) {
    uint32_t i = 0;
    while (i < object->count && strcmp(object->keys[i], key) != 0) i++;
    return i;
}

int json_object_set_new(json_t *object, const char *key, json_t *value) {
    if (!object || object->kind != KIND_OBJECT || !value) {
        json_decref(value);
        return -1;
    }
    uint32_t at = find(object, key);
    if (at == object->count) {
        append(object, key, value);
    } else {
        json_decref(object->items[at]);
        object->items[at] = value;
    }
    return 0;
}

int json_object_set(json_t *object, const char *key, json_t *value) {
    if (value) value->owners++;
    return json_object_set_new(object, key, value);
}

int json_array_append_new(json_t *array, json_t *value) {
    if (!array || array->kind != KIND_ARRAY || !value) {
        json_decref(value);
        return -1;
    }
    append(array, NULL, value);
    return 0;
}

json_t *json_object_get(const json_t *object, const char *key) {
    if (!object || object->kind != KIND_OBJECT) return NULL;
    uint32_t at = find(object, key);
    return at < object->count ? object->items[at] : NULL;
}

const char *json_string_value(const json_t *string) {
    return string && string->kind == KIND_STRING ? string->text : NULL;
}

void json_decref(json_t *value) {
    if (!value || --value->owners) return;
    for (uint32_t i = 0; i < value->count; i++) {
        json_decref(value->items[i]);
        if (value->keys) free(value->keys[i]);
    }
    free(value->items), free(value->keys), free(value->text);
    free(value);
}

/* --- json_pack -------------------------------------------------------------------------------------------
 */

static char next_letter(const char **at) {
    while (**at == ' ' || **at == ',' || **at == ':') ++*at;
    return **at ? *(*at)++ : 0;
}

static json_t *pack(const char **at, va_list *args) {
    switch (next_letter(at)) {
    case 's': {
        const char *text = va_arg(*args, const char *);
        bool optional = **at == '?';
        *at += optional;
        return text || !optional ? json_string(text) : json_null();
    }
    case 'i': return json_integer(va_arg(*args, int));
    case 'I': return json_integer(va_arg(*args, json_int_t));
    case 'b': return json_boolean(va_arg(*args, int));
    case 'f': return json_real(va_arg(*args, double));
    case 'o': return va_arg(*args, json_t *);
    case 'n': return json_null();
    case '[': {
        json_t *array = json_array();
        for (char letter; (letter = next_letter(at)) && letter != ']';) {
            --*at;
            json_array_append_new(array, pack(at, args));
        }
        return array;
    }
    case '{': {
        json_t *object = json_object();
        while (next_letter(at) == 's') { /* the key */
            const char *key = va_arg(*args, const char *);
            json_object_set_new(object, key, pack(at, args));
        }
        return object;
    }
    default: return NULL;
    }
}

json_t *json_pack(const char *format, ...) {
    va_list args;
    va_start(args, format);
    json_t *value = pack(&format, &args);
    va_end(args);
    return value;
}

/* --- Text ------------------------------------------------------------------------------------------------
 */

static void put_text(ls_buf *out, const char *text) {
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    ls_buf_putc(out, '"');
    for (; *text; text++) {
        const char *special = strchr(plain, *text);
        if (special)
            ls_buf_printf(out, "\\%c", letters[special - plain]);
        else if ((unsigned char)*text < 0x20)
            ls_buf_printf(out, "\\u%04X", *text);
        else
            ls_buf_putc(out, *text);
    }
    ls_buf_putc(out, '"');
}

static void put_real(ls_buf *out, double value, size_t flags) {
    char text[64];
    int precision = (int)(flags >> 8 & 31);
    snprintf(text, sizeof text, "%.*g", precision ? precision : 17, value);
    ls_buf_puts(out, text);
    if (!strpbrk(text, ".e")) ls_buf_puts(out, ".0");
}

static void new_line(ls_buf *out, size_t flags, uint32_t depth) {
    if (!(flags & 255)) return;
    ls_buf_putc(out, '\n');
    for (size_t i = 0; i < (flags & 255) * depth; i++) ls_buf_putc(out, ' ');
}

static void put(ls_buf *out, const json_t *value, size_t flags, uint32_t depth) {
    static const char *const words[] = {[KIND_TRUE] = "true", [KIND_FALSE] = "false", [KIND_NULL] = "null"};
    switch (value->kind) {
    case KIND_STRING: put_text(out, value->text); return;
    case KIND_INTEGER: ls_buf_printf(out, "%lld", value->integer); return;
    case KIND_REAL: put_real(out, value->real, flags); return;
    case KIND_OBJECT:
    case KIND_ARRAY: break;
    default: ls_buf_puts(out, words[value->kind]); return;
    }
    bool object = value->kind == KIND_OBJECT;
    ls_buf_putc(out, object ? '{' : '[');
    for (uint32_t i = 0; i < value->count; i++) {
        if (i) ls_buf_puts(out, flags & 255 ? "," : ", ");
        new_line(out, flags, depth + 1);
        if (object) {
            put_text(out, value->keys[i]);
            ls_buf_puts(out, ": ");
        }
        put(out, value->items[i], flags, depth + 1);
    }
    if (value->count) new_line(out, flags, depth);
    ls_buf_putc(out, object ? '}' : ']');
}

char *json_dumps(const json_t *value, size_t flags) {
    ls_buf out = {0};
    if (!value) return NULL;
    put(&out, value, flags, 0);
    char *text = ls_xmalloc(out.length + 1);
    memcpy(text, ls_buf_text(&out), out.length + 1);
    ls_buf_free(&out);
    return text;
}
