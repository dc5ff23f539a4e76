"""How long an editor waits: a file of a few kernels is opened, then one number in it is changed again and again, and the
time is taken from each change to the diagnostics of that text; CPU time is that of all of the server's children.
usage: latency.py LOCKSTEP [CHANGES] [FILE]"""
import os
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "lsp"))
from client import Client  # noqa: E402

FEW = """#include <cstdio>
__global__ void scan(const int *in, int *out) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        int x = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += x;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
}
__global__ void transpose(const float *in, float *out, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    out[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void reduce(const float *in, float *out) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t] + 0;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
void launch(const int *a, int *b, const float *in, float *out, int n) {
    scan<<<4, 256>>>(a, b);
    transpose<<<dim3(4, 4), dim3(32, 32)>>>(in, out, 128);
    saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, in, out);
    reduce<<<4, 256>>>(in, out);
}
"""


def cpu_of(pid):
    """Of the process and of its children that have ended, in seconds."""
    fields = open("/proc/%d/stat" % pid).read().rsplit(")", 1)[1].split()
    return sum(int(x) for x in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def main():
    binary, changes = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 20
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "few.cu")
        text = open(sys.argv[3]).read() if len(sys.argv) > 3 else FEW
        with open(path, "w") as file:
            file.write(text)
        c = Client(binary)
        c.start({"fixes": False})
        begin = time.time()
        uri = c.open(path)
        c.diagnostics(uri, 1, lambda l: any(d.get("code") == "bank-conflict" for d in l))
        print("first: %.0f ms" % (1000 * (time.time() - begin)))
        time.sleep(2)
        wall, cpu = [], []
        for version in range(2, 2 + changes):
            before, begin = cpu_of(c.process.pid), time.time()
            c.change(uri, version, [{"text": text.replace("+ 0;", "+ %d;" % version)}])
            c.diagnostics(uri, version, lambda l: any(d.get("code") == "bank-conflict" for d in l))
            wall.append(1000 * (time.time() - begin))
            time.sleep(0.3)
            cpu.append(1000 * (cpu_of(c.process.pid) - before))
        for name, list_ in (("wall", wall), ("CPU", cpu)):
            list_.sort()
            print("%-4s ms: least %.0f, median %.0f, 90 %% below %.0f, most %.0f" % (
                name, list_[0], statistics.median(list_), list_[int(0.9 * (len(list_) - 1))], list_[-1]))
        c.stop()


main()
