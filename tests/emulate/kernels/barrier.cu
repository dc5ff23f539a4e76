// Barriers: named ones with counts, arrive, reductions, exits before them; and threads that miss each other.

#define bar_sync(id, count) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory")
#define bar_arrive(id, count) asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory")

//: early_exit --block 128 --strict-exit --arg 's32[128]=iota' --arg 's32[128]' --arg 100 => barrier.divergence ea
//: early_exit --block 128 --arg 's32[128]=iota' --arg 's32[128]' --arg 100 => nothing
extern "C" __global__ void early_exit(const int *in, int *out, int n) {
    __shared__ int s[128];
    int t = threadIdx.x;
    if (t >= n) return;
    s[t] = in[t];
    int all = __syncthreads_and(in[t] >= 0), some = __syncthreads_count(in[t] > 50); // [ea]
    out[t] = s[n - 1 - t] + all + some;
}
//: pipeline --block 64 --arg 's32[256]=iota' --arg 's32[256]' => nothing
extern "C" __global__ void pipeline(const int *in, int *out) {
    __shared__ int s[2][32];
    int t = threadIdx.x & 31;
    for (int k = 0; k < 8; k++) {
        int half = k & 1;
        if (threadIdx.x < 32) {
            if (k >= 2) bar_sync(3 + half, 64); /* until it is empty */
            s[half][t] = in[32 * k + t];
            bar_arrive(1 + half, 64); /* it is full */
        } else {
            bar_sync(1 + half, 64);
            out[32 * k + t] = s[half][31 - t];
            if (k < 6) bar_arrive(3 + half, 64);
        }
    }
}

// The producer does not wait until the consumer is done.
//: pipeline_overrun --block 64 --arg 's32[256]=iota' --arg 's32[256]' => race.shared ow or
extern "C" __global__ void pipeline_overrun(const int *in, int *out) {
    __shared__ int s[32];
    int t = threadIdx.x & 31;
#pragma unroll 1
    for (int k = 0; k < 8; k++) {
        if (threadIdx.x < 32) {
            s[t] = in[32 * k + t]; // [ow]
            bar_sync(1, 64);
        } else {
            bar_sync(1, 64);
            out[32 * k + t] = s[31 - t]; // [or]
        }
    }
}

// Two halves of the block with a barrier each.
//: named --block 128 --arg 's32[128]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void named(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x, half = t / 64;
    s[t] = in[t];
    bar_sync(1 + half, 64);
    out[t] = s[64 * half + 63 - (t & 63)];
}

//: named_across --block 128 --arg 's32[128]=iota' --arg 's32[128]' => race.shared aw ar
extern "C" __global__ void named_across(const int *in, int *out) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[t] = in[t]; // [aw]
    bar_sync(1 + t / 64, 64);
    out[t] = s[127 - t]; // [ar]
}

// Readers of one group, then a writer of it behind the group's own barrier.
//: group_reads --block 128 --arg 's32[64]=iota' --arg 's32[128]' => nothing
extern "C" __global__ void group_reads(const int *in, int *out) {
    __shared__ int s[2];
    int t = threadIdx.x, half = t / 64;
    if (t % 64 == 0) s[half] = in[half];
    bar_sync(1 + half, 64);
    int v = s[half];
    bar_sync(1 + half, 64);
    if (t % 64 == 33) s[half] = v + 1;
    bar_sync(1 + half, 64);
    out[t] = s[half];
}

//: different_barriers --block 64 --arg 's32[64]' => barrier.divergence da db
extern "C" __global__ void different_barriers(int *out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads(); // [da]
    } else {
        out[threadIdx.x] = 2;
        __syncthreads(); // [db]
        out[threadIdx.x] = 3;
    }
}

// Threads of one warp at the same barrier in different iterations.
//: different_iterations --block 32 --source-shaped --arg 's32[64]' => barrier.divergence di
extern "C" __global__ void different_iterations(int *out) {
    int n = threadIdx.x < 16 ? 2 : 3, k = 0;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x >= 16 && i == 0) continue;
        __syncthreads(); // [di]
        k += i;
    }
    out[threadIdx.x] = k;
}

//: uniform_loop --block 96 --arg 's32[96]' --arg 5 => nothing
extern "C" __global__ void uniform_loop(int *out, int n) {
    __shared__ int s[96];
    s[threadIdx.x] = threadIdx.x;
    for (int i = 0; i < n; i++) {
        __syncthreads();
        int v = s[(threadIdx.x + 1) % 96];
        __syncthreads();
        s[threadIdx.x] = v;
    }
    out[threadIdx.x] = s[threadIdx.x];
}

// A barrier that waits for more threads than come.
//: stuck --block 64 --arg 's32[64]' => barrier.divergence st
extern "C" __global__ void stuck(int *out) {
    if (threadIdx.x < 32) bar_sync(1, 64); // [st]
    out[threadIdx.x] = 1;
}

//: waits_for_lanes --block 32 --arg 's32[32]' => nothing
extern "C" __global__ void waits_for_lanes(int *out) {
    if (threadIdx.x >= 20) return;
    __syncwarp(0xfffff);
    out[threadIdx.x] = 1;
}

__device__ void meet() {
    __syncthreads(); // [me]
}
// The other threads are at the second of the two calls.
//: called_twice --block 64 --arg 's32[64]' => barrier.divergence me
extern "C" __global__ void called_twice(int *out) {
    out[threadIdx.x] = 1;
    if (threadIdx.x < 32) {
        meet();
        out[threadIdx.x] = 3;
    } else {
        out[threadIdx.x] = 2;
        meet();
    }
}

// A barrier of one warp waits for no other: what the other has done is not before it, though it has ended by then.
//: counted_ended --grid 1 --block 64 --arg 's32[64]' => race.shared cw cr
extern "C" __global__ void counted_ended(int *out) {
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = 1; // [cw]
    } else {
        asm volatile("bar.sync 1, 32;" ::: "memory");
        out[threadIdx.x] = s[threadIdx.x & 31]; // [cr]
    }
}

// One for all does, and so does one that counts both warps.
//: counted_both --grid 1 --block 64 --arg 's32[64]' => nothing
extern "C" __global__ void counted_both(int *out) {
    __shared__ int s[32];
    if (threadIdx.x < 32) s[threadIdx.x] = 1;
    asm volatile("bar.sync 1, 64;" ::: "memory");
    if (threadIdx.x >= 32) out[threadIdx.x] = s[threadIdx.x & 31];
}

//: ended_before_all --grid 1 --block 64 --arg 's32[64]' => nothing
extern "C" __global__ void ended_before_all(int *out) {
    __shared__ int s[32];
    if (threadIdx.x < 32) {
        s[threadIdx.x] = 1;
        return;
    }
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x & 31];
}

// Lanes of a warp that leave the loop before the others go on behind a barrier that counts, too.
//: counted_turns --grid 1 --block 64 --arg 's32[64]' => barrier.divergence ct
extern "C" __global__ void counted_turns(int *out) {
    for (int i = 0; i < 3; i++) {
        asm volatile("bar.sync 3, 64;" ::: "memory"); // [ct]
        out[threadIdx.x] += i;
        if (threadIdx.x == 9) break;
    }
    out[threadIdx.x] += 1;
}

// Whole warps may: the barrier is for the other one alone.
//: counted_warps --grid 1 --block 64 --arg 's32[64]' => nothing
extern "C" __global__ void counted_warps(int *out) {
    for (int i = 0; i < 3 && threadIdx.x >= 32; i++) {
        asm volatile("bar.sync 3, 32;" ::: "memory");
        out[threadIdx.x] += i;
    }
    out[threadIdx.x] += 1;
}
