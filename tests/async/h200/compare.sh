#!/bin/bash
# Runs the kernels of tests/async/kernels on a device, natively and under compute-sanitizer's racecheck, and holds the
# results of the mended ones against what the emulator gave (EMULATED, made by emulate.sh). Needs nvcc, compute-sanitizer and
# an sm_90 device; the kernels for Blackwell are left out. Prints a table: kernel, expectation, what the device gives,
# milliseconds of a launch natively and under racecheck, what racecheck says. Four programs run at once natively, twelve
# under racecheck; one that hangs is ended. compare.sh [FILE…]: these files of kernels alone.
set -u
here=$(cd "$(dirname "$0")" && pwd) folder=$here/../kernels
. "$here/lines.sh"

milliseconds() { sed -n 's/^milliseconds: //p' "$1"; }

# One kernel, by its line of expectation: WORK FILE LINE, natively or under racecheck.
one() {
    work=$2 name=$(name_of "$3" "$4") cubin=$2/$(basename "$3").cubin kernel=$(kernel_of "$4") what=$1
    eval "set -- $(options_of "$4")"
    if [ "$what" = natively ]; then
        timeout 4 "$work/driver" "$cubin" "$kernel" "$@" 2> "$work/$name.time" | shorten "$work/$name.numbers" > "$work/$name.out"
        [ -n "$(tr -d ' \n' < "$work/$name.out")" ] || echo hangs > "$work/$name.out"
    else
        timeout 15 compute-sanitizer --tool racecheck "$work/driver" "$cubin" "$kernel" "$@" > "$work/$name.race" 2>&1
    fi
}
case ${1-} in
natively | under_racecheck)
    one "$@"
    exit 0
    ;;
esac

[ $# -gt 0 ] && files=$(for name in "$@"; do echo "$folder/$name"; done)
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
nvcc -std=c++17 -O1 -o "$work/driver" "$here/driver.cu" -lcuda || exit 2
for file in $files; do
    nvcc -std=c++17 -arch=sm_90a -lineinfo -cubin -o "$work/$(basename "$file").cubin" "$file" &
    mkdir -p "$work/$(basename "$file" | sed 's/\..*//')"
done
wait
# The lines of expectation, each behind the words of a call of this script.
for file in $files; do
    lines "$file" | while IFS= read -r line; do printf '%s\n' "$work" "$file" "$line"; done
done > "$work/lines"
xargs -d '\n' -n 3 -P 4 bash "$0" natively < "$work/lines"
xargs -d '\n' -n 3 -P 12 bash "$0" under_racecheck < "$work/lines"

printf '%-42s %-36s %-24s %-10s %-10s %s\n' kernel expected device native racecheck says
while IFS= read -r _ && IFS= read -r file && IFS= read -r line; do
    name=$(name_of "$file" "$line")
    expected=$(findings_of "$line")
    got=$(cat "$work/$name.out") says="ran"
    case $got in cu* | hangs) says=$(printf '%s' "$got" | cut -c1-60) ;; esac
    if [ "$expected" = nothing ]; then
        want=$(sed -n "s|^$name: ||p" "$here/EMULATED")
        if [ "$want" = "$got" ]; then says="as emulated"; else says="DIFFERS: $says"; fi
    fi
    check=$(sed -n 's/.*RACECHECK SUMMARY: //p' "$work/$name.race")
    printf '%-42s %-36s %-24s %-10s %-10s %s\n' "$name" "$expected" "$says" "$(milliseconds "$work/$name.time")" \
        "$(milliseconds "$work/$name.race")" "${check:-no summary}"
done < "$work/lines"
