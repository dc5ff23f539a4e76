#!/bin/sh
# programs.sh LOCKSTEP FILE.cu: compiles the program by both roads, with nvcc (the runtime linked in and shared, where it
# is installed) and with clang, and runs it on the emulated device. Its comment lines say what is expected (expected.sh);
# "//: with FILE" is another file of the program, compiled apart and linked (-rdc); "//: nvcc only" is what clang cannot
# compile, "//: clang only" what nvcc cannot, "//: flags FLAGS" are further options; "//: stripped" runs it without symbols as well,
# "//: from source" lets `lockstep run FILE --` build it. CUDA_ROADS: which ways of linking nvcc's runtime are tried.
lockstep=$1 file=$2
clang=
command -v clang-19 > /dev/null && ! grep -q '^//: nvcc only' "$file" && clang=clang
nvcc=
command -v nvcc > /dev/null && ! grep -q '^//: clang only' "$file" && nvcc=${CUDA_ROADS:-static shared}
[ -n "$clang$nvcc" ] || { echo "no compiler for it is installed: skipped"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
status=0
. "$(dirname "$0")/expected.sh"
part=$(sed -n 's,^//: with ,,p' "$file")
flags=$(sed -n 's,^//: flags ,,p' "$file")
for how in $nvcc $clang; do
    case $how in
    clang) set -- "$lockstep" nvcc --frontend clang -g ;;
    *) set -- nvcc -lineinfo -cudart $how ;;
    esac
    [ -z "$part" ] || set -- "$@" -rdc=true "$(dirname "$file")/$part"
    "$@" -arch=sm_80 -std=c++17 -o "$folder/$how" "$file" $flags > "$folder/log" 2>&1 || {
        cat "$folder/log"
        exit 1
    }
    check $how -- "$folder/$how"
    if [ $how = static ] && grep -q '^//: stripped' "$file" && command -v strip > /dev/null; then
        strip -o "$folder/stripped" "$folder/$how"
        check stripped -- "$folder/stripped"
    fi
done
if [ -n "$clang" ] && grep -q '^//: from source' "$file"; then # built by the same command
    export XDG_CACHE_HOME="$folder/cache"
    check source "$file" --
    check words "$file" -- one two
    check dashes "$file" -- -- -n two
    check options "$file" -- -DLOCKSTEP_TEST -- -n -- two
    "$lockstep" run "$file" -- -include lacking.h -- -n > "$folder/report" 2>&1 && fail "options: not the compiler's"
    grep -q "lacking.h" "$folder/report" || fail "options: the compiler was not given them"
    check "options of nvcc" "$file" -- -arch=sm_80 -O2 -lm -Xcompiler -Wall --ptxas-options=-v -- -n -- two
    "$lockstep" run "$file" -- -lno_such_library -- > "$folder/report" 2>&1 && fail "options: not the linker's"
    grep -q "no_such_library" "$folder/report" || fail "options: the linker was not given them"
    "$lockstep" run "$file" -- -n two 2>&1 | grep -q -F "'$file -- -- -n' passes it to the program" ||
        fail "an argument for the compiler is not explained"
fi
exit $status
