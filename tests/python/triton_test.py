"""lockstep.triton and lockstep.torch with the real Triton and PyTorch, on a machine with a GPU. One command, from the
repository's root on that machine:

    cmake -S . -B build-gpu -DCMAKE_BUILD_TYPE=Release >/dev/null && cmake --build build-gpu -j16 --target lockstep_shared >/dev/null \
      && LOCKSTEP_LIBRARY=$PWD/build-gpu/liblockstep.so PYTHONPATH=python python3 tests/python/triton_test.py
"""
import subprocess
import sys
import tempfile
import traceback

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as missing:
    print("skipped: %s" % missing)
    sys.exit(77)
if not torch.cuda.is_available():
    print("skipped: no GPU")
    sys.exit(77)

import lockstep
import lockstep.torch
import lockstep.triton


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


@triton.jit
def add_unmasked(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) + tl.load(y + at))


@triton.jit
def last_wins(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + at))


@triton.jit
def row_sum(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, at < columns, 0.0)
    tl.store(out + row, tl.sum(values, 0))


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at, at < n, 0.0), 0))


@triton.jit
def matmul(a, b, c, N: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    sums = tl.zeros((BLOCK, BLOCK), dtype=tl.float32)
    for k in range(0, N, BLOCK):
        inner = k + tl.arange(0, BLOCK)
        sums += tl.dot(tl.load(a + rows[:, None] * N + inner[None, :]), tl.load(b + inner[:, None] * N + columns[None, :]))
    tl.store(c + rows[:, None] * N + columns[None, :], sums)


def emulated(kernel, grid, *args, **kwargs):
    storages = lockstep.triton.Storages()
    return lockstep.triton.check(kernel, grid, *args, storages=storages, **kwargs), storages


def test_add():
    x, y = torch.randn(1000, device="cuda"), torch.randn(1000, device="cuda")
    out = torch.zeros(1000, device="cuda")
    report, storages = emulated(add, lambda meta: (triton.cdiv(1000, meta["BLOCK"]),), x, y, out, 1000, BLOCK=256)
    assert not [f for f in report.findings if f.level != "note" and not f.is_cost], report
    assert torch.equal(storages.of(out), (x + y).cpu()) and not out.any()
    add[(4,)](x, y, out, 1000, BLOCK=256)
    assert torch.equal(storages.of(out), out.cpu())


def test_bounds_and_lines():
    x = torch.randn(1000, device="cuda")
    report, _ = emulated(add_unmasked, (4,), x, x, torch.zeros(1000, device="cuda"), 1000, BLOCK=256)
    kinds = {f.rule for f in report.findings if f.level == "error"}
    assert kinds == {"memory.bounds"}, report
    assert report.findings[0].file.endswith("triton_test.py"), report.findings[0]


def test_race_between_programs():
    x = torch.randn(512, device="cuda")
    report, _ = emulated(last_wins, (4,), x, torch.zeros(128, device="cuda"), BLOCK=128)
    assert "race.global" in {f.rule for f in report.findings}, report
    report, _ = emulated(total, (4,), x, torch.zeros(1, device="cuda"), 512, BLOCK=128)
    assert report.clean, report


def test_views_and_strides():
    x = torch.randn(8, 100, device="cuda")
    out = torch.zeros(8, device="cuda")
    report, storages = emulated(row_sum, (8,), x[:, 10:60], out, 50, x.stride(0), BLOCK=64)
    assert report.clean, report
    assert torch.allclose(storages.of(out), x[:, 10:60].sum(1).cpu(), atol=1e-4)
    # a stride of 1 becomes a constant of the compiled kernel
    report, storages = emulated(row_sum, (8,), x, out, 1, 1, BLOCK=64)
    assert report.clean, report


def test_matmul():
    for kind in (torch.float16, torch.bfloat16):
        a, b = torch.randn(64, 64, device="cuda").to(kind), torch.randn(64, 64, device="cuda").to(kind)
        c = torch.zeros(64, 64, device="cuda")
        report, storages = emulated(matmul, (1, 1), a, b, c, N=64, BLOCK=64)
        assert not report.errors, report
        unknown = [u for k in report.kernels for u in k.unknown]
        if unknown:
            print("        %s: unknown: %s" % (kind, unknown))
            continue
        assert report.clean, report
        matmul[(1, 1)](a, b, c, N=64, BLOCK=64)
        assert torch.allclose(storages.of(c), c.cpu(), atol=1e-3), (storages.of(c) - c.cpu()).abs().max()


def test_checked_decorator():
    kernel = lockstep.triton.checked(add_unmasked)
    x = torch.randn(1024, device="cuda")
    out = torch.zeros(1024, device="cuda")
    kernel[(4,)](x, x, out, 1024, BLOCK=256)
    assert torch.equal(out, x + x)
    try:
        kernel[(5,)](x[:1000], x[:1000], out[:1000], 1000, BLOCK=256)
        assert False, "nothing was raised"
    except lockstep.Found as found:
        assert "memory.bounds" in str(found)


def test_inductor():
    def f(x, y):
        return torch.nn.functional.gelu(x * 2 + y)
    x, y = torch.randn(64, 33, device="cuda"), torch.randn(64, 33, device="cuda")
    with lockstep.torch.checking() as reports:
        torch.compile(f)(x, y)
    assert reports and all(not r.errors for r in reports), reports
    assert all(f.level != "error" for r in reports for f in r.findings), [str(r) for r in reports]


def test_pytest_plugin():
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/test_kernels.py", "w") as file:
            file.write(open(__file__).read().split("def emulated")[0] +
                       "def test_good():\n    x = torch.randn(1000, device='cuda'); o = torch.zeros(1000, device='cuda')\n"
                       "    add[(4,)](x, x, o, 1000, BLOCK=256)\n    assert torch.equal(o, x + x)\n"
                       "def test_bad():\n    x = torch.randn(512, device='cuda')\n"
                       "    last_wins[(4,)](x, torch.zeros(128, device='cuda'), BLOCK=128)\n")
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "lockstep.pytest_plugin", "--lockstep-triton",
                               "-p", "no:cacheprovider", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = done.stdout.decode()
        if "No module named pytest" in said:
            print("        pytest is not installed")
            return
        assert "1 failed, 1 passed" in said and "race.global" in said, said


def main():
    print("Triton %s, PyTorch %s, %s, Lockstep %s" % (triton.__version__, torch.__version__, torch.cuda.get_device_name(),
                                                      lockstep.version()))
    tests = [(n, t) for n, t in list(globals().items()) if n.startswith("test_")]
    failed = 0
    for name, test in tests:
        try:
            test()
            print("ok     ", name, flush=True)
        except Exception:
            failed += 1
            traceback.print_exc()
            print("FAILED ", name, flush=True)
    print("%d of %d" % (len(tests) - failed, len(tests)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
