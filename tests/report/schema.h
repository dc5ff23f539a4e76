/* Holds a JSON value against the part of JSON Schema that share/lockstep/report.schema.json uses: type,
 * const, enum, properties, required, additionalProperties, propertyNames.pattern, items, minimum, $ref into
 * $defs. Include after cmocka.h. */
#ifndef LS_TESTS_REPORT_SCHEMA_H
#define LS_TESTS_REPORT_SCHEMA_H

#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool has_type(const json_t *value, const char *type) {
    if (!strcmp(type, "object")) return json_is_object(value);
    if (!strcmp(type, "array")) return json_is_array(value);
    if (!strcmp(type, "string")) return json_is_string(value);
    if (!strcmp(type, "integer")) return json_is_integer(value);
    if (!strcmp(type, "number")) return json_is_number(value);
    if (!strcmp(type, "boolean")) return json_is_boolean(value);
    if (!strcmp(type, "null")) return json_is_null(value);
    fail_msg("the schema has a type '%s' that this test does not know", type);
    return false;
}

static void hold(const json_t *root, const json_t *schema, const json_t *value, const char *where);

static void hold_type(const json_t *type, const json_t *value, const char *where) {
    bool good = json_is_string(type) && has_type(value, json_string_value(type));
    for (size_t i = 0; json_is_array(type) && i < json_array_size(type); i++)
        good |= has_type(value, json_string_value(json_array_get(type, i)));
    if (type && !good) fail_msg("%s is not of the schema's type", where);
}

static void hold_object(const json_t *root, const json_t *schema, json_t *value, const char *where) {
    const json_t *properties = json_object_get(schema, "properties"), *item;
    const json_t *required = json_object_get(schema, "required");
    const char *pattern =
        json_string_value(json_object_get(json_object_get(schema, "propertyNames"), "pattern"));
    size_t i;
    json_array_foreach(required, i, item) {
        if (!json_object_get(value, json_string_value(item)))
            fail_msg("%s has no '%s'", where, json_string_value(item));
    }
    const char *key;
    json_t *part;
    json_object_foreach(value, key, part) {
        char inner[512];
        snprintf(inner, sizeof inner, "%.400s.%.100s", where, key);
        const json_t *known = json_object_get(properties, key);
        if (!known && json_is_false(json_object_get(schema, "additionalProperties")))
            fail_msg("%s is not in the schema", inner);
        if (known) hold(root, known, part, inner);
        regex_t regex;
        if (pattern && !regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB)) {
            int result = regexec(&regex, key, 0, NULL, 0);
            regfree(&regex);
            if (result) fail_msg("%s is no word", inner);
        }
    }
}

static void hold(const json_t *root, const json_t *schema, const json_t *value, const char *where) {
    const char *reference = json_string_value(json_object_get(schema, "$ref"));
    if (reference) {
        assert_true(!strncmp(reference, "#/$defs/", 8));
        schema = json_object_get(json_object_get(root, "$defs"), reference + 8);
        assert_non_null(schema);
    }
    const json_t *type = json_object_get(schema, "type"), *fixed = json_object_get(schema, "const");
    const json_t *words = json_object_get(schema, "enum"), *least = json_object_get(schema, "minimum"), *word;
    if (type) hold_type(type, value, where);
    if (fixed && !json_equal(fixed, value)) fail_msg("%s has another value", where);
    bool listed = !words;
    size_t i;
    json_array_foreach(words, i, word) listed |= json_equal(word, value);
    if (!listed) fail_msg("%s is not among the schema's words", where);
    if (least && json_number_value(value) < json_number_value(least)) fail_msg("%s is too small", where);
    if (json_is_object(value)) {
        json_t *copy = json_deep_copy(value);
        hold_object(root, schema, copy, where);
        json_decref(copy);
    }
    const json_t *items = json_object_get(schema, "items"), *part;
    if (items) json_array_foreach(value, i, part) hold(root, items, part, where);
}

/* Fails the test where the text is no report as the schema has it. */
static inline void hold_report(const char *text) {
    json_error_t error;
    json_t *schema =
        json_load_file(SOURCE_DIR "/share/lockstep/report.schema.json", JSON_REJECT_DUPLICATES, &error);
    if (!schema) fail_msg("the schema, line %d: %s", error.line, error.text);
    json_t *value = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!value) fail_msg("line %d: %s", error.line, error.text);
    hold(schema, schema, value, "report");
    json_decref(value);
    json_decref(schema);
}

#endif
