/* Images and samplers compile; what libclc has no code for stays a call. */
__constant sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
__kernel void blur(__read_only image2d_t in, __write_only image2d_t out) {
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 v = read_imagef(in, sampler, p) + read_imagef(in, sampler, p + (int2)(1, 0));
    write_imagef(out, p, v * 0.5f);
}
