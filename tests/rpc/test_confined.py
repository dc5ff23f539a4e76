"""Work on files that nobody has looked at happens in confined processes, for the language server, the server for agents
and the gate; it ends on time and with its server, and nothing is left. usage: test_confined.py LOCKSTEP"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lsp"))
from client import Client  # noqa: E402

LOCKSTEP = os.path.abspath(sys.argv[1])
ENDLESS = "__global__ void k(volatile int *a) { while (a[0] != -1) a[0] = threadIdx.x; }\n"
# Takes a while to prove, as there are many.
MANY = """#define KERNEL(NAME) __global__ void NAME(const float *in, float *out) { \\
    __shared__ float s[256]; \\
    int t = threadIdx.x; \\
    s[t] = in[blockIdx.x * 256 + t]; \\
    __syncthreads(); \\
    for (int d = 128; d > 0; d /= 2) { if (t < d) s[t] += s[t + d]; __syncthreads(); } \\
    if (t == 0) out[blockIdx.x] = s[0]; \\
}
""" + "".join("KERNEL(k%d)\n" % i for i in range(120))
REFERENCE = """// gate: size n=64
// gate: inout a=i32[n]
// gate: grid 1
// gate: block 32
__global__ void k(int *a, int n) { a[threadIdx.x] = 1; }
"""


def status_of(pid):
    try:
        with open("/proc/%d/status" % pid) as file:
            return dict(line.split(":\t", 1) for line in file.read().splitlines() if ":\t" in line)
    except OSError:
        return {}


def processes():
    """All that there are, by their number: the parent's, whether a filter of system calls is on, the name."""
    table = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            status = status_of(int(entry))
            if status:
                table[int(entry)] = (int(status["PPid"]), status.get("Seccomp") == "2", status["Name"])
    return table


def below(pid):
    table, found, more = processes(), {}, [pid]
    while more:
        parent = more.pop()
        for child, about in table.items():
            if about[0] == parent and child not in found:
                found[child] = about
                more.append(child)
    return found


def is_sealed(pid):
    """Whether the process can open no file: nothing but its filters says so from outside, and what they refuse does
    not show; a sealed process has two more than this one, a compiler but one."""
    return int(status_of(pid).get("Seccomp_filters", 0)) == 2 + int(status_of(os.getpid())["Seccomp_filters"])


def wait_for_sealed(server, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        for pid in below(server):
            if is_sealed(pid):
                return pid
        time.sleep(0.02)
    raise TimeoutError("no sealed process; there are %s" % below(server))


def wait_for_end(pids, seconds=30):
    end = time.time() + seconds
    alive = set(pids)
    while alive and time.time() < end:
        alive = {p for p in alive if status_of(p).get("State", "Z")[0] != "Z"}
        time.sleep(0.05)
    assert not alive, "these go on: %s" % {p: status_of(p).get("Name") for p in alive}


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def test_language_server(folder):
    c = Client(LOCKSTEP)
    c.start({"fixes": False})
    uri = c.open(write(folder, "many.cu", MANY))
    sealed = wait_for_sealed(c.process.pid)
    os.kill(sealed, signal.SIGKILL)  # as if the text had made it crash
    said = c.diagnostics(uri, 1, lambda l: any("ended by signal 9" in d["message"] for d in l))
    assert any(d["range"]["start"]["line"] == 0 for d in said)
    c.change(uri, 2, [{"text": MANY + "\n"}])  # the server goes on
    wait_for_sealed(c.process.pid)
    children = below(c.process.pid)
    assert children
    c.process.kill()  # nothing outlives it
    c.process.wait(30)
    wait_for_end(children)


def call_until_sealed(server):
    """A call that ends at its limit of time; where that was over before anything was compiled, with a larger one."""
    for seconds in (4, 20, 60):
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "run", "arguments": {"source": ENDLESS, "block": "32", "grid": "1", "seconds": seconds}}}
        server.stdin.write(json.dumps(call).encode() + b"\n")
        server.stdin.flush()
        try:
            wait_for_sealed(server.pid, seconds + 10)
            return
        except TimeoutError:
            json.loads(server.stdout.readline())
    raise TimeoutError("no sealed process in a minute")


def test_server_for_agents(folder):
    server = subprocess.Popen([LOCKSTEP, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    call_until_sealed(server)
    children = below(server.pid)
    answer = json.loads(server.stdout.readline())
    assert "took longer" in answer["result"]["content"][0]["text"], answer
    wait_for_end(children)
    server.stdin.close()
    assert server.wait(30) == 0
    server.stdout.close()
    assert not os.listdir(os.environ["TMPDIR"]), os.listdir(os.environ["TMPDIR"])


def test_gate(folder):
    candidate = write(folder, "candidate.cu", ENDLESS.replace("volatile int *a", "volatile int *a, int n"))
    reference = write(folder, "reference.cu", REFERENCE)
    gate = subprocess.Popen([LOCKSTEP, "gate", "--timeout", "8", "--seconds", "60", candidate, "-r", reference],
                            stdout=subprocess.PIPE)
    wait_for_sealed(gate.pid)
    children = below(gate.pid)
    verdict = json.loads(gate.stdout.read())
    gate.stdout.close()
    assert gate.wait(30) == 1 and verdict["problems"][0]["kind"] == "timeout" and verdict["score"] == 0, verdict
    wait_for_end(children)
    assert not os.listdir(os.environ["TMPDIR"]), os.listdir(os.environ["TMPDIR"])


def main():
    if sys.platform != "linux" or "Seccomp_filters" not in status_of(os.getpid()):
        print("skipped: this system does not say which processes are confined")
        return 77
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory(prefix="confined-") as folder:
            os.environ["TMPDIR"] = os.path.join(folder, "tmp")
            os.mkdir(os.environ["TMPDIR"])
            try:
                test(folder)
                print("ok     ", name, flush=True)
            except Exception as error:
                failed = 1
                print("FAILED ", name, type(error).__name__, error, flush=True)
            os.environ.pop("TMPDIR")
    return failed


sys.exit(main())
