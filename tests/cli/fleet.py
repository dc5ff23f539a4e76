"""A report made by several processes under MPI is the one that a single process makes; also where one of them is lost:
python3 fleet.py LOCKSTEP. Ends with status 77 (skipped) where there is no mpirun."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = """__global__ void shift%d(int *out) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    %s
    out[threadIdx.x] = s[(threadIdx.x + 1) %% 64];
}
void launch(int *a) { shift%d<<<1, 64>>>(a); }
"""
FILES = 4
# How each is started, and how it goes on when a process is lost; MPICH's ends them all.
FLAVOURS = {"mpirun.openmpi": (["--allow-run-as-root", "--oversubscribe"], ["--enable-recovery"]),
            "mpirun.mpich": ([], None)}


def check(condition, what):
    if not condition:
        raise SystemExit("fleet: " + what)


def plain(path):
    """The report without times."""
    def strip(value):
        if isinstance(value, dict):
            return {k: strip(v) for k, v in value.items() if not k.endswith("_ms")}
        return [strip(v) for v in value] if isinstance(value, list) else value
    with open(path) as file:
        return strip(json.load(file))


def command(lockstep, output):
    return [lockstep, "check", "--frontend", "clang", "-j1", "--fail-on", "never", "--format", "json", "-o", output] + \
        ["k%d.cu" % i for i in range(FILES)]


def children(pid):
    found = []
    for name in os.listdir("/proc"):
        try:
            with open("/proc/%s/stat" % name) as file:
                if name.isdigit() and file.read().rsplit(")", 1)[1].split()[1] == str(pid):
                    found.append(int(name))
        except OSError:
            pass
    return found


def descendants(pid):
    for child in children(pid):
        yield child
        yield from descendants(child)


def helper_at_work(pid):
    """A process of the second rank that has started a compiler."""
    for process in descendants(pid):
        try:
            with open("/proc/%d/environ" % process, "rb") as file:
                environment = file.read().split(b"\0")
            with open("/proc/%d/comm" % process) as file:
                name = file.read().strip()
        except OSError:
            continue
        second = b"OMPI_COMM_WORLD_RANK=1" in environment or b"PMI_RANK=1" in environment
        if second and name == "lockstep" and children(process):
            return process
    return None


def lose_one(arguments, folder):
    run = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while run.poll() is None:
        lost = helper_at_work(run.pid)
        if lost:
            os.kill(lost, signal.SIGKILL)
            break
        time.sleep(0.005)
    try:
        run.wait(240)
    except subprocess.TimeoutExpired:
        run.kill()
        raise SystemExit("fleet: it does not end when a process is lost")
    return lost is not None


def main():
    lockstep = os.path.abspath(sys.argv[1])
    flavours = [name for name in FLAVOURS if shutil.which(name)]
    if not flavours:
        print("skipped: there is no mpirun of Open MPI or MPICH")
        return 77
    with tempfile.TemporaryDirectory(prefix="lockstep-fleet-") as folder:
        for i in range(FILES):
            with open(os.path.join(folder, "k%d.cu" % i), "w") as file:
                file.write(SOURCE % (i, "__syncthreads();" if i % 2 else "", i))
        alone = os.path.join(folder, "alone.json")
        subprocess.run(command(lockstep, alone), cwd=folder, check=True)
        expected = plain(alone)
        check(len(expected["files"]) == FILES, "not all files are in the report")
        for name in flavours:
            together = os.path.join(folder, name + ".json")
            options, recovery = FLAVOURS[name]
            subprocess.run([name, *options, "-n", "3", *command(lockstep, together)], cwd=folder, check=True,
                           stderr=subprocess.DEVNULL)
            check(plain(together) == expected, "another report with " + name)
            os.remove(together)
            if recovery is None:
                print(name + ": the same report")
                continue
            was_lost = lose_one([name, *options, *recovery, "-n", "2", *command(lockstep, together)], folder)
            check(os.path.exists(together), "no report where a process was lost (%s)" % name)
            check(plain(together) == expected, "another report where a process was lost (%s)" % name)
            print("%s: the same report%s" % (name, ", also without the process that was ended" if was_lost else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
