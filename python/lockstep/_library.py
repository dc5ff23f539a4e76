"""liblockstep.so through ctypes: the flat functions of lockstep/flat.h."""
import ctypes
import ctypes.util
import os
import shutil

BYTES, MEMORY, INTEGER, REAL = range(4)  # ls_flat_kind


class LibraryMissing(ImportError):
    """liblockstep.so is not found, or has not what is needed."""


def _candidates():
    here = os.path.dirname(os.path.abspath(__file__))
    if os.environ.get("LOCKSTEP_LIBRARY"):
        yield os.environ["LOCKSTEP_LIBRARY"]
        return
    yield os.path.join(here, "liblockstep.so")
    yield os.path.join(here, "..", "..", "build", "liblockstep.so")
    command = shutil.which("lockstep")
    if command:
        folder = os.path.dirname(os.path.realpath(command))
        yield os.path.join(folder, "liblockstep.so")
        yield os.path.join(folder, "..", "lib", "liblockstep.so")
    found = ctypes.util.find_library("lockstep")
    if found:
        yield found


def _name_headers(folder):
    """The headers that kernels include, beside a library that was installed."""
    for place in ("share", os.path.join("..", "share", "lockstep")):
        if os.path.exists(os.path.join(folder, place, "lockstep.h")):
            os.environ.setdefault("LOCKSTEP_SHARE", os.path.join(folder, place))


def _load():
    tried = []
    for path in _candidates():
        if os.sep in path and not os.path.exists(path):
            tried.append(path)
            continue
        _name_headers(os.path.dirname(os.path.realpath(path)))
        try:
            return ctypes.CDLL(path)
        except OSError as error:
            tried.append("%s (%s)" % (path, error))
    raise LibraryMissing("liblockstep.so is not found: build Lockstep (./dev build), install it, or set "
                         "LOCKSTEP_LIBRARY; tried: " + ", ".join(tried))


_loaded = None


def library():
    """The library, loaded at the first use."""
    global _loaded
    if _loaded:
        return _loaded
    loaded = _load()
    if not hasattr(loaded, "ls_flat_run"):
        raise LibraryMissing("this liblockstep.so is older than the package: it has no ls_flat_run")
    texts, numbers = ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_uint32)
    loaded.ls_version.restype = ctypes.c_char_p
    loaded.ls_flat_free.argtypes = [ctypes.c_void_p]
    loaded.ls_flat_run.restype = ctypes.c_void_p
    loaded.ls_flat_run.argtypes = [ctypes.c_char_p, ctypes.c_char_p, numbers, numbers, ctypes.POINTER(ctypes.c_uint8),
                                   ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_uint64), texts,
                                   ctypes.c_uint32, texts, ctypes.c_uint32]
    if hasattr(loaded, "ls_flat_check"):
        loaded.ls_flat_check.restype = ctypes.c_void_p
        loaded.ls_flat_check.argtypes = [ctypes.c_char_p, texts, ctypes.c_uint32]
    _loaded = loaded
    return loaded


def version():
    """The library's version."""
    return library().ls_version().decode()


def can_verify():
    """Whether the library was built with the verifier (Z3)."""
    return hasattr(library(), "ls_flat_check")


def _texts(items):
    return (ctypes.c_char_p * max(1, len(items)))(*[None if i is None else i.encode() for i in items])


def _take(pointer):
    try:
        return ctypes.string_at(pointer).decode("utf-8", "replace")
    finally:
        library().ls_flat_free(pointer)


def flat_check(path, options):
    if not can_verify():
        raise LibraryMissing("this liblockstep.so was built without the verifier (Z3): use lockstep.run")
    return _take(library().ls_flat_check(path.encode(), _texts(options), len(options)))


def flat_run(path, kernel, grid, block, arguments, options):
    """arguments: (kind, address, bytes, name) each."""
    count = len(arguments)
    kinds = (ctypes.c_uint8 * max(1, count))(*[a[0] for a in arguments])
    data = (ctypes.c_void_p * max(1, count))(*[a[1] for a in arguments])
    sizes = (ctypes.c_uint64 * max(1, count))(*[a[2] for a in arguments])
    three = ctypes.c_uint32 * 3
    return _take(library().ls_flat_run(path.encode(), kernel.encode() if kernel else None, three(*grid), three(*block),
                                       kinds, data, sizes, _texts([a[3] for a in arguments]), count, _texts(options),
                                       len(options)))
