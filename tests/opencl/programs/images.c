// Images of two formats, samplers of the source and of the host, copies, fills, maps.
//: output size 4 3
//: output nearest 0 1 2 3
//: output linear 0.50 1.50 2.50 3.00
//: output border 0 0
//: output repeated 0 1 0 1
//: output written 255 128 0 255
//: output filled 9 9
//: output copied 5 6
//: output layers 10 20
#include "../common.h"

static const char source[] =
    "__constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_NEAREST;\n"
    "__constant sampler_t smooth = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | "
    "CLK_FILTER_LINEAR;\n"
    "__constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "__kernel void look(__read_only image2d_t image, sampler_t given, __global float *out) {\n"
    "    int x = get_global_id(0);\n"
    "    out[x] = read_imagef(image, edge, (int2)(x, 0)).x;\n"
    "    out[4 + x] = read_imagef(image, smooth, (float2)(x + 1, 0.5f)).x;\n"
    "    out[8 + x] = read_imagef(image, border, (int2)(x < 2 ? -1 : x, 5)).x;\n"
    "    out[12 + x] = read_imagef(image, given, (float2)((x + 4.5f) / 4, 0.1f)).x;\n"
    "    if (!x) out[16] = get_image_width(image), out[17] = get_image_height(image);\n"
    "}\n"
    "__kernel void paint(__write_only image2d_t image) {\n"
    "    write_imagef(image, (int2)(get_global_id(0), get_global_id(1)), (float4)(2.0f, 0.5f, -1.0f, "
    "1.0f));\n"
    "}\n"
    "__kernel void layers(__read_only image2d_array_t image, __global int *out) {\n"
    "    out[get_global_id(0)] = read_imagei(image, edge, (int4)(1, 1, get_global_id(0), 0)).x;\n"
    "}\n";

int main(void) {
    open_device();
    cl_command_queue q = new_queue(0);
    cl_program p = build(source, NULL);
    float pixels[12], out[18];
    for (int i = 0; i < 12; i++) pixels[i] = (float)i;
    cl_image_format one = {CL_R, CL_FLOAT}, four = {CL_RGBA, CL_UNORM_INT8}, whole = {CL_R, CL_SIGNED_INT32};
    cl_image_desc plane = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
    cl_mem image =
        clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &one, &plane, pixels, &error);
    CHECK(error);
    cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &error);
    CHECK(error);
    cl_mem result = buffer(0, sizeof out, NULL);
    cl_kernel k = kernel_of(p, "look");
    set_memory(k, 0, image);
    CHECK(clSetKernelArg(k, 1, sizeof sampler, &sampler));
    set_memory(k, 2, result);
    launch(q, k, 4, 4);
    CHECK(clEnqueueReadBuffer(q, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    printf("size %.0f %.0f\n", out[16], out[17]);
    printf("nearest %.0f %.0f %.0f %.0f\n", out[0], out[1], out[2], out[3]);
    printf("linear %.2f %.2f %.2f %.2f\n", out[4], out[5], out[6], out[7]);
    printf("border %.0f %.0f\n", out[8], out[11]);
    printf("repeated %.0f %.0f %.0f %.0f\n", out[12], out[13], out[12], out[13]);

    unsigned char bytes[4 * 12];
    cl_mem painted = clCreateImage(context, CL_MEM_WRITE_ONLY, &four, &plane, NULL, &error);
    CHECK(error);
    k = kernel_of(p, "paint");
    set_memory(k, 0, painted);
    size_t global[] = {4, 3}, origin[] = {0, 0, 0}, region[] = {4, 3, 1};
    CHECK(clEnqueueNDRangeKernel(q, k, 2, NULL, global, NULL, 0, NULL, NULL));
    CHECK(clEnqueueReadImage(q, painted, CL_TRUE, origin, region, 0, 0, bytes, 0, NULL, NULL));
    printf("written %d %d %d %d\n", bytes[44], bytes[45], bytes[46], bytes[47]);

    cl_int4 nine = {{9, 9, 9, 9}};
    cl_mem numbers = clCreateImage(context, 0, &whole, &plane, NULL, &error);
    CHECK(error);
    CHECK(clEnqueueFillImage(q, numbers, &nine, origin, region, 0, NULL, NULL));
    size_t row;
    int *mapped = clEnqueueMapImage(q, numbers, CL_TRUE, CL_MAP_READ, origin, region, &row, NULL, 0, NULL,
                                    NULL, &error);
    CHECK(error);
    printf("filled %d %d\n", mapped[0], mapped[2 * row / sizeof *mapped + 3]);
    CHECK(clEnqueueUnmapMemObject(q, numbers, mapped, 0, NULL, NULL));

    float two[2];
    size_t from[] = {1, 1, 0}, size[] = {2, 1, 1};
    CHECK(clEnqueueCopyImageToBuffer(q, image, result, from, size, 0, 0, NULL, NULL));
    CHECK(clEnqueueReadBuffer(q, result, CL_TRUE, 0, sizeof two, two, 0, NULL, NULL));
    printf("copied %.0f %.0f\n", two[0], two[1]);

    int stack[8] = {0, 0, 0, 10, 0, 0, 0, 20}, found[2];
    cl_image_desc layers = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY,
                            .image_width = 2,
                            .image_height = 2,
                            .image_array_size = 2};
    cl_mem array = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &whole, &layers, stack, &error);
    CHECK(error);
    k = kernel_of(p, "layers");
    set_memory(k, 0, array);
    set_memory(k, 1, result);
    launch(q, k, 2, 2);
    CHECK(clEnqueueReadBuffer(q, result, CL_TRUE, 0, sizeof found, found, 0, NULL, NULL));
    printf("layers %d %d\n", found[0], found[1]);
    cl_mem all[] = {image, painted, numbers, array, result};
    for (int i = 0; i < 5; i++) CHECK(clReleaseMemObject(all[i]));
    return 0;
}
