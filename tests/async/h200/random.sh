#!/bin/sh
# Random kernels (random.py) on a device and in the emulator, bit for bit: random.sh LOCKSTEP FILES SEED [JOBS], 25 kernels in
# a file. The emulator runs each with all checks in order, and without in the two other orders and times of the copies.
# Prints a line for each kernel that differs, hangs, or in which something is found, and how many there were.
set -u
here=$(cd "$(dirname "$0")" && pwd)

one() { # WORK LOCKSTEP LINE: a kernel by its line of expectation
    work=$1 lockstep=$2 line=$3
    name=$(printf '%s' "$line" | cut -d' ' -f2) file=$work/$(printf '%s' "$line" | cut -d' ' -f2 | cut -d_ -f1)
    eval "set -- $(printf '%s' "$line" | sed 's/^[^ ]* [^ ]* //; s/ => .*//; s/--arch sm_90a//')"
    timeout 20 "$work/driver" "$file.cubin" "$name" "$@" 2> /dev/null | tr -s ' \n' '\n' > "$work/$name.device"
    for how in rr reverse random:1; do
        check=none
        [ $how = rr ] && check=all
        timeout 120 "$lockstep" run --check $check --schedule $how "$file.ptx" -k "$name" "$@" --dump "1=$work/$name.raw" > "$work/$name.$how" 2>&1
        od -An -v -t d4 "$work/$name.raw" | tr -s ' \n' '\n' | sed 1d > "$work/$name.got"
        if ! cmp -s "$work/$name.got" "$work/$name.device"; then echo "$name: $how differs"; fi
    done
    grep -h -E 'error:|async\.|race\.' "$work/$name.rr" | sed "s/^/$name: /" | head -2
    rm -f "$work/$name".*
    echo "$name: done"
}
if [ "$1" = one ]; then
    shift
    one "$@"
    exit 0
fi

lockstep=$1 files=$2 seed=$3 jobs=${4:-4}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cp "$here/../kernels/async.h" "$work"
nvcc -std=c++17 -O1 -o "$work/driver" "$here/driver.cu" -lcuda || exit 2
for n in $(seq "$files"); do python3 "$here/random.py" 25 $((seed + n)) > "$work/k$((seed + n)).cu"; done
ls "$work"/*.cu | sed 's/\.cu$//' | xargs -P "$jobs" -I{} sh -c \
    "nvcc -w -std=c++17 -arch=sm_90a -cubin -o {}.cubin {}.cu && '$lockstep' ptx --as-run --arch sm_90a {}.cu > {}.ptx"
grep -h '^//: ' "$work"/*.cu > "$work/lines"
xargs -d '\n' -n 1 -P "$jobs" sh "$0" one "$work" "$lockstep" < "$work/lines" > "$work/all"
grep -v ': done$' "$work/all"
echo "$(grep -c ': done$' "$work/all") kernels, $(grep -c ' differs$' "$work/all") results differ"
