// Order between threads that no barrier separates: fences with atomics and flags, locks, tickets, look-back.

__device__ unsigned done;
//: last_block --grid 8 --block 64 --arg 's32[512]=ones' --arg 's32[8]' --arg 's32[1]' => nothing
extern "C" __global__ void last_block(const int *in, int *part, int *out) {
    __shared__ int s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int d = 32; d > 0; d /= 2) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        int sum = 0;
        for (unsigned k = 0; k < gridDim.x; k++) sum += part[k];
        *out = sum;
    }
}

//: last_block_no_fence --grid 8 --block 64 --arg 's32[512]=ones' --arg 's32[8]' --arg 's32[1]' => race.global lw lr
extern "C" __global__ void last_block_no_fence(const int *in, int *part, int *out) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = in[blockIdx.x * 64]; // [lw]
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned k = 0; k < gridDim.x; k++) sum += part[k]; // [lr]
        *out = sum;
    }
}

__device__ int lock;
//: spin_lock --grid 4 --block 32 --arg 's32[1]' => nothing
extern "C" __global__ void spin_lock(int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum += blockIdx.x;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

// Every thread takes the lock: lanes of one warp wait for each other.
//: lock_each --grid 2 --block 64 --arg 's32[1]' => nothing
extern "C" __global__ void lock_each(int *sum) {
    bool go = true;
    while (go) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            *(volatile int *)sum = *(volatile int *)sum + 1;
            __threadfence();
            atomicExch(&lock, 0);
            go = false;
        }
    }
}

//: lock_no_fence --grid 4 --block 32 --arg 's32[1]' => race.global lnf
extern "C" __global__ void lock_no_fence(int *sum) {
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        *sum += blockIdx.x; // [lnf]
        atomicExch(&lock, 0);
    }
}

// One block does not take the lock.
//: lock_not_taken --grid 4 --block 32 --arg 's32[1]' => race.global lt ln
extern "C" __global__ void lock_not_taken(int *sum) {
    if (threadIdx.x == 0 && blockIdx.x != 2) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum += 1; // [lt]
        __threadfence();
        atomicExch(&lock, 0);
    } else if (threadIdx.x == 0) {
        *sum = 100; // [ln]
    }
}

struct ticket_lock {
    unsigned next, serving;
};
__device__ ticket_lock tickets;
//: ticket --grid 6 --block 32 --arg 's32[8]' => nothing
extern "C" __global__ void ticket(int *list) {
    if (threadIdx.x == 0) {
        unsigned mine = atomicAdd(&tickets.next, 1u);
        while (atomicAdd(&tickets.serving, 0u) != mine) {
        }
        __threadfence();
        int n = list[0];
        list[1 + n] = blockIdx.x;
        list[0] = n + 1;
        __threadfence();
        atomicAdd(&tickets.serving, 1u);
    }
}

// A lock in shared memory for the block's own data.
//: shared_lock --grid 2 --block 128 --arg 's32[2]' => nothing
extern "C" __global__ void shared_lock(int *out) {
    __shared__ int mutex, sum;
    if (threadIdx.x == 0) mutex = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        __threadfence_block();
        sum += threadIdx.x;
        __threadfence_block();
        atomicExch(&mutex, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

//: shared_lock_no_fence --grid 2 --block 128 --arg 's32[2]' => race.shared slf
extern "C" __global__ void shared_lock_no_fence(int *out) {
    __shared__ int mutex, sum;
    if (threadIdx.x == 0) mutex = sum = 0;
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&mutex, 0, 1) != 0) {
        }
        sum += threadIdx.x; // [slf]
        atomicExch(&mutex, 0);
    }
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

__device__ volatile int flag;
__device__ int message;
//: publish --grid 2 --block 32 -j2 --arg 's32[1]' => nothing
extern "C" __global__ void publish(int *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        message = 42;
        __threadfence();
        flag = 1;
    } else if (flag) {
        __threadfence();
        out[0] = message;
    }
}

//: publish_no_fence --grid 2 --block 32 --arg 's32[1]' => race.global mw mr
extern "C" __global__ void publish_no_fence(int *out) {
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        message = 42; // [mw]
        flag = 1;
    } else if (flag) {
        out[0] = message; // [mr]
    }
}

// From one warp of a block to another through a flag in shared memory.
//: warp_to_warp --block 64 --arg 's32[32]' => nothing
extern "C" __global__ void warp_to_warp(int *out) {
    __shared__ int data[32];
    __shared__ volatile int ready;
    int t = threadIdx.x;
    if (t == 0) ready = 0;
    __syncthreads();
    if (t < 32) {
        data[t] = 3 * t;
        __threadfence_block();
        __syncwarp();
        if (t == 0) ready = 1;
    } else {
        while (!ready) {
        }
        __threadfence_block();
        out[t - 32] = data[63 - t];
    }
}

// A counter per element with acquire and release instead of fences.
__device__ unsigned epoch;
//: acquire_release --grid 2 --block 32 --arg 's32[1]' --arg 's32[1]' => nothing
extern "C" __global__ void acquire_release(int *data, int *out) {
    if (threadIdx.x) return;
    unsigned seen = 0;
    if (blockIdx.x == 0) {
        *data = 5;
        asm volatile("st.release.gpu.u32 [%0], %1;" ::"l"(&epoch), "r"(1u) : "memory");
    } else {
        asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(&epoch) : "memory");
        if (seen) *out = *data;
    }
}

// Decoupled look-back: block k waits for what block k-1 publishes.
__device__ unsigned state[64];
__device__ int prefix[64];
//: look_back --grid 8 --block 64 --arg 's32[512]=ones' --arg 's32[512]' => nothing
extern "C" __global__ void look_back(const int *in, int *out) {
    __shared__ int s[64];
    __shared__ int before;
    int t = threadIdx.x, b = blockIdx.x;
    s[t] = in[64 * b + t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        int v = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += v;
        __syncthreads();
    }
    if (t == 0) {
        before = 0;
        if (b > 0) {
            while (!atomicAdd(&state[b - 1], 0u)) {
            }
            __threadfence();
            before = prefix[b - 1];
        }
        prefix[b] = before + s[63];
        __threadfence();
        atomicExch(&state[b], 1u);
    }
    __syncthreads();
    out[64 * b + t] = before + s[t];
}

//: counted --grid 4 --block 64 --arg 'u32[1]' --arg 's32[256]' => nothing
extern "C" __global__ void counted(unsigned *next, int *out) {
    out[atomicAdd(next, 1u)] = threadIdx.x;
}

//: atomic_and_plain --grid 2 --block 32 --arg 'u32[1]' => race.global aa ap
extern "C" __global__ void atomic_and_plain(unsigned *sum) {
    if (blockIdx.x == 0)
        atomicAdd(sum, 1u); // [aa]
    else if (threadIdx.x == 0)
        *sum = 0; // [ap]
}

//: histogram --grid 2 --block 64 --arg 'u8[128]=random:4' --arg 'u32[16]' => nothing
extern "C" __global__ void histogram(const unsigned char *in, unsigned *out) {
    __shared__ unsigned s[16];
    int t = threadIdx.x;
    if (t < 16) s[t] = 0;
    __syncthreads();
    atomicAdd(&s[in[blockIdx.x * 64 + t] & 15], 1u);
    __syncthreads();
    if (t < 16) atomicAdd(&out[t], s[t]);
}

//: histogram_no_barrier --grid 1 --block 64 --arg 'u8[128]=random:4' --arg 'u32[16]' => race.shared hz ha
extern "C" __global__ void histogram_no_barrier(const unsigned char *in, unsigned *out) {
    __shared__ unsigned s[16];
    int t = threadIdx.x;
    if (t < 16) s[t] = 0; // [hz]
    atomicAdd(&s[in[t] & 15], 1u); // [ha]
    __syncthreads();
    if (t < 16) atomicAdd(&out[t], s[t]);
}

// Blocks write their neighbours' first element.
//: halo --grid 4 --block 32 --arg 's32[160]' => race.global hw hx
extern "C" __global__ void halo(int *out) {
    int i = blockIdx.x * 32 + threadIdx.x;
    if (threadIdx.x == 31) out[i + 1] = -i; // [hx]
    else out[i] = i; // [hw]
}

//: read_neighbour --grid 4 --block 32 --arg 's32[160]' => race.global rn rw
extern "C" __global__ void read_neighbour(int *a) {
    int i = blockIdx.x * 32 + threadIdx.x;
    int v = 0;
    if (threadIdx.x == 31) v = a[i + 1]; // [rn]
    __syncthreads();
    a[i] = v; // [rw]
}

//: grid_stride --grid 4 --block 32 --arg 's32[1024]' --arg 1024 => nothing
extern "C" __global__ void grid_stride(int *a, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) a[i] = a[i] + i;
}
