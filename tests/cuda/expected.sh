# Sourced by programs.sh, with $lockstep, $file and $folder: runs a program on the emulated device and compares with
# what the comment lines of its source say: "//: output TEXT" lines of the output in order, "//: finds RULE" a rule that
# the report names, "//: says TEXT" a text in it; of rules that are errors no other may be named.
sed -n 's,^//: output ,,p' "$file" > "$folder/expected"
fail() { echo "$1"; status=1; }
# check NAME -- PROGRAM…, or what else `lockstep run` takes
check() {
    name=$1
    shift
    "$lockstep" run "$@" > "$folder/output" 2> "$folder/report" || fail "$name: status $?"
    cmp -s "$folder/expected" "$folder/output" || {
        fail "$name: the output is not as expected"
        diff "$folder/expected" "$folder/output"
    }
    sed -n 's,^//: finds ,,p' "$file" | while read -r rule; do
        grep -q "\[$rule\]" "$folder/report" || echo "$rule"
    done > "$folder/lacking"
    sed -n 's,^//: says ,,p' "$file" | while read -r text; do
        grep -q -F -- "$text" "$folder/report" || echo "$text"
    done >> "$folder/lacking"
    [ -s "$folder/lacking" ] && fail "$name: not found: $(cat "$folder/lacking")"
    grep -o ': error: .*\[[a-z.-]*\]' "$folder/report" | sed 's/.*\[\(.*\)\]/\1/' | sort -u > "$folder/found"
    while read -r rule; do
        grep -q "^//: finds $rule\$" "$file" || fail "$name: found as well: $rule"
    done < "$folder/found"
    [ $status = 0 ] || cat "$folder/report"
}
