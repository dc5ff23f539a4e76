// The vector arithmetic that comes with NVIDIA's samples, which many programs include.
#include <helper_math.h>

__global__ void move(float4 *p, const float3 *v, int2 *cells, uint3 *steps, float dt) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float3 d = normalize(v[i]) * length(v[i]) + cross(v[i], make_float3(1, 0, 0)) - 2 * v[i] / 3.0f;
    float4 q = p[i] + dt * make_float4(-d, 0.0f);
    q += make_float4(lerp(make_float2(0.5f), make_float2(q), 0.25f).x);
    q /= 2.0f;
    d = reflect(fabs(floorf(d)), fracf(fmodf(d, make_float3(2))));
    q.w = dot(q, q) + smoothstep(0.0f, 1.0f, d.x) + clamp(d, -1, 1).y + dot(make_float2(d), make_float2(q));
    p[i] = fminf(q, make_float4(d));
    cells[i] = clamp(abs(cells[i] - make_int2(i)), 0, 15) * 2 + make_int2(make_float2(q));
    steps[i] = max(steps[i], make_uint3(7)) + make_uint3(make_int3(1));
}

int main() {
    float3 a = make_float3(1, 2, 3);
    a *= 2;
    float4 *p;
    float3 *v;
    int2 *cells;
    uint3 *steps;
    cudaMalloc(&p, 32 * sizeof *p);
    cudaMalloc(&v, 32 * sizeof *v);
    cudaMalloc(&cells, 32 * sizeof *cells);
    cudaMalloc(&steps, 32 * sizeof *steps);
    move<<<1, 32>>>(p, v, cells, steps, dot(a, a) + lerp(0.0f, 1.0f, 0.5f));
    return cudaDeviceSynchronize();
}
