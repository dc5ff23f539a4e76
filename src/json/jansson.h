/* The part of jansson's interface that Lockstep writes reports with, for machines without the library (a
 * build with -DLOCKSTEP_GPU_ONLY=ON, or where jansson is not installed). Same names and meaning; nothing is
 * read here. */
#ifndef LS_JSON_JANSSON_H
#define LS_JSON_JANSSON_H

#include <stddef.h>
#include <stdint.h>

typedef struct json_t json_t;
typedef long long json_int_t;

/* A value has one owner at first; a function with "_new" in its name and json_pack's "o" take that over. */
json_t *json_object(void);
json_t *json_array(void);
json_t *json_string(const char *text); /* NULL where the text is not UTF-8 */
json_t *json_integer(json_int_t value);
json_t *json_real(double value);
json_t *json_boolean(int value);
json_t *json_null(void);
int json_object_set(json_t *object, const char *key, json_t *value); /* one more owner */
int json_object_set_new(json_t *object, const char *key, json_t *value);
int json_array_append_new(json_t *array, json_t *value);
json_t *json_object_get(const json_t *object, const char *key);
const char *json_string_value(const json_t *string);
/* Letters: s s? i I b f o n, objects { } with keys, arrays [ ]. */
json_t *json_pack(const char *format, ...);
void json_decref(json_t *value);

#define JSON_INDENT(n)         ((size_t)(n))
#define JSON_REAL_PRECISION(n) ((size_t)(n) << 8)
#define JSON_COMPACT           ((size_t)0) /* what is not indented is on one line anyway */
/* On the heap. */
char *json_dumps(const json_t *value, size_t flags);

#endif
