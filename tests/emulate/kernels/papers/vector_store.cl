// A vector store whose last element the compiler leaves undefined for a moment. Nothing is wrong with it.
__kernel void store(__global float4 *acc, __global const float *in) {
    int i = get_global_id(0);
    acc[i] = (float4)(in[i], in[i] * 2, in[i] * 3, 0);
}

//: store --block 64 --grid 2 --arg 'f32[512]' --arg 'f32[128]=iota' --check all => nothing
