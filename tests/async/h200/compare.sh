#!/bin/sh
# Runs the kernels of tests/async/kernels on a device, natively and under compute-sanitizer's racecheck, and holds the
# results of the mended ones against what the emulator gave (EMULATED, made by emulate.sh). Needs nvcc, compute-sanitizer and
# an sm_90 device. Prints a table: kernel, expectation, what the device gives, what racecheck says.
set -u
here=$(cd "$(dirname "$0")" && pwd) folder=$here/../kernels
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
nvcc -O1 -o "$work/driver" "$here/driver.cu" -lcuda || exit 2
for file in "$folder"/*.cu; do
    nvcc -std=c++17 -arch=sm_90a -lineinfo -cubin -o "$work/$(basename "$file").cubin" "$file" || exit 2
done
size() { printf '%s' "$1" | sed -n "s/.*--$2 \([0-9]*\).*/\1/p"; }
printf '%-28s %-40s %-22s %s\n' kernel expected device racecheck
for file in "$folder"/*.cu; do
    grep '^//: ' "$file" | while IFS= read -r line; do
        name=$(printf '%s' "$line" | cut -d' ' -f2)
        expected=$(printf '%s' "$line" | sed 's/.* => //')
        grid=$(size "$line" grid) block=$(size "$line" block)
        in=$(printf '%s' "$line" | sed -n "s/.*--arg 's32\[\([0-9]*\)\][^ ]*' --arg.*/\1/p")
        out=$(printf '%s' "$line" | sed -n "s/.*--arg 's32\[\([0-9]*\)\][^ ]*' =>.*/\1/p")
        cubin="$work/$(basename "$file").cubin"
        got=$(timeout 10 "$work/driver" "$cubin" "$name" "${grid:-1}" "$block" "$in" "$out") || got="failed: ${got:-hangs}"
        says="ran"
        case $got in failed*) says=$(printf '%s' "$got" | cut -c1-60) ;; esac
        if [ "$expected" = nothing ] && [ -f "$here/EMULATED" ]; then
            want=$(sed -n "s/^$name: //p" "$here/EMULATED")
            if [ "$want" = "$got" ]; then says="as emulated"; else says="DIFFERS"; fi
        fi
        check=$(timeout 60 compute-sanitizer --tool racecheck "$work/driver" "$cubin" "$name" "${grid:-1}" "$block" "$in" \
            "$out" 2>&1 | sed -n 's/.*RACECHECK SUMMARY: //p')
        printf '%-28s %-40s %-22s %s\n' "$name" "$expected" "$says" "${check:-no summary}"
    done
done
