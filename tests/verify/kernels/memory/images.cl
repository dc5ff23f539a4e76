//pass
//lockstep: verify --block 16,16 --grid 4,4
//
// Each thread writes its own element of an image.
__kernel void copy(__write_only image2d_t to, __read_only image2d_t from, sampler_t s, __write_only image2d_array_t deep) {
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(to, at, read_imagef(from, s, at));
    write_imagef(deep, (int4)(at.y, at.x, 3, 0), (float4)(1.0f));
}
