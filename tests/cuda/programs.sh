#!/bin/sh
# programs.sh LOCKSTEP FILE.cu: compiles the program with nvcc, with the runtime linked in and shared, and runs it on the
# emulated device. Its comment lines say what is expected (expected.sh); "//: with FILE" is another file of the program,
# compiled apart and linked (-rdc).
lockstep=$1 file=$2
command -v nvcc > /dev/null || { echo "nvcc is not installed: skipped"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
status=0
. "$(dirname "$0")/expected.sh"
parts=$(sed -n 's,^//: with ,,p' "$file")
[ -n "$parts" ] && parts="-rdc=true $(dirname "$file")/$parts"
for how in static shared; do
    nvcc -lineinfo -arch=sm_80 -std=c++17 -cudart $how -o "$folder/$how" "$file" $parts > "$folder/log" 2>&1 || {
        cat "$folder/log"
        exit 1
    }
    check $how "$folder/$how"
done
exit $status
