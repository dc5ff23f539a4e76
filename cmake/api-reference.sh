#!/bin/sh
# api-reference.sh FOLDER: docs/api.md from the public headers in include/lockstep of that folder, on standard output.
# With --check, compares it with the page that is there.
if [ "${1:-}" = --check ]; then
    sh "$0" "$2" | diff -u "$2/docs/api.md" - && exit 0
    echo "docs/api.md is not current: ./dev api makes it again" >&2
    exit 1
fi
cd "$1/include/lockstep" || exit 2
cat <<'END'
# The library: reference

Made from the headers in `include/lockstep` by `./dev api`. `#include <lockstep/lockstep.h>` has all of them; every
header is C17 and C++17. Programs link with `pkg-config --cflags --libs lockstep` (`--static` for the static library),
or in CMake with `find_package(lockstep)` and `lockstep::lockstep` or `lockstep::static`. `examples/api` has programs
that verify, run, analyze and embed.

Options structs begin with their `size`, which `LS_OPTIONS(ls_verify_options, .bounds = true)` fills: a program goes on
working with a library whose struct has grown. What is wrong with the input is added to an `ls_diags`; the library
never prints or exits. Only the functions below are visible in the libraries.

Where memory runs out, a call fails: it returns `NULL`, `false` or a status, with "out of memory" among the diagnostics,
as the message of a run, or as the reason why a verdict is unknown. Arenas and locks are given back; what single
functions held for a moment is lost (a few kilobytes). Two things end the process: no memory for a caller that fills a
list, a report or its fields itself, and Z3 or LLVM where they cannot start a thread.

END
for header in version diag finding check flat frontend ptx limits ir analyze verify replay emulate jit launch detect allocate model \
              usimd report; do
    [ -f $header.h ] || continue
    awk -v header="$header.h" '
        function flush_comment() { comment = "" }
        # The first comment: prose; lines that are indented are code.
        NR == 1 || opening {
            opening = 1
            line = $0
            sub(/^\/\* /, "", line); sub(/^ \* ?/, "", line)
            ends = sub(/ *\*\/$/, "", line)
            if (NR == 1) printf "## `lockstep/%s`\n\n", header
            if (line ~ /^    /) { if (!code) printf "```c\n"; code = 1; print substr(line, 5) }
            else if (code && line == "") blank = 1
            else { if (code) printf "```\n"; if (blank) print ""; code = 0; blank = 0; if (line != "") print line; else print "" }
            if (ends) { if (code) printf "```\n"; code = 0; opening = 0 }
            next
        }
        /^#/ { next }
        /^\/\*/ { comment = $0; in_comment = !($0 ~ /\*\/$/); next }
        in_comment { comment = comment "\n" $0; if ($0 ~ /\*\/$/) in_comment = 0; next }
        # A declaration of a function: from column 0 to its semicolon.
        !declaring && /^[a-z][a-zA-Z0-9_ \*]*[ \*]ls_[a-z0-9_]+\(/ && !/^static/ && !/^typedef/ { declaring = 1; text = "" }
        declaring {
            text = text (text == "" ? "" : "\n") $0
            if ($0 ~ /;( *\/\*.*\*\/)?$/) {
                if (comment ~ /^\/\* ---/) comment = ""
                functions = functions (comment == "" ? "" : comment "\n") text "\n"
                comment = ""; declaring = 0
            }
            next
        }
        /^} ls_[a-z0-9_]+;/ { name = $2; sub(/;/, "", name); types = types (types == "" ? "" : ", ") "`" name "`" }
        /^typedef enum .*} ls_[a-z0-9_]+;/ { name = $NF; sub(/;/, "", name); types = types (types == "" ? "" : ", ") "`" name "`" }
        /^typedef struct ls_[a-z0-9_]+ ls_[a-z0-9_]+;/ { name = $NF; sub(/;/, "", name); types = types (types == "" ? "" : ", ") "`" name "`" }
        $0 != "" { comment = "" }
        END {
            print ""
            if (types != "") printf "Types: %s.\n\n", types
            if (functions != "") printf "```c\n%s```\n\n", functions
        }' $header.h
done
