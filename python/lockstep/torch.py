"""Kernels that PyTorch's Inductor makes: each Triton kernel of a compiled function is checked as it is launched.

    with lockstep.torch.checking() as reports:
        torch.compile(f)(x)
    for report in reports: print(report)

Inductor launches through its own autotuner; its launches are looked at there, with the arguments that they get.
"""
import contextlib

from .triton import Storages, _is_tensor, check_compiled


def _heuristics():
    from torch._inductor.runtime import triton_heuristics
    return triton_heuristics.CachingAutotuner


def _static_launcher():
    """Inductor's configuration, where it can launch kernels without Triton's own launcher; else None."""
    from torch._inductor import config
    return config if hasattr(config, "use_static_cuda_launcher") else None


def _numbers(value):
    return value if isinstance(value, int) else int(value)


def _look(tuner, args, kwargs, reports, raising):
    """The launch that the autotuner is about to make: its first (or chosen) configuration."""
    launcher = tuner.launchers[0]
    compiled = getattr(launcher, "bin", None) or tuner.compile_results[0].kernel
    if hasattr(compiled, "result") and not hasattr(compiled, "asm"):
        compiled = compiled.result()
    names = list(tuner.fn.arg_names)
    config = dict(getattr(launcher.config, "kwargs", {}))
    bound = dict(zip([n for n in names if n not in config], args))
    bound.update(config)
    signature = compiled.src.signature
    named = [(n, bound.get(n)) for n in names if signature.get(n, "constexpr") != "constexpr"]
    grid = _grid(tuner, launcher, bound, kwargs)
    report = check_compiled(compiled, grid, named, storages=Storages())
    reports.append(report)
    if raising:
        report.raise_for_findings()


def _grid(tuner, launcher, bound, kwargs):
    grid = kwargs.get("grid")
    if callable(grid):
        grid = grid(bound)
    if grid is None:
        expression = getattr(launcher, "grid_fn", None) or getattr(launcher, "_grid", None)
        if expression is None:
            meta = dict(bound)
            xnumel, block = meta.get("xnumel"), meta.get("XBLOCK", 1)
            if xnumel is None:
                raise ValueError("the grid of this launch is not known")
            return (-(-_numbers(xnumel) // block), 1, 1)
        grid = expression(*[v for v in bound.values() if not _is_tensor(v)])
    return tuple(_numbers(n) for n in (list(grid) + [1, 1])[:3])


@contextlib.contextmanager
def checking(raising=False):
    """While it lasts, Inductor's launches are checked; what was found is in the list. raising: at the first finding."""
    tuner, reports = _heuristics(), []
    original = tuner.run
    static, kept = _static_launcher(), None
    if static is not None: # it keeps machine code alone
        kept, static.use_static_cuda_launcher = static.use_static_cuda_launcher, False

    def run(self, *args, **kwargs):
        result = original(self, *args, **{k: v for k, v in kwargs.items()})
        _look(self, args, kwargs, reports, raising)
        return result

    tuner.run = run
    try:
        yield reports
    finally:
        tuner.run = original
        if static is not None:
            static.use_static_cuda_launcher = kept
