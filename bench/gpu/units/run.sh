#!/bin/sh
# Counts shared-memory wavefronts and bank conflicts of the micro-kernels of units.py with Nsight Compute; counters.csv has
# a part of what comes out on an H200. Needs python3, nvcc and ncu.
#   run.sh [OUTPUT_DIR]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-${OUT:-.}}
export PATH="$PATH:/usr/local/cuda/bin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 "$here/units.py" >"$work/units.cu"
nvcc -gencode arch=compute_90a,code=sm_90a -o "$work/units" "$work/units.cu" -lcuda
metrics=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum,l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
metrics=$metrics,l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum
metrics=$metrics,l1tex__data_pipe_lsu_wavefronts_mem_shared.sum,l1tex__data_bank_reads.sum,l1tex__data_bank_writes.sum
ncu --csv --print-units base --replay-mode kernel --metrics "$metrics" "$work/units" >"$out/units.csv"
