/* Messages of JSON-RPC (rpc.h): what comes in is collected until a message is whole. Its length is limited,
 * and so is the length of a header; JSON is nested at most as deep as jansson reads (2048). */
#include "rpc/rpc.h"

#include "base/buf.h"
#include "base/vec.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LONGEST_MESSAGE = 64 << 20, LONGEST_HEADER = 8192 };

struct ls_rpc {
    int in, out;
    ls_rpc_framing framing;
    ls_buf got;
    size_t taken; /* of `got` */
    bool lost;    /* where messages begin is not known any more */
    bool broken;
    json_int_t asked;
};

ls_rpc *ls_rpc_new(int in, int out, ls_rpc_framing framing) {
    ls_rpc *rpc = ls_xmalloc(sizeof *rpc);
    *rpc = (ls_rpc){.in = in, .out = out, .framing = framing};
    return rpc;
}

void ls_rpc_free(ls_rpc *rpc) {
    if (!rpc) return;
    ls_buf_free(&rpc->got);
    free(rpc);
}

bool ls_rpc_broken(const ls_rpc *rpc) {
    return rpc->broken || rpc->lost;
}

/* --- In ------------------------------------------------------------------------------------------------ */

bool ls_rpc_read(ls_rpc *rpc) {
    if (rpc->lost) return false;
    if (rpc->taken) { /* what has been taken makes room */
        memmove(rpc->got.text, rpc->got.text + rpc->taken, rpc->got.length - rpc->taken);
        rpc->got.length -= rpc->taken;
        rpc->taken = 0;
    }
    char chunk[65536];
    ssize_t count;
    do count = read(rpc->in, chunk, sizeof chunk);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    ls_buf_add(&rpc->got, chunk, (size_t)count);
    return true;
}

/* Input that can no longer be split into messages is reported once. */
static json_t *lose(ls_rpc *rpc, const char *why) {
    rpc->lost = true;
    json_t *none = json_null();
    ls_rpc_error(rpc, none, LS_RPC_PARSE, "%s", why);
    return NULL;
}

/* A message as JSON; if it is not JSON, an error is answered and NULL is returned. */
static json_t *parse(ls_rpc *rpc, const char *text, size_t length) {
    json_error_t error;
    json_t *message = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    json_t *none = json_null();
    if (!message) {
        ls_rpc_error(rpc, none, LS_RPC_PARSE, "this is not JSON: %s", error.text);
    } else if (!json_is_object(message)) {
        ls_rpc_error(rpc, none, LS_RPC_REQUEST, "a message is an object");
        json_decref(message);
        message = NULL;
    }
    return message;
}

/* The length that the headers give; -1: they are not all there, -2: they are none. *size: of the headers. */
static long header_length(const char *text, size_t length, size_t *size) {
    long content = -2;
    for (const char *at = text, *end = text + length;;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        if (!newline) return end - text > LONGEST_HEADER ? -2 : -1;
        size_t line = (size_t)(newline - at);
        if (line && at[line - 1] == '\r') line--;
        if (!line) {
            *size = (size_t)(newline + 1 - text);
            return content;
        }
        static const char name[] = "Content-Length:";
        if (line >= sizeof name && !strncasecmp(at, name, sizeof name - 1)) {
            char digits[24] = {0};
            size_t room = line - (sizeof name - 1);
            memcpy(digits, at + sizeof name - 1, room < 23 ? room : 23);
            char *rest;
            errno = 0;
            content = strtol(digits, &rest, 10);
            while (*rest == ' ') rest++;
            if (errno || *rest || content < 0 || content > LONGEST_MESSAGE) return -2;
        }
        at = newline + 1;
        if (at - text > LONGEST_HEADER) return -2;
    }
}

/* The next message's text, taken out; false where it is not all there. */
static bool take(ls_rpc *rpc, const char **text, size_t *length) {
    const char *from = ls_buf_text(&rpc->got) + rpc->taken, *end = ls_buf_text(&rpc->got) + rpc->got.length;
    while (from < end && isspace((unsigned char)*from)) from++;
    rpc->taken = (size_t)(from - ls_buf_text(&rpc->got));
    size_t left = (size_t)(end - from);
    if (!left) return false;
    if (*from == '{' || *from == '[' || rpc->framing == LS_RPC_LINES) {
        const char *newline = memchr(from, '\n', left);
        if (!newline && left > LONGEST_MESSAGE) return lose(rpc, "a message is too long"), false;
        bool headers = *from != '{' && *from != '[' && !strncasecmp(from, "Content-", left < 8 ? left : 8);
        if (!newline && !headers) return false;
        if (!headers) {
            *text = from;
            *length = (size_t)(newline - from);
            rpc->taken += *length + 1;
            return true;
        }
    }
    size_t headers;
    long content = header_length(from, left, &headers);
    if (content == -2)
        return lose(rpc, "the headers have no 'Content-Length', or one that is too large"), false;
    if (content < 0 || left - headers < (size_t)content) return false;
    *text = from + headers;
    *length = (size_t)content;
    rpc->taken += headers + (size_t)content;
    return true;
}

json_t *ls_rpc_next(ls_rpc *rpc) {
    const char *text;
    size_t length;
    while (!rpc->lost && take(rpc, &text, &length)) {
        json_t *message = parse(rpc, text, length);
        if (message) return message;
    }
    return NULL;
}

/* --- Out ----------------------------------------------------------------------------------------------- */

static void write_all(ls_rpc *rpc, const char *text, size_t length) {
    while (length && !rpc->broken) {
        ssize_t count = write(rpc->out, text, length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            rpc->broken = true;
            return;
        }
        text += count;
        length -= (size_t)count;
    }
}

static void send(ls_rpc *rpc, json_t *message) {
    json_object_set_new(message, "jsonrpc", json_string("2.0"));
    char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!text) return;
    ls_buf out = {0};
    if (rpc->framing == LS_RPC_HEADERS) ls_buf_printf(&out, "Content-Length: %zu\r\n\r\n", strlen(text));
    ls_buf_puts(&out, text);
    if (rpc->framing == LS_RPC_LINES) ls_buf_putc(&out, '\n');
    write_all(rpc, out.text, out.length);
    ls_buf_free(&out);
    free(text);
}

/* An id is a number, a text or (of an error) null. */
static json_t *copy_id(const json_t *id) {
    return json_is_string(id) || json_is_integer(id) || json_is_real(id) ? json_deep_copy(id) : json_null();
}

void ls_rpc_reply(ls_rpc *rpc, const json_t *id, json_t *result) {
    if (!id) {
        json_decref(result);
        return;
    }
    json_t *message = json_object();
    json_object_set_new(message, "id", copy_id(id));
    json_object_set_new(message, "result", result ? result : json_null());
    send(rpc, message);
}

void ls_rpc_error(ls_rpc *rpc, const json_t *id, int code, const char *format, ...) {
    if (!id) return;
    char room[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(room, sizeof room, format, args);
    va_end(args);
    json_t *message = json_object(), *error = json_object();
    json_object_set_new(error, "code", json_integer(code));
    json_object_set_new(error, "message", ls_rpc_text(room, strlen(room)));
    json_object_set_new(message, "id", copy_id(id));
    json_object_set_new(message, "error", error);
    send(rpc, message);
}

void ls_rpc_notify(ls_rpc *rpc, const char *method, json_t *params) {
    json_t *message = json_object();
    json_object_set_new(message, "method", json_string(method));
    if (params) json_object_set_new(message, "params", params);
    send(rpc, message);
}

void ls_rpc_ask(ls_rpc *rpc, const char *method, json_t *params) {
    json_t *message = json_object();
    json_object_set_new(message, "id", json_integer(++rpc->asked));
    json_object_set_new(message, "method", json_string(method));
    if (params) json_object_set_new(message, "params", params);
    send(rpc, message);
}

/* --- Values -------------------------------------------------------------------------------------------- */

json_t *ls_rpc_text(const char *text, size_t length) {
    json_t *whole = json_stringn(text, length);
    if (whole) return whole;
    ls_buf mended = {0};
    for (size_t i = 0; i < length;) {
        size_t size = 1;
        while (size < 4 && i + size < length && ((unsigned char)text[i + size] & 0xc0) == 0x80) size++;
        json_t *one = json_stringn(text + i, size);
        if (one)
            ls_buf_add(&mended, text + i, size);
        else
            ls_buf_puts(&mended, "\xef\xbf\xbd");
        json_decref(one);
        i += size;
    }
    whole = json_stringn(ls_buf_text(&mended), mended.length);
    ls_buf_free(&mended);
    return whole ? whole : json_string("");
}

const char *ls_rpc_string(const json_t *object, const char *name, const char *other) {
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : other;
}

json_int_t ls_rpc_number(const json_t *object, const char *name, json_int_t other) {
    const json_t *value = json_object_get(object, name);
    return json_is_integer(value) ? json_integer_value(value) : other;
}

bool ls_rpc_truth(const json_t *object, const char *name, bool other) {
    const json_t *value = json_object_get(object, name);
    return json_is_boolean(value) ? json_boolean_value(value) : other;
}
