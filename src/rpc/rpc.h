/* JSON-RPC 2.0 over two file descriptors, for a server that answers one client. Messages come framed by
 * headers ("Content-Length: …", as language servers have it) or one in a line (as MCP has it); either is
 * understood, and what goes out has the form that the server was made with.
 *
 *     ls_rpc *rpc = ls_rpc_new(0, 1, LS_RPC_HEADERS);
 *     while (ls_rpc_read(rpc))                            (when there is something to read)
 *         for (json_t *m; (m = ls_rpc_next(rpc)); json_decref(m)) …
 *
 * What is no message is answered with an error, as the protocol says, and left behind. */
#ifndef LS_RPC_RPC_H
#define LS_RPC_RPC_H

#include <jansson.h>
#include <stdbool.h>

typedef enum { LS_RPC_HEADERS, LS_RPC_LINES } ls_rpc_framing;

enum {
    LS_RPC_PARSE = -32700,
    LS_RPC_REQUEST = -32600,
    LS_RPC_METHOD = -32601,
    LS_RPC_PARAMS = -32602,
    LS_RPC_NOT_READY = -32002,
    LS_RPC_CANCELLED = -32800,
};

typedef struct ls_rpc ls_rpc;

ls_rpc *ls_rpc_new(int in, int out, ls_rpc_framing framing);
void ls_rpc_free(ls_rpc *rpc);

/* Waits for something to read and takes it; false if there will be no more, or if the input can no longer be
 * split into messages. */
bool ls_rpc_read(ls_rpc *rpc);
/* The next message that is there as a whole, a JSON object; NULL where there is none. */
json_t *ls_rpc_next(ls_rpc *rpc);
/* The client is gone, or its input can no longer be split into messages. */
bool ls_rpc_broken(const ls_rpc *rpc);

/* These take ownership of `result` and `params`. `id` is that of the request; without one (a notification)
 * nothing is answered. */
void ls_rpc_reply(ls_rpc *rpc, const json_t *id, json_t *result);
void ls_rpc_error(ls_rpc *rpc, const json_t *id, int code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void ls_rpc_notify(ls_rpc *rpc, const char *method, json_t *params);
/* A request to the client, whose answer is not waited for. */
void ls_rpc_ask(ls_rpc *rpc, const char *method, json_t *params);

/* A text of any bytes as JSON: what is not UTF-8 becomes U+FFFD. */
json_t *ls_rpc_text(const char *text, size_t length);

/* Members, by name, where they are there and of the type; else the other value. */
const char *ls_rpc_string(const json_t *object, const char *name, const char *other);
json_int_t ls_rpc_number(const json_t *object, const char *name, json_int_t other);
bool ls_rpc_truth(const json_t *object, const char *name, bool other);

#endif
