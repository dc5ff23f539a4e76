#!/bin/sh
# Kernels of one file through `lockstep run`: kernels.sh LOCKSTEP FILE. A comment in front of each kernel says
# how it is run and what is reported, no more and no less:
#     //: KERNEL OPTIONS… => nothing
#     //: KERNEL OPTIONS… => race.shared w r, memory.bounds x
# The letters are marks at the ends of lines, "// [w]"; two of them are the two lines of one finding, in any
# order. Rules with "?" behind the second mark may name the first one only.
lockstep=$1 file=$2
failed=0
line_of() { grep -nF "[$1]" "$file" | head -1 | cut -d: -f1; }
# "RULE LINE LINE" for each error and warning of the text report, its lines in ascending order
found() {
    awk -v file="$file" '
        function flush() { if (rule == "") return
            if (other == 0) other = at
            print rule, (at < other ? at : other), (at < other ? other : at); rule = "" }
        index($0, file ":") == 1 {
            rest = substr($0, length(file) + 2); n = rest + 0
            if (rest ~ /^[0-9]+:([0-9]+:)? (error|warning): .*\[[a-z.-]+\]/) {
                flush(); at = n; other = 0; rule = rest; sub(/\].*/, "", rule); sub(/.*\[/, "", rule)
            } else if (rest ~ /^[0-9]+:([0-9]+:)? note: .*\[[a-z.-]+\]/) { flush()
            } else if (rest ~ /^[0-9]+:([0-9]+:)? note:/) { if (rule != "" && other == 0) other = n }
        }
        END { flush() }' | sort -u
}
wanted() { # EXPECTATION
    [ "$1" = nothing ] && return
    printf '%s\n' "$1" | tr ',' '\n' | while read -r rule first second; do
        a=$(line_of "$first") b=$(line_of "${second:-$first}")
        [ -n "$a" ] && [ -n "$b" ] || { echo "no mark $first $second"; continue; }
        if [ "$a" -le "$b" ]; then echo "$rule $a $b"; else echo "$rule $b $a"; fi
    done | sort -u
}
try() { # KERNEL OPTIONS EXPECTATION MORE
    output=$(eval "\"\$lockstep\" run --color never -j1 --timeout 60 --check race,barrier,bounds,align,uninit" \
        "\"\$file\" --kernel $1 $2 $4" 2>&1)
    got=$?
    is=$(printf '%s\n' "$output" | found)
    want=$(wanted "$3")
    status=1
    [ "$3" = nothing ] && status=0
    if [ "$is" != "$want" ] || [ "$got" != $status ]; then
        failed=1
        printf 'FAILED %s %s (status %s)\n--- expected\n%s\n--- found\n%s\n--- output\n%s\n' "$1" "$4" "$got" \
            "$want" "$is" "$output"
    else
        printf 'ok %s %s\n' "$1" "$4"
    fi
}
while IFS= read -r line; do
    case $line in //:*) ;; *) continue ;; esac
    line=${line#//: }
    kernel=${line%% *} rest=${line#* }
    options=${rest%%=> *} expected=${rest##*=> }
    try "$kernel" "$options" "$expected" ''
    [ "$expected" = nothing ] && try "$kernel" "$options" "$expected" '--schedule reverse'
done <"$file"
exit $failed
