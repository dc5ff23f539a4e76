#!/bin/sh
# Runs the kernels of tests/async/kernels on a device, natively and under compute-sanitizer's racecheck, and holds the
# results of the mended ones against what the emulator gave (EMULATED, made by emulate.sh). Needs nvcc, compute-sanitizer and
# an sm_90 device; blackwell.cu, pipeline.cu and epilogue.cu with their tensor maps, groups.cu and kernels with other arguments than `in` and `out` are left out. Prints a table: kernel, expectation, what the device gives, milliseconds of a launch natively and under
# racecheck, what racecheck says. Four programs run at once natively, twelve under racecheck.
set -u
here=$(cd "$(dirname "$0")" && pwd) folder=$here/../kernels

size() { printf '%s' "$1" | sed -n "s/.*--$2 \([0-9]*\).*/\1/p"; }
milliseconds() { sed -n 's/^milliseconds: //p' "$1"; }

# One kernel, by its line of expectation: WORK FILE LINE, natively or under racecheck.
arguments() {
    name=$(printf '%s' "$3" | cut -d' ' -f2)
    grid=$(size "$3" grid)
    in=$(printf '%s' "$3" | sed -n "s/.*--arg 's32\[\([0-9]*\)\][^ ]*' --arg.*/\1/p")
    out=$(printf '%s' "$3" | sed -n "s/.*--arg 's32\[\([0-9]*\)\][^ ]*' =>.*/\1/p")
    set -- "$1/$(basename "$2").cubin" "$name" "${grid:-1}" "$(size "$3" block)" "$in" "$out"
    words=$*
}
natively() {
    arguments "$@"
    timeout 4 "$1/driver" $words > "$1/$name.out" 2> "$1/$name.time" || [ -s "$1/$name.out" ] || echo hangs > "$1/$name.out"
}
under_racecheck() {
    arguments "$@"
    timeout 15 compute-sanitizer --tool racecheck "$1/driver" $words > "$1/$name.race" 2>&1
}
case ${1-} in
natively | under_racecheck)
    what=$1 && shift
    $what "$@"
    exit 0
    ;;
esac

work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
nvcc -O1 -o "$work/driver" "$here/driver.cu" -lcuda || exit 2
files=$(ls "$folder"/*.cu | grep -v 'blackwell\|pipeline\|epilogue\|groups')
for file in $files; do
    nvcc -std=c++17 -arch=sm_90a -lineinfo -cubin -o "$work/$(basename "$file").cubin" "$file" &
done
wait
# The lines of expectation, each behind the words of a call of this script.
for file in $files; do
    grep '^//: ' "$file" | grep -v '^//: verify \|--arg [0-9]' | while IFS= read -r line; do printf '%s\n' "$work" "$file" "$line"; done
done > "$work/lines"
xargs -d '\n' -n 3 -P 4 sh "$0" natively < "$work/lines"
xargs -d '\n' -n 3 -P 12 sh "$0" under_racecheck < "$work/lines"

printf '%-28s %-36s %-24s %-10s %-10s %s\n' kernel expected device native racecheck says
while IFS= read -r _ && IFS= read -r _ && IFS= read -r line; do
    name=$(printf '%s' "$line" | cut -d' ' -f2)
    expected=$(printf '%s' "$line" | sed 's/.* => //')
    got=$(cat "$work/$name.out") says="ran"
    case $got in cu* | hangs) says=$(printf '%s' "$got" | cut -c1-60) ;; esac
    if [ "$expected" = nothing ]; then
        want=$(sed -n "s/^$name: //p" "$here/EMULATED")
        if [ "$want" = "$got" ]; then says="as emulated"; else says="DIFFERS: $says"; fi
    fi
    check=$(sed -n 's/.*RACECHECK SUMMARY: //p' "$work/$name.race")
    printf '%-28s %-36s %-24s %-10s %-10s %s\n' "$name" "$expected" "$says" "$(milliseconds "$work/$name.time")" \
        "$(milliseconds "$work/$name.race")" "${check:-no summary}"
done < "$work/lines"
