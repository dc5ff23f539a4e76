#!/bin/sh
# programs.sh LOCKSTEP FILE.cu: compiles the program with nvcc, with the runtime linked in and shared, and runs it on the
# emulated device. Its comment lines say what is expected: "//: output TEXT" lines of the output in order, "//: finds
# RULE" a rule that the report names; of rules that are errors no other may be named; "//: with FILE" another file of the
# program, compiled apart and linked (-rdc).
lockstep=$1 file=$2
command -v nvcc > /dev/null || { echo "nvcc is not installed: skipped"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
status=0
fail() { echo "$name: $1"; status=1; }
sed -n 's,^//: output ,,p' "$file" > "$folder/expected"
parts=$(sed -n 's,^//: with ,,p' "$file")
[ -n "$parts" ] && parts="-rdc=true $(dirname "$file")/$parts"
for name in static shared; do
    nvcc -lineinfo -arch=sm_80 -std=c++17 -cudart $name -o "$folder/$name" "$file" $parts > "$folder/log" 2>&1 || {
        cat "$folder/log"
        exit 1
    }
    "$lockstep" run -- "$folder/$name" > "$folder/output" 2> "$folder/report" || fail "status $?"
    cmp -s "$folder/expected" "$folder/output" || {
        fail "the output is not as expected"
        diff "$folder/expected" "$folder/output"
    }
    sed -n 's,^//: finds ,,p' "$file" | while read -r rule; do
        grep -q "\[$rule\]" "$folder/report" || echo "$rule"
    done > "$folder/lacking"
    [ -s "$folder/lacking" ] && fail "not found: $(cat "$folder/lacking")"
    grep -o ': error: .*\[[a-z.-]*\]' "$folder/report" | sed 's/.*\[\(.*\)\]/\1/' | sort -u > "$folder/found"
    while read -r rule; do
        grep -q "^//: finds $rule\$" "$file" || fail "found as well: $rule"
    done < "$folder/found"
    [ $status = 0 ] || cat "$folder/report"
done
exit $status
