/* Fuzz target: what a client sends, as messages in either framing, and as changes of a text with positions
 * anywhere. */
#define _GNU_SOURCE
#include "lsp/answers.h"
#include "rpc/rpc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void take(ls_buf *text, const json_t *message) {
    const json_t *params = json_object_get(message, "params");
    ls_text_change(text, json_is_object(params) ? params : message);
    json_int_t line = ls_rpc_number(message, "line", 0);
    ls_answers a = {.uri = "file:///a.cu",
                    .path = "a.cu",
                    .folder = "/",
                    .text = text,
                    .costs = message,
                    .proofs = message,
                    .fixes = message};
    json_decref(ls_answer_diagnostics(&a)); /* the message as a report */
    json_decref(ls_answer_hints(&a, 0, line));
    json_decref(ls_answer_actions(&a, line, 9));
    json_decref(ls_answer_hover(&a, line));
    json_decref(ls_text_range(text, (uint32_t)line, (uint32_t)ls_rpc_number(message, "column", 0)));
    free(ls_uri_path(ls_rpc_string(message, "uri", "")));
    if (text->length > 1 << 16) ls_buf_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    int in = memfd_create("in", 0), out = memfd_create("out", 0);
    if (in < 0 || out < 0 || write(in, data, size) != (ssize_t)size) abort();
    lseek(in, 0, SEEK_SET);
    ls_rpc *rpc = ls_rpc_new(in, out, size & 1 ? LS_RPC_LINES : LS_RPC_HEADERS);
    ls_buf text = {0};
    while (ls_rpc_read(rpc))
        for (json_t *m; (m = ls_rpc_next(rpc)); json_decref(m)) take(&text, m);
    ls_buf_free(&text);
    ls_rpc_free(rpc);
    close(in);
    close(out);
    return 0;
}
