# For the scripts of this folder, which set $folder: the kernels of tests/async/kernels that run on a device (all but those for
# Blackwell), by the lines of expectation in their files: `//: KERNEL OPTIONS => FINDINGS`.
files=$(ls "$folder"/*.cu "$folder"/*.ptx | grep -v blackwell)
lines() { grep '^//: ' "$1" | grep -v '^//: verify ' | sed 's/^\/\/: //'; }
kernel_of() { printf '%s' "${1%% *}"; }
findings_of() { printf '%s' "${1##* => }"; }
options_of() { printf '%s' "$1" | sed 's/^[^ ]* //; s/ => .*//; s/--arch [^ ]*//; s/--schedule [^ ]*//'; }
# Names of kernels are used once in a file: file/kernel.
name_of() { printf '%s/%s' "$(basename "$1" | sed 's/\..*//')" "$(kernel_of "$2")"; }

# Numbers of a kernel, in one line: as they are, or the checksum of very many.
shorten() {
    tr -s ' \n' ' ' | sed 's/^ //; s/ $//' > "$1"
    if [ "$(wc -w < "$1")" -gt 2048 ]; then echo "checksum $(cksum < "$1")"; else cat "$1" && echo; fi
    rm -f "$1"
}
