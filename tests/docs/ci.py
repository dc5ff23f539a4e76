"""The files for CI (share/ci, .pre-commit-hooks.yaml): their commands are run as a runner would, on a project with a good
and a bad kernel. What only the services themselves have (uploads, images) is not. usage: ci.py LOCKSTEP"""
import json
import os
import re
import subprocess
import sys
import tempfile

LOCKSTEP = os.path.abspath(sys.argv[1])
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOOD = "__global__ void good(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\nvoid f(int *a) { good<<<4, 64>>>(a); }\n"
BAD = "__global__ void bad(int *a) { a[0] = threadIdx.x; }\nvoid f(int *a) { bad<<<1, 64>>>(a); }\n"


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def steps(text):
    """name → script of the steps of an action that are run by a shell."""
    found = {}
    for match in re.finditer(r"- name: (.*)\n((?:      .*\n|\n)*)", text):
        body = match.group(2)
        block = re.search(r"run: \|\n((?:        .*\n|\n)+)", body + "\n")
        line = re.search(r"run: ([^|\n].*)", body)
        if block:
            found[match.group(1)] = re.sub(r"^        ", "", block.group(1), flags=re.M)
        elif line:
            found[match.group(1)] = line.group(1)
    return found


def shell(script, folder, **environment):
    path = os.path.dirname(LOCKSTEP) + os.pathsep + os.environ["PATH"]
    return subprocess.run(["bash", "-e", "-o", "pipefail", "-c", script], cwd=folder, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=dict(os.environ, PATH=path, **environment))


def project(folder):
    for name, text in (("good.cu", GOOD), ("bad.cu", BAD)):
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)


def test_yaml(folder):
    """No runner takes a file that is no YAML: a text with a colon and a blank needs quotes."""
    for path in ("share/ci/action.yml", "share/ci/gitlab.yml", ".pre-commit-hooks.yaml"):
        text, block = read(path), None
        for number, line in enumerate(text.splitlines(), 1):
            indent = len(line) - len(line.lstrip())
            if block is not None and (not line.strip() or indent > block):
                continue
            block = indent if re.search(r": [|>]$", line) else None
            value = re.match(r"\s*(?:- )?[\w-]+: (.*)", line)
            plain = value and not value.group(1).startswith(("\"", "'", "[", "{"))
            assert not plain or ": " not in value.group(1), "%s:%d: %s" % (path, number, line)
        try:
            import yaml
            assert yaml.safe_load(text), path
        except ImportError:
            pass


def test_action(folder):
    scripts = steps(read("share/ci/action.yml"))
    assert {"Build Lockstep", "Check", "Result"} <= set(scripts), scripts
    assert "./dev build" in scripts["Build Lockstep"]
    for files, status in (("good.cu", "0"), ("*.cu", "1")):
        output = os.path.join(folder, "output")
        done = shell(scripts["Check"], folder, FILES=files, ARGUMENTS="", FAIL_ON="error", GITHUB_OUTPUT=output)
        said = done.stdout.decode()
        assert done.returncode == 0, said
        with open(output) as file:
            assert file.read() == "status=%s\n" % status, said
        os.remove(output)
        with open(os.path.join(folder, "lockstep.sarif")) as file:
            results = json.load(file)["runs"][0]["results"]
        assert ("race.global" in {r["ruleId"] for r in results}) == (status == "1"), results
        assert ("race on 'a'" in said) == (status == "1"), said
        result = shell(scripts["Result"].replace("${{ steps.check.outputs.status }}", status), folder)
        assert result.returncode == int(status)


def test_gitlab(folder):
    text = read("share/ci/gitlab.yml")
    script = re.search(r"  script:\n((?:    - .*\n)+)", text).group(1)
    script = re.sub(r"^    - ", "", script, flags=re.M)
    for files, status in (("good.cu", 0), ("*.cu", 1)):
        done = shell(script, folder, LOCKSTEP_FILES=files, LOCKSTEP_FAIL_ON="error")
        assert done.returncode == status, done.stdout.decode()
        for artifact in re.search(r"    paths:\n((?:      - .*\n)+)", text).group(1).replace("      - ", "").split():
            assert os.path.getsize(os.path.join(folder, artifact)) > 0


def test_pre_commit(folder):
    text = read(".pre-commit-hooks.yaml")
    entry, files = re.search(r"entry: (.*)", text).group(1), re.search(r"files: (.*)", text).group(1)
    for name, status in (("good.cu", 0), ("bad.cu", 1)):
        assert re.search(files, name) and not re.search(files, "notes.md")
        done = shell(entry + " " + name, folder)
        assert done.returncode == status and bool(done.stdout) == bool(status), done.stdout.decode()


def test_dockerfile(folder):
    """No image is built here; what it copies and installs is there by that name."""
    text = read("share/ci/Dockerfile")
    assert "./dev build" in text and 'ENTRYPOINT ["lockstep"]' in text
    packages = re.search(r"--no-install-recommends (.*?) &&", text).group(1).split()
    if subprocess.run(["sh", "-c", "command -v apt-cache && ls /var/lib/apt/lists/*Packages*"], stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode:
        print("        the packages are not looked up: there is no list of them here")
        return
    for package in packages:
        known = subprocess.run(["apt-cache", "show", package], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert known.stdout, "there is no package " + package


def main():
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        with tempfile.TemporaryDirectory(prefix="ci-") as folder:
            project(folder)
            try:
                test(folder)
                print("ok     ", name, flush=True)
            except Exception as error:
                failed = 1
                print("FAILED ", name, type(error).__name__, str(error)[:2000], flush=True)
    return failed


sys.exit(main())
