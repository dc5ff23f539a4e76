"""check and run."""
import contextlib
import ctypes
import os
import tempfile

from . import _library
from .report import Report

_EXTENSIONS = {"cuda": ".cu", "opencl": ".cl", "ptx": ".ptx"}


@contextlib.contextmanager
def _file(source, language, name=None):
    """The path of a source: a file, or a text, which is put into one."""
    source = os.fspath(source) if hasattr(source, "__fspath__") else source
    if not isinstance(source, str):
        raise TypeError("a source is a path or a text, not %s" % type(source).__name__)
    if "\0" in source:
        raise ValueError("a source has no null characters")
    is_text = "\n" in source or "{" in source
    if not is_text:
        yield source, {}
        return
    if not language:
        language = "ptx" if ".version" in source[:2000] and ".entry" in source else \
            "opencl" if "__kernel" in source or "kernel void" in source else "cuda"
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        name = (name or "source") + _EXTENSIONS[language]
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(source)
        yield path, {path: name}


def _size(size):
    numbers = [size] if isinstance(size, int) else [int(n) for n in size]
    if not 1 <= len(numbers) <= 3 or min(numbers) < 1 or max(numbers) >= 2**31:
        raise ValueError("a size is a number or up to three of them: %r" % (size,))
    return numbers + [1] * (3 - len(numbers))


def _options(given):
    """{'define': ['N=4'], 'timeout': 5} as the texts that the library takes."""
    texts = []
    for word, value in given.items():
        if value is None or value is False:
            continue
        if word in ("block", "grid"):
            value = ",".join(map(str, _size(value)))
        for one in value if isinstance(value, (list, tuple)) else [value]:
            texts.append("%s=%s" % (word, 1 if one is True else one))
    return texts


def check(source, *, language=None, **options):
    """Verifies every kernel of a file, or of a text (with `language`: cuda, opencl, ptx).

    Options: kernel, block, grid, assume, size, bounds, define, include_dir, include, std, arch, compile_commands, timeout.
    """
    with _file(source, language) as (path, replaced):
        return Report(_library.flat_check(path, _options(options)), replaced)


class _Arguments:
    """Kernel arguments as the library takes them; what they point to is kept alive here."""

    def __init__(self):
        self.items, self.kept, self.back = [], [], []

    def _scalar(self, kind, value, name):
        self.kept.append(value)
        self.items.append((kind, ctypes.addressof(value), ctypes.sizeof(value), name))

    def add(self, value, name=None):
        import numpy
        if isinstance(value, numpy.ndarray):
            self._array(value, name)
        elif isinstance(value, numpy.generic):
            self._scalar(_library.BYTES, ctypes.create_string_buffer(value.tobytes(), value.nbytes), name)
        elif isinstance(value, (bool, int)) and -(2**63) <= value < 2**64:
            self._scalar(_library.INTEGER, ctypes.c_uint64(int(value) & (2**64 - 1)), name)
        elif isinstance(value, float):
            self._scalar(_library.REAL, ctypes.c_double(value), name)
        elif isinstance(value, (bytes, bytearray)):
            self._scalar(_library.BYTES, ctypes.create_string_buffer(bytes(value), len(value)), name)
        elif value is None:
            self._scalar(_library.INTEGER, ctypes.c_uint64(0), name)
        else:
            raise TypeError("an argument is a NumPy array, a number or bytes, not %s" % type(value).__name__)

    def _array(self, array, name):
        import numpy
        if array.dtype.hasobject:
            raise TypeError("an array of Python objects is no memory of a kernel")
        used = array
        if not array.flags.c_contiguous:
            used = numpy.ascontiguousarray(array)
            self.back.append((array, used))
        elif not array.flags.writeable:
            used = array.copy()
        self.memory(used.ctypes.data, used.nbytes, name, used)

    def memory(self, address, size, name, keep):
        self.kept.append(keep)
        self.items.append((_library.MEMORY, address, size, name))

    def address(self, address, name=None):
        """A pointer into memory that another argument has."""
        self._scalar(_library.BYTES, ctypes.c_uint64(address), name)

    def write_back(self):
        for array, used in self.back:
            if array.flags.writeable:
                array[...] = used


def run(source, grid, block, args=(), *, kernel=None, language=None, names=None, **options):
    """Runs a kernel in the emulator, with all checkers, on NumPy arrays in place.

    args: arrays (pointers), numbers, None (a null pointer), in the order of the parameters; a NumPy scalar is passed as
    the bytes that it has. Options: shared, schedule ('rr', 'reverse', 'random'), seed, check, timeout, define, include_dir,
    std, arch, missing ('zero': parameters behind the last argument are 0).
    """
    arguments = _Arguments()
    for i, value in enumerate(args):
        arguments.add(value, names[i] if names else None)
    with _file(source, language) as (path, replaced):
        text = _library.flat_run(path, kernel, _size(grid), _size(block), arguments.items, _options(options))
    arguments.write_back()
    return Report(text, replaced)
