/* The server for coding agents (mcp.h). Calls of tools are children (worker.h), several at a time; answers
 * come in the order in which they end. */
#include "mcp/mcp.h"

#include "base/vec.h"
#include "lockstep/version.h"
#include "mcp/tools.h"
#include "rpc/rpc.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 4, MOST_WAITING = 256, USUAL_SECONDS = 60, MOST_SECONDS = 600, LONGEST_ANSWER = 24000 };

static const char instructions[] =
    "Lockstep checks GPU kernels (CUDA, OpenCL, PTX) without a GPU. Call `check` after each change of a "
    "kernel: 'proved' holds for every input within the scope that the verdict's line states, 'refuted' comes "
    "with the threads and elements that clash, 'unknown' is not a pass. `run` executes a kernel with "
    "checkers; "
    "`profile` says what its accesses cost a warp; `explain` says what a rule means.";

/* A call of a tool. */
typedef struct {
    json_t *id, *arguments;
    char *name;
    ls_worker worker;
    bool started;
} tool_call;

typedef struct {
    ls_rpc *rpc;
    LS_VEC(tool_call *) calls;
    bool trusted; /* children need not be confined */
} server;

static void free_call(tool_call *call) {
    ls_worker_free(&call->worker);
    json_decref(call->id);
    json_decref(call->arguments);
    free(call->name);
    free(call);
}

static void answer_text(server *s, const json_t *id, const char *text, size_t length, bool is_error) {
    ls_rpc_reply(s->rpc, id,
                 json_pack("{s:[{s:s, s:o}], s:b}", "content", "type", "text", "text",
                           ls_rpc_text(text, length), "isError", (int)is_error));
}

/* --- Calls --------------------------------------------------------------------------------------------- */

/* What the exit status means, in words. */
static const char *meaning_of(int status) {
    static const char *const meanings[] = {"all clean", "something was found",
                                           "wrong usage or unreadable input",
                                           "nothing was found, but something is unknown"};
    return status >= 0 && status < 4 ? meanings[status] : "it failed";
}

static void finish(server *s, const tool_call *call) {
    const ls_worker *w = &call->worker;
    ls_buf text = {0};
    size_t length = w->said.length;
    bool cut = length > LONGEST_ANSWER;
    ls_buf_add(&text, ls_buf_text(&w->said), cut ? LONGEST_ANSWER : length);
    if (cut) ls_buf_printf(&text, "\n… and %zu more characters: name a kernel\n", length - LONGEST_ANSWER);
    if (w->cancelled)
        ls_buf_puts(&text, "It took longer than `seconds` and was stopped: there is no result.\n");
    else
        ls_buf_printf(&text, "Exit status %d: %s.\n", w->status, meaning_of(w->status));
    bool failed = w->cancelled || w->status == 2 || w->status < 0 || w->status > 3;
    answer_text(s, call->id, ls_buf_text(&text), text.length, failed);
    ls_buf_free(&text);
}

static void start(server *s, tool_call *call) {
    ls_arena arena;
    ls_arena_init(&arena);
    ls_args argv = {0};
    const char *wrong = NULL;
    ls_worker_options how = {0};
    const json_t *given = json_object_get(call->arguments, "seconds");
    double seconds = json_is_number(given) ? json_number_value(given) : USUAL_SECONDS;
    how.seconds = seconds > 0 && seconds <= MOST_SECONDS ? seconds : MOST_SECONDS;
    call->started = true;
    bool good = ls_tool_command(&call->worker, call->name, call->arguments, &arena, &argv, &how, &wrong);
    if (s->trusted) how.confined = false;
    if (good && !ls_worker_start(&call->worker, &argv, &how)) wrong = "no process can be started";
    if (wrong) answer_text(s, call->id, wrong, strlen(wrong), true);
    LS_VEC_FREE(&argv);
    ls_arena_free(&arena);
}

static uint32_t running(const server *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->calls.length; i++) count += s->calls.items[i]->worker.running;
    return count;
}

/* Ends those that are ready, begins those that wait. */
static void look_at_calls(server *s) {
    for (uint32_t i = 0; i < s->calls.length;) {
        tool_call *call = s->calls.items[i];
        if (!call->started && running(s) < MOST_CALLS) start(s, call);
        bool was = call->worker.running;
        if (!call->started || (was && !ls_worker_poll(&call->worker))) {
            i++;
            continue;
        }
        if (was && call->id) finish(s, call);
        free_call(call);
        memmove(&s->calls.items[i], &s->calls.items[i + 1], (--s->calls.length - i) * sizeof *s->calls.items);
    }
}

/* --- Messages ------------------------------------------------------------------------------------------ */

static void initialize(server *s, const json_t *id, const json_t *params) {
    static const char *const versions[] = {"2025-06-18", "2025-03-26", "2024-11-05"};
    const char *asked = ls_rpc_string(params, "protocolVersion", ""), *version = versions[0];
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (!strcmp(versions[i], asked)) version = versions[i];
    ls_rpc_reply(s->rpc, id,
                 json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}, s:s}", "protocolVersion", version, "capabilities",
                           "tools", "serverInfo", "name", "lockstep", "version", ls_version(), "instructions",
                           instructions));
}

static void ping(server *s, const json_t *id, const json_t *params) {
    (void)params;
    ls_rpc_reply(s->rpc, id, json_object());
}

static void list_tools(server *s, const json_t *id, const json_t *params) {
    (void)params;
    ls_rpc_reply(s->rpc, id, json_pack("{s:o}", "tools", ls_tools_list()));
}

static void call_tool(server *s, const json_t *id, const json_t *params) {
    const char *name = ls_rpc_string(params, "name", NULL);
    json_t *arguments = json_object_get(params, "arguments");
    if (!name || (arguments && !json_is_object(arguments))) {
        ls_rpc_error(s->rpc, id, LS_RPC_PARAMS, "'name' must be a string and 'arguments' an object");
        return;
    }
    if (s->calls.length >= MOST_WAITING) {
        ls_rpc_error(s->rpc, id, LS_RPC_REQUEST, "too many calls wait for their answers");
        return;
    }
    tool_call *call = ls_xcalloc(1, sizeof *call);
    call->id = json_deep_copy(id);
    call->name = ls_xstrdup(name);
    call->arguments = arguments ? json_deep_copy(arguments) : json_object();
    LS_VEC_PUSH(&s->calls, call);
}

/* A call that nobody waits for any more is not answered. */
static void cancel(server *s, const json_t *id, const json_t *params) {
    const json_t *which = json_object_get(params, "requestId");
    (void)id;
    for (uint32_t i = 0; which && i < s->calls.length; i++) {
        tool_call *call = s->calls.items[i];
        if (!json_equal(call->id, which)) continue;
        ls_worker_cancel(&call->worker);
        json_decref(call->id);
        call->id = NULL;
        call->started = true;
    }
}

static const struct {
    const char *name;
    void (*take)(server *s, const json_t *id, const json_t *params);
    bool is_request;
} methods[] = {{"initialize", initialize, true},
               {"ping", ping, true},
               {"tools/list", list_tools, true},
               {"tools/call", call_tool, true},
               {"notifications/cancelled", cancel, false}};

static void take_message(server *s, const json_t *message) {
    const char *method = ls_rpc_string(message, "method", NULL);
    const json_t *id = json_object_get(message, "id");
    if (!method) {
        if (!json_object_get(message, "result") && !json_object_get(message, "error"))
            ls_rpc_error(s->rpc, id ? id : json_null(), LS_RPC_REQUEST, "a message has a 'method'");
        return;
    }
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (!strcmp(methods[i].name, method) && methods[i].is_request == (id != NULL)) {
            methods[i].take(s, id, json_object_get(message, "params"));
            return;
        }
    if (id) ls_rpc_error(s->rpc, id, LS_RPC_METHOD, "there is no method '%s' here", method);
}

static bool wait_for_something(const server *s, int in) {
    struct pollfd fds[1 + 2 * MOST_CALLS] = {{in, POLLIN, 0}};
    nfds_t count = 1;
    for (uint32_t i = 0; i < s->calls.length && count < sizeof fds / sizeof *fds; i++)
        if (s->calls.items[i]->worker.running)
            fds[count++] = (struct pollfd){s->calls.items[i]->worker.process.output, POLLIN, 0};
    poll(fds, count, count > 1 ? 1000 : -1);
    return fds[0].revents != 0;
}

/* What was asked before the client has closed its side is still answered. */
int ls_mcp_serve(int in, int out, bool trusted) {
    server s = {.rpc = ls_rpc_new(in, out, LS_RPC_LINES), .trusted = trusted};
    bool open = true;
    while ((open || s.calls.length) && !ls_rpc_broken(s.rpc)) {
        if (!open)
            poll(NULL, 0, 20);
        else if (wait_for_something(&s, in))
            open = ls_rpc_read(s.rpc);
        for (json_t *message; (message = ls_rpc_next(s.rpc)); json_decref(message)) take_message(&s, message);
        look_at_calls(&s);
    }
    while (s.calls.length) free_call(s.calls.items[--s.calls.length]);
    LS_VEC_FREE(&s.calls);
    ls_rpc_free(s.rpc);
    return 0;
}
