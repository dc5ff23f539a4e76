#!/bin/sh
# run.sh SOURCE LIBRARY: the tests of the Python package, with the first python3 that has NumPy; skipped (77) where none has.
for python in python3 /usr/bin/python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        LOCKSTEP_LIBRARY=$2 PYTHONPATH=$1/python PYTHONDONTWRITEBYTECODE=1 exec "$python" "$1/tests/python/test_package.py"
    fi
done
echo "skipped: no python3 with NumPy (Debian: python3-numpy)"
exit 77
