"""Triton kernels: what the compiler made of them (PTX) is run in the emulator with the arguments at hand.

    @lockstep.triton.checked          # above @triton.jit
    @triton.jit
    def kernel(...): ...

    kernel[grid](x, y, n)             # raises lockstep.Found where something is found; then runs as always

    report = lockstep.triton.check(kernel, grid, x, y, n, BLOCK=128)   # only checks; tensors stay as they are
"""
import functools
import re

from . import _library
from .core import _Arguments, _file, _options
from .report import Report


class Storages:
    """Copies of tensors' memory on the host: one for each storage, so that views stay views of one memory."""

    def __init__(self):
        self.copies = {}

    def add(self, arguments, tensor, name):
        storage = tensor.untyped_storage()
        key = storage.data_ptr()
        offset = tensor.storage_offset() * tensor.element_size()
        if key in self.copies:
            arguments.address(self.copies[key].ctypes.data + offset, name)
            return
        import torch
        whole = torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)
        self.copies[key] = copy = whole.cpu().numpy().copy()
        if offset == 0:
            arguments.memory(copy.ctypes.data, copy.nbytes, name, copy)
        else:  # what lies before it is the same storage's, and may be used through it
            arguments.memory(copy.ctypes.data + offset, copy.nbytes - offset, name, copy)

    def of(self, tensor):
        """What the run has left of a tensor, as a tensor on the host."""
        import torch
        copy = torch.from_numpy(self.copies[tensor.untyped_storage().data_ptr()])
        return copy.view(tensor.dtype).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def _is_tensor(value):
    return hasattr(value, "data_ptr") and hasattr(value, "untyped_storage")


def _parameters(ptx, name):
    """The types of the parameters of an entry: ['u64', 'u32', …]."""
    match = re.search(r"\.entry\s+%s\s*\((.*?)\)" % re.escape(name), ptx, re.S)
    if not match:
        raise ValueError("the PTX has no entry '%s'" % name)
    return re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?\.(\w+)", match.group(1))


def _entry(compiled, ptx):
    metadata = getattr(compiled, "metadata", None)
    name = getattr(metadata, "name", None) or getattr(compiled, "name", None)
    if name and re.search(r"\.entry\s+%s\s*\(" % re.escape(name), ptx):
        return name
    return re.search(r"\.entry\s+([\w$]+)", ptx).group(1)


def _runtime_arguments(compiled, names, values):
    """The arguments that are parameters of the PTX: constants, and what the compiler took for one, are not."""
    source = getattr(compiled, "src", None)
    signature = getattr(source, "signature", {}) or {}
    constants = getattr(source, "constants", {}) or {}
    fixed = {names[k[0]] if isinstance(k, tuple) and len(k) == 1 and isinstance(k[0], int) else
             names[k] if isinstance(k, int) else k for k in constants}
    chosen = []
    for i, (name, value) in enumerate(zip(names, values)):
        kind = signature.get(name, signature.get(i))
        if kind == "constexpr" or name in fixed:
            continue
        chosen.append((name, value))
    return chosen


def check_compiled(compiled, grid, named, *, storages=None, **options):
    """Runs what Triton compiled with the arguments [(name, value), …] that are its parameters."""
    ptx = compiled.asm["ptx"]
    metadata = compiled.metadata
    entry = _entry(compiled, ptx)
    types = _parameters(ptx, entry)
    if len(named) > len(types):  # numbers that are 1 may have become constants
        named = [(n, v) for n, v in named if not (isinstance(v, int) and not isinstance(v, bool) and v == 1)]
    if len(named) > len(types):
        raise ValueError("the PTX has %d parameters, and %d arguments are left" % (len(types), len(named)))
    arguments, storages = _Arguments(), storages or Storages()
    for name, value in named:
        if _is_tensor(value):
            storages.add(arguments, value, name)
        else:
            arguments.add(value, name)
    warps = getattr(metadata, "num_warps", 4)
    shared = getattr(metadata, "shared", 0) or 0
    three = list(grid) + [1] * (3 - len(grid))
    scratch = getattr(metadata, "global_scratch_size", 0) or 0  # of each program: the parameter behind the last
    if scratch and len(named) < len(types):
        import numpy
        arguments.add(numpy.zeros(scratch * three[0] * three[1] * three[2], dtype=numpy.uint8), "scratch")
    options = {"missing": "zero", "shared": shared, **options}
    with _file(ptx, "ptx", entry) as (path, replaced):
        text = _library.flat_run(path, entry, three, [32 * warps, 1, 1], arguments.items, _options(options))
    return Report(text, replaced)


def check(kernel, grid, *args, storages=None, options=None, **kwargs):
    """Compiles a @triton.jit kernel for these arguments, without launching it, and checks that in the emulator."""
    kernel = getattr(kernel, "unchecked", kernel)
    while not hasattr(kernel, "warmup") and hasattr(kernel, "fn"):  # autotuners and heuristics wrap the kernel
        kernel = kernel.fn
    launch = {k: v for k, v in kwargs.items() if k in ("num_warps", "num_stages", "num_ctas", "maxnreg")}
    names = list(kernel.arg_names)
    bound = dict(zip(names, args))
    bound.update({k: v for k, v in kwargs.items() if k in names})
    for parameter in getattr(kernel, "params", []):
        if parameter.name not in bound and getattr(parameter, "has_default", False):
            bound[parameter.name] = parameter.default
    shape = grid(bound) if callable(grid) else grid
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    constants = {k: v for k, v in kwargs.items() if k in names}
    compiled = kernel.warmup(*args, grid=shape, **constants, **launch)
    if hasattr(compiled, "result") and not hasattr(compiled, "asm"):
        compiled = compiled.result()
    named = _runtime_arguments(compiled, names, [bound.get(n) for n in names])
    return check_compiled(compiled, shape, named, storages=storages, **(options or {}))


class checked:
    """Above @triton.jit: every launch is checked first, and raises lockstep.Found where something is found.

    `enabled` switches it off; `once` (the default) checks a launch of the same shapes and types only once."""

    enabled = True

    def __init__(self, kernel, once=True):
        self.unchecked, self.once, self.seen = kernel, once, set()
        functools.update_wrapper(self, kernel, updated=())

    def __getattr__(self, name):
        return getattr(self.unchecked, name)

    @staticmethod
    def _kind(value):
        return (tuple(value.shape), tuple(value.stride()), str(value.dtype)) if _is_tensor(value) else value

    def __getitem__(self, grid):
        def launch(*args, **kwargs):
            key = (tuple(map(self._kind, args)), tuple(sorted((k, self._kind(v)) for k, v in kwargs.items())))
            if checked.enabled and not (self.once and key in self.seen):
                check(self.unchecked, grid, *args, **kwargs).raise_for_findings()
                self.seen.add(key)
            return self.unchecked[grid](*args, **kwargs)
        return launch
