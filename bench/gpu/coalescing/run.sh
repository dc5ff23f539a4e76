#!/bin/sh
# Counts sectors, requests and shared-memory wavefronts of the micro-kernels with Nsight Compute and writes
# counters.csv: kernel,metric,value. Needs nvcc and ncu, nothing else.
#   run.sh [OUTPUT_DIR] [ARCH]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-${OUT:-.}}
arch=${2:-native}
export PATH="$PATH:/usr/local/cuda/bin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
nvcc -std=c++17 -O3 -arch="$arch" -o "$work/driver" "$here/driver.cu"
"$work/driver"
metrics=l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
metrics=$metrics,l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum,l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics=$metrics,smsp__inst_executed_op_shared_ld.sum,smsp__inst_executed_op_shared_st.sum
ncu --csv --print-units base --replay-mode kernel --metrics "$metrics" "$work/driver" >"$work/raw.csv" || {
    cat "$work/raw.csv" >&2
    exit 1
}
mkdir -p "$out"
awk -F '","' '/^"[0-9]/ { gsub(/[",]/, "", $15); print $5 "," $13 "," $15 }' "$work/raw.csv" >"$out/counters.csv"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader >"$out/device.txt" 2>/dev/null || true
nvcc --version | tail -1 >>"$out/device.txt"
wc -l "$out/counters.csv"
