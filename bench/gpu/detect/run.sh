#!/bin/sh
# Race detection on a GPU: builds the detector with gcc and the kernels with nvcc, nothing else is needed, and
# prints the table of native times, Lockstep, and compute-sanitizer's racecheck and memcheck (at most CAP
# seconds a kernel).
#     bench/gpu/detect/run.sh [OUTPUT-FOLDER]
cd "$(dirname "$0")/../../.." || exit 1
out=${1:-${OUT:-/tmp}}
cap=${CAP:-20}
work=$(mktemp -d) || exit 1
PATH=$PATH:/usr/local/cuda/bin
sources=$(ls src/base/*.c src/ptx/*.c src/ir/*.c src/detect/*.c src/isa/*.c src/analyze/*.c src/finding/*.c src/graph/*.c | grep -v -e device_emulator.c -e preload)
gcc -std=gnu17 -O2 -g -D_GNU_SOURCE -Iinclude -Isrc -o "$work/bench" bench/gpu/detect/bench.c $sources \
    -lm -lpthread -ldl || exit 1
arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .)
nvcc -arch="sm_${arch:-90}" -lineinfo -ptx bench/gpu/detect/kernels.cu -o "$work/kernels.ptx" || exit 1
# a whole program with the detector preloaded: its kernels' lines, then what the program says of its results
gcc -std=gnu17 -O2 -g -fPIC -shared -fvisibility=hidden -D_GNU_SOURCE -Iinclude -Isrc -o "$work/liblockstep-detect.so" \
    src/detect/preload/*.c $sources -lm -lpthread -ldl || exit 1
nvcc -gencode "arch=compute_${arch:-90},code=[sm_${arch:-90},compute_${arch:-90}]" -lineinfo \
    bench/gpu/detect/program.cu -o "$work/program" || exit 1
{
    echo "program as it is:"
    "$work/program"
    echo "program checked:"
    LD_PRELOAD=$work/liblockstep-detect.so LOCKSTEP_REPORT=$work/report timeout 60 "$work/program"
    cat "$work/report"
    "$work/bench" "$work/kernels.ptx"
    if command -v compute-sanitizer > /dev/null; then
        for tool in racecheck memcheck; do
            echo "$tool (at most $cap seconds each):"
            for k in scan histogram64 bisection nbody radix bfs backprop btree kmeans cocluster em; do
                line=$(timeout "$cap" compute-sanitizer --tool $tool "$work/bench" "$work/kernels.ptx" native $k 2>&1 |
                    grep -e '^native')
                echo "${line:-native $k: more than $cap s}"
            done
        done
    fi
} 2>&1 | tee "$out/detect.txt"
rm -rf "$work"
