/* The language server (lsp.h). One thread waits for the client and for the children that do the work:
 *
 *     a text is opened or changed → a short while later a child looks at it (worker.h): whether it can be
 * proved, and what accesses cost; where that took long the last time, another one looks at costs alone; and
 * where something was found, one at changes that may mend it. As each of them ends, what is known is
 * published.
 *
 * What is known of a kernel is kept under its key (cli/known.h): a child leaves out the kernels that have not
 * changed. Headers are precompiled once, in a folder of the server's.
 *
 * A change of the text ends the children that look at the old one. Requests are answered at once, from what
 * is known of the text as it is. */
#include "lsp/lsp.h"

#include "base/clock.h"
#include "base/scratch.h"
#include "base/vec.h"
#include "lockstep/version.h"
#include "lsp/answers.h"
#include "rpc/rpc.h"
#include "rpc/worker.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { COSTS, PROOFS, FIXES, WORK_COUNT };
enum {
    MOST_WORKERS = 4,
    DELAY_MS = 50,
    SLOW_MS = 300, /* for all proofs: costs are worth a look of their own */
    WORK_SECONDS = 120,
    MOST_DOCUMENTS = 1000,
    MOST_KNOWN = 500 /* kernels of a document, with those that it had before */
};

static const char *const commands[WORK_COUNT][4] = {
    [COSTS] = {"analyze", "--all"}, [PROOFS] = {"check", "--all"}, [FIXES] = {"check", "--suggest"}};

typedef struct {
    char *uri, *path; /* path: NULL where it is no file */
    char *folder, *extension;
    char *called; /* what the reports call it */
    ls_buf text;
    json_int_t version;
    double look_at; /* when to look at it; 0: there is nothing to do */
    bool wanted[WORK_COUNT];
    bool stale[WORK_COUNT]; /* the worker looks at an old text */
    ls_worker workers[WORK_COUNT];
    json_t *reports[WORK_COUNT]; /* of the text as it is */
    json_t *known[WORK_COUNT];   /* kernels by their keys; NULL: none */
    double proof_ms;             /* of the kernels that were looked at the last time */
    bool tried_again;            /* for fixes, as the first child ended without a report */
    bool is_quick;               /* proofs took but a moment the last time */
} document;

typedef struct {
    ls_rpc *rpc;
    LS_VEC(document *) documents;
    bool initialized, shut_down, exited;
    bool trusted;     /* children need not be confined */
    bool can_refresh; /* the client asks for hints again when told to */
    /* Settings */
    bool hints, proofs, fixes;
    json_int_t delay;
    char *compile_commands;
    char *headers;     /* the folder of precompiled ones; NULL: none can be made */
    json_t *arguments; /* further options for every subcommand */
} server;

/* --- Documents ----------------------------------------------------------------------------------------- */

static document *find(const server *s, const json_t *params) {
    const char *uri = ls_rpc_string(json_object_get(params, "textDocument"), "uri", NULL);
    for (uint32_t i = 0; uri && i < s->documents.length; i++)
        if (!strcmp(s->documents.items[i]->uri, uri)) return s->documents.items[i];
    return NULL;
}

static void forget_reports(document *d) {
    d->tried_again = false;
    for (int k = 0; k < WORK_COUNT; k++) {
        json_decref(d->reports[k]);
        d->reports[k] = NULL;
        d->wanted[k] = false;
        if (!d->workers[k].running) continue;
        ls_worker_cancel(&d->workers[k]);
        d->stale[k] = true;
    }
}

static void forget_kernels(document *d) {
    for (int k = 0; k < WORK_COUNT; k++) {
        json_decref(d->known[k]);
        d->known[k] = NULL;
    }
}

static void free_document(document *d) {
    forget_reports(d);
    forget_kernels(d);
    for (int k = 0; k < WORK_COUNT; k++) ls_worker_free(&d->workers[k]);
    free(d->uri), free(d->path), free(d->folder), free(d->extension), free(d->called);
    ls_buf_free(&d->text);
    free(d);
}

/* Later, when the user has stopped typing for a moment. */
static void look_later(const server *s, document *d) {
    forget_reports(d);
    if (!d->extension) return;
    d->look_at = ls_clock_ms(LS_CLOCK_WALL) + (double)s->delay;
}

static ls_answers answers_of(const document *d) {
    return (ls_answers){.uri = d->uri,
                        .path = d->called ? d->called : "",
                        .folder = d->folder,
                        .text = &d->text,
                        .costs = d->reports[COSTS],
                        .proofs = d->reports[PROOFS],
                        .fixes = d->reports[FIXES]};
}

static void publish(server *s, const document *d) {
    ls_answers a = answers_of(d);
    ls_rpc_notify(s->rpc, "textDocument/publishDiagnostics",
                  json_pack("{s:s, s:I, s:o}", "uri", d->uri, "version", d->version, "diagnostics",
                            ls_answer_diagnostics(&a)));
}

/* The kind of file, by its name or by what the editor calls its language; NULL: none of ours. */
static const char *extension_of(const char *path, const char *language) {
    static const struct {
        const char *language, *extension;
    } kinds[] = {{"cuda", ".cu"}, {"cuda-cpp", ".cu"}, {"opencl", ".cl"}, {"ptx", ".ptx"}};
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (dot && !strcmp(dot, kinds[i].extension)) return kinds[i].extension;
        if (!path && !strcmp(language, kinds[i].language)) return kinds[i].extension;
    }
    return NULL;
}

static void open_document(server *s, const json_t *params) {
    const json_t *opened = json_object_get(params, "textDocument"), *text = json_object_get(opened, "text");
    const char *uri = ls_rpc_string(opened, "uri", NULL);
    if (!uri || !json_is_string(text) || find(s, params) || s->documents.length >= MOST_DOCUMENTS) return;
    document *d = ls_xcalloc(1, sizeof *d);
    d->uri = ls_xstrdup(uri);
    d->path = ls_uri_path(uri);
    const char *extension = extension_of(d->path, ls_rpc_string(opened, "languageId", ""));
    d->extension = extension ? ls_xstrdup(extension) : NULL;
    const char *slash = d->path ? strrchr(d->path, '/') : NULL;
    d->folder =
        slash ? ls_xstrndup(d->path, slash > d->path ? (size_t)(slash - d->path) : 1) : ls_xstrdup("/");
    d->version = ls_rpc_number(opened, "version", 0);
    ls_buf_add(&d->text, json_string_value(text), json_string_length(text));
    LS_VEC_PUSH(&s->documents, d);
    look_later(s, d);
    if (d->look_at > 0) d->look_at = ls_clock_ms(LS_CLOCK_WALL);
}

static void change_document(server *s, const json_t *params) {
    document *d = find(s, params);
    size_t i;
    const json_t *change;
    if (!d) return;
    json_array_foreach(json_object_get(params, "contentChanges"), i, change) {
        ls_text_change(&d->text, change);
    }
    d->version = ls_rpc_number(json_object_get(params, "textDocument"), "version", d->version + 1);
    look_later(s, d);
}

/* Others may include what was saved. */
static void look_at_all(server *s, const json_t *params) {
    (void)params;
    for (uint32_t i = 0; i < s->documents.length; i++) {
        forget_kernels(s->documents.items[i]);
        look_later(s, s->documents.items[i]);
    }
}

static void save_document(server *s, const json_t *params) {
    const document *saved = find(s, params);
    for (uint32_t i = 0; i < s->documents.length; i++)
        if (s->documents.items[i] != saved) look_later(s, s->documents.items[i]);
}

static void close_document(server *s, const json_t *params) {
    document *d = find(s, params);
    uint32_t i = 0;
    if (!d) return;
    while (s->documents.items[i] != d) i++;
    s->documents.items[i] = s->documents.items[--s->documents.length];
    ls_rpc_notify(s->rpc, "textDocument/publishDiagnostics",
                  json_pack("{s:s, s:[]}", "uri", d->uri, "diagnostics"));
    free_document(d);
}

/* --- Work ---------------------------------------------------------------------------------------------- */

static bool is_file(const char *folder, size_t length, const char *name, char *out, size_t size) {
    snprintf(out, size, "%.*s/%s", (int)length, folder, name);
    return !access(out, R_OK);
}

/* Whether the options file that counts for the folder names the compile commands itself. */
static bool config_names_commands(const char *path) {
    ls_buf text = {0};
    bool named = ls_read_file(path, &text) && strstr(ls_buf_text(&text), "compile-commands");
    ls_buf_free(&text);
    return named;
}

/* compile_commands.json of the folder or one above it, also in "build" there; NULL where there is none, or
 * where .lockstep.toml says which. */
static const char *commands_for(const server *s, const document *d, ls_arena *arena) {
    if (s->compile_commands) return s->compile_commands;
    char path[8192];
    for (size_t length = strlen(d->folder); d->path; length--) {
        if (is_file(d->folder, length, ".lockstep.toml", path, sizeof path) && config_names_commands(path))
            return NULL;
        if (is_file(d->folder, length, "compile_commands.json", path, sizeof path) ||
            is_file(d->folder, length, "build/compile_commands.json", path, sizeof path))
            return ls_arena_strdup(arena, path);
        while (length && d->folder[length - 1] != '/') length--;
        if (!length) break;
    }
    return NULL;
}

/* Adds the file with the keys of what is known. */
static void add_known(const document *d, int kind, ls_worker *worker, ls_arena *arena, ls_args *argv) {
    const char *key;
    json_t *kernel;
    ls_buf keys = {0};
    json_object_foreach(d->known[kind], key, kernel) ls_buf_printf(&keys, "%s\n", key);
    const char *path = ls_worker_file(worker, arena, "known", ls_buf_text(&keys), keys.length);
    ls_buf_free(&keys);
    if (!path) return;
    LS_VEC_PUSH(argv, "--known");
    LS_VEC_PUSH(argv, path);
}

/* Puts what was known of a kernel into the report where that leaves it out, and keeps the rest. What could
 * not be decided is looked at again: there may have been no time for it. */
static void complete_report(document *d, int kind) {
    size_t f, i;
    json_t *file, *kernel, *known = d->known[kind];
    if (!known) known = d->known[kind] = json_object();
    if (kind == PROOFS) d->proof_ms = 0;
    json_array_foreach(json_object_get(d->reports[kind], "files"), f, file) {
        json_t *kernels = json_object_get(file, "kernels");
        json_array_foreach(kernels, i, kernel) {
            const char *key = ls_rpc_string(kernel, "key", NULL);
            if (kind == PROOFS) d->proof_ms += json_number_value(json_object_get(kernel, "time_ms"));
            if (!key) continue;
            json_t *before = json_object_get(known, key);
            if (ls_rpc_truth(kernel, "known", false)) {
                if (before) json_array_set(kernels, i, before);
            } else if (strcmp(ls_rpc_string(kernel, "verdict", "unknown"), "unknown") != 0) {
                if (json_object_size(known) >= MOST_KNOWN) json_object_clear(known);
                json_object_set(known, key, kernel);
            }
        }
    }
}

static void start_work(const server *s, document *d, int kind) {
    ls_worker *worker = &d->workers[kind];
    ls_arena arena;
    ls_arena_init(&arena);
    ls_worker_free(worker);
    d->wanted[kind] = d->stale[kind] = false;
    const char *name = ls_arena_printf(&arena, "text%s", d->extension);
    const char *copy = ls_worker_file(worker, &arena, name, ls_buf_text(&d->text), d->text.length);
    bool saved = d->path && !access(d->path, R_OK);
    if (copy) {
        ls_args argv = {0};
        for (int i = 0; i < 4 && commands[kind][i]; i++) LS_VEC_PUSH(&argv, commands[kind][i]);
        LS_VEC_PUSH(&argv, "--format");
        LS_VEC_PUSH(&argv, "json");
        if (s->headers) LS_VEC_PUSH(&argv, "--precompiled");
        if (s->headers) LS_VEC_PUSH(&argv, s->headers);
        if (kind != COSTS) add_known(d, kind, worker, &arena, &argv);
        const char *database = commands_for(s, d, &arena);
        if (database) LS_VEC_PUSH(&argv, "-p");
        if (database) LS_VEC_PUSH(&argv, database);
        size_t i;
        const json_t *more;
        json_array_foreach(s->arguments, i, more) {
            if (json_is_string(more)) LS_VEC_PUSH(&argv, json_string_value(more));
        }
        if (saved) LS_VEC_PUSH(&argv, "--text");
        if (saved) LS_VEC_PUSH(&argv, copy);
        free(d->called);
        d->called = ls_xstrdup(saved ? d->path : copy);
        LS_VEC_PUSH(&argv, d->called);
        ls_worker_options how = {.folder = d->path ? d->folder : NULL,
                                 .seconds = WORK_SECONDS,
                                 .with_report = true,
                                 .confined = !s->trusted};
        ls_worker_start(worker, &argv, &how);
        LS_VEC_FREE(&argv);
    }
    ls_arena_free(&arena);
}

static uint32_t count_workers(const server *s) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->documents.length; i++)
        for (int k = 0; k < WORK_COUNT; k++) count += s->documents.items[i]->workers[k].running;
    return count;
}

/* Begins what is wanted, as far as there is room. */
static void begin(server *s) {
    double now = ls_clock_ms(LS_CLOCK_WALL);
    uint32_t running = count_workers(s);
    for (uint32_t i = 0; i < s->documents.length; i++) {
        document *d = s->documents.items[i];
        if (d->look_at > 0 && d->look_at <= now) {
            d->look_at = 0;
            d->wanted[COSTS] = !s->proofs || !d->is_quick;
            d->wanted[PROOFS] = s->proofs;
        }
        for (int k = 0; k < WORK_COUNT; k++)
            if (d->wanted[k] && !d->workers[k].running && running < MOST_WORKERS) {
                start_work(s, d, k);
                running++;
            }
    }
}

/* A child that said nothing that can be read: its words are a message about the whole text. */
static json_t *report_of_failure(const document *d, const ls_worker *worker) {
    ls_buf why = {0};
    if (worker->cancelled)
        ls_buf_printf(&why, "checking it took longer than %d seconds", WORK_SECONDS);
    else if (worker->said.length)
        ls_buf_add(&why, ls_buf_text(&worker->said), worker->said.length < 2000 ? worker->said.length : 2000);
    else
        ls_buf_printf(&why, "lockstep ended with status %d", worker->status);
    json_t *report = json_pack("{s:[{s:[{s:s, s:o, s:s, s:i, s:i}], s:[]}]}", "files", "diagnostics", "level",
                               "error", "message", ls_rpc_text(ls_buf_text(&why), why.length), "file",
                               d->called, "line", 1, "column", 0, "kernels");
    ls_buf_free(&why);
    return report;
}

static void end_work(server *s, document *d, int kind) {
    ls_worker *worker = &d->workers[kind];
    if (d->stale[kind] || (kind == COSTS && d->reports[COSTS])) { /* nobody waits for it */
        d->stale[kind] = false;
        ls_worker_free(worker);
        return;
    }
    json_decref(d->reports[kind]);
    d->reports[kind] = ls_worker_report(worker);
    if (d->reports[kind] && kind != COSTS) complete_report(d, kind);
    if (!d->reports[kind] && kind != FIXES) d->reports[kind] = report_of_failure(d, worker);
    if (kind == PROOFS) {
        d->is_quick = d->proof_ms < SLOW_MS;
        d->wanted[COSTS] = false;
        json_decref(d->reports[COSTS]);
        d->reports[COSTS] = json_incref(d->reports[PROOFS]);
    }
    if (kind == FIXES && !d->reports[kind] && !d->tried_again) d->tried_again = d->wanted[FIXES] = true;
    ls_worker_free(worker);
    bool complete = d->reports[COSTS] && (d->reports[PROOFS] || !s->proofs);
    ls_answers a = answers_of(d);
    if (kind != FIXES && complete && s->fixes && ls_answer_wants_fixes(&a)) d->wanted[FIXES] = true;
    if (kind != FIXES) publish(s, d);
    if (kind != FIXES && d->reports[COSTS] && s->hints && s->can_refresh)
        ls_rpc_ask(s->rpc, "workspace/inlayHint/refresh", NULL);
}

static void look_at_workers(server *s) {
    for (uint32_t i = 0; i < s->documents.length; i++)
        for (int k = 0; k < WORK_COUNT; k++) {
            document *d = s->documents.items[i];
            if (d->workers[k].running && ls_worker_poll(&d->workers[k])) end_work(s, d, k);
        }
}

/* --- Requests ------------------------------------------------------------------------------------------ */

static void configure(server *s, const json_t *settings) {
    const json_t *own = json_object_get(settings, "lockstep");
    if (json_is_object(own)) settings = own;
    if (!json_is_object(settings)) return;
    s->hints = ls_rpc_truth(settings, "inlayHints", s->hints);
    s->proofs = ls_rpc_truth(settings, "proofs", s->proofs);
    s->fixes = ls_rpc_truth(settings, "fixes", s->fixes);
    json_int_t delay = ls_rpc_number(settings, "delay", s->delay);
    if (delay >= 0 && delay <= 60000) s->delay = delay;
    const char *database = ls_rpc_string(settings, "compileCommands", NULL);
    if (database) {
        free(s->compile_commands);
        s->compile_commands = *database ? ls_xstrdup(database) : NULL;
    }
    json_t *arguments = json_object_get(settings, "arguments");
    if (json_is_array(arguments)) {
        json_decref(s->arguments);
        s->arguments = json_incref(arguments);
    }
}

static json_t *initialize(server *s, const json_t *params) {
    s->initialized = true;
    const json_t *workspace = json_object_get(json_object_get(params, "capabilities"), "workspace");
    s->can_refresh = ls_rpc_truth(json_object_get(workspace, "inlayHint"), "refreshSupport", false);
    configure(s, json_object_get(params, "initializationOptions"));
    return json_pack("{s:{s:s, s:{s:b, s:i, s:b}, s:b, s:b, s:{s:[s]}}, s:{s:s, s:s}}", "capabilities",
                     "positionEncoding", "utf-16", "textDocumentSync", "openClose", 1, "change", 2, "save", 1,
                     "hoverProvider", 1, "inlayHintProvider", 1, "codeActionProvider", "codeActionKinds",
                     "quickfix", "serverInfo", "name", "lockstep", "version", ls_version());
}

static json_t *shut_down(server *s, const json_t *params) {
    (void)params;
    s->shut_down = true;
    while (s->documents.length) free_document(s->documents.items[--s->documents.length]);
    return json_null();
}

static json_t *hover(server *s, const json_t *params) {
    const document *d = find(s, params);
    if (!d) return json_null();
    ls_answers a = answers_of(d);
    json_t *answer = ls_answer_hover(&a, ls_rpc_number(json_object_get(params, "position"), "line", -1));
    return answer ? answer : json_null();
}

static json_t *in_range(server *s, const json_t *params, bool wanted,
                        json_t *answer(const ls_answers *, json_int_t, json_int_t)) {
    const document *d = wanted ? find(s, params) : NULL;
    if (!d) return json_array();
    const json_t *range = json_object_get(params, "range");
    ls_answers a = answers_of(d);
    return answer(&a, ls_rpc_number(json_object_get(range, "start"), "line", 0),
                  ls_rpc_number(json_object_get(range, "end"), "line", UINT32_MAX));
}

static json_t *hints(server *s, const json_t *params) {
    return in_range(s, params, s->hints, ls_answer_hints);
}

static json_t *actions(server *s, const json_t *params) {
    return in_range(s, params, true, ls_answer_actions);
}

static void change_settings(server *s, const json_t *params) {
    configure(s, json_object_get(params, "settings"));
    look_at_all(s, params);
}

static void leave(server *s, const json_t *params) {
    (void)params;
    s->exited = true;
}

static const struct {
    const char *name;
    json_t *(*answer)(server *s, const json_t *params);
} requests[] = {{"initialize", initialize},
                {"shutdown", shut_down},
                {"textDocument/hover", hover},
                {"textDocument/inlayHint", hints},
                {"textDocument/codeAction", actions}};

static const struct {
    const char *name;
    void (*take)(server *s, const json_t *params);
} notifications[] = {{"textDocument/didOpen", open_document},
                     {"textDocument/didChange", change_document},
                     {"textDocument/didSave", save_document},
                     {"textDocument/didClose", close_document},
                     {"workspace/didChangeConfiguration", change_settings},
                     {"workspace/didChangeWatchedFiles", look_at_all},
                     {"exit", leave}};

static void answer(server *s, const char *method, const json_t *id, const json_t *params) {
    bool first = !strcmp(method, "initialize");
    if (s->shut_down || first == s->initialized) {
        ls_rpc_error(s->rpc, id, s->shut_down || first ? LS_RPC_REQUEST : LS_RPC_NOT_READY,
                     s->shut_down ? "the server is shut down"
                     : first      ? "'initialize' was there already"
                                  : "'initialize' comes first");
        return;
    }
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        if (!strcmp(requests[i].name, method)) {
            ls_rpc_reply(s->rpc, id, requests[i].answer(s, params));
            return;
        }
    ls_rpc_error(s->rpc, id, LS_RPC_METHOD, "there is no method '%s' here", method);
}

static void take_message(server *s, const json_t *message) {
    const char *method = ls_rpc_string(message, "method", NULL);
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    if (!method) { /* an answer to what was asked is not waited for */
        if (!json_object_get(message, "result") && !json_object_get(message, "error"))
            ls_rpc_error(s->rpc, id ? id : json_null(), LS_RPC_REQUEST, "a message has a 'method'");
        return;
    }
    if (id) {
        answer(s, method, id, params);
        return;
    }
    for (size_t i = 0; i < sizeof notifications / sizeof *notifications; i++)
        if (!strcmp(notifications[i].name, method) &&
            ((s->initialized && !s->shut_down) || notifications[i].take == leave))
            notifications[i].take(s, params);
}

/* --- The loop ------------------------------------------------------------------------------------------ */

/* Waits for the client, for a child, or for when a text is to be looked at; true where the client spoke. */
static bool wait_for_something(const server *s, int in) {
    struct pollfd fds[1 + 2 * MOST_WORKERS] = {{in, POLLIN, 0}};
    nfds_t count = 1;
    double now = ls_clock_ms(LS_CLOCK_WALL), until = INFINITY;
    for (uint32_t i = 0; i < s->documents.length; i++) {
        const document *d = s->documents.items[i];
        if (d->look_at > 0 && d->look_at < until) until = d->look_at;
        for (int k = 0; k < WORK_COUNT && count < sizeof fds / sizeof *fds; k++)
            if (d->workers[k].running)
                fds[count++] = (struct pollfd){d->workers[k].process.output, POLLIN, 0};
    }
    if (count > 1 && until > now + 1000) until = now + 1000; /* their time may be up */
    double left = until - now;
    poll(fds, count, isinf(until) ? -1 : left > 0 ? (int)left + 1 : 0);
    return fds[0].revents != 0;
}

int ls_lsp_serve(int in, int out, bool trusted) {
    server s = {.rpc = ls_rpc_new(in, out, LS_RPC_HEADERS),
                .trusted = trusted,
                .hints = true,
                .proofs = true,
                .fixes = true,
                .delay = DELAY_MS,
                .headers = ls_scratch_make()};
    bool open = true;
    while (open && !s.exited && !ls_rpc_broken(s.rpc)) {
        if (wait_for_something(&s, in)) open = ls_rpc_read(s.rpc);
        for (json_t *message; !s.exited && (message = ls_rpc_next(s.rpc)); json_decref(message))
            take_message(&s, message);
        look_at_workers(&s);
        begin(&s);
    }
    int status = s.shut_down ? 0 : 1;
    while (s.documents.length) free_document(s.documents.items[--s.documents.length]);
    LS_VEC_FREE(&s.documents);
    free(s.compile_commands);
    ls_scratch_remove(s.headers);
    json_decref(s.arguments);
    ls_rpc_free(s.rpc);
    return status;
}
