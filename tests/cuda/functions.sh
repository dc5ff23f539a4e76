#!/bin/sh
# functions.sh LIBRARY: every function that a CUDA toolkit's runtime has, and every function of the driver that the linked
# runtime asks for by name, is in the library, if only to say that it is not there. Skipped without a toolkit.
library=$1
toolkit=$(command -v nvcc) && toolkit=$(dirname "$(dirname "$(readlink -f "$toolkit")")")
set -- "$toolkit"/lib64/libcudart.so.* "$toolkit"/lib64/libcudart_static.a
[ -r "$1" ] && [ -r "$2" ] && command -v nm > /dev/null || { echo "no CUDA toolkit: skipped"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
nm -D --defined-only "$library" | awk '{ print $3 }' | tee "$folder/all" | sed 's/_v[0-9]$//' > "$folder/names"
sort -u "$folder/all" "$folder/names" > "$folder/ours"
{
    nm -D --defined-only "$1" | awk '{ print $3 }' | sed 's/@.*//' | grep '^_*cuda'
    grep -a -o -E '\<cu[A-Z][A-Za-z0-9]{3,60}\>' "$2" | tr '\0' '\n'
} | sort -u > "$folder/asked"
comm -23 "$folder/asked" "$folder/ours" > "$folder/lacking"
[ -s "$folder/lacking" ] && { echo "not there:"; cat "$folder/lacking"; exit 1; }
echo "$(wc -l < "$folder/asked") functions are there"
