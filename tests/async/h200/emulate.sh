#!/bin/bash
# What the emulator gives for the mended kernels, a line each: emulate.sh LOCKSTEP > EMULATED, for compare.sh.
set -u
lockstep=$1 folder=$(dirname "$0")/../kernels work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "$0")/lines.sh"

# The options that write the buffers which are not inputs to files, out0 and so on, in order.
dumps() {
    local n=0
    while [ $# -gt 1 ]; do
        if [ "$1" = --arg ]; then
            case $2 in *=iota) ;; *'['*) echo "--dump $n=$work/out$n" ;; esac
            n=$((n + 1))
        fi
        shift
    done
}

for file in $files; do
    ptx=$work/kernels.ptx
    case $file in *.ptx) cp "$file" "$ptx" ;; *) "$lockstep" ptx --as-run --arch sm_90a "$file" > "$ptx" || exit 2 ;; esac
    lines "$file" | grep ' => nothing$' | while IFS= read -r line; do
        eval "set -- $(options_of "$line")"
        "$lockstep" run --check none --quiet "$ptx" -k "$(kernel_of "$line")" "$@" $(dumps "$@") > /dev/null 2>&1
        printf '%s: ' "$(name_of "$file" "$line")"
        od -An -v -t d4 $(dumps "$@" | sed 's/.*=//') | shorten "$work/numbers"
        rm -f "$work"/out*
    done
done
