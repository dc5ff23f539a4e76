/* Messages of JSON-RPC in both framings, in pieces and many at once; and what is no message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* keep */
#include <cmocka.h>

#include "base/buf.h"
#include "rpc/rpc.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    int to[2], from[2];
    ls_rpc *rpc;
} line;

static line open_line(ls_rpc_framing framing) {
    line l;
    assert_int_equal(pipe(l.to), 0);
    assert_int_equal(pipe(l.from), 0);
    l.rpc = ls_rpc_new(l.to[0], l.from[1], framing);
    return l;
}

/* What the other side was told; the line is closed. */
static ls_buf close_line(line *l) {
    ls_buf said = {0};
    char chunk[4096];
    close(l->to[1]);
    close(l->from[1]);
    for (ssize_t n; (n = read(l->from[0], chunk, sizeof chunk)) > 0;) ls_buf_add(&said, chunk, (size_t)n);
    close(l->to[0]);
    close(l->from[0]);
    ls_rpc_free(l->rpc);
    return said;
}

static void say(const line *l, const char *text) {
    assert_int_equal(write(l->to[1], text, strlen(text)), strlen(text));
    assert_true(ls_rpc_read(l->rpc));
}

static void next_is(const line *l, const char *method) {
    json_t *m = ls_rpc_next(l->rpc);
    if (!method) {
        assert_null(m);
        return;
    }
    assert_non_null(m);
    assert_string_equal(ls_rpc_string(m, "method", ""), method);
    json_decref(m);
}

static void test_headers(void **state) {
    (void)state;
    line l = open_line(LS_RPC_HEADERS);
    say(&l, "Content-Len");
    next_is(&l, NULL);
    say(&l, "gth: 14\r\nContent-Type: x\r\n\r\n{\"method\":");
    next_is(&l, NULL);
    say(&l, "\"a\"}content-length:14\n\n{\"method\":\"b\"}Content-Length: 14\r\n\r\n{\"me");
    next_is(&l, "a");
    next_is(&l, "b");
    next_is(&l, NULL);
    say(&l, "thod\":\"c\"}{\"method\": \"d\"}\n"); /* one line among them */
    next_is(&l, "c");
    next_is(&l, "d");
    next_is(&l, NULL);
    json_t *id = json_string("seven");
    ls_rpc_reply(l.rpc, id, json_true());
    ls_rpc_reply(l.rpc, NULL, json_true()); /* nobody has asked */
    json_decref(id);
    ls_buf said = close_line(&l);
    static const char reply[] = "{\"id\":\"seven\",\"result\":true,\"jsonrpc\":\"2.0\"}";
    char wanted[256];
    snprintf(wanted, sizeof wanted, "Content-Length: %zu\r\n\r\n%s", strlen(reply), reply);
    assert_string_equal(ls_buf_text(&said), wanted);
    ls_buf_free(&said);
}

static void test_lines(void **state) {
    (void)state;
    line l = open_line(LS_RPC_LINES);
    say(&l, "\n\n  {\"method\":\"a\"}\r\n{\"method\":\"b\"}\n{\"meth");
    next_is(&l, "a");
    next_is(&l, "b");
    next_is(&l, NULL);
    say(&l, "od\":\"c\"}\nnonsense\n[1]\n{\"method\":\"d\"}\nContent-Length: 14\r\n\r\n{\"method\":\"e\"}");
    next_is(&l, "c");
    next_is(&l, "d");
    next_is(&l, "e");
    ls_buf said = close_line(&l);
    assert_non_null(strstr(ls_buf_text(&said), "\"code\":-32700"));
    assert_non_null(strstr(ls_buf_text(&said), "\"code\":-32600"));
    ls_buf_free(&said);
}

static void test_lost(void **state) {
    (void)state;
    static const char *const texts[] = {
        "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Length: 1x\r\n\r\n", "X: y\r\n\r\n{}", "Content-Length:\r\n\r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        line l = open_line(LS_RPC_HEADERS);
        say(&l, texts[i]);
        next_is(&l, NULL);
        assert_true(ls_rpc_broken(l.rpc));
        assert_false(ls_rpc_read(l.rpc));
        ls_buf said = close_line(&l);
        assert_non_null(strstr(ls_buf_text(&said), "-32700"));
        ls_buf_free(&said);
    }
}

static void test_any_bytes(void **state) {
    (void)state;
    json_t *text = ls_rpc_text("a\xff\xc3\xa4\xe2\x82 b", 8);
    assert_string_equal(json_string_value(text), "a\xef\xbf\xbd\xc3\xa4\xef\xbf\xbd b");
    json_decref(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_headers), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_lost), cmocka_unit_test(test_any_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
