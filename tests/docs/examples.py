"""Examples in documents: blocks with `$ lockstep …` lines show what the command prints.

    python3 examples.py LOCKSTEP FILE…            compares; differences end with status 1
    python3 examples.py --update LOCKSTEP FILE…   writes the blocks anew

Commands are run in the project's folder. Numbers may differ between runs and machines (which threads race first, how
often), so they are compared as numbers only. Lines of the document that start with `…` stand for others."""
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROMPT = "$ lockstep "


def run(lockstep, line):
    command = shlex.split(line[len(PROMPT):].split(" #")[0])
    done = subprocess.run([lockstep, *command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=300, env=dict(os.environ, NO_COLOR="1"))
    return done.stdout.decode("utf-8", "replace").splitlines()


def examples(lines):
    """(first line, last line, prompt line) of every example: what stands between is its output."""
    at, inside = 0, False
    while at < len(lines):
        if lines[at].startswith("```"):
            inside = not inside
        elif inside and lines[at].startswith(PROMPT):
            end = at + 1
            while end < len(lines) and not lines[end].startswith("```") and not lines[end].startswith("$ "):
                end += 1
            yield at, end
            at = end - 1
        at += 1


def plain(line):
    return re.sub(r"\d+", "0", line).rstrip()


def is_gap(line):
    return line.strip().startswith("…")


def differs(shown, printed):
    """A line in which the document and the command differ; None where there is none. With gaps in the document its
    lines must come in their order, with anything between them."""
    printed = [plain(line) for line in printed]
    if not any(map(is_gap, shown)):
        pairs = zip(map(plain, shown), printed)
        return next((a for a, b in pairs if a != b), None if len(shown) == len(printed) else "the number of lines")
    at = 0
    for line in shown:
        if is_gap(line):
            continue
        if plain(line) not in printed[at:]:
            return line
        at = printed.index(plain(line), at) + 1
    return None


def main():
    update = sys.argv[1] == "--update"
    lockstep, files = os.path.abspath(sys.argv[1 + update]), sys.argv[2 + update:]
    wrong = count = 0
    for name in files:
        path = os.path.join(ROOT, name)
        lines = open(path, encoding="utf-8").read().split("\n")
        for start, end in reversed(list(examples(lines))):
            count += 1
            printed, shown = run(lockstep, lines[start]), lines[start + 1:end]
            if update and not any(map(is_gap, shown)):
                lines[start + 1:end] = printed
                continue
            line = differs(shown, printed)
            if line is not None:
                wrong += 1
                print("%s:%d: %s\n  differs at: %s\n  printed:\n    %s" % (name, start + 1, lines[start], line,
                                                                        "\n    ".join(printed)))
        if update:
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(lines))
    print("%d examples in %d documents, %d differ" % (count, len(files), wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
