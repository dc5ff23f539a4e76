"""The Python package, over the library that was built. Parts that need pytest are skipped, visibly, without it."""
import importlib.util
import os
import subprocess
import sys
import tempfile
import types
import zipfile

import numpy

import lockstep
from lockstep import _library
from lockstep import triton as lockstep_triton

SCALE = """__global__ void scale(const float *x, float *y, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
"""
RACE = """__global__ void shift(int *a) {
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    a[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
"""
# As Triton makes it: two pointers, a number, and two pointers to scratch memory that nobody gives.
PTX = """.version 8.4
.target sm_90a
.address_size 64
.visible .entry add_one(
    .param .u64 .ptr .global .align 1 add_one_param_0,
    .param .u64 .ptr .global .align 1 add_one_param_1,
    .param .u32 add_one_param_2,
    .param .u64 .ptr .global .align 1 add_one_param_3,
    .param .u64 .ptr .global .align 1 add_one_param_4
)
.reqntid 128
{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %rd<6>;
    ld.param.u64 %rd1, [add_one_param_0];
    ld.param.u64 %rd2, [add_one_param_1];
    ld.param.u32 %r1, [add_one_param_2];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r2, 128, %r3;
    setp.GE.s32 %p1, %r4, %r1;
    @%p1 ret;
    mul.wide.s32 %rd3, %r4, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.u32 %r5, [%rd4];
    add.s32 %r6, %r5, 1;
    st.global.u32 [%rd5], %r6;
    ret;
}
""".replace("setp.GE", "setp.ge")


def test_version():
    assert lockstep.version().count(".") == 2


def test_run_in_place():
    x = numpy.arange(100, dtype=numpy.float32)
    y = numpy.zeros(100, dtype=numpy.float32)
    report = lockstep.run(SCALE, 2, 64, [x, y, 1.5, 100])
    assert report.clean and report and report["scale"].verdict == "none", report
    assert (y == 1.5 * x).all()
    columns = numpy.zeros((100, 2), dtype=numpy.float32)
    assert lockstep.run(SCALE, 2, 64, [x, columns[:, 0], numpy.float32(2), numpy.int32(100)])
    assert (columns[:, 0] == 2 * x).all() and not columns[:, 1].any()


def test_run_finds():
    report = lockstep.run(SCALE, 4, 64, [numpy.zeros(100, "f4"), numpy.zeros(100, "f4"), 1.0, 256], names=["x", "y", None, None])
    assert not report.clean
    finding = report.findings[0]
    assert finding.rule == "memory.bounds" and finding.line == 3 and finding.file == "source.cu", finding
    try:
        report.raise_for_findings()
        assert False
    except lockstep.Found as found:
        assert "memory.bounds" in str(found) and found.report is report
    report = lockstep.run(RACE, 1, 64, [numpy.zeros(64, "i4")])
    assert report.findings[0].rule == "race.shared" and report.findings[0].element.startswith("s["), report
    page = report._repr_html_()
    assert "race on" in page and "<script" not in page
    assert lockstep.run(RACE, 1, 64, [numpy.zeros(64, "i4")], check="bounds").clean


def test_wrong_arguments():
    for args, word in (([], "4 parameters"), ([1, 2, 3, 4, 5], "4 parameters"), ([numpy.zeros(4, "f4")] * 4, "argument 2")):
        report = lockstep.run(SCALE, 1, 32, args)
        assert report.errors and word in report.errors[0] and not report.clean, report
    assert "no kernel" in lockstep.run(SCALE, 1, 32, [], kernel="none").errors[0]
    assert lockstep.run("__global__ void k( {", 1, 32, []).errors
    assert "cannot be read" in lockstep.run("/nowhere.cu", 1, 32, []).errors[0]
    assert "not an option" in lockstep.run(SCALE, 1, 32, [], colour=1).errors[0]
    for wrong in (lambda: lockstep.run(SCALE, 0, 32, []), lambda: lockstep.run(SCALE, (1, 1, 1, 1), 32, [])):
        try:
            wrong()
            assert False
        except ValueError:
            pass
    try:
        lockstep.run(SCALE, 1, 32, [object()])
        assert False
    except TypeError:
        pass


def test_check():
    if not _library.can_verify():
        print("skipped: the library has no verifier")
        return
    report = lockstep.check(SCALE, block=64)
    assert report["scale"].verdict == "proved" and "block 64" in report["scale"].brief, report
    report = lockstep.check(RACE, block=64, grid=1)
    race = report.findings[0]
    assert report["shift"].verdict == "refuted" and race.rule == "race.shared", report
    assert race.line in (3, 4) and len(race.threads) == 2 and "s[" in race.threads[0]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "two.cu")
        with open(path, "w") as file:
            file.write(SCALE + RACE)
        assert [k.demangled.split("(")[0] for k in lockstep.check(path, kernel="shift").kernels] == ["shift"]
        assert lockstep.check(path, kernel="shift", block=64).findings[0].source.strip().endswith(";")
    assert lockstep.check("__global__ void k(int *a) { a[threadIdx.x * N] = 1; }", define="N=2", block=64).clean


class Tensor:
    """As much of a tensor of PyTorch as is looked at."""

    def __init__(self, array, base=None):
        self.array, self.base = array, array if base is None else base

    def data_ptr(self):
        return self.array.ctypes.data

    def untyped_storage(self):
        return self.base


def test_compiled_triton_kernel():
    """What Triton compiled, stood in for by its PTX and metadata; the real one is tested where Triton is."""
    compiled = types.SimpleNamespace(asm={"ptx": PTX}, metadata=types.SimpleNamespace(name="add_one", num_warps=4, shared=0),
                                     src=types.SimpleNamespace(signature={"x": "*i32", "y": "*i32", "n": "i32",
                                                                          "BLOCK": "constexpr"}, constants={}))
    x, y = numpy.arange(300, dtype=numpy.int32), numpy.zeros(300, dtype=numpy.int32)
    named = lockstep_triton._runtime_arguments(compiled, ["x", "y", "n", "BLOCK"], [x, y, 300, 128])
    assert [n for n, _ in named] == ["x", "y", "n"]
    report = lockstep_triton.check_compiled(compiled, (3,), named)
    assert report.clean and (y == x + 1).all(), report
    report = lockstep_triton.check_compiled(compiled, (3,), [("x", x), ("y", y), ("n", 384)])
    assert report.findings and report.findings[0].rule == "memory.bounds", report
    assert report.findings[0].file == "add_one.ptx", report.findings[0]


def test_wheel():
    """The wheel is made without anything but Python, and works from where it is unpacked."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run([sys.executable, "-c", "import backend; print(backend.build_wheel(%r))" % folder],
                              cwd=os.path.join(root, "python"), stdout=subprocess.PIPE, check=True)
        wheel = os.path.join(folder, made.stdout.decode().strip())
        assert "none-any" not in wheel  # with the library that LOCKSTEP_LIBRARY names
        place = os.path.join(folder, "site")
        zipfile.ZipFile(wheel).extractall(place)
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("LOCKSTEP", "PYTHONPATH"))}
        code = "import lockstep, numpy; assert lockstep.run(%r, 1, 64, [numpy.zeros(64, 'f4'), numpy.zeros(64, 'f4'), " \
               "1.0, 64]).clean; print(lockstep.__file__)" % SCALE
        done = subprocess.run([sys.executable, "-c", code], cwd=folder, stdout=subprocess.PIPE,
                              env=dict(environment, PYTHONPATH=place), check=True)
        assert done.stdout.decode().startswith(os.path.realpath(place)), done.stdout


def test_pytest_plugin():
    if importlib.util.find_spec("pytest") is None:
        print("skipped: pytest is not installed")
        return
    with tempfile.TemporaryDirectory() as folder:
        def put(name, text):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        put("good.cu", "__global__ void good(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
                       "void f(int *a) { good<<<4, 64>>>(a); }\n")
        put("bad.cu", RACE + "void f(int *a) { shift<<<1, 64>>>(a); }\n")
        put("test_one.py", "import numpy\n"
                           "def test_good(lockstep):\n    assert lockstep.check('good.cu').clean\n"
                           "def test_bad(lockstep):\n    lockstep.run('bad.cu', 1, 64, [numpy.zeros(64, 'i4')])\n")
        done = subprocess.run([sys.executable, "-m", "pytest", "-p", "lockstep.pytest_plugin", "--lockstep", "-q",
                               "-p", "no:cacheprovider"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode()
        assert done.returncode == 1, said
        if "verifier" not in said:
            assert "2 failed, 2 passed" in said and "race.shared" in said and "test_bad" in said, said


def main():
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        try:
            test()
            print("ok     ", name, flush=True)
        except Exception as error:
            failed = 1
            import traceback
            traceback.print_exc()
            print("FAILED ", name, type(error).__name__, str(error)[:2000], flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
