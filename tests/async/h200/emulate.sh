#!/bin/sh
# What the emulator gives for the mended kernels, a line each: emulate.sh LOCKSTEP > EMULATED, for compare.sh.
set -u
lockstep=$1 folder=$(dirname "$0")/../kernels work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in $(ls "$folder"/*.cu | grep -v 'blackwell\|pipeline\|epilogue\|groups'); do
    "$lockstep" ptx --as-run --arch sm_90a "$file" > "$work/kernels.ptx" || exit 2
    grep '^//: .* => nothing' "$file" | grep -v -e '--arg [0-9]' | sed 's/ => nothing//; s/^\/\/: //; s/--arch sm_90a//' | while IFS= read -r line; do
        name=${line%% *}
        eval "set -- ${line#* }"
        "$lockstep" run --check none --quiet "$work/kernels.ptx" -k "$name" "$@" --print 1 2> /dev/null |
            sed -n "s/^[^ ]*: s32\[[0-9]*\] = */$name: /p"
    done
done
