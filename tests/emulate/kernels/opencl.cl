// OpenCL: vectors in memory, local arguments, images of work-groups; exits before barriers are errors.

//: vector_load --grid 2 --block 64 --arg 'f32[512]=iota' --arg 'f32[512]' => nothing
__kernel void vector_load(__global const float *in, __global float *out) {
    size_t i = get_global_id(0);
    float4 v = vload4(i, in);
    vstore4(v.wzyx, i, out);
}

// Three elements of four: neighbours touch the same words only where they should.
//: vector_of_three --grid 2 --block 64 --arg 'f32[384]=iota' --arg 'f32[384]' => nothing
__kernel void vector_of_three(__global const float *in, __global float *out) {
    size_t i = get_global_id(0);
    float3 v = vload3(i, in);
    vstore3(v * 2.0f, i, out);
}

//: vector_overlap --grid 1 --block 64 --arg 'f32[260]' => race.global vo
__kernel void vector_overlap(__global float *out) {
    size_t i = get_global_id(0);
    vstore4((float4)(i, i + 1, i + 2, i + 5), 0, out + 3 * i); // [vo]
}

//: float3_array --grid 1 --block 64 --arg 'f32[64]=iota' --arg 'f32[256]' => nothing
__kernel void float3_array(__global const float *in, __global float3 *out) {
    size_t i = get_global_id(0);
    out[i] = (float3)(in[i], 1, 2);
}

//: reversed --grid 4 --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg local:256 => nothing
__kernel void reversed(__global const int *in, __global int *out, __local int *tile) {
    int l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[n - 1 - l];
}

//: local_too_small --grid 1 --block 64 --arg 's32[256]=iota' --arg 's32[256]' --arg local:128 => memory.bounds lw, memory.bounds lr
__kernel void local_too_small(__global const int *in, __global int *out, __local int *tile) {
    int l = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
    tile[l] = in[g]; // [lw]
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[n - 1 - l]; // [lr]
}

//: exits_early --grid 1 --block 64 --arg 's32[64]' --arg 40 => barrier.divergence xb
__kernel void exits_early(__global int *out, int n) {
    __local int tile[64];
    int l = get_local_id(0);
    if (l >= n) return;
    tile[l] = l;
    barrier(CLK_LOCAL_MEM_FENCE); // [xb]
    out[l] = tile[n - 1 - l];
}

//: counter --grid 4 --block 64 --arg 's32[1]' --arg 's32[256]' => nothing
__kernel void counter(__global int *next, __global int *out) {
    out[atomic_inc(next)] = get_global_id(0);
}

//: transpose --grid 2,2 --block 16,16 --arg 'f32[1024]=iota' --arg 'f32[1024]' => nothing
__kernel void transpose(__global const float *in, __global float *out) {
    __local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
    tile[y][x] = in[(gy + y) * 32 + gx + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(gx + y) * 32 + gy + x] = tile[x][y];
}

//: transpose_no_barrier --grid 2,2 --block 16,16 --arg 'f32[1024]=iota' --arg 'f32[1024]' => race.shared tw tr
__kernel void transpose_no_barrier(__global const float *in, __global float *out) {
    __local float tile[16][17];
    int x = get_local_id(0), y = get_local_id(1);
    int gx = get_group_id(0) * 16, gy = get_group_id(1) * 16;
    tile[y][x] = in[(gy + y) * 32 + gx + x]; // [tw]
    out[(gx + y) * 32 + gy + x] = tile[x][y]; // [tr]
}

// The barrier is for local memory, but what it should order was written to global memory.
//: local_fence --grid 2 --block 64 --arg 's32[128]' --arg 's32[128]' => race.global fw fr
__kernel void local_fence(__global int *work, __global int *out) {
    int l = get_local_id(0), g = get_global_id(0);
    work[g] = g; // [fw]
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = work[g - l + (get_local_size(0) - 1 - l)]; // [fr]
}

//: global_fence --grid 2 --block 64 --arg 's32[128]' => race.shared gw gr
__kernel void global_fence(__global int *out) {
    __local int s[64];
    int l = get_local_id(0);
    s[l] = l; // [gw]
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[get_global_id(0)] = s[63 - l]; // [gr]
}

//: both_fences --grid 2 --block 64 --arg 's32[128]' --arg 's32[128]' => nothing
__kernel void both_fences(__global int *work, __global int *out) {
    __local int s[64];
    int l = get_local_id(0), g = get_global_id(0);
    s[l] = work[g] = g;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[g] = work[g - l + (get_local_size(0) - 1 - l)] + s[63 - l];
}

//: through_global --grid 2 --block 64 --arg 's32[128]' --arg 's32[128]' => nothing
__kernel void through_global(__global int *work, __global int *out) {
    int l = get_local_id(0), g = get_global_id(0);
    work[g] = g;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[g] = work[g - l + (get_local_size(0) - 1 - l)];
}

// The native functions are the GPU's own approximations, of vectors, too.
//: native_functions --grid 1 --block 32 --arg 'f32[32]=iota' => nothing
__kernel void native_functions(__global float *x) {
    int i = get_global_id(0);
    float v = x[i];
    float4 all = (float4)(native_exp(v), native_cos(v), native_sin(v), native_log(v)) +
                 native_exp2((float4)(v)) * native_log2((float4)(v)) + native_exp10((float4)(v)) -
                 native_log10((float4)(v)) + native_powr((float4)(v), (float4)(2.5f)) + native_tan((float4)(v));
    x[i] = all.x + all.y + all.z + all.w + half_exp(v) + native_sqrt(v) + native_rsqrt(v) + native_recip(v);
}
