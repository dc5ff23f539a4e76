#!/bin/sh
# Makes the stored PTX again from its sources. Needs nvcc.
cd "$(dirname "$0")" || exit 1
for name in block grid; do
    nvcc -arch=sm_75 -lineinfo -ptx "$name.cu" -o "$name.ptx" || exit 1
    sed -i -E 's#(\.file[^"]*")[^"]*/#\1#' "$name.ptx"
done
