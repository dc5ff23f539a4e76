#!/bin/sh
# The papers' examples through `lockstep run`: papers.sh LOCKSTEP FOLDER. Each line says what must (+) or must
# not (-) be in the output.
lockstep=$1
cd "$2/papers" || exit 2
failed=0
try() { # NAME EXPECTED-STATUS PATTERNS… -- ARGUMENTS…
    name=$1 status=$2; shift 2
    patterns=
    while [ "$1" != -- ]; do patterns="$patterns$1
"; shift; done
    shift
    output=$("$lockstep" run --color never -j1 "$@" 2>&1); got=$?
    wrong=
    [ "$got" = "$status" ] || wrong="exit status $got, expected $status"
    while IFS= read -r p; do
        case $p in
        +*) printf '%s\n' "$output" | grep -Eq -- "${p#+}" || wrong="$wrong; missing: ${p#+}" ;;
        -*) printf '%s\n' "$output" | grep -Eq -- "${p#-}" && wrong="$wrong; must not be there: ${p#-}" ;;
        esac
    done <<END
$patterns
END
    if [ -n "$wrong" ]; then
        failed=1
        printf 'FAILED %s: %s\n%s\n' "$name" "$wrong" "$output"
    else
        printf 'ok %s\n' "$name"
    fi
}
out='s32[256]'
try 'Figure 1' 1 '+:8:[0-9]+: error: write-read race' -- 004_fig1_race.cu --block 64 --grid 1 --shared 256 --arg "$out"
try 'Figure 1, fixed' 0 '-race' -- 004_fig1_fixed.cu --block 64 --grid 1 --shared 256 --arg "$out"
try 'Figure 2, no conflicts' 0 '-bank-conflict' -- 004_fig2_banks.cu --block 16 --grid 1 --shared 1024 \
    --arg "$out" --arg 2 --banks 16 --warp-size 16 --check bank,race,bounds --source-shaped
try 'Figure 2, conflicts' 1 '+:21:[0-9]+: warning: shared-memory bank conflict: 16-way' -- 004_fig2_banks.cu -D CONFLICTS=1 \
    --block 16 --grid 1 --shared 1024 --arg "$out" --arg 2 --banks 16 --warp-size 16 --source-shaped --check bank
scan="004_scan.cu --block 128 --grid 1 --arg s32[256]=ones --arg s32[256] --source-shaped --check race,bounds,barrier,uninit"
try 'scan' 0 '-error' -- $scan
try 'scan without barrier 1' 1 '+:(1[56]|21):[0-9]+: error: .*race' '-:(3[0-9]):[0-9]+: (error|note: the other)' -- $scan -D REMOVE=1
try 'scan without barrier 2' 1 '+:3[123]:[0-9]+: error: .*race' '-:3[78]:[0-9]+: (error|note: the other)' -- $scan -D REMOVE=2
try 'scan without barrier 3' 1 '+:3[78]:[0-9]+: error: .*race|:3[123]:[0-9]+: error: .*race' '-:(1[56]|21):[0-9]+: error' -- $scan -D REMOVE=3
try 'scan with padding' 0 '-error' -- $scan -D AVOID
try '000 Figure 1a' 1 '+race.shared' -- 000_fig1a_race.cl --block 32 --grid 1 --arg local:128 --source-shaped
try '000 Figure 1b' 1 '+barrier.divergence' -- 000_fig1b_barrier_divergence.cl --block 2 --grid 1 --source-shaped
try 'last block' 0 '-error' -- last_block.cu --block 64 --grid 40 --arg f32[2560]=ones --arg f32[64] --arg f32[1]
try 'last block, reversed' 0 '-error' -- last_block.cu --block 64 --grid 40 --arg f32[2560]=ones --arg f32[64] --arg f32[1] \
    --schedule reverse
try 'last block without its fence' 1 '+race.global' -- last_block.cu -D NO_FENCE --block 64 --grid 40 \
    --arg f32[2560]=ones --arg f32[64] --arg f32[1]
try 'vector store' 0 '-error' '-warning' -- vector_store.cl --block 64 --grid 2 --arg f32[512] --arg f32[128]=iota
exit $failed
