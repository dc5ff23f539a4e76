/* Reads launches.json: sizes, integer arguments and which pointers share an allocation become the same facts
 * that the front end finds in host code. Floating-point arguments, structs and contents of memory are left
 * open: what is proved holds for all of them. */
#include "cli/recorded.h"

#include "base/buf.h"
#include "base/map.h"
#include "ptx/origin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#ifdef LS_HAVE_JANSSON
#include <jansson.h>

typedef struct {
    const char *path;
    ls_arena *arena;
    ls_diags *diags;
} reader;

static bool wrong(const reader *r, size_t launch, const char *what) {
    ls_diags_add(r->diags, LS_ERROR, r->path, 0, 0, "entry %zu of the list: %s", launch + 1, what);
    return false;
}

static bool read_size(const json_t *launch, const char *key, ls_launch_size *out) {
    const json_t *list = json_object_get(launch, key);
    uint32_t *sizes[] = {&out->x, &out->y, &out->z};
    if (json_array_size(list) != 3) return false;
    for (size_t i = 0; i < 3; i++) {
        json_int_t n = json_integer_value(json_array_get(list, i));
        if (n < 1 || n > INT32_MAX) return false;
        *sizes[i] = (uint32_t)n;
    }
    return out->known = true;
}

static bool is_integer(const json_t *argument) {
    const char *type = json_string_value(json_object_get(argument, "type"));
    return type && strchr("usb", type[0]) && strcmp(type, "bytes") != 0 &&
           json_is_integer(json_object_get(argument, "value"));
}

/* The value as the signed number that a condition takes it for. */
static int64_t signed_value(const json_t *argument, int64_t bytes) {
    uint64_t value = (uint64_t)json_integer_value(json_object_get(argument, "value"));
    uint32_t unused = bytes < 8 ? 64 - 8 * (uint32_t)bytes : 0;
    return (int64_t)(value << unused) >> unused;
}

/* The first argument with this key: the i-th where there was none. */
static uint32_t first_with(ls_map *seen, const char *key, uint32_t i) {
    void **at = ls_map_at(seen, key, strlen(key));
    if (!*at) *at = (void *)((uintptr_t)i + 1);
    return (uint32_t)((uintptr_t)*at - 1);
}

static const char *text_of(const reader *r, const json_t *value) {
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const char *copy = ls_arena_strdup(r->arena, text ? text : "");
    free(text);
    return copy;
}

/* Pointers into one allocation: the same place as an earlier argument's, or another one in it. */
static void relate(const reader *r, const json_t *arguments, uint32_t count, uint32_t *same,
                   ls_kernel_launch *out) {
    ls_map places = {0}, allocations = {0};
    ls_argument_inside *inside = LS_NEW_N(r->arena, ls_argument_inside, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        const json_t *of = json_array_get(arguments, i), *allocation = json_object_get(of, "allocation");
        same[i] = i;
        if (!allocation) continue;
        const char *which = text_of(r, allocation), *offset = text_of(r, json_object_get(of, "offset"));
        same[i] = first_with(&places, ls_arena_printf(r->arena, "%s %s", offset, which), i);
        uint32_t first = first_with(&allocations, which, i);
        const json_t *other = json_object_get(json_array_get(arguments, first), "offset");
        if (same[i] == i && first != i)
            inside[out->inside_count++] = (ls_argument_inside){
                i, 0, first, 0, ls_arena_printf(r->arena, "%s - %s", offset, text_of(r, other))};
    }
    out->inside = inside;
    ls_map_free(&places);
    ls_map_free(&allocations);
}

static bool read_arguments(const reader *r, const json_t *arguments, ls_kernel_launch *out) {
    uint32_t count = (uint32_t)json_array_size(arguments);
    uint32_t *same = LS_NEW_N(r->arena, uint32_t, count + 1);
    const char **facts = LS_NEW_N(r->arena, const char *, count + 1);
    relate(r, arguments, count, same, out);
    for (uint32_t i = 0; i < count; i++) {
        const json_t *argument = json_array_get(arguments, i);
        int64_t bytes = json_integer_value(json_object_get(argument, "size"));
        if (!is_integer(argument) || bytes < 1 || bytes > 8) continue;
        int64_t value = signed_value(argument, bytes);
        if (value == INT64_MIN) continue; /* not a number of the language */
        char name[LS_ARGUMENT_NAME];
        ls_origin_argument(name, i, (uint32_t)bytes * 8, count);
        facts[out->fact_count++] = ls_arena_printf(r->arena, "%s == %" PRId64, name, value);
    }
    out->facts = facts;
    out->same = same;
    out->argument_count = count;
    return true;
}

static bool read_launch(const reader *r, const json_t *from, size_t index, ls_recorded_launch *out) {
    const char *kernel = json_string_value(json_object_get(from, "kernel"));
    const json_t *arguments = json_object_get(from, "args");
    *out = (ls_recorded_launch){.launch = {.file = ls_arena_strdup(r->arena, r->path), .is_recorded = true}};
    if (!kernel) return wrong(r, index, "the kernel's name is missing");
    if (!read_size(from, "grid", &out->launch.grid) || !read_size(from, "block", &out->launch.block))
        return wrong(r, index, "'grid' and 'block' must be three positive sizes each");
    if (!json_is_array(arguments)) return wrong(r, index, "'args' must be a list");
    json_int_t shared = json_integer_value(json_object_get(from, "shared"));
    if (shared < 0 || shared > UINT32_MAX) return wrong(r, index, "'shared' must be a number of bytes");
    out->kernel = ls_arena_strdup(r->arena, kernel);
    out->launch.number = (uint32_t)json_integer_value(json_object_get(from, "launch"));
    out->launch.shared_known = true;
    out->launch.shared_bytes = (uint32_t)shared;
    return read_arguments(r, arguments, &out->launch);
}

/* The text, with the bracket that a program which was ended by a signal leaves out. */
static json_t *load(const reader *r) {
    ls_buf text = {0};
    json_error_t error = {.line = 0};
    json_t *list = NULL;
    if (!ls_read_file(r->path, &text)) {
        ls_diags_add(r->diags, LS_ERROR, r->path, 0, 0, "cannot be read: %s", strerror(errno));
        ls_buf_free(&text);
        return NULL;
    }
    list = json_loadb(ls_buf_text(&text), text.length, 0, &error);
    while (!list && text.length && strchr(" \n\r\t,", text.text[text.length - 1])) text.length--;
    if (!list && text.length && text.text[text.length - 1] == '}') {
        ls_buf_putc(&text, ']');
        list = json_loadb(ls_buf_text(&text), text.length, 0, &error);
    }
    if (!list)
        ls_diags_add(r->diags, LS_ERROR, r->path, error.line < 0 ? 0 : (uint32_t)error.line,
                     error.column < 0 ? 0 : (uint32_t)error.column, "%s", error.text);
    ls_buf_free(&text);
    return list;
}

bool ls_recorded_read(const char *path, ls_arena *arena, ls_recorded *out, ls_diags *diags) {
    reader r = {path, arena, diags};
    *out = (ls_recorded){0};
    json_t *list = load(&r);
    if (!list) return false;
    bool good = json_is_array(list);
    if (!good) ls_diags_add(diags, LS_ERROR, path, 1, 1, "expected a list of launches");
    out->items = LS_NEW_N(arena, ls_recorded_launch, json_array_size(list) + 1);
    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = read_launch(&r, json_array_get(list, i), i, &out->items[out->count++]);
    json_decref(list);
    return good;
}
#else
bool ls_recorded_read(const char *path, ls_arena *arena, ls_recorded *out, ls_diags *diags) {
    (void)arena, (void)out;
    ls_diags_add(diags, LS_ERROR, path, 0, 0, "this Lockstep was built without jansson, which reads it");
    return false;
}
#endif
