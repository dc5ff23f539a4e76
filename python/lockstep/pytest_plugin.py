"""pytest: kernels under test are checked, and findings fail the test.

    pytest --lockstep            collects .cu and .cl files as well: a test for each, which verifies its kernels
    pytest --lockstep-triton     checks every launch of a Triton kernel in the tests, in the emulator

and in tests the fixture `lockstep`: `lockstep.check("scan.cu")`, `lockstep.run(...)` raise where something is found.
"""
import pytest

import lockstep as package


def pytest_addoption(parser):
    group = parser.getgroup("lockstep", "GPU kernels")
    group.addoption("--lockstep", action="store_true", help="verify the kernels of .cu and .cl files that are collected")
    group.addoption("--lockstep-unknown", action="store_true", help="what is unknown does not fail a test")
    group.addoption("--lockstep-triton", action="store_true", help="check every launch of a Triton kernel")


def _judge(report, config):
    bad = [f for f in report.findings if f.level != "note" and not f.is_cost]
    unknown = [k for k in report.kernels if k.verdict == "unknown"]
    if report.errors or bad or (unknown and not config.getoption("--lockstep-unknown")):
        raise package.Found(report)
    return report


class _Checker:
    """The fixture: as the package, but what is found fails the test."""

    def __init__(self, config):
        self._config = config

    def check(self, *args, **kwargs):
        return _judge(package.check(*args, **kwargs), self._config)

    def run(self, *args, **kwargs):
        return _judge(package.run(*args, **kwargs), self._config)


@pytest.fixture
def lockstep(request):
    return _Checker(request.config)


class KernelFile(pytest.File):
    def collect(self):
        yield KernelItem.from_parent(self, name="kernels")


class KernelItem(pytest.Item):
    def runtest(self):
        _judge(package.check(str(self.path)), self.config)

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, package.Found):
            return str(excinfo.value.report)
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, "kernels of %s" % self.path.name


def pytest_collect_file(file_path, parent):
    if parent.config.getoption("--lockstep") and file_path.suffix in (".cu", ".cl"):
        return KernelFile.from_parent(parent, path=file_path)
    return None


@pytest.fixture(autouse=True)
def _lockstep_triton(request, monkeypatch):
    if not request.config.getoption("--lockstep-triton"):
        yield
        return
    from triton.runtime.jit import JITFunction

    from . import triton as checker
    original, seen = JITFunction.run, set()

    def run(self, *args, grid, warmup, **kwargs):
        if not warmup:
            key = (id(self), tuple(map(checker.checked._kind, args)),
                   tuple(sorted((k, str(v)) for k, v in kwargs.items())))
            if key not in seen:
                seen.add(key)
                plain = {k: v for k, v in kwargs.items() if k in self.arg_names or k.startswith("num_")}
                _judge(checker.check(self, grid, *args, **plain), request.config)
        return original(self, *args, grid=grid, warmup=warmup, **kwargs)

    monkeypatch.setattr(JITFunction, "run", run)
    yield
