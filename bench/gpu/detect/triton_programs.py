"""Triton kernels of the kind that Triton's tutorials have, and functions that PyTorch compiles, for

    lockstep detect -- python3 triton_programs.py NAME[,NAME…] [LAUNCHES]

NAME: add softmax layernorm dropout matmul reduce attention grouped; racy_add racy_matmul racy_attention
racy_grouped (they race); gelu rows norm (compiled by Inductor).
Prints the wall time of launch and synchronise: of the first launch, and the mean from the second on."""
import sys
import time

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask), mask)


@triton.jit
def racy_add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * (BLOCK - 1) + tl.arange(0, BLOCK)
    mask = at < n
    number = tl.program_id(0).to(tl.float32)
    tl.store(out + at, tl.load(x + at, mask) + tl.load(y + at, mask) + number, mask)  # RACE: programs overlap


@triton.jit
def softmax_kernel(out, x, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + at, at < columns, -float("inf"))
    e = tl.exp(values - tl.max(values, 0))
    tl.store(out + row * stride + at, e / tl.sum(e, 0), at < columns)


@triton.jit
def layernorm_kernel(out, x, scale, shift, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    values = tl.load(x + row * columns + at, mask, 0.0)
    mean = tl.sum(values, 0) / columns
    centred = tl.where(mask, values - mean, 0.0)
    factor = 1 / tl.sqrt(tl.sum(centred * centred, 0) / columns + 1e-5)
    tl.store(out + row * columns + at, centred * factor * tl.load(scale + at, mask) + tl.load(shift + at, mask), mask)


@triton.jit
def dropout_kernel(out, x, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
    kept = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(kept, tl.load(x + at, mask) / (1 - p), 0.0), mask)


@triton.jit
def matmul_kernel(a, b, c, n, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    sum = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, n, DEPTH):
        left = tl.load(a + rows[:, None] * n + (k + depth)[None, :])
        right = tl.load(b + (k + depth)[:, None] * n + columns[None, :])
        sum += tl.dot(left, right)
    tl.store(c + rows[:, None] * n + columns[None, :], sum.to(tl.float16))


@triton.jit
def racy_matmul_kernel(a, b, c, n, BLOCK: tl.constexpr, DEPTH: tl.constexpr, PARTS: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    sum = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(tl.program_id(2) * (n // PARTS), (tl.program_id(2) + 1) * (n // PARTS), DEPTH):
        left = tl.load(a + rows[:, None] * n + (k + depth)[None, :])
        right = tl.load(b + (k + depth)[:, None] * n + columns[None, :])
        sum += tl.dot(left, right)
    to = c + rows[:, None] * n + columns[None, :]
    tl.store(to, tl.load(to) + sum.to(tl.float16))  # RACE: all parts of the depth add to it


@triton.jit
def attention_kernel(q, k, v, out, n, scale, STEP: tl.constexpr, BLOCK: tl.constexpr, KEYS: tl.constexpr, WIDTH: tl.constexpr):
    head = tl.program_id(1) * n * WIDTH
    rows = tl.program_id(0) * STEP + tl.arange(0, BLOCK)
    mask = rows[:, None] < n
    wide = tl.arange(0, WIDTH)
    at = head + rows[:, None] * WIDTH + wide[None, :]
    query = tl.load(q + at, mask, 0.0)
    most = tl.full((BLOCK,), -float("inf"), tl.float32)
    all = tl.zeros((BLOCK,), tl.float32)
    sum = tl.zeros((BLOCK, WIDTH), tl.float32)
    for first in range(0, n, KEYS):
        keys = head + (first + tl.arange(0, KEYS)) * WIDTH
        products = tl.dot(query, tl.load(k + keys[None, :] + wide[:, None])) * scale
        now = tl.maximum(most, tl.max(products, 1))
        p = tl.exp2(products - now[:, None])
        fade = tl.exp2(most - now)
        all = all * fade + tl.sum(p, 1)
        sum = tl.dot(p.to(tl.float16), tl.load(v + keys[:, None] + wide[None, :]), sum * fade[:, None])
        most = now
    tl.store(out + at, (sum / all[:, None] + (tl.program_id(0) * (BLOCK - STEP))).to(tl.float16), mask)  # RACE where STEP < BLOCK


@triton.jit
def grouped_kernel(pointers, sizes, groups, PROGRAMS: tl.constexpr, SHARED: tl.constexpr, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    tile = tl.program_id(0) // SHARED
    before = 0
    for g in range(groups):
        n = tl.load(sizes + g)
        across = tl.cdiv(n, BLOCK)
        while tile >= before and tile < before + across * across:
            a = tl.load(pointers + 3 * g).to(tl.pointer_type(tl.float16))
            b = tl.load(pointers + 3 * g + 1).to(tl.pointer_type(tl.float16))
            c = tl.load(pointers + 3 * g + 2).to(tl.pointer_type(tl.float16))
            rows = (tile - before) // across * BLOCK + tl.arange(0, BLOCK)
            columns = (tile - before) % across * BLOCK + tl.arange(0, BLOCK)
            depth = tl.arange(0, DEPTH)
            sum = tl.zeros((BLOCK, BLOCK), tl.float32)
            for k in range(0, n, DEPTH):
                left = tl.load(a + rows[:, None] * n + (k + depth)[None, :])
                right = tl.load(b + (k + depth)[:, None] * n + columns[None, :])
                sum += tl.dot(left, right)
            sum += tl.program_id(0) % SHARED
            tl.store(c + rows[:, None] * n + columns[None, :], sum.to(tl.float16))  # RACE where programs share tiles
            tile += PROGRAMS // SHARED
        before += across * across


@triton.jit
def reduce_kernel(out, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at, at < n, 0.0), 0))


def program(name):
    n = 1 << 24
    x, y, out = (torch.rand(n, device="cuda") for _ in range(3))
    rows = x.view(-1, 1024)
    if name == "add":
        return lambda: add_kernel[(n // 1024,)](x, y, out, n, BLOCK=1024)
    if name == "racy_add":
        return lambda: racy_add_kernel[(n // 1024,)](x, y, out, n, BLOCK=1024)
    if name == "softmax":
        return lambda: softmax_kernel[(n // 1024,)](out, x, 1024, 1024, BLOCK=1024)
    if name == "layernorm":
        return lambda: layernorm_kernel[(n // 1024,)](out, x, y, y[1024:], 1024, BLOCK=1024)
    if name == "dropout":
        return lambda: dropout_kernel[(n // 1024,)](out, x, n, 0.3, 7, BLOCK=1024)
    if name == "reduce":
        return lambda: reduce_kernel[(n // 1024,)](out, x, n, BLOCK=1024)
    if name == "matmul":
        a, b = x[: 1 << 20].half(), y[: 1 << 20].half()
        c = torch.empty_like(a)
        return lambda: matmul_kernel[(16, 16)](a, b, c, 1024, BLOCK=64, DEPTH=32)
    if name == "racy_matmul":
        a, b = x[: 1 << 20].half(), y[: 1 << 20].half()
        c = torch.zeros_like(a)
        return lambda: racy_matmul_kernel[(16, 16, 4)](a, b, c, 1024, BLOCK=64, DEPTH=32, PARTS=4)
    if name in ("attention", "racy_attention"):
        q, k, v = (z[: 1 << 22].half() for z in (x, y, out))
        to, step = torch.zeros_like(q), 64 if name == "attention" else 60
        grid = (triton.cdiv(1024, step), 64)
        return lambda: attention_kernel[grid](q, k, v, to, 1024, 0.18, STEP=step, BLOCK=64, KEYS=64, WIDTH=64)
    if name in ("grouped", "racy_grouped"):
        sides, buffers = [1024, 512, 256, 512], []
        for g, side in enumerate(sides):
            buffers += [z[g << 20 : (g << 20) + side * side].half() for z in (x, y)] + [torch.zeros(side * side, dtype=torch.float16, device="cuda")]
        pointers = torch.tensor([z.data_ptr() for z in buffers], dtype=torch.int64, device="cuda")
        sizes = torch.tensor(sides, dtype=torch.int32, device="cuda")
        shared = 1 if name == "grouped" else 2
        return lambda: (grouped_kernel[(132,)](pointers, sizes, len(sides), PROGRAMS=132, SHARED=shared, BLOCK=64, DEPTH=32), buffers)
    compiled = {
        "gelu": lambda: torch.nn.functional.gelu(rows) * 2 + 1,
        "rows": lambda: torch.softmax(rows, 1),
        "norm": lambda: torch.nn.functional.layer_norm(rows, (1024,)),
    }
    return torch.compile(compiled[name])


launches = int(sys.argv[2]) if len(sys.argv) > 2 else 40
for name in sys.argv[1].split(","):
    run, times = program(name), []
    for _ in range(launches):
        torch.cuda.synchronize()
        start = time.perf_counter()
        run()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1e6)
    mean = sum(times[1:]) / (launches - 1)
    print("%-10s first %9.1f us, then %9.1f us in the mean, %9.1f at least" % (name, times[0], mean, min(times[1:])), flush=True)
