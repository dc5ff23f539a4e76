"""The server for coding agents, spoken to over its protocol. usage: test_mcp.py LOCKSTEP"""
import json
import os
import subprocess
import sys
import tempfile

LOCKSTEP = os.path.abspath(sys.argv[1])
RACE = """__global__ void shift(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
"""
COPY = "__kernel void copy(__global const float *in, __global float *out) { int i = get_global_id(0); out[i] = in[i]; }"


def talk(lines, seconds=300):
    """Sends the lines at once, closes the input; the answers by id (those without one under None)."""
    data = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    done = subprocess.run([LOCKSTEP, "mcp"], input=data, stdout=subprocess.PIPE, timeout=seconds)
    assert done.returncode == 0, done.returncode
    answers = {}
    for line in done.stdout.splitlines():
        message = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        answers.setdefault(message["id"] if not isinstance(message["id"], list) else None, message)
    return answers


def call(number, tool, **arguments):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def text(answer):
    return answer["result"]["content"][0]["text"]


def test_handshake_and_list():
    answers = talk([{"jsonrpc": "2.0", "id": 1, "method": "initialize",
                     "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "t"}}},
                    {"jsonrpc": "2.0", "method": "notifications/initialized"},
                    {"jsonrpc": "2.0", "id": "two", "method": "tools/list"},
                    {"jsonrpc": "2.0", "id": 3, "method": "ping"}])
    assert answers[1]["result"]["protocolVersion"] == "2025-03-26"
    assert answers[3]["result"] == {}
    tools = {t["name"]: t for t in answers["two"]["result"]["tools"]}
    assert {"check", "run", "profile", "explain"} <= set(tools)
    for tool in tools.values():
        assert tool["description"] and tool["inputSchema"]["type"] == "object"


def test_tools():
    answers = talk([call(1, "check", source=RACE, block=64, grid=1, suggest=True),
                    call(2, "profile", source=COPY, language="opencl", block="64", all=True),
                    call(3, "run", source=COPY, language="opencl", block="64", grid="2",
                         args=["in=f32[128]=iota", "out=f32[128]=zero"]),
                    call(4, "explain", rule="race.shared"),
                    call(5, "check", source=COPY, language="opencl")])
    race = text(answers[1])
    assert ":3:" in race and "race on 's'" in race and "writes s[" in race, race
    assert "with a `__syncthreads()` after line 3 the kernel is proved" in race, race
    assert "refuted for block 64, grid 1" in race and "Exit status 1: something was found." in race, race
    assert not answers[1]["result"]["isError"]
    assert "4 sectors per sub-group" in text(answers[2]), text(answers[2])
    assert "nothing found" in text(answers[3]), text(answers[3])
    assert "barrier" in text(answers[4])
    assert "proved for" in text(answers[5]) and "assumes" in text(answers[5])


def test_wrong_calls():
    answers = talk([call(1, "check"), call(2, "nothing"), call(3, "check", path="/nowhere.cu"),
                    call(4, "check", path="x.cu", colour=1), call(5, "check", source=5), call(6, "explain", rule="no.rule"),
                    call(7, "check", source="x", language="basic"), call(8, "check", path="--help"),
                    {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": [1]},
                    {"jsonrpc": "2.0", "id": 10, "method": "resources/list"},
                    call(11, "check", source="__global__ void k(", block="-1"),
                    b"this is no JSON\n", b"[1, 2]\n", b'{"id": 12}\n', b"\n\n",
                    call(13, "explain", rule="race.global")])
    for number in range(1, 9):
        assert answers[number]["result"]["isError"], (number, answers[number])
    assert "'path' is missing" in text(answers[1]) and "cannot be read" in text(answers[3])
    assert "has no argument 'colour'" in text(answers[4]) and "Usage" not in text(answers[8])
    assert answers[9]["error"]["code"] == -32602 and answers[10]["error"]["code"] == -32601
    assert answers[11]["result"]["isError"] and answers[None]["error"]["code"] == -32700
    assert answers[12]["error"]["code"] == -32600
    assert "race" in text(answers[13])


def test_cancel_and_time():
    endless = "__global__ void k(volatile int *a) { while (a[0] != -1) a[0] = threadIdx.x; }"
    answers = talk([call(1, "run", source=endless, block="32", grid="1"), call(2, "run", source=endless, block="32",
                                                                              grid="1", seconds=2),
                    {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}])
    assert 1 not in answers
    assert answers[2]["result"]["isError"] and "took longer" in text(answers[2]), answers


def main():
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory(prefix="mcp-") as folder:
            os.environ["TMPDIR"] = folder
            try:
                test()
                assert not os.listdir(folder), "temporary files are left: %s" % os.listdir(folder)
                print("ok     ", name, flush=True)
            except Exception as error:
                failed = 1
                print("FAILED ", name, type(error).__name__, error, flush=True)
            os.environ.pop("TMPDIR")
    return failed


sys.exit(main())
