#!/bin/sh
# Makes the stored PTX again from its sources. Needs nvcc.
cd "$(dirname "$0")" || exit 1
for name in block grid again watch calls; do
    nvcc -arch=sm_75 -lineinfo -ptx "$name.cu" -o "$name.ptx" || exit 1
    sed -i -E 's#(\.file[^"]*")[^"]*/#\1#' "$name.ptx"
done
nvcc -arch=sm_90 -lineinfo -ptx beside.cu -o beside.ptx || exit 1
sed -i -E 's#(\.file[^"]*")[^"]*/#\1#' beside.ptx
# PTX in fat binaries: compressed by zstd, by LZ4, and as it is
for mode in size speed none; do
    nvcc -fatbin -gencode arch=compute_75,code=compute_75 --compress-mode=$mode grid.cu -o grid_$mode.fatbin || exit 1
done
nvcc -O3 -std=c++17 -arch=sm_80 -lineinfo -ptx ../../../bench/gpu/detect/today.cu -o today.ptx || exit 1
nvcc -O3 -std=c++17 -arch=sm_80 -lineinfo -ptx ../../../bench/gpu/detect/more.cu -o more.ptx || exit 1
nvcc -arch=sm_75 -lineinfo -ptx ../../../bench/gpu/detect/kernels.cu -o programs.ptx || exit 1
sed -i -E 's#(\.file[^"]*")[^"]*/#\1#' programs.ptx today.ptx more.ptx
