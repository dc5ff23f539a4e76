#!/bin/sh
# Counts with Nsight Compute the sectors that the copies of copies.py move (sectors.csv), and what accesses to swizzled tiles
# (tiles.csv) and the operands of wgmma (products.csv) cost in shared memory; the last two are ncu's own tables, of which the
# files here have the columns that are compared. Needs python3, nvcc and ncu.
#   run.sh [OUTPUT_DIR]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-${OUT:-.}}
export PATH="$PATH:/usr/local/cuda/bin"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make() { nvcc -w -gencode arch=compute_90a,code=sm_90a -o "$work/$1" "$2" -lcuda; }
python3 "$here/tiles.py" >"$work/tiles.cu"
python3 "$here/../units/units.py" >"$work/units.cu"
make driver "$here/driver.cu" & make tiles "$work/tiles.cu" & make units "$work/units.cu" & wait
count() { # FILE METRICS… -- COMMAND…: no more than half a minute, for copies that the device refuses
    file=$1 metrics= && shift
    while [ "$1" != -- ]; do metrics=$metrics${metrics:+,}$1.sum && shift; done
    shift
    timeout 30 ncu --csv --print-units base --clock-control none --metrics "$metrics" "$@" >>"$file" || echo "not counted: $*" >&2
}
waves=l1tex__data_pipe_lsu_wavefronts_mem_shared conflicts=l1tex__data_bank_conflicts_pipe_lsu_mem_shared
moved="l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st
    l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_red lts__t_sectors_srcunit_tex_op_read
    lts__t_sectors_srcunit_tex_op_write lts__t_sectors_srcunit_tex_op_red $conflicts"
copies() { # FILE: the lines of copies in it
    : >"$work/counted"
    count "$work/counted" $moved -- "$work/driver" <"$1"
    python3 "$here/copies.py" join "$COPIES_DONE" "$work/counted" $moved >>"$out/sectors.csv"
}
export COPIES_DONE="$work/done"
echo 'copy,tma_ld,tma_st,tma_red,lts_read,lts_write,lts_red,conflicts' >"$out/sectors.csv"
{ echo -; python3 "$here/copies.py"; } >"$work/all"
grep -v -E '^tensor [a-z]+ . . [12] ' "$work/all" | split -l 70 - "$work/part_"
for part in "$work"/part_*; do copies "$part"; done
count "$out/tiles.csv" ${waves}_op_ld ${waves}_op_st ${conflicts}_op_ld ${conflicts}_op_st -- "$work/tiles"
count "$out/products.csv" ${waves}_op_gmma ${conflicts}_op_gmma -- -k regex:wgmma "$work/units"
# Interleaved tensors, by themselves: a copy that never ends takes the others of its part with it.
for what in load store; do
    grep -E "^tensor $what . . [12] " "$work/all" >"$work/interleaved"
    copies "$work/interleaved"
done
