// The eleven kinds of programs of paper 002 (Table V), written for this benchmark. Every kernel has a correct
// form and one with a race of the kind that the paper planted or found (Table VI); lines that race are marked.
typedef unsigned int u32;
typedef unsigned char u8;

// --- scan: exclusive prefix sums of 512 elements a block. Planted: a barrier is missing (read-write, shared).
template <bool RACY> __device__ void scan_body(float *out, const float *in) {
    __shared__ float t[1024];
    int i = threadIdx.x, n = 1024, offset = 1;
    const float *from = in + blockIdx.x * 1024;
    t[2 * i] = from[2 * i];
    t[2 * i + 1] = from[2 * i + 1];
#pragma unroll 1
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (i < d) {
            int a = offset * (2 * i + 1) - 1, b = offset * (2 * i + 2) - 1;
            t[b] += t[a]; // RACE scan
        }
        offset *= 2;
    }
    if (i == 0) t[n - 1] = 0;
#pragma unroll 1
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        if (!RACY || d != 64) __syncthreads();
        if (i < d) {
            int a = offset * (2 * i + 1) - 1, b = offset * (2 * i + 2) - 1;
            float x = t[a]; // RACE scan
            t[a] = t[b];    // RACE scan
            t[b] += x;      // RACE scan
        }
    }
    __syncthreads();
    out[blockIdx.x * 1024 + 2 * i] = t[2 * i];
    out[blockIdx.x * 1024 + 2 * i + 1] = t[2 * i + 1];
}
extern "C" __global__ void scan(float *out, const float *in) { scan_body<false>(out, in); }
extern "C" __global__ void scan_racy(float *out, const float *in) { scan_body<true>(out, in); }

// --- histogram64: byte counters of each thread in shared memory, then one sum for each bin.
template <bool RACY> __device__ void histogram_body(u32 *out, const u32 *in, int words) {
    __shared__ u8 s[64 * 192];
    int t = threadIdx.x;
    for (int i = 0; i < 16; i++) ((u32 *)s)[t + i * 192] = 0;
    __syncthreads();
    for (int i = 0; i < words; i++) {
        u32 x = in[(blockIdx.x * words + i) * 192 + t];
        s[(x >> 2 & 63) * 192 + t]++;
        s[(x >> 10 & 63) * 192 + t]++;
        s[(x >> 18 & 63) * 192 + t]++;
        s[(x >> 26 & 63) * 192 + t]++;
    }
    if (!RACY) __syncthreads();
    if (t < 64) {
        u32 sum = 0;
        for (int i = 0; i < 192; i++) sum += s[t * 192 + (i + t) % 192]; // RACE histogram64
        out[blockIdx.x * 64 + t] = sum;
    }
}
extern "C" __global__ void histogram64(u32 *out, const u32 *in, int words) { histogram_body<false>(out, in, words); }
extern "C" __global__ void histogram64_racy(u32 *out, const u32 *in, int words) { histogram_body<true>(out, in, words); }

// --- bisection: eigenvalues of a symmetric tridiagonal matrix by Sturm counts, one interval a thread.
template <bool RACY> __device__ void bisection_body(float *out, const float *diagonal, const float *beside, int n) {
    __shared__ float d[256], b[256], left[256], right[256];
    int t = threadIdx.x;
    left[t] = -40.0f + 0.3f * t + 0.0001f * blockIdx.x;
    right[t] = left[t] + 0.3f;
    for (int step = 0; step < 12; step++) {
        float middle = (left[t] + right[t]) * 0.5f;
        int count = 0;
        float q = 1;
        for (int at = 0; at < n; at += 256) {
            __syncthreads();
            d[t] = diagonal[at + t];
            b[t] = beside[at + t];
            if (!RACY || at) __syncthreads();
            for (int k = 0; k < 256; k++) {
                q = d[k] - middle - b[k] * b[k] / (fabsf(q) < 1e-20f ? 1e-20f : q); // RACE bisection
                count += q < 0;
            }
        }
        if (count & 1) right[t] = middle; else left[t] = middle;
    }
    out[blockIdx.x * 256 + t] = left[t];
}
extern "C" __global__ void bisection(float *out, const float *d, const float *b, int n) { bisection_body<false>(out, d, b, n); }
extern "C" __global__ void bisection_racy(float *out, const float *d, const float *b, int n) { bisection_body<true>(out, d, b, n); }

// --- n-body: tiles of positions in shared memory. Found by the paper: write-write on global memory.
template <bool RACY> __device__ void nbody_body(float4 *out, const float4 *in, int n) {
    __shared__ float4 tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 me = in[i];
    float x = 0, y = 0, z = 0;
    for (int at = 0; at < n; at += 256) {
        tile[threadIdx.x] = in[at + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < 256; k++) {
            float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), f = tile[k].w * r * r * r;
            x += dx * f, y += dy * f, z += dz * f;
        }
        __syncthreads();
    }
    out[RACY && i % 256 == 255 ? i + 1 & n - 1 : i] = make_float4(me.x + x, me.y + y, me.z + z, me.w); // RACE nbody
}
extern "C" __global__ void nbody(float4 *out, const float4 *in, int n) { nbody_body<false>(out, in, n); }
extern "C" __global__ void nbody_racy(float4 *out, const float4 *in, int n) { nbody_body<true>(out, in, n); }

// --- radix sort: 256 keys a block, one bit at a time, by splitting.
template <bool RACY> __device__ void radix_body(u32 *out, const u32 *in) {
    __shared__ u32 keys[256], sums[256];
    int t = threadIdx.x;
    keys[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int bit = 0; bit < 16; bit++) {
        u32 key = keys[t], zero = !(key >> bit & 1);
        sums[t] = zero;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            u32 add = t >= d ? sums[t - d] : 0; // RACE radix
            if (!RACY || d != 32) __syncthreads();
            sums[t] += add; // RACE radix
            __syncthreads();
        }
        u32 zeros = sums[255], place = zero ? sums[t] - 1 : zeros + t - sums[t];
        keys[RACY ? place & 255 : place] = key; // what races may be any number
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = keys[t];
}
extern "C" __global__ void radix(u32 *out, const u32 *in) { radix_body<false>(out, in); }
extern "C" __global__ void radix_racy(u32 *out, const u32 *in) { radix_body<true>(out, in); }

// --- bfs: one level. The racy form is the usual one: several threads set a neighbour's cost (the paper's
// benign races); the other pulls, so that every thread writes its own node.
extern "C" __global__ void bfs(const int *first, const int *edges, const int *cost, int *next, int nodes, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    int c = cost[i];
    if (c < 0)
        for (int e = first[i]; e < first[i + 1]; e++)
            if (cost[edges[e]] == level) {
                c = level + 1;
                break;
            }
    next[i] = c;
}
extern "C" __global__ void bfs_racy(const int *first, const int *edges, int *cost, int *next, int nodes, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= nodes) return;
    if (cost[i] == level) // RACE bfs
        for (int e = first[i]; e < first[i + 1]; e++)
            if (cost[edges[e]] < 0) cost[edges[e]] = level + 1; // RACE bfs
}

// --- backpropagation: partial sums of a layer. The racy form adjusts weights with an index that overlaps.
template <bool RACY> __device__ void backprop_body(float *weights, float *partial, const float *input, int hidden) {
    __shared__ float node[16], matrix[16][16];
    int x = threadIdx.x, y = threadIdx.y;
    int index = (hidden + 1) * (16 * blockIdx.x + y + 1) + x + 1;
    if (x == 0) node[y] = input[16 * blockIdx.x + y + 1];
    __syncthreads();
    matrix[y][x] = weights[index] * node[y];
    __syncthreads();
    for (int d = 1; d < 16; d *= 2) {
        if (y % (2 * d) == 0) matrix[y][x] += matrix[y + d][x];
        __syncthreads();
    }
    if (RACY) weights[index - (y & 1 && blockIdx.x ? hidden + 1 : 0)] += 0.3f * node[y]; // RACE backprop
    else weights[index] += 0.3f * node[y];
    if (y == 0) partial[blockIdx.x * 16 + x] = matrix[0][x];
}
extern "C" __global__ void backprop(float *w, float *p, const float *in, int h) { backprop_body<false>(w, p, in, h); }
extern "C" __global__ void backprop_racy(float *w, float *p, const float *in, int h) { backprop_body<true>(w, p, in, h); }

// --- b+tree search: a block looks for one key, a thread compares one entry of the node.
template <bool RACY> __device__ void btree_body(const int *keys, const int *children, const int *wanted, int *found, int height) {
    __shared__ int node, next;
    int key = wanted[blockIdx.x], t = threadIdx.x;
    if (t == 0) node = 0;
    for (int level = 0; level < height; level++) {
        __syncthreads();
        int at = node * 128 + t;
        bool mine = keys[at] <= key && (t == 127 || keys[at + 1] > key);
        if (RACY) mine |= keys[at] <= key && t == 64;
        if (mine) next = children[at]; // RACE btree
        __syncthreads();
        if (t == 0) node = next;
    }
    __syncthreads();
    if (t == 0) found[blockIdx.x] = node;
}
extern "C" __global__ void btree(const int *k, const int *c, const int *w, int *f, int h) { btree_body<false>(k, c, w, f, h); }
extern "C" __global__ void btree_racy(const int *k, const int *c, const int *w, int *f, int h) { btree_body<true>(k, c, w, f, h); }

// --- kmeans: nearest of the centres, which are in shared memory; sums of each block. Planted: a missing barrier.
template <bool RACY> __device__ void kmeans_body(int *member, float *sums, const float *points, const float *centres, int n, int k) {
    __shared__ float c[32 * 8], part[128];
    int t = threadIdx.x, i = blockIdx.x * 128 + t;
    for (int j = t; j < k * 8; j += 128) c[j] = centres[j];
    if (!RACY) __syncthreads();
    float best = 1e30f;
    int which = 0;
    float p[8];
    for (int f = 0; f < 8; f++) p[f] = points[f * n + i];
    for (int j = 0; j < k; j++) {
        float d = 0;
        for (int f = 0; f < 8; f++) d += (p[f] - c[j * 8 + f]) * (p[f] - c[j * 8 + f]); // RACE kmeans
        if (d < best) best = d, which = j;
    }
    member[i] = which;
    part[t] = best;
    __syncthreads();
    for (int d = 64; d > 0; d /= 2) {
        if (t < d) part[t] += part[t + d];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = part[0];
}
extern "C" __global__ void kmeans(int *m, float *s, const float *p, const float *c, int n, int k) { kmeans_body<false>(m, s, p, c, n, k); }
extern "C" __global__ void kmeans_racy(int *m, float *s, const float *p, const float *c, int n, int k) { kmeans_body<true>(m, s, p, c, n, k); }

// --- co-clustering: row sums for column clusters in shared memory, each warp a row.
template <bool RACY> __device__ void cocluster_body(float *out, const float *matrix, const int *column, int columns) {
    __shared__ float sum[8][32], total[32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    float mine = 0;
    const float *row = matrix + (size_t)(blockIdx.x * 8 + warp) * columns;
    for (int j = 0; j < columns; j++) mine += column[j] == lane ? row[j] : 0;
    sum[warp][lane] = mine;
    if (!RACY) __syncthreads();
    if (warp == 0) {
        float all = 0;
        for (int w = 0; w < 8; w++) all += sum[w][lane]; // RACE cocluster
        total[lane] = all;
    }
    __syncthreads();
    out[(blockIdx.x * 8 + warp) * 32 + lane] = sum[warp][lane] / (1 + fabsf(total[lane]));
}
extern "C" __global__ void cocluster(float *o, const float *m, const int *c, int n) { cocluster_body<false>(o, m, c, n); }
extern "C" __global__ void cocluster_racy(float *o, const float *m, const int *c, int n) { cocluster_body<true>(o, m, c, n); }

// --- expectation maximisation: the paper's Figure 2. Slices of dynamic shared memory for each thread; in the
// racy form those of neighbouring warps overlap (write-write, shared).
template <bool RACY> __device__ void em_body(float *out, const float *data, const float *weight, int n, int clusters) {
    extern __shared__ float s[];
    int t = threadIdx.x, slice = RACY ? t & 63 : t;
    float *distance = s + 3 * slice, *scaled = s + 3 * 128 + 3 * slice, *result = s + 6 * 128 + 9 * t;
    for (int k = 0; k < 9; k++) result[k] = 0;
    for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128)
        for (int j = 0; j < clusters; j++) {
            float x = weight[j * n + i];
            for (int k = 0; k < 3; k++) {
                distance[k] = data[i * 3 + k] - 0.1f * j; // RACE em
                scaled[k] = distance[k] * x;              // RACE em
            }
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) result[k * 3 + l] += scaled[k] * distance[l]; // RACE em
        }
    __syncthreads();
    if (t < 9) {
        float sum = 0;
        for (int k = 0; k < 128; k++) sum += s[6 * 128 + 9 * k + t];
        out[blockIdx.x * 9 + t] = sum;
    }
}
extern "C" __global__ void em(float *o, const float *d, const float *w, int n, int c) { em_body<false>(o, d, w, n, c); }
extern "C" __global__ void em_racy(float *o, const float *d, const float *w, int n, int c) { em_body<true>(o, d, w, n, c); }
