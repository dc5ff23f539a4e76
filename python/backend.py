"""Makes the wheel (PEP 517) with nothing but Python: the files of the package and what pip wants to know of them. With
LOCKSTEP_LIBRARY set, that liblockstep.so and the headers for kernels go into the wheel, which then is for this kind of machine only."""
import base64
import hashlib
import os
import sysconfig
import tarfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
NAME, VERSION = "lockstep_gpu", "0.1.0"
METADATA = """Metadata-Version: 2.1
Name: lockstep-gpu
Version: %s
Summary: Checks GPU kernels (CUDA, OpenCL, PTX, Triton) without a GPU: races, barriers, bounds
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
""" % VERSION
ENTRY_POINTS = "[pytest11]\nlockstep = lockstep.pytest_plugin\n"


def _modules():
    folder = os.path.join(HERE, "lockstep")
    return sorted(name for name in os.listdir(folder) if name.endswith(".py"))


def _library():
    return os.environ.get("LOCKSTEP_LIBRARY")


def _tag():
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_") if _library() else "py3-none-any"


def _headers(folder):
    """What kernels include: it goes with the library, where this is the repository."""
    found = []
    for place, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(place, name)
            with open(path, "rb") as file:
                found.append(("lockstep/share/" + os.path.relpath(path, folder), file.read()))
    return found


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tag = _tag()
    wheel = "%s-%s-%s.whl" % (NAME, VERSION, tag)
    info = "%s-%s.dist-info" % (NAME, VERSION)
    files = []
    for name in _modules():
        with open(os.path.join(HERE, "lockstep", name), "rb") as file:
            files.append(("lockstep/" + name, file.read()))
    if _library():
        with open(_library(), "rb") as file:
            files.append(("lockstep/liblockstep.so", file.read()))
        files += _headers(os.path.join(HERE, "..", "share", "lockstep"))
    pure = "false" if _library() else "true"
    files += [(info + "/METADATA", METADATA.encode()), (info + "/entry_points.txt", ENTRY_POINTS.encode()),
              (info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: lockstep\nRoot-Is-Purelib: %s\nTag: %s\n" %
                                 (pure, tag)).encode())]
    record = ""
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files:
            out.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += "%s,sha256=%s,%d\n" % (name, digest, len(data))
        out.writestr(info + "/RECORD", record + info + "/RECORD,,\n")
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    base = "%s-%s" % (NAME, VERSION)
    with tarfile.open(os.path.join(sdist_directory, base + ".tar.gz"), "w:gz") as out:
        for name in ["pyproject.toml", "README.md", "backend.py"] + ["lockstep/" + m for m in _modules()]:
            out.add(os.path.join(HERE, name), base + "/" + name)
    return base + ".tar.gz"
