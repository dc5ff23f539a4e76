"""Checks GPU kernels without a GPU: docs/python.md.

    report = lockstep.check("scan.cu")                      # proofs, or how they fail
    report = lockstep.run("scale.cu", 4, 256, [x, y, 1000]) # in the emulator; NumPy arrays in place
    for finding in report.findings: print(finding)
"""
from ._library import LibraryMissing, version
from .core import check, run
from .report import Finding, Found, Kernel, Report

__all__ = ["check", "run", "version", "Finding", "Found", "Kernel", "LibraryMissing", "Report"]
__version__ = "0.1.0"
