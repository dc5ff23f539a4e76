#!/bin/sh
# Compiles and measures what make_variants.sh made, on a machine with a GPU, gcc and the CUDA toolkit.
#     run.sh FOLDER RESULT [sm_90]
set -e
folder=$1 result=$2 arch=${3:-sm_90}
here=$(cd "$(dirname "$0")" && pwd)
cuda=${CUDA_HOME:-/usr/local/cuda}
PATH=$cuda/bin:$PATH
gcc -O2 -I"$cuda/include" "$here/bench.c" -o "$folder/bench" -L"$cuda/lib64/stubs" -lcuda -lm
cd "$folder"

compile() { # OUT PTX OPTIONS…
    out=$1 ptx=$2
    shift 2
    echo "$@ -arch=$arch $ptx -o $out"
}
{
    for level in O0 O3; do
        compile original_$level.cubin original.ptx -$level
        for a in linear div aff; do compile r8_${a}_$level.cubin r8_$a.ptx -$level; done
    done
    for f in check_*.ptx; do compile "${f%.ptx}.cubin" "$f" -O3; done
    for r in 24 32 40; do
        for way in plain smem fit; do compile ${way}_$r.cubin ${way}_$r.ptx -maxrregcount=$r; done
    done
} | xargs -P "$(nproc)" -L 1 ptxas

{
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader || true
    for block in 256 100 48; do
        echo "== the same as the original: block $block, 6, 8, 12, 16, 24 registers, linear, div, aff"
        ./bench check names $block 20000 96 original_O3.cubin check_${block}_*.cubin || true
    done
    for level in O0 O3; do
        echo "== 8 registers, ptxas -$level, block 256, n = 1048576, m = 1024"
        ./bench time names 256 1048576 1024 original_$level.cubin linear=r8_linear_$level.cubin \
            div=r8_div_$level.cubin aff=r8_aff_$level.cubin original=original_$level.cubin || true
    done
    for r in 24 32 40; do
        echo "== limit of $r registers, kernels that --fit changes: ptxas's own spills, enable_smem_spilling, --fit"
        ./bench time names_$r 256 1048576 1024 original_O3.cubin ptxas=plain_$r.cubin smem=smem_$r.cubin \
            fit=fit_$r.cubin || true
    done
} 2>&1 | tee "$result"
