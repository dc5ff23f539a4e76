/* Kernels of the kinds that paper 003 measures register allocation on (Figure 20), written for this project.
 * One signature for all: two inputs of 4 n floats, one output of 4 n floats, n elements or threads, m for
 * inner loops and row lengths (m * m <= n), s a number. Every kernel is free of races for every block size
 * of up to 1024 threads, so that the output is a function of the input alone. */
#define KERNEL(name)                                                                                         \
    extern "C" __global__ void name(const float *__restrict__ a, const float *__restrict__ b,               \
                                    float *__restrict__ out, int n, int m, float s)

__device__ __forceinline__ int flat() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
__device__ __forceinline__ int width() { return blockDim.x * blockDim.y * blockDim.z; }
__device__ __forceinline__ int global() { return blockIdx.x * width() + flat(); }

/* Figure 1 of the paper. */
KERNEL(avg_square) {
    int t = global();
    if (t >= n) return;
    int c = m, N = t % m + c * c, d = 0;
    float sum = 0;
    for (int i = t % m; i < N; i += c, d++) sum += a[i];
    out[t] = sum / d;
}

KERNEL(sum_triangle) {
    int t = global();
    if (t >= n) return;
    int d = 0, L = (t % m + 1) * m;
    float sum = 0;
    for (int i = t % m; i < L; i += m) {
        if (i % 2) sum += a[i % n];
        d++;
    }
    out[t] = d ? sum / d : 0;
}

/* Reductions: interleaved, sequential, several elements a thread. */
KERNEL(reduce_interleaved) {
    __shared__ float x[1024];
    int t = flat(), i = global(), w = width();
    x[t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int d = 1; d < w; d *= 2) {
        float other = t % (2 * d) == 0 && t + d < w ? x[t + d] : 0;
        __syncthreads();
        if (t % (2 * d) == 0) x[t] += other;
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = x[0] * s;
}

KERNEL(reduce_strided) {
    __shared__ float x[1024];
    int t = flat(), i = global(), w = width();
    x[t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int left = w; left > 1;) {
        int half = (left + 1) / 2;
        if (t < left - half) x[t] += x[t + half];
        __syncthreads();
        left = half;
    }
    if (t == 0) out[blockIdx.x] = x[0] * s;
}

KERNEL(reduce_many) {
    __shared__ float x[1024];
    int t = flat(), w = width();
    float sum = 0;
    for (int i = global(); i < n; i += w * gridDim.x) {
        float v = a[i];
        sum += v * s;
        if (i + 1 < n) sum += b[i + 1];
    }
    x[t] = sum;
    __syncthreads();
    for (int left = w; left > 1;) {
        int half = (left + 1) / 2;
        if (t < left - half) x[t] += x[t + half];
        __syncthreads();
        left = half;
    }
    if (t == 0) out[blockIdx.x] = x[0];
}

KERNEL(scalar_product) {
    __shared__ float acc[1024];
    int t = flat(), w = width();
    for (int v = blockIdx.x; v * m + m <= n; v += gridDim.x) {
        float sum = 0;
        for (int i = v * m + t; i < v * m + m; i += w) sum += a[i] * b[i];
        acc[t] = sum;
        __syncthreads();
        for (int left = w; left > 1;) {
            int half = (left + 1) / 2;
            if (t < left - half) acc[t] += acc[t + half];
            __syncthreads();
            left = half;
        }
        if (t == 0) out[v] = acc[0] * s;
        __syncthreads();
    }
}

KERNEL(matrix_product) {
    int t = global(), row = t / m, col = t % m;
    if (row >= m) return;
    float sum = 0;
    for (int k = 0; k < m; k++) sum += a[row * m + k] * b[k * m + col];
    out[row * m + col] = sum * s;
}

KERNEL(matrix_product_tiled) {
    __shared__ float x[16][16], y[16][17];
    int t = flat(), w = width(), tiles = (m + 15) / 16;
    int ty0 = blockIdx.x / tiles * 16, tx0 = blockIdx.x % tiles * 16;
    if (ty0 >= m) return;
    float sum[4] = {0, 0, 0, 0};
    for (int k0 = 0; k0 < m; k0 += 16) {
        for (int e = t; e < 256; e += w) {
            int r = e / 16, c = e % 16;
            x[r][c] = ty0 + r < m && k0 + c < m ? a[(ty0 + r) * m + k0 + c] : 0;
            y[r][c] = k0 + r < m && tx0 + c < m ? b[(k0 + r) * m + tx0 + c] : 0;
        }
        __syncthreads();
        for (int j = 0; j < 4; j++) {
            int e = t + j * 64;
            if (t < 64)
                for (int k = 0; k < 16; k++) sum[j] += x[e / 16][k] * y[k][e % 16];
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++) {
        int e = t + j * 64, r = ty0 + e / 16, c = tx0 + e % 16;
        if (t < 64 && r < m && c < m) out[r * m + c] = sum[j] * s;
    }
}

KERNEL(nbody) {
    int t = global();
    if (t >= n) return;
    float px = a[4 * t], py = a[4 * t + 1], pz = a[4 * t + 2], ax = 0, ay = 0, az = 0;
    for (int i = 0; i < m; i++) {
        float dx = a[4 * i] - px, dy = a[4 * i + 1] - py, dz = a[4 * i + 2] - pz;
        float d2 = dx * dx + dy * dy + dz * dz + s;
        float inv = rsqrtf(d2), w = a[4 * i + 3] * inv * inv * inv;
        ax += dx * w;
        ay += dy * w;
        az += dz * w;
    }
    out[4 * t] = ax;
    out[4 * t + 1] = ay;
    out[4 * t + 2] = az;
    out[4 * t + 3] = 0;
}

__device__ __forceinline__ float cnd(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float v = 0.39894228f * __expf(-0.5f * d * d) *
              (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - v : v;
}

KERNEL(black_scholes) {
    float rate = 0.02f, vol = 0.3f;
    for (int i = global(); i < n; i += width() * gridDim.x) {
        float price = a[i] * 20 + 5, strike = b[i] * 50 + 1, years = 0.25f + s;
        float root = sqrtf(years);
        float d1 = (__logf(price / strike) + (rate + 0.5f * vol * vol) * years) / (vol * root), d2 = d1 - vol * root;
        float c1 = cnd(d1), c2 = cnd(d2), discount = __expf(-rate * years);
        out[i] = price * c1 - strike * discount * c2;
        out[n + i] = strike * discount * (1.0f - c2) - price * (1.0f - c1);
    }
}

KERNEL(bilateral) {
    int t = global(), y = t / m, x = t % m;
    if (y >= m) return;
    float sum = 0, weights = 0, center = a[y * m + x];
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int yy = min(max(y + dy, 0), m - 1), xx = min(max(x + dx, 0), m - 1);
            float v = a[yy * m + xx], d = v - center;
            float w = __expf(-(dx * dx + dy * dy) * 0.125f - d * d * s);
            sum += w * v;
            weights += w;
        }
    out[y * m + x] = sum / weights;
}

KERNEL(mandelbrot) {
    int t = global();
    if (t >= n) return;
    float cx = -2.0f + 3.0f * (t % m) / m, cy = -1.5f + 3.0f * (t / m % m) / m, x = 0, y = 0;
    int i = 0;
    while (i < 4 * m && x * x + y * y < 4.0f) {
        float next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        i++;
    }
    out[t] = i;
}

KERNEL(hotspot) {
    int t = global(), y = t / m, x = t % m;
    if (y >= m) return;
    int north = y ? y - 1 : 0, south = y < m - 1 ? y + 1 : m - 1, west = x ? x - 1 : 0, east = x < m - 1 ? x + 1 : m - 1;
    float step = 0.001f, rx = 1.25f, ry = 0.75f, rz = 4.75f, amb = 80.0f, v = a[y * m + x];
    for (int k = 0; k < 8; k++)
        v += step * s * (b[y * m + x] + (a[south * m + x] + a[north * m + x] - 2 * v) * ry +
                         (a[y * m + east] + a[y * m + west] - 2 * v) * rx + (amb - v) * rz);
    out[y * m + x] = v;
}

KERNEL(pathfinder) {
    __shared__ float prev[1024], next[1024];
    int t = flat(), w = width(), x = blockIdx.x * w + t;
    prev[t] = x < n ? a[x] : 0;
    __syncthreads();
    for (int i = 0; i < 8; i++) {
        float left = prev[t ? t - 1 : 0], up = prev[t], right = prev[t < w - 1 ? t + 1 : w - 1];
        float best = fminf(left, fminf(up, right));
        next[t] = x < n ? best + b[(x + i * m) % n] * s : best;
        __syncthreads();
        prev[t] = next[t];
        __syncthreads();
    }
    if (x < n) out[x] = prev[t];
}

KERNEL(gaussian_fan2) {
    int t = global(), row = t / m, col = t % m;
    if (row >= m) return;
    float v = a[row * m + col];
    for (int p = 0; p < 4 && p < m; p++)
        if (row > p && col >= p) v -= a[row * m + p] / (a[p * m + p] + s + 1) * a[p * m + col];
    out[row * m + col] = v;
}

KERNEL(kmeans) {
    int t = global();
    if (t >= n) return;
    int best = 0;
    float least = 1e30f;
    for (int c = 0; c < m; c++) {
        float d = 0;
        for (int f = 0; f < 4; f++) {
            float x = a[f * n + t] - b[c * 4 + f];
            d += x * x;
        }
        if (d * s < least) {
            least = d * s;
            best = c;
        }
    }
    out[t] = best;
    out[n + t] = least;
}

KERNEL(cfd_flux) {
    int t = global();
    if (t >= n) return;
    float density = a[t] + 1, mx = a[n + t], my = a[2 * n + t], e = a[3 * n + t] + 2;
    float vx = mx / density, vy = my / density, speed2 = vx * vx + vy * vy;
    float pressure = 0.4f * (e - 0.5f * density * speed2), sound = sqrtf(fabsf(1.4f * pressure / density)) + s;
    float f0 = 0, f1 = 0, f2 = 0, f3 = 0;
    for (int k = 0; k < 4; k++) {
        int o = (t + k * m + 1) % n;
        float od = a[o] + 1, ox = a[n + o], oy = a[2 * n + o], oe = a[3 * n + o] + 2;
        float ux = ox / od, uy = oy / od, os2 = ux * ux + uy * uy;
        float op = 0.4f * (oe - 0.5f * od * os2), oc = sqrtf(fabsf(1.4f * op / od));
        float nx = b[k * n + t], ny = b[(k * n + t + 1) % (4 * n)];
        float factor = -0.5f * sqrtf(nx * nx + ny * ny) * (sqrtf(speed2) + sqrtf(os2) + sound + oc);
        f0 += factor * (density - od) + 0.5f * (nx * (mx + ox) + ny * (my + oy));
        f1 += factor * (mx - ox) + 0.5f * (nx * (vx * mx + pressure + ux * ox + op) + ny * (vy * mx + uy * ox));
        f2 += factor * (my - oy) + 0.5f * (nx * (vx * my + ux * oy) + ny * (vy * my + pressure + uy * oy + op));
        f3 += factor * (e - oe) + 0.5f * (nx * (vx * (e + pressure) + ux * (oe + op)) + ny * (vy * (e + pressure) + uy * (oe + op)));
    }
    out[t] = f0;
    out[n + t] = f1;
    out[2 * n + t] = f2;
    out[3 * n + t] = f3;
}

KERNEL(sobol) {
    __shared__ unsigned v[32];
    int t = flat(), w = width();
    for (int i = t; i < 32; i += w) v[i] = 0x80000000u >> i ^ (unsigned)(blockIdx.x * 0x9E3779B9u) >> (i & 15);
    __syncthreads();
    for (int i = global(); i < n; i += w * gridDim.x) {
        unsigned g = i ^ i >> 1, x = 0;
        for (int k = 0; k < 32 && g; k++, g >>= 1)
            if (g & 1) x ^= v[k];
        out[i] = x * 2.3283064e-10f * s;
    }
}

KERNEL(bfs_step) {
    int t = global();
    if (t >= n) return;
    float level = a[t] > 0.5f ? 1 : 0;
    if (level == 0) {
        int first = t % m, degree = (t * 7 + 3) % 9;
        for (int e = first; e < first + degree; e++) {
            int other = (t + e * 13 + 1) % n;
            if (b[other] * s > 0.25f) {
                level = 2 + e - first;
                break;
            }
        }
    }
    out[t] = level;
}

KERNEL(nearest) {
    int t = global();
    if (t >= n) return;
    float x = a[t] - s, y = b[t] - s;
    out[t] = sqrtf(x * x + y * y);
}

KERNEL(jacobi) {
    int t = global(), y = t / m, x = t % m;
    if (y >= m) return;
    int l = max(x - 1, 0), r = min(x + 1, m - 1), u = max(y - 1, 0), d = min(y + 1, m - 1);
    float su = (a[y * m + l] + a[y * m + r] + a[u * m + x] + a[d * m + x]) * 0.25f;
    float sv = (b[y * m + l] + b[y * m + r] + b[u * m + x] + b[d * m + x]) * 0.25f;
    float ix = a[y * m + r] - a[y * m + l], iy = a[d * m + x] - a[u * m + x];
    float frac = (su * ix + sv * iy + b[y * m + x]) / (ix * ix + iy * iy + s + 1);
    out[y * m + x] = su - ix * frac;
    out[n + y * m + x] = sv - iy * frac;
}

KERNEL(convolution) {
    int t = global();
    if (t >= n) return;
    float sum = 0;
    for (int k = -8; k <= 8; k++) {
        int i = t + k;
        if (i >= 0 && i < n) sum += a[i] * b[k + 8];
    }
    out[t] = sum * s;
}

KERNEL(sparse_product) {
    int row = global();
    if (row >= n) return;
    int first = row * 3 % m, last = first + row % 11;
    float sum = 0;
    for (int i = first; i < last; i++) sum += a[(row + i) % n] * b[(i * 17 + row) % n];
    out[row] = sum + s;
}

KERNEL(lattice_potential) {
    int t = global(), y = t / m, x = t % m;
    if (y >= m) return;
    float px = x * 0.5f, py = y * 0.5f, e = 0, cutoff2 = 100.0f * s + 10;
    for (int i = 0; i < m; i++) {
        float dx = a[4 * i] * m - px, dy = a[4 * i + 1] * m - py, dz = a[4 * i + 2] * 4;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutoff2) {
            float k = 1.0f - r2 / cutoff2;
            e += a[4 * i + 3] * rsqrtf(r2 + 0.01f) * k * k;
        }
    }
    out[y * m + x] = e;
}

KERNEL(ray_march) {
    int t = global(), y = t / m, x = t % m;
    if (y >= m) return;
    float u = 2.0f * x / m - 1, v = 2.0f * y / m - 1, depth = 0, color = 0, alpha = 0;
    for (int i = 0; i < 64; i++) {
        float px = u * depth, py = v * depth, pz = depth - 2;
        int cell = (int)(fabsf(px) * 4) + (int)(fabsf(py) * 4) * 8 + (int)(fabsf(pz) * 4) * 64;
        float density = a[cell % n] * s;
        color += (1 - alpha) * density * b[cell % n];
        alpha += (1 - alpha) * density;
        if (alpha > 0.95f) break;
        depth += 0.0625f;
    }
    out[y * m + x] = color;
}

KERNEL(floyd) {
    int t = global(), i = t / m, j = t % m;
    if (i >= m) return;
    float best = a[i * m + j];
    for (int k = 0; k < m; k++) best = fminf(best, a[i * m + k] + a[k * m + j] + s);
    out[i * m + j] = best;
}

KERNEL(upscale) {
    int t = global(), y = t / (2 * m), x = t % (2 * m);
    if (y >= 2 * m || t >= 4 * n) return;
    float fx = x * 0.5f - 0.25f, fy = y * 0.5f - 0.25f;
    int x0 = max((int)floorf(fx), 0), y0 = max((int)floorf(fy), 0), x1 = min(x0 + 1, m - 1), y1 = min(y0 + 1, m - 1);
    float wx = fx - floorf(fx), wy = fy - floorf(fy);
    out[t] = ((a[y0 * m + x0] * (1 - wx) + a[y0 * m + x1] * wx) * (1 - wy) +
              (a[y1 * m + x0] * (1 - wx) + a[y1 * m + x1] * wx) * wy) * s;
}

KERNEL(fft_step) {
    int t = global();
    if (2 * t + 1 >= n) return;
    int span = m / 2 + 1, k = t % span, base = t / span * 2 * span + k;
    if (base + span >= n) return;
    float angle = -3.14159265f * k / span * s, c = __cosf(angle), d = __sinf(angle);
    float re = a[base + span] * c - b[base + span] * d, im = a[base + span] * d + b[base + span] * c;
    out[base] = a[base] + re;
    out[n + base] = b[base] + im;
    out[base + span] = a[base] - re;
    out[n + base + span] = b[base] - im;
}

KERNEL(histogram) {
    __shared__ unsigned bins[64];
    int t = flat(), w = width();
    for (int i = t; i < 64; i += w) bins[i] = 0;
    __syncthreads();
    for (int i = global(); i < n; i += w * gridDim.x) atomicAdd(&bins[(int)(fabsf(a[i]) * s * 64) & 63], 1u);
    __syncthreads();
    for (int i = t; i < 64; i += w) out[blockIdx.x * 64 + i] = bins[i];
}

/* Doubles, 64-bit integers, and 16-bit ones. */
KERNEL(mixed_types) {
    int t = global();
    if (t >= n) return;
    double x = a[t], y = b[t], z = s;
    long long h = 1469598103934665603LL ^ t;
    unsigned short r = (unsigned short)(t * 31 + m);
    for (int i = 0; i < m; i++) {
        x = x * y + z;
        z = z * 0.5 + i;
        h = (h ^ i) * 1099511628211LL;
        r = (unsigned short)(r * 75 + (h >> 60));
    }
    out[t] = (float)x;
    out[n + t] = (float)z;
    out[2 * n + t] = (float)(h >> 40);
    out[3 * n + t] = r;
}

/* Values that are uniform inside loops and branches that lanes take differently. */
KERNEL(divergent_loops) {
    int t = global(), lane = flat() % 32;
    if (t >= n) return;
    int steps = 0, base = m * 3 + blockIdx.x;
    float sum = 0;
    for (int i = 0; i < lane % 7 + 1; i++) {
        int stride = i * m + base;
        for (int j = i; j < m; j += 1 + i) {
            sum += a[(stride + j) % n];
            if (sum > 100 + lane) break;
            steps++;
        }
        if (lane & 1)
            sum += b[stride % n] * i;
        else if (i > 2)
            sum -= b[(stride + 1) % n];
    }
    int k = base;
    if (lane % 3 == 0)
        while (k < base + m) k += 1 + m / 5;
    out[t] = sum;
    out[n + t] = steps;
    out[2 * n + t] = k + s;
}

/* High pressure: a block of the product in registers, a stencil of 27 points, a bank of filters. */
KERNEL(register_block) {
    int t = global(), blocks = m / 4, r0 = t / blocks * 4, c0 = t % blocks * 4;
    if (blocks == 0 || r0 + 4 > m) return;
    float sum[4][4] = {};
    for (int k = 0; k < m; k++) {
        float x[4], y[4];
        for (int i = 0; i < 4; i++) {
            x[i] = a[(r0 + i) * m + k];
            y[i] = b[k * m + c0 + i];
        }
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++) sum[i][j] += x[i] * y[j];
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) out[(r0 + i) * m + c0 + j] = sum[i][j] * s;
}

KERNEL(stencil_27) {
    int t = global(), y = t / m, x = t % m;
    if (y >= m) return;
    float sum = 0;
    for (int z = 0; z < 8; z++)
#pragma unroll
        for (int d = 0; d < 27; d++) {
            int xx = min(max(x + d % 3 - 1, 0), m - 1), yy = min(max(y + d / 3 % 3 - 1, 0), m - 1), zz = z + d / 9;
            sum += a[(zz * m + yy) * m % (3 * n) + xx] * b[d];
        }
    out[y * m + x] = sum * s;
}

KERNEL(filter_bank) {
    int t = global();
    float c[12];
#pragma unroll
    for (int k = 0; k < 12; k++) c[k] = b[k] * s + k * m;
    for (int i = t; i < n; i += width() * gridDim.x) {
        float low = 0, high = 0;
#pragma unroll
        for (int k = 0; k < 12; k++) {
            float v = a[i + k];
            low += v * c[k];
            high += k & 1 ? v * c[11 - k] : -v * c[11 - k];
        }
        out[i] = low;
        out[n + i] = high;
    }
}
