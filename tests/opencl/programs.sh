#!/bin/sh
# programs.sh LOCKSTEP FILE.c: compiles the program with cc and runs it on the emulated device, with Lockstep's own
# libOpenCL.so.1 and, where an ICD loader is installed, through that. Its comment lines say what is expected
# (../cuda/expected.sh).
lockstep=$1 file=$2
library=$(dirname "$lockstep")/liblockstep-opencl.so
[ -f "$library" ] || { echo "OpenCL's headers were not installed at the build: skipped"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
status=0
. "$(dirname "$0")/../cuda/expected.sh"
cc -g -o "$folder/program" "$file" "$library" -lpthread -lm > "$folder/log" 2>&1 || {
    cat "$folder/log"
    exit 1
}
check "own library" -- "$folder/program"
# With a run path of the old kind, a program finds its own loader before others; that finds the platform.
loader=$(ldconfig -p 2> /dev/null | sed -n 's,.*libOpenCL\.so\.1 .*=> ,,p' | head -n 1)
if [ -n "$loader" ]; then
    cc -g -o "$folder/loaded" "$file" "$loader" -lpthread -lm -Wl,--disable-new-dtags,-rpath,"$(dirname "$loader")" &&
        check "ICD loader" -- "$folder/loaded"
fi
exit $status
