"""The language server, spoken to as an editor does. usage: test_lsp.py LOCKSTEP"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

from client import Client

LOCKSTEP = os.path.abspath(sys.argv[1])

REDUCE = """__global__ void reduce(const float *in, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
void launch(const float *in, float *out) { reduce<<<4, 256>>>(in, out); }
"""

TRANSPOSE = """__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][32]; // ä 𝔘
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    /* 𝔘𝔘 */ out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
void launch(const float *in, float *out) { transpose<<<dim3(4, 4), dim3(32, 32)>>>(in, out, 128); }
"""


# What Helix says of itself (25.07), and what it opens a .cu file as.
HELIX = {"workspace": {"configuration": True, "workspaceFolders": True, "applyEdit": True,
                       "inlayHint": {"refreshSupport": False}, "diagnostic": {"refreshSupport": True},
                       "workspaceEdit": {"documentChanges": True, "failureHandling": "abort"},
                       "didChangeWatchedFiles": {"dynamicRegistration": True}},
         "textDocument": {"hover": {"contentFormat": ["markdown"]},
                          "codeAction": {"dataSupport": True, "isPreferredSupport": True,
                                         "resolveSupport": {"properties": ["edit", "command"]}},
                          "diagnostic": {"relatedDocumentSupport": True},
                          "publishDiagnostics": {"versionSupport": True}},
         "window": {"workDoneProgress": True},
         "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]}}


def rules(diagnostics):
    return {d.get("code") for d in diagnostics}


def offset(text, position):
    """A position of the protocol as an index into the text."""
    lines = text.split("\n")
    line = lines[position["line"]]
    units = line.encode("utf-16-le")[:2 * position["character"]].decode("utf-16-le")
    return sum(len(l) + 1 for l in lines[:position["line"]]) + len(units)


def apply(text, edit):
    a, b = offset(text, edit["range"]["start"]), offset(text, edit["range"]["end"])
    return text[:a] + edit["newText"] + text[b:]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return path


def wait_for_hover(c, uri, line, word, seconds=120):
    """The hover once it has the word: costs and proofs come in any order."""
    end = time.time() + seconds
    while True:
        hover = c.request("textDocument/hover", {"textDocument": {"uri": uri},
                                                 "position": {"line": line, "character": 5}})["result"]
        text = hover["contents"]["value"] if hover else ""
        if word in text or time.time() > end:
            return text
        time.sleep(0.2)


def whole(path):
    return {"textDocument": {"uri": path}, "range": {"start": {"line": 0, "character": 0},
                                                     "end": {"line": 1000, "character": 0}}}


def test_race_is_found_and_mended(folder):
    """Findings, hover, a change that was tried, and the text proved with it, as Helix asks for them."""
    path = write(folder, "reduce.cu", REDUCE)
    c = Client(LOCKSTEP)
    result = c.start(capabilities=HELIX)
    assert result["serverInfo"]["name"] == "lockstep"
    assert result["capabilities"]["positionEncoding"] in ("utf-8", "utf-32", "utf-16")
    c.notify("workspace/didChangeConfiguration", {"settings": {}})
    uri = c.open(path, language="cpp")
    found = c.diagnostics(uri, 1, lambda l: "race.shared" in rules(l))
    race = [d for d in found if d["code"] == "race.shared"][0]
    assert race["severity"] == 1 and race["source"] == "lockstep"
    assert race["range"]["start"] == {"line": 3, "character": 9}, race
    assert "writes s[" in race["message"] and "reads s[" in race["message"]
    assert {r["location"]["range"]["start"]["line"] for r in race["relatedInformation"]} == {3, 5}
    hover = wait_for_hover(c, uri, 0, "refuted")
    assert "refuted for block 256" in hover, hover
    assert "sectors" in wait_for_hover(c, uri, 3, "sectors"), hover
    end = time.time() + 120
    while True:  # the change is looked for after the findings are there
        actions = c.request("textDocument/codeAction", {**whole(uri), "context": {"diagnostics": []}})["result"]
        fixes = [a for a in actions if "__syncthreads()" in a["title"]]
        if fixes or time.time() > end:
            break
        time.sleep(0.3)
    assert fixes and fixes[0]["title"] == "with a `__syncthreads()` after line 4 the kernel is proved", actions
    edits = [json.dumps(a["edit"]) for a in actions]
    assert len(set(edits)) == len(edits), actions  # each change is offered once, for all that it is about
    edit = fixes[0]["edit"]["changes"][uri][0]
    c.change(uri, 2, [{"range": edit["range"], "text": edit["newText"]}])
    c.diagnostics(uri, 2, lambda l: not rules(l) - {"divergence.branch"})
    assert "proved for block 256" in wait_for_hover(c, uri, 0, "proved for block 256")
    assert open(path).read() == REDUCE  # nothing was written
    assert c.stop() == 0


def test_costs(folder):
    """A bank conflict as a diagnostic, as a hint, on hover; the longer row is offered. UTF-16 positions."""
    path = write(folder, "transpose.cu", TRANSPOSE)
    c = Client(LOCKSTEP)
    c.start(capabilities={"workspace": {"inlayHint": {"refreshSupport": True}}})
    uri = c.open(path)
    found = c.diagnostics(uri, 1, lambda l: "bank-conflict" in rules(l))
    conflict = [d for d in found if d["code"] == "bank-conflict"][0]
    line = TRANSPOSE.split("\n")[6]
    assert conflict["range"]["start"]["line"] == 6
    start = conflict["range"]["start"]["character"]
    assert start == len(line[:line.index("tile[")].encode("utf-16-le")) // 2, conflict
    c.wait(lambda m: m.get("method") == "workspace/inlayHint/refresh")
    hints = c.request("textDocument/inlayHint", whole(uri))["result"]
    labels = {h["position"]["line"]: h["label"] for h in hints}
    assert labels[3] == "4–5 sectors" and labels[6] == "32-way conflict · 4–5 sectors", labels
    end = time.time() + 120
    while True:
        actions = c.request("textDocument/codeAction", {**whole(uri), "context": {"diagnostics": []}})["result"]
        fixes = [a for a in actions if "one element longer" in a["title"]]
        if fixes or time.time() > end:
            break
        time.sleep(0.3)
    assert fixes, actions
    changed = apply(TRANSPOSE, fixes[0]["edit"]["changes"][uri][0])
    assert "tile[32][32 + 1];" in changed, changed
    ignore = [a for a in actions if a["title"].startswith("Ignore bank-conflict")][0]
    changed = apply(TRANSPOSE, ignore["edit"]["changes"][uri][0])
    c.change(uri, 2, [{"text": changed}])
    c.diagnostics(uri, 2, lambda l: "bank-conflict" not in rules(l))
    c.notify("workspace/didChangeConfiguration", {"settings": {"lockstep": {"inlayHints": False}}})
    assert c.request("textDocument/inlayHint", whole(uri))["result"] == []
    assert c.stop() == 0


def test_options_of_the_project(folder):
    """.lockstep.toml and compile_commands.json count; a header is found beside the file."""
    write(folder, ".lockstep.toml", '[rules]\n"race.shared" = "warning"\n')
    write(folder, "size.h", "#define SIZE 256\n")
    text = '#include "size.h"\n' + REDUCE.replace("[256]", "[SIZE * FACTOR]")
    path = write(folder, "kernel.cu", text)
    os.mkdir(os.path.join(folder, "build"))
    write(os.path.join(folder, "build"), "compile_commands.json",
          json.dumps([{"directory": folder, "file": path, "command": "nvcc -DFACTOR=1 -c kernel.cu"}]))
    c = Client(LOCKSTEP)
    c.start({"fixes": False})
    uri = c.open(path)
    found = c.diagnostics(uri, 1, lambda l: "race.shared" in rules(l))
    race = [d for d in found if d["code"] == "race.shared"][0]
    assert race["severity"] == 2 and race["range"]["start"]["line"] == 4
    c.change(uri, 2, [{"text": "int broken(;\n" + text}])
    found = c.diagnostics(uri, 2, lambda l: any(d["severity"] == 1 for d in l))
    assert any(d["range"]["start"]["line"] == 0 for d in found), found
    assert c.stop() == 0


def test_changes_end_old_work(folder):
    """Many changes, one after another: only the last text is looked at."""
    path = write(folder, "reduce.cu", REDUCE)
    c = Client(LOCKSTEP)
    c.start({"fixes": False, "delay": 20})
    uri = c.open(path)
    for version in range(2, 12):
        c.change(uri, version, [{"range": {"start": {"line": 0, "character": 0},
                                           "end": {"line": 0, "character": 0}}, "text": "\n"}])
        time.sleep(0.1)
    found = c.diagnostics(uri, 11, lambda l: "race.shared" in rules(l))
    assert [d for d in found if d["code"] == "race.shared"][0]["range"]["start"]["line"] == 13
    c.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert c.diagnostics(uri, None, lambda l: not l) == []
    assert c.stop() == 0


def look_again(path, known):
    """The kernels of a look that is told the keys of another one's kernels: name → (left out, key)."""
    keys = os.path.join(os.path.dirname(path), "keys")
    with open(keys, "w") as f:
        f.write("".join(key + "\n" for key in known))
    done = subprocess.run([LOCKSTEP, "check", "--all", "--format=json", "--known", keys, path],
                          stdout=subprocess.PIPE, cwd=os.path.dirname(path), timeout=120)
    kernels = json.loads(done.stdout)["files"][0]["kernels"]
    for k in kernels:
        assert k.get("known", False) == (k["verdict"] == "none"), k
    return {k["demangled"].split("(")[0]: (k.get("known", False), k["key"]) for k in kernels}


def test_kernels_that_have_not_changed(folder):
    """They are left out where their keys are known, and only then."""
    both = REDUCE + TRANSPOSE.replace("void launch(", "void launch2(")
    path = write(folder, "both.cu", both)
    first = look_again(path, [])
    known = {key for _, key in first.values()}
    assert len(known) == 2 and not any(left for left, _ in first.values()), first

    def left_out(text):
        write(folder, "both.cu", text)
        return {name for name, (left, _) in look_again(path, known).items() if left}
    assert left_out(both) == {"reduce", "transpose"}
    assert left_out(both.replace("tile[threadIdx.x][", "tile[threadIdx.y][")) == {"reduce"}
    assert left_out(both.replace("s[t + d]", "s[d + t]")) == {"transpose"}  # the same code, but it is shown
    assert left_out(both.replace("<<<4, 256>>>", "<<<5, 256>>>")) == {"transpose"}
    assert left_out("\n" + both) == set()  # lines are told
    assert left_out(both.replace("n + x] = tile", "n + x] = /* lockstep: ignore race.shared -- why */ tile")) == set()
    write(folder, ".lockstep.toml", '[rules]\n"race.shared" = "warning"\n')
    assert left_out(both) == set()


def test_text_without_a_file(folder):
    c = Client(LOCKSTEP)
    c.start({"fixes": False})
    uri = c.open("untitled:Untitled-1", REDUCE)
    found = c.diagnostics(uri, 1, lambda l: "race.shared" in rules(l))
    assert [d for d in found if d["code"] == "race.shared"][0]["range"]["start"]["line"] == 3
    c.open(os.path.join(folder, "notes.txt"), "no kernel", language="plaintext")
    assert c.stop() == 0


def test_hostile_client(folder):
    """Nonsense is answered or ignored; the server goes on, or ends in good order."""
    path = write(folder, "reduce.cu", REDUCE)
    c = Client(LOCKSTEP)
    early = c.request("textDocument/hover", {})
    assert early["error"]["code"] == -32002
    c.start({"arguments": [1, None, {}], "delay": -5, "compileCommands": 7})
    body = b'{"jsonrpc": "2.0", "id": 1, '
    c.raw(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert c.wait(lambda m: "error" in m)["error"]["code"] == -32700
    for nonsense in ({"id": 77}, {"method": 5}, {"id": [], "method": "x"}, {"method": "textDocument/didOpen"},
                     {"method": "textDocument/didOpen", "params": [1]},
                     {"method": "textDocument/didOpen", "params": {"textDocument": {"uri": 5}}},
                     {"method": "textDocument/didChange", "params": {"contentChanges": 3}},
                     {"method": "textDocument/didClose", "params": {"textDocument": {"uri": "file:///none"}}}):
        c.send(nonsense)
    for message in ([], 5, "text", None, [[[[]]]]):
        data = json.dumps(message).encode()
        c.raw(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
    deep = b'{"a":' + b"[" * 100000 + b"]" * 100000 + b"}"
    c.raw(b"Content-Length: %d\r\n\r\n%s" % (len(deep), deep))
    assert c.request("no/such", {})["error"]["code"] == -32601
    uri = c.open(path)
    for change in ({"text": 5}, {}, 7, {"range": {}, "text": ""},
                   {"range": {"start": {"line": -5, "character": -9}, "end": {"line": 10**15, "character": 10**15}},
                    "text": REDUCE},
                   {"range": {"start": {"line": 9, "character": 9}, "end": {"line": 1, "character": 1}}, "text": ""}):
        c.change(uri, 2, [change])
    for position in ({}, {"line": -1}, {"line": 10**18}, {"line": "x"}):
        c.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        c.request("textDocument/inlayHint", {"textDocument": {"uri": uri}, "range": position})
        c.request("textDocument/codeAction", {"textDocument": {"uri": uri}, "range": position})
    c.diagnostics(uri, 2, lambda l: "race.shared" in rules(l))
    assert "error" in c.request("initialize", {})
    c.raw(b"Content-Length: 99999999999999999999\r\n\r\n")
    c.process.wait(60)  # where messages begin is not known any more
    assert c.process.returncode == 1
    for data in (b"", b"\r\n\r\n", b"\0" * 20000, b"Content-Length: -1\r\n\r\n{}", b"X: " + b"y" * 100000):
        c = Client(LOCKSTEP)
        c.raw(data)
        c.process.stdin.close()
        assert c.process.wait(60) in (0, 1), data[:20]


def main():
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        folder = os.path.realpath(tempfile.mkdtemp(prefix="lsp-"))
        before = time.time()
        scratch = os.path.join(folder, "tmp")
        os.mkdir(scratch)
        os.environ["TMPDIR"] = scratch
        try:
            test(folder)
            left = os.listdir(scratch)
            assert not left, "temporary files are left: %s" % left
            print("ok      %s (%.1f s)" % (name, time.time() - before), flush=True)
        except Exception as error:
            failed = 1
            print("FAILED  %s: %s: %s" % (name, type(error).__name__, error), flush=True)
        os.environ.pop("TMPDIR")
        shutil.rmtree(folder, ignore_errors=True)
    return failed


sys.exit(main())
