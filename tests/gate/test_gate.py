"""The gate: right kernels pass, and each way of only looking right is caught by its name. usage: test_gate.py LOCKSTEP"""
import json
import os
import struct
import subprocess
import sys
import tempfile

LOCKSTEP = os.path.abspath(sys.argv[1])

SCALE = """// gate: size n=1,31,33,1000
// gate: in x=f32[n]
// gate: out y=f32[n]
// gate: grid cdiv(n, 64)
// gate: block 64
__global__ void scale(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i] + 1;
}
"""
SUM = """// gate: size n=64,200,1000
// gate: in x=f32[n]
// gate: out total=f32[1]
// gate: grid 1
// gate: block 1
// gate: tolerance 1e-3
__global__ void sum(const float *x, float *total, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    *total = s;
}
"""
HEAD = "__global__ void scale(const float *x, float *y, int n) {\n    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"

# Candidates that must not pass, with the problem that must be among those named.
CHEATS = {
    "wrong_result": HEAD + "    if (i < n) y[i] = 2 * x[i];\n}\n",
    "bounds": HEAD + "    y[i] = 2 * x[i] + 1;\n}\n",
    "input_changed": "__global__ void scale(float *x, float *y, int n) {\n"
                     "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                     "    if (i < n) { y[i] = 2 * x[i] + 1; x[i] = 0; }\n}\n",
    "constant_result": HEAD + "    if (i < n) y[i] = 1;\n}\n",
    # nothing is written where the memory held something else than zero
    "uninitialized": HEAD + "    if (i < n) { float old = y[i]; y[i] = old == old ? old : 2 * x[i] + 1; }\n}\n",
    # the first answer is kept, and given again
    "stale_result": "__device__ float kept[1024]; __device__ int has;\n" + HEAD +
                    "    if (i < n) { if (!has) kept[i] = 2 * x[i] + 1; y[i] = kept[i]; }\n"
                    "    __syncthreads();\n    if (i == 0 && gridDim.x == 1) has = 1;\n}\n",
    # whoever comes last
    "order_dependent": "__device__ int order;\n" + HEAD +
                       "    __shared__ int turn;\n    if (threadIdx.x == 0) turn = atomicAdd(&order, 1);\n"
                       "    __syncthreads();\n    if (i < n) y[i] = 2 * x[i] + 1 + (turn != blockIdx.x ? 1 : 0);\n}\n",
    "race": HEAD + "    __shared__ float s[64];\n    s[threadIdx.x] = i < n ? x[i] : 0;\n"
                   "    s[63 - threadIdx.x] += 0;\n    __syncthreads();\n    if (i < n) y[i] = 2 * x[i] + 1;\n}\n",
    "trap": HEAD + "    if (n == 1000) __trap();\n    if (i < n) y[i] = 2 * x[i] + 1;\n}\n",
    "timeout": HEAD + "    volatile int *p = (volatile int *)y; while (n == 31 && p[0] != 12345) ;\n"
                      "    if (i < n) y[i] = 2 * x[i] + 1;\n}\n",
    "compile": HEAD + "    y[i] = undeclared;\n}\n",
    "parameters": "__global__ void scale(const float *a, float *y) { y[threadIdx.x] = a[threadIdx.x]; }\n",
    "barrier": HEAD + "    if (threadIdx.x < 5) __syncthreads();\n    if (i < n) y[i] = 2 * x[i] + 1;\n    __syncthreads();\n"
                      "    if (i < n) y[i] = 2 * x[i] + 1;\n}\n",
}


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w" if isinstance(text, str) else "wb") as f:
        f.write(text)
    return path


def gate(folder, candidate, reference, *options, status=None):
    done = subprocess.run([LOCKSTEP, "gate", write(folder, "candidate.cu", candidate), "--reference",
                           write(folder, "reference.cu", reference) if isinstance(reference, str) else reference[0],
                           "--seconds", "3", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
    if status == 2:
        assert done.returncode == 2, (done.returncode, done.stdout)
        return done.stderr.decode()
    verdict = json.loads(done.stdout)
    assert done.returncode == (0 if verdict["pass"] else 3 if verdict.get("unknown") else 1), done
    assert 0 <= verdict["score"] <= 1
    return verdict


def kinds(verdict):
    return {p["kind"] for p in verdict["problems"]}


def test_right_kernels_pass(folder):
    verdict = gate(folder, SCALE.replace("2 * x[i] + 1", "x[i] + x[i] + 1"), SCALE)
    assert verdict["pass"] and verdict["score"] == 1 and verdict["problems"] == [], verdict
    assert [c["sizes"]["n"] for c in verdict["cases"]] == [1, 31, 33, 1000]
    assert {c["verdict"] for c in verdict["cases"]} == {"proved"} and verdict["matched_by"] == "name"
    # other names, another launch, another shape of the loop
    other = ("// gate: grid 2\n// gate: block 32\n__global__ void mine(const float *a, float *b, int count) {\n"
             "    for (int i = blockIdx.x * 32 + threadIdx.x; i < count; i += 64) b[i] = 2 * a[i] + 1;\n}\n")
    verdict = gate(folder, other, SCALE)
    assert verdict["pass"] and verdict["matched_by"] == "position", verdict
    assert verdict["cases"][0]["grid"] == [2, 1, 1]


def test_parallel_sum_passes_within_tolerance(folder):
    candidate = ("// gate: block 64\n__global__ void sum(const float *x, float *total, int n) {\n"
                 "    __shared__ float s[64];\n    float t = 0;\n"
                 "    for (int i = threadIdx.x; i < n; i += 64) t += x[i];\n    s[threadIdx.x] = t;\n    __syncthreads();\n"
                 "    for (int d = 32; d > 0; d /= 2) {\n        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];\n"
                 "        __syncthreads();\n    }\n    if (threadIdx.x == 0) *total = s[0];\n}\n")
    verdict = gate(folder, candidate, SUM)
    assert verdict["pass"], verdict
    racy = candidate.replace("        __syncthreads();\n    }", "    }")
    verdict = gate(folder, racy, SUM)
    assert not verdict["pass"] and "race" in kinds(verdict), verdict
    race = [p for p in verdict["problems"] if p["kind"] == "race"][0]
    assert race["line"] == 9 and race["file"].endswith("candidate.cu"), race


def test_cheats_are_caught(folder):
    for kind, candidate in CHEATS.items():
        verdict = gate(folder, candidate, SCALE)
        assert not verdict["pass"] and kind in kinds(verdict), (kind, verdict)
        assert verdict["score"] <= 0.5 and (verdict["score"] > 0) == (kind not in ("compile", "parameters")), verdict


def test_race_that_is_optimised_away(folder):
    """What the compiler leaves out is in the source all the same, and races there with this very input."""
    candidate = HEAD + ("    __shared__ float s[64];\n    if (i >= n) return;\n    s[threadIdx.x] = 2 * x[i] + 1;\n"
                        "    y[i] = s[threadIdx.x];\n    s[0] = x[i];\n}\n")
    verdict = gate(folder, candidate, SCALE, status=1)
    assert kinds(verdict) == {"race"}, verdict
    assert not verdict["cases"][1]["pass"], verdict


def test_writes_beside_the_output(folder):
    reference = SCALE.replace("y=f32[n]", "y=f32[n + 8]")
    verdict = gate(folder, SCALE.replace("if (i < n)", "if (i < n + 8)").replace("x[i]", "x[i % n]"), reference)
    assert "outside_output" in kinds(verdict), verdict


def test_reference_as_numbers(folder):
    n = 40
    header = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % n
    header += " " * (63 - (len(header) + 10) % 64) + "\n"
    data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
    data += b"".join(struct.pack("<f", 2 * i + 1) for i in range(n))
    path = write(folder, "want.npy", data)
    options = ["--size", "n=40", "--in", "x=f32[n]=iota", "--out", "y=f32[n]", "--grid", "1", "--block", "64"]
    verdict = gate(folder, SCALE.replace("// gate: size n=1,31,33,1000\n// gate: in x=f32[n]\n// gate: out y=f32[n]\n", ""),
                   [path], *options)
    assert verdict["pass"], verdict
    verdict = gate(folder, CHEATS["wrong_result"], [path], *options)
    assert "wrong_result" in kinds(verdict), verdict


def test_ptx_without_a_source(folder):
    hostile = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hostile", "kernels", "sample.reference")
    path = write(folder, "copy.ptx", open(hostile).read())
    done = subprocess.run([LOCKSTEP, "gate", path, "--reference", path, "--no-proofs"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0 and json.loads(done.stdout)["pass"], done.stdout + done.stderr


def test_wrong_use(folder):
    plain = SCALE.replace("// gate: out y=f32[n]\n", "")
    assert "no parameter is marked as an output" in gate(folder, SCALE, plain, status=2)
    assert "the parameter 'x' is not described" in gate(folder, SCALE, SCALE.replace("// gate: in x=f32[n]\n", ""), status=2)
    assert "the launch sizes are not known" in gate(folder, HEAD + "}", SCALE.replace("// gate: block 64\n", ""), status=2)
    assert "cannot be computed" in gate(folder, SCALE, SCALE.replace("f32[n]", "f32[m]"), status=2)
    assert "is expected" in gate(folder, SCALE, SCALE, "--size", "n=x", status=2)
    # what a candidate says of its parameters does not count
    verdict = gate(folder, "// gate: out x=f32[1]\n// gate: size n=1\n" + SCALE.split("\n", 5)[5], SCALE)
    assert verdict["pass"] and len(verdict["cases"]) == 4, verdict


def main():
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory(prefix="gate-") as folder:
            try:
                test(folder)
                print("ok     ", name, flush=True)
            except Exception as error:
                failed = 1
                print("FAILED ", name, type(error).__name__, str(error)[:3000], flush=True)
    return failed


sys.exit(main())
