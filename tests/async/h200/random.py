#!/usr/bin/env python3
# Random kernels with copies, phases of mbarriers and clusters, ordered as they must be, so that their results are the same
# on every machine: random.py COUNT SEED > kernels.cu. Every kernel has a line of expectation, as those of
# tests/async/kernels; random.sh runs them on a device and in the emulator. Half of them are rings that all threads of a block
# fill and empty (Kernel), half have a warp that fills the ring and groups of warps that empty it, from tile to tile
# (Persistent).
import random
import sys

HEAD = '''#include "async.h"
#define MAP(p, rank)                                                                                                   \\
    ({ unsigned a; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a) : "r"(AT(p)), "r"(rank)); a; })
#define RANK() ({ unsigned r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); r; })
#define GET_FAR(v, a) asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(v) : "r"(a) : "memory")
#define PUT_FAR(a, v) asm volatile("st.shared::cluster.s32 [%0], %1;" ::"r"(a), "r"(v) : "memory")
#define ADD_FAR(a, v) asm volatile("red.shared::cluster.add.s32 [%0], %1;" ::"r"(a), "r"(v) : "memory")
#define ARRIVE_FAR(a)                                                                                                  \\
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(a) : "memory")
#define WAIT_FAR(b, parity)                                                                                            \\
    do {                                                                                                               \\
        unsigned over;                                                                                                 \\
        do asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2; "       \\
                        "selp.u32 %0, 1, 0, p; }" : "=r"(over) : "r"(AT(b)), "r"(parity) : "memory");                  \\
        while (!over);                                                                                                 \\
    } while (0)
#define STORE_COUNTED(a, v, b)                                                                                         \\
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(a), "r"(v), "r"(b)  \\
                 : "memory")
#define MULTICAST(to, from, bytes, b, who)                                                                             \\
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], "   \\
                 "%2, [%3], %4;" ::"r"(AT(to)), "l"(from), "r"((unsigned)(bytes)), "r"(AT(b)),                         \\
                 "h"((unsigned short)(who)) : "memory")
#define COPY16(to, from)                                                                                               \\
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(AT(to)), "l"(from) : "memory")
#define COPIES_ARRIVE(b) PTX1("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0]", AT(b))
#define ELECTED(yes)                                                                                                   \\
    asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(yes)::"memory")
#define LOAD_BOX(to, map, x, y, b)                                                                                     \\
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "             \\
                 "[%1, {%2, %3}], [%4];" ::"r"(AT(to)), "l"(map), "r"(x), "r"(y), "r"(AT(b)) : "memory")
#define BOX_TO_ALL(to, map, x, y, b, who)                                                                              \\
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "\\
                 "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(AT(to)), "l"(map), "r"(x), "r"(y), "r"(AT(b)),                \\
                 "h"((unsigned short)(who)) : "memory")
#define MEET(id, threads) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory")
struct alignas(128) tensor_map { unsigned long long word[16]; };
#define CLUSTER_SYNC()                                                                                                 \\
    PTX("barrier.cluster.arrive.aligned");                                                                             \\
    PTX("barrier.cluster.wait.aligned")
'''


class Kernel:
    def __init__(self, r, name):
        self.r, self.name = r, name
        self.threads = 32 * r.randint(1, 4)
        self.stages = r.randint(1, 4)
        self.rounds = r.randint(1, 9)
        self.chunk = self.threads * r.choice((1, 1, 2, 4))  # whole numbers of a stage
        self.cluster = r.choice((1, 1, 2, 2, 4))
        self.grid = self.cluster * r.choice((1, 2))
        self.text = []

    def add(self, line):
        self.text.append(line)

    def value(self, x):
        r = self.r
        return r.choice((f'{x} * {r.randint(2, 9)} + k', f'{x} ^ {r.randint(1, 99)} * k', f'{x} + (t & {r.randint(1, 31)})',
                         f'({x} >> {r.randint(0, 3)}) - k * t', f'{x}'))

    def index(self, e):  # a permutation of the stage
        c, r = self.chunk, self.r
        return r.choice((f'({e})', f'{c - 1} - ({e})', f'(({e}) + {r.randint(1, c - 1)}) % {c}', f'({e}) ^ {r.choice((1, 2, 4, 8, 16))}'))

    def load(self):
        """Starts filling the stage; by thread 0, or by all for cp.async."""
        size = 4 * self.chunk
        start = f'in + (blockIdx.x * {self.rounds} + k) * {self.chunk}'
        if self.kind == 'copies':
            self.add(f'        for (int e = 4 * t; e < {self.chunk}; e += 4 * {self.threads}) COPY16(&s[k % {self.stages}][e], {start} + e);')
            self.add(f'        COPIES_ARRIVE(&full[k % {self.stages}]);')
        elif self.kind == 'multicast':
            start = f'in + (blockIdx.x / {self.cluster} * {self.rounds} + k) * {self.chunk}'
            part = self.chunk // self.cluster
            self.add(f'        if (t == 0) {{ expect(&full[k % {self.stages}], {size});')
            self.add(f'            MULTICAST(&s[k % {self.stages}][rank * {part}], {start} + rank * {part}, {4 * part}, &full[k % {self.stages}], {(1 << self.cluster) - 1}); }}')
        else:
            pieces = self.r.choice((1, 1, 2))
            part = self.chunk // pieces
            self.add(f'        if (t == 0) {{ expect(&full[k % {self.stages}], {size});')
            for p in range(pieces):
                self.add(f'            load(&s[k % {self.stages}][{p * part}], {start} + {p * part}, {4 * part}, &full[k % {self.stages}]);')
            self.add('        }')

    def make(self):
        r, S, C, T = self.r, self.stages, self.chunk, self.threads
        self.kind = r.choice(('bulk', 'bulk', 'copies') + (('multicast',) * 2 if self.cluster > 1 else ()))
        self.out = r.choice(('plain', 'store', 'add'))
        self.far = self.cluster > 1 and r.choice((None, 'get', 'put', 'add', 'counted'))
        arrivals = T if self.kind == 'copies' else 1
        self.add(f'extern "C" __global__ void {"__cluster_dims__(%d, 1, 1) " % self.cluster if self.cluster > 1 else ""}{self.name}(const int *in, int *out) {{')
        self.add(f'    __shared__ __align__(128) int s[{S}][{C}], o[2][{C}], f[{T}];')
        self.add(f'    __shared__ mbarrier full[{S}], empty[{S}], far;')
        self.add('    const int t = threadIdx.x; const unsigned rank = RANK(); (void)rank; (void)f; (void)far;')
        self.add('    f[t] = t;')
        self.add('    if (t == 0) {')
        self.add(f'        for (int k = 0; k < {S}; k++) {{ init(&full[k], {arrivals}); init(&empty[k], {T * (self.cluster if self.kind == "multicast" else 1)}); }}')
        self.add(f'        init(&far, {T if self.far == "put" else 1}); fence_init(); fence_proxy();')
        self.add('    }')
        self.add('    __syncthreads();')
        if self.cluster > 1: self.add('    CLUSTER_SYNC();')
        ahead = r.randint(1, S)
        self.add(f'#pragma unroll 1\n    for (int k = 0; k < {min(ahead, self.rounds)}; k++) {{')
        self.load()
        self.add('    }')
        self.add(f'    int sum = 0;\n#pragma unroll 1\n    for (int n = 0; n < {self.rounds}; n++) {{')
        self.add('        int k = n;')
        self.add(f'        wait(&full[k % {S}], k / {S} & 1);')
        target = 'o[k & 1]' if self.out != 'plain' else f'(out + (blockIdx.x * {self.rounds} + k) * {C})'
        if self.out != 'plain':
            self.add('        if (t == 0) WAIT_READ(1);')
            self.add('        __syncthreads();')
        self.add(f'        for (int e = t; e < {C}; e += {T}) {{ int x = s[k % {S}][{self.index("e")}]; sum += x; {target}[e] = {self.value("x")}; }}')
        if self.kind != 'copies': self.add('        fence_proxy();')
        if self.kind == 'multicast':
            self.add(f'        for (unsigned b = 0; b < {self.cluster}; b++) ARRIVE_FAR(MAP(&empty[k % {S}], b));')
        else:
            self.add(f'        arrive(&empty[k % {S}]);')
        if self.out != 'plain':
            self.add('        fence_proxy();\n        __syncthreads();')
            verb = 'store' if self.out == 'store' else 'add'
            self.add(f'        if (t == 0) {{ {verb}(out + (blockIdx.x * {self.rounds} + k) * {C}, o[k & 1], {4 * C}); commit(); }}')
        self.add(f'        k = n + {ahead};')
        self.add(f'        if (k < {self.rounds}) {{')
        waits = 'WAIT_FAR' if self.kind == 'multicast' else 'wait'
        who = '' if self.kind == 'copies' else 'if (t == 0) '
        self.add(f'        if (k >= {S}) {{ {who}{waits}(&empty[k % {S}], k / {S} - 1 & 1); }}')
        self.load()
        self.add('        }')
        self.add('    }')
        if self.out != 'plain': self.add('    if (t == 0) WAIT(0);')
        self.meet()
        tail = self.grid * self.rounds * C
        self.add(f'    out[{tail} + blockIdx.x * {T} + t] = sum;')
        if self.cluster > 1: self.add('    CLUSTER_SYNC();')
        self.add('}')
        count = self.grid * self.rounds * C
        args = f"--arch sm_90a --grid {self.grid} --block {T} --arg 's32[{count}]=iota' --arg 's32[{count + self.grid * T}]'"
        if self.cluster > 1: args = args.replace('--grid', f'--cluster {self.cluster} --grid')
        return f'//: {self.name} {args} => nothing\n' + '\n'.join(self.text) + '\n'

    def meet(self):
        """Sums go to the next block of the cluster."""
        if not self.far: return
        peer = f'(rank + {self.r.randint(1, self.cluster - 1)}) % {self.cluster}'
        slot = f'MAP(&f[{self.r.choice(("t", str(self.threads - 1) + " - t"))}], peer)'
        self.add(f'    const unsigned peer = {peer};')
        if self.far == 'get':
            self.add(f'    f[t] = sum; CLUSTER_SYNC(); int v; GET_FAR(v, {slot}); sum += v * 3;')
        elif self.far == 'put':
            self.add(f'    CLUSTER_SYNC(); PUT_FAR({slot}, sum); ARRIVE_FAR(MAP(&far, peer)); WAIT_FAR(&far, 0); sum ^= f[t];')
        elif self.far == 'add':
            self.add(f'    CLUSTER_SYNC(); ADD_FAR({slot}, sum); ADD_FAR(MAP(&f[t], peer), 1); CLUSTER_SYNC(); sum += f[t];')
        else:
            self.add(f'    if (t == 0) expect(&far, {4 * self.threads});')
            self.add('    CLUSTER_SYNC();')
            self.add(f'    STORE_COUNTED({slot}, sum, MAP(&far, peer)); WAIT_FAR(&far, 0); sum -= f[t];')


class Persistent(Kernel):
    """A warp fills the ring, groups of warps empty it; both go from tile to tile, and the ring goes on."""

    def __init__(self, r, name):
        super().__init__(r, name)
        self.groups = r.randint(1, 3)
        self.group = 32 * r.randint(1, 2)
        self.consumers = self.groups * self.group
        self.threads = self.consumers + 32
        self.inner = r.choice((8, 16, 32, 32))  # whole numbers in a row of the box
        self.swizzle = r.choice((0, 4 * self.inner))
        self.rows = 16 * r.randint(1, 2)  # so that a quarter of them is a multiple of 128 bytes
        self.chunk = self.inner * self.rows
        self.tiles = r.randint(1, 5)
        self.per_warp = r.choice((True, False))
        self.multicast = self.cluster > 1 and r.choice((True, False))
        self.tensor = self.swizzle > 0 or r.choice((True, False))
        self.stores = r.choice((True, False))
        self.far = self.cluster > 1 and r.choice((None, 'get', 'put', 'add', 'counted'))

    def fill(self):
        """One copy into the stage, or this block's part of a copy to all blocks of the cluster."""
        step = f'tile * {self.rounds} + k'
        if self.multicast:
            part, everyone = self.rows // self.cluster, (1 << self.cluster) - 1
            place, row = f'&s[stage][rank * {part * self.inner}]', f'({step}) * {self.rows} + rank * {part}'
            if self.tensor: return f'BOX_TO_ALL({place}, &map, 0, {row}, &full[stage], {everyone});'
            return f'MULTICAST({place}, in + ({row}) * {self.inner}, {4 * part * self.inner}, &full[stage], {everyone});'
        if self.tensor: return f'LOAD_BOX(s[stage], &map, 0, ({step}) * {self.rows}, &full[stage]);'
        return f'load(s[stage], in + ({step}) * {self.chunk}, {4 * self.chunk}, &full[stage]);'

    def loop(self, phase, body):
        first, step = ('blockIdx.x', 'gridDim.x')
        if self.multicast: first, step = f'blockIdx.x / {self.cluster}', f'gridDim.x / {self.cluster}'
        self.add(f'        int stage = 0, phase = {phase};\n#pragma unroll 1')
        self.add(f'        for (int tile = {first}; tile < {self.tiles}; tile += {step}) {{')
        body()
        self.add('        }')

    def next_stage(self):
        self.add(f'            if (++stage == {self.stages}) stage = 0, phase ^= 1; }}')

    def produce(self):
        self.add(f'            for (int k = 0; k < {self.rounds}; k++) {{')
        self.add(f'            {"WAIT_FAR" if self.multicast else "wait"}(&empty[stage], phase);')
        self.add(f'            expect(&full[stage], {4 * self.chunk});')
        self.add(f'            {self.fill()}')
        self.next_stage()

    def give_back(self):
        arrival = 'arrive(&empty[stage]);'
        if self.multicast: arrival = f'for (unsigned b = 0; b < {self.cluster}; b++) ARRIVE_FAR(MAP(&empty[stage], b));'
        if self.per_warp: arrival = f'__syncwarp(); if (t % 32 == 0) {{ {arrival} }}'
        self.add(f'            fence_proxy(); {arrival}')

    def consume(self):
        W, row = self.group, f'(tile * {self.cluster} + rank)' if self.multicast else 'tile'
        self.add(f'            int own = 0;\n            for (int k = 0; k < {self.rounds}; k++) {{')
        self.add('            wait(&full[stage], phase);')
        self.add(f'            for (int e = t % {W}; e < {self.chunk}; e += {W}) {{ int x = s[stage][{self.index("e")}]; own = own * 5 + ({self.value("x")}); }}')
        self.give_back()
        self.next_stage()
        self.add('            sum += own;')
        if not self.stores:
            self.add(f'            out[{row} * {self.consumers} + t] = own;')
            return
        self.add(f'            if (t % {W} == 0) WAIT_READ(0);\n            MEET(1 + group, {W});')
        self.add(f'            o[group][t % {W}] = own; fence_proxy(); MEET(1 + group, {W});')
        self.add(f'            if (t % {W} == 0) {{ store(out + {row} * {self.consumers} + group * {W}, o[group], {4 * W}); commit(); }}')

    def make(self):
        S, T, first = self.stages, self.threads, 'const __grid_constant__ tensor_map map' if self.tensor else 'const int *in'
        arrivals = (self.consumers // 32 if self.per_warp else self.consumers) * (self.cluster if self.multicast else 1)
        dims = f'__cluster_dims__({self.cluster}, 1, 1) ' if self.cluster > 1 else ''
        self.add(f'extern "C" __global__ void {dims}{self.name}({first}, int *out) {{')
        self.add(f'    __shared__ __align__(1024) int s[{S}][{-(-self.chunk // 256) * 256}];')
        self.add(f'    __shared__ __align__(128) int o[{self.groups}][{self.group}], f[{T}];')
        self.add(f'    __shared__ mbarrier full[{S}], empty[{S}], far;')
        self.add('    const int t = threadIdx.x; const unsigned rank = RANK(); (void)rank; (void)f; (void)far; (void)o;')
        self.add(f'    int sum = 0; f[t] = t;\n    if (t == 0) {{ for (int k = 0; k < {S}; k++) {{ init(&full[k], 1); init(&empty[k], {arrivals}); }}')
        self.add(f'        init(&far, {T if self.far == "put" else 1}); fence_init(); fence_proxy(); }}\n    __syncthreads();')
        if self.cluster > 1: self.add('    CLUSTER_SYNC();')
        self.add(f'    if (t >= {self.consumers}) {{')
        elected = self.r.choice((True, False))
        self.add(f'        unsigned one = t == {self.consumers};' + (' ELECTED(one);' if elected else '') + ' if (one) {')
        self.loop(1, self.produce)
        self.add(f'        }}\n        __syncwarp();\n    }} else {{\n        const int group = t / {self.group}; (void)group;')
        self.loop(0, self.consume)
        if self.stores: self.add(f'        if (t % {self.group} == 0) WAIT(0);')
        self.add('    }\n    __syncthreads();')
        self.meet()
        rows = self.tiles * (self.cluster if self.multicast else 1)
        self.add(f'    out[{rows * self.consumers} + blockIdx.x * {T} + t] = sum;')
        if self.cluster > 1: self.add('    CLUSTER_SYNC();')
        self.add('}')
        return f"//: {self.name} {self.options(rows * self.consumers + self.grid * T)} => nothing\n" + '\n'.join(self.text) + '\n'

    def options(self, out):
        rows = self.tiles * self.rounds * self.rows
        given = f's32[{rows * self.inner}]=iota'
        if self.tensor:
            swizzle = f'swizzle{self.swizzle}:' if self.swizzle else ''
            box = self.rows // self.cluster if self.multicast else self.rows
            given = f'tensor:{swizzle}s32[{self.inner},{rows}]box[{self.inner},{box}]=iota'
        cluster = f'--cluster {self.cluster} ' if self.cluster > 1 else ''
        return f"--arch sm_90a {cluster}--grid {self.grid} --block {self.threads} --arg '{given}' --arg 's32[{out}]'"


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    print(HEAD)
    for n in range(count):
        kind = Persistent if n % 2 else Kernel
        print(kind(random.Random(seed * 100003 + n), f'k{seed}_{n}').make())


main()
