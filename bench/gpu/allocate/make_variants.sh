#!/bin/sh
# Makes the PTX files that run.sh compiles, times and compares on a machine with a GPU.
#     make_variants.sh LOCKSTEP FOLDER [sm_90]
# Needs nvcc and ptxas (for --fit) on the PATH. Multiplications and additions are kept apart (-fmad=false), so that
# what ptxas makes of the variants is comparable bit for bit.
set -e
lockstep=$1 folder=$2 arch=${3:-sm_90}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
grep -o '^KERNEL([a-z_0-9]*)' "$here/kernels.cu" | sed 's/KERNEL(//; s/)//' | grep -v '^name$' > "$folder/names"
nvcc -ptx -arch="$arch" -O3 -fmad=false "$here/kernels.cu" -o "$folder/original.ptx"

# The paper's experiment: 8 registers, spills that stay spills.
for allocator in linear div aff; do
    "$lockstep" allocate "$folder/original.ptx" --registers 8 --allocator $allocator --block 256 --keep-spills \
        --ignore-occupancy -o "$folder/r8_$allocator.ptx" > "$folder/r8_$allocator.txt" || [ $? -eq 3 ]
done

# Equality: every allocator, several numbers of registers, blocks that are and are not whole warps.
for block in 256 100 48; do
    for registers in 6 8 12 16 24; do
        for allocator in linear div aff; do
            "$lockstep" allocate "$folder/original.ptx" --registers $registers --allocator $allocator \
                --block $block -o "$folder/check_${block}_${registers}_$allocator.ptx" > /dev/null || [ $? -eq 3 ]
        done
    done
done

# The practical mode against ptxas's own spilling, and against its spilling to shared memory.
for registers in 24 32 40; do
    "$lockstep" allocate "$folder/original.ptx" --fit $registers --arch "$arch" --block 256 \
        -o "$folder/fit_$registers.ptx" > "$folder/fit_$registers.txt" || [ $? -eq 3 ]
    sed -n 's/^kernel \([a-z_0-9]*\): .*taken out of registers.*/\1/p' "$folder/fit_$registers.txt" \
        > "$folder/names_$registers"
done
# The pragma stands at the start of a function's body and wants the block size; with that ptxas wants the limit in
# the kernel, too.
for registers in 24 32 40; do
    awk -v limit=$registers '/^\.visible \.entry/ { kernel = 1 }
         kernel && /^\{/ { print ".reqntid 256, 1, 1\n.maxnreg " limit "\n{\n\t.pragma \"enable_smem_spilling\";"
                           kernel = 0; next }
         { print }' "$folder/original.ptx" > "$folder/smem_$registers.ptx"
    sed '/enable_smem_spilling/d' "$folder/smem_$registers.ptx" > "$folder/plain_$registers.ptx"
done
echo "$(ls "$folder"/*.ptx | wc -l) files in $folder"
