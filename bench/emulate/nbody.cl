// All pairs, tiles of 256 bodies in local memory.
__kernel void nbody(__global const float4 *body, __global float4 *acc, int n) {
    __local float4 tile[256];
    int l = get_local_id(0), i = get_global_id(0);
    float4 me = body[i];
    float ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        tile[l] = body[t + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 256; k++) {
            float4 o = tile[k];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float r2 = dx * dx + dy * dy + dz * dz + 1e-3f;
            float inv = native_rsqrt(r2), f = o.w * inv * inv * inv;
            ax += dx * f;
            ay += dy * f;
            az += dz * f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc[i] = (float4)(ax, ay, az, 0);
}
